"""Plain text: line by line and cell by cell, the lines of a wrapped paragraph together; code and line ends stay."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from . import Wish, Words, encoding
from .passage import Part, Passage, translated
from .placeholders import pieces

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++\Z")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_GAP = re.compile(r"(\t+| {3,})")
_INDENTED = re.compile(r" {4}|\t")
_PROMPT = re.compile(r"\s*(?:\$|>>>|C:\\>)\s")
_CODE = re.compile(
    r"[;{}\\]\s*$|\w\(.*\)|\s--?\w|\w+ ?[=!<>]=|\s[:+-]?=\s|[-=]>|::|^\s*(?:def|class|import|return|if|for|while)\b"
)
_NARROWEST, _MOST_LINES = 40, 200


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a text file."""
    file = encoding.decode(source.read_bytes())
    target.write_bytes(file.encode("".join(translated(list(_parts(file.text)), words))))


def _parts(text: str) -> Iterator[Part]:
    """Yield paragraphs and the items of lists, and the lines of code between fences, which stay."""
    paragraph: list[str] = []
    code = ""
    for line in _LINE.findall(text):
        fence = _FENCE.match(line)
        if fence or code or not line.strip() or _ITEM.match(line) or len(paragraph) == _MOST_LINES:
            yield from _passages(paragraph)
            paragraph = []
        if fence and code in ("", fence[1]):
            code = "" if code else fence[1]
            yield line
        elif code or not line.strip():
            yield line
        else:
            paragraph.append(line)
    yield from _passages(paragraph)


def _passages(paragraph: Sequence[str]) -> Iterator[Part]:
    if _is_code(paragraph):
        yield from paragraph
        return
    if not _is_wrapped(paragraph):
        for line in paragraph:
            yield from _cells(line)
        return
    first, last = paragraph[0], paragraph[-1]
    indents = first[: _indent(first)], paragraph[1][: _indent(paragraph[1])]
    end = first[len(first.rstrip("\r\n")) :]
    width = max(len(line.rstrip()) for line in paragraph)
    wrap = partial(_wrapped, indents=indents, width=width, end=end)
    body = "".join(paragraph).rstrip("\r\n")
    yield Passage(pieces(" ".join(map(str.strip, paragraph))), raw=body, finish=wrap)
    yield last[len(last.rstrip("\r\n")) :]


def _is_code(paragraph: Sequence[str]) -> bool:
    """Tell whether lines are a program's: after a prompt, or set in and mostly written as no text is."""
    if any(map(_PROMPT.match, paragraph)):
        return True
    strange = sum(_CODE.search(line) is not None for line in paragraph)
    return all(map(_INDENTED.match, paragraph)) and 2 * strange >= max(1, len(paragraph))


def _cells(line: str) -> Iterator[Part]:
    """Yield a line, as several texts where wide gaps make it a row of a table."""
    for number, part in enumerate(_GAP.split(line)):
        yield part if number % 2 else Passage(pieces(part))


def _is_wrapped(paragraph: Sequence[str]) -> bool:
    """Tell whether the lines are one text: none could have taken the next one's first word, and one goes on in it."""
    lines = [line.rstrip() for line in paragraph]
    if len(lines) < 2:
        return False
    width = max(map(len, lines))
    full = all(len(line) + 1 + len(after.split()[0]) > width for line, after in pairwise(lines))
    hang = _ITEM.match(lines[0])
    indents = {_indent(line) for line in lines[1:]} | {hang.end() if hang else _indent(lines[0])}
    goes_on = any(line[-1] not in ".!?:;" and after.lstrip()[0].islower() for line, after in pairwise(lines))
    return width >= _NARROWEST and full and goes_on and len(indents) == 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _wrapped(text: str, *, indents: tuple[str, str], width: int, end: str) -> str:
    lines = textwrap.wrap(
        text,
        max(width, len(indents[1]) + 20),
        initial_indent=indents[0],
        subsequent_indent=indents[1],
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return end.join(lines)
