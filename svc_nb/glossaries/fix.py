"""Mend what is safe to mend in a table of terms, and say what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.arrow_text import replaced
from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.cleaning import cleaned, evened, suspects
from svc_nb.glossaries.lint import findings
from svc_nb.glossaries.rules import repeated
from svc_nb.glossaries.sides import Sides
from svc_nb.glossaries.table import LANGUAGE_COLUMNS, TERM_COLUMNS, checked, in_tables
from svc_nb.tabular.column import text_array
from svc_nb.tabular.findings import ERROR, Rows, tally
from svc_nb.tabular.report import Report, plural

CHANGES = ("row", "column", "before", "after")


def fix(table: pd.DataFrame, *, keep: str | None = None) -> Report:
    """A table of terms with the safe suggestions of `lint` applied; its last line says what was done.

    *keep* says which of several targets of one term stays: "first" or "last"; None leaves them for you to decide.
    """
    mended, changes, dropped = _mended(table, keep)
    left = findings(Sides(mended)).counts()
    return Report(mended, _said(changes, dropped, left, len(mended)))


def fixes(table: pd.DataFrame, *, keep: str | None = None) -> Report:
    """What `fix` would change in a table of terms, a row for each: row, column, before and after.

    A row that it would drop has no column and no after. *keep* is as for `fix`.
    """
    _, changes, dropped = _mended(table, keep)
    lost = [(label, "", text, None) for label, text, _ in dropped]
    rows = [*changes, *lost]
    frame = pd.DataFrame({"row": [row[0] for row in rows]})
    for place, name in enumerate(CHANGES[1:], 1):
        frame[name] = text_array([row[place] for row in rows])
    said = "Nothing to mend." if frame.empty else f"{_told(changes, dropped)} Next: .svc.fix() does it."
    return Report(frame, said)


Change = tuple[Any, str, str | None, str | None]
Dropped = list[tuple[Any, str, str]]


def _mended(table: pd.DataFrame, keep: str | None) -> tuple[pd.DataFrame, list[Change], Dropped]:
    if keep not in (None, "first", "last"):
        raise ValueError(f'keep: expected "first" or "last", found {keep!r}')
    mended = in_tables(pd.DataFrame(checked(table)))
    sides = Sides(mended)
    changes = _coded(mended, sides)
    for name, tape in zip(TERM_COLUMNS, (sides.source, sides.target), strict=True):
        mend = cleaned if name == "target" else _plain
        _clean(mended, name, np.flatnonzero(suspects(tape)), mend, tape, changes)
    dropped = _drop(mended, keep)
    gone = np.array(sorted(dropped), dtype=np.int64)
    told = [(mended.index[row], *dropped[row]) for row in gone.tolist()]
    kept = np.delete(np.arange(len(mended)), gone)
    return mended.iloc[kept], changes, told


def _coded(mended: pd.DataFrame, sides: Sides) -> list[Change]:
    """Write the languages as the service has them."""
    changes: list[Change] = []
    for side, name in enumerate(LANGUAGE_COLUMNS):
        written = [pair[side] for pair in sides.written.written]
        codes = [meant[side] or said for meant, said in zip(sides.written.meant, written, strict=True)]
        differs = np.array([code != said for code, said in zip(codes, written, strict=True)], dtype=np.bool_)
        rows = np.flatnonzero(differs[sides.written.codes]) if len(differs) else np.zeros(0, dtype=np.int64)
        numbers = sides.written.codes[rows].tolist()
        changes += [
            (mended.index[row], name, written[number], codes[number])
            for row, number in zip(rows.tolist(), numbers, strict=True)
        ]
        if len(rows):
            better = [codes[number] for number in numbers]
            mended.isetitem(_place(mended, name), _with(mended[name], rows, better))
    return changes


def _plain(source: str) -> str:
    """A source as texts have it: also with plain spaces."""
    return evened(cleaned(source))


def _clean(
    mended: pd.DataFrame,
    name: str,
    rows: Rows,
    mend: Callable[[str], str],
    tape: TextArray,
    changes: list[Change],
) -> None:
    better = {row: clean for row in rows.tolist() if (clean := mend(text := tape[row])) != text}
    changes += [(mended.index[row], name, tape[row], clean) for row, clean in better.items()]
    if better:
        mended.isetitem(_place(mended, name), _with(mended[name], list(better), list(better.values())))


def _place(mended: pd.DataFrame, name: str) -> int:
    return list(mended.columns).index(name)


def _with(column: pd.Series[Any], rows: Any, values: list[str]) -> Any:
    """The cells of *column* with others in *rows*, by position; a column of categories becomes one of texts."""
    where = np.zeros(len(column), dtype=np.bool_)
    where[rows] = True
    return replaced(column, where, values)


def _drop(mended: pd.DataFrame, keep: str | None) -> dict[int, tuple[str, str]]:
    """The rows to drop by position, with their source and why."""
    sides = Sides(mended)
    nothing = np.flatnonzero((sides.source.lengths == 0) & (sides.target.lengths == 0)).tolist()
    dropped = dict.fromkeys(nothing, ("", "empty"))
    held: dict[int, int] = {}
    again, firsts = repeated(sides)
    for row, first in zip(again.tolist(), firsts.tolist(), strict=True):
        source, holder = sides.source[row], held.get(first, first)
        if sides.target[row] == sides.target[holder]:
            dropped[row] = (source, "duplicate")
        elif keep == "first":
            dropped[row] = (source, "conflict")
        elif keep == "last":
            dropped[holder] = (source, "conflict")
            held[first] = row
    return dropped


def _said(changes: list[Change], dropped: Dropped, left: Counter[str], rows: int) -> str:
    if not rows:
        return "No terms. Next: svc_nb.glossaries.read(path)."
    told = _told(changes, dropped)
    if left[ERROR]:
        return f"{told} {plural(left[ERROR], 'error')} left to you. Next: .svc.lint() lists what is left."
    rest = f" ({tally(left)} left: .svc.lint())" if left.total() else ""
    return (
        f"{told} Nothing is left that the service refuses{rest}. Next: svc_nb.glossaries.push(table, name)."
    )


def _told(changes: list[Change], dropped: Dropped) -> str:
    done = []
    if changes:
        columns = Counter(column for _, column, _, _ in changes)
        done.append("mended " + ", ".join(plural(count, name) for name, count in columns.items()))
    if dropped:
        reasons = Counter(why for _, _, why in dropped)
        words = {"empty": ("empty row",), "duplicate": ("duplicate",), "conflict": ("conflicting target",)}
        done.append("dropped " + ", ".join(plural(count, *words[why]) for why, count in reasons.items()))
    told = "; ".join(done) or "nothing to mend"
    return f"{told[0].upper()}{told[1:]}."
