"""A paragraph of several lines in code as one segment, wrapped again at its own width."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from svc_nb.notebooks.code.lines import Stretch, joined
from svc_nb.notebooks.code.words import HELD, Wording, is_clean
from svc_nb.notebooks.code.wrap import columns, filled
from svc_nb.notebooks.segment import Segment

USUAL_WIDTH = 79

# Makes source of the lines of an answer.
Encode = Callable[[Sequence[str]], Sequence[str]]


def paragraph(
    source: str, stretches: Sequence[Stretch], *, kind: str, prefix: str | None, encode: Encode
) -> Segment | None:
    """The paragraph as a segment; None where there is nothing to translate in it.

    *prefix* stands before each further line of an answer to a paragraph of one line; None keeps it on one line. A
    longer paragraph has its own.
    """
    text = joined(stretches)
    wording = Wording.of(text)
    if not wording.has_words or not is_clean(text):
        return None
    start, end = stretches[0].span[0], stretches[-1].span[1]
    begin = line_start(source, start)
    before = (
        source[line_start(source, stretches[1].span[0]) : stretches[1].span[0]] if stretches[1:] else prefix
    )
    widths = [columns(source[line_start(source, each.span[0]) : each.span[1]]) for each in stretches]
    width = max(widths) if stretches[1:] else max(*widths, USUAL_WIDTH)

    def write(answer: str) -> str:
        if before is None:
            return encode([answer.replace(HELD, " ")])[0]
        lines = filled(answer, first=columns(source[begin:start]), rest=columns(before), width=width)
        return (line_end(source) + before).join(encode(lines))

    return wording.segment(start, end, kind=kind, line=line_number(source, start), write=write)


def line_start(source: str, at: int) -> int:
    """Where the line begins that *at* is in."""
    begin = source.rfind("\n", 0, at) + 1
    return max(begin, source.rfind("\r", begin, at) + 1)


def line_number(source: str, at: int) -> int:
    """The number of the line that *at* is in, from 1."""
    begin = line_start(source, at)
    return 1 + source.count("\n", 0, begin) + source.count("\r", 0, begin) - source.count("\r\n", 0, begin)


def line_end(source: str) -> str:
    """What ends a source's lines."""
    found = re.search(r"\r\n|[\r\n]", source)
    return found[0] if found else "\n"
