"""A cell of Python: the texts in its comments, docstrings and strings, and whether an edited cell is the same code."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise

from svc_nb.notebooks.code.comments import comment_segments, directives
from svc_nb.notebooks.code.paragraphs import (
    FIELD,
    HELD,
    ProseLine,
    TaggedText,
    is_clean,
    is_endless,
    paragraph,
    paragraphs,
)
from svc_nb.notebooks.code.python_prose import (
    DOCSTRING,
    KEPT,
    TEXT,
    StringInTree,
    compiled,
    is_code,
    is_prose,
    strings_in,
)
from svc_nb.notebooks.code.python_tokens import Literal, tokens_of
from svc_nb.notebooks.segments import Segment, Unreadable, line_number, line_start, line_starts
from svc_nb.notebooks.tags import Refused

COMMENTS, STRINGS = "comments", "strings"


class PythonCell:
    """A cell of Python as IPython takes it. Raises Unreadable where it cannot be read."""

    def __init__(self, source: str) -> None:
        self.source = source
        try:
            self._tokens = tokens_of(source, magics=compiled(source) is None)
            self._tree = compiled(self._tokens.masked)
            if self._tree is None:
                raise Unreadable("it is not valid Python")
            self._strings = list(strings_in(self._tree))
        except RecursionError:
            raise Unreadable("it is nested too deeply") from None

    def segments(self, what: frozenset[str], keys: frozenset[str]) -> list[Segment]:
        """The texts, in order; those in *keys* are names of something, wherever they stand."""
        found: list[Segment] = []
        if COMMENTS in what:
            found += comment_segments(self.source, self._tokens.comments, is_code=is_code)
        for _, string, literals in self._texts(what, keys | self.keys):
            found += string_segments(self.source, literals, role=string.role, percent=string.percent)
        return sorted(found, key=lambda segment: segment.start)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The strings that are names of something: keys, subscripts, what is compared."""
        return frozenset(string.value for string in self._strings if string.role == KEPT)

    def becomes(self, result: str, what: frozenset[str]) -> bool:
        """Whether a result says the same as this cell, but for the texts that may change."""
        try:
            other = PythonCell(result)
        except Unreadable:
            return False
        free = frozenset(number for number, _, _ in self._texts(what, self.keys))
        mine, its = self._tokens, other._tokens
        runs = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return (
            mine.magics == its.magics
            and directives(self.source, mine.comments) == directives(other.source, its.comments)
            and _outline(compiled(mine.masked), free) == _outline(other._tree, free)
            and (compiled(its.masked, runs) is not None or compiled(mine.masked, runs) is None)
        )

    def _texts(self, what: frozenset[str], keys: frozenset[str]) -> Iterator[tuple[int, StringInTree, list[Literal]]]:
        """The strings that may change, each with its number and the literals that it is written as."""
        for number, string in enumerate(self._strings):
            is_asked = {DOCSTRING: COMMENTS, TEXT: STRINGS}.get(string.role) in what
            if not is_asked or (string.role == TEXT and (string.value in keys or not is_prose(string.value))):
                continue
            node, every = string.node, self._tokens.literals
            start = self._offset(node.lineno, node.col_offset)
            end = self._offset(node.end_lineno or 0, node.end_col_offset or 0)
            first = bisect_left(every, start, key=lambda each: each.start)
            last = bisect_left(every, end, key=lambda each: each.start)
            literals = every[first:last]
            # They must say what Python says that the string is.
            if literals and "".join(each.text for each in literals) == string.value:
                yield number, string, literals

    def _offset(self, line: int, column: int) -> int:
        """Where a place of the tree, which counts bytes of UTF-8, is in the source."""
        begin = line_starts(self.source)[line - 1]
        text = self._tokens.masked[begin : begin + column]
        return begin + len(text.encode()[:column].decode(errors="ignore"))


def _outline(tree: ast.Module, free: frozenset[int]) -> str:
    """The tree as a text, without the texts of the strings whose numbers are in *free*; it changes the tree."""
    for number, string in enumerate(list(strings_in(tree))):
        if number not in free:
            continue
        if isinstance(string.node, ast.Constant):
            string.node.value = ""
        else:
            string.node.values = [each for each in string.node.values if not isinstance(each, ast.Constant)]
    return ast.dump(tree)


# ---- the texts of string literals

_DOCOPT = re.compile(r"^\s*usage:", re.IGNORECASE | re.MULTILINE)
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def string_segments(source: str, literals: Sequence[Literal], *, role: str, percent: bool = False) -> Iterator[Segment]:
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
