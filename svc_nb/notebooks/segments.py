"""Texts in a source: what is sent, how translations are put back, and what stays untranslated and why.

Texts are sent as XML with numbered tags; a translation is accepted if every tag comes back in its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import unescape

NO_ANSWER = "it was not translated"
UNPLACED = "it cannot be told where it stands"
CHANGED = "the structure would change"

LINE_END = re.compile(r"\r\n|[\r\n]")


Span = tuple[int, int]  # from where to where in a source


class Unreadable(Exception):
    """A source is left alone as a whole; the text says why, in a few words."""


@dataclass(frozen=True, eq=False)
class Segment:
    """The characters *start* to *end* of a source, and the text in them.

    `text` is what is sent: XML (`&`, `<` and `>` escaped), with numbered tags for everything that must stay
    (`<b1>…</b1>` around a text, `<x2/>` alone). `put` turns a translation, also XML, into the replacement of the
    characters; it raises Refused if a tag was lost, doubled or crossed. `runs` are the texts between the tags, sent one
    by one if the whole translation was refused, and `put_runs` builds the replacement from their translations.
    """

    start: int
    end: int
    text: str
    kind: str
    line: int  # of the source, from 1
    put: Callable[[str], str]
    runs: Sequence[str] = ()
    put_runs: Callable[[Sequence[str]], str] | None = None


@dataclass(frozen=True)
class Left:
    """A text that stayed as it was: its kind, its line in the source (and cell in a notebook), and why."""

    kind: str
    line: int
    reason: str
    text: str
    cell: int | None = None


@dataclass(frozen=True)
class Edited:
    """A source with translations; `again` are texts that, sent one by one, could rescue refused segments."""

    text: str
    segments: int = 0
    left: Sequence[Left] = ()
    again: Sequence[str] = ()


Layer = Callable[[str], Sequence[Segment]]  # the segments of a text, without overlaps


def with_answers(
    source: str, layers: Sequence[Layer], answers: Mapping[str, str], is_same: Callable[[str], bool]
) -> Edited:
    """Put translations back, one layer after the other; *is_same* checks the structure of a result."""
    text, count = source, 0
    left: list[Left] = []
    again: list[str] = []
    for layer in layers:
        segments = layer(text)
        count += len(segments)
        edits, reasons = _edits(text, segments, answers, is_same)
        for segment in segments:
            if segment in reasons and segment not in edits:
                left.append(Left(segment.kind, segment.line, reasons[segment], segment.text))
                if reasons[segment] != NO_ANSWER:  # texts that the service failed to translate are not sent in pieces
                    again += [run for run in segment.runs if run not in answers]
        text = replaced(text, edits)
    return Edited(text, count, left, again)


def _edits(
    text: str, segments: Sequence[Segment], answers: Mapping[str, str], is_same: Callable[[str], bool]
) -> tuple[dict[Segment, str], dict[Segment, str]]:
    """The replacements of segments, and the reason for segments without one."""
    reasons: dict[Segment, str] = {}
    whole: list[tuple[Segment, str]] = []
    for segment in segments:
        answer = answers.get(segment.text)
        if answer is None:
            reasons[segment] = NO_ANSWER
        elif answer != segment.text:
            try:
                whole.append((segment, segment.put(answer)))
                reasons[segment] = CHANGED
            except Refused as refusal:
                reasons[segment] = str(refusal)
    edits = safe_edits(text, {}, whole, is_same)
    in_runs: list[tuple[Segment, str]] = []
    for segment, reason in reasons.items():
        known = [answers[run] for run in segment.runs if run in answers]
        all_known = known and len(known) == len(segment.runs)
        if segment.put_runs and all_known and segment not in edits and reason != NO_ANSWER:
            with suppress(Refused):
                in_runs.append((segment, segment.put_runs(known)))
    return safe_edits(text, edits, in_runs, is_same), reasons


def safe_edits(
    source: str, known: Mapping[Segment, str], more: Sequence[tuple[Segment, str]], is_same: Callable[[str], bool]
) -> dict[Segment, str]:
    """The *known* edits and as many *more* as keep the structure, found with few checks by bisection."""
    together = {**known, **dict(more)}
    if not more or is_same(replaced(source, together)):
        return together
    if len(more) == 1:
        return dict(known)
    half = len(more) // 2
    return safe_edits(source, safe_edits(source, known, more[:half], is_same), more[half:], is_same)


def replaced(source: str, edits: Mapping[Segment, str]) -> str:
    """The source with the characters of every segment replaced; segments do not overlap."""
    done, at = [], 0
    for segment, new in sorted(edits.items(), key=lambda edit: edit[0].start):
        done += [source[at : segment.start], new]
        at = segment.end
    return "".join([*done, source[at:]])


@lru_cache(maxsize=4)
def line_starts(source: str) -> list[int]:
    """Where each line of a source begins."""
    return [0, *(found.end() for found in LINE_END.finditer(source))]


def line_number(source: str, at: int) -> int:
    """The number of the line with *at*, from 1."""
    return bisect_right(line_starts(source), at)


def line_start(source: str, at: int) -> int:
    """Where the line with *at* begins."""
    return line_starts(source)[line_number(source, at) - 1]


# ---- lines of a source, and lines within them


@dataclass(frozen=True)
class SourceLines:
    """Some lines of a source without their prefixes (list markers, `>`); their text is Markdown or HTML."""

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
        """One line, as in the source."""
        start, end = self.spans[number]
        return self.source[start:end]

    def number(self, line: int) -> int:
        """Which line of the source, from 1, one of these lines is."""
        return line_number(self.source, self.spans[line][0])

    def within(self, first: int, lines: Sequence[str], *, exact: bool = False) -> SourceLines | None:
        """The lines from *first* on that end as *lines* do, or None; space around them counts only if *exact*."""
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
        """The replacement of these lines by others: line ends and the prefixes of lines stay."""
        done = list(lines[:1])
        for (_, end), (start, _), line in zip(self.spans, self.spans[1:], lines[1:], strict=False):
            found = LINE_END.search(self.source, end)
            done += [self.source[found.start() if found else end : start], line]
        return "".join(done)

    def segment(self, kind: str, text: str, write: Callable[[str], str] = str) -> Segment:
        """These lines as a segment without tags; *write* turns the text of a translation into source."""
        return Segment(
            self.start, self.end, escaped(text), kind, self.number(0), put=lambda answer: write(plain(answer))
        )


# ---- texts with numbered tags, as they are sent


class Refused(Exception):
    """A translation cannot be put back; the text says why, in a few words."""


@dataclass(frozen=True)
class Tag:
    """A numbered tag: `<b1>` opens, `</b1>` closes, `<x2/>` stands alone."""

    number: int
    kind: str  # "open", "close" or "lone"

    def __str__(self) -> str:
        return {"open": "<b{}>", "close": "</b{}>", "lone": "<x{}/>"}[self.kind].format(self.number)


Part = str | Tag

# A translator may write a tag with a space in it, or a lone one as a pair.
TAG = re.compile(r"<b(\d+)\s*>|</b(\d+)\s*>|<x(\d+)\s*/>|<x(\d+)\s*>\s*</x\4\s*>")
KINDS = ("open", "close", "lone", "lone")


def escaped(text: str) -> str:
    """A text as XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml(parts: Sequence[Part]) -> str:
    """Texts and tags as one text to send."""
    return "".join(escaped(part) if isinstance(part, str) else str(part) for part in parts)


