"""Columns that a panel puts into a person's own frame: by position, and taken out again as it was before."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.panels.columns import told_apart, written


@dataclass(frozen=True)
class Added:
    """A column that was put in: what it was, and what stood there before, if anything did."""

    name: Hashable
    cells: Any
    before: Any


class Additions:
    """What was put into *frame*; `take_out` brings back what stood there before.

    *advice* says what to do where the frame is no more what the columns were made of.
    """

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
        return [name for name in names if self._count(name) and not self._is(name, ours.get(name))]

    def put(self, columns: pd.DataFrame, *, made_of: pd.DataFrame, replace: bool = False) -> list[Hashable]:
        """Put *columns*, which were made of the columns *made_of*, into the frame; gives their names.

        Raises ValueError where the frame has other rows or texts by now, and where it has such a column and *replace*
        is not said.
        """
        self._check(columns, made_of, replace=replace)
        while self._steps and {each.name for each in self._steps[-1]} & set(columns.columns):
            self.take_out()  # so that what stood there at first is what comes back
        self._steps.append([self._put(name, columns[name].array) for name in columns.columns])
        return list(columns.columns)

    def take_out(self) -> list[Hashable]:
        """Take out what was put in last; gives the names. What stood there before is there again."""
        if not self._steps:
            raise ValueError("there is nothing to take out: no columns were added")
        step = self._steps.pop()
        for each in reversed(step):
            if self._count(each.name) != 1:
                continue
            at = self._at(each.name)
            del self._frame[each.name]
            if each.before is not None and len(each.before) == len(self._frame):
                self._frame.insert(at, each.name, each.before)
        return [each.name for each in step]

    def _put(self, name: Hashable, cells: Any) -> Added:
        # Not frame[name] = cells: that would warn where the frame was cut out of another one.
        at, before = self._frame.shape[1], None
        if self._count(name):
            at, before = self._at(name), self._frame[name].array.copy()
            del self._frame[name]
        self._frame.insert(at, name, cells.copy())
        return Added(name, cells, before)

    def _check(self, columns: pd.DataFrame, made_of: pd.DataFrame, *, replace: bool) -> None:
        same = self._frame.index.equals(made_of.index)
        if not same or not all(self._has(label, texts) for label, texts in made_of.items()):
            raise ValueError(f"the frame has other rows or texts by now: nothing was added. {self._advice}")
        names = list(columns.columns)
        if twice := [written(name) for name in names if self._count(name) > 1]:
            raise ValueError(f"the frame has {', '.join(twice)} twice: rename one of them first")
        if (there := self.there(names)) and not replace:
            raise ValueError(
                f"the frame has {', '.join(map(written, there))} already: replace=True replaces it"
            )

    def _has(self, label: Hashable, texts: pd.Series[Any]) -> bool:
        """Whether the frame has these *texts* still; a column that is gone by now is no trouble."""
        return self._count(label) != 1 or told_apart(self._frame[label]) == told_apart(texts)

    def _is(self, name: Hashable, cells: Any) -> bool:
        if cells is None or self._count(name) != 1 or len(cells) != len(self._frame):
            return False
        return told_apart(self._frame[name]) == told_apart(pd.Series(cells))

    def _count(self, name: Hashable) -> int:
        return sum(label == name for label in self._frame.columns)

    def _at(self, name: Hashable) -> int:
        return next(place for place, label in enumerate(self._frame.columns) if label == name)
