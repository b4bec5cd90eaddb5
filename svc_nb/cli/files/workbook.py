"""A sheet of an Excel workbook: cells are added to its rows, and every other part of the file stays byte for byte."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.coded import Coded
from svc_nb.cli.files.source import Source
from svc_nb.cli.files.table import WORKBOOKS, Write, listed
from svc_nb.frames.glossaries.sheets import DAMAGE, ILLEGAL, LONGEST_CELL, MOST_BYTES, OLE, SAFELY

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PRESERVE = "{http://www.w3.org/XML/1998/namespace}space"
MOST_COLUMNS = 16_384

Cells = Sequence[str | None]


class Workbook:
    """The rows of a *sheet*, the first that is not empty if none is named; its first filled row has the names.

    It is kept in memory, and is its own only block.
    """

    row_word = "row"
    endings = WORKBOOKS
    packed = True

    def __init__(self, source: Source, *, sheet: str | None = None) -> None:
        self.source = source
        self.called = source.called
        self._data = source.begin().read()
        _guard(self._data, self.called)
        try:
            self._title, self._rows = self._read(sheet)
        except DAMAGE as problem:
            told = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
            raise Failure(f"{self.called} is damaged, or no Excel file ({told})") from None
        head, *self._places = list(self._rows)
        self._head = head
        self._columns = {place: _text(value) or "" for place, value in self._rows[head].items()}
        self.names = list(self._columns.values())
        self.rows = len(self._places)
        self.others: dict[str, str] = {}

    def __len__(self) -> int:
        return self.rows

    def check(self, columns: Sequence[str]) -> None:
        """Do nothing: all was looked at before."""

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Workbook]:
        """All rows at once."""
        yield self

    def column(self, name: str) -> Coded:
        """The cells of a column as texts; a gap where a cell is empty."""
        place = next(place for place, each in self._columns.items() if each == name)
        return Coded.of(_text(self._rows[number].get(place)) for number in self._places)

    def place(self, row: int) -> int:
        """The number of a row in the sheet."""
        return self._places[row]

    @contextmanager
    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> Iterator[Write]:
        """What writes the workbook with cells added to the right of all others."""
        yield lambda block, cells: self._write(stream, {name: each.cells() for name, each in cells.items()})

    def _write(self, stream: BinaryIO, added: Mapping[str, Cells]) -> None:
        with zipfile.ZipFile(BytesIO(self._data)) as given, zipfile.ZipFile(stream, "w") as made:
            part = _part(given, self._title)
            for each in given.infolist():
                data = given.read(each)
                if each.filename == part:
                    data = self._sheet(data, added)
                made.writestr(each, data, compress_type=each.compress_type)

    def _read(self, sheet: str | None) -> tuple[str, dict[int, dict[int, Any]]]:
        """The title of the sheet, and its filled rows by number, each with its cells by column."""
        from openpyxl import load_workbook

        book = load_workbook(BytesIO(self._data), read_only=True, data_only=True)
        titles = [each.title for each in book.worksheets]
        if sheet is not None and sheet not in titles:
            raise Misuse(f"{self.called}: there is no sheet {sheet!r}; there are {listed(titles)}")
        for page in book.worksheets:
            page.reset_dimensions()
            rows = {}
            for number, cells in enumerate(page.iter_rows(values_only=True), start=1):
                filled = {place: cell for place, cell in enumerate(cells, start=1) if cell not in (None, "")}
                if filled:
                    rows[number] = filled
            if page.title == sheet or (sheet is None and rows):
                if not rows:
                    break
                return page.title, rows
        raise Failure(f"{self.called}: the sheet is empty")

    def _sheet(self, data: bytes, added: Mapping[str, Cells]) -> bytes:
        from lxml import etree

        root = etree.fromstring(
            data, etree.XMLParser(**{**SAFELY, "remove_comments": False, "remove_pis": False})
        )
        for dimension in root.findall("{*}dimension"):
            root.remove(dimension)
        rows = _numbered(root)
        first = 1 + max(_last_column(row) for row in rows.values())
        if first + len(added) > MOST_COLUMNS:
            raise Failure(
                f"{self.called}: a sheet has {MOST_COLUMNS:,} columns, and there is no room for more"
            )
        for place, (name, cells) in enumerate(added.items(), start=first):
            self._put(rows, self._head, place, name)
            for number, cell in zip(self._places, cells, strict=True):
                if cell:
                    self._put(rows, number, place, cell)
        written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        return written

    def _put(self, rows: Mapping[int, Any], number: int, place: int, text: str) -> None:
        from lxml import etree
        from openpyxl.utils import get_column_letter

        if len(text) > LONGEST_CELL:
            raise Failure(
                f"{self.called}, row {number}: {len(text):,} characters, and a cell holds {LONGEST_CELL:,}"
            )
        row = rows[number]
        row.attrib.pop("spans", None)
        space = etree.QName(row).namespace or MAIN
        cell = etree.SubElement(row, f"{{{space}}}c", r=f"{get_column_letter(place)}{number}", t="inlineStr")
        if len(row) > 1 and (style := row[-2].get("s")):
            cell.set("s", style)
        inside = etree.SubElement(etree.SubElement(cell, f"{{{space}}}is"), f"{{{space}}}t")
        inside.set(PRESERVE, "preserve")
        inside.text = ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)


def _guard(data: bytes, called: str) -> None:
    """Refuse what is no workbook, and one that would unpack to an absurd size."""
    if data.startswith(OLE):
        raise Failure(f"{called} is in Excel's old form, or has a password; save it as .xlsx without one")
    if not zipfile.is_zipfile(BytesIO(data)):
        raise Failure(f"{called} is no Excel file; save it as .xlsx where it came from")
    with zipfile.ZipFile(BytesIO(data)) as archive:
        size = sum(part.file_size for part in archive.infolist())
    if size > MOST_BYTES:
        raise Failure(f"{called} would unpack to {size:,} bytes, and at most {MOST_BYTES:,} are read")


def _part(archive: zipfile.ZipFile, title: str) -> str:
    """The part of the archive that holds a sheet."""
    from lxml import etree

    def root(part: str) -> Any:
        return etree.fromstring(archive.read(part), etree.XMLParser(**SAFELY))

    main = next(
        each.get("Target").lstrip("/")
        for each in root("_rels/.rels").iter("{*}Relationship")
        if each.get("Type").endswith("/officeDocument")
    )
    folder, name = posixpath.split(main)
    links = {
        each.get("Id"): each.get("Target")
        for each in root(f"{folder}/_rels/{name}.rels").iter("{*}Relationship")
    }
    sheet = next(each for each in root(main).iter("{*}sheet") if each.get("name") == title)
    link = next(value for key, value in sheet.attrib.items() if key.endswith("}id"))
    return posixpath.normpath(posixpath.join("/", folder, links[link])).lstrip("/")


def _numbered(root: Any) -> dict[int, Any]:
    rows, last = {}, 0
    for row in root.iterfind("{*}sheetData/{*}row"):
        last = int(row.get("r") or last + 1)
        rows[last] = row
    return rows


def _last_column(row: Any) -> int:
    from openpyxl.utils import column_index_from_string

    last = 0
    for cell in row:
        name = cell.get("r")
        last = column_index_from_string(re.sub(r"\d+$", "", name)) if name else last + 1
    return last


def _text(value: Any) -> str | None:
    """A cell as text; a number or a date has no letters, and passes through."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
