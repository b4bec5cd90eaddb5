"""Glossary terms: where they stand in a text and how their targets are written there.

A text and the terms are cut into tokens: a run of letters and digits, one character of a script that writes no
spaces, or one other character. A term stands where its tokens stand, so Latin, Greek or Arabic terms match whole
words only, and Chinese, Japanese, Korean and Thai ones match anywhere. White space matches any white space short of a
new paragraph; composed and decomposed letters match each other.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d"
    "\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
    # of the letters that Unicode always takes apart: nuktas, Tibetan subjoined letters, the stems of notes
    "\u093c\u09bc\u0a3c\u0b3c\u0f71-\u0f84\u0f8d-\u0fbc\U0001d165-\U0001d172"
)
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_TOKEN = re.compile(
    rf"[^\W{_UNSPACED}]++(?:[{_MARKS}]++[^\W{_UNSPACED}]*+)*+"
    r"|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"  # a decomposed Korean syllable
    rf"|\S[{_MARKS}]*+"
)
_TRIES = 8  # so many terms that begin alike and differ from the text in case are tried at one place
_TURKISH_LOWER = str.maketrans({"I": "ı", "İ": "i"})


def upper(text: str, language: str) -> str:
    """Return *text* in capitals; a Turkish i keeps its dot."""
    return (text.replace("i", "İ") if language.partition("-")[0] == "tr" else text).upper()


def with_capital(text: str, language: str) -> str:
    """Return *text* with its first letter a capital; Dutch ``ij`` is one letter."""
    letter = 2 if text[:2] == "ij" and language.partition("-")[0] == "nl" else 1
    return upper(text[:letter], language) + text[letter:]


@dataclass(frozen=True, slots=True)
class Match:
    """A term at ``text[start:end]``: *target* as in the glossary, *written* and *capital* in the text's case."""

    start: int
    end: int
    target: str
    written: str
    capital: str


class Terms:
    """The terms of one dictionary, ready to be found; built once, then never changed.

    An entry without capitals matches any case; one with capitals matches itself, itself with a capital first letter
    and itself in capitals. The target follows: capitals for capitals, a capital first letter for one that the entry
    lacks unless the target has capitals of its own.
    """

    __slots__ = ("_entries", "_lengths", "_terms", "source", "target")

    def __init__(self, entries: Mapping[str, str], source: str, target: str) -> None:
        self.source = source.partition("-")[0]
        self.target = target.partition("-")[0]
        self._entries = dict(entries)
        # The terms by their folded form, and for each first token the lengths of its terms, counted in tokens and kept
        # as bits: bit n is set where a term of n tokens begins so.
        self._terms: dict[str, tuple[str, ...]] = {}
        self._lengths: dict[str, int] = {}
        for term in self._entries:
            key = _folded(" ".join(term.split()), self.source)
            self._terms[key] = (*self._terms.get(key, ()), term)
            if tokens := _TOKEN.findall(key):
                self._lengths[tokens[0]] = self._lengths.get(tokens[0], 0) | 1 << len(tokens)

    def __len__(self) -> int:
        return len(self._entries)

    def longest(self, tokens: "_Tokens", first: int, last: int) -> tuple[int, Match] | None:
        """Return the longest term that begins at token *first* and ends before token *last*, and where it ends."""
        lengths, tries = self._lengths.get(tokens.keys[first], 0), _TRIES
        while tries and (length := lengths.bit_length() - 1) > 0:
            lengths ^= 1 << length
            end = first + length
            if end <= last and (terms := self._terms.get(tokens.key(first, end))):
                if match := self._match(terms, tokens.text, tokens.starts[first], tokens.ends[end - 1]):
                    return end, match
                tries -= 1
        return None

    def _match(self, terms: tuple[str, ...], text: str, start: int, end: int) -> Match | None:
        surface = _plain(text[start:end])

        def fits(term: str) -> bool:
            """Tell whether a *term* that equals the surface but for case may stand for it."""
            if surface == term or term == term.lower():
                return True
            return surface in (upper(term, self.source), with_capital(term, self.source))

        fitting = [term for term in terms if fits(_plain(term))]
        if not fitting:
            return None
        term = next((term for term in fitting if _plain(term) == surface), fitting[0])
        target = self._entries[term]
        capital = with_capital(target, self.target) if target == target.lower() else target
        written = target
        if _is_capitals(surface) and not _is_capitals(term):
            written = upper(target, self.target)
        elif surface[:1].isupper() and not term[:1].isupper():
            written = capital
        return Match(start, end, target, written, capital)


def find(text: str, glossaries: Sequence[Terms], barriers: Sequence[int] = ()) -> list[Match]:
    """Return the terms in *text*, leftmost and longest first; the first glossary counts, none spans a barrier."""
    if not glossaries:
        return []
    tokens, found, at = _Tokens(text, glossaries[0].source), list[Match](), 0
    while at < len(tokens.keys):
        barrier = bisect_right(barriers, tokens.starts[at])
        last = bisect_right(tokens.ends, barriers[barrier]) if barrier < len(barriers) else len(tokens.ends)
        hits = [hit for terms in glossaries if last > at and (hit := terms.longest(tokens, at, last))]
        if hits:
            at, match = max(hits, key=lambda hit: hit[0])  # the first of equals
            found.append(match)
        else:
            at += 1
    return found


class _Tokens:
    """A text's tokens: where each stands in the text, and in the folded text that terms are looked up by."""

    __slots__ = ("_folded", "_from", "_to", "ends", "keys", "starts", "text")

    def __init__(self, text: str, language: str) -> None:
        found = list(_TOKEN.finditer(text))
        self.text = text
        self.starts = [token.start() for token in found]
        self.ends = [token.end() for token in found]
        self.keys = [_folded(token[0], language) for token in found]
        between = [text[end:start] for end, start in zip([0, *self.ends], self.starts, strict=False)]
        gaps = [gap and (" " if gap.count("\n") < 2 else "\n\n") for gap in between]
        self._folded = "".join([part for pair in zip(gaps, self.keys, strict=True) for part in pair])
        self._to = list(accumulate(map(len, map(str.__add__, gaps, self.keys))))
        self._from = [end - len(key) for end, key in zip(self._to, self.keys, strict=True)]

    def key(self, first: int, end: int) -> str:
        """Return what the tokens from *first* up to *end* are looked up by."""
        return self._folded[self._from[first] : self._to[end - 1]]


def _folded(text: str, language: str) -> str:
    if language == "tr":
        text = text.translate(_TURKISH_LOWER)
    text = text.casefold()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _plain(text: str) -> str:
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 1
