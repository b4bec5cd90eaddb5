"""The columns of a person's table: how their labels read, which hold texts, and those that a panel puts in."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.errors import column_error
from svc_nb.language_codes import base_code

LOOKED_AT = 1000
MOST_NAMED = 8
NAMELESS = "text"
NO_COLUMN = "No column of this table holds texts."


def as_table(given: Any) -> pd.DataFrame | pd.Series[Any]:
    """A frame or a column as it is, an index as a column; TypeError for anything else."""
    if isinstance(given, pd.Index) and not isinstance(given, pd.MultiIndex):
        given = pd.Series(given, name=given.name)
    if not isinstance(given, pd.DataFrame | pd.Series):
        raise TypeError(f"expected a DataFrame or a Series of texts, found {type(given).__name__}")
    return given


def holds_texts(column: pd.Series[Any]) -> bool:
    """Whether there are texts in *column*; of one without any cell whether there could be."""
    dtype = column.dtype
    if isinstance(dtype, pd.StringDtype):
        return True
    if isinstance(dtype, pd.CategoricalDtype):
        return any(isinstance(each, str) for each in dtype.categories[:LOOKED_AT])
    if dtype.kind != "O":
        return False
    cells = column.dropna().iloc[:LOOKED_AT]
    return not len(cells) or any(isinstance(cell, str) for cell in cells)


def label_text(label: Hashable) -> str:
    """A label as a person reads it.

    >>> label_text("title"), label_text(("text", "title")), label_text(3)
    ('title', 'text / title', '3')
    """
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def label_list(labels: Sequence[Hashable]) -> str:
    """Some labels in a line; of very many the first ones."""
    shown = ", ".join(map(label_text, labels[:MOST_NAMED]))
    return shown if len(labels) <= MOST_NAMED else f"{shown} and {len(labels) - MOST_NAMED} more"


def cell_strings(column: pd.Series[Any]) -> list[str | None]:
    """The cells of *column* as texts that can be compared; None for gaps."""
    gaps = column.isna().tolist()
    return [None if gap else str(cell) for cell, gap in zip(column.tolist(), gaps, strict=True)]


@dataclass(frozen=True)
class TextColumn:
    """A column that holds texts: its *label*, how that is written, and in how many rows there is something."""

    label: Hashable
    title: str
    count: int


class TextsByLabel:
    """A table whose columns can be translated: a frame as it is, or a column, which becomes a frame of one.

    `frame` is the person's own frame, so that columns can be put into it; of a column it is a frame around it.
    `columns` are those that hold texts, in their order, as `look` found them last; those whose name stands there twice
    are left out. `language_columns` are the ones among them whose cells are codes of languages.
    """

    def __init__(self, table: Any) -> None:
        table = as_table(table)
        self.is_frame = isinstance(table, pd.DataFrame)
        if isinstance(table, pd.Series):
            table = table.to_frame(NAMELESS if table.name is None else table.name)
        self.frame: pd.DataFrame = table
        self.columns: list[TextColumn] = []
        self.language_columns: list[Hashable] = []
        self.look()

    def look(self) -> None:
        """Look at the frame, which may have changed."""
        self.columns, self.language_columns = [], []
        for place, label in enumerate(self.frame.columns):
            column = self.frame.iloc[:, place]
            count = int(column.notna().sum())
            alone = (self.frame.columns == label).sum() == 1
            if alone and (count or not len(self.frame)) and holds_texts(column):
                self.columns.append(TextColumn(label, label_text(label), count))
                seen = {str(cell) for cell in column.dropna().iloc[:LOOKED_AT]}
                if seen and all(map(base_code, seen)):
                    self.language_columns.append(label)

    def chosen(self, given: Any) -> tuple[Hashable, ...]:
        """The columns that *given* names, one or several, which have to be there and to hold texts."""
        if given is None:
            return ()
        known = self.frame.columns
        several = isinstance(given, Iterable) and not isinstance(given, str)
        if several and isinstance(given, Hashable) and given in known:
            several = False  # a tuple that is one label
        labels: list[Hashable] = list(given) if several else [given]
        for label in labels:
            if not isinstance(label, Hashable) or label not in known:
                raise column_error(label, known.tolist())
        if not {column.label for column in self.columns}.issuperset(labels):
            self.look()  # it may be new
        for label in labels:
            if not isinstance(self.frame[label], pd.Series) or not holds_texts(self.frame[label]):
                raise ValueError(f"columns: {label_text(label)} holds no texts, or stands there twice")
        return tuple(dict.fromkeys(labels))

    def taken(self, labels: Iterable[Hashable], options: Mapping[str, Any]) -> pd.DataFrame:
        """A copy of the columns *labels*, and of those that *options* name for languages and contexts."""
        wanted = list(labels)
        for name in ("context", "source_lang"):
            label = options.get(name)
            if isinstance(label, str) and label in self.frame.columns and label not in wanted:
                wanted.append(label)
        known: list[Hashable] = list(self.frame.columns)
        for label in wanted:
            if label not in known:
                raise ValueError(f"the frame has no column {label_text(label)} any more: choose another one")
        places = [known.index(label) for label in wanted]
        return self.frame.iloc[:, places].copy(deep=True)


class TextsByPlace:
    """A DataFrame or a Series; `names` are its columns, known by their places there, so that names may stand twice."""

    def __init__(self, table: Any) -> None:
        self.table: Any = as_table(table)
        self.frame: pd.DataFrame | None = self.table if isinstance(self.table, pd.DataFrame) else None
        self.names: list[Hashable] = self._there

    def __len__(self) -> int:
        return len(self.table)

    @property
    def _there(self) -> list[Hashable]:
        """The names of the columns that are there now."""
        return [self.table.name] if self.frame is None else list(self.frame.columns)

    def look(self) -> dict[int, str]:
        """The columns that hold texts now, as they are written, by place; new ones come last."""
        self.names += [name for name in self._there if name not in self.names]
        there = [place for place in range(len(self.names)) if self._at(place) is not None]
        return {place: self.title(place) for place in there if holds_texts(self.column(place))}

    def title(self, place: int) -> str:
        """What a column is called."""
        name = self.names[place]
        return "the Series" if name is None and self.frame is None else label_text(name)

    def column(self, place: int) -> pd.Series[Any]:
        """The column at *place*; ValueError where it is gone."""
        at = self._at(place)
        if at is None:
            gone = label_text(self.names[place])
            raise ValueError(f"the frame has no column {gone} any more: choose another one")
        found: pd.Series[Any] = self.table if self.frame is None else self.frame.iloc[:, at]
        return found

    def _at(self, place: int) -> int | None:
        """Where the column at *place* stands in the frame now; None where it is gone."""
        name = self.names[place]
        there = [at for at, other in enumerate(self._there) if other is name or other == name]
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


@dataclass(frozen=True)
class Added:
    """A column that was put in: what it was, and what stood there before, if anything did."""

    name: Hashable
    cells: Any
    before: Any


class AddedColumns:
    """Columns put into *frame* by position; `take_out` brings back what stood there before."""

    def __init__(self, frame: pd.DataFrame, *, advice: str) -> None:
        self._frame = frame
        self._advice = advice
        self._steps: list[list[Added]] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def label(self, name: Hashable) -> Hashable:
        """*name* as the frame will have it: with as many levels as its columns have."""
        levels = self._frame.columns.nlevels
        if levels == 1 or isinstance(name, tuple):
            return name
        return (name, *[""] * (levels - 1))

    def there(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Those of *names* that the frame has already and that are not of our making, or were changed since."""
        ours = {each.name: each.cells for step in self._steps for each in step}
        return [
            name
            for name in names
            if self._places(name) and (name not in ours or not self._has(name, pd.Series(ours[name])))
        ]

    def put(self, columns: pd.DataFrame, *, made_of: pd.DataFrame, replace: bool = False) -> list[Hashable]:
        """Put *columns*, which were made of the columns *made_of*, into the frame; gives their names.

        Raises ValueError where the frame has other rows or texts by now, and where it has such a column and *replace*
        is not said.
        """
        same = self._frame.index.equals(made_of.index)
        # A column of texts that is gone by now, or stands there twice, is no trouble.
        kept = [(label, texts) for label, texts in made_of.items() if len(self._places(label)) == 1]
        if not same or not all(self._has(label, texts) for label, texts in kept):
            raise ValueError(f"the frame has other rows or texts by now: nothing was added. {self._advice}")
        names: list[Hashable] = list(columns.columns)
        if twice := [label_text(name) for name in names if len(self._places(name)) > 1]:
            raise ValueError(f"the frame has {', '.join(twice)} twice: rename one of them first")
        if (there := self.there(names)) and not replace:
            raise ValueError(f"the frame has {', '.join(map(label_text, there))} already: replace=True replaces it")
        while self._steps and {each.name for each in self._steps[-1]} & set(names):
            self.take_out()  # so that what stood there at first is what comes back
        self._steps.append([self._put(name, columns[name].array) for name in names])
        return names

    def take_out(self) -> list[Hashable]:
        """Take out what was put in last; gives the names. What stood there before is there again."""
        if not self._steps:
            raise ValueError("there is nothing to take out: no columns were added")
        step = self._steps.pop()
        for each in reversed(step):
            places = self._places(each.name)
            if len(places) == 1:
                del self._frame[each.name]
                if each.before is not None and len(each.before) == len(self._frame):
                    self._frame.insert(places[0], each.name, each.before)
        return [each.name for each in step]

    def _put(self, name: Hashable, cells: Any) -> Added:
        # Not frame[name] = cells: that would warn where the frame was cut out of another one.
        at, before = self._frame.shape[1], None
        if places := self._places(name):
            at, before = places[0], self._frame[name].array.copy()
            del self._frame[name]
        self._frame.insert(at, name, cells.copy())
        return Added(name, cells, before)

    def _has(self, label: Hashable, cells: pd.Series[Any]) -> bool:
        """Whether the frame has these *cells* under a label that stands there once."""
        return len(self._places(label)) == 1 and cell_strings(self._frame[label]) == cell_strings(cells)

    def _places(self, name: Hashable) -> list[int]:
        return [place for place, label in enumerate(self._frame.columns) if label == name]
