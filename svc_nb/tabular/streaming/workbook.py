"""A sheet of an Excel workbook: cells are added to its rows, and the rest of the file stays the same byte for byte."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO

from lxml import etree
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

from svc_nb.tabular.sheets import ILLEGAL, LONGEST_CELL, SAFELY, column_number, opened_book
from svc_nb.tabular.streaming.source import InvalidOption, Source
from svc_nb.tabular.streaming.table import WORKBOOKS, Block, CodedCells, Table, Write, listed

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PRESERVE = "{http://www.w3.org/XML/1998/namespace}space"
MOST_COLUMNS = 16_384
OTHERS = "numbers, dates or other values"
ERROR = "e"


class Workbook(Table):
    """The rows of a *sheet*, by default the first non-empty one, as one block; the first filled row has the names."""

    endings = WORKBOOKS
    packed = True
    longest = LONGEST_CELL

    def __init__(self, source: Source, *, sheet: str | None = None) -> None:
        super().__init__(source)
        self._data = source.begin().read()
        try:
            with opened_book(self._data) as book:
                titles, title, self._rows = self._read(sheet)
                self._part = book.sheets.get(title, "")
        except ValueError as problem:
            raise ValueError(f"{self.called}: {problem}") from None
        if sheet is not None and sheet not in titles:
            raise InvalidOption(f"{self.called}: there is no sheet {sheet!r}; there are {listed(titles)}")
        if not self._rows:
            raise ValueError(f"{self.called}: the sheet is empty")
        self._head, *self._places = self._rows
        self._columns = {
            place: str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
            for place, value in self._rows[self._head].items()
        }
        self.names = list(self._columns.values())
        self.rows = len(self._places)
        for place, name in self._columns.items():
            kinds = {type(cell) for cell in self._cells(place)} - {type(None)}
            if kinds and str not in kinds:
                self.others[name] = OTHERS

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """All rows as one block."""
        yield Block(self._places, self._column)

    def _column(self, name: str) -> CodedCells:
        """The texts of a column; a gap if a cell is empty or holds something else."""
        place = next(place for place, each in self._columns.items() if each == name)
        return CodedCells.of(cell if isinstance(cell, str) else None for cell in self._cells(place))

    @contextmanager
    def writing(self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None) -> Iterator[Write]:
        """A writer of the workbook with cells added to the right of all others; Failure if there is no room."""
        how = {**SAFELY, "remove_comments": False, "remove_pis": False}
        with zipfile.ZipFile(BytesIO(self._data)) as given:
            root = etree.fromstring(given.read(self._part), etree.XMLParser(**how))
            rows, last = _rows_and_last_column(root)
            first = last + 1
            if last + len(added) > MOST_COLUMNS:
                raise ValueError(
                    f"{self.called}: a sheet has at most {MOST_COLUMNS:,} columns, and there is no room for more"
                )

            def write(block: Block, added: Mapping[str, CodedCells]) -> None:
                for dimension in root.findall("{*}dimension"):
                    root.remove(dimension)
                for place, (name, cells) in enumerate(added.items(), start=first):
                    _put(rows[self._head], self._head, place, name)
                    for number, cell in zip(self._places, cells.cells(), strict=True):
                        if cell:
                            _put(rows[number], number, place, cell)
                sheet = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                with zipfile.ZipFile(stream, "w") as made:  # every other part as it is
                    for each in given.infolist():
                        data = sheet if each.filename == self._part else given.read(each)
                        made.writestr(each, data, compress_type=each.compress_type)

            yield write

    def _cells(self, place: int) -> Iterator[Any]:
        return (self._rows[number].get(place) for number in self._places)

    def _read(self, sheet: str | None) -> tuple[list[str], str, dict[int, dict[int, Any]]]:
        """The titles of all sheets, then the title and the filled rows, by number, of the sheet to read."""
        book = load_workbook(BytesIO(self._data), read_only=True, data_only=True)
        titles = [page.title for page in book.worksheets]
        for page in book.worksheets:
            if sheet not in (None, page.title):
                continue
            page.reset_dimensions()
            rows: dict[int, dict[int, Any]] = {}
            for number, cells in enumerate(page.iter_rows(), start=1):
                filled = {
                    place: cell.value
                    for place, cell in enumerate(cells, start=1)
                    if cell.value not in (None, "") and cell.data_type != ERROR
                }
                if filled:
                    rows[number] = filled
            if rows:
                return titles, page.title, rows
        return titles, "", {}


def _rows_and_last_column(root: Any) -> tuple[dict[int, Any], int]:
    """The rows by number, and the last column that has a cell or part of a merged cell."""
    merged = root.iterfind("{*}mergeCells/{*}mergeCell")
    ends = (cells.get("ref").rpartition(":")[2] for cells in merged)
    most = max((column_number(end.rstrip("0123456789")) + 1 for end in ends), default=0)
    rows, number = {}, 0
    for row in root.iterfind("{*}sheetData/{*}row"):
        number = int(row.get("r") or number + 1)
        rows[number] = row
        last = 0
        for cell in row:
            name = cell.get("r")
            last = column_number(name.rstrip("0123456789")) + 1 if name else last + 1
        most = max(most, last)
    return rows, most


def _put(row: Any, number: int, place: int, text: str) -> None:
    """Add a cell to the end of a row, in the style of the one before it."""
    row.attrib.pop("spans", None)
    space = etree.QName(row).namespace or MAIN
    cell = etree.SubElement(row, f"{{{space}}}c", r=f"{get_column_letter(place)}{number}", t="inlineStr")
    if len(row) > 1 and (style := row[-2].get("s")):
        cell.set("s", style)
    inside = etree.SubElement(etree.SubElement(cell, f"{{{space}}}is"), f"{{{space}}}t")
    inside.set(PRESERVE, "preserve")
    inside.text = ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
