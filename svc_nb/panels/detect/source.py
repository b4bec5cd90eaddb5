"""Where the texts come from: the columns of a frame that hold texts, or a Series."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from svc_nb.panels.columns import holds_texts, written


class Source:
    """A DataFrame or a Series; its columns are known by their places, so that names may stand there twice."""

    def __init__(self, table: Any) -> None:
        if isinstance(table, pd.Index) and not isinstance(table, pd.MultiIndex):
            table = pd.Series(table, name=table.name)
        if not isinstance(table, pd.DataFrame | pd.Series):
            raise TypeError(f"expected a DataFrame or a Series of texts, found {type(table).__name__}")
        self.table: Any = table
        self.frame: pd.DataFrame | None = table if isinstance(table, pd.DataFrame) else None

    def __len__(self) -> int:
        return len(self.table)

    @property
    def names(self) -> list[Hashable]:
        """The names of all columns, by place."""
        return [self.table.name] if self.frame is None else list(self.frame.columns)

    @property
    def offered(self) -> dict[int, str]:
        """The columns that hold texts, as they are written."""
        return {
            place: self.title(place) for place in range(len(self.names)) if holds_texts(self.column(place))
        }

    def title(self, place: int) -> str:
        """What a column is called."""
        name = self.names[place]
        return "the Series" if name is None and self.frame is None else written(name)

    def column(self, place: int) -> pd.Series[Any]:
        """The column at *place*."""
        found: pd.Series[Any] = self.table if self.frame is None else self.frame.iloc[:, place]
        return found

    def place(self, name: Hashable) -> int:
        """Where the column called *name* stands; KeyError where there is none or several, ValueError for no texts."""
        places = [place for place, other in enumerate(self.names) if other is name or other == name]
        if len(places) != 1:
            many = f"{len(places)} columns have this name" if places else "there is no such column"
            raise KeyError(f"{name!r}: {many}")
        if not holds_texts(self.column(places[0])):
            raise ValueError(f"the column {name!r} holds no texts, but {self.column(places[0]).dtype}")
        return places[0]
