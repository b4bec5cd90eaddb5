"""A cell of Python: the texts in its comments, docstrings and strings, and whether an edited cell is the same code."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
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
from svc_nb.notebooks.segments import Refused, Segment, Span, Unreadable, line_number, line_start, line_starts

COMMENTS, STRINGS = "comments", "strings"


class PythonCell:
    """A cell of Python as IPython accepts it. Raises Unreadable if it cannot be read."""

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
        """The texts, in order; strings in *keys* are names wherever they occur."""
        found: list[Segment] = []
        if COMMENTS in what:
            found += comment_segments(self.source, self._tokens.comments, is_code=is_code)
        for _, string, literals in self._texts(what, keys | self.keys):
            found += string_segments(self.source, literals, role=string.role, percent=string.percent)
        return sorted(found, key=lambda segment: segment.start)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The strings that are names: keys, subscripts, compared strings."""
        return frozenset(string.value for string in self._strings if string.role == KEPT)

    def becomes(self, result: str, what: frozenset[str]) -> bool:
        """Whether a result equals this cell except for the texts that may change."""
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
        """The strings that may change, each with its number and its literals."""
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
            # They must have the value that Python parsed.
            if literals and "".join(each.text for each in literals) == string.value:
                yield number, string, literals

    def _offset(self, line: int, column: int) -> int:
        """The position in the source for a place in the tree, which counts bytes of UTF-8."""
        begin = line_starts(self.source)[line - 1]
        text = self._tokens.masked[begin : begin + column]
        return begin + len(text.encode()[:column].decode(errors="ignore"))


def _outline(tree: ast.Module, free: frozenset[int]) -> str:
    """The tree as text, without the strings whose numbers are in *free*; modifies the tree."""
    for number, string in enumerate(list(strings_in(tree))):
        if number not in free:
            continue
        if isinstance(string.node, ast.Constant):
            string.node.value = ""
        else:
            string.node.values = [each for each in string.node.values if not isinstance(each, ast.Constant)]
    return ast.dump(tree)


# ---- the texts of string literals

_DOCOPT = re.compile(r"^[^\S\n]*+usage:", re.IGNORECASE | re.MULTILINE)
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def string_segments(source: str, literals: Sequence[Literal], *, role: str, percent: bool = False) -> Iterator[Segment]:
    """The texts of a string written as one or several literals."""
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


def _lines(literals: Sequence[Literal]) -> Iterator[list[Literal]]:
    """The literals, or parts of them, that make up each line of the text, without surrounding space."""
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
    # The source between one part and the next: quotes, and the space between literals.
    between = [source[one.spans[-1][1] : other.spans[0][0]] for one, other in pairwise(parts)]

    def write(answer: str) -> str:
        shares = shared(answer.replace(HELD, " "), [part.text for part in parts])
        done = ""
        for share, part, gap in zip(shares, parts, [*between, ""], strict=True):
            done += encoded(share, part, (source[slice(*span)] for span in part.fields)) + gap
        return done

    return tagged.segment(start, end, kind=role, line=line_number(source, start), write=write)


def shared(answer: str, texts: Sequence[str]) -> list[str]:
    """Split the translation into as many shares as there are *texts*, each about as long, with its own fields.

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


def _block_segments(source: str, literal: Literal, role: str) -> Iterator[Segment]:
    if role == DOCSTRING and _DOCOPT.search(literal.text):
        return
    lines: list[ProseLine] = []
    at = 0
    for text in literal.text.split("\n"):
        # The first line begins after the quotes, wherever they are.
        lines.append(ProseLine(text, literal.spans[at : at + len(text)], loose=not lines))
        at += len(text) + 1
    before = source[line_start(source, literal.start) : literal.start]
    own = before[: len(before) - len(before.lstrip())]
    indent = next((line.text[: line.indent] for line in lines[1:] if line.body), own)
    for stretches in paragraphs(lines, is_code=is_code, documented=role == DOCSTRING):
        starts = [stretch.span[0] for stretch in stretches[1:]]
        if any(source[line_start(source, start) : start].strip() for start in starts):
            continue  # a line of the text is not a line of the source
        first, (start, _), (_, end) = stretches[0], stretches[0].span, stretches[-1].span
        prefix = (indent if first.line.loose else "") + first.blank_head if role == DOCSTRING else None
        written = [source[slice(*span)] for span in literal.fields if start <= span[0] < end]
        encode = partial(encoded_lines, literal=literal, fields=written)
        found = paragraph(source, stretches, kind=role, prefix=prefix, encode=encode)
        if found:
            yield found


def encoded_lines(lines: Sequence[str], *, literal: Literal, fields: Sequence[str]) -> list[str]:
    """Lines as they are written within a literal's quotes; the fields are used up from line to line."""
    left = iter(fields)
    return [encoded(line, literal, left, ends=at == len(lines)) for at, line in enumerate(lines, start=1)]


