"""A table of any length in a panel: the browser has the rows in view, the kernel all of them. Cells are text. Rows are
sent in messages when the browser asks for them, and are never in the state of a widget, because a notebook may save the
state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from traitlets import Int

from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.texts import cut, sentence, text_of
from svc_nb.tabular.report import plural

FIRST_ROWS = 60
MOST_ROWS = 500
SAMPLE = 1000  # rows that determine the width of a column
LONGEST_NOTE = 2000
WIDEST = 26
LEAST = 16  # minimum characters of a text before columns are left out
ONE_LINE = 0.8  # of the width of a column: a longer text may need two lines
BOLD = 1.15  # extra width of a heading
MOVED = "The rows have changed. Try again."

Message = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """A column of the grid: its *name* in the table, its *title*, and how its cells are *written*.

    Its *kind* is "number", "text", "code" (short text that never gets more room than it needs), or "share" (a
    percentage that is also shown as a bar). If it is *editable*, a person can write to it, or choose one of its
    *options* if it has any. *spare* columns are left out if there is not enough room, highest number first, until a
    person asks for them. *wide* is its width in characters; 0 is as wide as its cells need. In a narrow grid, a text
    keeps *least* characters. Numbers are first sorted in descending order, unless *lowest_first*.
    """

    name: str
    title: str
    written: Callable[[Any], str]
    kind: str = "number"
    editable: bool = False
    options: Sequence[str] = ()
    spare: int = 0
    wide: int = 0
    least: int = LEAST
    lowest_first: bool = False


class Grid(Part):
    """Rows that can be sorted by clicking a heading, searched, chosen, and edited if a field allows it.

    `edited` is called with the label of a row, the name of a column, and the text written there; if it returns a reason
    for rejecting the text, the cell stays open with it. `chosen` is called with the label of a row that was clicked or
    entered, if nothing can be edited; `turned` with "undo" or "redo", and adds their buttons and keys: it may return
    the label of the changed row to go to. `searchable` adds a search field above. `signed` always shows the column for
    signs, so that nothing moves when the first row is marked. With `tall`, all rows have room for two lines if any text
    needs it. The keyboard enters at the heading, or with `begins` at the first row.
    """

    front = "grid"
    height = Int(360).tag(sync=True)

    def __init__(
        self,
        title: str = "",
        *,
        edited: Callable[[Any, str, str], str | None] | None = None,
        chosen: Callable[[Any], None] | None = None,
        turned: Callable[[str], Any] | None = None,
        searchable: bool = False,
        signed: bool = False,
        tall: bool = False,
        begins: bool = False,
    ) -> None:
        super().__init__()
        self.signed, self.tall, self.begins = signed, tall, begins
        self._own_lock = threading.RLock()  # a front end may send messages in its own thread
        self.searchable = searchable
        self._title = title
        self._edited = edited
        self._chosen = chosen
        self._turned = turned
        self._turns = {"undo": "", "redo": ""}
        self._table = pd.DataFrame()
        self._fields: Sequence[Field] = ()
        self._marks: dict[Any, str] = {}
        self._signs = False  # whether any mark is more than a style
        self._notes: dict[Any, str] = {}
        self._locked: dict[Any, str] = {}
        self._said = ""
        self._sort: tuple[str, bool] | None = None
        self._look = ""
        self._folded: list[str] | None = None
        self._sight: Any = np.arange(0)  # the rows in view, by their positions in the table
        self._version = 0  # of the rows in view and their order
        self._order = 0  # increases when the rows in view or their order change
        self._shown = 0  # the number of the table
        self._selection: Message | None = None
        self._seen = False  # a browser has asked
        self._wraps = False  # whether rows currently have room for two lines
        self._widths: dict[str, int] = {}  # of the table's columns, by name
        self._refused_cells: set[tuple[Any, str]] = set()  # cells that still show a rejected text, by label and name
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """The lock for changes."""
        return self._own_lock

    # ---- the content

    def show(
        self,
        table: pd.DataFrame,
        fields: Sequence[Field],
        *,
        said: str = "",
        marks: dict[Any, str] | None = None,
        notes: dict[Any, str] | None = None,
        locked: dict[Any, str] | None = None,
        turns: dict[str, str] | None = None,
        steady: bool = False,
    ) -> None:
        """Show *fields* of *table*, sorted and searched as before if the columns are the same, with *said* below.

        *locked* says why rows cannot be edited. *turns* are the names of the steps that can be undone and redone. If
        only cells have changed or columns were added, *steady* leaves the rows in view where they are until the next
        sort or search, and keeps a cell open while it is edited.
        """
        with self.lock:
            shown = self._shown
            names = [field.name for field in fields]
            if not steady and names != [field.name for field in self._fields]:
                self._sort = self._sort if self._sort and self._sort[0] in names else None
                self._look, self._selection = "", None
                self._shown += 1
            elif not self._table.index.equals(
                table.index
            ):  # with the same rows, editing continues and the selection stays
                self._shown += 1
                self._selection = None
            if self._shown != shown:  # the browser clears it, too
                self._refused_cells = set()
            self._table, self._fields, self._said = table, fields, said
            self._marks, self._notes, self._locked = marks or {}, notes or {}, locked or {}
            self._signs = any(mark not in ("faded", "shown") for mark in self._marks.values())
            if not steady:
                self._wraps = self.tall and any(
                    len(text) > ONE_LINE * field.wide
                    for field in fields
                    if field.wide
                    for text in cells_written(table[field.name], field)
                )
            self._widths = {}
            self._turns |= turns or {}
            self._folded = None
            if steady and self._shown == shown:
                self._told_page()
            else:
                self._arrange()

    @property
    def page(self) -> Message:
        """What the browser starts with: the columns, the first rows, and how many there are."""
        with self.lock:
            return self._page()

    def _page(self) -> Message:
        found = f"{len(self._sight):,} of {plural(len(self._table), 'row')}." if self._look else ""
        return {
            "kind": "page",
            "table": self._shown,
            "version": self._version,
            "order": self._order,
            "count": len(self._sight),
            "columns": [self._column(field) for field in self._fields],
            "rows": self.rows(0, FIRST_ROWS),
            "sort": list(self._sort) if self._sort else None,
            "title": self._title,
            "group": " ".join(field.name for field in self._fields),
            "searchable": self.searchable,
            "tall": self._wraps,
            "begins": self.begins,
            "chooses": self._chosen is not None,
            "signs": self.signed or self._signs,
            "turns": self._turned is not None,
            "foot": {
                "said": " ".join(part for part in (found, self._said) if part),
                "look": self._look,
                **self._turns,
            },
        }

    @property
    def table(self) -> pd.DataFrame:
        """All rows and columns shown, in that order, with their original values."""
        names = [field.name for field in self._fields]
        shown: pd.DataFrame = self._table[names].iloc[self._sight].reset_index(drop=True)
        return shown

    @property
    def sort(self) -> tuple[str, bool] | None:
        """The column that the rows are sorted by, and whether in descending order; None for the original order."""
        return self._sort

    def sort_by(self, column: str) -> None:
        """Sort by *column*; a second call reverses the order, and a third restores the original order."""
        field = next((field for field in self._fields if field.name == column), None)
        if field is None:
            return
        first = field.kind == "number" and not field.lowest_first
        steps: dict[tuple[str, bool] | None, tuple[str, bool] | None] = {
            (column, first): (column, not first),
            (column, not first): None,
        }
        with self.lock:
            self._sort = steps.get(self._sort, (column, first))
            self._arrange()

    def look_for(self, text: str) -> None:
        """Show only rows that contain *text* in any column, ignoring case; all rows if it is empty."""
        with self.lock:
            before, self._look = self._look, text
            if text.casefold() != before.casefold():
                self._arrange()

    @property
    def refused_rows(self) -> list[Any]:
        """The labels of rows that show a rejected text, until it is corrected or dropped."""
        with self.lock:
            return [label for label, _ in self._refused_cells]

    @property
    def selected(self) -> list[Any]:
        """The labels of the selected rows, in the order shown."""
        with self.lock:
            try:
                first, last = (0, -1) if self._selection is None else self._between(self._selection)
            except ValueError:
                return []
            return self._labels(self._sight[first : last + 1])

    def rows(self, first: int, last: int) -> list[Message]:
        """The rows from *first* up to *last* in the view, as text."""
        with self.lock:
            places = self._sight[max(0, first) : max(0, last)]
            part = self._table.iloc[places]
        columns = [list(cells_written(part[field.name], field)) for field in self._fields]
        rows = []
        for at, (place, label) in enumerate(zip(places, part.index, strict=True)):
            texts = [column[at] for column in columns]
            mark, short = self._marks.get(label, ""), [cut(text) for text in texts]
            row: Message = {"row": int(place), "cells": short, "mark": mark}
            if label in self._notes:
                row["note"] = cut(text_of(self._notes[label]), LONGEST_NOTE)
            if label in self._locked:
                row["locked"] = sentence(self._locked[label])
            if long := [at for at, text in enumerate(texts) if short[at] != text]:
                row["cut"] = long
            rows.append(row)
        return rows

    def pushed(self) -> None:
        """Send the first page to a browser that starts to show it, without being asked."""
        with self.lock:
            self._seen = True
            if self._fields:
                self.send(self.page)

    # ---- messages from the browser

    def hear(self, message: Message) -> None:
        """Handle a message from the browser; for an earlier table, only edits are answered, as rejected."""
        if message.get("table", self._shown) != self._shown:
            if message.get("kind") == "write":
                self._answer_write(message, [[*cell, MOVED] for cell in message["cells"]])
            return
        match message.get("kind"):
            case "hello":
                with self.lock:
                    self._seen = True
                    self.send({**self.page, "view": message.get("view")})
            case "rows":
                self._answer(message)
            case "sort":
                self.sort_by(str(message["column"]))
            case "look":
                self.look_for(str(message["text"]))
            case "write":
                self._write(message)
            case "dismiss":
                self._refused_cells.discard((self._labels([int(message["row"])])[0], str(message["column"])))
            case "choose":
                if self._chosen is not None:
                    self._chosen(self._labels([int(message["row"])])[0])
            case "undo" | "redo":
                answer: Message = {"kind": "change", "view": message.get("view"), "done": message.get("n")}
                try:
                    if self._turned is not None and (label := self._turned(str(message["kind"]))) is not None:
                        answer["go"] = self._place_of(label)
                finally:
                    self.send(answer)
            case "select":
                self._selection = message if message["from"] else None  # there is none on a heading
            case "text" | "copy":
                self._tell_texts(message)

    def _answer(self, message: Message) -> None:
        with self.lock:
            if message["version"] != self._version:
                return
            first = max(0, int(message["first"]))
            rows = self.rows(first, min(int(message["last"]), first + MOST_ROWS))
            told = {"kind": "rows", "version": self._version, "first": first, "rows": rows}
            self.send({**told, "view": message.get("view")})

    def _write(self, message: Message) -> None:
        refused: list[list[Any]] = []
        try:
            with self.lock:
                labels = self._labels([self._number(row) for row, _, _ in message["cells"]])
            # Do not hold our lock here, because the callback may take its own.
            for label, (row, column, text) in zip(labels, message["cells"], strict=True):
                why = None if self._edited is None else self._edited(label, str(column), text_of(text))
                refused += [[row, column, text, why]] if why else []
                (self._refused_cells.add if why else self._refused_cells.discard)((label, str(column)))
        finally:
            self._answer_write(message, refused)

    def _answer_write(self, message: Message, refused: list[list[Any]]) -> None:
        self.send({"kind": "change", "view": message.get("view"), "done": message.get("n")})
        if refused:  # its editor opens again with the same text
            table = message.get("table", self._shown)
            self.send({"kind": "refused", "view": message.get("view"), "table": table, "cells": refused})

    def _tell_texts(self, message: Message) -> None:
        """Send the full texts of a row, or of a block to copy."""
        with self.lock:
            if message["kind"] == "copy":
                first, last = self._between(message)
                rows = self._texts(list(self._sight[first : last + 1]), list(message["columns"]))
                told = {"ask": message["ask"], "rows": rows}
            else:
                names = [field.name for field in self._fields]
                cells = self._texts([self._number(message["row"])], names)[0]
                told = {"row": message["row"], "cells": cells}
        self.send({"kind": message["kind"], "view": message["view"], **told})

    # ---- rows by number and by position

    def _number(self, row: Any) -> int:
        """The number of a row that the browser names by number, or by position if it has not seen the row yet."""
        if isinstance(row, dict):
            return int(self._sight[min(self._at((None, row["at"]), row["version"]), len(self._sight) - 1)])
        return int(row)

    def _at(self, end: Sequence[Any], version: Any) -> int:
        """The position in view of an *end* of a block: of its row, or in a *version*; -1 is after the last row."""
        row, place = end
        if row is not None:
            return self._standing(self._number(row))
        if place == -1:
            return len(self._sight)
        if version != self._version:
            raise ValueError(MOVED)
        return max(0, min(int(place), len(self._sight)))

    def _standing(self, row: int) -> int:
        found = np.flatnonzero(self._sight == row)
        if not len(found):
            raise ValueError(MOVED)
        return int(found[0])

    def _place_of(self, label: Any) -> list[Any] | None:
        """Where to go for the row of a *label*, in the active column; None if it is not in view."""
        with self.lock:
            found = np.flatnonzero(self._table.index[self._sight] == label)
            return [int(self._sight[found[0]]), int(found[0]), None] if len(found) else None

    def _between(self, message: Message) -> tuple[int, int]:
        """The first and last position of the block in a message."""
        ends = sorted(self._at(message[end], message.get("version")) for end in ("from", "to"))
        return ends[0], min(ends[1], len(self._sight) - 1)

    def _labels(self, rows: Iterable[int]) -> list[Any]:
        return [self._table.index[row] for row in rows]

    def _texts(self, rows: Sequence[int], columns: Sequence[str]) -> list[list[str]]:
        """The full texts of cells, as shown."""
        part = self._table.iloc[list(rows)]
        fields = {field.name: field for field in self._fields}
        texts = [list(cells_written(part[name], fields[name])) for name in columns]
        return [list(cells) for cells in zip(*texts, strict=True)]

    # ---- internals

    def _arrange(self) -> None:
        """Sort and search the rows again; equal rows keep their order, missing values are last."""
        order: npt.NDArray[np.intp] = np.arange(len(self._table))
        if self._sort is not None and len(order):
            column, downwards = self._sort
            cells = self._table[column].reset_index(drop=True)
            ordered = cells.sort_values(ascending=not downwards, kind="stable", na_position="last")
            order = ordered.index.to_numpy()
        if look := self._look.casefold():
            if self._folded is None:
                columns = [list(cells_written(self._table[field.name], field)) for field in self._fields]
                self._folded = ["\n".join(texts).casefold() for texts in zip(*columns, strict=True)]
            order = order[np.array([look in self._folded[at] for at in order], dtype=np.bool_)]
        if not np.array_equal(order, self._sight):
            self._order += 1
            self._selection = None
        self._sight = order
        self._told_page()

    def _told_page(self) -> None:
        """Update the rows in view, and tell the browser."""
        self._version += 1
        if self._seen:
            self.send(self.page)

    def _width(self, field: Field) -> int:
        if field.name not in self._widths:
            self._widths[field.name] = _width(self._table[field.name], field)
        return self._widths[field.name]

    def _column(self, field: Field) -> Message:
        width = field.wide or self._width(field)
        return {
            "name": field.name,
            "title": field.title,
            "kind": field.kind,
            "editable": field.editable,
            "options": list(field.options),
            "width": width,
            "least": min(width, field.least) if field.kind == "text" else width,
            "spare": field.spare,
        }


def cells_written(column: pd.Series[Any], field: Field) -> Iterable[str]:
    """The cells of *column* as *field* writes them; missing values are None."""
    gaps = column.isna().tolist()
    for cell, gap in zip(column.tolist(), gaps, strict=True):
        yield text_of(field.written(None if gap else cell))


def _width(column: pd.Series[Any], field: Field) -> int:
    """The width of the widest cell in characters, within limits; among numbers the largest is the widest."""
    if not len(column):
        return wide_enough([], field.title)
    if field.kind == "number":
        ends = pd.Series([column.min(), column.max()], dtype=column.dtype)
        return wide_enough([*cells_written(ends, field), *cells_written(column.iloc[:FIRST_ROWS], field)], field.title)
    return wide_enough(cells_written(column.iloc[:SAMPLE], field), field.title)


def wide_enough(texts: Iterable[str], title: str) -> int:
    """The width in characters of a column of *texts* under a *title*."""
    return max(min(WIDEST, max(map(len, texts), default=0) + 1), round(len(title) * BOLD) + 2)
