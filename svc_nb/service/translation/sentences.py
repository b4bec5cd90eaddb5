"""Where sentences end: borders as offsets, so that the sentences joined are always the text itself.

One linear pass over the possible ends. When in doubt there is no border: a translator copes better with two
sentences at once than with half of one.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from .abbreviations import ABBREVIATIONS, ORDINALS

Split = Literal["0", "1", "nonewlines"]

LONGEST = 1000
"""No sentence is longer, in characters: a neural translator loses its thread long before."""

_CLOSERS = "\"'”’»›)\\]}」』）】〕》〉"
_STOP = re.compile(rf"(?P<mark>[.!?…؟۔。！？｡;\u037e]++)(?P<quote>[{_CLOSERS}]*+(?:“(?=\s|$))?)")
_FULL_WIDTH = frozenset("。！？｡")
_NEWLINE = re.compile(r"[\n\r\u2028\u2029]\s*+")
_BLANKS = re.compile(r"\s*+")
_OPENERS = re.compile(r"[\s\"'“„”«»‹›‘‚’(\[{¿¡「『（*_–—•-]*+")
_WORD_BREAK = re.compile(r"[\s\"'’“„«(‘‚\[]")
_DOTTED = re.compile(r"\w{1,3}(?:\.\w{1,3})+(?<!\d)")
_NUMBER = re.compile(r"\d(?!\d{0,2}[.)]\s)")  # but not a list's
_WEAK = (re.compile(r"[.!?…;:؛](?:\s+)|[；：]"), re.compile(r"[,،)](?:\s+)|[，、）]"), re.compile(r"\s+"))
_GREEK_QUESTION = ";\u037e"
_ATTACHED = re.compile(
    r"[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200d\ufe00-\ufe0f\u3099\u309a\U0001f3fb-\U0001f3ff]"
)


def split(text: str, mode: Split = "1", language: str = "en") -> list[str]:
    """Cut *text* into sentences, each with the white space that follows it; joined they are *text*.

    >>> split("Dr. No came. He left.")
    ['Dr. No came. ', 'He left.']
    """
    ends = borders(text, mode, language)
    return [text[start:end] for start, end in pairwise([0, *ends])]


def borders(text: str, mode: Split = "1", language: str = "en") -> list[int]:
    """Return the offsets at which the sentences of *text* end, rising, the last one its length; none for ``""``."""
    if not text:
        return []
    ends = [] if mode == "0" else list(_stops(text, language.partition("-")[0]))
    newlines = (
        [newline.end() for newline in _NEWLINE.finditer(text) if newline.start()] if mode == "1" else []
    )
    if newlines:
        ends = sorted({*ends, *newlines})
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return ends if len(text) <= LONGEST else list(_shortened(text, ends))


def _stops(text: str, language: str) -> Iterator[int]:
    start = 0
    for stop in _STOP.finditer(text):
        end = _after(_BLANKS, text, stop.end())
        if end < len(text) and _ends_sentence(text, start, stop, end, language):
            yield end
            start = end


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int, language: str) -> bool:
    mark = stop["mark"]
    if mark[-1] in _FULL_WIDTH:  # a quotation that goes on without a space belongs to its frame
        return not stop["quote"] or end > stop.end()
    if end == stop.end() or (mark in _GREEK_QUESTION and language != "el"):
        return False
    first = _after(_OPENERS, text, end)
    if text[first : first + 1].islower() and mark not in _GREEK_QUESTION:
        return False
    return mark != "." or _is_full_stop(text, start, stop.start(), first, language)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _is_full_stop(text: str, start: int, at: int, following: int, language: str) -> bool:
    """Tell a full stop from the point of an abbreviation, an initial, an ordinal or a list number.

    The sentence so far began at *start*, the point stands *at* and the next word begins at *following*.
    """
    words = _WORD_BREAK.split(text[max(start, at - 24) : at])
    word = words[-1]
    if word.isdecimal():
        ordinal = language in ORDINALS and len(word) < 4
        return not ordinal and at - start > len(word)
    if len(word) == 1 and word.isalpha():
        return language == "en" and word == "I"
    if _DOTTED.fullmatch(word) or (len(word) <= 6 and _NUMBER.match(text, following)):
        return False
    return word.lower() not in ABBREVIATIONS.get(language, ())


def _shortened(text: str, ends: list[int]) -> Iterator[int]:
    start = 0
    for end in ends:
        while end - start > LONGEST:
            start = _weak_border(text, start)
            yield start
        yield end
        start = end


def _weak_border(text: str, start: int) -> int:
    """Return the best place to cut in the second half of the longest sentence allowed from *start*."""
    low, high = start + LONGEST // 2, start + LONGEST
    for weak in _WEAK:
        ends = [match.end() for match in weak.finditer(text, low, high)]
        if ends:
            return ends[-1]
    while high > low and _ATTACHED.match(text, high):
        high -= 1
    return high
