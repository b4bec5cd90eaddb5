"""What is safe to mend in a book, worked out from a table of it, and done as one step."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from svc_nb.glossaries.fix import fixes
from svc_nb.panels.book import Book
from svc_nb.panels.glossaries.edits import Edits
from svc_nb.tabular.report import plural


def mends(table: pd.DataFrame, rows: Collection[int] | None = None) -> Edits:
    """What mends *table*, or only these *rows* of it."""
    found = fixes(table)
    wanted = None if rows is None else set(rows)
    writes: dict[tuple[int, str], str] = {}
    dropped: list[int] = []
    columns = (found[name].tolist() for name in ("row", "column", "after"))
    for row, column, after in zip(*columns, strict=True):
        if wanted is not None and row not in wanted:
            continue
        if column:
            writes[int(row), column] = after
        else:
            dropped.append(int(row))
    return Edits(writes, [], dropped)


def still_right(edits: Edits, before: pd.DataFrame, book: Book) -> Edits:
    """*edits* without the rows that were edited since the table *before* was taken from the book."""
    places = {row: place for place, row in enumerate(before.index.tolist())}
    columns = [before[name].tolist() for name in before.columns]

    def same(row: int) -> bool:
        return row in book and tuple(column[places[row]] for column in columns) == tuple(book[row])

    writes = {cell: text for cell, text in edits.writes.items() if same(cell[0])}
    return Edits(writes, [], [row for row in edits.dropped if same(row)])


def told(edits: Edits) -> str:
    """What was mended, in words."""
    done = []
    if edits.writes:
        done.append(f"mended {plural(len(edits.writes), 'cell')}")
    if edits.dropped:
        done.append(f"dropped {plural(len(edits.dropped), 'row')} that said nothing new")
    if not done:
        return "Nothing is safe to mend by itself: the suggestions say what to do."
    said = " and ".join(done)
    return f"{said[0].upper()}{said[1:]}, in one step."
