"""Excel sheets (.xlsx) as rows of cells: read as a person sees them, written only as text.

Reading walks over the XML itself, which is several times faster than building a workbook, and resolves nothing that a
file could point to. For writing, openpyxl makes the workbook and the rows are put into it.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache, cached_property
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from svc_nb.advice import Call
from svc_nb.errors import InvalidRows
from svc_nb.tabular.cells import LEFT_OUT, UNSEEN, Cells
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import named, plural

MOST_BYTES = 200 * 1024 * 1024
# In the list of texts, where each text takes two, and more with formatting.
MOST_ELEMENTS = 6_000_000
CONTENT_TYPES, STRINGS = "[Content_Types].xml", "sharedStrings+xml"
MOST_ROWS = 1_048_576
MOST_COLUMNS = 256
LONGEST_CELL = 32_767
LONGEST_TITLE = 31
WIDEST = 60
MOST_NAMED = 10
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
# What XML cannot hold. A carriage return can be escaped, as Excel does.
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Excel's way to write a character by its number; a text that only looks like that has its first "_" escaped.
LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
ESCAPED = re.compile("_x(005[Ff](?=_x[0-9A-Fa-f]{4}_)|00[01][0-9A-Fa-f])_")
NO_ROWS = re.compile(rb"<sheetData\s*/>|<sheetData>\s*</sheetData>")
MERGED = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
# How cells with a style show a number: as a date, or with leading zeros; PLAIN if the format is not worked out here.
DATE, PLAIN = "date", "plain"
ZEROS = re.compile("0+")
# Excel does not show more digits either.
HUGE = 1e21
# How XML is read safely: no entity is resolved, no file or address is opened.
SAFELY: Any = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
# What a damaged file can raise.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, LookupError, ValueError, SyntaxError, EOFError, NotImplementedError, OverflowError,
    RuntimeError, TypeError, AttributeError, StopIteration,
)  # fmt: skip


def titles(data: bytes) -> dict[str, bool]:
    """The titles of all sheets, and whether each is hidden."""
    with opened_book(data) as book:
        return {title: title in book.hidden for title in book.sheets}


def grids(data: bytes, chosen: Sequence[str]) -> Iterator[Callable[[], Cells]]:
    """For each of the sheets *chosen*, a function that returns its rows or raises InvalidRows; at first ValueError."""
    with opened_book(data) as book:
        for title in chosen:
            yield _Sheet(book, title).cells


def all_rows(data: bytes) -> dict[str, dict[int, list[str]]]:
    """The rows of every sheet, by its title and their numbers, unchanged; InvalidRows as for `grids`."""
    with opened_book(data) as book:
        found = [_Sheet(book, title) for title in book.sheets]
    for each in found:
        each.refuse()
    return {each.title: each.rows for each in found}


@contextmanager
def opened_book(data: bytes) -> Iterator[Book]:
    """The workbook in *data*; ValueError if there is none, it is damaged, or it would unpack to an absurd size."""
    if data.startswith(OLE):
        raise ValueError(
            "it is in Excel's old format, or has a password. Open it, and save it as .xlsx without a password"
        )
    if not zipfile.is_zipfile(BytesIO(data)):
        raise ValueError("it is not an Excel file. Open it in the program that made it, and save it as .xlsx")
    refuse_absurd(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield Book(archive)
    except TooMany:
        raise
    except DAMAGE as problem:
        told = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        raise ValueError(f"it is damaged, or not an Excel file ({told}). Open it, and save it as .xlsx again") from None


class TooMany(ValueError):
    """A workbook holds more than anyone needs."""


def refuse_absurd(data: bytes) -> None:
    """Raise ValueError if a workbook would unpack to more than anyone needs."""
    size = unpacked_size(data)
    if size > MOST_BYTES:
        raise ValueError(
            f"it would unpack to {size / 2**20:,.0f} MiB; the limit is {MOST_BYTES // 2**20} MiB. Keep only "
            "the "
            "sheet that you need, or save it as CSV"
        )


def unpacked_size(data: bytes) -> int:
    """How many bytes the parts of a workbook have once unpacked, according to the file."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return sum(part.file_size for part in archive.infolist())


