"""Rows of cells separated by commas, semicolons, tabs or bars: cells are added to the lines, which stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.encoded import Encoded
from svc_nb.cli.files.table import SEPARATED, Cells

SEPARATORS = (",", ";", "\t", "|")
NAMED = re.compile(r"sep=([,;\t|])\r?\n")
WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
BREAKS = re.compile(r"[\t\r\n]+")


class Record(NamedTuple):
    """A row as it is written: the line it begins in, its text, its cells and what ends it."""

    line: int
    body: str
    cells: list[str]
    end: str


class Unclosed(ValueError):
    """A quote is open where its cell should end; the text is the number of the line."""


class Separated:
    """A CSV or TSV; *usual* is what separates the cells by the file's name, *delimiter* what the person says."""

    row_word = "line"
    endings = tuple(SEPARATED)

    def __init__(self, source: Encoded, called: str, *, usual: str, delimiter: str | None = None) -> None:
        self.called = called
        self._source = source
        first = NAMED.match(source.text)
        self._before = first[0] if first else ""
        body = source.text.removeprefix(self._before)
        self.separator = _delimiter(delimiter) or (first[1] if first else _separator(body, usual))
        self._records, self._quotes = self._split(body)
        filled = [number for number, each in enumerate(self._records) if each.body.strip()]
        self._head, self._rows = filled[0], filled[1:]
        self.names = [name.strip() for name in self._records[self._head].cells]
        self.places = [self._records[number].line + bool(first) for number in self._rows]
        self._refuse_long()

    def column(self, name: str) -> Cells:
        """The cells of a column; where a line ends early they are empty."""
        place = self.names.index(name)
        rows = (self._records[number].cells for number in self._rows)
        return [cells[place] if place < len(cells) else "" for cells in rows]

    def extended(self, added: Mapping[str, Cells], *, encoding: str | None = None) -> bytes:
        """The file with columns added."""
        cells = [list(column) for column in added.values()]
        more = dict(zip(self._rows, zip(*cells, strict=True), strict=True))
        more[self._head] = tuple(added)
        all_quoted = _all_quoted(self._records[self._head], self.separator)
        parts = [self._before]
        for number, record in enumerate(self._records):
            parts.append(self._line(record, more.get(number), all_quoted=all_quoted))
        return self._source.encode("".join(parts), self.called, encoding)

    def _line(self, record: Record, more: tuple[str | None, ...] | None, *, all_quoted: bool) -> str:
        if more is None:
            return record.body + record.end
        short = [""] * (len(self.names) - len(record.cells))
        written = (self._written(cell or "", all_quoted=all_quoted) for cell in more)
        return self.separator.join([record.body, *short, *written]) + record.end

    def _written(self, cell: str, *, all_quoted: bool) -> str:
        if not self._quotes:
            return BREAKS.sub(" ", cell)
        if all_quoted or any(each in cell for each in (self.separator, '"', "\n", "\r")):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def _split(self, body: str) -> tuple[list[Record], bool]:
        try:
            return list(_records(body, self.separator, quotes=True)), True
        except Unclosed as problem:
            if self.separator == "\t":  # a TSV that knows no quotes
                return list(_records(body, self.separator, quotes=False)), False
            raise Failure(
                f"{self.called}, line {problem}: a quote is not closed where its cell ends; write one inside of a cell "
                'twice: "a ""b"" c"'
            ) from None

    def _refuse_long(self) -> None:
        for number in self._rows:
            record = self._records[number]
            if len(record.cells) > len(self.names):
                raise Failure(
                    f"{self.called}, line {record.line}: expected {len(self.names)} cells as in the first line, found "
                    f"{len(record.cells)}. Is the separator another one (--delimiter), or does a cell need quotes?"
                )


def _delimiter(given: str | None) -> str | None:
    if given is None:
        return None
    found = WORDS.get(given.lower(), given)
    if len(found) != 1 or found in '"\r\n':
        raise Misuse(f"--delimiter: expected one character or the word tab, found {given!r}")
    return found


def _separator(text: str, usual: str) -> str:
    """What separates the cells of the first line: the usual character, unless only another one does."""
    for separator in dict.fromkeys((usual, *SEPARATORS)):
        try:
            head = next(each for each in _records(text, separator, quotes=True) if each.body.strip())
        except Unclosed:
            continue
        if len(head.cells) > 1:
            return separator
    return usual


def _records(text: str, separator: str, *, quotes: bool) -> Iterator[Record]:
    newline = "\n" if "\n" in text or "\r" not in text else "\r"
    place, line = 0, 1
    while place < len(text):
        end = _next(text, newline, place)
        if quotes and '"' in text[place:end]:
            cells, end = _quoted(text, place, line, separator=separator, newline=newline)
        else:
            cells = text[place : _stripped(text, place, end)].split(separator)
        stop = _stripped(text, place, end)
        yield Record(line, text[place:stop], cells, text[stop : end + 1])
        line += 1 + text.count(newline, place, end)
        place = end + 1


def _quoted(text: str, place: int, line: int, *, separator: str, newline: str) -> tuple[list[str], int]:
    """The cells of a row that has quotes, and where it ends."""
    cell = _cell(separator, newline)
    cells: list[str] = []
    while True:
        found = cell.match(text, place)
        if found is None:
            raise Unclosed(str(line))
        cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        place = found.end()
        if not text.startswith(separator, place):
            return cells, place + (text.startswith("\r", place) and newline == "\n")
        place += 1


@cache
def _cell(separator: str, newline: str) -> re.Pattern[str]:
    """A cell in quotes, or one that does not begin with one, and what must come next."""
    ends = f"(?={re.escape(separator)}|\r?{newline}|\r?\\Z)"
    return re.compile(f'(?:"((?:[^"]|"")*+)"|((?!")[^{re.escape(separator)}{newline}]*?)){ends}')


def _next(text: str, newline: str, place: int) -> int:
    found = text.find(newline, place)
    return len(text) if found < 0 else found


def _stripped(text: str, place: int, end: int) -> int:
    """Where a line ends without its carriage return."""
    return end - 1 if end > place and text[end - 1] == "\r" else end


def _all_quoted(head: Record, separator: str) -> bool:
    between = head.body.count(f'"{separator}"')
    return head.body[:1] == '"' == head.body[-1:] and between == len(head.cells) - 1
