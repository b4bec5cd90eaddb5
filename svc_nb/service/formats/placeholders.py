"""What stays as it is inside plain text: placeholders of programs, addresses, code, control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..translation.markup import tokens
from .passage import UNFIT, Piece, plain

_BRACED = r"\{\s?[\w.$\[\]@-]*(?:[:!][^{}\s]*+)?\s?\}"
_KEPT = re.compile(
    r"`[^`\n]++`"
    rf"|\{{{_BRACED}\}}|\$?{_BRACED}"
    r"|\{%[^{}\n]*+%\}|\{\{[^{}\n]*+\}\}|\$\{[^{}\n]*+\}|\[\[[^\[\]\n]*+\]\]"
    r"|\{\\[^{}\n]*+\}"
    r"|%(?:\d+\$|\(\w+\))?[-+#0]*+\d*+(?:\.\d+)?(?:hh?|ll?|[Lzjt])?[diouxXeEfFgGcrs@](?!\w)|%\w+%|%%"
    r"|\$\w+\$|(?<!\w)\$[A-Za-z_]\w*+(?!\w)"
    r"|(?<!\w)(?:https?://|ftp://|file://|www\.)[^\s<>\"'`]+(?<![.,;:!?)\]}])"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++|&#?\w{1,20};"
    rf"|{UNFIT}"
)
_MESSAGE = re.compile(r"\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal|number|date|time|choice)\b")
_CODE = re.compile(r"[_\\@#=\d]|[a-z][A-Z]|^/|/.*/|:/|\w{2}\.\w{2}")


def pieces(text: str, *, tags: bool = False, first: int = 0) -> Iterator[Piece]:
    """Yield the pieces of *text*; with *tags* what looks like HTML tags stays too, in pairs numbered from *first*."""
    if not tags or "<" not in text:
        yield from _pieces(text)
        return
    found = tokens(text, "html")
    for at, token in enumerate(found):
        if token.kind == "text":
            yield from _pieces(token.raw)
        elif token.partner is None or token.kind == "point":
            yield Piece(token.raw)
        else:
            yield Piece(token.raw, "", token.kind, first + min(at, token.partner))


def is_code(text: str) -> bool:
    """Tell whether *text* is one word that only a program would write: an address, a path, a name with ``_`` in it."""
    word = text.strip()
    return len(word) < 500 and not any(map(str.isspace, word)) and _CODE.search(word) is not None


def _pieces(text: str) -> Iterator[Piece]:
    at = 0
    for start, end in _spans(text):
        if start > at:
            yield plain(text[at:start])
        yield Piece(text[start:end])
        at = end
    if at < len(text):
        yield plain(text[at:])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    message = _MESSAGE.search(text)
    while True:
        kept = _KEPT.search(text, at)
        if message and (not kept or message.start() <= kept.start()):
            at = _balanced(text, message.start())
            yield message.start(), at
            message = _MESSAGE.search(text, at)
        elif kept:
            yield kept.span()
            at = kept.end()
        else:
            return


def _balanced(text: str, start: int) -> int:
    """Return where the brace that opens at *start* is closed; the end of the text if it never is."""
    depth = 0
    for brace in re.compile("[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return len(text)
