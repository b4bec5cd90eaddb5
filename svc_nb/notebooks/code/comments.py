"""Comments that run to the end of a line: which of them are prose, and lines that form one text as one segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from svc_nb.notebooks.code.paragraphs import IsCode, ProseLine, paragraph, paragraphs
from svc_nb.notebooks.segments import Refused, Segment, Span, line_start

_MARKER = re.compile(r"#+|//+")
# What speaks to a tool; words that begin a sentence too need a colon.
_DIRECTIVE = re.compile(
    r"\s*(?:(?:noqa|nosec|nolint|nocov|noinspection|nopep8|nosonar)\b"
    r"|(?:type|mypy|pyright|pylint|flake8|isort|fmt|yapf|autopep8|black|ruff|pragma|cython|distutils|doctest|coverage"
    r"|codespell|cspell|spell-?checker|lint|pytype|bandit|vulture|jupytext|vim?|ex|tslint|jshint|jslint)\s?:"
    r"|pyre-\w|pragma\s|(?:istanbul|c8|v8)\s+ignore|@ts-|@flow|@jsx|@(?:param|title|markdown)\b|eslint-|prettier-|biome-|deno-(?:lint|fmt)-|SPDX-"
    r"|-\*-|[#@]__PURE__|sourceMappingURL=|endregion\b|%%|///|<[/\w]+>$|[-+]\s*$|In\s*\[[\d ]*\]:)"
    r"|[!|?:'@%]|region\b",
    re.IGNORECASE,
)
_CODING = re.compile(r".*?coding[:=]\s*[-\w.]+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they make code look like what it is not
_LATER = re.compile(
    r"\s*#\s*(?=noqa|nosec|type:|pragma|pylint:|fmt:|ruff:|mypy:|pyright:|isort:)", re.IGNORECASE
)


def is_directive(text: str) -> bool:
    """Whether a comment, without its marker, speaks to a tool."""
    return bool(_DIRECTIVE.match(text))


def directives(source: str, comments: Sequence[Span]) -> list[str]:
    """The comments that speak to tools, in order; of one that says something else first, the end."""
    found: list[str] = []
    for start, end in comments:
        body = _MARKER.sub("", source[start:end], count=1)
        later = _LATER.search(body)
        if is_directive(body):
            found.append(body)
        elif later:
            found.append(body[later.start() :])
    return found


def comment_segments(source: str, comments: Sequence[Span], *, is_code: IsCode) -> Iterator[Segment]:
    """The texts in comments, each paragraph as one; *is_code* says what is only commented out."""
    for run in _runs(source, comments):
        # A block of metadata goes from `# /// script` to `# ///`.
        if any(re.match(r"#\s*///", source[start:end]) for start, end in run):
            continue
        alone = not source[line_start(source, run[0][0]) : run[0][0]].strip()
        for stretches in paragraphs([_line(source, *span) for span in run], is_code=is_code):
            first = stretches[0]
            start = first.line.spans[0][0]
            prefix = source[line_start(source, start) : start] + first.blank_head if alone else None
            encode = partial(_written, lead=" " if first.start else "", early=_is_early(source, start))
            found = paragraph(source, stretches, kind="comment", prefix=prefix, encode=encode)
            if found:
                yield found


def _runs(source: str, comments: Sequence[Span]) -> Iterator[list[Span]]:
    """Comments that stand under each other, alone on their lines, with the same marker at the same column."""
    run: list[Span] = []
    head_before = ""
    for start, end in comments:
        marker, begin = _MARKER.match(source, start, end), line_start(source, start)
        head = source[begin : marker.end() if marker else start]
        alike = head == head_before and not head.strip("#/ \t")
        if run and not (alike and source[run[-1][1] : begin] in ("\n", "\r", "\r\n")):
            yield run
            run = []
        run.append((start, end))
        head_before = head
    if run:
        yield run


def _line(source: str, start: int, end: int) -> ProseLine:
    """A comment as a line; one for a tool has no text, and what speaks to a tool behind a text is cut off."""
    marker = _MARKER.match(source, start, end)
    begin = marker.end() if marker else start
    text = source[begin:end]
    if is_directive(text) or (_is_early(source, start) and _CODING.match(text)):
        text = ""
    if later := _LATER.search(text):
        text = text[: later.start()]
    return ProseLine(text, [(begin + i, begin + i + 1) for i in range(len(text))])


def _written(lines: Sequence[str], *, lead: str, early: bool) -> list[str]:
    """The lines of an answer as lines of a comment."""
    done = [_BIDI.sub("", line).strip(" ") for line in lines]
    for line in done:
        if is_directive(lead + line) or _LATER.search(line) or (early and _CODING.match(line)):
            raise Refused("the translation reads as a comment for a tool")
    return done


def _is_early(source: str, at: int) -> bool:
    """Whether a place is in the first two lines, where a comment can say how a file is encoded."""
    second = source.find("\n", source.find("\n") + 1)
    return second < 0 or at <= second