def encoded(text: str, literal: Literal, fields: Iterator[str], *, ends: bool = True) -> str:
    """A text as written within a literal's quotes, which may follow if it *ends*; Refused if impossible."""
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


# ---- comments and string literals, character by character, with lines for IPython blanked out

# The standard tokenizer treats f-strings differently from one Python version to the next, and does not know magics.
# This one only finds comments and strings; its result is checked against the syntax tree.

# The cell magics whose cells hold Python.
PYTHON_CELLS = frozenset(
    ("capture", "debug", "memit", "mprun", "prun", "px", "pypy", "python", "python3", "time", "timeit")
)  # fmt: skip

_TOKEN = re.compile(
    r"""(?P<string>(?i:[rubft]{0,2})(?:'''|\"\"\"|'|\"))
    |(?P<comment>\#[^\r\n]*)
    |(?P<end>\r\n|[\r\n])
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |\\(?:\r\n|[\r\n])|\w+|[ \t\f]+|.""",
    re.VERBOSE | re.DOTALL,
)
_TO_END = r"(?:[^\\\r\n]|\\(?:\r\n|[\r\n])|\\)*"  # even across lines that are joined by a backslash
_MAGIC = re.compile(
    rf"(?P<head>[ \t]*)(?P<line>[%!?]{_TO_END}|%{{0,2}}[\w.*]+(?:\[[^\]\r\n]*\])?\?{{1,2}}[ \t]*(?=[\r\n]|\Z))"
    rf"|(?P<target>(?:[\w.,* \t]|\([\w.,* \t]*\)|\[[^\[\]\r\n]*\])+=[ \t]*)(?P<value>[%!]{_TO_END})"
)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_PLAIN = re.compile(r"[^\\'\"{}\r\n]+")
_ESCAPE = re.compile(
    r"\\(?:(?P<join>\r\n|[\r\n])|(?P<simple>[\\'\"abfnrtv])|(?P<octal>[0-7]{1,3})"
    r"|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})|N\{(?P<name>[^{}\r\n]+)\})"
)
_SIMPLE = dict(zip("\\'\"abfnrtv", "\\'\"\a\b\f\n\r\t\v", strict=True))


@dataclass(frozen=True)
class Literal:
    """A string literal: its value as far as it is text, and the position of each character in the source."""

    start: int
    end: int
    prefix: str  # in lower case, "f" also for "t": the content of braces is code
    quote: str
    text: str
    spans: Sequence[Span]

    @property
    def fields(self) -> list[Span]:
        """The positions of its replacement fields."""
        return [span for mark, span in zip(self.text, self.spans, strict=True) if mark == FIELD]

    def part(self, start: int, end: int) -> Literal:
        """The literal reduced to the characters *start* to *end* of its text."""
        return replace(self, text=self.text[start:end], spans=self.spans[start:end])


@dataclass
class PythonTokens:
    """The tokens of a cell; `masked` is the cell, character for character, with magics blanked out."""

    masked: str
    comments: list[Span] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    magics: list[str] = field(default_factory=list)


