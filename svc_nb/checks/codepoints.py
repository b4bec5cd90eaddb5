"""The kind of character of each code point, as bits; computed when first needed, because few ever are."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Kinds = npt.NDArray[np.uint16]

SPACE = 1  # Unicode white space, as in str.isspace
CONTROL = 2  # C0, C1, and the line and paragraph separators
INVISIBLE = 4  # formats such as the zero-width space and the byte order mark, and unused code points
LETTER = 8
DIGIT = 16  # decimal digits of any script
UPPER = 32
LOWER = 64
MARK = 128  # combining
UNSPACED = 256  # scripts without spaces between words
OPENING = 512  # brackets
QUOTE = 2048
FOREIGN = 8192  # U+FFFD, the lone surrogates
MARKUP = 16384  # the characters of placeholders and tags
SEEN = 1 << 15
WORD = LETTER | DIGIT | MARK

QUOTES = frozenset("\"'«»‘’‚‛“”„‟‹›「」『』〝〞〟＂＇｢｣")
UNSPACED_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO", "YI ")
# Blank characters that are not Unicode white space, but also invisible.
BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
# The result of `folds` for a character that does not fold by itself to a single one.
ALONE = 0xFFFFFFFF
FIRST_LOOSE = 0x300


class Lookup:
    """A number for every code point, never 0, from *work_out*, which is called once for each character."""

    def __init__(self, dtype: type[np.unsignedinteger[Any]], work_out: Callable[[str], int]) -> None:
        self._known: npt.NDArray[Any] = np.zeros(0x110000, dtype=dtype)
        self._work_out = work_out

    def __call__(self, codes: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        """The numbers of *codes*, as an array of the same length."""
        found = self._known.take(codes)
        if not found.all():
            for code in np.unique(codes[found == 0]).tolist():
                self._known[code] = self._work_out(chr(code))
            found = self._known.take(codes)
        return found


def _kind(letter: str) -> int:
    category = unicodedata.category(letter)
    bits = {
        SEEN: True,
        SPACE: letter.isspace(),
        CONTROL: category == "Cc" or letter in "\u2028\u2029",
        INVISIBLE: (category in ("Cf", "Cn") or letter in BLANKS) and letter not in "\u200c\u200d",
        LETTER: category[0] == "L",
        DIGIT: category == "Nd",
        UPPER: category in ("Lu", "Lt"),
        LOWER: category == "Ll" and not "\u10d0" <= letter <= "\u10ff",  # Georgian is written without capitals
        MARK: category[0] == "M",
        UNSPACED: category in ("Lo", "Lm") and unicodedata.name(letter, "").startswith(UNSPACED_SCRIPTS),
        OPENING: category == "Ps" and letter not in QUOTES and letter not in "‚„",
        QUOTE: letter in QUOTES,
        MARKUP: letter in "{}<>%",
        FOREIGN: letter == "\N{REPLACEMENT CHARACTER}" or category == "Cs",
    }
    return sum(bit for bit, holds in bits.items() if holds)


def _melts(letter: str) -> bool:
    """Whether it can merge with the character before it, like marks and the later letters of Korean syllables."""
    return unicodedata.category(letter)[0] == "M" or "\u1160" <= letter <= "\u11ff"


def _fold(letter: str) -> int:
    folded = unicodedata.normalize("NFKC", letter).casefold()
    return ALONE if _melts(letter) or len(folded) != 1 or folded == "\0" else ord(folded)


# The bits above for every code point.
kinds = Lookup(np.uint16, _kind)
# The result of folding case, width and Unicode form for every code point; ALONE if it does not fold by itself.
folds = Lookup(np.uint32, _fold)
# 2 for a code point that may not be allowed in Unicode's composed form, in some places or at all; else 1.
looseness = Lookup(np.uint8, lambda letter: 1 + (_melts(letter) or unicodedata.normalize("NFC", letter) != letter))
