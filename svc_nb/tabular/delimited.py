"""Text files of rows and cells, separated by tabs, commas or semicolons: bytes to cells and back.

TSV has no quotes, as on the service. A quoted cell of a CSV may span several lines; callers who know what the columns
mean decide which cells may.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import islice

import numpy as np

from svc_nb.advice import Call
from svc_nb.errors import InvalidRows
from svc_nb.tabular.cells import HALF_A_PAIR, LEFT_OUT, Cells
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import named, plural, short
from svc_nb.tabular.streaming.source import EncodedText, Source

SEPARATORS = {".tsv": "\t", ".txt": "\t", ".tab": "\t", ".csv": ","}
BOM = "\ufeff"
LOOK_AT_ROWS = 50
# How many lines with wrong quotes an error lists.
MOST_WRONG = 20
TITLES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
NAMED = re.compile("sep=([,;\t|])(?:\n|$)")
CLOSED = re.compile('[",;\t\n]')
csv.field_size_limit(max(csv.field_size_limit(), 1 << 24))

Fits = Callable[[Sequence[Sequence[str]]], tuple[bool, bool]]


def grid(data: bytes, suffix: str, encoding: str | None = None, *, fits: Fits = lambda rows: (False, False)) -> Cells:
    """The rows in *data*; the separator depends on the *suffix* of the file's name and, for a CSV, on what *fits*."""
    text, notes = decoded(data, encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    quotes = SEPARATORS[suffix] != "\t"
    first = NAMED.match(text) if quotes else None
    separator = first[1] if first else _separator(text, fits) if quotes else "\t"
    if separator != SEPARATORS[suffix]:
        notes.append(f"The separator is {TITLES[separator]}")
    found = _rows(text, separator, quotes=quotes, skip=first is not None)
    notes += found.notes
    if '"' in text and not quotes:
        count = sum(len(cell) > 2 and cell[0] == '"' == cell[-1] for row in found.rows for cell in row)
        kept = (
            "which TSV treats as part of the term. If a spreadsheet added them, rename the file to .csv, and "
            "they are removed"
        )
        notes += [f"{plural(count, 'cell is', 'cells are')} in quotes, {kept}"] if count else []
    return found._replace(notes=notes)


def _rows(text: str, separator: str, *, quotes: bool, skip: bool) -> Cells:
    """The filled rows, without the first one if *skip* is set; raises InvalidRows if quotes are wrong."""
    rows, numbers, broken, wrong, blank = [], [], set(), [], 0
    for number, lines, cells in _records(text, separator, quotes=quotes):
        if cells is None:
            wrong.append(number)
            if len(wrong) == MOST_WRONG:  # each may have been read to the end of the text
                break
        elif any(cell and not cell.isspace() for cell in cells):
            rows.append(cells)
            numbers.append(number)
            if lines > 1:
                broken.add(number)
        else:
            blank += 1
    if wrong:
        rest = text.split("\n", wrong[0])[wrong[0] - 1]
        least = "at least " if len(wrong) == MOST_WRONG else ""
        more = f" (and so in {least}{plural(len(wrong) - 1, 'more line')}: {named(wrong[1:])})" if wrong[1:] else ""
        raise InvalidRows(
            f"line {wrong[0]}: the quotes in {short(rest)!r} are not closed at the end of the cell{more}. End "
            "the cell with "
            'a quote, and double the quotes inside it: "a ""b"" c"',
            rows=wrong,
        )
    notes = [LEFT_OUT + plural(blank, "blank line")] if blank else []
    return Cells(rows[skip:], numbers[skip:], notes, frozenset(broken))


def _records(text: str, separator: str, *, quotes: bool = True) -> Iterator[tuple[int, int, list[str] | None]]:
    """The line where each row begins, how many lines it has, and its cells; None if quotes are wrong."""
    lines = text.removesuffix("\n").split("\n") if text else []
    place = 0
    while place < len(lines):
        first, rest = place, (f"{lines[at]}\n" for at in range(place, len(lines)))
        reader = csv.reader(
            rest, delimiter=separator, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE, strict=True
        )
        try:
            for cells in reader:
                count = first + reader.line_num - place
                yield place + 1, count, cells or [""]
                place += count
        except csv.Error:  # the next line is the next row then
            yield place + 1, 1, None
            place += 1


def decoded(data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """The text in *data*, and notes on its encoding."""
    encoding = encoding or _unmarked(data)
    found = EncodedText.of(Source(BytesIO(data), "the text"), encoding)
    notes = [] if found.encoding == "utf-8" else [f"The encoding is {found.encoding}"]
    return "".join(found.pieces()), [*notes, *(["A byte order mark was dropped"] if found.mark else [])]


def _unmarked(data: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark by its line ends and separators, which have one zero byte."""
    if len(data) % 2 or b"\0" not in data or b"\0\0\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    big, little = (
        data[::2].count(0),
        data[1::2].count(0),
    )  # other characters rarely have a zero byte ("Ā" does)
    return "utf-16-le" if little > 2 * big else "utf-16-be" if big > 2 * little else None


def _separator(text: str, fits: Fits) -> str:
    """The separator of a CSV: the one that turns the first rows into the best table; a comma if none does.

    A separator makes a table if there is a header, or if all rows have the same number of columns. Ties are broken by
    quotes that open and close with cells, by what is expected in the cells, and by cells that do not begin with a
    space.
    """
    tables: dict[str, tuple[int, ...]] = {}
    lines = text.split("\n", LOOK_AT_ROWS)[:LOOK_AT_ROWS]
    for separator in (",", ";", "\t"):
        records = [cells for _, _, cells in islice(_records(text, separator), LOOK_AT_ROWS)]
        rows = [cells for cells in records if cells and any(map(str.strip, cells))]
        rows = [cells for cells in rows if cells[0][:1] != "#"] or rows  # comments have separators of their own
        head, expected = fits(rows) if rows else (False, False)
        widths = set(map(len, rows))
        if head or (len(widths) == 1 and widths != {1}):
            opened = sum(len(re.findall(f'{separator}"(?!"(?!"))', line)) for line in lines)
            spaced = any(cell[:1] == " " for cells in rows for cell in cells)
            is_pairs = separator != "," and widths == {2}
            tables[separator] = head, None not in records, opened, expected, not spaced, is_pairs
    return max(tables, key=lambda separator: tables[separator]) if tables else ","


def unwritable(rows: Sequence[Sequence[str]], separator: str, *, terms: int = 4) -> Findings:
    """The *rows* that cannot be written to a text file; the columns after the *terms* may have line breaks in a CSV."""
    found = Findings()
    what = "a tab, a line break or a NUL" if separator == "\t" else "a line break or a NUL"
    bad = re.compile("[\n\r\0\t]" if separator == "\t" else "[\n\r\0]")
    further = bad if separator == "\t" else re.compile("[\r\0]")
    lacking = f"a text file cannot hold {what} in"
    wrong = [row for row, cells in enumerate(rows) if any(map(bad.search, cells[:terms]))]
    found.add(np.array(wrong), ERROR, "control", f"{lacking} a cell", f"use {Call('.svc.fix')}")
    noted = [row for row, cells in enumerate(rows) if any(map(further.search, cells[terms:]))]
    found.add(
        np.array(noted),
        ERROR,
        "control",
        f"{lacking} an additional column",
        "write .xlsx, or remove it from the column",
    )
    halves = [row for row, cells in enumerate(rows) if any(map(HALF_A_PAIR.search, cells))]
    found.add(np.array(halves), ERROR, "surrogate", "half of a surrogate pair cannot be written as UTF-8")
    return found


def written(rows: Iterable[Sequence[str]], separator: str) -> str:
    """*rows* as text, one line each."""
    if separator != "\t":  # anything that could be taken for a separator, even of another kind of file, is quoted
        rows = (
            ['"' + cell.replace('"', '""') + '"' if CLOSED.search(cell) else cell for cell in cells] for cells in rows
        )
    return "".join(separator.join(cells) + "\n" for cells in rows)
