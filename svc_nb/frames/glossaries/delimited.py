"""Text files of rows and cells, separated by tabs, commas or semicolons: bytes to cells and back.

TSV knows no quotes, as the service has it. A quoted cell of a CSV must end in its line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from svc_nb.errors import InvalidRows
from svc_nb.frames.findings import ERROR, Findings
from svc_nb.frames.glossaries.sides import short
from svc_nb.frames.glossaries.wide import LEFT_OUT, is_head
from svc_nb.frames.report import plural

SEPARATORS = {".tsv": "\t", ".txt": "\t", ".csv": ","}
BOM = "\ufeff"
# The longest mark first: that of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LOOK_AT_LINES = 50
QUOTED = re.compile(r'"((?:[^"]|"")*)"')


class Grid(NamedTuple):
    """The filled rows of a file or sheet: their cells, the line of each as a person counts them, and what was done."""

    rows: list[list[str]]
    lines: list[int]
    notes: list[str]


def grid(data: bytes, suffix: str, encoding: str | None = None) -> Grid:
    """The rows in *data*; the separator goes by the *suffix* of the file's name."""
    text, notes = _decoded(data, encoding)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    separator, skipped = _separator(lines, suffix)
    if separator not in ("\t", SEPARATORS[suffix]):
        notes.append(f"The separator is {separator!r}")
    rows, numbers = [], []
    for number, line in enumerate(lines[skipped:], start=1 + skipped):
        plain = separator == "\t" or '"' not in line
        cells = line.split(separator) if plain else _quoted(line, separator, number)
        if any(cell and not cell.isspace() for cell in cells):
            rows.append(cells)
            numbers.append(number)
    blank = len(lines) - skipped - len(rows) - (not lines[-1])
    if blank > 0:
        notes.append(LEFT_OUT + plural(blank, "blank line"))
    if separator == "\t" and '"' in text:
        notes += _about_quotes(rows)
    return Grid(rows, numbers, notes)


def _decoded(data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    marked = next((name for mark, name in MARKS if data.startswith(mark)), None)
    text = _text(data, encoding or marked or "utf-8", guessed=encoding is None)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(
            f"line {line} has a NUL character: this is no text, or in another encoding. If it came from a spreadsheet, "
            'save it as CSV in UTF-8, or pass its encoding, such as encoding="utf-16-le"'
        )
    notes = [] if (encoding or marked or "utf-8") == "utf-8" else [f"The encoding is {encoding or marked}"]
    if marked:
        notes.append("A byte order mark was dropped")
    return text.removeprefix(BOM), notes


def _text(data: bytes, encoding: str, *, guessed: bool) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise ValueError(
            f'encoding: Python knows none called {encoding!r}; common ones are "cp1252" and "utf-16"'
        ) from None
    except UnicodeError as problem:
        place = getattr(problem, "start", 0)
        line = data[:place].count(b"\n") + 1
        where = f"byte {place:,} in line {line:,}" if guessed else "some of it"
        advice = 'pass its encoding, such as encoding="cp1252"' if guessed else "try another"
        raise ValueError(
            f"the text is no {encoding}: {where} does not fit. Save it as UTF-8, or {advice}"
        ) from None


def _separator(lines: Sequence[str], suffix: str) -> tuple[str, int]:
    """The separator, and how many lines at the top only name it."""
    usual = SEPARATORS[suffix]
    if usual == "\t":
        return usual, 0
    named = re.fullmatch("sep=([,;\t|])", lines[0])
    if named:
        return named[1], 1
    filled = list(islice((line for line in lines if line.strip()), LOOK_AT_LINES))
    return next((each for each in (usual, ";", "\t") if _splits(filled, each)), usual), 0


def _splits(lines: Sequence[str], separator: str) -> bool:
    """Whether *separator* makes a table of *lines*: with a header, or with as many columns in all of them."""
    rows = [_loosely(line, separator) for line in lines]
    if rows and is_head(rows[0], rows[1] if len(rows) > 1 else None):
        return True
    return len({len(row) for row in rows}) == 1 and len(rows[0]) > 1


def _loosely(line: str, separator: str) -> list[str]:
    try:
        return _quoted(line, separator, 0)
    except InvalidRows:
        return line.split(separator)


def _quoted(line: str, separator: str, number: int) -> list[str]:
    """The cells of a line with quotes; a quote within an unquoted cell is a character like any other."""
    cells, place = [], 0
    while True:
        if line.startswith('"', place):
            match = QUOTED.match(line, place)
            if not match or (match.end() < len(line) and line[match.end()] != separator):
                raise _misquoted(line[place:], number)
            cells.append(match[1].replace('""', '"'))
            place = match.end()
        else:
            end = line.find(separator, place)
            cells.append(line[place : end if end >= 0 else len(line)])
            place = end if end >= 0 else len(line)
        if place == len(line):
            return cells
        place += 1


def _misquoted(rest: str, number: int) -> InvalidRows:
    return InvalidRows(
        f"line {number}: the quotes around {short(rest)!r} are not closed in this line. A term cannot have a line "
        'break, which the service refuses; end the cell with a quote, and write one inside of it twice: "a ""b"" c"',
        rows=[number],
    )


def _about_quotes(rows: Iterable[Sequence[str]]) -> list[str]:
    count = sum(len(cell) > 2 and cell[0] == '"' == cell[-1] for row in rows for cell in row)
    kept = "which TSV takes for a part of it; a CSV would not"
    return [f"{plural(count, 'cell stands', 'cells stand')} in quotes, {kept}"] if count else []


def unwritable(rows: Sequence[Sequence[str]], separator: str) -> Findings:
    """Which *rows* have no form in a text file."""
    found = Findings()
    what = "a tab, a line break or a NUL" if separator == "\t" else "a line break or a NUL"
    bad = re.compile("[\n\r\0\t]" if separator == "\t" else "[\n\r\0]")
    wrong = [row for row, cells in enumerate(rows) if any(map(bad.search, cells))]
    found.add(
        np.array(wrong), ERROR, "control", f"a text file has no form for {what} in a cell", "use .svc.fix()"
    )
    halves = [row for row, cells in enumerate(rows) if not all(map(_encodes, cells))]
    found.add(np.array(halves), ERROR, "surrogate", "half of a surrogate pair cannot be written as UTF-8")
    return found


def _encodes(cell: str) -> bool:
    if cell.isascii():
        return True
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def written(rows: Iterable[Sequence[str]], separator: str) -> str:
    """*rows* as text, a line for each."""
    if separator != "\t":
        rows = ([_closed(cell, separator) for cell in cells] for cells in rows)
    return "".join(separator.join(cells) + "\n" for cells in rows)


def _closed(cell: str, separator: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if '"' in cell or separator in cell else cell
