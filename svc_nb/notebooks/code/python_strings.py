"""The texts in Python's string literals as segments, and answers written as literals."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from svc_nb.notebooks.code.paragraphs import ProseLine, paragraph, paragraphs
from svc_nb.notebooks.code.placeholders import FIELD, HELD, TaggedText, is_clean, is_endless
from svc_nb.notebooks.code.python_prose import DOCSTRING, is_code
from svc_nb.notebooks.code.python_tokens import Literal
from svc_nb.notebooks.segments import Refused, Segment, line_number, line_start

_DOCOPT = re.compile(r"^\s*usage:", re.IGNORECASE | re.MULTILINE)
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def string_segments(
    source: str, literals: Sequence[Literal], *, role: str, percent: bool = False
) -> Iterator[Segment]:
    """The texts of a string that is written as one or several literals."""
    if any("b" in each.prefix or ("r" in each.prefix and "\\" in each.text) for each in literals):
        return
    if len(literals) == 1 and len(literals[0].quote) > 1:
        yield from _block_segments(source, literals[0], role)
        return
    percent = percent or any(re.search(r"%[(#0+ .\d*-]*[a-z]", each.text) for each in literals)
    unknown = "" if role == DOCSTRING else "{}%" if percent else "{}"
    for parts in _lines(literals):
        segment = _line_segment(source, parts, role, unknown)
        if segment:
            yield segment


# ---- strings on one line, or on several that are put together


def _lines(literals: Sequence[Literal]) -> Iterator[list[Literal]]:
    """The literals, or parts of them, that make up each line of the text, without the space around it."""
    lines: list[list[Literal]] = [[]]
    for literal in literals:
        at = 0
        for number, text in enumerate(literal.text.split("\n")):
            if number:
                lines.append([])
            if text:
                lines[-1].append(literal.part(at, at + len(text)))
            at += len(text) + 1
    for parts in lines:
        while parts and not parts[0].text.strip():
            parts.pop(0)
        while parts and not parts[-1].text.strip():
            parts.pop()
        if parts:
            text = parts[0].text
            parts[0] = parts[0].part(len(text) - len(text.lstrip()), len(text))
            parts[-1] = parts[-1].part(0, len(parts[-1].text.rstrip()))
            yield parts


def _line_segment(source: str, parts: list[Literal], role: str, unknown: str) -> Segment | None:
    text = "".join(part.text for part in parts)
    if is_endless(text) or not is_clean(text):
        return None
    tagged = TaggedText.of(text, unknown=unknown)
    if not tagged.has_words:
        return None
    start, end = parts[0].spans[0][0], parts[-1].spans[-1][1]
    # What stands between one part and the next: quotes, and the space between literals.
    between = [source[one.spans[-1][1] : other.spans[0][0]] for one, other in pairwise(parts)]

    def write(answer: str) -> str:
        shares = shared(answer.replace(HELD, " "), [part.text for part in parts])
        done = ""
        for share, part, gap in zip(shares, parts, [*between, ""], strict=True):
            fields = (source[slice(*span)] for span in part.fields)
            done += encoded(share, part, fields) + gap
        return done

    return tagged.segment(start, end, kind=role, line=line_number(source, start), write=write)


def shared(answer: str, texts: Sequence[str]) -> list[str]:
    """The answer in as many shares as there are *texts*, each about as long, with the fields of its own.

    A share ends at the last space before it would be too long, else at the next one.

    >>> shared("ein langer Satz, der weitergeht", ["a long sentence ", "that goes on"])
    ['ein langer ', 'Satz, der weitergeht']
    """
    fields = [found.start() for found in re.finditer(FIELD, answer)]
    spaces = [found.start() for found in re.finditer(r"(?<=\S) (?=\S)", answer)]
    shares, at = [], 0
    for number, (text, following) in enumerate(pairwise(texts), start=1):
        due = sum(each.count(FIELD) for each in texts[:number])
        low = max(at, fields[due - 1] + 1) if due else at
        high = fields[due] if due < len(fields) else len(answer)
        cuts = [space + (not following.startswith(" ")) for space in spaces]
        fit = [cut for cut in cuts if low <= cut <= high]
        before = [cut for cut in fit if cut <= at + len(text)]
        cut = before[-1] if before else fit[0] if fit else high
        shares.append(answer[at:cut])
        at = cut
    return [*shares, answer[at:]]


# ---- strings of several lines


def _block_segments(source: str, literal: Literal, role: str) -> Iterator[Segment]:
    if role == DOCSTRING and _DOCOPT.search(literal.text):
        return
    lines: list[ProseLine] = []
    at = 0
    for text in literal.text.split("\n"):
        # The first line begins behind the quotes, wherever those are.
        lines.append(ProseLine(text, literal.spans[at : at + len(text)], loose=not lines))
        at += len(text) + 1
    before = source[line_start(source, literal.start) : literal.start]
    own = before[: len(before) - len(before.lstrip())]
    indent = next((line.text[: line.indent] for line in lines[1:] if line.body), own)
    for stretches in paragraphs(lines, is_code=is_code, documented=role == DOCSTRING):
        starts = [stretch.span[0] for stretch in stretches[1:]]
        if any(source[line_start(source, start) : start].strip() for start in starts):
            continue  # a line of the text is no line of the source
        first, (start, _), (_, end) = stretches[0], stretches[0].span, stretches[-1].span
        prefix = (indent if first.line.loose else "") + first.blank_head if role == DOCSTRING else None
        written = [source[slice(*span)] for span in literal.fields if start <= span[0] < end]
        encode = partial(encoded_lines, literal=literal, fields=written)
        found = paragraph(source, stretches, kind=role, prefix=prefix, encode=encode)
        if found:
            yield found


# ---- writing


def encoded_lines(lines: Sequence[str], *, literal: Literal, fields: Sequence[str]) -> list[str]:
    """Lines as they are written within a literal's quotes; the fields are used up from line to line."""
    left = iter(fields)
    return [encoded(line, literal, left, ends=at == len(lines)) for at, line in enumerate(lines, start=1)]


def encoded(text: str, literal: Literal, fields: Iterator[str], *, ends: bool = True) -> str:
    """A text as it is written within a literal's quotes, which may follow where it *ends*.

    Raises Refused where a raw literal cannot say it.
    """
    done: list[str] = []
    for at, mark in enumerate(text):
        written = mark
        closes = (ends and at == len(text) - 1) or text.startswith(literal.quote, at)
        if mark == "\\" or (mark == literal.quote[0] and closes):
            written = f"\\{mark}"
        elif mark in "{}" and "f" in literal.prefix:
            written = mark * 2
        elif unicodedata.category(mark) in ("Cc", "Zl", "Zp") or mark in _BIDI:
            written = f"\\x{ord(mark):02x}" if ord(mark) < 256 else f"\\u{ord(mark):04x}"
        if "r" in literal.prefix and written.startswith("\\"):
            raise Refused("a raw string cannot hold the translation")
        done.append(next(fields) if mark == FIELD else written)
    return "".join(done)
