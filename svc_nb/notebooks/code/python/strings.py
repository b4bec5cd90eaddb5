"""The texts in Python's string literals as segments, and answers written as literals."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from svc_nb.notebooks.code.lines import Line, Stretch, paragraphs
from svc_nb.notebooks.code.paragraphs import line_number, line_start, paragraph
from svc_nb.notebooks.code.python.looks import is_code
from svc_nb.notebooks.code.python.places import DOCSTRING
from svc_nb.notebooks.code.python.scan import Literal
from svc_nb.notebooks.code.spans import FIELD
from svc_nb.notebooks.code.words import HELD, Wording, is_clean, is_endless
from svc_nb.notebooks.segment import Refused, Segment

_DOCOPT = re.compile(r"^\s*usage:", re.IGNORECASE | re.MULTILINE)
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@dataclass(frozen=True)
class Piece:
    """The characters *start* to *end* of a literal's text."""

    literal: Literal
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its characters."""
        return self.literal.text[self.start : self.end]

    def fields(self, source: str) -> list[str]:
        """Its replacement fields, as they are written."""
        spans = self.literal.spans[self.start : self.end]
        return [source[slice(*span)] for mark, span in zip(self.text, spans, strict=True) if mark == FIELD]


def string_segments(
    source: str, literals: Sequence[Literal], *, role: str, percent: bool = False
) -> Iterator[Segment]:
    """The texts of a string that is written as one or several literals."""
    if any("b" in each.prefix or (each.raw and "\\" in each.text) for each in literals):
        return
    if len(literals) == 1 and literals[0].triple:
        yield from _block_segments(source, literals[0], role)
    else:
        unknown = "" if role == DOCSTRING else "{}%" if percent or _has_percent(literals) else "{}"
        for pieces in _lines(literals):
            yield from _line_segments(source, pieces, role, unknown)


def _has_percent(literals: Sequence[Literal]) -> bool:
    return any(re.search(r"%[(#0+ .\d*-]*[a-z]", each.text) for each in literals)


# ---- strings on one line, or on several that are put together


def _lines(literals: Sequence[Literal]) -> Iterator[list[Piece]]:
    """The pieces of each line of the text, without the space around it."""
    line: list[Piece] = []
    for literal in literals:
        at = 0
        for number, part in enumerate(literal.text.split("\n")):
            if number:
                yield line
                line = []
            if part:
                line.append(Piece(literal, at, at + len(part)))
            at += len(part) + 1
    yield line


def _line_segments(source: str, pieces: list[Piece], role: str, unknown: str) -> Iterator[Segment]:
    pieces = _stripped(pieces)
    text = "".join(piece.text for piece in pieces)
    if is_endless(text):
        return
    wording = Wording.of(text, unknown=unknown)
    if not pieces or not is_clean(text) or not wording.has_words:
        return
    start = pieces[0].literal.spans[pieces[0].start][0]
    end = pieces[-1].literal.spans[pieces[-1].end - 1][1]

    def write(answer: str) -> str:
        shares = shared(answer.replace(HELD, " "), [piece.text for piece in pieces])
        done = [
            encoded(each, piece.literal, piece.fields(source))
            for each, piece in zip(shares, pieces, strict=True)
        ]
        return "".join(x for pair in zip(done, [*_glues(source, pieces), ""], strict=True) for x in pair)

    yield wording.segment(start, end, kind=role, line=line_number(source, start), write=write)


def _glues(source: str, pieces: Sequence[Piece]) -> list[str]:
    """What stands in the source between one piece and the next: quotes, and the space between literals."""
    return [
        source[one.literal.spans[one.end - 1][1] : other.literal.spans[other.start][0]]
        for one, other in pairwise(pieces)
    ]


def _stripped(pieces: list[Piece]) -> list[Piece]:
    """The pieces without the space at the start of the first and the end of the last."""
    pieces = list(pieces)
    while pieces and not pieces[0].text.strip():
        pieces.pop(0)
    while pieces and not pieces[-1].text.strip():
        pieces.pop()
    if pieces:
        first = pieces[0]
        pieces[0] = Piece(first.literal, first.end - len(first.text.lstrip()), first.end)
        last = pieces[-1]
        pieces[-1] = Piece(last.literal, last.start, last.start + len(last.text.rstrip()))
    return pieces


def shared(answer: str, texts: Sequence[str]) -> list[str]:
    """The answer in as many shares as there are *texts*, each about as long, with the fields of its own.

    >>> shared("ein langer Satz, der weitergeht", ["a long sentence ", "that goes on"])
    ['ein langer ', 'Satz, der weitergeht']
    """
    shares, at = [], 0
    for number, text in enumerate(texts[:-1]):
        fields = [found.start() for found in re.finditer(FIELD, answer)]
        due = sum(each.count(FIELD) for each in texts[: number + 1])
        low = max(at, fields[due - 1] + 1) if due else at
        high = fields[due] if due < len(fields) else len(answer)
        cut = _cut(answer, low, high, at + len(text), after=not texts[number + 1].startswith(" "))
        shares.append(answer[at:cut])
        at = cut
    return [*shares, answer[at:]]


def _cut(answer: str, low: int, high: int, wanted: int, *, after: bool) -> int:
    """Where to cut between *low* and *high*: at the last space before *wanted*, else at the next one."""
    cuts = [found.start() + after for found in re.finditer(r"(?<=\S) (?=\S)", answer)]
    fit = [cut for cut in cuts if low <= cut <= high]
    before = [cut for cut in fit if cut <= wanted]
    return before[-1] if before else fit[0] if fit else high


# ---- strings of several lines


def _block_segments(source: str, literal: Literal, role: str) -> Iterator[Segment]:
    if role == DOCSTRING and _DOCOPT.search(literal.text):
        return
    lines = block_lines(literal)
    for stretches in paragraphs(lines, is_code=is_code, documented=role == DOCSTRING):
        if not all(_is_whole(source, stretch) for stretch in stretches[1:]):
            continue
        spans = slice(stretches[0].span[0], stretches[-1].span[1])
        fields = _block_fields(source, literal, spans)
        prefix = _prefix(source, literal, lines, stretches[0]) if role == DOCSTRING else None
        found = paragraph(
            source,
            stretches,
            kind=role,
            prefix=prefix,
            encode=partial(encoded_lines, literal=literal, fields=fields),
        )
        if found:
            yield found


def block_lines(literal: Literal) -> list[Line]:
    """The lines of a literal; the first begins behind the quotes, wherever those are."""
    lines, at = [], 0
    for number, text in enumerate(literal.text.split("\n")):
        lines.append(Line(text, literal.spans[at : at + len(text)], loose=not number))
        at += len(text) + 1
    return lines


def _is_whole(source: str, stretch: Stretch) -> bool:
    """Whether a stretch's line is a line of the source too."""
    return not source[line_start(source, stretch.span[0]) : stretch.span[0]].strip()


