"""Rows of cells separated by commas, semicolons, tabs or bars; cells are added to the lines, which stay as they are."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from io import StringIO
from itertools import chain
from typing import BinaryIO, TypeVar

from svc_nb.advice import Option
from svc_nb.tabular.cells import guarded
from svc_nb.tabular.streaming import source
from svc_nb.tabular.streaming.source import LONGEST, EncodedText, InvalidOption, LineTooLong, whole_lines
from svc_nb.tabular.streaming.table import SEPARATED, Block, CodedCells, Table, Write

SEPARATORS = (",", ";", "\t", "|")
NAMED = re.compile(r"sep=([,;\t|])\r?\n")
WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
BREAKS = re.compile(r"[\t\r\n]+")
Got = TypeVar("Got")
ROWS = 100_000
MANY = 4096
# Stands for a carriage return while Python's reader reads a row, because the reader takes one outside quotes for an
# error. No text contains it.
NUL = "\0"
csv.field_size_limit(max(csv.field_size_limit(), source.LONGEST))


class Separated(Table):
    """A CSV or TSV; *usual* is the separator by the file's name, *delimiter* the one that the user gave."""

    row_word = "line"
    endings = tuple(SEPARATED)
    runs_formulas = True

    def __init__(self, text: EncodedText, *, usual: str, delimiter: str | None = None) -> None:
        super().__init__(text.source)
        self._text = text
        first = NAMED.match(next(text.pieces()))
        self._before = first[0] if first else ""
        newline = self._newline()
        if delimiter is None:
            separator = first[1] if first else self._separator(usual, newline)
        else:
            separator = WORDS.get(delimiter.lower(), delimiter)
            if len(separator) != 1 or separator in '"\r\n':
                raise InvalidOption(
                    f"{Option('delimiter')}: expected one character or the word tab, found {delimiter!r}"
                )
        self._dialect = Dialect(separator, newline)
        self.names = []
        self._all_quoted = False
        self._tried(self._read_names)

    @property
    def separator(self) -> str:
        """The character between cells."""
        return self._dialect.separator

    def check(self, columns: Sequence[str]) -> None:
        """Check all lines, and count the rows; see `Table.check`."""

        def count() -> int:
            self._read_names()
            rows, wrong = 0, ""
            for block in self.blocks():
                wrong = wrong or self._too_long(block.held)  # a quote further on may show that quotes mean nothing
                rows += len(block)
            if wrong:
                raise ValueError(wrong)
            return rows

        self.rows = self._tried(count)

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """All lines, in blocks."""
        headed = False
        picked = [self.names.index(name) for name in columns]
        for records in self._dialect.records(self._body(), picked, line=1 + bool(self._before)):
            filled = [number for number, body in enumerate(records.bodies) if _is_filled(body, self.separator)]
            records.head = filled.pop(0) if filled and not headed else None
            headed = headed or records.head is not None
            records.filled = filled
            yield Block([records.lines[number] for number in filled], partial(self._column, records), records)

    def _column(self, records: Records, name: str) -> CodedCells:
        cells = records.picked[self.names.index(name)]
        return CodedCells.of([cells[number] for number in records.filled])

    @contextmanager
    def writing(self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None) -> Iterator[Write]:
        """A writer of the lines with cells added."""
        with self._text.writing(stream, encoding) as write_text:

            def write(block: Block, added: Mapping[str, CodedCells]) -> None:
                records: Records = block.held
                bodies, widths, ends = records.bodies, records.widths, records.ends
                lines = [body + end for body, end in zip(bodies, ends, strict=True)]
                columns = [cells.mapped(self._tail) for cells in added.values()]
                for number, tails in zip(records.filled, zip(*columns, strict=True), strict=True):
                    short = self.separator * (len(self.names) - widths[number])
                    lines[number] = bodies[number] + short + "".join(tails) + ends[number]
                if (head := records.head) is not None:
                    lines[head] = bodies[head] + "".join(map(self._tail, added)) + ends[head]
                write_text("".join(lines))

            write_text(self._before)
            yield write

    def _tail(self, text: str | None) -> str:
        """A cell as it is added to the end of a line."""
        cell = guarded(text or "", formula_safe=True) if self.formula_safe else text or ""
        if not self._dialect.quotes:
            cell = BREAKS.sub(" ", cell)
        elif self._all_quoted or any(each in cell for each in (self.separator, '"', "\n", "\r")):
            cell = '"' + cell.replace('"', '""') + '"'
        return self.separator + cell

    def _body(self) -> Iterator[str]:
        """The text without the line that names the separator."""
        pieces = self._text.pieces()
        yield next(pieces).removeprefix(self._before)
        yield from pieces

    def _newline(self) -> str:
        """What ends the lines; a carriage return alone only if there is nothing else."""
        returns = False
        for piece in self._body():
            if "\n" in piece:
                return "\n"
            returns = returns or "\r" in piece
        return "\r" if returns else "\n"

    def _separator(self, usual: str, newline: str) -> str:
        """The separator in the first line: the usual character, unless only another one occurs."""
        for separator in dict.fromkeys((usual, *SEPARATORS)):
            records = Dialect(separator, newline).records(self._body(), rows=1)
            try:
                head = next((each for each in records if _is_filled(each.bodies[0], separator)), None)
            except (Unclosed, LineTooLong):
                continue
            if head and head.widths[0] > 1:
                return separator
        return usual

    def _tried(self, read: Callable[[], Got]) -> Got:
        """The result of *read*; raises ValueError if something is wrong with the lines that it reads."""
        try:
            return read()
        except Unclosed as problem:
            if self.separator == "\t" and self._dialect.quotes:  # a TSV without quoting
                self._dialect = replace(self._dialect, quotes=False)
                return self._tried(read)
            raise ValueError(
                f"{self.called}, line {problem}: a quote is not closed at the end of its cell. Double a quote "
                "inside a "
                'cell: "a ""b"" c"'
            ) from None
        except LineTooLong as problem:
            raise ValueError(f"{self.called}, line {problem}: the line has more than {LONGEST:,} characters") from None

    def _read_names(self) -> None:
        """Read the names from the first line that is not blank; only the beginning of the file is read."""
        found = (each.held for each in self.blocks())
        body = next((records.bodies[records.head] for records in found if records.head is not None), None)
        if body is None:
            raise ValueError(f"{self.called}: the file is empty")
        self.names = [name.strip() for name in self._dialect.cells(body)]
        self._all_quoted = body[:1] == '"' == body[-1:] and body.count(f'"{self.separator}"') == len(self.names) - 1

    def _too_long(self, records: Records) -> str:
        """The message about the first row with too many cells, if there is one."""
        widths, most = records.widths, len(self.names)
        number = next((each for each in records.filled if widths[each] > most), None) if max(widths) > most else None
        if number is None:
            return ""
        return (
            f"{self.called}, line {records.lines[number]}: expected {most} cells as in the first line, found "
            f"{widths[number]}. Is there another separator ({Option('delimiter')}), or does a cell need quotes?"
        )


