"""Files of rows, be they texts or workbooks: what is in them, and what is written to them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from svc_nb.errors import InvalidRows
from svc_nb.tabular import delimited, sheets
from svc_nb.tabular.cells import Cells
from svc_nb.tabular.findings import ERROR, Findings

SHEET = ".xlsx"


def suffix_of(path: Path, suffixes: Sequence[str]) -> str:
    """The form of a file, by the end of its name; ValueError where it is none of *suffixes*."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        found = f"found {path.suffix!r}" if suffix else "found none"
        advice = ". Save it as .xlsx" if suffix in (".xls", ".ods", ".xlsm", ".xlsb") else ""
        raise ValueError(f"{path.name}: expected a name that ends in {', '.join(suffixes)}, {found}{advice}")
    return suffix


def content(path: Path) -> bytes:
    """What is in a file, or an error that says why there is nothing to read."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; the folder to start from is {Path.cwd()}") from None
    except OSError as problem:
        raise type(problem)(f"{path} could not be read: {problem.strerror}") from None
    if not data.strip():
        raise ValueError(f"{path.name}: the file is empty")
    if path.suffix.lower() in delimited.SEPARATORS and data.startswith((sheets.ZIP, sheets.OLE)):
        raise ValueError(f"{path.name} is a spreadsheet and no text. If it is of Excel, let its name end in .xlsx")
    return data


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Say of errors in what a file holds which file it is."""
    try:
        yield
    except InvalidRows as problem:
        raise InvalidRows(f"{path.name}: {problem.message}", rows=problem.rows) from None
    except ValueError as problem:
        raise ValueError(f"{path.name}: {problem}") from None


def grid(
    data: bytes, suffix: str, *, sheet: str | None = None, encoding: str | None = None, fits: delimited.Fits
) -> Cells:
    """The rows of a workbook or a text file; *fits* is as for `delimited.grid`."""
    return sheets.grid(data, sheet) if suffix == SHEET else delimited.grid(data, suffix, encoding, fits=fits)


def blank_rows(rows: Sequence[Sequence[str]]) -> Findings:
    """Which *rows* have nothing in them, and so no form in any file."""
    found = Findings()
    blank = [row for row, cells in enumerate(rows) if not any(cell and not cell.isspace() for cell in cells)]
    found.add(np.array(blank), ERROR, "empty", "nothing is in the row", "remove the row")
    return found


def unwritable(rows: Sequence[Sequence[str]], suffix: str) -> Findings:
    """Which *rows* have no form in such a file."""
    if suffix == SHEET:
        return sheets.unwritable(rows)
    return delimited.unwritable(rows, delimited.SEPARATORS[suffix])


def written(rows: Sequence[Sequence[str]], suffix: str, *, sheet: str, formula_safe: bool) -> bytes:
    """The content of a file with *rows*; in a workbook they are in a sheet, the first of them as its head."""
    if suffix == SHEET:
        return sheets.written({sheet: rows})
    # The mark tells a spreadsheet the encoding.
    return delimited.written(rows, delimited.SEPARATORS[suffix]).encode("utf-8-sig" if formula_safe else "utf-8")
