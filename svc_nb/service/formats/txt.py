"""Plain text: line by line and cell by cell, the lines of a wrapped paragraph together; code and line ends stay."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from . import Wish, Words, encoding
from .passage import Part, Passage, pieces, translated

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
    """Translate a text file: paragraphs and the items of lists, but for the lines of code between fences."""
    file = encoding.decode(source.read_bytes())
    parts: list[Part] = []
    paragraph: list[str] = []
    code = ""
    for line in _LINE.findall(file.text):
        fence = _FENCE.match(line)
        if fence or code or not line.strip() or _ITEM.match(line) or len(paragraph) == _MOST_LINES:
            parts += _passages(paragraph)
            paragraph = []
        if fence and code in ("", fence[1]):
            code = "" if code else fence[1]
            parts.append(line)
        elif code or not line.strip():
            parts.append(line)
        else:
            paragraph.append(line)
    target.write_bytes(file.encode("".join(translated([*parts, *_passages(paragraph)], words))))


def _passages(paragraph: Sequence[str]) -> Iterator[Part]:
    """Yield lines as they are if they are code, as one text if they are wrapped, else each for itself."""
    strange = sum(_CODE.search(line) is not None for line in paragraph)
    indented = all(map(_INDENTED.match, paragraph)) and 2 * strange >= max(1, len(paragraph))
    if indented or any(map(_PROMPT.match, paragraph)):
        yield from paragraph
        return
    if not _is_wrapped(paragraph):
        for line in paragraph:  # as several texts where wide gaps make it a row of a table
            for number, part in enumerate(_GAP.split(line)):
                yield part if number % 2 else Passage(pieces(part))
        return
    first, second, last = paragraph[0], paragraph[1], paragraph[-1]
    end = first[len(first.rstrip("\r\n")) :]
    indent = second[: _indent(second)]
    wrapper = textwrap.TextWrapper(
        max(max(len(line.rstrip()) for line in paragraph), len(indent) + 20),
        initial_indent=first[: _indent(first)],
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    body = "".join(paragraph).rstrip("\r\n")
    text = " ".join(map(str.strip, paragraph))
    yield Passage(pieces(text), raw=body, finish=lambda done: end.join(wrapper.wrap(done)))
    yield last[len(last.rstrip("\r\n")) :]


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
