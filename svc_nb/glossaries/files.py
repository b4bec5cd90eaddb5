"""Glossary files in every common form: read into one tidy table, and written so that reading gives it back."""

import os
from collections.abc import Collection, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call, Option
from svc_nb.errors import InvalidRows, warn
from svc_nb.glossaries import xml_files
from svc_nb.glossaries.wide_table import Heads, fits, is_head, refuse, texts, told, unfolded
from svc_nb.tabular import delimited, sheets
from svc_nb.tabular.cells import LEFT_OUT, Cells, guarded, unguarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import SHEET, about, blank_rows, content, grid, suffix_of, unwritable, written
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import Report, named, plural, short
from svc_nb.tabular.terms import (
    COLUMNS,
    LANGUAGE_COLUMNS,
    TERM_COLUMNS,
    checked,
    code_of,
    in_files,
    in_tables,
    language_of,
)
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.languages import meant

MARKUP = (".tbx", ".tmx", ".xml")
SUFFIXES = (*delimited.SEPARATORS, SHEET, *MARKUP)
# The order of the columns in the service's own form, which has no header.
SERVICE_ORDER = (*TERM_COLUMNS, *LANGUAGE_COLUMNS)
# How many rows above a header may be a title.
MOST_TITLES = 10


class ColumnsLeftOut(UserWarning):
    """A table has columns of its own that a file of the form named has no place for."""


# ---- reading


