"""What is known of texts that stood in earlier blocks of a file, without keeping all of them in memory."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# What an entry weighs besides its texts, and what all of them may weigh together, in bytes, about.
ENTRY = 500
MOST = 1 << 26


class Came(NamedTuple):
    """What came of a text: a result for each language that it goes into, and the number of how it came to these."""

    texts: tuple[str | None, ...]
    kind: int


class Known:
    """What came of texts; of too many of them, those that were not asked for in a long time are forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most // 2
        self._young: dict[Hashable, Came] = {}
        self._old: dict[Hashable, Came] = {}
        self._weight = 0

    def get(self, key: Hashable) -> Came | None:
        """What came of a text, if that is known."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Hashable, came: Came) -> None:
        """Remember what came of a text."""
        self._young[key] = came
        self._weight += _weight(key, came)
        if self._weight > self._most:
            self._old, self._young, self._weight = self._young, {}, 0


class Seen:
    """A set of texts of which only eight bytes each are kept."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.int64]] = []

    def add(self, keys: Sequence[Hashable]) -> None:
        """Add texts; those that are there already do no harm."""
        if not keys:
            return
        part = np.unique(_hashes(keys))
        # Each part is more than twice as long as the next, so that there are few of them.
        while self._parts and len(self._parts[-1]) <= 2 * len(part):
            part = np.union1d(self._parts.pop(), part)
        self._parts.append(part)

    def has(self, keys: Sequence[Hashable]) -> list[bool]:
        """Whether each of the texts is there.

        >>> seen = Seen()
        >>> seen.add(["a", "b"])
        >>> seen.has(["b", "c"])
        [True, False]
        """
        asked = _hashes(keys)
        found = np.zeros(len(asked), dtype=bool)
        for part in self._parts:
            places = np.minimum(np.searchsorted(part, asked), len(part) - 1)
            found |= part[places] == asked
        listed: list[bool] = found.tolist()
        return listed


def _weight(key: Hashable, came: Came) -> int:
    """What an entry takes in memory, in bytes, about: the text, and all that came of it."""
    named = key if isinstance(key, tuple) else (key,)
    return ENTRY + sum(map(sys.getsizeof, (*named, *came.texts)))


def _hashes(keys: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys))
