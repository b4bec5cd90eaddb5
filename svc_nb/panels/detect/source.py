"""Where the texts come from: the columns of a frame that hold texts, or a Series."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from svc_nb.errors import column_error
from svc_nb.panels.columns import holds_texts, written


class Source:
    """A DataFrame or a Series; `names` are its columns, known by their places there, so that names may stand twice.

    These places stay, whatever columns come into the frame or leave it.
    """

    def __init__(self, table: Any) -> None:
        if isinstance(table, pd.Index) and not isinstance(table, pd.MultiIndex):
            table = pd.Series(table, name=table.name)
        if not isinstance(table, pd.DataFrame | pd.Series):
            raise TypeError(f"expected a DataFrame or a Series of texts, found {type(table).__name__}")
        self.table: Any = table
        self.frame: pd.DataFrame | None = table if isinstance(table, pd.DataFrame) else None
        self.names: list[Hashable] = self._found

    def __len__(self) -> int:
        return len(self.table)

    @property
    def _found(self) -> list[Hashable]:
        """The names of the columns that are there now."""
        return [self.table.name] if self.frame is None else list(self.frame.columns)

    def look(self) -> dict[int, str]:
        """The columns that hold texts now, as they are written, by place; new ones come last."""
        self.names += [name for name in self._found if name not in self.names]
        there = [place for place in range(len(self.names)) if self._at(place) is not None]
        return {place: self.title(place) for place in there if holds_texts(self.column(place))}

    def title(self, place: int) -> str:
        """What a column is called."""
        name = self.names[place]
        return "the Series" if name is None and self.frame is None else written(name)

    def column(self, place: int) -> pd.Series[Any]:
        """The column at *place*; ValueError where it is gone."""
        at = self._at(place)
        if at is None:
            gone = written(self.names[place])
            raise ValueError(f"the frame has no column {gone} any more: choose another one")
        found: pd.Series[Any] = self.table if self.frame is None else self.frame.iloc[:, at]
        return found

    def _at(self, place: int) -> int | None:
        """Where the column at *place* stands in the frame now; None where it is gone."""
        name = self.names[place]
        there = [at for at, other in enumerate(self._found) if other is name or other == name]
        before = self.names[:place].count(name)
        return there[before] if before < len(there) else None

    def place(self, name: Hashable) -> int:
        """Where the column called *name* stands; KeyError where there is none or several, ValueError for no texts."""
        places = [place for place, other in enumerate(self.names) if other is name or other == name]
        if len(places) != 1:
            raise column_error(name, self.names)
        if not holds_texts(self.column(places[0])):
            raise ValueError(f"the column {name!r} holds no texts, but {self.column(places[0]).dtype}")
        return places[0]
