"""ICU messages: the syntax of a plural or a choice, between the texts of its cases."""

from __future__ import annotations

import re

Span = tuple[int, int]

_ARGUMENT = r"\{\s*[\w.]+\s*,\s*"
MESSAGE = re.compile(rf"{_ARGUMENT}(?:plural|select|selectordinal|number|date|time|choice)\b")
_HEAD = rf"(?P<head>{_ARGUMENT}(?:plural|select|selectordinal)\s*,)"
_IN_MESSAGE = re.compile(r"\s*(?:(?P<case>(?:offset:\d+\s*)?(?:=\d+|[\w-]+)\s*\{)|(?P<close>\}))")
_IN_CASE = re.compile(rf"{_HEAD}|(?P<argument>\{{[^{{}}]*\}})|(?P<close>\}})|(?P<strange>\{{)")
_BRACE = re.compile(r"[{}]")


def syntax(text: str, start: int) -> list[Span]:
    """Return where the syntax stands of the message that begins at *start*; between two spans is the text of a case.

    A message that holds no cases, or cannot be read, is one span.
    """
    return _spans(text, start) or [(start, _balanced(text, start))]


def _spans(text: str, start: int) -> list[Span]:
    """Return the spans, or none if the message cannot be read."""
    head = _IN_CASE.match(text, start)
    if not head or head.lastgroup != "head":
        return []
    found: list[Span] = []
    within = ["message"]
    begin, at = head.span()
    while within:
        in_message = within[-1] == "message"
        step = _IN_MESSAGE.match(text, at) if in_message else _IN_CASE.search(text, at)
        if not step or step.lastgroup == "strange":
            return []
        at = step.end()
        if in_message:
            found.append((begin, at))
        if step.lastgroup == "close":
            within.pop()
        elif step.lastgroup != "argument":
            within.append("case" if in_message else "message")
        if not in_message:
            begin = step.start()
    return found


def _balanced(text: str, start: int) -> int:
    """Return where the brace that opens at *start* is closed; the end of the text if it never is."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return len(text)
