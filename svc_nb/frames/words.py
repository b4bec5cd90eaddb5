"""The words on a tape, as places: from where to where; a script without spaces has a word in every character."""

from __future__ import annotations

import numpy as np

from svc_nb.frames import alphabet
from svc_nb.frames.tape import Numbers, Places, Tape

# How many slots there are: some for every number, so that few are fought for.
SPARE_BITS = 3
MOST_BITS = 22


class Words:
    """`starts` and `ends` are the places of every word on *tape*, `rows` are their rows."""

    def __init__(self, tape: Tape) -> None:
        kinds = tape.kinds
        inside = (kinds & alphabet.WORD) != 0
        alone = (kinds & alphabet.UNSPACED) != 0
        before = np.concatenate(([False], inside[:-1]))
        joined = inside & before & ~alone
        joined[1:] &= ~alone[:-1] | ((kinds[1:] & alphabet.MARK) != 0)
        self.tape = tape
        self.starts: Places = np.flatnonzero(inside & ~joined)
        goes_on = np.concatenate((joined[1:], [False]))
        self.ends: Places = np.flatnonzero(inside & ~goes_on) + 1
        self.rows = tape.rows_of(self.starts)

    def runs(self, length: int) -> tuple[Places, Places, Places]:
        """From where to where every run of *length* words goes that stays in one text, and its row."""
        last = self.rows[length - 1 :]
        first = self.rows[: len(last)]
        whole = first == last
        return self.starts[: len(last)][whole], self.ends[length - 1 :][whole], first[whole]


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
        self._late = np.flatnonzero(numbers[self._table[slots]] != numbers)
        self._late = self._late[np.argsort(numbers[self._late], kind="stable")]

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
