"""Rows of cells as they are written, found in a text that comes piece by piece; cells in quotes may hold line ends."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from svc_nb.cli.files.pieces import Pieces

ROWS = 100_000
CLOSED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')


class Unclosed(ValueError):
    """A quote is open where its cell should end; the text is the number of the line."""


class Endless(ValueError):
    """A line is longer than any can be; the text is its number."""


class GoesOn(Exception):
    """The text ends before the row does."""


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


@dataclass(frozen=True, slots=True)
class Form:
    """What separates cells, what ends lines, and whether quotes mean anything."""

    separator: str
    newline: str = "\n"
    quotes: bool = True

    def records(
        self, texts: Iterable[str], picked: Collection[int] = (), *, line: int = 1, rows: int = ROWS
    ) -> Iterator[Records]:
        """The rows of a text that comes in pieces, at most *rows* at a time, with the cells of the *picked* columns.

        The text begins in *line*. Raises Unclosed and Endless.
        """
        given, used, is_open = Pieces(texts), 0, False
        while given.more(used):
            if is_open and not self._closes(given, line):
                used = 0
                continue
            taker = Taker(self, given.text, line, last=given.last)
            while (found := taker.taken(rows, picked)).bodies:
                yield found
            used, line, is_open = taker.place, taker.line, taker.is_open
        if not given.last:
            raise (Unclosed if self.quotes and '"' in given.text[used:] else Endless)(str(line))

    def _closes(self, given: Pieces, line: int) -> bool:
        """Whether the row that *given* begins with, in which a quote was open, ends in what was taken by now.

        It is looked at before the text is taken apart into lines, which needs many times the memory.
        """
        try:
            self.quoted(given.text, 0, last=given.last)
        except GoesOn:
            return False
        except Unclosed:
            raise Unclosed(str(line)) from None
        return True

    def cells(self, body: str) -> list[str]:
        """The cells of a row."""
        if self.quotes and '"' in body:
            return self.quoted(body, 0, last=True)[0]
        return body.split(self.separator)

    def quoted(self, text: str, place: int, *, last: bool) -> tuple[list[str], int]:
        """The cells of the row at *place*, which has quotes, and where it ends; *text* may go on, unless it is *last*.

        Raises GoesOn where the row does, and Unclosed.
        """
        cell = _cell(self.separator, self.newline, last)
        cells: list[str] = []
        while True:
            found = cell.match(text, place)
            if found is None:
                raise Unclosed if last or _is_wrong(text, place) else GoesOn
            cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
            place = found.end()
            if not text.startswith(self.separator, place):
                return cells, place + (text.startswith("\r", place) and self.newline == "\n")
            place += 1


class Taker:
    """Takes the rows of a *text* that begins in *line*; `place` and `line` say where the next one begins,
    and `is_open` whether the text ends in it, with a quote that is open.

    Rows with quotes are read by Python's own reader, which is fast; those that it finds strange are looked at again.
    """

    def __init__(self, form: Form, text: str, line: int, *, last: bool) -> None:
        self._form = form
        self._text = text
        self._last = last
        self._lines = text.split(form.newline)
        # What stands behind the last line end is a line only if nothing follows it, and there is something.
        self._whole = len(self._lines) - (not last or not self._lines[-1])
        self._at = 0
        self.place = 0
        self.line = line
        self.is_open = False

    def taken(self, rows: int, picked: Collection[int]) -> Records:
        """The next rows, at most so many; none where the text ends, or only a part of a row is left."""
        form, lines, found = self._form, self._lines, Records(picked)
        columns = list(found.picked.items())
        separator, newline, quotes = form.separator, form.newline, form.quotes
        reader = csv.reader(self._fed(), delimiter=separator, strict=True)
        for _ in range(rows):
            first = self._at
            if first >= self._whole:
                break
            body, cells = lines[first], None
            if quotes and '"' in body:
                try:
                    cells = next(reader, None)
                except csv.Error:
                    cells = None
                if cells is None or lines[self._at - 1][-2:] == "\r\r":  # which it takes for one
                    cells = self._strange(first)
                if cells is None:
                    break
                if self._at > first + 1:
                    body = newline.join(lines[first : self._at])
            else:
                self._at = first + 1
            self.place += len(body) + 1
            end = newline if self._at < len(lines) else ""
            if body[-1:] == "\r":
                body, end = body[:-1], "\r" + end
            found.lines.append(self.line)
            found.bodies.append(body)
            found.ends.append(end)
            if cells is None:
                cells = body.split(separator)
            found.widths.append(len(cells))
            for place, column in columns:
                column.append(cells[place] if place < len(cells) else "")
            self.line += self._at - first
        return found

    def _fed(self) -> Iterator[str]:
        """The lines from the one that is next on."""
        while self._at < self._whole:
            self._at += 1
            yield self._lines[self._at - 1] + self._form.newline

    def _strange(self, first: int) -> list[str] | None:
        """The cells of the row that begins in the line *first*; None where it goes on behind the text."""
        try:
            cells, end = self._form.quoted(self._text, self.place, last=self._last)
        except GoesOn:
            self._at = self._whole = first
            self.is_open = True
            return None
        except Unclosed:
            raise Unclosed(str(self.line)) from None
        self._at = first + 1 + self._text.count(self._form.newline, self.place, end)
        return cells


@cache
def _cell(separator: str, newline: str, last: bool) -> re.Pattern[str]:
    """A cell in quotes, or one that does not begin with one, and what must come next."""
    between, end = re.escape(separator), "|\r?\\Z" if last else ""
    return re.compile(
        f'(?:"([^"]*+(?:""[^"]*+)*+)"|((?!")[^{between}{newline}]*?))(?={between}|\r?{newline}{end})'
    )


def _is_wrong(text: str, place: int) -> bool:
    """Whether what is in quotes at *place* ends where no cell does, however the text goes on."""
    closed = CLOSED.match(text, place)
    return closed is not None and closed.end() < len(text) - 1
