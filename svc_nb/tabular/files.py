"""Files of rows, text or workbook: reading them and writing them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from svc_nb.advice import Option
from svc_nb.errors import InvalidRows
from svc_nb.tabular import delimited, ods, sheets
from svc_nb.tabular.cells import LEFT_OUT, Cells
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import named, plural, short

SHEET, ODS = ".xlsx", ".ods"


def suffix_of(path: Path, suffixes: Sequence[str]) -> str:
    """The format of a file, by the end of its name; ValueError if it is none of *suffixes*."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        found = f"found {path.suffix!r}" if suffix else "found none"
        advice = ". Save it as .xlsx" if suffix in (".xls", ODS, ".xlsm", ".xlsb") else ""
        raise ValueError(f"{path.name}: expected a name that ends in {', '.join(suffixes)}, {found}{advice}")
    return suffix


def content(path: Path) -> bytes:
    """The content of a file, or an error that says why it cannot be read."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Name the file in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path} (the current folder is {Path.cwd()})") from None
    except OSError as problem:
        raise type(problem)(f"{path} could not be read: {problem.strerror}") from None
    if not data.strip():
        raise ValueError(f"{path.name}: the file is empty")
    if path.suffix.lower() in delimited.SEPARATORS and data.startswith((sheets.ZIP, sheets.OLE)):
        raise ValueError(f"{path.name} is a spreadsheet, not text. If it is an Excel file, rename it to .xlsx")
    return data


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Name the file in errors about its content."""
    try:
        yield
    except InvalidRows as problem:
        raise InvalidRows(f"{path.name}: {problem.message}", rows=problem.rows) from None
    except ValueError as problem:
        raise ValueError(f"{path.name}: {problem}") from None


def grid(
    data: bytes, suffix: str, *, sheet: str | None = None, encoding: str | None = None, fits: delimited.Fits
) -> Cells:
    """The rows of a workbook or a text file; *fits* is as for `delimited.grid`, and also chooses among sheets."""
    if suffix not in (SHEET, ODS):
        return delimited.grid(data, suffix, encoding, fits=fits)
    form: Any = sheets if suffix == SHEET else ods
    titles = form.titles(data)
    shown = tuple(title for title, hidden in titles.items() if not hidden) or tuple(titles)
    if sheet is not None:
        if sheet not in titles:
            raise ValueError(f"sheet: expected one of {', '.join(map(repr, titles))}, found {sheet!r}")
        shown = (sheet,)
    found = _chosen(form.grids(data, shown), fits)
    called = {title: f"{short(title)!r}{' (hidden)' if hidden else ''}" for title, hidden in titles.items()}
    unread = [called[title] for title in titles if title != found.sheet]
    notes = [f"Sheet {called[found.sheet]}", *found.notes]
    notes += [f"{LEFT_OUT}{plural(len(unread), 'other sheet')} ({named(unread)})"] if unread else []
    return found._replace(notes=notes, sheets=shown)


def _chosen(grids: Iterator[Callable[[], Cells]], fits: delimited.Fits) -> Cells:
    """The first sheet that is not empty or, if it has no header, the only other sheet that has one."""
    first = Cells([], [], [])
    fitting: list[Cells] = []
    wrong: list[InvalidRows] = []
    for get in grids:
        try:
            cells = get()
        except InvalidRows as problem:
            if not first.rows:
                raise
            wrong.append(problem)
            continue
        if cells.rows and fits(cells.rows)[0]:
            if not first.rows:
                return cells
            fitting.append(cells)
        first = first if first.rows else cells
    if len(fitting) > 1:
        listed = ", ".join(repr(short(cells.sheet)) for cells in fitting)
        raise ValueError(
            f"the first sheet, {short(first.sheet)!r}, has no header, and several other sheets have one: "
            f"{listed}. Name the "
            f"sheet to read, such as {Option('sheet', fitting[0].sheet)}"
        )
    if wrong and not fitting:  # one of the other sheets may be the glossary
        raise wrong[0]
    return fitting[0] if fitting else first


def blank_rows(rows: Sequence[Sequence[str]]) -> Findings:
    """The *rows* that are empty, which no file can hold."""
    found = Findings()
    blank = [row for row, cells in enumerate(rows) if not any(cell and not cell.isspace() for cell in cells)]
    found.add(np.array(blank), ERROR, "empty", "the row is empty", "remove the row")
    return found


def unwritable(rows: Sequence[Sequence[str]], suffix: str) -> Findings:
    """The *rows* that cannot be written to such a file."""
    if suffix == SHEET:
        return sheets.unwritable(rows)
    return delimited.unwritable(rows, delimited.SEPARATORS[suffix])


def written(rows: Sequence[Sequence[str]], suffix: str, *, sheet: str, formula_safe: bool) -> bytes:
    """The content of a file with *rows*; in a workbook they are in one sheet, with the first row as its header."""
    if suffix == SHEET:
        return sheets.written({sheet: rows})
    # The mark tells a spreadsheet the encoding.
    return delimited.written(rows, delimited.SEPARATORS[suffix]).encode("utf-8-sig" if formula_safe else "utf-8")
