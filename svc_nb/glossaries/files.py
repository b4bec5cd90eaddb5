"""Glossary files in every common form: read into one tidy table, and written so that reading gives it back."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from svc_nb.advice import Call, Option
from svc_nb.errors import InvalidRows, warn
from svc_nb.glossaries import json_files, xml_files
from svc_nb.glossaries.headings import Heads, fits, head_place, is_head, joined_heads, meanings
from svc_nb.glossaries.wide_table import refuse, same_language, texts, told, unfolded
from svc_nb.language_codes import CODE
from svc_nb.tabular import delimited, sheets
from svc_nb.tabular.cells import LEFT_OUT, Cells, guarded, unguarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import ODS, SHEET, about, blank_rows, content, grid, suffix_of, unwritable, written
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import Report, named, plural, short
from svc_nb.tabular.terms import (
    COLUMNS,
    HEADINGS,
    LANGUAGE_COLUMNS,
    LINE,
    TERM_COLUMNS,
    checked,
    code_of,
    in_files,
    in_tables,
    language_of,
    lines_of,
)
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.languages import meant

MARKUP = (".tbx", ".tmx", ".xml")
JSON, TAB = ".json", ".tab"
# What is written, and what is only read.
SUFFIXES = (*(suffix for suffix in delimited.SEPARATORS if suffix != TAB), SHEET, *MARKUP)
READABLE = (*delimited.SEPARATORS, SHEET, ODS, JSON, *MARKUP)
# The order of the columns in the service's own form, which has no header.
SERVICE_ORDER = (*TERM_COLUMNS, *LANGUAGE_COLUMNS)
COMMENT = "comment"
# What tools write for a language that they were not told.
UNKNOWN = ("XX", "UND", "MIS", "QAA")


class ColumnsLeftOut(UserWarning):
    """A table has columns of its own that a file of the form named has no place for."""


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
    """Read the terms in a file as a table: .tsv, .txt, .tab, .csv, .xlsx, .ods, .json, .tbx, .xml or .tmx.

    The column `line` says where each term is in the file. Text files and sheets may have two to four columns in the
    service's order (source, target, and their languages), a header with these names in any order, or a column for each
    language (`term, de, fr`), which becomes one row for each pair. Headings may be in many languages. The last line of
    the report says what was left out. Only the form is checked: `.svc.lint()` finds what the service would refuse.

    Parameters
    ----------
    path
        The file; its name says its form. An .xml file is TBX or TMX.
    source_lang, target_lang
        The languages of the terms where the rows do not say them; of a file of many languages, which to take. They win
        over what headings say: with "en-GB", a column "English" is EN-GB.
    columns
        What columns are, by their headings, where these do not say it: `{"Wort": "de", "Palabra": "es"}`. Each is a
        language, "source", "target", "source_lang", "target_lang", or None for a column that is none of these.
    sheet
        The sheet of a workbook; if not given, the first that is not empty, or the only one with a header.
    header
        Whether the first row names the columns; seen from its cells if not given.
    encoding
        Of a text file that is neither UTF-8 nor UTF-16, such as "cp1252".

    Raises
    ------
    InvalidRows
        A line has more cells than the header or cannot be taken apart, a term has a line break within quotes, or a cell
        holds an error or a formula without a stored value; `rows` has the numbers of such lines.
    ValueError
        The file is empty, damaged, in no known form, does not say its languages, or has no column of *columns*.
    """
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    given = Path(path).expanduser()
    suffix = suffix_of(given, READABLE)
    data = content(given)
    headings: dict[str, str] = {}
    meant_columns = meanings(columns)
    with about(given):
        if suffix in MARKUP:
            if columns:
                raise ValueError(f"{Option('columns')} is for tables: the terms of a {suffix} file say their languages")
            root = xml_files.parsed(data, encoding)
            name = xml_files.local(root)
            if name not in ("tmx", *xml_files.ROOTS):
                raise ValueError(f"expected TBX (<tbx> or <martif>) or TMX (<tmx>), found <{short(name)}>")
            read_terms = xml_files.read_tmx if name == "tmx" else xml_files.read_tbx
            table, notes = read_terms(root, source_lang)
            table = _only(table, target_lang)
        else:
            if suffix == JSON:
                cells, header = json_files.cells(data, source_lang, encoding)
            else:
                cells = grid(data, suffix, sheet=sheet, encoding=encoding, fits=partial(fits, columns=meant_columns))
            said = _Said(source_lang, target_lang, meant_columns, header, suffix)
            with _naming_sheets(cells, sheet):
                table, notes, headings = _tabled(cells, said)
    own = [f"{LINE}.1" if name == LINE else name for name in table.columns[len(COLUMNS) :]]
    lines = pd.Series(table.index.tolist(), dtype="Int64")
    table = table.set_axis([*COLUMNS, *own], axis=1).reset_index(drop=True)
    table.insert(len(COLUMNS), LINE, lines)
    found = Report(table, told(table, f"from {given.name}", notes))
    found.attrs[HEADINGS] = headings
    return found


class _Said(NamedTuple):
    """What the caller of `read` says about a table of cells, and the form of its file."""

    source_lang: str | None
    target_lang: str | None
    columns: dict[str, str]
    header: bool | None
    suffix: str

    @property
    def is_text(self) -> bool:
        """Whether cells are separated by a character, which a term may have by mistake."""
        return self.suffix in delimited.SEPARATORS

    def about(self, heads: Heads) -> dict[str, str]:
        """What columns are: what was said of them, and the languages that were given for columns of languages."""
        found = dict(self.columns)
        given = [each for each in (self.source_lang, self.target_lang) if each]
        for wanted in given:
            same = [place for place, code in heads.languages.items() if same_language(code, wanted)]
            if len(same) == 1:
                found.setdefault(heads.labels[same[0]], wanted)
        if len(given) == len(heads.languages) == 2 and heads.source is None and len(found) == len(self.columns):
            other = next(place for place in heads.languages if place != heads.first)
            found |= dict(zip((heads.labels[heads.first], heads.labels[other]), given, strict=True))
        return found


@contextmanager
def _naming_sheets(cells: Cells, sheet: str | None) -> Iterator[None]:
    """Say with errors about a workbook which sheets it has, where none was named."""
    try:
        yield
    except ValueError as problem:
        if sheet is not None or len(cells.sheets) < 2:
            raise
        listed = named([repr(short(title)) for title in cells.sheets])
        other = next(title for title in cells.sheets if title != cells.sheet)
        more = f"This is sheet {cells.sheet!r} of {listed}: pass {Option('sheet', other)} for another"
        if isinstance(problem, InvalidRows):
            raise InvalidRows(f"{problem.message}. {more}", rows=problem.rows) from None
        raise ValueError(f"{problem}. {more}") from None


def _only(table: pd.DataFrame, target_lang: str | None) -> pd.DataFrame:
    """The rows in the target language that is named."""
    if target_lang is None:
        return table
    wanted = language_of(target_lang) or target_lang.upper()
    codes = table["target_lang"].tolist()
    if len(set(codes)) == 1 and codes[0] in UNKNOWN:
        return table.assign(target_lang=pd.Series(target_lang, index=table.index, dtype=TEXT))
    kept = np.array([(code_of(code) or code.upper()) == wanted for code in codes], dtype=np.bool_)
    if not kept.any():
        found = ", ".join(dict.fromkeys(map(short, codes))) or "none"
        raise ValueError(f"target_lang: expected one of the file's languages, {found}; found {target_lang!r}")
    return table[kept]


Tabled = tuple[pd.DataFrame, list[str], dict[str, str]]


def _tabled(grid: Cells, said: _Said) -> Tabled:
    """The tidy table, with lines as its index, what was done to it, and its headings as they are written."""
    grid = _unguarded(_uncommented(grid) if said.is_text else grid)
    if not grid.rows:
        raise ValueError("there is nothing in it but blanks and comments")
    top = 0 if said.header else None
    if said.columns or said.header is None:
        top = head_place(grid.rows, said.columns)
    if top is not None:
        if top:  # above the header is a title
            grid = grid.below(top, f"{LEFT_OUT}{plural(top, 'row')} above the header")
        if len(grid.rows) > 1 and (joined := joined_heads(*grid.rows[:2])):
            grid = grid.below(1, "Its header has two rows")
            grid.rows[0] = joined
        return _headed(grid, said)
    _unbroken(grid)
    table = _service_form(grid, said.suffix)
    if said.header is None:
        for name, given in zip(LANGUAGE_COLUMNS, (said.source_lang, said.target_lang), strict=True):
            if given is None and not (table[name] != "").any():
                raise ValueError(
                    f"the file does not say its {name}; pass it, such as {Option(name, 'de')}. Its first row, "
                    f"{_quoted(grid.rows[0])}, is read as a term: if it names the columns, pass "
                    f"{Option('header', True)}, and if it is a term, {Option('header', False)}"
                )
        grid.notes.append(f"Row {grid.lines[0]} was read as a term (no header)")
    if COMMENT in table.columns:
        grid.notes.append("The third column was read as comments")
    return _filled(table, said), grid.notes, {}


def _headed(grid: Cells, said: _Said) -> Tabled:
    """The table below a header."""
    heads = Heads(grid.rows[0], said.columns)
    if len(grid.rows) == 1:
        raise ValueError(
            f"it has a header but no terms: {_quoted(grid.rows[0])} is all there is. Look whether it is the right file "
            f"or sheet; if that is a term, pass {Option('header', False)}"
        )
    if said.is_text:
        _refuse_longer(grid, len(grid.rows[0]), f"the header names {plural(len(grid.rows[0]), 'column')}")
    if not heads.languages and (not heads.names or heads.names == {"term": 0}):
        body = grid._replace(rows=grid.rows[1:], lines=grid.lines[1:])
        _unbroken(body)
        order = "The header names no column that is known, so they are taken in order: source, target, languages"
        return _filled(_service_form(body, said.suffix), said), [*grid.notes, order], {}
    _unbroken(grid, {*heads.names.values(), *heads.languages})
    columns = said.about(heads)
    table, places = _named(grid)
    own, heads = (Heads(table.columns.tolist(), each) for each in (None, columns))
    if heads.wide:
        tidy, more = unfolded(table, source_lang=said.source_lang, places=places, columns=columns)
        other = [
            f"{heads.labels[at]!r} as {code}" for at, code in heads.languages.items() if code != own.languages.get(at)
        ]
        more = [f"Read as you said: {named(other)}", *more] if other else more
        notes = ["It has a column for each language", *grid.notes, *more]
        return _only(tidy, said.target_lang), notes, heads.written
    return _filled(_tidy(table, heads), said), ["It has a header", *grid.notes], heads.written


def _refuse_longer(grid: Cells, width: int, expected: str) -> None:
    """Refuse rows of a text file with cells behind the first *width*: a separator within a term has shifted them."""
    long = [(row, line) for row, line in zip(grid.rows, grid.lines, strict=True) if any(map(str.strip, row[width:]))]
    if long:
        row, lines = long[0][0], [line for _, line in long]
        more = f" (and so have {plural(len(lines) - 1, 'more line')}: {named(lines[1:])})" if lines[1:] else ""
        raise InvalidRows(
            f"line {lines[0]} has {len(row)} cells, {_quoted(row)}, and {expected}{more}. In a .csv, put a term with "
            "the separator in it in double quotes; otherwise take out what is too much",
            rows=lines,
        )


def _quoted(row: Sequence[str]) -> str:
    """The first cells of a row, as a message shows them."""
    return named([repr(short(cell)) for cell in row])


def is_comment(row: Sequence[str]) -> bool:
    """Whether a row of a text file is a comment: "# …" with nothing in other cells but the rest of a sentence.

    >>> is_comment(["# Terms"]), is_comment(["# Terms", " old and new"]), is_comment(["#hashtag", "Hashtag"])
    (True, True, False)
    """
    sentence = row[0][:2] == "# " and len(row) > 1 and row[1][:1] == " "
    return row[0][:1] == "#" and (sentence or not any(map(str.strip, row[1:])))


def _uncommented(grid: Cells) -> Cells:
    """*grid* without comments, and with a header that is written as one."""
    kept: list[tuple[list[str], int]] = []
    comments, terms = [], []
    for row, line in zip(grid.rows, grid.lines, strict=True):
        bare = [row[0].lstrip("# "), *row[1:]]
        if row[0][:1] == "#" and not kept and is_head(bare, None):
            kept.append((bare, line))
        elif is_comment(row):
            comments.append(line)
        else:
            kept.append((row, line))
            if row[0][:1] == "#":
                terms.append(line)
    notes = [*grid.notes]
    if comments:
        notes.append(f"{LEFT_OUT}{plural(len(comments), 'comment')} ({_at(comments)})")
    if terms:
        one, several = "row that begins with # was read as a term", "rows that begin with # were read as terms"
        notes.append(f"{plural(len(terms), one, several)} ({_at(terms)})")
    return grid._replace(rows=[row for row, _ in kept], lines=[line for _, line in kept], notes=notes)


def _at(lines: Sequence[int]) -> str:
    return f"{'line' if len(lines) == 1 else 'lines'} {named(lines)}"


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
        raise InvalidRows(
            f"{what} a line break within quotes, which the service refuses ({_at(lines)}). Write each term on one "
            "line; only further columns below a header may have such breaks",
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


def _frame(rows: Sequence[Sequence[str]], lines: Sequence[int], labels: Sequence[str]) -> pd.DataFrame:
    """Cells as a table; what is missing at the end of a row is empty."""
    columns: list[Sequence[str]] = list(zip_longest(*rows, fillvalue="")) if rows else []
    columns += [("",) * len(rows)] * (len(labels) - len(columns))
    cells = [pd.Series(pd.array(column, dtype=TEXT)) for column in columns]
    table = pd.concat(cells, axis=1) if cells else pd.DataFrame()
    table.columns = pd.Index(list(labels))
    table.index = pd.Index(list(lines), dtype="int64", name="line")
    return table


def _service_form(grid: Cells, suffix: str) -> pd.DataFrame:
    """The table of a file without a header; what follows the four columns that it can have is left out if empty.

    The last of three columns may have comments in place of languages, as OmegaT has them.
    """
    widths = set(map(len, grid.rows)) or {2}
    is_ragged = suffix in delimited.SEPARATORS and len(widths) > 1
    has_languages = [all(CODE.fullmatch(cell.strip()) for cell in row[2:4] if cell.strip()) for row in grid.rows]
    has_comments = max(widths) == 3 and not all(has_languages) and (not is_ragged or suffix != ".csv")
    names = (*TERM_COLUMNS, COMMENT) if has_comments or suffix == TAB else SERVICE_ORDER
    if is_ragged:
        widest = 3 if COMMENT in names else 2
        odd = [at for at, has in enumerate(has_languages) if widest == 3 or not has or len(grid.rows[at]) > 4]
        some = grid._replace(rows=[grid.rows[at] for at in odd], lines=[grid.lines[at] for at in odd])
        _refuse_longer(some, widest, "other lines have fewer")
    if max(widths) > len(names):
        grid = grid._replace(rows=[row if any(row[len(names) :]) else row[: len(names)] for row in grid.rows])
    wide = [line for row, line in zip(grid.rows, grid.lines, strict=True) if len(row) > len(names)]
    if wide:
        raise InvalidRows(
            f"line {wide[0]} has more than four columns (source, target, and their languages), and the first row, "
            f"{_quoted(grid.rows[0])}, does not name them. Name them there: source and target, or languages such as en "
            f"and de; {Option('header', True)} and {Option('header', False)} are for files of up to four columns",
            rows=wide,
        )
    if max(widths) < 2:
        raise InvalidRows(
            f"line {grid.lines[0]} has only one column: {short(grid.rows[0][0])!r}. A source and its target are "
            "expected in two, separated by a tab in .tsv and .txt, and by a comma or a semicolon in .csv",
            rows=grid.lines[:1],
        )
    table = _frame(grid.rows, grid.lines, names)
    return table.assign(**{name: pd.Series("", index=table.index, dtype=TEXT) for name in COLUMNS if name not in names})


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


def _tidy(table: pd.DataFrame, places: Heads) -> pd.DataFrame:
    """The columns by the names that are known, then the others under their own."""
    if not places.tidy:
        has = ", ".join(map(repr, places.labels[:20]))
        raise ValueError(
            "expected a header with source and target, with term and languages, or with two languages or more; "
            f"found {has}. Rename the columns; if these are a term, pass {Option('header', False)}"
        )
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


def _filled(table: pd.DataFrame, said: _Said) -> pd.DataFrame:
    """The tidy table, with the languages given for rows that have none."""
    for name, given in zip(LANGUAGE_COLUMNS, (said.source_lang, said.target_lang), strict=True):
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
    tbx_version: int = 3,
) -> Path:
    """Write a table of terms to a file, in the form that its suffix names: .tsv, .csv, .xlsx, .tbx or .tmx.

    A file that is there is replaced, at once and as a whole. What `read` makes of it are the same terms. Further
    columns are written where there is a header; where there is none, a warning names them. The column `line` is
    never written: it is the place of a term in the file that it was read from.

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
    tbx_version
        3 writes TBX-Basic as ISO 30042:2019 has it (<tbx>), 2 as many tools still want it (<martif>).
    """
    if tbx_version not in (2, 3):
        raise ValueError(f"tbx_version: expected 2 or 3, found {tbx_version!r}")
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    table = in_files(checked(table))
    if lines_of(table) is not None:  # they are those of the file it was read from
        table = table.drop(columns=LINE)
    if not len(table):
        raise ValueError("the table has no terms, and a file without any cannot be read again; nothing was written")
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


def _misread(rows: list[tuple[str, ...]], *, headed: bool) -> Findings:
    """The rows of a text file that would not be taken for terms."""
    found = Findings()
    comments = [row for row, cells in enumerate(rows) if is_comment(cells)]
    what = "a line that begins with # and has nothing else would be taken for a comment"
    found.add(np.array(comments), ERROR, "comment", what, "fill in the target, or write .xlsx")
    if headed:
        return found
    place = head_place([[rows[0][0].lstrip("# "), *rows[0][1:]], *rows[1:]])
    if place is not None:
        what = "at the beginning of a file it would be taken for a header"
        found.add(np.arange(place + 1), ERROR, "header", what, f"pass {Option('header', True)}")
    if rows[0][0].startswith(delimited.BOM):
        what = "a byte order mark at the very beginning would be lost"
        found.add(np.array([0]), ERROR, "invisible", what, f"use {Call('.svc.fix')}")
    return found
