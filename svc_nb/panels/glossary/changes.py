"""What was edited since the glossary was loaded, row by row, with what was there before; each can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.parts.edit_table import Change, EditTable
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.line import Line
from svc_nb.panels.parts.panel import button, row
from svc_nb.panels.parts.rows import written_text
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT

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


class ChangeList:
    """The list, made when it is looked at; *go_to* hears of a row that was chosen."""

    def __init__(self, go_to: Callable[[int], Any]) -> None:
        self.line = Line()
        self.grid = Grid("Changes", chosen=go_to)
        self.revert = button("Take back", help="Bring back what was loaded, in the rows chosen")
        self.box = widgets.VBox([self.line, self.grid, row(self.revert)])

    def show(self, table: pd.DataFrame, book: EditTable) -> None:
        """Show what was `listed` of *book*."""
        columns = (table[name].tolist() for name in ("source_before", "target_before"))
        before = [f"{source} → {target}" if source else target for source, target in zip(*columns, strict=True)]
        shown = table.assign(before=pd.array(before, dtype=TEXT))
        pairs = table["pair"].nunique() > 1
        fields = [field for field in FIELDS if pairs or field.name != "pair"]
        marks = dict(zip(table.index.tolist(), map(MARKS.__getitem__, table["change"].tolist()), strict=True))
        self.grid.show(shown, fields, marks=marks)
        self.revert.disabled = not len(table)
        self.line.say(told(book) or "Nothing was changed since it was loaded.")


def listed(book: EditTable) -> pd.DataFrame:
    """The rows that were added, changed and removed, in their order, with their numbers as labels.

    `source_before` is empty where the source is the same.
    """
    known = sorted(book.changed | {*book.dropped})
    before = dict(zip(known, book.base.loc[known].itertuples(index=False, name=None), strict=True))
    rows = []
    for number in sorted(book.new | {*known}):
        was, is_there = before.get(number, ()), number in book
        change = "removed" if not is_there else "changed" if was else "added"
        cells = book[number] if is_there else was
        source_was, target_was = was[2:] if change == "changed" else ("", "")
        again = "" if source_was == cells[2] else source_was
        rows.append((change, number, arrow((cells[0], cells[1])), *cells[2:], again, target_was))
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [[]] * len(COLUMNS)
    texts = {
        name: pd.array(list(column), dtype="int64" if name == "row" else TEXT)
        for name, column in zip(COLUMNS, columns, strict=True)
    }
    return pd.DataFrame(texts, index=pd.Index(list(columns[1]), dtype="int64"))


def told(book: EditTable) -> str:
    """What was edited, in words; nothing where nothing was."""
    names = {"new": "added", "changed": "changed", "dropped": "removed"}
    words = [f"{book.changes[name]:,} {said}" for name, said in names.items() if book.changes[name]]
    return f"{', '.join(words)}, not sent yet." if words else ""


def revert(book: EditTable, rows: Sequence[int]) -> int:
    """Bring back *rows* as they were loaded, in one step, each in its place; how many there were."""
    base, wanted = book.base, set(rows)
    before = dict(zip(base.index.tolist(), base.itertuples(index=False, name=None), strict=True))
    changed, new = wanted & book.changed, wanted & book.new
    gone: dict[int, int] = {}  # each after the nearest row before it that is there, or comes before it
    last = 0
    for number in before:
        if number in wanted and number not in book:
            gone[number] = last
        if number in gone or number in book:
            last = number
    count = len(changed) + len(gone) + len(new)
    with book.step(f"Take back {plural(count, 'change')}"):
        texts = {number: zip(book.columns, before[number], strict=True) for number in changed}
        book.write({(number, name): text for number, cells in texts.items() for name, text in cells})
        book.drop(new)
        if gone:
            book.replay(Change("", {number: before[number] for number in gone}, gone))
    return count
