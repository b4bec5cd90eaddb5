"""Rows of cells separated by commas, semicolons, tabs or bars: cells are added to the lines, which stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, TypeVar

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.coded import Coded
from svc_nb.cli.files.encoded import Encoded
from svc_nb.cli.files.pieces import LONGEST
from svc_nb.cli.files.records import Endless, Form, Records, Unclosed
from svc_nb.cli.files.table import SEPARATED, Write, chosen

SEPARATORS = (",", ";", "\t", "|")
NAMED = re.compile(r"sep=([,;\t|])\r?\n")
WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}
BREAKS = re.compile(r"[\t\r\n]+")
Got = TypeVar("Got")


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines of a file: `filled` are the numbers of those that are rows, `head` that of the one with the names."""

    names: Sequence[str]
    records: Records
    filled: Sequence[int]
    head: int | None

    def __len__(self) -> int:
        return len(self.filled)

    def column(self, name: str) -> Coded:
        """The cells of a column; where a line ends early they are empty."""
        cells = self.records.picked[self.names.index(name)]
        return Coded.of([cells[number] for number in self.filled])

    def place(self, row: int) -> int:
        """The line that a row begins in."""
        return self.records.lines[self.filled[row]]


class Separated:
    """A CSV or TSV; *usual* is what separates the cells by the file's name, *delimiter* what the person says."""

    row_word = "line"
    endings = tuple(SEPARATED)
    packed = False
    longest: int | None = None

    def __init__(self, source: Encoded, *, usual: str, delimiter: str | None = None) -> None:
        self.source = source.source
        self.called = self.source.called
        self._text = source
        first = NAMED.match(next(source.texts()))
        self._before = first[0] if first else ""
        newline = _newline(self._body())
        separator = _delimiter(delimiter) or (first[1] if first else self._separator(usual, newline))
        self._form = Form(separator, newline)
        self.names: list[str] = []
        self.others: dict[str, str] = {}
        self.rows = 0
        self._all_quoted = False
        self._tried(self._read_names)

    @property
    def separator(self) -> str:
        """What separates the cells."""
        return self._form.separator

    def check(self, columns: Sequence[str]) -> None:
        """Look at all lines, and count the rows; see `Table.check`."""
        self.rows = self._tried(self._counted)
        chosen(self, columns, "--columns")  # where quotes turn out to mean nothing the names are others

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Rows]:
        """All lines, some at a time."""
        headed = False
        picked = [self.names.index(name) for name in columns]
        for records in self._form.records(self._body(), picked, line=1 + bool(self._before)):
            filled = [
                number for number, body in enumerate(records.bodies) if _is_filled(body, self.separator)
            ]
            head = filled.pop(0) if filled and not headed else None
            headed = headed or head is not None
            yield Rows(self.names, records, filled, head)

    @contextmanager
    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> Iterator[Write]:
        """What writes the lines with cells added."""
        with self._text.writing(stream, encoding) as write:
            write(self._before)
            yield lambda block, cells: self._write(block, cells, write)

    def _write(self, block: Rows, added: Mapping[str, Coded], write: Callable[[str], None]) -> None:
        bodies, widths, ends = block.records.bodies, block.records.widths, block.records.ends
        lines = [body + end for body, end in zip(bodies, ends, strict=True)]
        tails = map("".join, zip(*map(self._tails, added.values()), strict=True))
        for number, tail in zip(block.filled, tails, strict=True):
            short = self.separator * (len(self.names) - widths[number])
            lines[number] = bodies[number] + short + tail + ends[number]
        if (head := block.head) is not None:
            tail = "".join(self._tail(name) for name in added)
            lines[head] = bodies[head] + tail + ends[head]
        write("".join(lines))

    def _tails(self, added: Coded) -> list[str]:
        """What is added to each row; every different cell is written once."""
        tails = [self._tail(text or "") for text in (*added.texts, None)]
        return [tails[code] for code in added.codes.tolist()]

    def _tail(self, cell: str) -> str:
        if not self._form.quotes:
            cell = BREAKS.sub(" ", cell)
        elif self._all_quoted or any(each in cell for each in (self.separator, '"', "\n", "\r")):
            cell = '"' + cell.replace('"', '""') + '"'
        return self.separator + cell

    def _body(self) -> Iterator[str]:
        """The text without the line that names the separator."""
        texts = self._text.texts()
        yield next(texts).removeprefix(self._before)
        yield from texts

    def _separator(self, usual: str, newline: str) -> str:
        """What separates the cells of the first line: the usual character, unless only another one does."""
        for separator in dict.fromkeys((usual, *SEPARATORS)):
            records = Form(separator, newline).records(self._body(), rows=1)
            try:
                head = next((each for each in records if _is_filled(each.bodies[0], separator)), None)
            except (Unclosed, Endless):
                continue
            if head and head.widths[0] > 1:
                return separator
        return usual

    def _tried(self, read: Callable[[], Got]) -> Got:
        """What *read* gives; raises Failure where something is wrong with the lines that it reads."""
        try:
            return read()
        except Unclosed as problem:
            if self.separator == "\t" and self._form.quotes:  # a TSV that knows no quotes
                self._form = replace(self._form, quotes=False)
                return self._tried(read)
            raise Failure(
                f"{self.called}, line {problem}: a quote is not closed where its cell ends; write one inside of a cell "
                'twice: "a ""b"" c"'
            ) from None
        except Endless as problem:
            raise Failure(
                f"{self.called}, line {problem}: the line has more than {LONGEST:,} characters"
            ) from None

    def _counted(self) -> int:
        self._read_names()
        rows, wrong = 0, None
        for block in self.blocks():
            wrong = wrong or self._too_long(block)  # a quote further on may say that quotes mean nothing
            rows += len(block)
        if wrong:
            raise Failure(wrong)
        return rows

    def _read_names(self) -> None:
        """Take the names from the first line that is not blank; no more is read than the beginning of the file."""
        body = next((each.records.bodies[each.head] for each in self.blocks() if each.head is not None), None)
        if body is None:
            raise Failure(f"{self.called}: the file is empty")
        self.names = [name.strip() for name in self._form.cells(body)]
        between = body.count(f'"{self.separator}"')
        self._all_quoted = body[:1] == '"' == body[-1:] and between == len(self.names) - 1

    def _too_long(self, block: Rows) -> str | None:
        """What is to be said of the first row with too many cells, if there is one."""
        widths, most = block.records.widths, len(self.names)
        if max(widths) <= most:
            return None
        number = next((number for number in block.filled if widths[number] > most), None)
        if number is None:
            return None
        return (
            f"{self.called}, line {block.records.lines[number]}: expected {most} cells as in the first line, found "
            f"{widths[number]}. Is the separator another one (--delimiter), or does a cell need quotes?"
        )


def _delimiter(given: str | None) -> str | None:
    if given is None:
        return None
    found = WORDS.get(given.lower(), given)
    if len(found) != 1 or found in '"\r\n':
        raise Misuse(f"--delimiter: expected one character or the word tab, found {given!r}")
    return found


def _is_filled(body: str, separator: str) -> bool:
    """Whether a line is a row and no blank line; one of empty cells is, also where tabs separate them."""
    return separator in body or bool(body.strip())


def _newline(texts: Iterator[str]) -> str:
    """What ends the lines; a carriage return alone only where there is nothing else."""
    returns = False
    for text in texts:
        if "\n" in text:
            return "\n"
        returns = returns or "\r" in text
    return "\r" if returns else "\n"
