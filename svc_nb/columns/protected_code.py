"""Where code begins and ends in a text: fenced blocks and inline code, as in Markdown."""

import re
from collections.abc import Iterator

Span = tuple[int, int]

# It may be indented or quoted. The words after backticks contain no backtick, or it is inline code.
_OPENING = re.compile(r"^[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,}).*$", re.MULTILINE)
_CLOSING = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_BACKTICKS = re.compile(r"`+|\n[ \t]*\n")


def code(text: str) -> Iterator[Span]:
    """Fenced blocks, whole lines with their fences, and inline code with its backticks.

    An unclosed block of backticks continues to the end of the text; unclosed tildes do not start a block.

    >>> [*code("Run `ls`:\\n```sh\\nls\\n```\\nDone.")]
    [(4, 8), (10, 22)]
    """
    at = 0
    for start, end in _blocks(text):
        yield from _inline(text, at, start)
        yield start, end
        at = end
    yield from _inline(text, at, len(text))


def _blocks(text: str) -> Iterator[Span]:
    """Fenced blocks. It is known in advance whether a fence is closed, so that no text is searched twice."""
    closings = [*_CLOSING.finditer(text)]
    longest: list[dict[str, int]] = [{}]  # by character, the longest closing fence from each fence on
    for closing in reversed(closings):
        mark, before = closing[1], longest[-1]
        longest.append(before | {mark[0]: max(len(mark), before.get(mark[0], 0))})
    longest.reverse()
    place = looked = 0
    while opening := _OPENING.search(text, looked):
        mark, looked = opening[1], opening.end()
        while place < len(closings) and closings[place].start() < looked:
            place += 1
        if longest[place].get(mark[0], 0) >= len(mark):
            while not closings[place][1].startswith(mark):
                place += 1
            looked = closings[place].end()
        elif mark[0] == "`":
            looked = len(text)
        else:
            continue
        yield opening.start(), looked


def _inline(text: str, start: int, end: int) -> Iterator[Span]:
    """Inline code from *start* to *end*: as many backticks after it as before it, and no blank line in between."""
    marks = [*_BACKTICKS.finditer(text, start, end)]
    following: dict[int, int] = {}  # by the length of a run, the index in `marks` of the next one
    closing: list[int | None] = [None] * len(marks)
    for place in range(len(marks) - 1, -1, -1):
        if marks[place][0][0] == "\n":
            following.clear()
        else:
            length = len(marks[place][0])
            closing[place] = following.get(length)
            following[length] = place
    reached = 0
    for place, mark in enumerate(marks):
        closes = closing[place]
        escaped = text[mark.start() - 1 : mark.start()] == "\\"
        if place >= reached and closes is not None and not escaped:
            yield mark.start(), marks[closes].end()
            reached = closes + 1
