"""Markdown as segments: every paragraph, heading and cell is one text, edited where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it.token import Token

from svc_nb.notebooks.edition import UNPLACED, Left
from svc_nb.notebooks.markup import front_matter as yaml
from svc_nb.notebooks.markup import html
from svc_nb.notebooks.markup.attributes import Found, definition_titles, inner_texts, option_texts
from svc_nb.notebooks.markup.cells import cell_view
from svc_nb.notebooks.markup.directives import Inner, code_language, prose_in
from svc_nb.notebooks.markup.nodes import is_deep
from svc_nb.notebooks.markup.paragraph import paragraph
from svc_nb.notebooks.markup.parser import inline_tokens, read
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment
from svc_nb.notebooks.tags import has_letters

KINDS = {
    "heading_open": "heading",
    "heading_open=": "underlined heading",
    "heading_open-": "underlined heading",
    "th_open": "cell",
    "td_open": "cell",
    "dt_open": "term",
}
# What may stand before the words of a paragraph: a box to tick, the kind of a note.
BEFORE = re.compile(r"\[[ xX]\][ \t]+|\[![A-Za-z]+\][^\n]*(?:\n|$)|(?:!!!|\?\?\?\+?)[^\n]*(?:\n|$)")
# Python-Markdown's abbreviations: each on a line of its own.
ABBREVIATION = re.compile(r"\*\[[^\]\n]+\]:")


def segments(source: str, *, front_matter: Sequence[str] = ()) -> list[Segment]:
    """The paragraphs, headings, cells and HTML texts of a Markdown text, in order; they do not overlap.

    Of the front matter the values of the keys named are texts.
    """
    return _Reader(attributes=False, front_matter=front_matter).segments(View.of(source))


def attribute_segments(source: str) -> list[Segment]:
    """The texts within links, pictures and HTML tags: they stand within other segments, and are put back before."""
    return _Reader(attributes=True).segments(View.of(source))


def unplaced(source: str, *, front_matter: Sequence[str] = ()) -> list[Left]:
    """The texts that people read and that are no segments, as where they stand cannot be told."""
    readers = _Reader(attributes=True), _Reader(attributes=False, front_matter=front_matter)
    for reader in readers:
        reader.segments(View.of(source))
    return [left for reader in readers for left in reader.left]


def code_places(source: str) -> list[tuple[View, str]]:
    """Where code stands in fences, and its language, last first; only what stands in the source as it is."""
    view = View.of(source)
    found: list[tuple[View, str]] = []
    for token in read(view.text)[0]:
        language = code_language(token)
        if language and token.map and token.content.strip():
            lines = token.content.removesuffix("\n").split("\n")
            place = view.lines(token.map[0] + 1, lines)
            if place and source[place.spans[0][0] : place.spans[-1][1]] == "\n".join(lines):
                found.insert(0, (place, language))
    return found


class _Reader:
    """One walk over the tokens of a text, and of the texts within it."""

    def __init__(self, *, attributes: bool, front_matter: Sequence[str] = ()) -> None:
        self.attributes = attributes
        self.front_matter = front_matter
        self.left: list[Left] = []

    def segments(self, view: View) -> list[Segment]:
        """The segments of a text, or of one within it; what has no place is added to `left`."""
        tokens, env = read(view.text)
        known = {"references": env.get("references", {})}
        found = list(self._walk(tokens, view, known))
        if self.attributes:
            found += definition_titles(view, known["references"])
        self.left += [each for each in found if isinstance(each, Left)]
        return [each for each in found if isinstance(each, Segment)]

    def _walk(self, found: Sequence[Token], view: View, known: dict[str, Any]) -> Iterator[Found]:
        column = 0
        for before, token in zip([None, *found], found, strict=False):
            if token.type == "tr_open":
                column = 0
            if token.type == "inline" and before and token.map:
                kind = KINDS.get(before.type + before.markup, KINDS.get(before.type, "paragraph"))
                place = self._place(view, token, kind, column)
                column += kind == "cell"
                if place and has_letters(token.content):
                    yield from self._inline(place, token, kind, known)
                elif has_letters(token.content):
                    yield self._lost(view, token, kind)
            else:
                yield from self._block(view, token)

    def _place(self, view: View, token: Token, kind: str, column: int) -> View | None:
        line = (token.map or [0])[0]
        if kind == "cell":
            return cell_view(view, line, column, token.content)
        if kind == "heading":
            at = view.line(line).find(token.content)
            start = view.spans[line][0] + at
            return View(view.source, [(start, start + len(token.content))]) if at >= 0 else None
        return view.within(line, token.content.split("\n"))

    def _lost(self, view: View, token: Token, kind: str) -> Left | None:
        """A text whose place is not known, told once."""
        line = view.number((token.map or [0])[0])
        return None if self.attributes else Left(kind, line, UNPLACED, token.content.strip())

    def _block(self, view: View, token: Token) -> Iterator[Found]:
        if not token.map:
            return
        inner = prose_in(token)
        if token.type == "html_block":
            place = view.within(token.map[0], token.content.rstrip("\n").split("\n"))
            if place:
                yield from html.attribute_segments(place) if self.attributes else html.segments(place)
            elif html.said(token.content):
                yield self._lost(view, token, "html")
        elif inner is not None:
            yield from self._directive(view, token, inner)
        elif token.type == "front_matter" and not self.attributes:
            yield from yaml.values(view, token, self.front_matter)

    def _directive(self, view: View, token: Token, inner: Inner) -> Iterator[Found]:
        line = (token.map or [0])[0]
        at = view.line(line).rfind(inner.title)
        if inner.title and at >= 0:
            start = view.spans[line][0] + at
            place = View(view.source, [(start, start + len(inner.title))])
            yield from self._contents(
                place, inner.title, inline_tokens(inner.title, {}), kind="title", known={}
            )
        if self.attributes:
            yield from option_texts(view, line + 1, inner)
        body = view.lines(line + inner.first, inner.text.removesuffix("\n").split("\n"))
        if body and inner.text.strip():
            yield from self.segments(body)
        elif has_letters(inner.text):
            yield self._lost(view, token, "directive")

    def _inline(self, place: View, token: Token, kind: str, known: dict[str, Any]) -> Iterator[Found]:
        content, children = token.content, token.children or []
        if ABBREVIATION.match(content):
            yield None if self.attributes else Left(kind, place.number(0), "abbreviations stay", content)
            return
        before = BEFORE.match(content) if kind == "paragraph" else None
        if before:
            content = content[before.end() :]
            children = inline_tokens(content, known)
            place = place.part(before.end(), len(place.text))
        yield from self._contents(place, content, children, kind=kind, known=known)

    def _contents(
        self, place: View, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
    ) -> Iterator[Found]:
        if is_deep(children):
            yield (
                None if self.attributes else Left(kind, place.number(0), "marks are nested too deep", content)
            )
        elif self.attributes:
            yield from inner_texts(place, content, children, known)
        else:
            yield paragraph(place, content, children, kind=kind, known=known)
