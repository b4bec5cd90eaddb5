"""Texts within other texts: of pictures, titles of links, footnotes in their line, what people read in HTML tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from svc_nb.notebooks.edition import UNPLACED, Left
from svc_nb.notebooks.markup import html, syntax
from svc_nb.notebooks.markup.directives import READ, Inner
from svc_nb.notebooks.markup.paragraph import paragraph
from svc_nb.notebooks.markup.parser import AT, LABEL_END, inline_tokens
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment
from svc_nb.notebooks.tags import escaped, has_letters, plain

TITLE = r"""\s("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))\s*"""
IN_LINK = re.compile(TITLE + r"\)\Z", re.DOTALL)
IN_DEFINITION = re.compile(TITLE + r"\Z", re.DOTALL)

Part = Callable[[int, int], View]
Found = Segment | Left | None


def inner_texts(
    place: View, content: str, children: Sequence[Token], known: dict[str, Any]
) -> Iterator[Found]:
    """The texts within the content of one block."""
    there = _places(place.text, content)
    for token in children:
        if there:
            yield from _inner(place, content, token, there, known)
        elif token.type == "image" or token.meta.get(LABEL_END):
            yield Left("attribute", place.number(0), UNPLACED, content)


def definition_titles(view: View, references: Mapping[str, Any]) -> Iterator[Found]:
    """The titles in the definitions of references, as in `[label]: /address "title"`."""
    for known in references.values():
        if not has_letters(known["title"]):
            continue
        first, last = known["map"]
        place = View(view.source, view.spans[first:last])
        found = IN_DEFINITION.search(place.text)
        if found and unescapeAll(found[1][1:-1]) == known["title"]:
            yield _title(place.part(found.start(1) + 1, found.end(1) - 1), found[1][-1])
        else:
            yield Left("title", place.number(0), UNPLACED, known["title"])


def option_texts(view: View, first: int, inner: Inner) -> Iterator[Found]:
    """The options of a directive that people read; its lines begin with *first*."""
    for number, line in enumerate(inner.head.splitlines(), first):
        found = READ.match(line)
        if found and has_letters(found[2]):
            at = view.line(number).rfind(found[2])
            start = view.spans[number][0] + at
            end = start + len(found[2])
            yield Segment(start, end, escaped(found[2]), "option", view.number(number), put=plain)


def _places(text: str, content: str) -> list[int] | None:
    """For each character of the content of a block, where it is in the *text* of the view; None where they differ.

    A view has no space at the ends of its lines, and the bars in a cell are escaped there.
    """
    found, at = [], 0
    for sign in content:
        if text.startswith("\\|", at) and sign == "|":
            at += 1
        found.append(at)
        if text[at : at + 1] == sign:
            at += 1
        elif not sign.isspace():
            return None
    return [*found, at] if at == len(text) else None


def _inner(
    place: View, content: str, token: Token, there: Sequence[int], known: dict[str, Any]
) -> Iterator[Found]:
    def part(start: int, end: int) -> View:
        return place.part(there[start], there[end])

    start, end = token.meta.get(AT, (0, 0))
    if token.type == "html_inline":
        yield from html.tag_segments(part(start, end))
    if token.type in ("image", "link_close") and token.markup != "autolink":
        tail = token.meta[LABEL_END]
        found = IN_LINK.search(content[tail:end])
        if found and has_letters(found[1]):
            yield _title(part(tail + found.start(1) + 1, tail + found.end(1) - 1), found[1][-1])
    if token.type == "image":
        yield _alt(part, content, token, known)
    if token.type == "footnote_ref" and token.children:
        text = content[start + 2 : end - 1]
        note, inside = part(start + 2, end - 1), inline_tokens(text, known)
        yield paragraph(note, text, inside, kind="footnote", known=known)
        if any(inner_texts(note, text, inside, known)):
            yield Left("attribute", note.number(0), "it stands within a footnote", text)


def _alt(part: Part, content: str, token: Token, known: dict[str, Any]) -> Segment | None:
    """The words of a picture; where they are its label too, the label is written after them."""
    start, label_end, end = token.meta[AT][0] + 2, token.meta[LABEL_END], token.meta[AT][1]
    alt = content[start:label_end]
    found = paragraph(part(start, label_end), alt, inline_tokens(alt, known), kind="alt", known=known)
    if not found or content[label_end:end] not in ("]", "][]"):
        return found
    tail, put, put_runs = f"][{' '.join(alt.split())}]", found.put, found.put_runs
    return replace(
        found,
        end=part(start, end).spans[-1][1],
        put=lambda answer: put(answer) + tail,
        put_runs=put_runs and (lambda answers: put_runs(answers) + tail),
    )


def _title(view: View, quote: str) -> Segment:
    special = r'[\\&<|"]' if quote == '"' else rf"[\\&<|{quote}(]"

    def put(answer: str) -> str:
        return re.sub(special, r"\\\g<0>", plain(answer))

    text = " ".join(re.sub(rf"\\([{syntax.PUNCTUATION}])", r"\1", view.text).split())
    start, end = view.spans[0][0], view.spans[-1][1]
    return Segment(start, end, text=escaped(text), kind="title", line=view.number(0), put=put)
