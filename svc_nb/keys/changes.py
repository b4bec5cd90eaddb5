"""Changes to keys: the old and new values, sent one after another, and kept so that the last can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import BadReply, BadRequest, InvalidRows, NotFound, SvcError, one_line
from svc_nb.keys.table import CAPS, MOST_NAMED, caps, shown
from svc_nb.sync.backups import Backup, Backups
from svc_nb.sync.changes import was_refused
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import DeveloperKey

# Backups cover all keys, because one change may affect many.
THING = "keys"
# A change made in one place: where it is kept, and the name of the backup.
Own = list[tuple[Backups, str]]


@dataclass(frozen=True)
class KeyChange:
    """A change of one key, called *label*: *before* has all its caps, or its label, *after* only the new values."""

    key_id: str
    label: str | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    def back(self, key: DeveloperKey) -> KeyChange:
        """The reverse change for *key* as it is now; values that did not change here stay as others have set them."""
        before = {name: facts(key)[name] for name in self.before}
        return KeyChange(self.key_id, self.label, before, {name: self.before[name] for name in self.after})

    def state(self, key: DeveloperKey) -> dict[str, Any]:
        """The current values of *key* that this change is about."""
        return {name: facts(key)[name] for name in self.after}


class ChangeLog:
    """The changes made from here, kept as *backups* of this administrator's keys.

    One place, such as a panel, notes its own changes in *own*, and undoes only those.
    """

    def __init__(self, backups: Backups, own: Own | None = None) -> None:
        self.backups = backups
        self._own = own

    def add(self, changes: Sequence[KeyChange]) -> Backup:
        """Keep *changes* that are about to be made together."""
        kept = self.backups.put("change", THING, name=_labels(changes), state=[asdict(each) for each in changes])
        if self._own is not None:
            self._own.append((self.backups, kept.backup))
        return kept

    def settle(self, kept: Backup, made: Sequence[KeyChange]) -> None:
        """Reduce a backup to the changes *made*, and drop it if there are none."""
        if made:
            self.backups.replace(kept, state=[asdict(each) for each in made], finished=len(made) == len(kept.state))
        else:
            self.backups.drop(kept)

    def last(self, backup: str | None = None) -> Backup:
        """The last change, or the *backup* of that name; ValueError if there is none, or if it was made elsewhere."""
        last = self.backups.newest() if backup is None else self.backups.get(backup)
        if last is None:
            raise ValueError(
                "there is nothing to undo: no caps or labels were changed from this kernel, or all changes are undone. "
                "svc_nb.keys.history() lists the changes from other kernels, for undo(backup=...)"
            )
        if self._own is not None and not any(name == last.backup for _, name in self._own):
            raise ValueError(
                f"the last change ({last.name}) was made elsewhere in this kernel, so nothing was undone here. "
                "svc_nb.keys.undo() undoes it"
            )
        return last


class OwnChanges:
    """The changes in logs that one place, such as a panel, has made: it undoes only its own."""

    def __init__(self) -> None:
        self._own: Own = []

    def of(self, log: ChangeLog) -> ChangeLog:
        """*log*, with additions noted as made here; its `last` is a ValueError if the change was made elsewhere."""
        return ChangeLog(log.backups, self._own)

    def any_left(self) -> bool:
        """Whether a change made here has not been undone yet, here or elsewhere."""
        return any(backups.has(name) for backups, name in tuple(self._own))

    def last(self) -> list[KeyChange]:
        """The last change made here that has not been undone yet, key by key."""
        for backups, name in reversed(self._own):
            if backups.has(name):
                return [KeyChange(**each) for each in backups.get(name).state]
        return []


def _labels(changes: Sequence[KeyChange]) -> str:
    """The labels of the first few keys."""
    shown_labels = ", ".join(shown(change.label) for change in changes[:MOST_NAMED])
    return shown_labels + (", …" if len(changes) > MOST_NAMED else "")


def renamed(changes: Sequence[KeyChange], said: str) -> Report:
    """One row for each key that was renamed."""
    columns = {
        "key_id": [change.key_id for change in changes],
        "change": [f"renamed to {shown(change.after['label'])}" for change in changes],
        "before": [change.before["label"] for change in changes],
        "after": [change.after["label"] for change in changes],
    }
    return Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said)


def facts(key: DeveloperKey) -> dict[str, Any]:
    """All values of *key* that can be changed and restored."""
    return {**caps(key), "label": key.label}


def perform(
    admin: Admin, changes: Sequence[KeyChange], *, log: ChangeLog | None = None, skip: bool = False
) -> list[tuple[KeyChange, SvcError]]:
    """Send *changes* and keep them in *log*; with *skip* those that the service refuses are skipped and returned."""
    tried: list[KeyChange] = []
    refused: list[tuple[KeyChange, SvcError]] = []
    kept = log.add(changes) if log else None
    try:
        for change in changes:
            tried.append(change)
            try:
                _send(admin, change)
            except (BadRequest, NotFound) as error:
                if not skip:
                    raise
                refused.append((tried.pop(), error))
    except (SvcError, KeyboardInterrupt) as error:
        if was_refused(error):
            tried.pop()
        error.add_note(_so_far(changes, tried, error, is_logged=log is not None))
        raise
    finally:
        if log and kept:
            log.settle(kept, tried)
    return refused


def _send(admin: Admin, change: KeyChange) -> None:
    if "label" in change.after:
        admin.rename_key(change.key_id, change.after["label"])
        return
    wanted = {**change.before, **change.after}
    answer = caps(admin.set_limits(change.key_id, **change.after))
    if answer != wanted and len(change.after) < len(CAPS):  # some services clear a cap that is not sent
        answer = caps(admin.set_limits(change.key_id, **wanted))
    if answer != wanted:
        raise BadReply(f"The caps of the key {shown(change.label)} differ from what was sent")


def _so_far(changes: Sequence[KeyChange], tried: Sequence[KeyChange], error: BaseException, *, is_logged: bool) -> str:
    done = tried if was_refused(error) else tried[:-1]
    unclear = (
        ""
        if was_refused(error)
        else (f" There was no response for {shown(tried[-1].label)}, so it may or may not be done.")
    )
    if not done:
        return f"No key was changed.{unclear}"
    back = "; svc_nb.keys.undo() undoes the changes so far" if is_logged else ""
    return (
        f"{len(done)} of {plural(len(changes), 'key')} changed ({_labels(done)}).{unclear} Run it again to do the "
        f"rest{back}."
    )


# ---- caps from a table: checked against the existing keys, planned in words, then sent

MOST = 2**63 - 1


@dataclass(frozen=True)
class CapPlan:
    """The keys whose caps change, and whether labels in the table differ from the service's."""

    changes: Sequence[KeyChange]
    renamed: bool = False

    @property
    def caps(self) -> list[tuple[KeyChange, str]]:
        """Every cap that changes, with its key."""
        return [(change, cap) for change in self.changes for cap in change.after]


