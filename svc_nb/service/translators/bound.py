"""Pairs of tags as Apertium's word-bound blanks, which move with the words that they are around.

The n-th pair of a text is U+F000 + n where it opens and U+F400 + n where it closes. In the stream each word of it
carries the number: ``[[0]]red[[/]]``. In the answer the pair goes around the longest row of words that carry it; a
pair whose words are all gone is left out, for the caller to see.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

Part = tuple[str, frozenset[int]]

OPEN, CLOSE, MOST = 0xF000, 0xF400, 0x400

_MARK = re.compile("[\uf000-\uf7ff]")
_TOKEN = re.compile(r"\w+(?:['’.-]\w+)*|[!?.,;:…]")
_NONE: frozenset[int] = frozenset()


def parts(text: str) -> Iterator[Part]:
    """Yield *text* in parts, each with the pairs that it belongs to; a pair without words stays in its place."""
    clean, pairs = _spread(text)
    at = 0
    for token in _TOKEN.finditer(clean):
        numbers = _NONE.union(*pairs[token.start() : token.end()])
        if numbers:
            yield clean[at : token.start()], _NONE
            yield token[0], numbers
            at = token.end()
    yield clean[at:], _NONE


def _spread(text: str) -> tuple[str, list[frozenset[int]]]:
    """Return *text* without the marks of its pairs, and for each character the pairs around it."""
    bound = set(_bound(text))
    signs: list[str] = []
    pairs: list[frozenset[int]] = []
    around = _NONE
    for sign in text:
        number, opens = _pair(sign)
        if number is None or number not in bound:
            signs.append(sign)
            pairs.append(around)
        else:
            around = around | {number} if opens else around - {number}
    return "".join(signs), pairs


def _bound(text: str) -> Iterator[int]:
    """Yield the pairs that open before they close, once each, with a word between."""
    for sign in set(_MARK.findall(text)):
        number, opens = _pair(sign)
        if number is not None and opens and text.count(sign) == text.count(chr(CLOSE + number)) == 1:
            inside = text[text.index(sign) : text.index(chr(CLOSE + number))]
            if re.search(r"\w", inside):
                yield number


def _pair(sign: str) -> tuple[int | None, bool]:
    if not _MARK.match(sign):
        return None, False
    opens = ord(sign) < CLOSE
    return ord(sign) - (OPEN if opens else CLOSE), opens


def joined(found: Iterable[Part]) -> str:
    """Return the text of the parts of an answer, with each pair that came back around its words."""
    pieces = [part for part in found if part[0]]
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    for number, (first, last) in sorted(_ranges(pieces).items()):
        before[first] += chr(OPEN + number)
        after[last] = chr(CLOSE + number) + after[last]
    return "".join(before[at] + text + after[at] for at, (text, _) in enumerate(pieces))


def _ranges(pieces: list[Part]) -> dict[int, tuple[int, int]]:
    """Return where the longest row of words of each pair begins and ends."""
    rows: dict[int, list[list[int]]] = defaultdict(list)
    words = 0  # met so far: a row goes on as long as none is between
    last_words: dict[int, int] = {}
    for at, (text, numbers) in enumerate(pieces):
        is_word = re.search(r"\w", text) is not None
        words += is_word
        for number in numbers:
            if not rows[number] or last_words[number] < words - is_word:
                rows[number].append([])
            rows[number][-1].append(at)
            last_words[number] = words
    longest = {
        number: max(some, key=lambda row: sum(len(pieces[at][0]) for at in row))
        for number, some in rows.items()
    }
    return {number: (row[0], row[-1]) for number, row in longest.items()}