class Book:
    """What the sheets of a workbook share: their parts by title, and whether the values of formulas are `stale`."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        main = next(target for kind, target in self.links_of("").values() if kind.endswith("/officeDocument"))
        root = self.root_of(main)
        links = self.links_of(main)
        self.sheets = {
            each.get("name"): next(links[str(value)][1] for name, value in each.items() if name.endswith("}id"))
            for each in root.iter("{*}sheet")
        }
        self.hidden = {each.get("name") for each in root.iter("{*}sheet") if "idden" in each.get("state", "")}
        self.parts = {kind.rpartition("/")[2]: target for kind, target in links.values()}
        self.stale = any(each.get("fullCalcOnLoad") in ("1", "true") for each in root.iter("{*}calcPr"))
        properties = next(root.iter("{*}workbookPr"), None)
        self.since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self._refuse_many_strings()

    @cached_property
    def strings(self) -> list[str]:
        """The texts that cells refer to by number."""
        part = self.parts.get("sharedStrings")
        return [_plain(each) for each in self.walk(part, "si")] if part else []

    def _refuse_many_strings(self) -> None:
        """Raise TooMany if the list of texts, whatever its name, would take too much memory and time."""
        parts = {self.parts.get("sharedStrings", "")}
        if CONTENT_TYPES in self.archive.namelist():  # where openpyxl finds it
            kinds = [each for each in self.root_of(CONTENT_TYPES).iter() if STRINGS in each.get("ContentType", "")]
            parts |= {each.get("PartName", "").lstrip("/") for each in kinds}
        for part in parts.intersection(self.archive.namelist()):
            elements = 0
            with self.archive.open(part) as stream:
                while chunk := stream.read(1 << 20):
                    elements += chunk.count(b"<") - chunk.count(b"</")
            if elements > MOST_ELEMENTS:
                raise TooMany(
                    f"its list of texts has more than {MOST_ELEMENTS:,} elements (two for each text, and more "
                    "for "
                    "formatting). Keep only the sheet that you need, or save it as CSV"
                )

    def walk(self, part: str, *tags: str) -> Iterator[Any]:
        """The elements of a part with that name; each is emptied when the next one is taken."""
        from lxml import etree

        with self.archive.open(part) as stream:
            for _, element in etree.iterparse(stream, tag=[f"{{*}}{tag}" for tag in tags], **SAFELY):
                _undeclared(element)
                yield element
                element.clear(keep_tail=True)
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def root_of(self, part: str) -> Any:
        """The XML of a part."""
        from lxml import etree

        return _undeclared(etree.fromstring(self.archive.read(part), etree.XMLParser(**SAFELY)))

    def links_of(self, part: str) -> dict[str, tuple[str, str]]:
        """The kind and the part of every reference in a part."""
        folder, name = posixpath.split(part)
        root = self.root_of(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            each.get("Id"): (
                each.get("Type"),
                posixpath.normpath(posixpath.join("/", folder, each.get("Target"))).lstrip("/"),
            )
            for each in root.iter("{*}Relationship")
        }

    @cached_property
    def formats(self) -> dict[str, str]:
        """For each style number that does not show a number as it is: DATE, PLAIN, or the zeros of its format."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

        def kind_of(code: str) -> str:
            if is_date_format(code):
                return DATE
            return code if ZEROS.fullmatch(code) else "" if code in ("General", "@", "") else PLAIN

        if "styles" not in self.parts:
            return {}
        root = self.root_of(self.parts["styles"])
        formats = BUILTIN_FORMATS | {
            int(each.get("numFmtId")): each.get("formatCode") for each in root.iter("{*}numFmt")
        }
        used = [int(each.get("numFmtId", 0)) for group in root.iter("{*}cellXfs") for each in group]
        kinds = {number: kind_of(formats.get(number, "General")) for number in set(used)}
        return {str(style): kind for style, number in enumerate(used) if (kind := kinds[number])}


def _undeclared(element: Any) -> Any:
    """*element*, if its file declares no document type: no sheet needs one, and entities could hide terms."""
    if element.getroottree().docinfo.doctype:
        raise ValueError("it declares a document type")
    return element