def _is_filled(body: str, separator: str) -> bool:
    """Whether a line is a row and not blank; a line of empty cells is a row, even with tabs between them."""
    return separator in body or bool(body.strip())


# ---- rows of cells as written, found in a text that arrives in pieces; quoted cells may contain line ends


class Unclosed(ValueError):
    """A quote is still open at the end of its cell; the text is the number of the line."""


@dataclass(slots=True)
class Records:
    """Consecutive rows: the line where each begins, its text, how many cells it has, and what ends it.

    `picked` has the cells of some columns, by the position of the column; they are empty if a row ends early. `filled`
    are the numbers of the rows that are not blank, without that of the `head`, which has the names.
    """

    picked: dict[int, list[str]]
    lines: list[int] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    filled: list[int] = field(default_factory=list)
    head: int | None = None


class RowLines:
    """Lines for Python's reader from `first` on; it takes the lines of one row: `count` of them, several as `texts`."""

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
    """What separates cells, what ends lines, and whether quotes have a meaning."""

    separator: str
    newline: str = "\n"
    quotes: bool = True

    def records(
        self, pieces: Iterable[str], picked: Collection[int] = (), *, line: int = 1, rows: int = ROWS
    ) -> Iterator[Records]:
        """The rows of a text that comes in pieces, at most *rows* at a time, with the cells of the *picked* columns."""
        found, size, is_open = Records({place: [] for place in picked}), 0, False
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
                    found, size = Records({place: [] for place in picked}), 0
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