def set_limits(admin: Admin, table: pd.DataFrame, *, dry_run: bool = False, log: ChangeLog) -> Report:
    """Set the caps in *table* that differ from those on the service; see `svc_nb.keys.set_limits`."""
    plan = plan_limits(admin.keys(), table)
    if not dry_run and plan.changes:
        perform(admin, plan.changes, log=log)
    return report(plan.caps, told(plan, done=not dry_run), done=not dry_run)


def plan_limits(keys: Sequence[DeveloperKey], table: pd.DataFrame) -> CapPlan:
    """What *table* would change, or InvalidRows naming the invalid rows; nothing is sent."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"expected a table with key_id and caps, found {type(table).__name__}")
    named = [cap for cap in CAPS if cap in table.columns]
    if "key_id" not in table.columns or not named:
        raise ValueError(f"expected a table with the column key_id and one or both of {' and '.join(CAPS)}")
    if not table.columns.is_unique:
        raise ValueError("expected a table without duplicate columns")
    known = {key.key_id: key for key in keys}
    found = _Problems(table)
    ids = found.ids(known)
    wanted = [
        {cap: found.cap(row, cap, cell) for cap, cell in zip(named, cells, strict=True)}
        for row, cells in enumerate(zip(*(table[cap].tolist() for cap in named), strict=True))
    ]
    found.refuse()
    changes = []
    for key_id, new in zip(ids, wanted, strict=True):
        before = caps(known[key_id])
        after = {cap: limit for cap, limit in new.items() if before[cap] != limit}
        changes.append(KeyChange(key_id, known[key_id].label, before, after))
    for row, change in enumerate(changes):
        if change.after and known[change.key_id].is_deactivated:
            found.add(row, "the key is permanently deactivated, so its caps cannot be changed")
    found.refuse()
    labels = table["label"].tolist() if "label" in table.columns else [known[key_id].label for key_id in ids]
    renamed = any(  # a CSV file cannot hold an empty text
        label != known[key_id].label for key_id, label in zip(ids, labels, strict=True) if pd.notna(label)
    )
    return CapPlan([change for change in changes if change.after], renamed)


def words(cap: str, limit: int | None) -> str:
    """A cap in words.

    >>> words("characters", 500_000), words("characters", 0), words("speech_to_text_milliseconds", 5_400_000)
    ('500,000 characters a month', 'blocked', '90 minutes of speech a month')
    """
    if limit is None:
        return "no cap"
    if limit == 0:
        return "blocked"
    if cap == "characters":
        return f"{plural(limit, 'character')} a month"
    if limit % 60_000 == 0:
        return f"{plural(limit // 60_000, 'minute')} of speech a month"
    seconds, rest = divmod(limit, 1000)
    parts = f"{seconds:,}.{rest:03d}".rstrip("0").rstrip(".")
    return f"{parts} {'second' if limit == 1000 else 'seconds'} of speech a month"


def report(rows: Sequence[tuple[KeyChange, str]], said: str, *, done: bool) -> Report:
    """One row for each cap that changes: the change in words, and the old and new values."""
    columns: dict[str, Any] = {
        "key_id": text_array([change.key_id for change, _ in rows]),
        "label": text_array([change.label for change, _ in rows]),
        "limit": text_array([cap for _, cap in rows]),
        "change": text_array([words(cap, change.after[cap]) for change, cap in rows]),
        "before": pd.array([change.before[cap] for change, cap in rows], dtype="Int64"),
        "after": pd.array([change.after[cap] for change, cap in rows], dtype="Int64"),
        "done": np.full(len(rows), done),
    }
    return Report(pd.DataFrame(columns), said)


def told(plan: CapPlan, *, done: bool) -> str:
    """What was or would be done, in one line, and what to do next."""
    labels = " Labels are not changed here. Use svc_nb.keys.rename." if plan.renamed else ""
    if not plan.changes:
        return f"Nothing to do: all caps already have these values.{labels}"
    named = []
    for change, cap in plan.caps[:MOST_NAMED]:
        limit = change.after[cap]
        kind = " for speech" if cap != "characters" and not limit else ""
        named.append(f"{shown(change.label)} {words(cap, limit)}{kind}")
    rest = len(plan.caps) - len(named)
    what = "; ".join([*named, *([f"and {plural(rest, 'cap')} more"] if rest else [])])
    if not done:
        return f"Dry run, nothing was sent: {what}.{labels} Next: run the same set_limits without dry_run."
    return f"Done: {what}.{labels} Next: svc_nb.keys.undo() undoes this."


class _Problems:
    """What is wrong with the rows of a table, by position."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table
        self._found: list[tuple[int, str]] = []

    def add(self, row: int, problem: str) -> None:
        """Note what is wrong with *row*."""
        self._found.append((row, problem))

    def ids(self, known: Mapping[str, DeveloperKey]) -> list[str]:
        """The key_id of each row; unknown and duplicate ones are noted."""
        cells = self._table["key_id"].tolist()
        counts = Counter(cell for cell in cells if isinstance(cell, str))
        for row, cell in enumerate(cells):
            if not isinstance(cell, str) or cell not in known:
                self.add(row, "there is no key with this key_id" if isinstance(cell, str) else "the key_id is missing")
            elif counts[cell] > 1:
                self.add(row, f"the key_id appears {counts[cell]} times")
        return cells

    def cap(self, row: int, name: str, cell: Any) -> int | None:
        """The cap in a cell; an invalid one is noted."""
        if cell is None or (pd.api.types.is_scalar(cell) and pd.isna(cell)):
            return None
        is_number = isinstance(cell, Real) and not isinstance(cell, bool | np.bool_)
        if not is_number or (not isinstance(cell, Integral) and not float(cell).is_integer()):
            what = "text, not a number" if isinstance(cell, str) else "not a whole number"
            self.add(row, f"{name} is {what} ({str(cell)[:40]!r})")
        elif not 0 <= int(cell) <= MOST:
            self.add(row, f"{name} is {'negative' if cell < 0 else 'too large'} ({str(cell)[:40]})")
        else:
            return int(cell)
        return None

    def refuse(self) -> None:
        """Raise InvalidRows if anything was noted."""
        if not self._found:
            return
        labels = [self._table.index[row] for row, _ in self._found]
        named = "; ".join(
            f"row {label}: {problem}" for label, (_, problem) in zip(labels[:MOST_NAMED], self._found, strict=False)
        )
        more = f"; and {len(labels) - MOST_NAMED:,} more" if len(labels) > MOST_NAMED else ""
        findings = pd.DataFrame(
            {
                "row": labels,
                "key_id": [str(self._table["key_id"].iloc[row]) for row, _ in self._found],
                "problem": text_array([problem for _, problem in self._found]),
            }
        )
        said = "Next: fix these rows; svc_nb.keys.list() lists all keys and their caps."
        raise InvalidRows(
            f"{plural(len({row for row, _ in self._found}), 'row')} cannot be set: {named}{more}. Nothing was sent. "
            "See .findings of this error",
            rows=labels,
            findings=Report(findings, said),
        )


