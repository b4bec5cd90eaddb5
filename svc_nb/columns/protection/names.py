"""Names that are found as whole words in their own case, however many there are: looked up by their first word."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from svc_nb.columns.protection.letters import WORD
from svc_nb.columns.protection.spans import Span

_TOKEN = re.compile(rf"{WORD}+|[\U0001f1e6-\U0001f1ff]{{2}}|\S")  # two letters make a flag
_WORDS = re.compile(rf"{WORD}+")
_OF_WORD = re.compile(WORD)
_SPACE = re.compile(r"\s+")
# What makes one picture of two: joiners, colours of skin, enclosing signs, the letters of flags' tags.
_JOINED = re.compile(r"[\u200d\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_VARIANTS = frozenset("\ufe0e\ufe0f")
# To look for more takes longer than to look closer at once.
_MOST_HINTS = 16

Name = tuple[str, ...]


class Names:
    """*names*, in composed and decomposed letters alike; for a space in them there may be any white space.

    A text with none of `hints` has none of the names.
    """

    def __init__(self, names: Iterable[str]) -> None:
        written = {unicodedata.normalize(form, name) for name in names for form in ("NFC", "NFD")} | {*names}
        parted: set[Name] = {tuple(name.split()) for name in written}
        hints = {name[0] for name in parted}
        self.hints: Sequence[str] = sorted(hints) if len(hints) <= _MOST_HINTS else ("",)
        self._by_head: defaultdict[str, list[Name]] = defaultdict(list)
        for name in sorted(parted, key=lambda name: (-len("".join(name)), name)):
            self._by_head[_TOKEN.findall(name[0])[0]].append(name)
        worded = all(map(_OF_WORD.match, self._by_head))
        self._tokens = _WORDS if worded else _TOKEN

    def spans(self, text: str) -> Iterator[Span]:
        """Where a name stands; of several that begin at a place, the longest."""
        if self._by_head.keys().isdisjoint(self._tokens.findall(text)):
            return
        for token in self._tokens.finditer(text):
            start = token.start()
            for name in self._by_head.get(token[0], ()):
                end = _end(text, start, name)
                if end and _parted(text, start) and _parted(text, end):
                    yield start, end
                    break


def _end(text: str, place: int, name: Name) -> int:
    """Where the *name* that begins at *place* ends; 0 where it is not there."""
    for number, part in enumerate(name):
        space = _SPACE.match(text, place) if number else None
        place = space.end() if space else place
        if not text.startswith(part, place) or (number and not space):
            return 0
        place += len(part)
    return place + 1 if text[place : place + 1] in _VARIANTS else place


def _parted(text: str, place: int) -> bool:
    """Whether no word, and no character as people see it, goes on over *place*."""
    if not 0 < place < len(text):
        return True
    last, following = text[place - 1], text[place]
    if _JOINED.match(following) or last == "\u200d":
        return False
    return not (_goes_on(last) and _goes_on(following))


def _goes_on(letter: str) -> bool:
    return bool(_OF_WORD.match(letter)) or unicodedata.category(letter)[0] == "M"
