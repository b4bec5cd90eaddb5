"""Apply the safe fixes to a table of terms, and report them."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call
from svc_nb.checks import codepoints
from svc_nb.checks.service_terms import repeated
from svc_nb.checks.term_arrays import TermArrays
from svc_nb.checks.text_array import Bools, TextArray, replaced
from svc_nb.glossaries.lint import edge_joiners, findings, odd_spaces
from svc_nb.tabular.cells import cleaned, evened
from svc_nb.tabular.findings import ERROR, tally
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import LANGUAGE_COLUMNS, TERM_COLUMNS, checked, in_tables, language_of
from svc_nb.tabular.text_column import text_array

CHANGES = ("row", "column", "before", "after")


def fix(table: pd.DataFrame, *, keep: str | None = None) -> Report:
    """A table of terms with the safe suggestions of `lint` applied; its last line says what was done.

    *keep* says which of several targets of one term to keep: "first" or "last"; None leaves the decision to you.
    """
    fixed, changes, dropped = _fixed(table, keep)
    told, left = _told(changes, dropped), findings(TermArrays(fixed)).counts()
    rest = f" ({tally(left)} left: {Call('.svc.lint')})" if left.total() else ""
    said = f"{told} The service will accept the table{rest}. Next: svc_nb.glossaries.push(table, name)."
    if left[ERROR]:
        said = (
            f"{told} {plural(left[ERROR], 'error')} left for you to fix. Next: {Call('.svc.lint')} lists what is left."
        )
    return Report(fixed, said if len(fixed) else "No terms. Next: svc_nb.glossaries.read(path).")


def fixes(table: pd.DataFrame, *, keep: str | None = None) -> Report:
    """What `fix` would change in a table of terms, one row for each change: row, column, before and after.

    A row that would be dropped has no column and no after. *keep* is as for `fix`.
    """
    _, changes, dropped = _fixed(table, keep)
    lost = [(label, "", text, None) for label, text, _ in dropped]
    rows = [*changes, *lost]
    frame = pd.DataFrame({"row": [row[0] for row in rows]})
    for place, name in enumerate(CHANGES[1:], 1):
        frame[name] = text_array([row[place] for row in rows])
    said = "Nothing to fix." if frame.empty else f"{_told(changes, dropped)} Next: {Call('.svc.fix')} applies this."
    return Report(frame, said)


Change = tuple[Any, str, str | None, str | None]
Dropped = list[tuple[Any, str, str]]


def _fixed(table: pd.DataFrame, keep: str | None) -> tuple[pd.DataFrame, list[Change], Dropped]:
    if keep not in (None, "first", "last"):
        raise ValueError(f'keep: expected "first" or "last", found {keep!r}')
    fixed = in_tables(pd.DataFrame(checked(table)))
    fixed.attrs.update(table.attrs)
    sides = TermArrays(fixed)
    changes = _coded(fixed, sides)
    for name, tape in zip(TERM_COLUMNS, (sides.source, sides.target), strict=True):
        # A source also gets plain spaces, because texts have plain spaces.
        texts = {row: tape[row] for row in np.flatnonzero(suspects(tape)).tolist()}
        better = {
            row: clean
            for row, text in texts.items()
            if (clean := cleaned(text) if name == "target" else evened(cleaned(text))) != text
        }
        changes += [(fixed.index[row], name, texts[row], clean) for row, clean in better.items()]
        _put(fixed, name, list(better), list(better.values()))
    dropped = _drop(fixed, keep)
    gone = np.array(sorted(dropped), dtype=np.int64)
    told = [(fixed.index[row], *dropped[row]) for row in gone.tolist()]
    kept = np.delete(np.arange(len(fixed)), gone)
    return fixed.iloc[kept], changes, told


def _coded(fixed: pd.DataFrame, sides: TermArrays) -> list[Change]:
    """Write the languages as the service does."""
    changes: list[Change] = []
    for side, name in enumerate(LANGUAGE_COLUMNS):
        written = [pair[side] for pair in sides.written.written]
        codes = [language_of(said) or said for said in written]
        differs = np.array([code != said for code, said in zip(codes, written, strict=True)], dtype=np.bool_)
        rows = np.flatnonzero(differs[sides.written.codes]) if len(differs) else np.zeros(0, dtype=np.int64)
        numbers = sides.written.codes[rows].tolist()
        changes += [
            (fixed.index[row], name, written[number], codes[number])
            for row, number in zip(rows.tolist(), numbers, strict=True)
        ]
        _put(fixed, name, rows, [codes[number] for number in numbers])
    return changes


def _put(fixed: pd.DataFrame, name: str, rows: Any, values: list[str]) -> None:
    """Put *values* into *rows* of a column, by position; a column of categories becomes one of texts."""
    if len(rows):
        where = np.zeros(len(fixed), dtype=np.bool_)
        where[rows] = True
        column: Any = replaced(fixed[name], where, values)
        fixed.isetitem(list(fixed.columns).index(name), column)


def suspects(tape: TextArray) -> Bools:
    """Which texts `cleaned` or `evened` may change: a fast check that never misses one."""
    space = (tape.kinds & codepoints.SPACE) != 0
    wrong = (tape.kinds & (codepoints.CONTROL | codepoints.INVISIBLE)) != 0
    wrong |= odd_spaces(tape)
    wrong[1:] |= space[1:] & space[:-1]
    wrong[tape.ends] = False
    filled = tape.lengths > 0
    for edge in (tape.starts[filled], tape.ends[filled] - 1):
        wrong[edge] |= space[edge]
    found = tape.holding(wrong)
    found[tape.decomposed()] = True
    return found | edge_joiners(tape)


def _drop(fixed: pd.DataFrame, keep: str | None) -> dict[int, tuple[str, str]]:
    """The rows to drop by position, with their source and why."""
    sides = TermArrays(fixed)
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


def _told(changes: list[Change], dropped: Dropped) -> str:
    done = []
    if changes:
        columns = Counter(column for _, column, _, _ in changes)
        done.append("fixed " + ", ".join(plural(count, name) for name, count in columns.items()))
    if dropped:
        reasons = Counter(why for _, _, why in dropped)
        words = {"empty": ("empty row",), "duplicate": ("duplicate",), "conflict": ("conflicting target",)}
        done.append("dropped " + ", ".join(plural(count, *words[why]) for why, count in reasons.items()))
    told = "; ".join(done) or "nothing to fix"
    return f"{told[0].upper()}{told[1:]}."
