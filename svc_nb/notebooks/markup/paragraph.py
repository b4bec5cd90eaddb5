"""The content of one block as segments: its words, and the texts within it that people read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from svc_nb.notebooks.markup import html, layout
from svc_nb.notebooks.markup.inline import InlineContent, without_space
from svc_nb.notebooks.markup.parser import AT, LABEL_END, inline_tokens, nested
from svc_nb.notebooks.markup.source_lines import SourceLines
from svc_nb.notebooks.markup.structure import inline_structure
from svc_nb.notebooks.segments import UNPLACED, Left, Segment
from svc_nb.notebooks.tags import Part, has_letters

ON_ONE_LINE = ("heading", "cell", "title", "footnote", "alt")  # their words begin no line
IN_BRACKETS = ("alt", "footnote")

TITLE = r"""\s("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))\s*"""
IN_LINK = re.compile(TITLE + r"\)\Z", re.DOTALL)
IN_DEFINITION = re.compile(TITLE + r"\Z", re.DOTALL)

Found = Segment | Left | None


def paragraph(
    place: SourceLines, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
) -> Segment | None:
    """A segment for the content of one block, None where there is nothing to translate in it."""
    made = InlineContent.of(nested(children), content)
    if not made.has_words:
        return None
    before = inline_structure(children)
    write = partial(made.lines, start=str if kind in ON_ONE_LINE else layout.line_start)
    ways = [
        partial(write, words=layout.light, exact=True),
        partial(write, words=layout.light),
        partial(write, words=layout.full),
        partial(write, words=layout.full, spelled=False),
        partial(write, words=layout.full, spelled=False, apart=True),
    ]

    def is_right(text: str, parts: Sequence[Part]) -> bool:
        read = inline_tokens(text, known)
        said = without_space("".join(node.said for node in nested(read)))
        if said != made.said(parts) or inline_structure(read) != before:
            return False
        if kind not in IN_BRACKETS:
            return True
        # The words must end where the brackets do.
        return [token.type for token in inline_tokens(f"![{text}](a)", known)] == ["image"]

    def finish(line: str) -> str:
        if kind == "heading":
            return re.sub(r"(^| )(#+)$", r"\1\\\2", line)
        return line.replace("|", "\\|") if kind == "cell" else line

    return made.segment(place, kind, ways=ways, is_right=is_right, finish=finish)


def inner_texts(
    place: SourceLines, content: str, children: Sequence[Token], known: dict[str, Any]
) -> Iterator[Found]:
    """The texts within the content of one block: of pictures, titles of links, footnotes in a line, HTML tags."""
    there = character_places(place.text, content)

    def part(start: int, end: int) -> SourceLines:
        return place.part(there[start], there[end])

    for token in children:
        if not there:
            if token.type == "image" or token.meta.get(LABEL_END):
                yield Left("attribute", place.number(0), UNPLACED, content)
            continue
        start, end = token.meta.get(AT, (0, 0))
        if token.type == "html_inline":
            yield from html.tag_segments(part(start, end))
        if token.type in ("image", "link_close") and token.markup != "autolink":
            tail = token.meta[LABEL_END]
            title = IN_LINK.search(content[tail:end])
            if title and has_letters(title[1]):
                yield _title(part(tail + title.start(1) + 1, tail + title.end(1) - 1), title[1][-1])
        if token.type == "image":
            start, tail = start + 2, token.meta[LABEL_END]
            yield _alt(part(start, tail), part(start, end).end, content[start:tail], content[tail:end], known)
        if token.type == "footnote_ref" and token.children:
            text = content[start + 2 : end - 1]
            note, inside = part(start + 2, end - 1), inline_tokens(text, known)
            yield paragraph(note, text, inside, kind="footnote", known=known)
            if any(inner_texts(note, text, inside, known)):
                yield Left("attribute", note.number(0), "it stands within a footnote", text)


def character_places(text: str, content: str) -> list[int]:
    r"""For each character of the content of a block, where it is in the *text* of its lines; none where they differ.

    The lines have no space at their ends, and the bars in a cell are escaped there.

    >>> character_places(r"a\|b", "a|b")
    [0, 2, 3, 4]
    """
    found, at = [], 0
    for sign in content:
        if text.startswith("\\|", at) and sign == "|":
            at += 1
        found.append(at)
        if text[at : at + 1] == sign:
            at += 1
        elif not sign.isspace():
            return []
    return [*found, at] if at == len(text) else []


def _alt(place: SourceLines, end: int, alt: str, tail: str, known: dict[str, Any]) -> Segment | None:
    """The words of a picture; where they are its label too, the label is written after them."""
    found = paragraph(place, alt, inline_tokens(alt, known), kind="alt", known=known)
    if not found or tail not in ("]", "][]"):
        return found
    label, put, put_runs = f"][{' '.join(alt.split())}]", found.put, found.put_runs
    return replace(
        found,
        end=end,
        put=lambda answer: put(answer) + label,
        put_runs=put_runs and (lambda answers: put_runs(answers) + label),
    )


def definition_titles(view: SourceLines, references: Mapping[str, Any]) -> Iterator[Found]:
    """The titles in the definitions of references, as in `[label]: /address "title"`."""
    for known in references.values():
        if not has_letters(known["title"]):
            continue
        first, last = known["map"]
        place = SourceLines(view.source, view.spans[first:last])
        found = IN_DEFINITION.search(place.text)
        if found and unescapeAll(found[1][1:-1]) == known["title"]:
            yield _title(place.part(found.start(1) + 1, found.end(1) - 1), found[1][-1])
        else:
            yield Left("title", place.number(0), UNPLACED, known["title"])


def _title(place: SourceLines, quote: str) -> Segment:
    """The title of a link or of the definition of one, which a *quote* or bracket closes."""
    special = r'[\\&<|"]' if quote == '"' else rf"[\\&<|{quote}(]"

    text = " ".join(re.sub(rf"\\([{layout.PUNCTUATION}])", r"\1", place.text).split())
    return place.segment("title", text, lambda answer: re.sub(special, r"\\\g<0>", answer))
