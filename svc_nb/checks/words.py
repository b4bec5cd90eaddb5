"""The words on a tape, as places: from where to where; a script without spaces has a word in every character."""

from __future__ import annotations

import numpy as np

from svc_nb.checks import alphabet
from svc_nb.checks.tape import Bools, Numbers, Places, Tape

# How many slots there are: some for every number, so that few are fought for.
SPARE_BITS = 3
MOST_BITS = 22


class Words:
    """`starts` and `ends` are the places of every word on *tape*, `rows` are their rows."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.starts, self.ends = (
            _parted(tape.kinds) if (tape.kinds & alphabet.UNSPACED).any() else _spaced(tape.kinds)
        )
        self.rows = tape.rows_of(self.starts)

    def runs(self, length: int, among: Bools | None = None) -> tuple[Places, Places, Places]:
        """From where to where every run of *length* words goes that stays in one text, and its row.

        Only in the rows where *among* is true, if it is given.
        """
        last = self.rows[length - 1 :]
        first = self.rows[: len(last)]
        whole = first == last
        if among is not None:
            whole &= among[first]
        places = np.flatnonzero(whole)
        return self.starts[places], self.ends[places + length - 1], first[places]


def _spaced(kinds: alphabet.Kinds) -> tuple[Places, Places]:
    """From where to where words go that something stands between; a tape ends with an end."""
    inside = np.zeros(len(kinds) + 1, dtype=np.bool_)
    inside[1:] = (kinds & alphabet.WORD) != 0
    changes = np.flatnonzero(inside[1:] != inside[:-1])
    return changes[::2], changes[1::2]


def _parted(kinds: alphabet.Kinds) -> tuple[Places, Places]:
    """As `_spaced`, with a word in every character of the scripts without spaces; marks stay with their letters."""
    inside = (kinds & alphabet.WORD) != 0
    alone = (kinds & alphabet.UNSPACED) != 0
    joined = inside & ~alone
    joined[1:] &= inside[:-1] & (~alone[:-1] | ((kinds[1:] & alphabet.MARK) != 0))
    joined[:1] = False
    goes_on = np.append(joined[1:], False)
    return np.flatnonzero(inside & ~joined), np.flatnonzero(inside & ~goes_on) + 1


class Directory:
    """Where numbers stand in an array, found for many at once.

    A table of slots has the first place for the upper bits of each number; numbers that found their slot taken by
    another are few, and looked up in order.
    """

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._bits = min(len(numbers).bit_length() + SPARE_BITS, MOST_BITS)
        places = np.arange(len(numbers))
        slots = self._slots(numbers)
        self._table = np.full(1 << self._bits, -1, dtype=np.int64)
        self._table[slots[::-1]] = places[::-1]
        self._slotted = self._table[slots]
        late = np.flatnonzero(numbers[self._slotted] != numbers)
        self._late = late[np.argsort(numbers[late], kind="stable")]

    def repeated(self) -> tuple[Places, Places]:
        """The places of the numbers that stood at an earlier place already, and the first place of each."""
        first = self._slotted.copy()
        late = self._numbers[self._late]
        heads = np.flatnonzero(np.append(late[:1] == late[:1], late[1:] != late[:-1]))
        first[self._late] = np.repeat(self._late[heads], np.diff(heads, append=len(late)))
        places = np.flatnonzero(first != np.arange(len(first)))
        return places, first[places]

    def find(self, numbers: Numbers) -> tuple[Places, Places]:
        """The places in *numbers* of those that are in the array, and the first place in the array of each."""
        slotted = self._table[self._slots(numbers)]
        taken = np.flatnonzero(slotted >= 0)
        slotted = slotted[taken]
        first = self._numbers[slotted] == numbers[taken]
        places, found = self._find_late(numbers, taken[~first])
        return np.concatenate((taken[first], places)), np.concatenate((slotted[first], found))

    def _find_late(self, numbers: Numbers, places: Places) -> tuple[Places, Places]:
        late = self._numbers[self._late]
        near = np.searchsorted(late, numbers[places])
        there = near < len(late)
        places, near = places[there], near[there]
        same = late[near] == numbers[places]
        return places[same], self._late[near[same]]

    def _slots(self, numbers: Numbers) -> Places:
        return (numbers >> np.uint64(64 - self._bits)).astype(np.int64)
