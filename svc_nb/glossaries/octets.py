"""Whole texts as numbers, from their UTF-8, eight octets at a time: no text becomes an object, nor a character."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]

WORD = 8
# Longer texts are few, and taken one by one.
MOST_OCTETS = 1024
MULTIPLIER = np.uint64(0x9DDFEA08EB382D69)
HALF = np.uint64(32)
# For every count of octets what leaves no more of a word.
MASKS = np.array([2 ** (8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)


def numbered(octets: npt.NDArray[np.uint8], bounds: npt.NDArray[np.int64]) -> Numbers:
    """A number for every text that stands in *octets* from one of *bounds* to the next: equal ones share it.

    Different ones may share it too, by a rare accident or by design.
    """
    sizes = np.diff(bounds)
    numbers = sizes.astype(np.uint64)
    words = _words(octets)
    rows, places, left = np.arange(len(sizes)), bounds[:-1], sizes
    while len(rows):
        numbers[rows] = _stirred(numbers[rows] ^ (words[places] & MASKS[np.minimum(left, WORD)]))
        more = np.flatnonzero((left > WORD) & (sizes[rows] <= MOST_OCTETS))
        rows, places, left = rows[more], places[more] + WORD, left[more] - WORD
    for row in np.flatnonzero(sizes > MOST_OCTETS).tolist():
        numbers[row] = np.uint64(hash(octets[bounds[row] : bounds[row + 1]].tobytes()) % 2**64)
    return numbers


def _words(octets: npt.NDArray[np.uint8]) -> Numbers:
    """The eight octets from every place on, with zeros behind the last."""
    padded = np.append(octets, np.zeros(WORD, dtype=np.uint8))
    return np.ndarray(len(octets) + 1, dtype="<u8", buffer=padded, strides=(1,))


def _stirred(numbers: Numbers) -> Numbers:
    """Spread every bit over the upper ones, and these over the lower."""
    numbers *= MULTIPLIER
    numbers ^= numbers >> HALF
    numbers *= MULTIPLIER
    return numbers
