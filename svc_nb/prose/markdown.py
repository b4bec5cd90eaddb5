"""Markdown as segments: every paragraph, heading and cell is one text, edited where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from markdown_it.token import Token

from svc_nb.prose import html, syntax
from svc_nb.prose.cells import cell_view
from svc_nb.prose.directives import Inner, code_language, prose_in
from svc_nb.prose.inline import Content, bare
from svc_nb.prose.law import inline_shape
from svc_nb.prose.nodes import nested
from svc_nb.prose.parser import AT, LABEL_END, inline_tokens, read
from svc_nb.prose.passage import passage
from svc_nb.prose.segment import Segment
from svc_nb.prose.tags import Part, escaped, has_letters, plain
from svc_nb.prose.view import View

KINDS = {"heading_open": "heading", "th_open": "cell", "td_open": "cell", "dt_open": "term"}
# What may stand before the words of a paragraph: a box to tick, the kind of a note.
BEFORE = re.compile(r"\[[ xX]\][ \t]+|\[![A-Za-z]+\][^\n]*(?:\n|$)|(?:!!!|\?\?\?\+?)[^\n]*(?:\n|$)")
TITLE = re.compile(r"""\s("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))\s*\)\Z""", re.DOTALL)


def segments(source: str, *, front_matter: Sequence[str] = ()) -> list[Segment]:
    """The paragraphs, headings, cells and HTML texts of a Markdown text, in order; they do not overlap.

    Of the front matter the values of the keys named are texts.
    """
    return _Reader(attributes=False, front_matter=front_matter).segments(View.of(source))


def attribute_segments(source: str) -> list[Segment]:
    """The texts within links, pictures and HTML tags: they stand within other segments, and are put back before."""
    return _Reader(attributes=True).segments(View.of(source))


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

    def segments(self, view: View) -> list[Segment]:
        found, env = read(view.text)
        known = {"references": env.get("references", {})}
        return [segment for segment in self._walk(found, view, known) if segment]

    def _walk(self, found: Sequence[Token], view: View, known: dict[str, Any]) -> Iterator[Segment | None]:
        column = 0
        for before, token in zip([None, *found], found, strict=False):
            if token.type == "tr_open":
                column = 0
            if token.type == "inline" and before and token.map:
                kind = KINDS.get(before.type, "paragraph")
                place = self._place(view, token, kind, column)
                column += kind == "cell"
                if place and has_letters(token.content):
                    yield from self._inline(place, token, kind, known)
            else:
                yield from self._block(view, token)

    def _place(self, view: View, token: Token, kind: str, column: int) -> View | None:
        line = (token.map or [0])[0]
        if kind == "cell":
            return cell_view(view, line, column, token.content)
        if kind == "heading" and "\n" not in token.content:
            at = view.line(line).find(token.content)
            start = view.spans[line][0] + at
            return View(view.source, [(start, start + len(token.content))]) if at >= 0 else None
        return view.within(line, token.content.split("\n"))

    def _block(self, view: View, token: Token) -> Iterator[Segment | None]:
        if not token.map:
            return
        inner = prose_in(token)
        if token.type == "html_block":
            place = view.within(token.map[0], token.content.rstrip("\n").split("\n"))
            if place:
                yield from html.attribute_segments(place) if self.attributes else html.segments(place)
        elif inner is not None:
            yield from self._directive(view, token.map[0], inner)
        elif token.type == "front_matter" and not self.attributes:
            yield from _front_matter(view, token, self.front_matter)

    def _directive(self, view: View, line: int, inner: Inner) -> Iterator[Segment | None]:
        at = view.line(line).rfind(inner.title)
        if inner.title and at >= 0 and not self.attributes:
            start = view.spans[line][0] + at
            place = View(view.source, [(start, start + len(inner.title))])
            yield _paragraph(place, inner.title, inline_tokens(inner.title, {}), kind="title", known={})
        body = view.lines(line + inner.first, inner.text.removesuffix("\n").split("\n"))
        if body and inner.text.strip():
            yield from self.segments(body)

    def _inline(
        self, place: View, token: Token, kind: str, known: dict[str, Any]
    ) -> Iterator[Segment | None]:
        content, children = token.content, token.children or []
        before = BEFORE.match(content) if kind == "paragraph" else None
        if before:
            content = content[before.end() :]
            children = inline_tokens(content, known)
            place = place.part(before.end(), len(place.text))
        if self.attributes:
            yield from _attributes(place, content, children, known)
        else:
            yield _paragraph(place, content, children, kind=kind, known=known)


