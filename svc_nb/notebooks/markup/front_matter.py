"""Front matter: YAML before a text, of which some values are texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from svc_nb.notebooks.markup.source_lines import SourceLines
from svc_nb.notebooks.segments import Left, Segment
from svc_nb.notebooks.tags import has_letters

# A key, its value, and a comment behind it.
LINE = re.compile(
    r"""([\w-]+)[ \t]*:[ \t]+("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s"'][^\n]*?)[ \t]*(?:[ \t]\#.*)?$"""
)
OTHER = "|>[{&*!%@`#"  # what begins a value that is no text on one line
# What YAML takes for a text without quotation marks.
PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[^\W\d_][^:#\r\n]*", re.IGNORECASE)


def values(view: SourceLines, token: Token, keys: Sequence[str]) -> Iterator[Segment | Left]:
    """The values of some keys; those that are no texts on one line are told as left."""
    for number in range(*(token.map or (0, 0))):
        line = view.line(number)
        key = re.match(r"([\w-]+)[ \t]*:", line)
        if not key or key[1] not in keys:
            continue
        found = LINE.match(line)
        if not found or found[2][0] in OTHER:
            yield Left("front matter", view.number(number), "it is no text on one line", line)
        elif has_letters(found[2]):
            yield _value(view.in_line(number, *found.span(2)))


def _value(place: SourceLines) -> Segment:
    raw = place.text
    quote = raw[0] if raw[0] in "\"'" else ""
    text = raw[1:-1].replace("''", "'") if quote == "'" else raw
    if quote == '"':
        try:
            text = str(json.loads(raw))
        except ValueError:  # an escape that only YAML has
            text = raw[1:-1].replace('\\"', '"')

    def write(text: str) -> str:
        if quote == '"':
            return json.dumps(text, ensure_ascii=False)
        return text if not quote and PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'"

    return place.segment("front matter", text, write)
