"""Lines of a source, and lines within them: where each character of a text stands in the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

LINE_END = re.compile(r"\r\n|\n|\r")

Span = tuple[int, int]


@dataclass(frozen=True)
class View:
    """Some lines of a source without what stands before them (list markers, `>`); their text is Markdown or HTML."""

    source: str
    spans: Sequence[Span]

    @classmethod
    def of(cls, source: str) -> View:
        """All lines of a source."""
        ends = [(found.start(), found.end()) for found in LINE_END.finditer(source)]
        starts = [0, *(end for _, end in ends)]
        return cls(source, list(zip(starts, [*(end for end, _ in ends), len(source)], strict=True)))

    @cached_property
    def text(self) -> str:
        """The lines with plain line ends."""
        return "\n".join(self.source[start:end] for start, end in self.spans)

    def line(self, number: int) -> str:
        """One line, as it stands in the source."""
        start, end = self.spans[number]
        return self.source[start:end]

    def number(self, line: int) -> int:
        """Which line of the source, from 1, a line of the view is."""
        return bisect_right(_line_starts(self.source), self.spans[line][0])

    def within(self, first: int, lines: Sequence[str]) -> View | None:
        """The lines from *first* on that end as *lines* do, but for space around them; None where they do not."""
        spans: list[Span] = []
        for number, line in enumerate(lines, first):
            bare = line.strip()
            if number >= len(self.spans) or not self.line(number).rstrip().endswith(bare):
                return None
            end = self.spans[number][0] + len(self.line(number).rstrip())
            spans.append((end - len(bare), end))
        return View(self.source, spans)

    def lines(self, first: int, lines: Sequence[str]) -> View | None:
        """The lines from *first* on that end with *lines*, space and all; None where they do not."""
        spans: list[Span] = []
        for number, line in enumerate(lines, first):
            if number >= len(self.spans) or not self.line(number).endswith(line):
                return None
            end = self.spans[number][1]
            spans.append((end - len(line), end))
        return View(self.source, spans)

    def part(self, start: int, end: int) -> View:
        """The view from one place in its text to another."""
        spans: list[Span] = []
        at = 0
        for first, last in self.spans:
            length = last - first
            if at <= end and start <= at + length:
                spans.append((first + max(start - at, 0), first + min(end - at, length)))
            at += length + 1
        return View(self.source, spans)

    def bare(self) -> View:
        """The view without the space at either end of its lines."""
        return View(self.source, [self._bare(span) for span in self.spans])

    def _bare(self, span: Span) -> Span:
        line = self.source[slice(*span)]
        end = span[0] + len(line.rstrip())
        return end - len(line.strip()), end

    def placed(self, lines: Sequence[str]) -> str:
        """What replaces the view when these are its lines: line ends and what stands before each line stay."""
        gaps = [self._gap(number) for number in range(len(lines) - 1)]
        return "".join(gap + line for gap, line in zip(["", *gaps], lines, strict=True))

    def _gap(self, number: int) -> str:
        start = self.spans[number][1]
        found = LINE_END.search(self.source, start)
        return self.source[found.start() if found else start : self.spans[number + 1][0]]


@lru_cache(maxsize=4)
def _line_starts(source: str) -> list[int]:
    return [0, *(found.end() for found in LINE_END.finditer(source))]
