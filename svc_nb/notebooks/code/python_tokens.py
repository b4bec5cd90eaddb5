"""Python source as comments and string literals, down to each character, with IPython's own lines blanked out.

The standard tokenizer says different things about f-strings from one Python to the next, and nothing about magics; this
one only has to find where comments and strings stand. What it says is checked against the syntax tree by its users.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from svc_nb.notebooks.code.paragraphs import FIELD
from svc_nb.notebooks.segments import Span, Unreadable

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
_TO_END = r"(?:[^\\\r\n]|\\(?:\r\n|[\r\n])|\\)*"  # also over lines that a backslash joins
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
    """A string literal: its value as far as it is text, and where each character of it stands in the source."""

    start: int
    end: int
    prefix: str  # in small letters, "f" also for "t": what is in braces is code
    quote: str
    text: str
    spans: Sequence[Span]

    @property
    def fields(self) -> list[Span]:
        """Where its replacement fields stand."""
        return [span for mark, span in zip(self.text, self.spans, strict=True) if mark == FIELD]

    def part(self, start: int, end: int) -> Literal:
        """The literal as if it had only the characters *start* to *end* of its text."""
        return replace(self, text=self.text[start:end], spans=self.spans[start:end])


@dataclass
class PythonTokens:
    """What was found in a cell; `masked` is the cell, character for character, with magics blanked out."""

    masked: str
    comments: list[Span] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    magics: list[str] = field(default_factory=list)


def tokens_of(source: str, *, magics: bool) -> PythonTokens:
    """Find the comments, literals and, where there can be any, *magics* of a cell.

    Raises Unreadable where it is no Python.
    """
    cell = _CELL_MAGIC.match(source)
    if cell and cell[1] not in PYTHON_CELLS:
        raise Unreadable(f"a cell of %%{cell[1]}")
    if FIELD in source:
        raise Unreadable("it has a character that stands for something else here")
    found = PythonTokens(source)
    at, depth, is_start = 0, 0, True  # a magic can stand only where a statement starts
    while at < len(source):
        if magics and is_start and (magic := _MAGIC.match(source, at)):
            start, at = magic.start("line" if magic["line"] else "value"), magic.end()
            found.magics.append(source[start:at])
            blank = "0" + re.sub(r"[^\r\n]", " ", source[start + 1 : at])
            found.masked = found.masked[:start] + blank + found.masked[at:]
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
    return found


def literal(source: str, start: int) -> Literal:
    """The string literal that begins at *start*."""
    opening = _TOKEN.match(source, start)
    if not opening or opening.lastgroup != "string":
        raise Unreadable("a string begins in an unknown way")
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
    if kind in ("join", "simple"):  # a line end after a backslash stands for nothing
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
