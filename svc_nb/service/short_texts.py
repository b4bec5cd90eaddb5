"""A small model of letters and words that tells languages apart where a text has few words.

A text is read as words in lower case. Each run of one to five letters inside a word, its edges included, and each
whole word is a feature; its hash names a row of a table of vectors. The vectors of a text are added up, and a matrix
turns the sum into a score for each language. `tests/detection` trains the model and says from which texts.
"""

import re
from collections.abc import Sequence
from importlib import resources

import numpy as np
import numpy.typing as npt

from . import catalogue

MODEL = "short_texts.npz"
LONGEST = 5
BITS = 16

Floats = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint64]

_WORD = re.compile(r"[^\W\d_]+(?:['·][^\W\d_]+)*|[¿¡]")
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_POWERS = np.array([pow(int(_BASE), power, 2**64) for power in range(64)], dtype=np.uint64)
_WHOLE_WORD = 99


def words(text: str) -> list[str]:
    """Return the words of *text* in lower case; the Turkish capital I with a dot becomes one letter, not two."""
    return _WORD.findall(text.lower().replace("i\u0307", "i").replace("’", "'"))


def features(texts: Sequence[Sequence[str]]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the features of *texts*, given as words, and for each feature the number of its text.

    >>> rows, numbers = features([["ab"], []])
    >>> len(rows), set(numbers.tolist())
    (9, {0})
    """
    lines = [" ".join(["", *listed]) or " " for listed in texts]
    # One space ends the last word; that of any other text is the one before the next.
    letters = np.frombuffer(("".join(lines) + " ").encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    numbers = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    codes, space = letters.astype(np.uint64), letters == ord(" ")
    found, whose = [_rows(codes[~space], 1)], [numbers[~space[:-1]]]
    run, whole = codes, np.ones(len(codes), dtype=bool)
    for length in range(2, LONGEST + 1):
        run = run[:-1] * _BASE + codes[length - 1 :]
        # Inside a run there is no space; of two letters both are at its edge.
        whole = whole[:-1] & ~space[length - 2 : -1] if length > 2 else ~(space[:-1] & space[1:])
        found.append(_rows(run[whole], length))
        whose.append(numbers[: len(run)][whole])
    starts = np.flatnonzero(space[:-1] & ~space[1:]) + 1
    if len(starts):
        places = np.arange(len(codes))
        within = places - np.maximum.accumulate(np.where(space, places, 0)) - 1
        weighed = np.where(space, np.uint64(0), codes * _POWERS[np.clip(within, 0, len(_POWERS) - 1)])
        found.append(_rows(np.add.reduceat(weighed, starts), _WHOLE_WORD))
        whose.append(numbers[starts])
    return np.concatenate(found), np.concatenate(whose)


def _rows(hashes: Hashes, kind: int) -> npt.NDArray[np.intp]:
    """Return the row of the table for each of *hashes*, other ones for each *kind* of feature."""
    mixed = (hashes ^ np.uint64(kind * 0x1234567)) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
    return (mixed >> np.uint64(64 - BITS)).astype(np.intp)


class ShortTexts:
    """The model, as it was trained; its vectors are whole numbers, so that sums do not depend on their order."""

    def __init__(self) -> None:
        with resources.files(catalogue).joinpath(MODEL).open("rb") as file, np.load(file) as stored:
            self.labels: list[str] = stored["labels"].tolist()
            self._vectors: npt.NDArray[np.int8] = stored["vectors"]
            self._matrix: Floats = stored["matrix"].astype(np.float32)
            self._bias: Floats = stored["bias"].astype(np.float32)

    def scores(self, texts: Sequence[Sequence[str]]) -> Floats:
        """Return a row of scores, one for each label, for each of *texts*, given as words."""
        rows, numbers = features(texts)
        order = np.argsort(numbers, kind="stable")
        counts = np.bincount(numbers, minlength=len(texts))
        sums = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        edges = np.cumsum(counts) - counts
        filled = counts > 0
        if filled.any():
            sums[filled] = np.add.reduceat(
                self._vectors.take(rows[order], axis=0), edges[filled], axis=0, dtype=np.int32
            ) / np.sqrt(counts[filled, None])
        # einsum, not @: BLAS spreads such small products over threads and may take a hundred times as long.
        scores: Floats = np.einsum("ij,jk->ik", sums, self._matrix) + self._bias
        return scores
