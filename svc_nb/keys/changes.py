"""Changes to keys: what was and what shall be, sent one after another, and kept so that the last can be taken back."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.errors import BadReply, BadRequest, NotFound, SvcError
from svc_nb.keys.table import CAPS, MOST_NAMED, caps, shown
from svc_nb.sync.changes import was_refused
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import DeveloperKey


@dataclass(frozen=True)
class Change:
    """What changes about one key, called *label*: *before* has all its caps, or its label, *after* only what is new."""

    key_id: str
    label: str | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    def back(self, key: DeveloperKey) -> Change:
        """The way back for *key* as it is now; what did not change here is left as others have set it."""
        before = {name: facts(key)[name] for name in self.before}
        return Change(self.key_id, self.label, before, {name: self.before[name] for name in self.after})

    def state(self, key: DeveloperKey) -> dict[str, Any]:
        """What *key* has now of what changes here."""
        return {name: facts(key)[name] for name in self.after}


class ChangeLog:
    """The changes that were made from here, the last on top; many threads may use it at once."""

    def __init__(self) -> None:
        self._made: list[Sequence[Change]] = []
        self._lock = threading.Lock()

    def add(self, changes: Sequence[Change]) -> None:
        """Keep *changes*, which were made together."""
        with self._lock:
            self._made.append(tuple(changes))

    def last(self) -> Sequence[Change]:
        """The changes that were made last; a ValueError where there are none."""
        with self._lock:
            if self._made:
                return self._made[-1]
        raise ValueError(
            "there is nothing to undo: neither caps nor labels were changed from this kernel, or all is taken back"
        )

    def drop(self, changes: Sequence[Change]) -> None:
        """Forget *changes*, which were taken back or are to stay."""
        with self._lock:
            self._made = [each for each in self._made if each is not changes]

    def has(self, changes: Sequence[Change]) -> bool:
        """Whether *changes* were made and not taken back."""
        with self._lock:
            return any(each is changes for each in self._made)


class OwnChanges:
    """What one place, such as a panel, has made of the changes in logs: it takes back only its own."""

    def __init__(self) -> None:
        self._own: list[tuple[ChangeLog, Sequence[Change]]] = []

    def of(self, log: ChangeLog) -> ChangeLog:
        """*log*, with what is added to it noted as made here; its `last` is a ValueError if made elsewhere."""
        return _OwnLog(log, self._own)

    def any_left(self) -> bool:
        """Whether a change made here was not taken back yet, neither here nor elsewhere."""
        return any(log.has(changes) for log, changes in tuple(self._own))


class _OwnLog(ChangeLog):
    """A log as one place sees it."""

    def __init__(self, log: ChangeLog, own: list[tuple[ChangeLog, Sequence[Change]]]) -> None:
        super().__init__()
        self._log = log
        self._own = own

    def add(self, changes: Sequence[Change]) -> None:
        made = tuple(changes)
        self._own.append((self._log, made))
        self._log.add(made)

    def last(self) -> Sequence[Change]:
        last = self._log.last()
        if any(each is last for _, each in self._own):
            return last
        named = ", ".join(shown(change.label) for change in last[:MOST_NAMED])
        more = ", …" if len(last) > MOST_NAMED else ""
        raise ValueError(
            f"the last change ({named}{more}) was made elsewhere in this kernel, not here: nothing was taken back. "
            "svc_nb.keys.undo() takes it back"
        )

    def drop(self, changes: Sequence[Change]) -> None:
        self._log.drop(changes)

    def has(self, changes: Sequence[Change]) -> bool:
        return self._log.has(changes)


def renamed(changes: Sequence[Change], said: str) -> Report:
    """One row for each key that was renamed."""
    columns = {
        "key_id": [change.key_id for change in changes],
        "change": [f"renamed to {shown(change.after['label'])}" for change in changes],
        "before": [change.before["label"] for change in changes],
        "after": [change.after["label"] for change in changes],
    }
    return Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said)


def facts(key: DeveloperKey) -> dict[str, Any]:
    """All about *key* that can be changed and changed back."""
    return {**caps(key), "label": key.label}


def perform(
    admin: Admin, changes: Sequence[Change], *, log: ChangeLog | None = None, skip: bool = False
) -> list[tuple[Change, SvcError]]:
    """Send *changes*, one key after the other, and keep them in *log*, those too of which no answer came.

    An error or interruption that comes in the middle says what was done. With *skip* those that the service refuses
    for their own sake do not stop the others; they are returned, each with its error.
    """
    tried: list[Change] = []
    refused: list[tuple[Change, SvcError]] = []
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
        if log and tried:
            log.add(tried)
    return refused


def _send(admin: Admin, change: Change) -> None:
    if "label" in change.after:
        admin.rename_key(change.key_id, change.after["label"])
        return
    wanted = {**change.before, **change.after}
    answer = caps(admin.set_limits(change.key_id, **change.after))
    if answer != wanted and len(change.after) < len(CAPS):  # a service that clears a cap that is not sent
        answer = caps(admin.set_limits(change.key_id, **wanted))
    if answer != wanted:
        raise BadReply(f"The caps of the key {shown(change.label)} are not as they were sent")


def _so_far(
    changes: Sequence[Change], tried: Sequence[Change], error: BaseException, *, is_logged: bool
) -> str:
    done = tried if was_refused(error) else tried[:-1]
    named = ", ".join(shown(change.label) for change in done[:MOST_NAMED])
    more = ", …" if len(done) > MOST_NAMED else ""
    unclear = (
        "" if was_refused(error) else f" Of {shown(tried[-1].label)} no answer came: it may be done or not."
    )
    if not done:
        return f"No key was changed.{unclear}"
    back = "; svc_nb.keys.undo() takes back what was done" if is_logged else ""
    return (
        f"{len(done)} of {plural(len(changes), 'key')} were changed ({named}{more}).{unclear} Run the same again, and "
        f"only the rest is done{back}."
    )
