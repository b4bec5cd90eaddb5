"""What makes one table of terms another, as steps of a book: terms are matched by language pair and source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from svc_nb.glossaries.fix import fixes
from svc_nb.glossaries.sync import meant
from svc_nb.glossaries.table import COLUMNS
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.tabular.report import plural

Cells = tuple[str, ...]
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Edits:
    """Cells to write, by row and column, rows to add at the end, and rows to drop."""

    writes: dict[tuple[int, str], str]
    added: list[Cells]
    dropped: list[int]

    def __bool__(self) -> bool:
        return bool(self.writes or self.added or self.dropped)

    def apply(self, book: EditTable, step: str) -> None:
        """Do all of it, as one step that can be undone; rows that are gone meanwhile are left."""
        with book.step(step):
            writes = {(row, column): text for (row, column), text in self.writes.items() if row in book}
            if writes:
                book.write(writes)
            if dropped := [row for row in self.dropped if row in book]:
                book.drop(dropped)
            if self.added:
                book.add(self.added)


def filled(table: pd.DataFrame) -> pd.DataFrame:
    """*table* without the rows that have neither source nor target."""
    blank = (table["source"].str.strip() == "") & (table["target"].str.strip() == "")
    return table.loc[~blank.to_numpy(dtype=np.bool_, na_value=False)]


def cells_of(table: pd.DataFrame) -> list[Cells]:
    """The rows of a table of terms as texts, in the order of `COLUMNS`; a gap is empty."""
    columns = []
    for name in COLUMNS:
        gaps = zip(table[name].tolist(), table[name].isna().tolist(), strict=True)
        columns.append(["" if gap else str(cell) for cell, gap in gaps])
    return list(zip(*columns, strict=True))


def key_of(cells: Cells) -> Key:
    """What a term is known by: its pair, as it is meant, and its source."""
    return (*meant(cells[0], cells[1]), cells[2])


def toward(mine: pd.DataFrame, wanted: pd.DataFrame) -> Edits:
    """What makes *mine*, whose index has the numbers of its rows, have exactly the terms of *wanted*."""
    exact: dict[object, list[int]] = defaultdict(list)
    by_key: dict[object, list[int]] = defaultdict(list)
    for row, cells in zip(reversed(mine.index.tolist()), reversed(cells_of(mine)), strict=True):
        exact[key_of(cells), cells[3]].append(row)  # the first of a term is taken first
        by_key[key_of(cells)].append(row)
    left = dict.fromkeys(mine.index.tolist())
    others: list[Cells] = []
    for cells in cells_of(wanted):
        same = exact[key_of(cells), cells[3]]
        if same:
            del left[same.pop()]
        else:
            others.append(cells)
    writes: dict[tuple[int, str], str] = {}
    added: list[Cells] = []
    for cells in others:
        rows = by_key[key_of(cells)]
        while rows and rows[-1] not in left:
            rows.pop()
        if rows:
            del left[rows[-1]]
            writes[rows.pop(), "target"] = cells[3]
        else:
            added.append(cells)
    return Edits(writes, added, list(left))


def adding(mine: pd.DataFrame, more: pd.DataFrame) -> Edits:
    """What brings the terms of *more* into *mine*: a term that is there gets the target of *more*; none is dropped.

    A term that *more* has twice, with two targets, is two rows, for a person to choose, also where one is here already.
    """
    here = list(zip(mine.index.tolist(), cells_of(mine), strict=True))
    rows = {key_of(cells): row for row, cells in reversed(here)}  # the first of a term counts
    known = {(key_of(cells), cells[3]) for _, cells in here}
    wanted = {(key_of(cells), cells[3]): cells for cells in cells_of(more)}
    for key, _ in wanted.keys() & known:  # its target is wanted, too
        rows.pop(key, None)
    writes: dict[tuple[int, str], str] = {}
    added: list[Cells] = []
    for (key, target), cells in wanted.items():
        if (key, target) in known:
            continue
        if row := rows.pop(key, None):
            writes[row, "target"] = target
        else:
            added.append(cells)
    return Edits(writes, added, [])


# ---- fixes


def fixing(table: pd.DataFrame, rows: Collection[int] | None = None) -> Edits:
    """What fixes all that is safe to fix in *table*, or only in these *rows* of it."""
    found = fixes(table)
    writes: dict[tuple[int, str], str] = {}
    dropped: list[int] = []
    columns = (found[name].tolist() for name in ("row", "column", "after"))
    for row, column, after in zip(*columns, strict=True):
        if rows is None or row in rows:
            if column:
                writes[int(row), column] = after
            else:
                dropped.append(int(row))
    return Edits(writes, [], dropped)


def still_right(edits: Edits, before: pd.DataFrame, book: EditTable) -> Edits:
    """*edits* without the rows that were edited since the table *before* was taken from the book."""
    was = dict(zip(before.index.tolist(), before.itertuples(index=False, name=None), strict=True))
    same = {row for row in {*edits.dropped, *(row for row, _ in edits.writes)} if row in book}
    same = {row for row in same if was[row] == tuple(book[row])}
    writes = {cell: text for cell, text in edits.writes.items() if cell[0] in same}
    return Edits(writes, [], [row for row in edits.dropped if row in same])


def told_fixes(edits: Edits) -> str:
    """What was fixed, in words."""
    done = []
    if edits.writes:
        done.append(f"mended {plural(len(edits.writes), 'cell')}")
    if edits.dropped:
        done.append(f"dropped {plural(len(edits.dropped), 'row')} that said nothing new")
    if not done:
        return "Nothing is safe to mend by itself: the suggestions say what to do."
    said = " and ".join(done)
    return f"{said[0].upper()}{said[1:]}, in one step."