# ---- undoing the last change, if no one has changed the same since

SKIP = "svc_nb.keys.undo(skip=True)"


def undo(admin: Admin, *, log: ChangeLog, backup: str | None = None, skip: bool = False) -> Report:
    """Undo the last change in *log*, or *backup*; changes that cannot be undone are refused, or skipped with *skip*."""
    kept = log.last(backup)
    last = [KeyChange(**each) for each in kept.state]
    listed = admin.keys()
    known = {key.key_id: key for key in listed}
    problems = [(change, _problem(change, known)) for change in last]
    stuck = [(change, problem) for change, problem in problems if problem]
    if stuck and not skip:
        _refuse(stuck)
    keys = [(change, known[change.key_id]) for change, problem in problems if not problem]
    wanted = [change.back(key) for change, key in keys if change.state(key) == change.after]
    try:
        refused = perform(admin, wanted, skip=skip)
    except (BadRequest, NotFound) as error:
        error.add_note(f"{SKIP} leaves the keys that the service refuses to change as they are, and undoes the rest.")
        raise
    log.backups.drop(kept)
    stuck += [(change, f"the service refuses it ({one_line(str(error))})") for change, error in refused]
    done = [change for change in wanted if not any(change is each for each, _ in refused)]
    said = _told(done, stuck)
    if any("label" in change.after for change in last):
        return renamed(done, said)
    return report([(change, cap) for change in done for cap in change.after], said, done=True)