@dataclass
class HiddenParts:
    """The hidden `columns`, by position, and `rows`, by number, of a sheet."""

    columns: set[int] = field(default_factory=set)
    rows: set[int] = field(default_factory=set)

    def notes(self, filled: Mapping[int, Sequence[str]]) -> list[str]:
        """Notes that the hidden rows and columns that are *filled* were read too."""
        rows = sorted(self.rows & filled.keys())
        columns = [at for at in sorted(self.columns) if any(len(cells) > at and cells[at] for cells in filled.values())]
        letters = _letters(max(columns, default=-1) + 1)
        told = ((rows, "row"), ([letters[at] for at in columns], "column"))
        return [
            f"{plural(len(each), f'hidden {what} was', f'hidden {what}s were')} read too ({named(each)})"
            for each, what in told
            if each
        ]


class _Sheet:
    """The cells of a sheet as texts: `rows` by number.

    It also has the `errors` (row, cell, value), the formulas whose value is `unknown` (row, cell), the rows of `merged`
    cells, the number of cells that were `filled` because they are merged with one above, the number of cells whose
    number was read `unformatted`, and the rows and columns (by position) that are `hidden`."""

    def __init__(self, book: Book, title: str) -> None:
        self.title = title
        self.rows: dict[int, list[str]] = {}
        self.errors: list[tuple[int, str, str]] = []
        self.unknown: list[tuple[int, str]] = []
        self.merged: set[int] = set()
        self.filled = self.unformatted = 0
        self.hidden = HiddenParts()
        self._book, self._last = book, 0
        self._strings, self._formats = book.strings, book.formats  # read even if not used: it may hide entities
        merged: list[str] = []
        for element in book.walk(book.sheets[title], "row", "mergeCell", "col"):
            if element.tag.endswith("row"):
                self.add_row(element)
            elif element.tag.endswith("col"):
                if element.get("hidden") in ("1", "true"):
                    first, last = int(element.get("min")), int(element.get("max"))
                    self.hidden.columns.update(range(first - 1, min(last, MOST_COLUMNS)))
            else:
                merged.append(element.get("ref", ""))
        self.fill_down(merged)

    def add_row(self, element: Any) -> None:
        number = self._last = int(element.get("r") or self._last + 1)
        if number > MOST_ROWS:
            raise ValueError(f"a row has the number {number}")
        cells: list[str] = []
        place = -1
        for cell in element:
            name = cell.get("r")
            place = column_number(name.rstrip("0123456789")) if name else place + 1
            text = self.text_of(cell, number, name or "")
            if text:
                if place >= MOST_COLUMNS:
                    raise ValueError(f"row {number} has more than {MOST_COLUMNS} columns")
                cells += [""] * (place + 1 - len(cells))
                cells[place] = text
        if cells:
            self.rows[number] = cells
            if element.get("hidden") in ("1", "true"):
                self.hidden.rows.add(number)

    def text_of(self, cell: Any, number: int, name: str) -> str:
        """What a person sees in a cell."""
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _plain(cell)
        value = next((child.text for child in cell if child.tag.endswith("}v")), None)
        if value is None:
            self.look_for_formula(cell, number, name)
            return ""
        if kind == "s":
            return self._strings[int(value)]
        if kind == "e":
            self.errors.append((number, name, value))
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind == "n":
            if value == "0" and self._book.stale:
                self.look_for_formula(cell, number, name)
            return self.number(value, self._formats.get(cell.get("s")))
        return unescaped(value) if kind == "str" else value

    def look_for_formula(self, cell: Any, number: int, name: str) -> None:
        """Note a formula without a stored value; a formula that gives an empty text has none either."""
        tags = {child.tag.rpartition("}")[2] for child in cell}
        if "f" in tags and not (cell.get("t") == "str" and "v" in tags):
            self.unknown.append((number, name or f"a cell of row {number}"))

    def number(self, value: str, shown: str | None) -> str:
        """A number in the format in which a person sees it."""
        if shown == DATE:
            from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

            found = from_excel(float(value), CALENDAR_MAC_1904 if self._book.since_1904 else CALENDAR_WINDOWS_1900)
            if isinstance(found, datetime):
                return found.date().isoformat() if found.time() == time() else found.isoformat(sep=" ")
            return found.isoformat() if isinstance(found, date | time) else str(found)
        if not value.isdigit():  # as a person sees it, but with all digits
            number = float(value)
            is_whole = number.is_integer() and abs(number) < HUGE
            value = str(int(Decimal(value))) if is_whole else f"{number:.15g}"
        sign, digits = ("-", value[1:]) if value[:1] == "-" else ("", value)
        if shown and (shown == PLAIN or not digits.isdigit()):
            self.unformatted += 1
            return value
        return sign + digits.zfill(len(shown or ""))

    def fill_down(self, refs: list[str]) -> None:
        """Copy the first of cells merged downwards into those below it, in rows that have other cells."""
        down = []
        for match in filter(None, map(MERGED.fullmatch, refs)):
            first, last = int(match[2]), int(match[4])
            if first < last:
                down.append((column_number(match[1]), first, last))
            elif match[1] == "A" != match[3]:
                self.merged.add(first)
        numbers = sorted(self.rows) if down else []
        done = (-1, 0)
        for column, first, last in sorted(down):
            begin = max(first, done[1]) if done[0] == column else first  # so that overlaps do not cost time
            done = (column, max(begin, last))
            above = self.rows.get(first, [])
            if begin > first or column >= len(above) or not above[column]:
                continue
            for number in numbers[bisect_right(numbers, first) : bisect_right(numbers, last)]:
                cells = self.rows[number]
                cells += [""] * (column + 1 - len(cells))
                if not cells[column]:
                    cells[column] = above[column]
                    self.filled += 1

    def cells(self) -> Cells:
        """The filled rows, without titles above them; InvalidRows if a cell has an error or no stored value."""
        self.refuse()
        kept = {
            number: cells for number, cells in self.rows.items() if any(not cell.isspace() for cell in cells if cell)
        }
        titles = [number for number, cells in kept.items() if number in self.merged and len(cells) == 1]
        lines = sorted(kept.keys() - set(titles))
        blank = lines[-1] - lines[0] + 1 - len(lines) if lines else 0
        blank -= sum(lines[0] < each < lines[-1] for each in titles) if lines else 0
        notes = [LEFT_OUT + plural(blank, "blank row")] if blank else []
        notes += [f"{LEFT_OUT}{plural(len(titles), 'row')} of merged cells"] if titles else []
        notes += [f"Merged cells were filled down: {plural(self.filled, 'cell')}"] if self.filled else []
        if self.unformatted:
            one = "cell with a number format was read as a plain number"
            notes.append(plural(self.unformatted, one, "cells with number formats were read as plain numbers"))
        notes += self.hidden.notes(kept)
        rows = [kept[line] for line in lines]
        if rows and rows[0][0][:1] and rows[0][0][0] in UNSEEN:
            rows[0][0] = rows[0][0].lstrip(UNSEEN)
            notes.append("A byte order mark or an invisible space at the very beginning was dropped")
        return Cells(rows, lines, notes, sheet=self.title)

    def refuse(self) -> None:
        def listed(cells: list[str]) -> str:
            return ", ".join(cells[:MOST_NAMED]) + (", …" if len(cells) > MOST_NAMED else "")

        if self.errors:
            cells = [f"{cell} {value}" for _, cell, value in self.errors]
            raise InvalidRows(
                f"sheet {self.title!r} has {plural(len(cells), 'cell')} with an error: {listed(cells)}. Fix or "
                "clear "
                "them, and save the file",
                rows=list(dict.fromkeys(number for number, _, _ in self.errors)),
            )
        if self.unknown:
            cells = [cell for _, cell in self.unknown]
            raise InvalidRows(
                f"in sheet {self.title!r} {plural(len(cells), 'cell holds', 'cells hold')} a formula without a stored "
                f"value ({listed(cells)}). Open the file in Excel and save it, or store the cells as text",
                rows=list(dict.fromkeys(number for number, _ in self.unknown)),
            )


