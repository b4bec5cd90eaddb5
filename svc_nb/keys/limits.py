"""Caps from a table: checked against the keys that are there, planned in words, then sent, one key after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.keys.changes import Change, ChangeLog, perform
from svc_nb.keys.table import CAPS, MOST_NAMED, caps, shown
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import DeveloperKey

MOST = 2**63 - 1


@dataclass(frozen=True)
class Plan:
    """The keys whose caps change, and whether labels in the table differ from the service's."""

    changes: Sequence[Change]
    renamed: bool = False

    @property
    def caps(self) -> list[tuple[Change, str]]:
        """Every cap that changes, with its key."""
        return [(change, cap) for change in self.changes for cap in change.after]


def set_limits(admin: Admin, table: pd.DataFrame, *, dry_run: bool = False, log: ChangeLog) -> Report:
    """Set the caps in *table*, as far as they differ from those on the service; see `svc_nb.keys.set_limits`."""
    plan = plan_limits(admin.keys(), table)
    if not dry_run and plan.changes:
        perform(admin, plan.changes, log=log)
    return report(plan.caps, told(plan, done=not dry_run), done=not dry_run)


def plan_limits(keys: Sequence[DeveloperKey], table: pd.DataFrame) -> Plan:
    """What *table* would change, or InvalidRows naming the rows that make no sense; nothing is sent."""
    named = _columns(table)
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
        changes.append(Change(key_id, known[key_id].label, before, after))
    for row, change in enumerate(changes):
        if change.after and known[change.key_id].is_deactivated:
            found.add(row, "the key is deactivated for good, and its caps cannot be changed")
    found.refuse()
    labels = table["label"].tolist() if "label" in table.columns else [known[key_id].label for key_id in ids]
    renamed = any(  # a CSV file has no empty text
        label != known[key_id].label for key_id, label in zip(ids, labels, strict=True) if pd.notna(label)
    )
    return Plan([change for change in changes if change.after], renamed)


def words(cap: str, limit: int | None) -> str:
    """What a cap means.

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
    return f"{parts} seconds of speech a month"


def report(rows: Sequence[tuple[Change, str]], said: str, *, done: bool) -> Report:
    """One row for each cap that changes: what it will mean, and what it was and is."""
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


def told(plan: Plan, *, done: bool) -> str:
    """What was or would be done in a line, and what to do next."""
    labels = " Labels are not changed here: svc_nb.keys.rename does that." if plan.renamed else ""
    if not plan.changes:
        return f"Nothing to do: all caps are as wanted already.{labels}"
    named = []
    for change, cap in plan.caps[:MOST_NAMED]:
        limit = change.after[cap]
        kind = " for speech" if cap != "characters" and not limit else ""
        named.append(f"{shown(change.label)} {words(cap, limit)}{kind}")
    rest = len(plan.caps) - len(named)
    what = "; ".join([*named, *([f"and {plural(rest, 'cap')} more"] if rest else [])])
    if not done:
        return f"Dry run, nothing was sent: {what}.{labels} Next: the same set_limits without dry_run."
    return f"Done: {what}.{labels} Next: svc_nb.keys.undo() takes this back."


# ---- what the table says


def _columns(table: pd.DataFrame) -> list[str]:
    """The caps that *table* has."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"expected a table with key_id and caps, found {type(table).__name__}")
    named = [cap for cap in CAPS if cap in table.columns]
    if "key_id" not in table.columns or not named:
        raise ValueError(f"expected a table with the column key_id and one or both of {' and '.join(CAPS)}")
    if not table.columns.is_unique:
        raise ValueError("expected a table in which every column is there once")
    return named


class _Problems:
    """What is wrong with the rows of a table, by position."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table
        self._found: list[tuple[int, str]] = []

    def add(self, row: int, problem: str) -> None:
        """Note what is wrong with *row*."""
        self._found.append((row, problem))

    def ids(self, known: Mapping[str, DeveloperKey]) -> list[str]:
        """The key_id of each row; those that name no key, or one twice, are noted."""
        cells = self._table["key_id"].tolist()
        counts = Counter(cell for cell in cells if isinstance(cell, str))
        for row, cell in enumerate(cells):
            if not isinstance(cell, str) or cell not in known:
                self.add(
                    row, "there is no key with this key_id" if isinstance(cell, str) else "there is no key_id"
                )
            elif counts[cell] > 1:
                self.add(row, f"the key_id is there {counts[cell]} times")
        return cells

    def cap(self, row: int, name: str, cell: Any) -> int | None:
        """The cap in a cell; what is none is noted."""
        if cell is None or (pd.api.types.is_scalar(cell) and pd.isna(cell)):
            return None
        is_number = isinstance(cell, Real) and not isinstance(cell, bool | np.bool_)
        if not is_number or (not isinstance(cell, Integral) and not float(cell).is_integer()):
            self.add(row, f"{name} is no whole number ({str(cell)[:40]!r})")
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
            f"row {label}: {problem}"
            for label, (_, problem) in zip(labels[:MOST_NAMED], self._found, strict=False)
        )
        more = f"; and {len(labels) - MOST_NAMED:,} more" if len(labels) > MOST_NAMED else ""
        findings = pd.DataFrame(
            {
                "row": labels,
                "key_id": [str(self._table["key_id"].iloc[row]) for row, _ in self._found],
                "problem": text_array([problem for _, problem in self._found]),
            }
        )
        said = "Next: correct these rows; svc_nb.keys.list() shows all keys and their caps."
        raise InvalidRows(
            f"{plural(len({row for row, _ in self._found}), 'row')} cannot be set: {named}{more}. Nothing was sent. "
            "See .findings of this error",
            rows=labels,
            findings=Report(findings, said),
        )