def parts_of(answer: str) -> list[Part]:
    """The texts and tags of a translation; texts are not empty, and no two are adjacent."""
    parts: list[Part] = []
    at = 0
    for found in TAG.finditer(answer):
        if found.start() > at:
            parts.append(unescape(answer[at : found.start()]))
        number = next(group for group in found.groups() if group)
        parts.append(Tag(int(number), KINDS[found.lastindex - 1 if found.lastindex else 0]))
        at = found.end()
    return [*parts, unescape(answer[at:])] if at < len(answer) else parts


def returned(answer: str, sent: Sequence[Part]) -> list[Part]:
    """The texts and tags of a translation, in its own order; Refused unless each tag *sent* is in its place."""
    parts = parts_of(answer)
    if _nesting(parts) != _nesting(sent):
        back, gone = (sum(isinstance(part, Tag) for part in each) for each in (parts, sent))
        if back == gone:
            raise Refused("the translator moved a tag out of its place")
        raise Refused("the translator lost a tag" if back < gone else "the translator doubled a tag")
    return parts


def _nesting(parts: Sequence[Part]) -> dict[tuple[int, str], tuple[int, ...]] | None:
    """Each tag with the numbers of the tags around it; None if tags are doubled, crossed or not closed."""
    found: dict[tuple[int, str], tuple[int, ...]] = {}
    open_: list[int] = []
    for tag in (part for part in parts if isinstance(part, Tag)):
        if (tag.number, tag.kind) in found or (tag.kind == "close" and open_[-1:] != [tag.number]):
            return None
        if tag.kind == "close":
            open_.pop()
        found[tag.number, tag.kind] = tuple(open_)
        if tag.kind == "open":
            open_.append(tag.number)
    return None if open_ else found


def runs(parts: Sequence[Part]) -> list[str]:
    """The texts with letters between tags, in order, without surrounding space, to send one by one."""
    return [escaped(part.strip()) for part in parts if isinstance(part, str) and has_letters(part)]


def with_runs(parts: Sequence[Part], answers: Sequence[str]) -> list[Part]:
    """The parts with the translations replacing their runs; the space around each stays."""
    left = iter([plain(answer) for answer in answers])
    return [
        re.sub(r"(?s)\S(?:.*\S)?", lambda _: next(left), part, count=1)
        if isinstance(part, str) and has_letters(part)
        else part
        for part in parts
    ]


def plain(answer: str) -> str:
    """The text of a translation without tags; raises Refused if there are any, or no text."""
    if TAG.search(answer):
        raise Refused("the translator made up a tag")
    text = re.sub(r"[ \t\r\n]+", " ", unescape(answer)).strip()
    if not text:
        raise Refused("the answer is empty")
    return text


def has_letters(text: str) -> bool:
    """Whether there is something to translate in a text."""
    return any(letter.isalpha() for letter in text)
