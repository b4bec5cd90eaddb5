"""A table of terms as arrays for the checks: both sides of every term, and the number of its language pair.

If pandas keeps texts in Arrow, whole columns are compared and checked in UTF-8, without Python objects for texts.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks.term_search import HashIndex
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray, arrow_octets, controls_in, in_arrow
from svc_nb.tabular.report import short
from svc_nb.tabular.terms import TERM_COLUMNS, Groups, LanguagePairs, Pair, checked, lines_of

Numbers = npt.NDArray[np.uint64]

WORD = 8
# Longer texts are rare, and handled one by one.
MOST_OCTETS = 1024
MULTIPLIER = np.uint64(0x9DDFEA08EB382D69)
HALF = np.uint64(32)
# For every count of octets the mask that keeps only these of a word.
MASKS = np.array([2 ** (8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)


def numbered(octets: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Numbers:
    """A number for every text in *octets* between consecutive *bounds*: equal texts share it, others almost never."""
    sizes = np.diff(bounds)
    numbers = sizes.astype(np.uint64)
    # The eight octets from every place on, with zeros after the last.
    padded = np.append(octets, np.zeros(WORD, dtype=np.uint8))
    words: Numbers = np.ndarray(len(octets) + 1, dtype="<u8", buffer=padded, strides=(1,))
    rows, places, left = np.arange(len(sizes)), bounds[:-1], sizes
    while len(rows):
        stirred = numbers[rows] ^ (words[places] & MASKS[np.minimum(left, WORD)])
        # Spread every bit over the upper bits, and these over the lower ones.
        stirred *= MULTIPLIER
        stirred ^= stirred >> HALF
        stirred *= MULTIPLIER
        numbers[rows] = stirred
        more = np.flatnonzero((left > WORD) & (sizes[rows] <= MOST_OCTETS))
        rows, places, left = rows[more], places[more] + WORD, left[more] - WORD
    for row in np.flatnonzero(sizes > MOST_OCTETS).tolist():
        numbers[row] = np.uint64(hash(octets[bounds[row] : bounds[row + 1]].tobytes()) % 2**64)
    return numbers


Octets = npt.NDArray[np.uint8]


def spotless(column: pd.Series[Any], *, most_bytes: int) -> bool:
    """Whether no term is empty, too long, or has a control character or a space at an edge; in doubt, no."""
    if not in_arrow(column) or not len(column):
        return False
    octets, bounds = arrow_octets(column)
    sizes = np.diff(bounds)
    if not sizes.min() or sizes.max() > most_bytes or controls_in(octets):
        return False
    padded = np.concatenate((np.zeros(2, dtype=np.uint8), octets, np.zeros(2, dtype=np.uint8)))
    starts, ends = bounds[:-1] + 2, bounds[1:] + 2
    first = padded[starts]
    wide = starts[(first >= 0xC2) & (first <= 0xE3)]
    if (first == 0x20).any() or _is_middling(padded, wide) or _is_long(padded, wide):
        return False
    # A place before the text does no harm: a later octet of a character is never a first one.
    second, third = ends - 2, ends - 3
    return not (
        (padded[ends - 1] == 0x20).any()
        or _is_middling(padded, second[padded[second] == 0xC2])
        or _is_long(padded, third[(padded[third] >= 0xE1) & (padded[third] <= 0xE3)])
    )


def _is_middling(octets: Octets, places: Places) -> bool:
    """Whether a space of two octets begins at one of *places*."""
    first, second = octets[places], octets[places + 1]
    return bool(((first == 0xC2) & ((second == 0x85) | (second == 0xA0))).any())


def _is_long(octets: Octets, places: Places) -> bool:
    """Whether a space of three octets begins at one of *places*."""
    first, second, third = octets[places], octets[places + 1], octets[places + 2]
    found: Bools = (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    found |= (first == 0xE2) & (second == 0x80) & ((third <= 0x8A) | (third == 0xAF))
    found |= (first == 0xE2) & (second == 0x81) & (third == 0x9F)
    found |= (first == 0xE3) & (second == 0x80) & (third == 0x80)
    return bool(found.any())


# Spreads the number of a pair over all bits of a term's number.
SPREAD = np.uint64(0xD6E8FEB86659FD93)


class TermArrays:
    """`source` and `target` are tapes, made when they are first looked at.

    `codes` has for every row the index of its pair in `pairs`; a pair that the service does not have is there as
    written.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = checked(table)
        self.written = LanguagePairs(table)
        meant = [
            (source or langs[0], target or langs[1])
            for langs, (source, target) in zip(self.written.written, self.written.meant, strict=True)
        ]
        self.pairs: list[Pair] = list(dict.fromkeys(meant))
        place = {pair: number for number, pair in enumerate(self.pairs)}
        numbers = np.array([place[pair] for pair in meant], dtype=np.intp)
        self.codes = numbers[self.written.codes] if len(numbers) else self.written.codes

    def __len__(self) -> int:
        return len(self.table)

    def has_tape(self, name: str) -> bool:
        """Whether a side was already put on a tape."""
        return name in vars(self)

    @cached_property
    def source(self) -> TextArray:
        """The sources."""
        return _tape(self.table, "source")

    @cached_property
    def target(self) -> TextArray:
        """The targets."""
        return _tape(self.table, "target")

    @cached_property
    def lines(self) -> pd.Series[int] | None:
        """The line of every row in its file."""
        return lines_of(self.table)

    def label(self, row: int) -> str:
        """The name of a row in a message."""
        return self.labels(np.array([row]))[0]

    def labels(self, rows: Places) -> list[str]:
        """The names of *rows* in a message."""
        labels = [short(str(label)) for label in self.table.index.take(rows).tolist()]
        if self.lines is None:
            return labels
        lines = self.lines.take(rows).tolist()
        return [label if pd.isna(line) else f"{label} (line {line})" for label, line in zip(labels, lines, strict=True)]

    @cached_property
    def source_numbers(self) -> Hashes:
        """A number for every source, shared by equal sources and targets."""
        return self._numbers("source")

    @cached_property
    def target_numbers(self) -> Hashes:
        """A number for every target, shared by equal targets and sources."""
        return self._numbers("target")

    def _numbers(self, name: str) -> Hashes:
        if all(in_arrow(self.table[each]) for each in TERM_COLUMNS):
            return numbered(*arrow_octets(self.table[name]))
        tape: TextArray = getattr(self, name)
        return tape.text_hashes

    @cached_property
    def salt(self) -> Hashes:
        """For every row the salt that turns a number into a key shared only by equal terms of the same pair."""
        return salted(self.codes)

    @cached_property
    def sources(self) -> HashIndex:
        """Where every source is, by its key."""
        return HashIndex(self.source_numbers ^ self.salt)

    @cached_property
    def folded_sources(self) -> HashIndex:
        """Where every folded source is, by its key."""
        return HashIndex(self.source.folded.text_hashes ^ self.salt)

    @cached_property
    def indices(self) -> Places:
        """For every row the index of its entry in its dictionary, from 0."""
        return self._running(np.ones(len(self), dtype=np.int64))

    @cached_property
    def positions(self) -> Places:
        """For every row the character of its dictionary, as sent, at which its entry begins."""
        return self._running(self.source.lengths + self.target.lengths + 2)

    def _running(self, values: Places) -> Places:
        """The sum of *values* over the rows of the same pair before each row."""
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
        """The number of bytes of every row in the entries that are sent, including its end."""
        return self.source.sizes + self.target.sizes + 2

    @property
    def size(self) -> int:
        """The number of bytes of all entries, as sent."""
        total = 2 * len(self) - len(self.pairs)
        for name in TERM_COLUMNS:
            if in_arrow(self.table[name]):
                total += int(arrow_octets(self.table[name])[1][-1])
            else:
                tape: TextArray = getattr(self, name)
                total += tape.size - len(tape)
        return total

    @property
    def full(self) -> Bools:
        """Which rows have a term on both sides."""
        return (self.source.lengths > 0) & (self.target.lengths > 0)


def salted(codes: npt.NDArray[Any]) -> Hashes:
    """The salt of the pairs of these *codes*."""
    return codes.astype(np.uint64) * SPREAD


def _tape(table: pd.DataFrame, name: str) -> TextArray:
    try:
        return TextArray(table[name])
    except TypeError as problem:
        raise TypeError(f"column {name!r}, {problem}") from None
