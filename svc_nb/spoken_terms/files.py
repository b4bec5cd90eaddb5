"""Files of spoken terms: .csv, .tsv, .txt and .xlsx, read into one table, and written so that reading gives it back."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import pandas as pd

from svc_nb.advice import Call
from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47, meant_by
from svc_nb.spoken_terms.lint import ADVICE
from svc_nb.spoken_terms.table import COLUMNS, made, rows_of
from svc_nb.tabular import delimited
from svc_nb.tabular.cells import Cells, guarded, unguarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import SHEET, about, blank_rows, content, grid, suffix_of, unwritable, written
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.languages import meant

SUFFIXES = (*delimited.SEPARATORS, SHEET)
HEADS = {"lang": "lang", "language": "lang", "term": "term", "terms": "term"}


def read(path: str | PathLike[str], *, lang: str | None = None, encoding: str | None = None) -> Report:
    """Read the terms in a .csv, .tsv, .txt or .xlsx file; the index, `line`, says where each term is in the file.

    Parameters
    ----------
    path
        The file: a header with `lang` and `term`; or, without one, a column of languages and one of terms, or only
        terms, one per line.
    lang
        The language of terms if the file does not say it.
    encoding
        The encoding of a text file that is neither UTF-8 nor has a byte order mark.
    """
    lang = meant(lang, field="lang")
    if not isinstance(lang, str | None):
        raise TypeError(f'lang: expected a code such as "de", found {type(lang).__name__}')
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    data = content(given)
    with about(given):
        cells = grid(data, suffix, encoding=encoding, fits=_fits)
        table = _table(cells, lang)
    told = "".join(f" {note}." for note in cells.notes)
    return Report(
        table, f"{plural(len(table), 'term')} from {given.name}.{told} Next: svc_nb.spoken_terms.lint(table)."
    )


def write(table: pd.DataFrame, path: str | PathLike[str], *, formula_safe: bool = False) -> Path:
    """Write a table of spoken terms to a .csv, .tsv, .txt or .xlsx file, with a header; `read` gives the same terms.

    An existing file is replaced, atomically and as a whole. Columns other than `lang` and `term` are not written.

    Parameters
    ----------
    table
        The terms.
    path
        The file.
    formula_safe
        Put an apostrophe before texts that a spreadsheet would run as formulas; `read` removes it again.
    """
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    cells = rows_of(table)
    rows = [[guarded(cell, formula_safe=formula_safe) for cell in (as_bcp47(lang), term)] for lang, term in cells]
    if found := blank_rows(cells) or unwritable(rows, suffix):
        error = found.invalid(table.index, "Nothing was written: a file cannot hold {}", ADVICE)
        listed = error.findings  # glossaries have a fix for this; here it has to be fixed by hand
        listed["suggestion"] = listed["suggestion"].replace(f"use {Call('.svc.fix')}", "fix the cell")
        raise error
    table_rows = [list(COLUMNS), *rows]
    replace_file(given, written(table_rows, suffix, sheet="Spoken terms", formula_safe=formula_safe))
    return given


def _fits(rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Whether rows begin with a header, and whether all begin with a language."""
    return any(cell.strip().casefold() in HEADS for cell in rows[0]), all(meant_by(cells[0]) for cells in rows)


def _table(found: Cells, lang: str | None) -> pd.DataFrame:
    """The rows below a header with `lang` and `term`; without one, terms alone, or languages before them."""
    if not found.rows:
        raise ValueError("the file has no terms")
    if found.broken:
        raise InvalidRows(
            "a term has a line break within quotes, which the service refuses; write each term on one line",
            rows=sorted(found.broken),
        )
    heads = [HEADS.get(cell.strip().casefold(), "") for cell in found.rows[0]]
    has_header = "term" in heads
    rows, lines = (found.rows[1:], found.lines[1:]) if has_header else (found.rows, found.lines)
    if not has_header:
        heads = ["term"] if max(map(len, rows)) == 1 else ["lang", "term"]
        for row, line in zip(rows, lines, strict=True):
            if len(heads) > 1 and not meant_by(row[0]):
                raise ValueError(
                    f"line {line}: expected a language, found {row[0][:60]!r}. A file with several columns needs "
                    "languages in the first one, or a first line that names the columns lang and term"
                )
    if "lang" not in heads and lang is None:
        raise ValueError('the file does not say the language of its terms. Pass it, such as lang="de"')
    terms = _column(rows, heads, "term")
    langs = _column(rows, heads, "lang") if "lang" in heads else [""] * len(rows)
    index = pd.Index(lines, dtype="int64", name="line")
    return made([each or lang or "" for each in langs], terms, index)


def _column(rows: list[list[str]], heads: list[str], name: str) -> list[str]:
    if heads.count(name) > 1:
        raise ValueError(f"the header has two columns called {name!r}")
    place = heads.index(name)
    return [unguarded(row[place]) if len(row) > place else "" for row in rows]
