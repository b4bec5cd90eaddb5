"""Where sentences end: borders as offsets, found in one linear pass; when in doubt there is none."""

import re
from itertools import pairwise
from typing import Literal

from ..catalogue import read

Split = Literal["0", "1", "nonewlines"]

LONGEST = 1000  # no sentence is longer, in characters: a neural translator loses its thread long before

# Words that end in a full stop without ending a sentence though a capital follows. Whatever a lower-case letter
# follows never ends a sentence, so only titles, names of streets and the like are there.
ABBREVIATIONS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in read("abbreviations.json").items()
}

# Here a number with a full stop is an ordinal ("3. Auflage"), not the end of a sentence.
ORDINALS = frozenset({"cs", "da", "de", "et", "fi", "hu", "lv", "nb", "sk", "sl", "tr", "pl"})

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
    base, ends = language.partition("-")[0], list[int]()
    for stop in _STOP.finditer(text) if mode != "0" else ():
        start, end = ends[-1] if ends else 0, _after(_BLANKS, text, stop.end())
        if end < len(text) and _ends_sentence(text, start, stop, end, base):
            ends.append(end)
    if mode == "1" and (newlines := [line.end() for line in _NEWLINE.finditer(text) if line.start()]):
        ends = sorted({*ends, *newlines})
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    if len(text) <= LONGEST:
        return ends
    shortened, start = (list[int](), 0)  # a longer sentence is cut at the best place in the second half of the longest
    for end in ends:
        while end - start > LONGEST:
            low, high = start + LONGEST // 2, start + LONGEST
            places = ([match.end() for match in weak.finditer(text, low, high)] for weak in _WEAK)
            if best := next(filter(None, places), None):
                high = best[-1]
            else:
                while high > low and _ATTACHED.match(text, high):
                    high -= 1
            shortened.append(high)
            start = high
        shortened.append(end)
        start = end
    return shortened


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int, language: str) -> bool:
    """Tell whether the sentence that began at *start* ends with the mark *stop*; what follows begins at *end*."""
    mark = stop["mark"]
    if mark[-1] in _FULL_WIDTH:  # a quotation that continues without a space belongs to its frame
        return not stop["quote"] or end > stop.end()
    if end == stop.end() or (mark in _GREEK_QUESTION and language != "el"):
        return False
    first = _after(_OPENERS, text, end)
    if text[first : first + 1].islower() and mark not in _GREEK_QUESTION:
        return False
    if mark != ".":
        return True
    # Tell a full stop from the point of an abbreviation, an initial, an ordinal or a list number.
    at = stop.start()
    word = _WORD_BREAK.split(text[max(start, at - 24) : at])[-1]
    if word.isdecimal():
        ordinal = language in ORDINALS and len(word) < 4
        return not ordinal and at - start > len(word)
    if len(word) == 1 and word.isalpha():
        return language == "en" and word == "I"
    if _DOTTED.fullmatch(word) or (len(word) <= 6 and _NUMBER.match(text, first)):
        return False
    return word.lower() not in ABBREVIATIONS.get(language, ())


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
