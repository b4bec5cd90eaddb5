"""Files of spoken terms: .csv, .tsv, .txt and .xlsx, read into one table, and written so that reading gives it back."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47, meant_by
from svc_nb.spoken_terms.lint import invalid
from svc_nb.spoken_terms.table import COLUMNS, made, rows_of
from svc_nb.tabular import delimited, sheets
from svc_nb.tabular.cells import Cells
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import SHEET, content, suffix_of
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.formulas import guarded, unguarded
from svc_nb.tabular.report import Report, plural

SUFFIXES = (*delimited.SEPARATORS, SHEET)
HEADS = {"lang": "lang", "language": "lang", "term": "term", "terms": "term"}


def read(path: str | PathLike[str], *, lang: str | None = None, encoding: str | None = None) -> Report:
    """The terms in a file as a table, whose index `line` says where each stands; see svc_nb.spoken_terms.read."""
    if not isinstance(lang, str | None):
        raise TypeError(f'lang: expected a code such as "de", found {type(lang).__name__}')
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    data = content(given)
    try:
        grid = sheets.grid(data) if suffix == SHEET else delimited.grid(data, suffix, encoding, fits=_fits)
        table = _table(grid, lang)
    except InvalidRows as problem:
        raise InvalidRows(f"{given.name}: {problem.message}", rows=problem.rows) from None
    except ValueError as problem:
        raise ValueError(f"{given.name}: {problem}") from None
    told = "".join(f" {note}." for note in grid.notes)
    return Report(
        table, f"{plural(len(table), 'term')} from {given.name}.{told} Next: svc_nb.spoken_terms.lint(table)."
    )


def write(table: pd.DataFrame, path: str | PathLike[str], *, formula_safe: bool = False) -> Path:
    """Write the terms to a file, in the form that its suffix names; see svc_nb.spoken_terms.write."""
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    cells = rows_of(table)
    _refuse(_blank(cells), table)
    rows = [
        [guarded(cell, formula_safe=formula_safe) for cell in (as_bcp47(lang), term)] for lang, term in cells
    ]
    if suffix == SHEET:
        _refuse(sheets.unwritable(rows), table)
        data = sheets.written([list(COLUMNS), *rows], "Spoken terms")
    else:
        separator = delimited.SEPARATORS[suffix]
        _refuse(delimited.unwritable(rows, separator), table)
        text = delimited.written([list(COLUMNS), *rows], separator)
        data = text.encode("utf-8-sig" if formula_safe else "utf-8")
    replace_file(given, data)
    return given


def _fits(rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Whether rows begin with a header, and whether all begin with a language."""
    return any(cell.strip().casefold() in HEADS for cell in rows[0]), all(
        meant_by(cells[0]) for cells in rows
    )


def _table(grid: Cells, lang: str | None) -> pd.DataFrame:
    """The rows below a header with `lang` and `term`; without one, terms alone, or languages before them."""
    if not grid.rows:
        raise ValueError("the file has no terms")
    if grid.broken:
        raise InvalidRows(
            "a term has a line break within quotes, which the service refuses; write each term on one line",
            rows=sorted(grid.broken),
        )
    heads = [HEADS.get(cell.strip().casefold(), "") for cell in grid.rows[0]]
    has_header = "term" in heads
    rows, lines = (grid.rows[1:], grid.lines[1:]) if has_header else (grid.rows, grid.lines)
    if not has_header:
        heads = ["term"] if max(map(len, rows)) == 1 else ["lang", "term"]
        _refuse_columns(rows, lines, heads)
    if "lang" not in heads and lang is None:
        raise ValueError('the file does not say the language of its terms; pass it, such as lang="de"')
    terms = _column(rows, heads, "term")
    langs = _column(rows, heads, "lang") if "lang" in heads else [""] * len(rows)
    index = pd.Index(lines, dtype="int64", name="line")
    return made([each or lang or "" for each in langs], terms, index)


def _refuse_columns(rows: list[list[str]], lines: list[int], heads: list[str]) -> None:
    """Refuse columns that nothing names, unless the first is one of languages."""
    for row, line in zip(rows, lines, strict=True):
        if len(heads) > 1 and not meant_by(row[0]):
            raise ValueError(
                f"line {line}: expected a language, found {row[0][:60]!r}; a file of several columns has languages in "
                "the first of them, or a first line that names the columns lang and term"
            )


def _column(rows: list[list[str]], heads: list[str], name: str) -> list[str]:
    if heads.count(name) > 1:
        raise ValueError(f"the header has the column {name!r} twice")
    place = heads.index(name)
    return [unguarded(row[place]) if len(row) > place else "" for row in rows]


def _blank(rows: list[tuple[str, str]]) -> Findings:
    found = Findings()
    blank = [place for place, row in enumerate(rows) if not any(cell.strip() for cell in row)]
    found.add(np.array(blank), ERROR, "empty", "nothing is in the row", "remove the row")
    return found


def _refuse(found: Findings, table: pd.DataFrame) -> None:
    """Raise InvalidRows where something was *found*; what glossaries can have fixed is to be mended by hand here."""
    if len(found):
        listed = found.table(table.index)
        listed["suggestion"] = listed["suggestion"].replace("use .svc.fix()", "mend the cell")
        raise invalid(listed, found.rows, table, "Nothing was written: a file has no form for")
