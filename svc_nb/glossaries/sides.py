"""A table of terms as the checks see it: both sides of every term on tapes, and the number of its language pair."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks.arrow_text import arrow_octets, in_arrow
from svc_nb.checks.term_search import HashIndex
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray
from svc_nb.glossaries.octets import numbered
from svc_nb.glossaries.table import TERM_COLUMNS, Groups, Pair, Pairs, checked
from svc_nb.tabular.report import short

# Spreads the number of a pair over all bits of a term's number.
SPREAD = np.uint64(0xD6E8FEB86659FD93)


class Sides:
    """`source` and `target` are tapes, made when they are first looked at.

    `codes` is for every row the number in `pairs` of the pair that is meant; a pair that the service does not have
    stands there as it is written.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = checked(table)
        self.written = Pairs(table)
        meant = [_meant(*each) for each in zip(self.written.written, self.written.meant, strict=True)]
        self.pairs: list[Pair] = list(dict.fromkeys(meant))
        place = {pair: number for number, pair in enumerate(self.pairs)}
        numbers = np.array([place[pair] for pair in meant], dtype=np.intp)
        self.codes = numbers[self.written.codes] if len(numbers) else self.written.codes

    def __len__(self) -> int:
        return len(self.table)

    def has_tape(self, name: str) -> bool:
        """Whether a side was put on a tape already."""
        return name in vars(self)

    @cached_property
    def source(self) -> TextArray:
        """The sources."""
        return _tape(self.table, "source")

    @cached_property
    def target(self) -> TextArray:
        """The targets."""
        return _tape(self.table, "target")

    def label(self, row: int) -> str:
        """How a row is called in a message."""
        return short(str(self.table.index[row]))

    def labels(self, rows: Places) -> list[str]:
        """How *rows* are called in a message."""
        return [short(str(label)) for label in self.table.index.take(rows).tolist()]

    @cached_property
    def source_numbers(self) -> Hashes:
        """A number for every source, which equal ones share, and targets that equal them."""
        return self._numbers("source")

    @cached_property
    def target_numbers(self) -> Hashes:
        """A number for every target, which equal ones share, and sources that equal them."""
        return self._numbers("target")

    def _numbers(self, name: str) -> Hashes:
        if all(in_arrow(self.table[each]) for each in TERM_COLUMNS):
            return numbered(*arrow_octets(self.table[name]))
        tape: TextArray = getattr(self, name)
        return tape.text_hashes

    @cached_property
    def salt(self) -> Hashes:
        """For every row what makes of a number a key: one that only equal terms of the same pair share."""
        return salted(self.codes)

    @cached_property
    def sources(self) -> HashIndex:
        """Where every source is, by its key."""
        return HashIndex(self.source_numbers ^ self.salt)

    @cached_property
    def folded_sources(self) -> HashIndex:
        """Where every source is by its key when it is folded."""
        return HashIndex(self.source.folded.text_hashes ^ self.salt)

    @cached_property
    def indices(self) -> Places:
        """For every row which entry of its dictionary it is, from 0."""
        return self._running(np.ones(len(self), dtype=np.int64))

    @cached_property
    def positions(self) -> Places:
        """For every row at which character of its dictionary, as it is sent, its entry begins."""
        return self._running(self.source.lengths + self.target.lengths + 2)

    def _running(self, values: Places) -> Places:
        """The sum of *values* over the rows of the same pair that stand before each row."""
        order, bounds = self.groups.order, self.groups.bounds
        ordered = values[order]
        before = np.cumsum(ordered) - ordered
        sums = np.empty_like(before)
        sums[order] = before - np.repeat(before[bounds[:-1]], np.diff(bounds))
        return sums

    @cached_property
    def groups(self) -> Groups:
        """The rows of every pair."""
        return Groups(self.codes, len(self.pairs))

    @property
    def sizes(self) -> Places:
        """How many bytes every row takes in the entries that are sent, its end included."""
        return self.source.sizes + self.target.sizes + 2

    @property
    def size(self) -> int:
        """How many bytes all entries have, as they are sent."""
        return sum(map(self._size_of, TERM_COLUMNS)) + 2 * len(self) - len(self.pairs)

    def _size_of(self, name: str) -> int:
        if in_arrow(self.table[name]):
            return int(arrow_octets(self.table[name])[1][-1])
        tape: TextArray = getattr(self, name)
        return tape.size - len(tape)

    @property
    def full(self) -> Bools:
        """Which rows have a term on both sides."""
        return (self.source.lengths > 0) & (self.target.lengths > 0)


def salted(codes: npt.NDArray[Any]) -> Hashes:
    """What tells the pairs of these *codes* from others."""
    return codes.astype(np.uint64) * SPREAD


def _meant(written: Pair, meant: tuple[str | None, str | None]) -> Pair:
    source, target = (code or said for said, code in zip(written, meant, strict=True))
    return source, target


def _tape(table: pd.DataFrame, name: str) -> TextArray:
    try:
        return TextArray(table[name])
    except TypeError as problem:
        raise TypeError(f"column {name!r}, {problem}") from None
