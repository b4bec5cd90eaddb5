"""Front matter: YAML before a text, of which some values are texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from svc_nb.notebooks.edition import Left
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment
from svc_nb.notebooks.tags import escaped, has_letters, plain

# A key, its value, and a comment behind it.
LINE = re.compile(
    r"""([\w-]+)[ \t]*:[ \t]+("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s"'][^\n]*?)[ \t]*(?:[ \t]\#.*)?$"""
)
OTHER = "|>[{&*!%@`#"  # what begins a value that is no text on one line
# What YAML takes for a text without quotation marks.
PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[^\W\d_][^:#\r\n]*", re.IGNORECASE)


def values(view: View, token: Token, keys: Sequence[str]) -> Iterator[Segment | Left]:
    """The values of some keys; those that are no texts on one line are told as left."""
    for line in range(*(token.map or (0, 0))):
        key = re.match(r"([\w-]+)[ \t]*:", view.line(line))
        if not key or key[1] not in keys:
            continue
        found = LINE.match(view.line(line))
        first = view.spans[line][0]
        if not found or found[2][0] in OTHER:
            yield Left("front matter", view.number(line), "it is no text on one line", view.line(line))
        elif has_letters(found[2]):
            yield _value(View(view.source, [(first + found.start(2), first + found.end(2))]))


def _value(view: View) -> Segment:
    raw = view.text
    quote = raw[0] if raw[0] in "\"'" else ""

    def put(answer: str) -> str:
        text = plain(answer)
        if quote == '"':
            return json.dumps(text, ensure_ascii=False)
        return text if not quote and PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'"

    text = escaped(_text(raw))
    return Segment(*view.spans[0], text=text, kind="front matter", line=view.number(0), put=put)


def _text(raw: str) -> str:
    if raw[0] == "'":
        return raw[1:-1].replace("''", "'")
    if raw[0] != '"':
        return raw
    try:
        return str(json.loads(raw))
    except ValueError:  # an escape that only YAML has
        return raw[1:-1].replace('\\"', '"')
