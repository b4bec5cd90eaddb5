"""ICU messages: the syntax of a plural or a choice, between the texts of its cases."""

from __future__ import annotations

import re

Span = tuple[int, int]

_ARGUMENT = r"\{\s*[\w.]+\s*,\s*"
MESSAGE = re.compile(rf"{_ARGUMENT}(?:plural|select|selectordinal|number|date|time|choice)\b")
_HEAD = re.compile(rf"{_ARGUMENT}(?:plural|select|selectordinal)\s*,")
_CASE = re.compile(r"\s*(?:offset:\d+\s*)?(?:=\d+|[\w-]+)\s*\{")
_END = re.compile(r"\s*\}")
_SIMPLE = re.compile(r"\{[^{}]*\}")
_BRACE = re.compile(r"[{}]")


def syntax(text: str, start: int) -> list[Span]:
    """Return where the syntax stands of the message that begins at *start*; between two spans is the text of a case.

    A message that holds no cases, or cannot be read, is one span.
    """
    return _spans(text, start) or [(start, _balanced(text, start))]


def _spans(text: str, start: int) -> list[Span]:
    """Return the spans, or none if the message cannot be read."""
    head = _HEAD.match(text, start)
    if not head:
        return []
    found: list[Span] = []
    within, begin, at = ["message"], start, head.end()
    while within:
        if within[-1] == "message":
            case = _CASE.match(text, at)
            if not (step := case or _END.match(text, at)):
                return []
            at = step.end()
            found.append((begin, at))
            begin = at
            within.append("case") if case else within.pop()
        elif not (brace := _BRACE.search(text, at)):
            return []
        elif brace[0] == "}":
            begin, at = brace.span()
            within.pop()
        elif head := _HEAD.match(text, brace.start()):
            begin, at = head.span()
            within.append("message")
        elif simple := _SIMPLE.match(text, brace.start()):
            at = simple.end()
        else:
            return []
    return found


def _balanced(text: str, start: int) -> int:
    """Return where the brace that opens at *start* is closed; the end of the text if it never is."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return len(text)
