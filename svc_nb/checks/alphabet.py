"""What kind of character a code point is, as bits; worked out when it is first seen, since few ever are."""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

Kinds = npt.NDArray[np.uint16]

SPACE = 1  # Unicode whitespace, as str.isspace has it
CONTROL = 2  # C0, C1, and the line and paragraph separators
INVISIBLE = 4  # formats such as the zero-width space and the byte order mark, and unused code points
LETTER = 8
DIGIT = 16  # decimal digits of any script
UPPER = 32
LOWER = 64
MARK = 128  # combining
UNSPACED = 256  # scripts that put no spaces between words
OPENING = 512  # brackets
CLOSING = 1024
QUOTE = 2048
ENDING = 4096  # what ends a sentence, and the colon
FOREIGN = 8192  # U+FFFD, the lone surrogates
MARKUP = 16384  # what placeholders and tags are made of
WORD = LETTER | DIGIT | MARK

ALL = 0x110000
SEEN = 1 << 15
ENDINGS = frozenset(".!?:;…。！？：；؟۔।॥｡։჻")
QUOTES = frozenset("\"'«»‘’‚‛“”„‟‹›「」『』〝〞〟＂＇｢｣")
UNSPACED_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO", "YI ")
# Spaces that only look like nothing: they are no Unicode whitespace, but nobody sees them either.
BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")

_table: Kinds = np.zeros(ALL, dtype=np.uint16)
# What folding makes of a code point that folds by itself to one; 0 where that is not known yet.
_folds = np.zeros(ALL, dtype=np.uint32)
ALONE = 0xFFFFFFFF
_loose = np.zeros(ALL, dtype=np.uint8)
FIRST_LOOSE = 0x300


def kinds(codes: npt.NDArray[np.uint32]) -> Kinds:
    """The kinds of every code point, as an array of the same length."""
    found = _table.take(codes)
    if not found.all():
        for code in np.unique(codes[found == 0]).tolist():
            _table[code] = _kind(chr(code)) | SEEN
        found = _table.take(codes)
    return found


def _kind(letter: str) -> int:
    category = unicodedata.category(letter)
    bits = {
        SPACE: letter.isspace(),
        CONTROL: category == "Cc" or letter in "\u2028\u2029",
        INVISIBLE: (category in ("Cf", "Cn") or letter in BLANKS) and letter not in "\u200c\u200d",
        LETTER: category[0] == "L",
        DIGIT: category == "Nd",
        UPPER: category in ("Lu", "Lt"),
        LOWER: category == "Ll",
        MARK: category[0] == "M",
        UNSPACED: category in ("Lo", "Lm") and unicodedata.name(letter, "").startswith(UNSPACED_SCRIPTS),
        OPENING: category == "Ps" and letter not in QUOTES and letter not in "‚„",
        CLOSING: category == "Pe" and letter not in QUOTES,
        QUOTE: letter in QUOTES,
        ENDING: letter in ENDINGS,
        MARKUP: letter in "{}<>%",
        FOREIGN: letter == "\N{REPLACEMENT CHARACTER}" or category == "Cs",
    }
    return sum(bit for bit, holds in bits.items() if holds)


def folds(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """What folding case, width and Unicode form makes of every code point; ALONE where it does not fold by itself."""
    found = _folds.take(codes)
    if not found.all():
        for code in np.unique(codes[found == 0]).tolist():
            _folds[code] = _fold(chr(code))
        found = _folds.take(codes)
    return found


def loose(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Where a code point stands that Unicode's composed form may not have, there or at all."""
    found = _loose.take(codes)
    if not found.all():
        for code in np.unique(codes[found == 0]).tolist():
            letter = chr(code)
            _loose[code] = 2 if _melts(letter) or unicodedata.normalize("NFC", letter) != letter else 1
        found = _loose.take(codes)
    where: npt.NDArray[np.bool_] = found == 2
    return where


def _melts(letter: str) -> bool:
    """Whether it can melt into the character before it, as marks do and the later letters of Korean syllables."""
    return unicodedata.category(letter)[0] == "M" or "\u1160" <= letter <= "\u11ff"


def _fold(letter: str) -> int:
    folded = unicodedata.normalize("NFKC", letter).casefold()
    return ALONE if _melts(letter) or len(folded) != 1 or folded == "\0" else ord(folded)