def _block_fields(source: str, literal: Literal, within: slice) -> list[str]:
    if FIELD not in literal.text:
        return []
    spans = (span for mark, span in zip(literal.text, literal.spans, strict=True) if mark == FIELD)
    return [source[start:end] for start, end in spans if within.start <= start < within.stop]


def _prefix(source: str, literal: Literal, lines: Sequence[Line], first: Stretch) -> str:
    """What stands before a further line, where the paragraph has only one."""
    head = re.sub(r"\S", " ", first.line.text[: first.start])
    if not first.line.loose:
        return head
    before = source[line_start(source, literal.start) : literal.start]
    below = next((line.text[: line.indent] for line in lines[1:] if line.body), None)
    return (before[: len(before) - len(before.lstrip())] if below is None else below) + head


# ---- writing


def encoded_lines(lines: Sequence[str], *, literal: Literal, fields: Sequence[str]) -> list[str]:
    """Lines as they are written within a literal's quotes; the fields are used up from line to line."""
    left, done = list(fields), []
    for number, line in enumerate(lines, start=1):
        count = line.count(FIELD)
        done.append(encoded(line, literal, left[:count], ends=number == len(lines)))
        left = left[count:]
    return done


def encoded(text: str, literal: Literal, fields: Sequence[str], *, ends: bool = True) -> str:
    """A text as it is written within a literal's quotes, which may follow where it *ends*.

    Raises Refused where a raw literal cannot say it.
    """
    left = list(fields)
    done = []
    for at, mark in enumerate(text):
        if mark == FIELD:
            done.append(left.pop(0))
            continue
        closes = (ends and at == len(text) - 1) or text.startswith(literal.quote, at)
        written = _encoded(mark, literal, closes=closes)
        if literal.raw and written.startswith("\\"):
            raise Refused("a raw string cannot hold the translation")
        done.append(written)
    return "".join(done)


def _encoded(mark: str, literal: Literal, *, closes: bool) -> str:
    if mark == "\\":
        return "\\\\"
    if mark == literal.quote[0]:
        return f"\\{mark}" if closes else mark
    if mark in "{}" and literal.formatted:
        return mark * 2
    if unicodedata.category(mark) in ("Cc", "Zl", "Zp") or mark in _BIDI:
        return f"\\x{ord(mark):02x}" if ord(mark) < 256 else f"\\u{ord(mark):04x}"
    return mark
