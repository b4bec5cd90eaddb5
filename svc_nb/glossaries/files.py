"""Glossary files in every common format: read into one tidy table, and written so that reading gives it back."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call, InPython, Option
from svc_nb.errors import InvalidRows, warn
from svc_nb.glossaries import json_files, xml_files
from svc_nb.glossaries.cell_table import SERVICE_ORDER, TAB, Said, at_lines, is_comment, only, tidied
from svc_nb.glossaries.headings import fits, head_place, meanings
from svc_nb.glossaries.wide_table import refuse, texts, told
from svc_nb.tabular import delimited, sheets
from svc_nb.tabular.cells import Cells, guarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import ODS, SHEET, about, blank_rows, content, grid, suffix_of, unwritable, written
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import Report, named, short
from svc_nb.tabular.terms import COLUMNS, HEADINGS, LANGUAGE_COLUMNS, LINE, UNQUOTED, checked, in_files, lines_of
from svc_nb.wire.languages import meant

MARKUP = (".tbx", ".tmx", ".xml")
JSON, JSON_LINES = ".json", ".jsonl"
# Formats that are written, and formats that are only read.
SUFFIXES = (*(suffix for suffix in delimited.SEPARATORS if suffix != TAB), SHEET, *MARKUP)
READABLE = (*delimited.SEPARATORS, SHEET, ODS, JSON, JSON_LINES, *MARKUP)


class ColumnsLeftOut(UserWarning):
    """A table has additional columns that the file format cannot hold."""


# ---- reading


def read(
    path: str | os.PathLike[str],
    *,
    source_lang: str | None = None,
    target_lang: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    sheet: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Report:
    """Read the terms in a file as a table: .tsv, .txt, .tab, .csv, .xlsx, .ods, .json, .jsonl, .tbx, .xml or .tmx.

    The column `line` says where each term is in the file. Text files and sheets may have two to four columns in the
    service's order (source, target, and their languages), a header with these names in any order, or a column for each
    language (`term, de, fr`), which becomes one row for each pair. Headings may be in many languages. The last line of
    the report says what was left out. Only the format is checked: `.svc.lint()` finds what the service would refuse.

    Parameters
    ----------
    path
        The file; its ending says its format. An .xml file is TBX or TMX.
    source_lang, target_lang
        The languages of the terms if the rows do not say them; for a file with many languages, the ones to take. They
        override headings: with "en-GB", a column "English" is EN-GB.
    columns
        The meaning of columns whose headings do not say it: `{"Wort": "de", "Palabra": "es"}`. Each is a language,
        "source", "target", "source_lang", "target_lang", or None for a column that is none of these.
    sheet
        The sheet of a workbook; by default the first that is not empty, or the only one with a header.
    header
        Whether the first row names the columns; by default this is inferred from its cells.
    encoding
        The encoding of a text file that is neither UTF-8 nor UTF-16, such as "cp1252".

    Raises
    ------
    InvalidRows
        A line has more cells than the header or cannot be parsed, a term has a line break within quotes, or a cell
        holds an error or a formula without a stored value; `rows` has the numbers of such lines.
    ValueError
        The file is empty, damaged or in an unknown format, does not say its languages, or is missing a column of
        *columns*.
    """
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    given = Path(path).expanduser()
    suffix = suffix_of(given, READABLE)
    data = content(given)
    headings: dict[str, str] = {}
    meant_columns = meanings(columns)
    with about(given):
        if sheet is not None and suffix not in (SHEET, ODS):
            raise ValueError(f"{Option('sheet')} is for workbooks ({SHEET}, {ODS}): leave it out")
        if suffix in MARKUP:
            if columns:
                raise ValueError(
                    f"{Option('columns')} is for tables: the terms of a {suffix} file name their languages. Leave it "
                    "out"
                )
            root = xml_files.parsed(data, encoding)
            name = xml_files.local(root)
            if name not in ("tmx", *xml_files.ROOTS):
                raise ValueError(f"expected TBX (<tbx> or <martif>) or TMX (<tmx>), found <{short(name)}>")
            read_terms = xml_files.read_tmx if name == "tmx" else xml_files.read_tbx
            table, notes = read_terms(root, source_lang)
            table = only(table, target_lang)
        else:
            if suffix in (JSON, JSON_LINES):
                cells, header = json_files.cells(data, source_lang, encoding, in_lines=suffix == JSON_LINES)
            else:
                cells = grid(data, suffix, sheet=sheet, encoding=encoding, fits=partial(fits, columns=meant_columns))
            said = Said(source_lang, target_lang, meant_columns, header, suffix)
            with _naming_sheets(cells, sheet):
                table, notes, headings = tidied(cells, said)
    own = [f"{LINE}.1" if name == LINE else name for name in table.columns[len(COLUMNS) :]]
    lines = pd.Series(table.index.tolist(), dtype="Int64")
    table = table.set_axis([*COLUMNS, *own], axis=1).reset_index(drop=True)
    table.insert(len(COLUMNS), LINE, lines)
    shifted = table[table["source"].str.startswith(" ") | table["target"].str.startswith(" ")]
    unquoted = shifted[LINE].unique().tolist() if suffix == ".csv" and 2 * len(shifted) < len(table) else []
    if unquoted:
        notes = [*notes, f"A term begins with a space, possibly after an unquoted comma ({at_lines(unquoted)})"]
    found = Report(table, told(table, f"from {given.name}", notes))
    found.attrs.update({HEADINGS: headings, UNQUOTED: unquoted})
    return found


@contextmanager
def _naming_sheets(cells: Cells, sheet: str | None) -> Iterator[None]:
    """List the sheets of a workbook in errors about it if no sheet was given."""
    try:
        yield
    except ValueError as problem:
        if sheet is not None or len(cells.sheets) < 2:
            raise
        listed = named([repr(short(title)) for title in cells.sheets])
        other = next(title for title in cells.sheets if title != cells.sheet)
        more = f"This is sheet {cells.sheet!r} of {listed}. Pass {Option('sheet', other)} for another"
        if isinstance(problem, InvalidRows):
            raise InvalidRows(f"{problem.message}. {more}", rows=problem.rows) from None
        raise ValueError(f"{problem}. {more}") from None


# ---- writing


def write(
    table: pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    header: bool = False,
    columns: int = 4,
    formula_safe: bool = False,
    sheet: str = "Glossary",
    tbx_version: int = 3,
) -> Path:
    """Write a table of terms to a file in the format of its suffix: .tsv, .csv, .xlsx, .tbx or .tmx.

    An existing file is replaced, atomically and as a whole. `read` returns the same terms. Additional columns are
    written if there is a header; otherwise a warning names them. The column `line` is never written: it is the line of
    a term in the file that it was read from.

    Parameters
    ----------
    table
        The terms.
    path
        The file.
    header
        Whether a .tsv or .csv gets a first row with the names of the columns; the service does not accept one.
    columns
        4 writes both languages with every row of a .tsv or .csv; 2 leaves them out if there is one pair.
    formula_safe
        Put an apostrophe before texts that a spreadsheet would run as formulas; `read` removes it again.
    sheet
        The name of the sheet in a workbook.
    tbx_version
        3 writes TBX-Basic as in ISO 30042:2019 (<tbx>), 2 as many tools still require it (<martif>).
    """
    if tbx_version not in (2, 3):
        raise ValueError(f"tbx_version: expected 2 or 3, found {tbx_version!r}")
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    table = in_files(checked(table))
    if lines_of(table) is not None:  # the lines are those of the file it was read from
        table = table.drop(columns=LINE)
    if not len(table):
        raise ValueError("the table has no terms, and a file without terms cannot be read again; nothing was written")
    if suffix in MARKUP:
        terms = pd.DataFrame({name: pd.Series(_texts(table, name), dtype=object) for name in COLUMNS})
        refuse(xml_files.unwritable(terms), table, "Nothing was written")
        xml = xml_files.write_tmx(terms) if suffix == ".tmx" else xml_files.write_tbx(terms, tbx_version)
        data = xml.encode()
    else:
        if suffix == SHEET:
            sheets.checked_title(sheet)
            header, columns = True, 4
        head, rows = _cells(table, header=header, columns=columns, formula_safe=formula_safe)
        refuse(unwritable(rows, suffix) or blank_rows(rows), table, "Nothing was written")
        refuse(_misread(rows, headed=bool(head)) if suffix != SHEET else Findings(), table, "Nothing was written")
        data = written([head, *rows] if head else rows, suffix, sheet=sheet, formula_safe=formula_safe)
    further = [repr(name) for name in table.columns if name not in COLUMNS]
    if further and (suffix in MARKUP or not header):
        which = f"the column {further[0]} is" if len(further) == 1 else f"the columns {named(further)} are"
        form, advice = f"{suffix} without a header", f"Pass {Option('header', True)}, or write .xlsx"
        if suffix in MARKUP:
            form, advice = suffix, f"Write .xlsx{InPython(', or .csv with header=True', ' or .csv')}"
        warn(ColumnsLeftOut(f"{which} not written: {form} cannot hold additional columns. {advice}, to keep them"))
    replace_file(given, data)
    return given


def _cells(
    table: pd.DataFrame, *, header: bool, columns: int, formula_safe: bool
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The header, which may have no cells, and the rows as they are written."""
    if columns not in (2, 4):
        raise ValueError(f"columns: expected 2 or 4, found {columns!r}")
    if columns == 2 and (header or len(table[list(LANGUAGE_COLUMNS)].drop_duplicates()) > 1):
        raise ValueError("columns=2 is for one language pair without a header. Use columns=4, or leave it out")
    names: list[Any] = list(COLUMNS if header else SERVICE_ORDER[:columns])
    cells = [_texts(table, name) for name in names]
    if header:
        for place, name in enumerate(table.columns):
            if name not in COLUMNS:
                column = table.iloc[:, place]
                gaps = column.isna()
                cells.append(["" if gap else str(cell) for cell, gap in zip(column.tolist(), gaps, strict=True)])
                names.append(name)
    head = [guarded(str(name), formula_safe=formula_safe) for name in names] if header else []
    safe = [[guarded(cell, formula_safe=formula_safe) for cell in column] for column in cells]
    return head, list(zip(*safe, strict=True))


def _texts(table: pd.DataFrame, name: str) -> list[str]:
    return texts(table, table.columns.tolist().index(name))


def _misread(rows: list[tuple[str, ...]], *, headed: bool) -> Findings:
    """The rows of a text file that would not be read as terms."""
    found = Findings()
    comments = [row for row, cells in enumerate(rows) if is_comment(cells)]
    what = "a line with only a text that begins with # would be read as a comment"
    found.add(np.array(comments), ERROR, "comment", what, "fill in the target, or write .xlsx")
    if headed:
        return found
    place = head_place([[rows[0][0].lstrip("# "), *rows[0][1:]], *rows[1:]])
    if place is not None:
        what = "at the beginning of a file it would be read as a header"
        found.add(np.arange(place + 1), ERROR, "header", what, f"pass {Option('header', True)}")
    if rows[0][0].startswith(delimited.BOM):
        what = "a byte order mark at the very beginning would be lost"
        found.add(np.array([0]), ERROR, "invisible", what, f"use {Call('.svc.fix')}")
    return found
