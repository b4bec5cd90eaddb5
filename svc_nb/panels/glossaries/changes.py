"""What was edited since the glossary was loaded, row by row, with what was there before; each can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.book import Book, Change
from svc_nb.panels.glossaries.pairs import arrow
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.line import Line
from svc_nb.panels.panel import button, row
from svc_nb.panels.rows import written_text
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import plural

MARKS = {"added": "new", "changed": "changed", "removed": "faded"}
COLUMNS = ("change", "row", "pair", "source", "target", "source_before", "target_before")
FIELDS = (
    Field("change", "Change", written_text, kind="text"),
    Field("row", "Row", lambda number: f"{number:,}"),
    Field("pair", "Pair", written_text, kind="text"),
    Field("source", "Source", written_text, kind="text"),
    Field("target", "Target", written_text, kind="text"),
    Field("before", "Before", written_text, kind="text"),
)


class Changes:
    """The list, made when it is looked at; *revert* is called with the rows to take back."""

    def __init__(self, *, revert: Callable[[Sequence[int]], Any], go_to: Callable[[int], Any]) -> None:
        self.line = Line()
        self.grid = Grid("Changes", chosen=go_to)
        self.revert = button(
            "Take back",
            lambda: revert(list(self.grid.selected)),
            help="Bring back what was loaded, in the rows chosen",
        )
        self.box = widgets.VBox([self.line, self.grid, row(self.revert)])

    def show(self, table: pd.DataFrame, book: Book) -> None:
        """Show what was `listed` of *book*."""
        shown = table.assign(before=pd.array(_before_in_one(table), dtype=TEXT))
        pairs = table["pair"].nunique() > 1
        fields = [field for field in FIELDS if pairs or field.name != "pair"]
        marks = dict(zip(table.index.tolist(), map(MARKS.__getitem__, table["change"].tolist()), strict=True))
        self.grid.show(shown, fields, marks=marks)
        self.revert.disabled = not len(table)
        self.line.say(told(book) or "Nothing was changed since it was loaded.")


def listed(book: Book) -> pd.DataFrame:
    """The rows that were added, changed and removed, in their order, with their numbers as labels.

    `source_before` is empty where the source is the same.
    """
    base = book.base
    known = sorted(book.changed | {*book.dropped})
    before = dict(zip(known, base.loc[known].itertuples(index=False, name=None), strict=True))
    now = {row: book[row] for row in book.new | book.changed}
    rows = [_line(row, now.get(row), before.get(row)) for row in sorted(book.new | {*known})]
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [[]] * len(COLUMNS)
    cells = {
        name: pd.array(list(column), dtype="int64" if name == "row" else TEXT)
        for name, column in zip(COLUMNS, columns, strict=True)
    }
    return pd.DataFrame(cells, index=pd.Index(list(columns[1]), dtype="int64"))


def _line(row: int, now: Sequence[str] | None, before: Sequence[str] | None) -> tuple[Any, ...]:
    """A row of the list."""
    if now is None:
        return ("removed", row, *_pair_and(before or ("",) * 4), "", "")
    if before is None:
        return ("added", row, *_pair_and(now), "", "")
    return ("changed", row, *_pair_and(now), before[2] if before[2] != now[2] else "", before[3])


def told(book: Book) -> str:
    """What was edited, in words; nothing where nothing was."""
    counts = book.changes
    words = [f"{counts[name]:,} {said}" for name, said in _WORDS.items() if counts[name]]
    return f"{', '.join(words)}, not sent yet." if words else ""


_WORDS = {"new": "added", "changed": "changed", "dropped": "removed"}


def revert(book: Book, rows: Sequence[int]) -> int:
    """Bring back *rows* as they were loaded, in one step, each in its place; how many there were."""
    base, wanted = book.base, set(rows)
    before = dict(zip(base.index.tolist(), base.itertuples(index=False, name=None), strict=True))
    changed, new = wanted & book.changed, wanted & book.new
    gone = [row for row in before if row in wanted and row not in book]
    count = len(changed) + len(gone) + len(new)
    with book.step(f"Take back {plural(count, 'change')}"):
        book.write(
            {
                (row, name): text
                for row in changed
                for name, text in zip(book.columns, before[row], strict=True)
            }
        )
        book.drop(new)
        if gone:
            cells = {row: before[row] for row in gone}
            book.replay(Change("", cells, _places(book, list(before), gone)))
    return count


def _places(book: Book, order: Sequence[int], gone: Sequence[int]) -> dict[int, int]:
    """What each of *gone* is put after: the nearest row before it in *order* that is there, or comes before it."""
    wanted, before, places = set(gone), 0, {}
    for number in order:
        if number in wanted:
            places[number] = before
        if number in wanted or number in book:
            before = number
    return places


def _before_in_one(table: pd.DataFrame) -> list[str]:
    """What was there before, in a cell: the target, with its source where that was another, too."""
    columns = (table[name].tolist() for name in ("source_before", "target_before"))
    return [f"{source} → {target}" if source else target for source, target in zip(*columns, strict=True)]


def _pair_and(cells: Sequence[str]) -> tuple[str, str, str]:
    return arrow((cells[0], cells[1])), cells[2], cells[3]
