"""Where the cells of a Markdown table stand in its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from svc_nb.notebooks.markup.view import View

# A table may stand in a list or a quotation, with their signs before its first line.
BEFORE = (re.compile(r""), re.compile(r"[\s>]*"), re.compile(r"(?:[\s>]|[-+*:]\s|\d+[.)]\s)*"))


# A formula or code with a bar in it, meant as one, although the bar ends a cell for Markdown.
FORMULA = re.compile(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\\)\$(?![\s\d])[^$]*(?<![\s\\])\$(?!\d)")


def cell_view(view: View, line: int, column: int, content: str) -> View | None:
    """The place of a cell whose content is known; None where it cannot be told."""
    text = view.line(line)
    for before in BEFORE:
        found = before.match(text)
        cells = _cells(text, found.end() if found else 0)
        if column < len(cells):
            start, end = cells[column]
            if text[start:end].replace("\\|", "|") == content and not _cuts(text, start, end):
                first = view.spans[line][0]
                return View(view.source, [(first + start, first + end)])
    return None


def _cuts(text: str, start: int, end: int) -> bool:
    """Whether a cell has one end of a formula in it, and another cell the other."""
    return any(first < start < last or first < end < last for first, last in _formulas(text))


@lru_cache(maxsize=4)
def _formulas(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in FORMULA.finditer(text) if re.search(r"(?<!\\)\|", found.group())]


@lru_cache(maxsize=4)
def _cells(text: str, start: int) -> list[tuple[int, int]]:
    """From where to where each cell of a line goes, without the space in it."""
    end = len(text.rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    bounds = [start - 1, *(at for at in _pipes(text) if start <= at < end), end]
    cells = [_trimmed(text, left + 1, right) for left, right in pairwise(bounds)]
    if cells and text[start : start + 1] == "|":
        cells = cells[1:]
    if cells and text[end - 1 : end] == "|" and bounds[-2] == end - 1:
        cells = cells[:-1]
    return cells


def _pipes(text: str) -> Iterator[int]:
    for found in re.finditer(r"\|", text):
        if found.start() == 0 or text[found.start() - 1] != "\\":
            yield found.start()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    cell = text[start:end]
    return start + len(cell) - len(cell.lstrip()), end - len(cell) + len(cell.rstrip())
