"""Plurals and choices, `{n, plural, one {# file} other {# files}}`: what of them is text, and what holds it together.

Braces stand in each other by turns: in the first, third, ... there are names, in the second, fourth, ... the texts of
arms. From an apostrophe before a brace or a `#` to the next one nothing counts as either; two apostrophes are one.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from svc_nb.columns.protection.spans import Span

_HEAD = re.compile(r"\{\s{0,9}\w{1,100}\s{0,9},\s{0,9}(?:plural|select|selectordinal)\s{0,9},")
_BRACE = re.compile(r"[{}]")
# An apostrophe that nothing ends is one like any other. There can be one search for an end in vain at most, since a
# run of two apostrophes is never begun in its middle.
_QUOTED = r"'[{}#][^']*+(?:''[^']*+)*+'"
_BRACE_OR_QUOTED = re.compile(rf"''|{_QUOTED}|[{{}}]")
_TOKEN = re.compile(rf"''|{_QUOTED}|[{{}}#']|[^{{}}#']++")


def spans(text: str) -> list[Span]:
    """Where plurals and choices begin and end; those inside of others are a part of them."""
    first = _HEAD.search(text) if "plural" in text or "select" in text else None
    outermost: list[Span] = []
    for start, end in sorted(_closed(text, first.start())) if first else ():
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, end))
    return outermost


def skeleton(text: str, message: Span) -> Iterator[Span]:
    """All of a message but the texts of its arms; what is quoted in them belongs to it."""
    depth = 0
    for found in _TOKEN.finditer(text, *message):
        mark = found[0]
        depth += mark == "{"
        if depth % 2 or mark in ("{", "}", "#") or (len(mark) > 2 and mark[0] == "'"):
            yield found.span()
        depth -= mark == "}"


def braces(text: str) -> list[int]:
    """The places of all braces that open or close something in the messages of *text*."""
    tokens = (found for message in spans(text) for found in _TOKEN.finditer(text, *message))
    return [found.start() for found in tokens if found[0] in ("{", "}")]


def covers(messages: Sequence[Span], place: int) -> bool:
    """Whether *place* is inside of one of *messages*."""
    before = bisect_right(messages, (place, sys.maxsize)) - 1
    return before >= 0 and place < messages[before][1]


def _closed(text: str, place: int) -> Iterator[Span]:
    """Every message from *place* on that is closed; quotes count inside of messages only."""
    opened: list[tuple[int, bool]] = []
    depth = 0  # in messages
    while found := (_BRACE_OR_QUOTED if depth else _BRACE).search(text, place):
        start, place = found.span()
        if found[0] == "{":
            is_head = bool(_HEAD.match(text, start))
            opened.append((start, is_head))
            depth += is_head
        elif found[0] == "}" and opened:
            start, is_head = opened.pop()
            depth -= is_head
            if is_head:
                yield start, place