def _problem(change: KeyChange, known: Mapping[str, DeveloperKey]) -> str:
    """Why *change* cannot be undone; empty if it can."""
    key = known.get(change.key_id)
    if key is None:
        return "the key no longer exists"
    now = change.state(key)
    if now == {name: change.before[name] for name in change.after}:
        return ""
    if "label" in change.after and not change.before["label"]:
        return "it had no label before, and a label cannot be removed"
    if key.is_deactivated and "label" not in change.after:
        return "the key has since been deactivated"
    return "" if now == change.after else f"someone has changed it since: {_said(now)}"


def _refuse(found: Sequence[tuple[KeyChange, str]]) -> None:
    columns = {
        "key_id": [change.key_id for change, _ in found],
        "label": [change.label for change, _ in found],
        "problem": [problem for _, problem in found],
    }
    said = (
        f"Next: svc_nb.keys.list() shows the current keys; {SKIP} leaves these keys as they are and undoes the rest, "
        "then older changes."
    )
    raise InvalidRows(
        f"The last change cannot be undone: {_named(found)}. Nothing was changed. {SKIP} leaves these keys as they "
        "are; undo() then continues with the change before. See .findings of this error",
        rows=[change.key_id for change, _ in found],
        findings=Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said),
    )


def _told(done: Sequence[KeyChange], stuck: Sequence[tuple[KeyChange, str]]) -> str:
    """What was restored, and what was left as it is."""
    named = "; ".join(f"{shown(change.label)} {_said(change.after)}" for change in done[:MOST_NAMED])
    more = "; …" if len(done) > MOST_NAMED else ""
    if done:
        said = f"Undone. {plural(len(done), 'key')} as before: {named}{more}."
    else:
        said = "Nothing was undone." if stuck else "Undone. There was nothing to do: everything is already as before."
    if not stuck:
        return said
    return f"{said} Left as it is: {_named(stuck)}. Next: svc_nb.keys.undo() undoes the change before this one."


def _named(stuck: Sequence[tuple[KeyChange, str]]) -> str:
    """The first of the keys whose change cannot be undone, each with its reason."""
    named = [f"{shown(change.label)} ({change.key_id}): {problem}" for change, problem in stuck[:MOST_NAMED]]
    rest = len(stuck) - len(named)
    return "; ".join([*named, *([f"and {rest:,} more"] if rest else [])])


def _said(state: Mapping[str, Any]) -> str:
    return ", ".join(
        f"called {shown(value)}" if name == "label" else words(name, value) for name, value in state.items()
    )
