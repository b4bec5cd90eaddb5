"""A style as a spreadsheet of three sheets: `list`, `rules` and `instructions`; all its cells are texts."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from svc_nb.style_rules.records import PARTS, Record, Records, no_records, refuse
from svc_nb.tabular.formulas import guarded, unguarded

LONGEST_CELL = 32_767
LARGEST = 200 * 2**20
WIDTHS = {"prompt": 80, "option": 60, "label": 30, "rule": 30, "category": 22, "name": 30}
# Excel's way to write a character by its number; a text that only looks so has its "_" written that way.
LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
ESCAPED = re.compile("_x(005[Ff](?=_x[0-9A-Fa-f]{4}_)|000[9AaDd])_")
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written(records: Records, *, formula_safe: bool) -> bytes:
    """*records* as an .xlsx file; InvalidRows names the rows that have no form in it."""
    from openpyxl import Workbook

    _refuse(records)
    book = Workbook()
    book.remove(book.worksheets[0])
    for part, names in PARTS.items():
        sheet = book.create_sheet(part)
        sheet.freeze_panes = "A2"
        rows = [dict(zip(names, names, strict=True)), *(record.cells for record in records[part])]
        for line, cells in enumerate(rows, start=1):
            for place, name in enumerate(names, start=1):
                if cells[name]:
                    cell = sheet.cell(line, place)
                    cell.value = _escaped(guarded(cells[name], formula_safe=formula_safe))
                    cell.data_type = "s"  # else what begins with "=" is a formula
        for column, name in zip("ABCDEFGH", names, strict=False):
            sheet.column_dimensions[column].width = WIDTHS.get(name, 18)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parsed(data: bytes) -> Records:
    """The records in an .xlsx file, by the names of its sheets; ValueError that names the cell of what is wrong."""
    with _Book(data) as book:
        return {part: list(book.records(part)) for part in PARTS}


class _Book:
    """An open spreadsheet; its sheets are found by name in any case."""

    def __init__(self, data: bytes) -> None:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException

        _refuse_bomb(data)
        try:
            self._book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        except (InvalidFileException, KeyError, ValueError, SyntaxError, OSError, zipfile.BadZipFile):
            raise ValueError(NO_SHEET) from None
        self._sheets = {sheet.title.strip().casefold(): sheet for sheet in self._book.worksheets}
        if not self._sheets.keys() & PARTS.keys():
            self._book.close()
            found = ", ".join(repr(name[:40]) for name in self._sheets)
            raise ValueError(f"expected sheets named {', '.join(PARTS)}, found {found or 'none'}")

    def __enter__(self) -> _Book:
        return self

    def __exit__(self, *_: object) -> None:
        self._book.close()

    def records(self, part: str) -> Iterator[Record]:
        sheet: Any = self._sheets.get(part)
        rows = iter(sheet.iter_rows()) if sheet is not None else iter(())
        names = [_text(cell, part).strip().casefold() for cell in next(rows, ())]
        for line, row in enumerate(rows, start=2):
            cells = [unguarded(_unescaped(_text(cell, part))) for cell in row]
            if any(cells):
                yield Record(line, dict(zip(names, cells, strict=False)))


NO_SHEET = "expected a spreadsheet (.xlsx), found something else; save it anew as .xlsx"


def _refuse(records: Records) -> None:
    bad = "a spreadsheet has no form for control characters and halves of surrogate pairs"
    refuse(records, lambda cell: bool(NO_XML.search(cell)), bad)
    # With the apostrophe that may come before it.
    refuse(
        records, lambda cell: len(cell) >= LONGEST_CELL, f"a cell has less than {LONGEST_CELL:,} characters"
    )
    for part in ("rules", "instructions"):
        empty = [record for record in records[part] if not any(record.cells.values())]
        refuse({**no_records(), part: empty}, lambda cell: True, "a spreadsheet has no form for an empty row")


def _units(cell: str) -> int:
    """How long a spreadsheet finds a text."""
    return len(_escaped(cell).encode("utf-16-le")) // 2


def _escaped(text: str) -> str:
    return LOOKS_ESCAPED.sub("_x005F_", text)


def _unescaped(text: str) -> str:
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _refuse_bomb(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise ValueError(NO_SHEET) from None
    if size > LARGEST:
        raise ValueError(
            f"the spreadsheet would take {size / 2**20:,.0f} MiB; {LARGEST // 2**20} MiB is the most"
        )


def _text(cell: Any, part: str) -> str:
    """What a person sees in a cell."""
    value = cell.value
    if value is None:
        return ""
    if getattr(cell, "data_type", "") == "e":
        raise ValueError(f"sheet {part}, cell {cell.coordinate}: expected a text, found the error {value}")
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
