"""A sheet of an Excel workbook: cells are added to its rows, and every other part of the file stays byte for byte."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.coded import Coded
from svc_nb.cli.files.source import Source
from svc_nb.cli.files.table import WORKBOOKS, Write, listed
from svc_nb.tabular.sheets import DAMAGE, ILLEGAL, LONGEST_CELL, MOST_BYTES, OLE, SAFELY

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PRESERVE = "{http://www.w3.org/XML/1998/namespace}space"
MOST_COLUMNS = 16_384
OTHERS = "numbers, dates or the like"
ERROR = "e"


class Workbook:
    """The rows of a *sheet*, the first that is not empty if none is named; its first filled row has the names.

    It is kept in memory, and is its own only block.
    """

    row_word = "row"
    endings = WORKBOOKS
    packed = True
    longest: int | None = LONGEST_CELL

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
        self._columns = {place: _name(value) for place, value in self._rows[head].items()}
        self.names = list(self._columns.values())
        self.rows = len(self._places)
        self.others = {name: OTHERS for place, name in self._columns.items() if self._is_other(place)}

    def __len__(self) -> int:
        return self.rows

    def check(self, columns: Sequence[str]) -> None:
        """Do nothing: all was looked at before."""

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Workbook]:
        """All rows at once."""
        yield self

    def column(self, name: str) -> Coded:
        """The texts of a column; a gap where a cell is empty or holds something else."""
        place = next(place for place, each in self._columns.items() if each == name)
        return Coded.of(cell if isinstance(cell, str) else None for cell in self._cells(place))

    def place(self, row: int) -> int:
        """The number of a row in the sheet."""
        return self._places[row]

    @contextmanager
    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> Iterator[Write]:
        """What writes the workbook with cells added to the right of all others; Failure where there is no room."""
        from lxml import etree

        how = {**SAFELY, "remove_comments": False, "remove_pis": False}
        with zipfile.ZipFile(BytesIO(self._data)) as given:
            part = _part(given, self._title)
            root = etree.fromstring(given.read(part), etree.XMLParser(**how))
            first = 1 + _last_column(root)
            if first + len(added) - 1 > MOST_COLUMNS:
                raise Failure(
                    f"{self.called}: a sheet has {MOST_COLUMNS:,} columns, and there is no room for more"
                )

            def write(block: Workbook, cells: Mapping[str, Coded]) -> None:
                self._add(root, first, cells)
                sheet = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                _copy(given, stream, {part: sheet})

            yield write

    def _cells(self, place: int) -> Iterator[Any]:
        return (self._rows[number].get(place) for number in self._places)

    def _is_other(self, place: int) -> bool:
        """Whether a column has something in it, and no text."""
        kinds = {type(cell) for cell in self._cells(place)} - {type(None)}
        return bool(kinds) and str not in kinds

    def _read(self, sheet: str | None) -> tuple[str, dict[int, dict[int, Any]]]:
        """The title of the sheet, and its filled rows by number, each with its cells by column; an error is a gap."""
        from openpyxl import load_workbook

        book = load_workbook(BytesIO(self._data), read_only=True, data_only=True)
        titles = [each.title for each in book.worksheets]
        if sheet is not None and sheet not in titles:
            raise Misuse(f"{self.called}: there is no sheet {sheet!r}; there are {listed(titles)}")
        for page in book.worksheets:
            page.reset_dimensions()
            numbered = ((number, _filled(cells)) for number, cells in enumerate(page.iter_rows(), start=1))
            rows = {number: filled for number, filled in numbered if filled}
            if page.title == sheet or (sheet is None and rows):
                if not rows:
                    break
                return page.title, rows
        raise Failure(f"{self.called}: the sheet is empty")

    def _add(self, root: Any, first: int, added: Mapping[str, Coded]) -> None:
        """Add columns to a sheet, from the column *first* on."""
        for dimension in root.findall("{*}dimension"):
            root.remove(dimension)
        rows = _numbered(root)
        for place, (name, coded) in enumerate(added.items(), start=first):
            _put(rows[self._head], self._head, place, name)
            for number, cell in zip(self._places, coded.cells(), strict=True):
                if cell:
                    _put(rows[number], number, place, cell)


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


def _last_column(root: Any) -> int:
    """The last column that has a cell, or a part of several that were made one."""
    merged = root.iterfind("{*}mergeCells/{*}mergeCell")
    edges = (_column(cells.get("ref").rpartition(":")[2]) for cells in merged)
    return max([*map(_last_of_row, _numbered(root).values()), *edges])


def _last_of_row(row: Any) -> int:
    last = 0
    for cell in row:
        name = cell.get("r")
        last = _column(name) if name else last + 1
    return last


def _column(name: str) -> int:
    """The number of the column of a cell such as B7."""
    from openpyxl.utils import column_index_from_string

    return column_index_from_string(name.rstrip("0123456789"))


def _put(row: Any, number: int, place: int, text: str) -> None:
    """Add a cell to the end of a row, in the style of the one before it."""
    from lxml import etree
    from openpyxl.utils import get_column_letter

    row.attrib.pop("spans", None)
    space = etree.QName(row).namespace or MAIN
    cell = etree.SubElement(row, f"{{{space}}}c", r=f"{get_column_letter(place)}{number}", t="inlineStr")
    if len(row) > 1 and (style := row[-2].get("s")):
        cell.set("s", style)
    inside = etree.SubElement(etree.SubElement(cell, f"{{{space}}}is"), f"{{{space}}}t")
    inside.set(PRESERVE, "preserve")
    inside.text = ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)


def _copy(given: zipfile.ZipFile, stream: BinaryIO, changed: Mapping[str, bytes]) -> None:
    """Write an archive again, with other content for the parts that were *changed*."""
    with zipfile.ZipFile(stream, "w") as made:
        for each in given.infolist():
            data = changed.get(each.filename) or given.read(each)
            made.writestr(each, data, compress_type=each.compress_type)


def _filled(cells: Sequence[Any]) -> dict[int, Any]:
    """The values of a row by column, without what is empty or an error."""
    return {
        place: cell.value
        for place, cell in enumerate(cells, start=1)
        if cell.value not in (None, "") and cell.data_type != ERROR
    }


def _name(value: Any) -> str:
    """What a column is called whose first cell is *value*."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
