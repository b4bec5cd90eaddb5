"""A table or picture as the bytes of a file; a label that looks like a formula stays a text in a spreadsheet."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pandas as pd

from svc_nb.tabular.formulas import guarded

KINDS = {
    "csv": "text/csv;charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "png": "image/png",
    "svg": "image/svg+xml",
}


def csv(table: pd.DataFrame) -> bytes:
    """*table* as CSV in UTF-8, days as 2026-10-31."""
    return _plain(table).to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")


def xlsx(table: pd.DataFrame, sheet: str = "Usage") -> bytes:
    """*table* as a workbook with one sheet: a frozen heading, dates as dates, and numbers with separators."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    page = book.create_sheet(sheet)
    page.freeze_panes = "A2"
    for letter, name in zip(_letters(len(table.columns)), table.columns, strict=True):
        page.column_dimensions[letter].width = max(12, len(str(name)) + 2)
    page.append([str(name) for name in table.columns])
    styles = [_style(table[name]) for name in table.columns]
    for row in zip(*(_values(table[name]) for name in table.columns), strict=True):
        cells = []
        for value, style in zip(row, styles, strict=True):
            cell = WriteOnlyCell(page, value=None)
            if isinstance(value, str):
                cell.value, cell.data_type = _sendable(value), "s"  # never a formula
            else:
                cell.value, cell.number_format = value, style
            cells.append(cell)
        page.append(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with days as texts, and texts that no spreadsheet would run."""
    plain = table.copy()
    for name in plain.columns:
        if pd.api.types.is_datetime64_any_dtype(plain[name].dtype):
            plain[name] = plain[name].dt.strftime("%Y-%m-%d")
        elif _is_text(plain[name]):
            texts = {text: guarded(text, formula_safe=True) for text in plain[name].dropna().unique()}
            plain[name] = plain[name].map(texts)
    return plain


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_string_dtype(column.dtype) or column.dtype == object)


def _values(column: pd.Series[Any]) -> Sequence[Any]:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return [None if pd.isna(day) else day.to_pydatetime().replace(tzinfo=None) for day in column]
    gaps = column.isna().tolist()
    return [None if gap else value for value, gap in zip(column.tolist(), gaps, strict=True)]


def _style(column: pd.Series[Any]) -> str:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "yyyy-mm-dd"
    return "#,##0.0" if pd.api.types.is_float_dtype(column.dtype) else "#,##0"


def _sendable(text: str) -> str:
    """*text* without the control characters that a workbook cannot have."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    return ILLEGAL_CHARACTERS_RE.sub("\ufffd", text)


def _letters(count: int) -> list[str]:
    from openpyxl.utils import get_column_letter

    return [get_column_letter(number + 1) for number in range(count)]
