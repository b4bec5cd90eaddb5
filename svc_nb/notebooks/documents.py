"""Markdown, HTML and code as documents: the texts in them, and the document with answers in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from svc_nb.notebooks import code
from svc_nb.notebooks.edition import Editing, Edition, Layer, Left
from svc_nb.notebooks.markup import html, law, markdown
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment


class Document(Protocol):
    """What has texts in it, and can be written with answers in their place."""

    def texts(self) -> list[str]:
        """The texts to send, in order; one that stands in several places comes several times."""
        ...

    def edited(self, answers: Mapping[str, str]) -> Edition:
        """The document with the answers, text by text, in it: its structure is the same in any case."""
        ...


@dataclass(frozen=True)
class Markdown:
    """A Markdown text; of its front matter and of the code in fences only what is named is translated."""

    source: str
    front_matter: Sequence[str] = ()
    code: frozenset[str] = frozenset()

    def texts(self) -> list[str]:
        """The texts to send: those in pictures and links first, those in code last."""
        prose = [segment.text for layer in self._layers for segment in layer(self.source)]
        return prose + [text for _, fence in self._fences(self.source) for text in fence.texts()]

    def edited(self, answers: Mapping[str, str]) -> Edition:
        """The Markdown text with the answers in it."""
        edition = Editing(self.source, self._holds, answers).through(self._layers)
        unplaced = markdown.unplaced(self.source, front_matter=self.front_matter)
        edition = replace(edition, left=[*unplaced, *edition.left])
        for place, fence in self._fences(edition.text):
            edition = self._with(edition, place, fence.edited(answers))
        return edition

    def _with(self, edition: Edition, place: View, fence: Edition) -> Edition:
        """The text with the code of one fence in it, if it is still that fence's."""
        text = edition.text[: place.spans[0][0]] + fence.text + edition.text[place.spans[-1][1] :]
        line = place.number(0) - 1
        left = [replace(each, line=each.line + line) for each in fence.left]
        if law.shape(text, code=False) != law.shape(edition.text, code=False):
            text, left = edition.text, [Left("code", line + 1, "the structure would change", fence.text)]
        return Edition(
            text, edition.segments + fence.segments, [*edition.left, *left], [*edition.again, *fence.again]
        )

    def _fences(self, source: str) -> list[tuple[View, Code]]:
        """The code in fences, last first, so that what is put there moves none of the others."""
        if not self.code:
            return []
        found = [
            (place, Code(source[place.spans[0][0] : place.spans[-1][1]], language, self.code))
            for place, language in markdown.code_places(source)
        ]
        return [(place, fence) for place, fence in found if fence.texts()]

    @property
    def _layers(self) -> Sequence[Layer]:
        return markdown.attribute_segments, self._segments

    def _segments(self, source: str) -> list[Segment]:
        return markdown.segments(source, front_matter=self.front_matter)

    def _holds(self, result: str) -> bool:
        return law.shape(result, front_matter=self.front_matter) == self._shape

    @cached_property
    def _shape(self) -> list[Any]:
        return law.shape(self.source, front_matter=self.front_matter)


@dataclass(frozen=True)
class Html:
    """An HTML text: a whole page, or a part of one."""

    source: str

    def texts(self) -> list[str]:
        """The texts to send: those in tags first."""
        return [segment.text for layer in self._layers for segment in layer(self.source)]

    def edited(self, answers: Mapping[str, str]) -> Edition:
        """The HTML text with the answers in it."""
        return Editing(self.source, self._holds, answers).through(self._layers)

    @property
    def _layers(self) -> Sequence[Layer]:
        return html.attribute_texts, html.texts

    def _holds(self, result: str) -> bool:
        return html.same(self.source, result)


@dataclass(frozen=True)
class Code:
    """Program text: its comments and, where asked for, strings that are prose and not among the *keys*."""

    source: str
    language: str
    what: frozenset[str]
    keys: frozenset[str] = frozenset()

    def texts(self) -> list[str]:
        """The texts to send."""
        return [segment.text for segment in self._segments(self.source)]

    def edited(self, answers: Mapping[str, str]) -> Edition:
        """The program text with the answers in it: it does what it did."""
        edition = Editing(self.source, self._holds, answers).through([self._segments])
        unread = code.unread(self.source, language=self.language) if self.what and self.language else None
        return replace(edition, left=[Left("code", 1, unread, "")]) if unread else edition

    def _segments(self, source: str) -> list[Segment]:
        return code.segments(source, language=self.language, what=self.what, keys=self.keys)

    def _holds(self, result: str) -> bool:
        return code.holds(self.source, result, language=self.language)