@cache
def column_number(letters: str) -> int:
    """The position of a column, from 0; all columns that no sheet can have count as the same."""
    place = 0
    for letter in letters[:4]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _plain(element: Any) -> str:
    """The text of a string, in one piece or in formatted runs, without its phonetic guide."""
    inner = element[0] if len(element) == 1 else element
    if len(inner) == 0:  # <si><t>
        return unescaped(inner.text or "")
    if len(inner) == 1 and inner[0].tag.endswith("}t"):  # <c><is><t>
        return unescaped(inner[0].text or "")
    texts = [each.text or "" for each in element.iter("{*}t") if not each.getparent().tag.endswith("}rPh")]
    return unescaped("".join(texts))


def unescaped(text: str) -> str:
    """A text of a workbook with the characters that Excel writes by their numbers."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


# ---- writing


def unwritable(rows: Sequence[Sequence[str]]) -> Findings:
    """The *rows* that cannot be written to a sheet."""
    found = Findings()
    told = "a sheet cannot hold control characters and halves of surrogate pairs"
    for part, advice in (
        (slice(4), f"use {Call('.svc.fix')}"),
        (slice(4, None), "remove them from the additional columns"),
    ):
        wrong = [row for row, cells in enumerate(rows) if any(map(ILLEGAL.search, cells[part]))]
        found.add(np.array(wrong), ERROR, "control", told, advice)
    long = [
        row
        for row, cells in enumerate(rows)
        for cell in cells
        if len(cell) * 8 > LONGEST_CELL  # otherwise Excel cannot find it too long either, whatever is in it
        and len(escaped(cell).encode("utf-16-le", "surrogatepass")) // 2 > LONGEST_CELL
    ]
    told = f"a cell of a sheet holds at most {LONGEST_CELL:,} characters, and this one is longer"
    found.add(np.unique(long), ERROR, "too_long", told, "shorten it")
    late = np.arange(MOST_ROWS - 1, len(rows))
    found.add(late, ERROR, "too_many", f"a sheet holds at most {MOST_ROWS:,} rows", "write several files")
    return found


def escaped(cell: str) -> str:
    """A text as it is written to a workbook: carriage returns and what looks like an escape by their numbers."""
    known = LOOKS_ESCAPED.sub("_x005F_", cell) if "_x" in cell else cell
    return known.replace("\r", "_x000D_") if "\r" in known else known


def checked_title(title: str) -> str:
    """*title*, or a clear error if no sheet can have it."""
    if (
        not isinstance(title, str)
        or not 0 < len(title) <= LONGEST_TITLE
        or ILLEGAL.search(title)
        or re.search(r"[\[\]:*?/\\\t\r\n]|^'|'$", title)
    ):
        raise ValueError(
            rf"sheet: expected a title of 1 to {LONGEST_TITLE} characters without [ ] : * ? / \, found {title!r}"
        )
    return title


def written(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """A workbook of *sheets* by title, with the first row of each as its header and every cell as text."""
    empty, head, body = _empty(sheets)
    # The parts of the sheets are in the order of the sheets.
    bodies = [_sheet_rows(rows, head, body) for rows in sheets.values()]
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(empty)) as given, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for part in given.namelist():
            xml = given.read(part)
            if part.startswith("xl/worksheets/"):
                before, after = NO_ROWS.split(xml)
                xml = b"".join([before, b"<sheetData>", bodies.pop(0).encode(), b"</sheetData>", after])
            made.writestr(part, xml)
    return stream.getvalue()


def _sheet_rows(rows: Sequence[Sequence[str]], head: int, body: int) -> str:
    letters = _letters(len(rows[0]))
    lines = []
    for number, cells in enumerate(rows, start=1):
        inside = "".join(
            f'<c r="{letter}{number}" s="{body if number > 1 else head}" t="inlineStr"><is><t xml:space="preserve">'
            f"{escape(escaped(cell))}</t></is></c>"
            for letter, cell in zip(letters, cells, strict=True)
            if cell
        )
        lines.append(f'<row r="{number}">{inside}</row>')
    return "".join(lines)


def _empty(sheets: Mapping[str, Sequence[Sequence[str]]]) -> tuple[bytes, int, int]:
    """A workbook without rows, and the style numbers for the header and the body."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    book = Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet: Any = book.create_sheet(checked_title(title))
        sheet.freeze_panes = "A2"
        for letters, *column in zip(_letters(len(rows[0])), *rows[:1000], strict=True):
            sheet.column_dimensions[letters].width = min(max(map(len, column)) + 2, WIDEST)
    head, body = (WriteOnlyCell(sheet) for _ in range(2))
    head.font = Font(bold=True)
    for cell in (head, body):
        cell.number_format = "@"  # so that a cell stays text when a person edits it
    styles = head.style_id, body.style_id  # asking for the styles puts them into the workbook
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue(), *styles


def _letters(count: int) -> list[str]:
    from openpyxl.utils import get_column_letter

    return [get_column_letter(place) for place in range(1, count + 1)]
