"""A table of any length in a panel: the browser has the rows in sight, the kernel all of them. Cells are text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import anywidget
import numpy as np
import numpy.typing as npt
import pandas as pd
from traitlets import Dict, Int

from svc_nb.panels.line import FRONT

FIRST_ROWS = 60
MOST_ROWS = 500
LONGEST_CELL = 300
WIDEST = 26
BOLD = 1.15  # how much wider a heading is


@dataclass(frozen=True)
class Field:
    """A column of the grid: its *name* in the table, its *title*, and how its cells are *written*."""

    name: str
    title: str
    written: Callable[[Any], str]
    kind: str = "number"
    editable: bool = False


class Grid(anywidget.AnyWidget):
    """Rows that can be sorted by a click on a heading, and written to where a field says so.

    `page` is what the browser begins with; it asks for further rows as they come in sight. `edited` is called with the
    label of a row, the name of a column, and what was written there.
    """

    _esm = FRONT / "grid.js"
    _css = FRONT / "grid.css"
    page: Dict[str, Any] = Dict(
        {
            "version": 0,
            "count": 0,
            "columns": [],
            "rows": [],
            "sort": None,
            "said": "",
            "title": "",
            "group": "",
        }
    ).tag(sync=True)
    height = Int(360).tag(sync=True)

    def __init__(self, title: str = "", *, edited: Callable[[Any, str, str], None] | None = None) -> None:
        super().__init__()
        self._title = title
        self._edited = edited
        self._table = pd.DataFrame()
        self._fields: Sequence[Field] = ()
        self._marks: dict[Any, str] = {}
        self._said = ""
        self._sort: tuple[str, bool] | None = None
        self._order: npt.NDArray[np.intp] = np.arange(0)
        self._version = 0
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def show(
        self,
        table: pd.DataFrame,
        fields: Sequence[Field],
        *,
        said: str = "",
        marks: dict[Any, str] | None = None,
    ) -> None:
        """Show *fields* of *table*, sorted as before where the columns are the same, with *said* below.

        *marks* names rows, by their labels, that look different: "changed" or "faded".
        """
        if [field.name for field in fields] != [field.name for field in self._fields]:
            self._sort = None
        self._table, self._fields, self._said, self._marks = table, fields, said, marks or {}
        self._arrange()

    @property
    def table(self) -> pd.DataFrame:
        """All rows and columns that are shown, as they stand, with the values as they are."""
        names = [field.name for field in self._fields]
        return self._table[names].iloc[self._order].reset_index(drop=True)

    @property
    def sort(self) -> tuple[str, bool] | None:
        """The column that the rows are sorted by and whether it is downwards; None as they were given."""
        return self._sort

    def sort_by(self, column: str) -> None:
        """Sort by *column*; again turns round, and a third time brings back the order that was given."""
        field = next((field for field in self._fields if field.name == column), None)
        if field is None:
            return
        first = field.kind == "number"
        steps: dict[tuple[str, bool] | None, tuple[str, bool] | None] = {
            (column, first): (column, not first),
            (column, not first): None,
        }
        self._sort = steps.get(self._sort, (column, first))
        self._arrange()

    def rows(self, first: int, last: int) -> list[dict[str, Any]]:
        """The rows from *first* up to *last*, as they stand and as they are written."""
        places = self._order[max(0, first) : max(0, last)]
        part = self._table.iloc[places]
        columns = [_cells(part[field.name], field) for field in self._fields]
        marks = [self._marks.get(label, "") for label in part.index]
        return [{"cells": list(cells), "mark": mark} for *cells, mark in zip(*columns, marks, strict=True)]

    def hear(self, message: dict[str, Any]) -> None:
        """Answer what the browser asks; what it asks about rows that are no more is left alone."""
        if message.get("kind") == "sort":
            self.sort_by(str(message.get("column")))
        elif message.get("version") != self._version:
            return
        elif message.get("kind") == "rows":
            self._answer(int(message["first"]), int(message["last"]))
        elif message.get("kind") == "edit" and self._edited is not None:
            place = self._order[int(message["row"])]
            self._edited(self._table.index[place], str(message["column"]), str(message["text"]))

    def _answer(self, first: int, last: int) -> None:
        rows = self.rows(first, min(last, first + MOST_ROWS))
        self.send({"kind": "rows", "version": self._version, "first": first, "rows": rows})

    def _arrange(self) -> None:
        self._order = _order(self._table, self._sort)
        self._version += 1
        self.page = {
            "version": self._version,
            "count": len(self._table),
            "columns": [self._column(field) for field in self._fields],
            "rows": self.rows(0, FIRST_ROWS),
            "sort": list(self._sort) if self._sort else None,
            "said": self._said,
            "title": self._title,
            "group": " ".join(field.name for field in self._fields),
        }

    def _column(self, field: Field) -> dict[str, Any]:
        return {
            "name": field.name,
            "title": field.title,
            "kind": field.kind,
            "editable": field.editable,
            "width": _width(self._table[field.name], field),
        }


def _order(table: pd.DataFrame, sort: tuple[str, bool] | None) -> npt.NDArray[np.intp]:
    """The places of the rows in the order of *sort*; equal ones stay as they were, gaps stand last."""
    if sort is None or not len(table):
        return np.arange(len(table))
    column, downwards = sort
    cells = table[column].reset_index(drop=True)
    ordered = cells.sort_values(ascending=not downwards, kind="stable", na_position="last")
    return ordered.index.to_numpy()


def _cells(column: pd.Series[Any], field: Field) -> Iterable[str]:
    gaps = column.isna().tolist()
    for cell, gap in zip(column.tolist(), gaps, strict=True):
        text = field.written(None if gap else cell)
        yield text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _width(column: pd.Series[Any], field: Field) -> int:
    """How many characters the widest cell takes, within bounds; of numbers the largest is the widest."""
    if not len(column):
        widest = 0
    elif field.kind == "number":
        ends = pd.Series([column.min(), column.max()], dtype=column.dtype)
        widest = max(len(text) for text in [*_cells(ends, field), *_cells(column.iloc[:FIRST_ROWS], field)])
    else:
        seen = pd.Series(pd.unique(column))
        widest = max(len(text) for text in _cells(seen.iloc[:1000], field))
    return max(min(WIDEST, widest + 1), round(len(field.title) * BOLD) + 2)
