"""Where stretches begin and end in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Span = tuple[int, int]
Find = Callable[[str], Iterable[Span]]


def matches_of(pattern: re.Pattern[str]) -> Find:
    """What finds all that *pattern* matches, but nothing empty."""

    def find(text: str) -> list[Span]:
        return [span for found in pattern.finditer(text) if (span := found.span())[0] < span[1]]

    return find


def merged(spans: list[Span]) -> list[Span]:
    """*spans* in their order; those that overlap or touch are one."""
    if len(spans) == 1:
        return spans
    spans.sort()
    whole = [spans[0]]
    for start, end in spans:
        before, reached = whole[-1]
        if start <= reached:
            whole[-1] = before, max(reached, end)
        else:
            whole.append((start, end))
    return whole
