"""The words of one document in another language: counted, told apart from their tags, done bit by bit."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..catalogue import languages
from ..detector import UNKNOWN
from ..formats import Unreadable
from ..ordering import UNCHANGED, Form, Order, render
from ..translation.tags import Markup
from ..translators.pseudo import PSEUDO
from .ticket import Made

if TYPE_CHECKING:
    from ..core import Core

SAMPLE = 20_000
BIT = 4_000
EQUAL = "Source and target language are equal."

_TAG = re.compile(r"</?[gx]\d+\s*/?>")
_PLAIN = Form()
_TAGGED = Form(markup=Markup("xml", outline=False))


class Wording:
    """Translates the texts of one document, as the formats ask; *characters* is how many there were.

    *told* hears after each bit which fraction is done, and may raise to end the work.
    """

    def __init__(self, state: Core, order: Order, *, most: int, told: Callable[[float], None]) -> None:
        self._state = state
        self._order = order
        self._most = most
        self._told = told
        self._by: Counter[tuple[str, str]] = (
            Counter()
        )  # characters by the engine that had them and their language
        self.characters = 0

    def __call__(self, texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        """Return the translations of *texts*, same length and order; raises Unreadable when there are too many."""
        bare = [_bare(text) for text in texts] if tagged else texts
        sizes = [len(text) for text in bare]
        self.characters += sum(sizes)
        if self.characters > self._most:
            raise Unreadable(f"The document has more than {self._most:,} characters.")
        source = self._source(bare)
        if source == UNKNOWN:
            return list(texts)
        form = _TAGGED if tagged else _PLAIN
        made: list[str] = []
        done = 0
        for start, end in _bits(sizes):
            self._told(done / max(self.characters, 1))
            done += sum(sizes[start:end])
            bit = texts[start:end]
            known = [source] * len(bit)
            rendered = render(self._state, bit, self._order, form=form, known=known)
            made += [each.text for each in rendered]
            for each, size in zip(rendered, sizes[start:end], strict=True):
                self._by[each.engine, each.source] += size
        return made

    @property
    def made(self) -> Made:
        """Who translated the texts: first the one that only marks, then by characters; the language is the first's."""
        ranked = sorted(self._by, key=lambda by: (by[0] != PSEUDO, by[0] == UNCHANGED, -self._by[by]))
        engines = dict.fromkeys(engine for engine, _ in ranked if engine != UNCHANGED)
        marked = sum(size for (engine, _), size in self._by.items() if engine == PSEUDO)
        return Made(", ".join(engines) or UNCHANGED, marked, ranked[0][1] if ranked else None)

    def _source(self, texts: Sequence[str]) -> str:
        """The language of the whole document; it must not be the target's."""
        source = self._order.source or self._state.detector.guess(_sample(texts))
        if languages.base(source) == languages.base(self._order.target):
            raise Unreadable(EQUAL)
        return source


def _bare(text: str) -> str:
    """A tagged text without its tags.

    >>> _bare("<g1>Fish</g1> &amp; chips<x2/>")
    'Fish & chips'
    """
    return html.unescape(_TAG.sub("", text))


def _sample(texts: Sequence[str]) -> str:
    """As much of the beginning as it takes to tell the language."""
    taken: list[str] = []
    size = 0
    for text in texts:
        if size > SAMPLE:
            break
        taken.append(text[:SAMPLE])
        size += len(taken[-1]) + 1
    return "\n".join(taken)


def _bits(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut texts of these *sizes* into runs of about BIT characters; a longer text goes alone.

    >>> list(_bits([3000, 900, 900, 9000, 10]))
    [(0, 3), (3, 4), (4, 5)]
    """
    start = size = 0
    for place, each in enumerate(sizes):
        size += each
        if size >= BIT:
            yield start, place + 1
            start, size = place + 1, 0
    if start < len(sizes):
        yield start, len(sizes)
