"""Rows of cells as they are written, found in a text that comes piece by piece; cells in quotes may hold line ends."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import chain

from svc_nb.tabular.streaming import source
from svc_nb.tabular.streaming.source import LineTooLong, whole_lines

ROWS = 100_000
MANY = 4096
# Stands for a carriage return while Python's reader reads a row, for it takes one outside of quotes for an error. No
# text has it.
NUL = "\0"
csv.field_size_limit(max(csv.field_size_limit(), source.LONGEST))


class Unclosed(ValueError):
    """A quote is open where its cell should end; the text is the number of the line."""


class Records:
    """Rows one after the other: the line that each begins in, its text, how many cells it has, and what ends it.

    `picked` has the cells of some columns, by the place of the column; where a row ends early they are empty.
    """

    __slots__ = ("bodies", "ends", "lines", "picked", "widths")

    def __init__(self, picked: Iterable[int]) -> None:
        self.lines: list[int] = []
        self.bodies: list[str] = []
        self.widths: list[int] = []
        self.ends: list[str] = []
        self.picked: dict[int, list[str]] = {place: [] for place in picked}


class RowLines:
    """Lines for Python's reader, which takes as many as a row has.

    Before it reads a row, `first` is set to the line that it begins with and `count` to 0; then `count` says how many
    lines were taken, and `texts` has them where they are several.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.first = ""
        self.count = 0
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        line: str | None = self.first
        size = 0
        while line is not None:
            self.count += 1
            if self.count == 2:
                self.texts, size = [self.first], len(self.first)
            if self.count > 1:
                self.texts.append(line)
                size += len(line)
                if not self.count % MANY:  # short lines take far more memory than a long text
                    self.texts[-MANY:] = ["".join(self.texts[-MANY:])]
                if size > source.LONGEST:
                    raise LineTooLong
            if "\r" in line:
                end = 2 if line.endswith("\r\n") else int(line[-1] in "\r\n")
                body = line[:-end] if end else line
                line = body.replace("\r", NUL) + line[len(body) :]
            yield line
            line = next(self._lines, None) if self.count else self.first


@dataclass(frozen=True, slots=True)
class Dialect:
    """What separates cells, what ends lines, and whether quotes mean anything."""

    separator: str
    newline: str = "\n"
    quotes: bool = True

    def records(
        self, pieces: Iterable[str], picked: Collection[int] = (), *, line: int = 1, rows: int = ROWS
    ) -> Iterator[Records]:
        """The rows of a text that comes in pieces, at most *rows* at a time, with the cells of the *picked* columns.

        The text begins in *line*. Raises Unclosed and LineTooLong, with the number of the line.
        """
        found, size, is_open = Records(picked), 0, False
        columns = list(found.picked.items())
        lines = chain.from_iterable(StringIO(text, self.newline) for text in whole_lines(pieces, self.newline))
        row_lines = RowLines(lines)
        reader = csv.reader(row_lines, delimiter=self.separator, strict=True)
        try:
            for text in lines:
                count, cells = 1, None
                if self.quotes and '"' in text:
                    row_lines.first, row_lines.count, is_open = text, 0, True
                    cells = next(reader)
                    count, is_open = row_lines.count, False
                    if count > 1:
                        text = "".join(row_lines.texts)
                    if "\r" in text:
                        cells = [cell.replace(NUL, "\r") for cell in cells]
                body = text.removesuffix(self.newline).removesuffix("\r")
                if cells is None:
                    cells = body.split(self.separator)
                found.lines.append(line)
                found.bodies.append(body)
                found.ends.append(text[len(body) :])
                found.widths.append(len(cells))
                for place, column in columns:
                    column.append(cells[place] if place < len(cells) else "")
                line += count
                size += len(text)
                if len(found.bodies) >= rows or size >= source.CHARACTERS:
                    yield found
                    found, size = Records(picked), 0
                    columns = list(found.picked.items())
        except csv.Error:
            raise Unclosed(str(line)) from None
        except LineTooLong as problem:
            is_quoted = is_open or (self.quotes and '"' in str(problem))
            raise (Unclosed if is_quoted else LineTooLong)(str(line)) from None
        if found.bodies:
            yield found

    def cells(self, body: str) -> list[str]:
        """The cells of a row."""
        if not (self.quotes and '"' in body):
            return body.split(self.separator)
        [cells] = csv.reader([body.replace("\r", NUL)], delimiter=self.separator, strict=True)
        return [cell.replace(NUL, "\r") for cell in cells]
