"""Python source as comments and string literals, down to each character, with IPython's own lines blanked out.

The standard tokenizer says different things about f-strings from one Python to the next, and nothing about magics; this
one only has to find where comments and strings stand. What it says is checked against the syntax tree by its users.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from svc_nb.notebooks.code.spans import FIELD, Span, Unreadable

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
    prefix: str
    quote: str
    text: str
    spans: Sequence[Span]

    @property
    def raw(self) -> bool:
        """Whether a backslash is only a backslash."""
        return "r" in self.prefix

    @property
    def formatted(self) -> bool:
        """Whether braces are fields."""
        return "f" in self.prefix

    @property
    def triple(self) -> bool:
        """Whether it can have several lines."""
        return len(self.quote) > 1


@dataclass
class Scan:
    """What was found in a cell; `masked` is the cell, character for character, with magics blanked out."""

    masked: str
    comments: list[Span] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    magics: list[str] = field(default_factory=list)


def scan(source: str, *, magics: bool) -> Scan:
    """Find the comments, literals and, where there can be any, *magics* of a cell.

    Raises Unreadable where it is no Python.
    """
    cell = _CELL_MAGIC.match(source)
    if cell and cell[1] not in PYTHON_CELLS:
        raise Unreadable(f"a cell of %%{cell[1]}")
    if FIELD in source:
        raise Unreadable("it has a character that stands for something else here")
    found = Scan(source)
    masks: list[tuple[int, str]] = []
    for kind, start, end in _tokens(source, magics=magics):
        if kind == "string":
            found.literals.append(literal(source, start))
        elif kind == "comment":
            found.comments.append((start, end))
        elif kind == "magic":
            found.magics.append(source[start:end])
            masks.append((start, "0" + re.sub(r"[^\r\n]", " ", source[start + 1 : end])))
    found.masked = _masked(source, masks)
    return found


def _masked(source: str, masks: Sequence[tuple[int, str]]) -> str:
    done, at = [], 0
    for start, mask in masks:
        done += [source[at:start], mask]
        at = start + len(mask)
    return "".join([*done, source[at:]])


def _tokens(source: str, *, magics: bool) -> Iterator[tuple[str, int, int]]:
    """The kind, start and end of what matters; a magic can stand only where a statement begins."""
    at, depth, fresh = 0, 0, True
    while at < len(source):
        if magics and fresh and (magic := _MAGIC.match(source, at)):
            start = magic.start("line") if magic["line"] else magic.start("value")
            yield "magic", start, magic.end()
            at, fresh = magic.end(), False
            continue
        token = _TOKEN.match(source, at)
        assert token  # noqa: S101  (the last alternative is any character)
        kind, end = token.lastgroup or "", token.end()
        if kind == "string":
            end = literal(source, at).end
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        fresh = kind == "end" and not depth
        yield kind, at, end
        at = end


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
        value, end = _next(source, at, prefix=prefix, quote=quote)
        plain = len(value) == end - at
        spans += [(at + i, at + i + 1) for i in range(len(value))] if plain else [(at, end)] * len(value)
        text.append(value)
        at = end
    return Literal(start, at + len(quote), prefix, quote, "".join(text), spans)


def _next(source: str, at: int, *, prefix: str, quote: str) -> tuple[str, int]:
    """What the characters from *at* stand for, and where they end."""
    if plain := _PLAIN.match(source, at):
        return plain[0], plain.end()
    mark = source[at : at + 1]
    if not mark or (mark in "\r\n" and len(quote) == 1):
        raise Unreadable("a string that does not end")
    if mark in "\r\n":
        return "\n", at + (2 if source.startswith("\r\n", at) else 1)
    if mark == "\\":
        return _backslash(source, at, raw="r" in prefix)
    if mark in "{}" and "f" in prefix:
        return (mark, at + 2) if source.startswith(mark * 2, at) else (FIELD, _field_end(source, at))
    return mark, at + 1


def _backslash(source: str, at: int, *, raw: bool) -> tuple[str, int]:
    if raw:
        size = 2 if source[at + 1 : at + 2] in ("\\", "'", '"') else 1
        return source[at : at + size], at + size
    escape = _ESCAPE.match(source, at)
    if not escape:
        return "\\", at + 1
    return _unescaped(escape), escape.end()


def _unescaped(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    value = escape[kind]
    if kind == "join":
        return ""
    if kind == "simple":
        return _SIMPLE[value]
    try:
        return unicodedata.lookup(value) if kind == "name" else chr(int(value, 8 if kind == "octal" else 16))
    except (KeyError, ValueError, OverflowError):
        raise Unreadable("an unknown escape in a string") from None


def _field_end(source: str, at: int) -> int:
    """Where the replacement field that begins at *at* ends."""
    depth, at = 0, at + 1
    while at < len(source):
        token = _TOKEN.match(source, at)
        kind = token.lastgroup if token else None
        if not depth and source[at] == "}":
            return at + 1
        if not depth and source[at] == ":":
            return _spec_end(source, at + 1)
        if kind == "comment":
            break
        depth += (kind == "open") - (kind == "close")
        at = literal(source, at).end if kind == "string" else token.end() if token else at + 1
    raise Unreadable("a field of an f-string that does not end")


def _spec_end(source: str, at: int) -> int:
    while at < len(source):
        if source[at] == "}":
            return at + 1
        at = _field_end(source, at) if source[at] == "{" else at + 1
    raise Unreadable("a field of an f-string that does not end")