def tokens_of(source: str, *, magics: bool) -> PythonTokens:
    """Find the comments, literals and, if allowed, *magics* of a cell; Unreadable if it is not Python."""
    cell = _CELL_MAGIC.match(source)
    if cell and cell[1] not in PYTHON_CELLS:
        raise Unreadable(f"a cell of %%{cell[1]}")
    if FIELD in source:
        raise Unreadable("it has a character with a special meaning here")
    found = PythonTokens(source)
    masked, shown = list[str](), 0
    at, depth, is_start = 0, 0, True  # a magic can only be at the start of a statement
    while at < len(source):
        if magics and is_start and (magic := _MAGIC.match(source, at)):
            start, at = magic.start("line" if magic["line"] else "value"), magic.end()
            found.magics.append(source[start:at])
            masked += (source[shown:start], "0", re.sub(r"[^\r\n]", " ", source[start + 1 : at]))
            shown = at
            is_start = False
            continue
        token = _TOKEN.match(source, at)
        assert token  # noqa: S101  (the last alternative is any character)
        kind, end = token.lastgroup, token.end()
        if kind == "string":
            found.literals.append(literal(source, at))
            end = found.literals[-1].end
        elif kind == "comment":
            found.comments.append((at, end))
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        is_start = kind == "end" and not depth
        at = end
    found.masked = "".join((*masked, source[shown:]))
    return found


def literal(source: str, start: int) -> Literal:
    """The string literal that begins at *start*."""
    opening = _TOKEN.match(source, start)
    if not opening or opening.lastgroup != "string":
        raise Unreadable("a string has an unknown prefix")
    written = opening["string"]
    quote = written.lstrip("rRuUbBfFtT")
    prefix = written[: -len(quote)].lower().replace("t", "f")
    at, text, spans = opening.end(), list[str](), list[Span]()
    while not source.startswith(quote, at):
        mark, plain = source[at : at + 1], _PLAIN.match(source, at)
        value, end = mark, at + 1
        if plain:
            value, end = plain[0], plain.end()
        elif not mark or (mark in "\r\n" and len(quote) == 1):
            raise Unreadable("a string that does not end")
        elif mark in "\r\n":
            value, end = "\n", at + (2 if source.startswith("\r\n", at) else 1)
        elif mark == "\\":
            value, end = _escaped(source, at, raw="r" in prefix)
        elif mark in "{}" and "f" in prefix:
            doubled = source.startswith(mark * 2, at)
            value, end = (mark, at + 2) if doubled else (FIELD, _field_end(source, at))
        is_plain = len(value) == end - at
        spans += [(at + i, at + i + 1) for i in range(len(value))] if is_plain else [(at, end)] * len(value)
        text.append(value)
        at = end
    return Literal(start, at + len(quote), prefix, quote, "".join(text), spans)


def _escaped(source: str, at: int, *, raw: bool) -> tuple[str, int]:
    """What a backslash and the characters behind it stand for, and where they end."""
    if raw:
        size = 2 if source[at + 1 : at + 2] in ("\\", "'", '"') else 1
        return source[at : at + size], at + size
    escape = _ESCAPE.match(source, at)
    if not escape:
        return "\\", at + 1
    kind = escape.lastgroup or ""
    value = escape[kind]
    if kind in ("join", "simple"):  # a line end after a backslash is dropped
        return "" if kind == "join" else _SIMPLE[value], escape.end()
    try:
        text = unicodedata.lookup(value) if kind == "name" else chr(int(value, 8 if kind == "octal" else 16))
    except (KeyError, ValueError, OverflowError):
        raise Unreadable("an unknown escape in a string") from None
    return text, escape.end()


def _field_end(source: str, at: int) -> int:
    """Where the replacement field that begins at *at* ends."""
    depth, at, in_format = 0, at + 1, False
    while at < len(source):
        if not depth and source[at] == "}":
            return at + 1
        if in_format:
            at = _field_end(source, at) if source[at] == "{" else at + 1
            continue
        if not depth and source[at] == ":":
            in_format = True
        token = _TOKEN.match(source, at)
        kind = token.lastgroup if token else None
        if kind == "comment":
            break
        depth += (kind == "open") - (kind == "close")
        at = literal(source, at).end if kind == "string" else token.end() if token else at + 1
    raise Unreadable("a field of an f-string that does not end")
