"""The content of one block as a segment: its words escaped, so that the result is read as the source was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from markdown_it.token import Token

from svc_nb.notebooks.markup import syntax
from svc_nb.notebooks.markup.inline import Content, bare
from svc_nb.notebooks.markup.law import inline_shape
from svc_nb.notebooks.markup.nodes import nested
from svc_nb.notebooks.markup.parser import inline_tokens
from svc_nb.notebooks.markup.passage import passage
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment
from svc_nb.notebooks.tags import Part

IN_BRACKETS = ("alt", "footnote")


def paragraph(
    place: View, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
) -> Segment | None:
    """A segment for the content of one block, None where there is nothing to translate in it."""
    made = Content.of(nested(children), content)
    if not made.has_words:
        return None
    structure = inline_shape(children)
    start = {"heading": str, "cell": str, "title": str, "footnote": str, "alt": str}.get(
        kind, syntax.line_start
    )
    ways = [
        partial(made.lines, words=syntax.light, start=start, exact=True),
        partial(made.lines, words=syntax.light, start=start),
        partial(made.lines, words=syntax.full, start=start),
        partial(made.lines, words=syntax.full, start=start, spelled=False),
        partial(made.lines, words=syntax.full, start=start, spelled=False, apart=True),
    ]

    def right(text: str, parts: Sequence[Part]) -> bool:
        read = inline_tokens(text, known)
        heard = bare("".join(node.said for node in nested(read)))
        return heard == made.said(parts) and inline_shape(read) == structure and _fits(text, kind, known)

    return passage(place, made, kind, ways=ways, right=right, finish=FINISH.get(kind, str))


def _fits(text: str, kind: str, known: dict[str, Any]) -> bool:
    """Whether words that stand in brackets end where these do."""
    if kind not in IN_BRACKETS:
        return True
    read = inline_tokens(f"![{text}](a)", known)
    return len(read) == 1 and read[0].type == "image"


def _in_cell(line: str) -> str:
    return line.replace("|", "\\|")


def _in_heading(line: str) -> str:
    return re.sub(r"(^| )(#+)$", r"\1\\\2", line)


FINISH = {"cell": _in_cell, "heading": _in_heading}
