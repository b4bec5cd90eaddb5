"""What stays as it is inside plain text: placeholders of programs, addresses, code, control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..translation.markup import tokens
from .messages import MESSAGE, Span, syntax
from .passage import UNFIT, Piece, plain

_BRACED = r"\{\s?[\w.$\[\]@-]*(?:[:!][^{}\s]*+)?\s?\}"
_KEPT = re.compile(
    r"`[^`\n]++`"
    rf"|\{{{_BRACED}\}}|[$%#]?{_BRACED}"
    r"|\{%[^{}\n]*+%\}|\{\{[^{}\n]*+\}\}|\$\{[^{}\n]*+\}|\[\[[^\[\]\n]*+\]\]"
    r"|\{\\[^{}\n]*+\}"
    r"|%(?:\d+\$|\(\w+\))?[-+#0]*+\d*+(?:\.\d+)?(?:hh?|ll?|[Lzjt])?[diouxXeEfFgGcrs@](?!\w)|%\w+%|%%"
    r"|\$\w+\$|\$t\([^()\n]*+\)|(?<!\w)\$[A-Za-z_]\w*+(?!\w)|(?<![\w:]):[A-Za-z_]\w*+:?(?![\w:])|</?\d+\s?/?>"
    r"|(?<!\w)(?:https?://|ftp://|file://|www\.)[^\s<>\"'`]+(?<![.,;:!?)\]}])"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++|&#?\w{1,20};"
    r"|(?<!\S)\|(?!\S)"
    rf"|{UNFIT}"
)
_KEPT_IN_CASE = re.compile(f"{_KEPT.pattern}|#")
_CODE = re.compile(r"[_\\@#=\d]|[a-z][A-Z]|^/|/.*/|:/|\w{2}\.\w{2}|^[a-z]{2,3}-[A-Z]{2}$")
_BREAK_NAMES = "blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p table tbody td th thead tr ul"
_BREAKS = frozenset(_BREAK_NAMES.split())


def pieces(text: str, *, tags: bool = False) -> Iterator[Piece]:
    """Yield the pieces of *text*; with *tags* what looks like HTML stays too; blocks in it end a sentence."""
    if not tags or "<" not in text:
        yield from _pieces(text)
        return
    found = tokens(text, "html")
    for at, token in enumerate(found):
        if token.kind == "text":
            yield from _pieces(token.raw)
        elif token.name in _BREAKS or token.partner is None or token.kind == "point":
            yield Piece(token.raw, breaks=token.name in _BREAKS)
        else:
            yield Piece(token.raw, "", token.kind, min(at, token.partner))


def is_code(text: str) -> bool:
    """Tell whether *text* is one word that only a program would write: an address, a path, a name with ``_`` in it."""
    word = text.strip()
    return len(word) < 500 and not any(map(str.isspace, word)) and _CODE.search(word) is not None


def _pieces(text: str) -> Iterator[Piece]:
    at = 0
    for start, end, breaks in _spans(text):
        if start > at:
            yield plain(text[at:start])
        yield Piece(text[start:end], breaks=breaks)
        at = end
    if at < len(text):
        yield plain(text[at:])


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield what stays, and whether it ends a sentence: the syntax of a message does, and a bar between two texts."""
    at = 0
    message, kept = MESSAGE.search(text), _KEPT.search(text)
    while True:
        if kept and kept.start() < at:
            kept = _KEPT.search(text, at)
        if message and (not kept or message.start() <= kept.start()):
            around = syntax(text, message.start())
            yield from _cases(text, around)
            at = around[-1][1]
            message = MESSAGE.search(text, at)
        elif kept:
            yield *kept.span(), kept[0].strip() == "|"
            at = kept.end()
            kept = _KEPT.search(text, at)
        else:
            return


def _cases(text: str, around: Sequence[Span]) -> Iterator[tuple[int, int, bool]]:
    """Yield the syntax of a message and what stays in its cases, where ``#`` is a number."""
    before = around[0][0]
    for start, end in around:
        for kept in _KEPT_IN_CASE.finditer(text, before, start):
            yield *kept.span(), False
        yield start, end, len(around) > 1
        before = end
