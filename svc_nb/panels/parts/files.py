"""A table or picture as the bytes of a file; a label that looks like a formula stays text in a spreadsheet."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.tabular.cells import guarded
from svc_nb.tabular.disk import replace_file

CSV = "text/csv;charset=utf-8"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS = {
    "csv": CSV,
    "xlsx": XLSX,
    "png": "image/png",
    "svg": "image/svg+xml",
}

SHARE = "share"  # the column with shares
LONGEST_XLSX = 32_767  # characters in an Excel cell; openpyxl cuts longer texts

KEPT = (str, bool, Real, Decimal, date)  # cells that a file can store as they are


def export(path: str | PathLike[str], content: Callable[[str], bytes]) -> Path:
    """Write a file, or replace it, with the *content* for the format in its name."""
    place = Path(path)
    replace_file(place, content(place.suffix.lower().removeprefix(".")))
    return place


def spreadsheet(form: str, table: pd.DataFrame, sheet: str) -> bytes:
    """*table* as the bytes of a "csv" or "xlsx" file."""
    return csv(table) if form == "csv" else xlsx(table, sheet)


def csv(table: pd.DataFrame) -> bytes:
    """*table* as CSV in UTF-8, days as 2026-10-31."""
    plain = table.copy()
    for name in plain.columns:
        if pd.api.types.is_datetime64_any_dtype(plain[name].dtype):
            plain[name] = plain[name].dt.strftime("%Y-%m-%d")
        elif not pd.api.types.is_numeric_dtype(plain[name].dtype):
            cells = _plain(plain[name])
            safe = [guarded(cell, formula_safe=True) if isinstance(cell, str) else cell for cell in cells]
            plain[name] = pd.Series(safe, index=plain.index, dtype=object)
    return plain.to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")


def xlsx(table: pd.DataFrame, sheet: str = "Usage") -> bytes:
    """*table* as a workbook with one sheet: a frozen heading, dates as dates, and numbers with separators."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    page = book.create_sheet(sheet)
    page.freeze_panes = "A2"
    for number, name in enumerate(table.columns, start=1):
        page.column_dimensions[get_column_letter(number)].width = max(12, len(str(name)) + 2)
    page.append([str(name) for name in table.columns])
    columns = [_cells(table[name]) for name in table.columns]
    for row in zip(*(values for values, _ in columns), strict=True):
        cells = []
        for value, (_, number_format) in zip(row, columns, strict=True):
            cell = WriteOnlyCell(page, value=None)
            if isinstance(value, str):  # never a formula, and without characters that a workbook cannot store
                cell.value, cell.data_type = ILLEGAL_CHARACTERS_RE.sub("\ufffd", value), "s"
            else:
                cell.value, cell.number_format = value, number_format
            cells.append(cell)
        page.append(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cells(column: pd.Series[Any]) -> tuple[list[Any], str]:
    """The cells of *column* for a workbook, None for missing values, and the format of numbers or dates."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        days = [None if pd.isna(day) else day.to_pydatetime().replace(tzinfo=None) for day in column]
        return days, "yyyy-mm-dd"
    if not pd.api.types.is_float_dtype(column.dtype):
        return _plain(column), "#,##0"
    return _plain(column), "0.0%" if column.name == SHARE else "#,##0.0"


def _plain(column: pd.Series[Any]) -> list[Any]:
    """The cells of *column*, None for missing values; anything but numbers and dates becomes text."""
    gaps = column.isna().tolist()
    return [
        None if gap else cell if isinstance(cell, KEPT) and not getattr(cell, "tzinfo", None) else str(cell)
        for cell, gap in zip(column.tolist(), gaps, strict=True)
    ]
