"""Plain text: line by line, the lines of a wrapped paragraph together; encoding, marks and line ends stay."""

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
_NARROWEST, _MOST_LINES = 40, 200


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a text file."""
    file = encoding.decode(source.read_bytes())
    target.write_bytes(file.encode("".join(translated(list(_parts(file.text)), words))))


def _parts(text: str) -> Iterator[Part]:
    """Yield paragraphs, and the lines of code between fences, which stay."""
    paragraph: list[str] = []
    code = ""
    for line in _LINE.findall(text):
        fence = _FENCE.match(line)
        if fence or code or not line.strip() or len(paragraph) == _MOST_LINES:
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
    if not _is_wrapped(paragraph):
        yield from (Passage(pieces(line)) for line in paragraph)
        return
    first = paragraph[0]
    indent = first[: len(first) - len(first.lstrip())]
    body = "".join(paragraph).rstrip("\r\n")
    end = first[len(first.rstrip("\r\n")) :]
    wrap = partial(_wrapped, indent=indent, width=max(len(line.rstrip()) for line in paragraph), end=end)
    yield Passage(pieces(" ".join(map(str.strip, paragraph))), raw=body, finish=wrap)
    yield paragraph[-1][len(paragraph[-1].rstrip("\r\n")) :]


def _is_wrapped(paragraph: Sequence[str]) -> bool:
    """Tell whether the lines are one text: none could have taken the next one's first word, and one goes on in it."""
    lines = [line.rstrip() for line in paragraph]
    if len(lines) < 2:
        return False
    width = max(map(len, lines))
    full = all(len(line) + 1 + len(after.split()[0]) > width for line, after in pairwise(lines))
    indents = {len(line) - len(line.lstrip()) for line in lines}
    goes_on = any(line[-1] not in ".!?:;" and after.lstrip()[0].islower() for line, after in pairwise(lines))
    return width >= _NARROWEST and full and goes_on and len(indents) == 1


def _wrapped(text: str, *, indent: str, width: int, end: str) -> str:
    lines = textwrap.wrap(
        text,
        max(width, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return end.join(lines)
