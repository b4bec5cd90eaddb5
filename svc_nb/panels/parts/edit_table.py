"""An editable table of texts with undo: the source of truth for editors, independent of widgets and the service."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from svc_nb.panels.parts.texts import text_of, texts_of
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT

Cells = tuple[str, ...]
Heard = Callable[["TableChange"], None]

ROW = "row"
MOST_STEPS = 1000
TOP = 0  # what the first row comes after
FEW = 4  # up to this many rows are found one by one; with more, one pass over all rows is cheaper


@dataclass(frozen=True)
class TableChange:
    """What a step did: rows were `dropped`, then `added` (each after another; 0 is the top), then `written`."""

    step: str = ""
    cells: Mapping[int, Cells] = field(default_factory=dict)
    added: Mapping[int, int] = field(default_factory=dict)
    dropped: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cells or self.added or self.dropped)

    def to_wire(self) -> dict[str, Any]:
        """The change as a JSON value."""
        return {
            "step": self.step,
            "cells": [[row, list(cells)] for row, cells in self.cells.items()],
            "added": [[row, after] for row, after in self.added.items()],
            "dropped": list(self.dropped),
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> TableChange:
        """The change that `to_wire` wrote; raises ValueError for anything else."""
        try:
            return cls(
                str(wire["step"]),
                {int(row): tuple(map(str, cells)) for row, cells in wire["cells"]},
                {int(row): int(after) for row, after in wire["added"]},
                tuple(map(int, wire["dropped"])),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"expected a change of a table, found something else: {problem!r}") from None


@dataclass
class _Step:
    """A step in progress: the rows it touched, as they were before (None if they did not exist), and their order."""

    name: str
    before: dict[int, Cells | None] = field(default_factory=dict)
    order: list[int] | None = None
    moved: set[int] = field(default_factory=set)


class EditTable:
    """The texts of *table* in *columns*, changed in steps that can be undone.

    Every row has a number that never changes: from an index called "row", otherwise from 1; new rows continue from
    there. Missing values are empty texts, and half a surrogate pair, which cannot be sent, is U+FFFD. Changing some
    cells costs the same in a table of any length. A row without text in all of the *needed* columns counts as if it did
    not exist. Steps of several threads are serialized by *lock*, which is also held while listeners are called; it is
    the panel's own lock, if any.
    """

    def __init__(
        self,
        table: pd.DataFrame,
        columns: Sequence[str],
        *,
        needed: Sequence[str] = (),
        lock: AbstractContextManager[Any] | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self._needed = [self.columns.index(name) for name in needed]
        self.lock: AbstractContextManager[Any] = threading.RLock() if lock is None else lock
        self._next = 1
        self._cells = self._read(table)
        self._rows = list(self._cells)
        self._places: dict[int, int] | None = None  # of the rows, once requested
        self._base = dict(self._cells)  # in row order; never changed, only replaced
        self._new: set[int] = set()
        self._changed: set[int] = set()
        self._gone: set[int] = set()
        self._blank = {row for row, cells in self._cells.items() if self._is_blank(cells)}
        self._undo: deque[tuple[str, TableChange]] = deque(maxlen=MOST_STEPS)
        self._redo: deque[tuple[str, TableChange]] = deque(maxlen=MOST_STEPS)
        self._step: _Step | None = None
        self._heard: list[Heard] = []

    # ---- content

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, row: object) -> bool:
        return row in self._cells

    def __getitem__(self, row: int) -> Cells:
        """The cells of a row; raises KeyError if it does not exist."""
        return self._cells[row]

    @property
    def rows(self) -> list[int]:
        """The numbers of the rows, in order."""
        return list(self._rows)

    def place(self, row: int) -> int | None:
        """The position of a row, counted from 1; None if it does not exist."""
        with self.lock:
            if self._places is None:
                self._places = {row: at for at, row in enumerate(self._rows, 1)}
            return self._places.get(row)

    @property
    def table(self) -> pd.DataFrame:
        """The current table, with the row numbers as index."""
        return self._framed(self._rows, self._cells)

    @property
    def base(self) -> pd.DataFrame:
        """The table as it was loaded or last settled."""
        return self._framed(list(self._base), self._base)

    @property
    def base_cells(self) -> Mapping[int, Cells]:
        """The cells of the base by row, in order; cheaper than its table."""
        return self._base

    @property
    def cells(self) -> Mapping[int, Cells]:
        """A live view of the cells of all rows by their numbers, in no particular order."""
        return self._cells

    def state(self, row: int) -> str:
        """Whether a row is "new" or "changed" since the base; "" if neither."""
        return "new" if row in self._new else "changed" if row in self._changed else ""

    @property
    def new(self) -> frozenset[int]:
        """The rows that the base does not have."""
        return frozenset(self._new)

    @property
    def changed(self) -> frozenset[int]:
        """The rows whose cells differ from the base."""
        return frozenset(self._changed)

    @property
    def touched(self) -> frozenset[int]:
        """The rows that are new or changed."""
        return frozenset(self._new | self._changed)

    @property
    def dropped(self) -> list[int]:
        """The rows of the base that were removed."""
        return sorted(self._gone)

    @property
    def blank(self) -> frozenset[int]:
        """The rows that have no text in any needed column."""
        return frozenset(self._blank)

    @property
    def changes(self) -> dict[str, int]:
        """How many rows are new, changed and dropped since the base; rows that are now blank count as removed."""
        blanked = len(self._changed & self._blank)
        return {
            "new": len(self._new - self._blank),
            "changed": len(self._changed) - blanked,
            "dropped": len(self._gone) + blanked,
        }

    # ---- actions

    def write(self, cells: Mapping[tuple[int, str], str]) -> None:
        """Write texts into cells, by row and column; raises ValueError, and changes nothing, if one does not exist."""
        with self.step("Edit"):
            for (row, column), text in cells.items():
                if column not in self.columns:
                    raise ValueError(f"expected a column of {', '.join(self.columns)}, found {column!r}")
                before, place, text = self._there(row), self.columns.index(column), text_of(text)
                if before[place] != text:
                    self._touch(row)
                    self._cells[row] = (*before[:place], text, *before[place + 1 :])

    def add(self, rows: Iterable[Sequence[str]], after: int | None = None) -> list[int]:
        """Add *rows* after a row (0 is the top) or at the end, and return their numbers."""
        made = [self._whole(cells) for cells in rows]
        with self.step(f"Add {plural(len(made), 'row')}"):
            if after is None:
                after = self._rows[-1] if self._rows else TOP
            elif after != TOP:
                self._there(after)
            numbers = list(range(self._next, self._next + len(made)))
            self._next += len(made)
            one_by_one = dict(zip(numbers, [after, *numbers], strict=False))
            self._insert(one_by_one, dict(zip(numbers, made, strict=True)))
        return numbers

    def drop(self, rows: Iterable[int]) -> None:
        """Remove rows; those that do not exist are ignored."""
        gone = [row for row in dict.fromkeys(rows) if row in self._cells]
        with self.step(f"Delete {plural(len(gone), 'row')}"):
            self._remove(gone)

    def take(self, table: pd.DataFrame) -> None:
        """Replace the content with *table* in one step: rows are matched by an index called "row", others are new."""
        cells = self._read(table)
        with self.step("Change"):
            stays = [row for row in self._rows if row in cells]
            moved = stays != [row for row in cells if row in self._cells]
            self._remove([row for row in self._rows if moved or row not in cells])
            if moved and self._step:
                self._step.moved.update(stays)
            self._insert(standing_after(list(cells), [row for row in cells if row not in self._cells]), cells)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """All changes inside are one step to undo; if an error is raised, all of them are undone."""
        with self.lock:
            if self._step is not None:
                yield
                return
            self._step = _Step(name)
            try:
                yield
            except BaseException:
                self._cancel()
                raise
            done, back = self._ended()
            self._step = None
            if done:
                self._undo.append((name, back))
                self._redo.clear()
                self._tell(done)

    def undo(self) -> str:
        """Undo the last step and return its name; "" if there is none."""
        return self._turn(self._undo, self._redo, "Undo")

    def redo(self) -> str:
        """Redo the step undone last and return its name; "" if there is none."""
        return self._turn(self._redo, self._undo, "Redo")

    @property
    def undoable(self) -> str:
        """The name of the step that `undo` would undo, or ""."""
        return self._undo[-1][0] if self._undo else ""

    @property
    def redoable(self) -> str:
        """The name of the step that `redo` would redo, or ""."""
        return self._redo[-1][0] if self._redo else ""

    def replay(self, change: TableChange) -> None:
        """Apply a recorded change as a step; raises ValueError, and changes nothing, if it does not fit."""
        with self.step(change.step):
            self._apply(change)

    def settle(self, table: pd.DataFrame | None = None) -> None:
        """Make the current content, or *table*, the new base; steps can still be undone."""
        with self.lock:
            self._base = {row: self._cells[row] for row in self._rows} if table is None else self._read(table)
            self._new = self._cells.keys() - self._base.keys()
            self._gone = self._base.keys() - self._cells.keys()
            self._changed = {row for row, cells in self._cells.items() if self._base.get(row, cells) != cells}
            self._tell(TableChange())

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Call *heard* with every change; an empty change means a new base. Returns a function that ends this."""
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    # ---- inside a step

    def _touch(self, row: int) -> None:
        if self._step is not None:
            self._step.before.setdefault(row, self._cells.get(row))

    def _reorder(self) -> None:
        if self._step is not None and self._step.order is None:
            self._step.order = self._rows.copy()

    def _remove(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        self._reorder()
        for row in rows:
            self._touch(row)
            del self._cells[row]
        without(self._rows, rows)
        self._places = None

    def _insert(self, added: Mapping[int, int], cells: Mapping[int, Cells]) -> None:
        """Insert rows, and write *cells*."""
        if added:
            self._reorder()
            splice(self._rows, added)
            self._places = None
        for row, texts in cells.items():
            if self._cells.get(row) != texts:
                self._touch(row)
                self._cells[row] = texts
        self._next = max(self._next, max(added, default=0) + 1)

    def _apply(self, change: TableChange) -> None:
        cells = {row: self._whole(texts) for row, texts in change.cells.items()}
        left = self._cells.keys() - set(change.dropped)
        if (
            change.added.keys() - cells.keys()
            or change.added.keys() & left
            or cells.keys() - change.added.keys() - left
        ):
            raise ValueError("the change has rows that this table does not: it belongs to another table")
        if self._step is not None:
            self._step.moved.update(change.added.keys() & set(change.dropped))
        self._remove([row for row in change.dropped if row in self._cells])
        self._insert(change.added, cells)

    def _cancel(self) -> None:
        """Restore everything as it was before the step."""
        self._apply(self._ended()[1])
        self._ended()
        self._step = None

    def _ended(self) -> tuple[TableChange, TableChange]:
        """What the step did, and what undoes it; updates the states of the rows."""
        step = self._step
        assert step is not None  # noqa: S101
        before, now = step.before, self._cells
        for row in before:
            cells, base = now.get(row), self._base.get(row)
            for rows, holds in (
                (self._new, cells is not None and base is None),
                (self._changed, cells is not None and base is not None and cells != base),
                (self._gone, cells is None and base is not None),
                (self._blank, cells is not None and self._is_blank(cells)),
            ):
                rows.add(row) if holds else rows.discard(row)
        old = {row: cells for row, cells in before.items() if cells is not None}
        new = {row: now[row] for row in before if row in now}
        gone = [row for row in old if row not in new or row in step.moved]
        come = [row for row in new if row not in old or row in step.moved]
        order = self._rows if step.order is None else step.order
        return (
            TableChange(step.name, _written(old, new, come), standing_after(self._rows, come), tuple(gone)),
            TableChange(step.name, _written(new, old, gone), standing_after(order, gone), tuple(come)),
        )

    def _turn(self, steps: deque[tuple[str, TableChange]], other: deque[tuple[str, TableChange]], word: str) -> str:
        with self.lock:
            if not steps or self._step is not None:
                return ""
            name, change = steps.pop()
            self._step = _Step(f"{word}: {name}")
            try:
                self._apply(change)
                done, back = self._ended()
            except BaseException:  # such as an interrupt: the step stays available as before
                self._cancel()
                steps.append((name, change))
                raise
            self._step = None
            other.append((name, back))
            self._tell(done)
            return name

    def _tell(self, change: TableChange) -> None:
        """Call all listeners, even if one of them fails; its error is raised at the end."""
        problems: list[Exception] = []
        for heard in tuple(self._heard):
            try:
                heard(change)
            except Exception as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    # ---- tables

    def _read(self, table: pd.DataFrame) -> dict[int, Cells]:
        """The cells of *table* by row number; rows without a number get new ones."""
        columns = [texts_of(table[column]) for column in self.columns]
        cells = zip(*columns, strict=True) if columns else iter([()] * len(table))
        if table.index.name != ROW:
            numbers = list(range(self._next, self._next + len(table)))
        else:
            known = [int(row) if pd.notna(row) and int(row) > 0 else 0 for row in table.index.tolist()]
            following = iter(range(max([self._next - 1, *known]) + 1, 2**62))
            numbers = [row or next(following) for row in known]
        self._next = max(self._next, max(numbers, default=0) + 1)
        read = dict(zip(numbers, cells, strict=True))
        if len(read) != len(table):
            raise ValueError("the index called “row” has duplicate numbers: each row needs its own")
        return read

    def _framed(self, rows: Sequence[int], cells: Mapping[int, Cells]) -> pd.DataFrame:
        with self.lock:
            columns = list(zip(*map(cells.__getitem__, rows), strict=True)) or [()] * len(self.columns)
            index: pd.Index[int] = pd.Index(list(rows), dtype="int64", name=ROW)
        texts = {name: pd.array(column, dtype=TEXT) for name, column in zip(self.columns, columns, strict=True)}
        return pd.DataFrame(texts, index=index, columns=list(self.columns))

    def _is_blank(self, cells: Cells) -> bool:
        return bool(self._needed) and not any(cells[place].strip() for place in self._needed)

    def _there(self, row: int) -> Cells:
        if row not in self._cells:
            raise ValueError(f"row {row} is no longer there")
        return self._cells[row]

    def _whole(self, cells: Sequence[str]) -> Cells:
        if len(cells) != len(self.columns):
            raise ValueError(f"expected {plural(len(self.columns), 'cell')} for a row, found {len(cells)}")
        return tuple(map(text_of, cells))


def _written(old: Mapping[int, Cells], new: Mapping[int, Cells], come: Iterable[int]) -> dict[int, Cells]:
    """The cells in *new* that differ from *old*, and those of rows that have *come*."""
    fresh = set(come)
    return {row: cells for row, cells in new.items() if row in fresh or old.get(row) != cells}


# ---- row numbers in order


def splice(rows: list[int], added: Mapping[int, int]) -> None:
    """Insert new rows into *rows*, each after the row it names, or at the end if that row does not exist."""
    runs: dict[int, list[int]] = {}
    heads: dict[int, int] = {}
    for row, after in added.items():
        heads[row] = heads.get(after, after)
        runs.setdefault(heads[row], []).append(row)
        if len(runs[heads[row]]) > 1 and runs[heads[row]][-2] != after:
            for each, before in added.items():  # they are not named in the order of the table
                rows.insert(_place(rows, before), each)
            return
    if len(runs) <= FEW:
        for after, run in runs.items():
            at = _place(rows, after)
            rows[at:at] = run
        return
    whole = runs.pop(TOP, [])
    for row in rows:
        whole.append(row)
        if row in runs:
            whole += runs.pop(row)
    rows[:] = [*whole, *(row for run in runs.values() for row in run)]


def _place(rows: Sequence[int], after: int) -> int:
    if after == TOP:
        return 0
    try:
        return rows.index(after) + 1
    except ValueError:
        return len(rows)


def without(rows: list[int], gone: Iterable[int]) -> None:
    """Remove *gone* from *rows*."""
    names = set(gone)
    if len(names) <= FEW:
        for row in names:
            if row in rows:
                rows.remove(row)
    else:
        rows[:] = [row for row in rows if row not in names]


def standing_after(rows: Sequence[int], some: Sequence[int]) -> dict[int, int]:
    """The row that each of *some* comes after in *rows*, in their order there."""
    if len(some) <= FEW:
        places = sorted(rows.index(row) for row in some)
    else:
        names = set(some)
        places = [at for at, row in enumerate(rows) if row in names]
    return {rows[at]: rows[at - 1] if at else TOP for at in places}
