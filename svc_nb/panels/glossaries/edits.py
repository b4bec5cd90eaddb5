"""What makes one table of terms another, as steps of a book: terms are matched by language pair and source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from svc_nb.glossaries.state import meant
from svc_nb.glossaries.table import COLUMNS
from svc_nb.panels.book import Book

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

    def apply(self, book: Book, step: str) -> None:
        """Do all of it, as one step that can be undone; rows that are gone meanwhile are left."""
        with book.step(step):
            writes = {(row, column): text for (row, column), text in self.writes.items() if row in book}
            if writes:
                book.write(writes)
            if dropped := [row for row in self.dropped if row in book]:
                book.drop(dropped)
            if self.added:
                book.add(self.added)


def cells_of(table: pd.DataFrame) -> list[Cells]:
    """The rows of a table of terms as texts, in the order of `COLUMNS`; a gap is empty."""
    columns = [["" if gap else str(cell) for cell, gap in _gaps(table[name])] for name in COLUMNS]
    return list(zip(*columns, strict=True))


def _gaps(column: pd.Series[str]) -> Iterable[tuple[str, bool]]:
    return zip(column.tolist(), column.isna().tolist(), strict=True)


def key_of(cells: Cells) -> Key:
    """What a term is known by: its pair, as it is meant, and its source."""
    return (*meant(cells[0], cells[1]), cells[2])


def toward(mine: pd.DataFrame, wanted: pd.DataFrame) -> Edits:
    """What makes *mine*, whose index has the numbers of its rows, have exactly the terms of *wanted*."""
    rows = list(zip(mine.index.tolist(), cells_of(mine), strict=True))
    exact, by_key = _Rows(), _Rows()
    for row, cells in rows:
        exact.put((key_of(cells), cells[3]), row)
        by_key.put(key_of(cells), row)
    left: list[Cells] = []
    taken: set[int] = set()
    for cells in cells_of(wanted):
        row = exact.take((key_of(cells), cells[3]), taken)
        if row is None:
            left.append(cells)
    writes: dict[tuple[int, str], str] = {}
    added: list[Cells] = []
    for cells in left:
        row = by_key.take(key_of(cells), taken)
        if row is None:
            added.append(cells)
        else:
            writes[row, "target"] = cells[3]
    return Edits(writes, added, [row for row, _ in rows if row not in taken])


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


class _Rows:
    """The numbers of the rows that share something, each to be taken once."""

    def __init__(self) -> None:
        self._rows: dict[object, list[int]] = {}

    def put(self, key: object, row: int) -> None:
        self._rows.setdefault(key, []).append(row)

    def take(self, key: object, taken: set[int]) -> int | None:
        """The first row of *key* that nobody took; it is among *taken* from now on."""
        row = next((row for row in self._rows.get(key, ()) if row not in taken), None)
        if row is not None:
            taken.add(row)
        return row
