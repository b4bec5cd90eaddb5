"""One side of many translations, source or target, in views that are cheap because most characters are letters.

A view is made once, when a check first asks for it. The sparse ones hold only the places that matter: signs (neither
letters, digits nor spaces), digits, and what nobody should see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from svc_nb.checks import alphabet
from svc_nb.checks.tape import Bools, Numbers, Places, Tape

Ints = npt.NDArray[Any]

STIR = np.uint64(0x9FB21C651E98DF25)
MARKED = alphabet.WORD | alphabet.SPACE
HIDDEN = alphabet.CONTROL | alphabet.INVISIBLE | alphabet.FOREIGN


@dataclass(frozen=True)
class Spots:
    """Some places of a tape, with the row and the code point of each."""

    places: Places
    rows: Ints
    codes: Ints

    def where(self, which: Bools) -> Spots:
        """Some of them only."""
        return Spots(self.places[which], self.rows[which], self.codes[which])

    def among(self, characters: str) -> Spots:
        """Those of *characters* only."""
        return self.where(np.isin(self.codes, [ord(letter) for letter in characters]))


@dataclass(frozen=True)
class Words:
    """The words of a tape: where each starts and ends, its row, and a number that equal words share."""

    starts: Places
    ends: Places
    rows: Ints
    numbers: Numbers


class Side:
    """*texts*, none of them missing."""

    def __init__(self, texts: Sequence[str] | Any) -> None:
        self.tape = texts if isinstance(texts, Tape) else Tape(texts)

    def __len__(self) -> int:
        return len(self.tape)

    def __getitem__(self, row: int) -> str:
        return self.tape[row]

    @cached_property
    def row_at(self) -> npt.NDArray[np.int32]:
        """The row of every place."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.tape.lengths + 1)

    def spots(self, which: Bools) -> Spots:
        """The places where *which* is true."""
        places = np.flatnonzero(which)
        return Spots(places, self.row_at[places], self.tape.codes[places])

    @cached_property
    def signs(self) -> Spots:
        """What is neither letter, digit, mark nor space."""
        return self.spots((self.tape.kinds & MARKED) == 0)

    @cached_property
    def digits(self) -> Spots:
        """Decimal digits of any script."""
        return self.spots((self.tape.kinds & alphabet.DIGIT) != 0)

    @cached_property
    def hidden(self) -> Spots:
        """Controls, formats, unused code points and replacement characters; a newline in a text is a vertical tab."""
        which = (self.tape.kinds & HIDDEN) != 0
        which[self.tape.ends] = False
        return self.spots(which)

    @cached_property
    def spaces(self) -> Places:
        """Where spaces are, and the ends of texts."""
        return np.flatnonzero((self.tape.kinds & alphabet.SPACE) != 0)

    @cached_property
    def words(self) -> Words:
        """Stretches of letters, digits and marks."""
        inside = np.zeros(len(self.tape.codes) + 1, dtype=np.int8)
        inside[1:] = (self.tape.kinds & alphabet.WORD) != 0
        change = np.flatnonzero(inside[1:] != inside[:-1])
        # A tape ends with an end mark, so that every start has its end.
        starts, ends = change[::2], change[1::2]
        return Words(starts, ends, self.row_at[starts], self.tape.numbers(starts, ends))

    @cached_property
    def uppers(self) -> Places:
        """How many upper-case letters every text has."""
        return self.tape.sums((self.tape.kinds & alphabet.UPPER) != 0)

    @cached_property
    def lowers(self) -> Places:
        """How many lower-case letters every text has."""
        return self.tape.sums((self.tape.kinds & alphabet.LOWER) != 0)

    def counts(self, spots: Spots) -> Places:
        """How many of *spots* every text has."""
        return np.bincount(spots.rows, minlength=len(self))

    def holding(self, characters: str) -> Bools:
        """For every text whether one of the signs *characters* is in it."""
        return self.counts(self.signs.among(characters)) > 0

    def between(self, opening: str, closing: str) -> tuple[Ints, Numbers]:
        """The row and the number of every stretch from the sign *opening* to the next *closing*."""
        opens, closes = self.signs.among(opening), self.signs.among(closing)
        last = np.append(closes.places, len(self.tape.codes) - 1)[
            np.searchsorted(closes.places, opens.places)
        ]
        ends = np.minimum(last + 1, self.tape.ends[opens.rows])
        return opens.rows, self.tape.numbers(opens.places, ends)

    def around(self, spots: Spots) -> tuple[Ints, Numbers]:
        """The row and the number of the stretch without spaces around each of *spots*."""
        place = np.searchsorted(self.spaces, spots.places)
        starts = np.maximum(self.spaces[place - 1] + 1, self.tape.starts[spots.rows])
        return spots.rows, self.tape.numbers(starts, self.spaces[place])

    def sequences(self, rows: Ints, items: Ints) -> Numbers:
        """As `bags`, but other numbers for another order; *items* are in the order of the texts."""
        if not len(rows):
            return self.bags(rows, items)
        first = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        rank = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
        return self.bags(rows, items.astype(np.uint64) ^ (rank.astype(np.uint64) * STIR))

    def bags(self, rows: Ints, items: Ints) -> Numbers:
        """For every text a number of the bag of its *items*: equal bags have equal numbers, in whatever order."""
        mixed = (items.astype(np.uint64) + np.uint64(1)) * STIR
        mixed ^= mixed >> np.uint64(31)
        mixed *= STIR
        found = np.zeros(len(self), dtype=np.uint64)
        np.add.at(found, rows, mixed)
        return found
