"""Lines of a source, and lines within them: where each character of a text stands in the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from svc_nb.notebooks.segments import LINE_END, Segment, Span, line_number, line_starts
from svc_nb.notebooks.tags import escaped, plain


@dataclass(frozen=True)
class SourceLines:
    """Some lines of a source without what stands before them (list markers, `>`); their text is Markdown or HTML."""

    source: str
    spans: Sequence[Span]

    @classmethod
    def of(cls, source: str) -> SourceLines:
        """All lines of a source."""
        ends = [*(found.start() for found in LINE_END.finditer(source)), len(source)]
        return cls(source, list(zip(line_starts(source), ends, strict=True)))

    @property
    def start(self) -> int:
        """Where the first line begins in the source."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Where the last line ends in the source."""
        return self.spans[-1][1]

    @cached_property
    def text(self) -> str:
        """The lines with plain line ends."""
        return "\n".join(self.source[start:end] for start, end in self.spans)

    def line(self, number: int) -> str:
        """One line, as it stands in the source."""
        start, end = self.spans[number]
        return self.source[start:end]

    def number(self, line: int) -> int:
        """Which line of the source, from 1, one of these lines is."""
        return line_number(self.source, self.spans[line][0])

    def within(self, first: int, lines: Sequence[str], *, exact: bool = False) -> SourceLines | None:
        """The lines from *first* on that end as *lines* do; None where they do not.

        Space around them does not count, unless *exact*.
        """
        spans: list[Span] = []
        for number, line in enumerate(lines, first):
            if number >= len(self.spans):
                return None
            there = self.line(number) if exact else self.line(number).rstrip()
            wanted = line if exact else line.strip()
            if not there.endswith(wanted):
                return None
            end = self.spans[number][0] + len(there)
            spans.append((end - len(wanted), end))
        return SourceLines(self.source, spans)

    def in_line(self, number: int, start: int, end: int) -> SourceLines:
        """The characters *start* to *end* of one line."""
        first = self.spans[number][0]
        return SourceLines(self.source, [(first + start, first + end)])

    def part(self, start: int, end: int) -> SourceLines:
        """The lines from one place in their text to another."""
        spans: list[Span] = []
        at = 0
        for first, last in self.spans:
            length = last - first
            if at <= end and start <= at + length:
                spans.append((first + max(start - at, 0), first + min(end - at, length)))
            at += length + 1
        return SourceLines(self.source, spans)

    def bare(self) -> SourceLines:
        """The lines without the space at either end of each."""
        spans: list[Span] = []
        for start, end in self.spans:
            line = self.source[start:end]
            bare_end = start + len(line.rstrip())
            spans.append((bare_end - len(line.strip()), bare_end))
        return SourceLines(self.source, spans)

    def replaced_by(self, lines: Sequence[str]) -> str:
        """What replaces these lines by others: line ends and what stands before each line stay."""
        done = list(lines[:1])
        for (_, end), (start, _), line in zip(self.spans, self.spans[1:], lines[1:], strict=False):
            found = LINE_END.search(self.source, end)
            done += [self.source[found.start() if found else end : start], line]
        return "".join(done)

    def segment(self, kind: str, text: str, write: Callable[[str], str] = str) -> Segment:
        """These lines as a segment whose text has no tags; *write* makes source of the text of an answer."""
        return Segment(
            self.start, self.end, escaped(text), kind, self.number(0), put=lambda answer: write(plain(answer))
        )