def read(
    path: str | os.PathLike[str],
    *,
    source_lang: str | None = None,
    target_lang: str | None = None,
    sheet: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Report:
    """Read the terms in a file as a table: .tsv, .txt, .csv, .xlsx, .tbx, .xml or .tmx.

    The index, `line`, says where each term stands in the file. TSV, CSV and Excel files may have two to four columns in
    the service's order (source, target, and their languages), a header with these names in any order, or a column for
    each language (`term, de, fr`), which becomes one row for each pair. Nothing is checked but the form: `.svc.lint()`
    finds what the service would refuse.

    Parameters
    ----------
    path
        A file that ends in .tsv, .txt, .csv, .xlsx, .tbx, .tmx or .xml (TBX or TMX).
    source_lang, target_lang
        The languages of the terms where the file does not say them; of a file of many languages, which to take.
    sheet
        The sheet of an Excel file; the first one that is not empty if not given.
    header
        Whether the first row names the columns; seen from its cells if not given.
    encoding
        Of a text file that is neither UTF-8 nor marked as UTF-16, such as "cp1252".

    Raises
    ------
    InvalidRows
        A line cannot be taken apart, a term has a line break within quotes, or a cell holds an error or a formula
        without a stored value; `rows` has the numbers of such lines.
    ValueError
        The file is empty, damaged, in no known form, or does not say its languages.
    """
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    data = content(given)
    with about(given):
        if suffix in MARKUP:
            root = xml_files.parsed(data, encoding)
            name = xml_files.local(root)
            if name not in ("tmx", *xml_files.ROOTS):
                raise ValueError(f"expected TBX (<tbx> or <martif>) or TMX (<tmx>), found <{short(name)}>")
            read_terms = xml_files.read_tmx if name == "tmx" else xml_files.read_tbx
            table, notes = read_terms(root, source_lang)
            table = _only(table, target_lang)
        else:
            cells = grid(data, suffix, sheet=sheet, encoding=encoding, fits=fits)
            table, notes = _tabled(cells, header, source_lang, target_lang)
    return Report(table, told(table, f"from {given.name}", notes))


def _only(table: pd.DataFrame, target_lang: str | None) -> pd.DataFrame:
    """The rows in the target language that is named."""
    if target_lang is None:
        return table
    wanted = language_of(target_lang) or target_lang.upper()
    codes = table["target_lang"].tolist()
    kept = np.array([(code_of(code) or code.upper()) == wanted for code in codes], dtype=np.bool_)
    if not kept.any():
        found = ", ".join(dict.fromkeys(map(short, codes))) or "none"
        raise ValueError(f"target_lang: expected one of the file's languages, {found}; found {target_lang!r}")
    return table[kept]


def _tabled(
    grid: Cells, header: bool | None, source_lang: str | None, target_lang: str | None
) -> tuple[pd.DataFrame, list[str]]:
    if not grid.rows:
        raise ValueError("there is nothing in it but blanks")
    grid = _unguarded(grid)
    has_header = header
    if header is None:
        top = _head_place(grid.rows)
        has_header = top is not None
        if top:  # above the header is a title
            notes = [*grid.notes, f"{LEFT_OUT}{plural(top, 'row')} above the header"]
            grid = grid._replace(rows=grid.rows[top:], lines=grid.lines[top:], notes=notes)
    if has_header:
        return _headed(grid, source_lang, target_lang)
    _unbroken(grid)
    table = _service_form(grid)
    if header is None:
        for name, given in zip(LANGUAGE_COLUMNS, (source_lang, target_lang), strict=True):
            if given is None and not (table[name] != "").any():
                raise ValueError(
                    f"the file does not say its {name}; pass it, such as {Option(name, 'de')}. Its first row, "
                    f"{_quoted(grid.rows[0])}, is read as a term: if it names the columns, pass "
                    f"{Option('header', True)}, and if it is a term, {Option('header', False)}"
                )
        grid.notes.append(f"Row {grid.lines[0]} was read as a term (no header)")
    return _filled(table, source_lang, target_lang), grid.notes


def _headed(grid: Cells, source_lang: str | None, target_lang: str | None) -> tuple[pd.DataFrame, list[str]]:
    """The table below a header."""
    heads = Heads(grid.rows[0])
    if len(grid.rows) == 1:
        raise ValueError(
            f"it has a header but no terms: {_quoted(grid.rows[0])} is all there is. Look whether it is the right file "
            f"or sheet; if that is a term, pass {Option('header', False)}"
        )
    if not heads.names and not heads.languages:
        body = grid._replace(rows=grid.rows[1:], lines=grid.lines[1:])
        _unbroken(body)
        order = "The header names no column that is known, so they are taken in order: source, target, languages"
        return _filled(_service_form(body), source_lang, target_lang), [*grid.notes, order]
    _unbroken(grid, {*heads.names.values(), *heads.languages})
    table, places = _named(grid)
    if heads.wide:
        tidy, more = unfolded(table, source_lang=source_lang, places=places)
        return _only(tidy, target_lang), ["It has a column for each language", *grid.notes, *more]
    return _filled(_tidy(table, heads), source_lang, target_lang), ["It has a header", *grid.notes]


def _quoted(row: Sequence[str]) -> str:
    """The first cells of a row, as a message shows them."""
    return named([repr(short(cell)) for cell in row])


def _unbroken(grid: Cells, places: Collection[int] | None = None) -> None:
    """Refuse line breaks within the quotes of terms and languages, which are at these *places*, or everywhere."""
    if not grid.broken:
        return
    lines = [
        line
        for row, line in zip(grid.rows, grid.lines, strict=True)
        if line in grid.broken
        and any("\n" in cell for place, cell in enumerate(row) if places is None or place in places)
    ]
    if places is not None and grid.lines[0] in lines:
        lines.remove(grid.lines[0])  # a header may have them
    if lines:
        what = plural(len(lines), "term has", "rows have terms with")
        where = f"{'line' if len(lines) == 1 else 'lines'} {named(lines)}"
        raise InvalidRows(
            f"{what} a line break within quotes, which the service refuses ({where}). Write each term on one line; "
            "only further columns below a header may have such breaks",
            rows=lines,
        )


def _unguarded(grid: Cells) -> Cells:
    """*grid* without the apostrophes that keep a spreadsheet from running a cell."""
    rows, count = list(grid.rows), 0
    for place, row in enumerate(rows):
        if any(cell[:1] == "'" for cell in row):
            rows[place] = [unguarded(cell) for cell in row]
            count += sum(bare != cell for bare, cell in zip(rows[place], row, strict=True))
    told = f"Taken away: the apostrophe before what a spreadsheet would run, in {plural(count, 'cell')}"
    return grid._replace(rows=rows, notes=[*grid.notes, told] if count else grid.notes)


def _head_place(rows: Sequence[Sequence[str]]) -> int | None:
    """The place of the row that names the columns: the first with more than a title in it, or none."""
    top = next((place for place, row in enumerate(rows[:MOST_TITLES]) if sum(map(bool, row)) > 1), 0)
    return top if is_head(rows[top], rows[top + 1] if len(rows) > top + 1 else None) else None


def _frame(rows: Sequence[Sequence[str]], lines: Sequence[int], labels: Sequence[str]) -> pd.DataFrame:
    """Cells as a table; what is missing at the end of a row is empty."""
    columns: list[Sequence[str]] = list(zip_longest(*rows, fillvalue="")) if rows else []
    columns += [("",) * len(rows)] * (len(labels) - len(columns))
    cells = [pd.Series(pd.array(column, dtype=TEXT)) for column in columns]
    table = pd.concat(cells, axis=1) if cells else pd.DataFrame()
    table.columns = pd.Index(list(labels))
    table.index = pd.Index(list(lines), dtype="int64", name="line")
    return table


def _service_form(grid: Cells) -> pd.DataFrame:
    """The table of a file without a header; what follows the four columns that it can have is left out if empty."""
    widths = list(map(len, grid.rows))
    if max(widths, default=2) > 4:
        grid = grid._replace(rows=[row if any(row[4:]) else row[:4] for row in grid.rows])
    wide = [line for row, line in zip(grid.rows, grid.lines, strict=True) if len(row) > 4]
    if wide:
        raise InvalidRows(
            f"line {wide[0]} has more than four columns (source, target, and their languages), and the first row, "
            f"{_quoted(grid.rows[0])}, does not name them. Name them there: source and target, or languages such as en "
            f"and de; {Option('header', True)} and {Option('header', False)} are for files of up to four columns",
            rows=wide,
        )
    if max(widths, default=2) < 2:
        raise InvalidRows(
            f"line {grid.lines[0]} has only one column: {short(grid.rows[0][0])!r}. A source and its target are "
            "expected in two, separated by a tab in .tsv and .txt, and by a comma or a semicolon in .csv",
            rows=grid.lines[:1],
        )
    return _frame(grid.rows, grid.lines, SERVICE_ORDER)


def _named(grid: Cells) -> tuple[pd.DataFrame, list[int]]:
    """The rows below the header under its names, and the columns' places in the file; those without a cell are left."""
    width = max(map(len, grid.rows))
    first = [cell.strip("\ufeff").strip() for cell in grid.rows[0]]
    labels = [label or f"column {place}" for place, label in enumerate([*first, *[""] * (width - len(first))], start=1)]
    table = _frame([*grid.rows[1:]], grid.lines[1:], labels)
    kept = [
        place for place in range(width) if (place < len(first) and first[place]) or (table.iloc[:, place] != "").any()
    ]
    return table.iloc[:, kept], kept


def _tidy(table: pd.DataFrame, heads: Heads) -> pd.DataFrame:
    """The columns by the names that are known, then the others under their own."""
    if not heads.tidy:
        has = ", ".join(map(repr, heads.labels[:20]))
        raise ValueError(
            "expected a header with source and target, with term and languages, or with two languages or more; "
            f"found {has}. Rename the columns; if these are a term, pass {Option('header', False)}"
        )
    places = Heads(table.columns.tolist())
    known = {"source": places.source, **{name: places.names.get(name) for name in COLUMNS if name != "source"}}
    cells = {
        name: table.iloc[:, place] if place is not None else pd.Series("", index=table.index, dtype=TEXT)
        for name, place in ((name, known[name]) for name in COLUMNS)
    }
    others = [place for place in range(len(table.columns)) if place not in known.values()]
    labels = list(COLUMNS)
    for place in others:  # under a name that is not taken yet
        label = str(table.columns[place])
        tries = [label, *(f"{label}.{number}" for number in range(1, len(labels) + 1))]
        labels.append(next(each for each in tries if each not in labels))
    tidy: pd.DataFrame = pd.concat([*cells.values(), table.iloc[:, others]], axis=1)
    tidy.columns = pd.Index(list(labels))
    return tidy


def _filled(table: pd.DataFrame, source_lang: str | None, target_lang: str | None) -> pd.DataFrame:
    """The tidy table, with the languages given for rows that have none."""
    for name, given in zip(LANGUAGE_COLUMNS, (source_lang, target_lang), strict=True):
        empty = (table[name] == "").to_numpy()
        if empty.all() and given is None and len(table):
            raise ValueError(f"the file does not say its {name}; pass it, such as {Option(name, 'de')}")
        if given is not None and empty.any():
            table[name] = table[name].mask(empty, given)
    return in_tables(table)[[*COLUMNS, *(column for column in table.columns if column not in COLUMNS)]]


# ---- writing


def write(
    table: pd.DataFrame,
    path: str | os.PathLike[str],
    *,
    header: bool = False,
    columns: int = 4,
    formula_safe: bool = False,
    sheet: str = "Glossary",
) -> Path:
    """Write a table of terms to a file, in the form that its suffix names: .tsv, .csv, .xlsx, .tbx or .tmx.

    A file that is there is replaced, at once and as a whole. What `read` makes of it are the same terms. Further
    columns are written where there is a header; where there is none, a warning names them.

    Parameters
    ----------
    table
        The terms.
    path
        The file.
    header
        Whether a .tsv or .csv gets a first row with the names of the columns; the service takes none.
    columns
        4 writes both languages with every row of a .tsv or .csv; 2 leaves them out, where there is one pair.
    formula_safe
        Put an apostrophe before what a spreadsheet would run as a formula; `read` takes it away again.
    sheet
        The name of the sheet in a workbook.
    """
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    table = in_files(checked(table))
    if not len(table):
        raise ValueError("the table has no terms, and a file without any cannot be read again; nothing was written")
    if suffix in MARKUP:
        terms = pd.DataFrame({name: pd.Series(_texts(table, name), dtype=object) for name in COLUMNS})
        refuse(xml_files.unwritable(terms), table, "Nothing was written")
        data = (xml_files.write_tmx if suffix == ".tmx" else xml_files.write_tbx)(terms).encode()
    else:
        if suffix == SHEET:
            sheets.checked_title(sheet)
            header, columns = True, 4
        head, rows = _cells(table, header=header, columns=columns, formula_safe=formula_safe)
        refuse(unwritable(rows, suffix) or blank_rows(rows), table, "Nothing was written")
        if not head:
            refuse(_misread(rows), table, "Nothing was written")
        data = written([head, *rows] if head else rows, suffix, sheet=sheet, formula_safe=formula_safe)
    further = [repr(name) for name in table.columns if name not in COLUMNS]
    if further and (suffix in MARKUP or not header):
        which = f"the column {further[0]} is" if len(further) == 1 else f"the columns {named(further)} are"
        form, advice = f"{suffix} without a header", f"Pass {Option('header', True)}, or write .xlsx"
        if suffix in MARKUP:
            form, advice = suffix, f"Write .xlsx, or .csv with {Option('header', True)}"
        warn(ColumnsLeftOut(f"{which} not written: {form} has no place for such. {advice}, to keep them"))
    replace_file(given, data)
    return given


def _cells(
    table: pd.DataFrame, *, header: bool, columns: int, formula_safe: bool
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The header, which may have no cells, and the rows as they are written."""
    if columns not in (2, 4):
        raise ValueError(f"columns: expected 2 or 4, found {columns!r}")
    if columns == 2 and (header or len(table[list(LANGUAGE_COLUMNS)].drop_duplicates()) > 1):
        raise ValueError(
            "columns=2 is for one language pair and no header: name the languages in columns, or leave it out"
        )
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


def _misread(rows: list[tuple[str, ...]]) -> Findings:
    """The first rows, where they would not be taken for terms."""
    found = Findings()
    place = _head_place(rows)
    if place is not None:
        what = "at the beginning of a file it would be taken for a header"
        found.add(np.arange(place + 1), ERROR, "header", what, f"pass {Option('header', True)}")
    if rows[0][0].startswith(delimited.BOM):
        what = "a byte order mark at the very beginning would be lost"
        found.add(np.array([0]), ERROR, "invisible", what, f"use {Call('.svc.fix')}")
    return found