def _paragraph(
    place: View, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
) -> Segment | None:
    """A segment for the content of one block, None where there is nothing to translate in it."""
    made = Content.of(nested(children), content)
    if not made.has_words:
        return None
    structure = inline_shape(children)
    start = {"heading": str, "cell": str, "title": str}.get(kind, syntax.line_start)
    ways = [
        partial(made.lines, words=syntax.light, start=start),
        partial(made.lines, words=syntax.full, start=start),
        partial(made.lines, words=syntax.full, start=start, apart=True),
    ]

    def right(text: str, parts: Sequence[Part]) -> bool:
        read = inline_tokens(text, known)
        heard = bare("".join(node.said for node in nested(read)))
        return heard == made.said(parts) and inline_shape(read) == structure

    return passage(place, made, kind, ways=ways, right=right, finish=FINISH.get(kind, str))


def _in_cell(line: str) -> str:
    return line.replace("|", "\\|")


def _in_heading(line: str) -> str:
    return re.sub(r"(^| )(#+)$", r"\1\\\2", line)


FINISH = {"cell": _in_cell, "heading": _in_heading}


def _attributes(
    place: View, content: str, children: Sequence[Token], known: dict[str, Any]
) -> Iterator[Segment | None]:
    """The texts of pictures, the titles of links, and what people read in HTML tags."""
    if len(place.text) != len(
        content
    ):  # a cell with an escaped bar: places in it are not those in the content
        return
    for token in children:
        start, end = token.meta.get(AT, (0, 0))
        written = content[start:end]
        if token.type == "html_inline":
            yield from html.tag_segments(place.part(start, end))
        if token.type in ("image", "link_close") and token.markup != "autolink" and "\n" not in written:
            yield _title(place, content, (token.meta[LABEL_END], end))
        if token.type == "image" and "\n" not in written:
            yield _alt(place, content, token, known)


def _alt(place: View, content: str, token: Token, known: dict[str, Any]) -> Segment | None:
    start, end = token.meta[AT][0] + 2, token.meta[LABEL_END]
    if content[end : token.meta[AT][1]] in ("]", "][]"):  # its words are its label
        return None
    alt = content[start:end]
    return _paragraph(place.part(start, end), alt, inline_tokens(alt, known), kind="alt", known=known)


def _title(place: View, content: str, tail: tuple[int, int]) -> Segment | None:
    found = TITLE.search(content[tail[0] : tail[1]])
    if not found or not has_letters(found[1]):
        return None
    start, end = tail[0] + found.start(1) + 1, tail[0] + found.end(1) - 1
    view, quote = place.part(start, end), found[1][-1]
    text = re.sub(rf"\\([{syntax.PUNCTUATION}])", r"\1", content[start:end])

    def put(answer: str) -> str:
        return re.sub(r'[\\&<|"]' if quote == '"' else rf"[\\&<|{quote}(]", r"\\\g<0>", plain(answer))

    return Segment(*view.spans[0], text=escaped(text), kind="title", line=view.number(0), put=put)


def _front_matter(view: View, token: Token, keys: Sequence[str]) -> Iterator[Segment]:
    """The values of some keys, where they are plain texts on one line."""
    for line in range(*(token.map or (0, 0))):
        found = re.match(r"([\w-]+)[ \t]*:[ \t]+(\S.*?)[ \t]*$", view.line(line))
        if found and found[1] in keys and has_letters(found[2]) and found[2][0] not in "|>[{&*!%@`#":
            first = view.spans[line][0]
            yield _value(View(view.source, [(first + found.start(2), first + found.end(2))]))


def _value(view: View) -> Segment:
    raw = view.text
    quoted = raw[0] in "\"'" and raw[-1] == raw[0] and len(raw) > 1
    text = raw[1:-1].replace("''", "'").replace('\\"', '"') if quoted else raw

    def put(answer: str) -> str:
        return "'" + plain(answer).replace("'", "''") + "'"

    return Segment(*view.spans[0], text=escaped(text), kind="front matter", line=view.number(0), put=put)
