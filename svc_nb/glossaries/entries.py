"""Entries text, the form in which the service takes glossaries, and the table of terms: each from the other.

TSV has a source and a target in each line and knows no quotes; CSV quotes fields that hold commas or quotes. Both may
have a third and a fourth column with the languages. Empty lines mean nothing, and no line may break within a field.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.arrow_text import (
    arrow_lines,
    arrow_octets,
    holding_octets,
    in_arrow,
    joined,
    replaced,
    rows_joined,
)
from svc_nb.checks.text_array import Bools, Places
from svc_nb.errors import InvalidRows
from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.rules import refuse
from svc_nb.glossaries.sides import Sides
from svc_nb.glossaries.table import LANGUAGE_COLUMNS, TERM_COLUMNS, checked, in_files, made
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import named, short

FORMS = {"tsv": "\t", "csv": ","}
BOM = "\ufeff"
# Whether pandas keeps texts in Arrow, which then reads them too.
ARROW = getattr(pd.array([], dtype=TEXT).dtype, "storage", None) == "pyarrow" and TEXT == "str"


def from_entries(
    text: str | bytes, form: str = "tsv", *, source_lang: str | None = None, target_lang: str | None = None
) -> pd.DataFrame:
    """The terms in *text* as a tidy table, in their order.

    Nothing is checked but the form: `.svc.lint()` finds what the service would refuse.

    Parameters
    ----------
    text
        Entries as the service takes them: a term pair in each line, without a header. A byte order mark is dropped.
    form
        "tsv" or "csv".
    source_lang, target_lang
        The languages of the lines that have no third and fourth column to say so.

    Raises
    ------
    InvalidRows
        A line has too few or too many columns, its quotes are not closed, or it breaks within quotes; `rows` has the
        numbers of such lines, from 1.
    ValueError
        There are lines without languages, and none were given.
    """
    _check_form(form)
    return _tidy(_columns(_unmarked(text), form), (source_lang, target_lang))


def parsed(
    text: str, form: str, *, source_lang: str | None = None, target_lang: str | None = None
) -> pd.DataFrame:
    """As `from_entries`, for a text whose first character means what it says."""
    _check_form(form)
    return _tidy(_columns(text, form), (source_lang, target_lang))


def to_entries(
    table: pd.DataFrame,
    form: str = "tsv",
    *,
    source_lang: str | None = None,
    target_lang: str | None = None,
) -> str:
    """The terms of *table* as entries text that the service takes; `from_entries` gives the same terms back.

    A table of one language pair becomes a text of two columns, one of several pairs a text of four; a pair named by
    *source_lang* and *target_lang* is taken out alone.

    Raises
    ------
    InvalidRows
        The service would refuse some rows, or they have no form in the text.
    """
    _check_form(form)
    chosen = _chosen(table, source_lang, target_lang)
    sides = Sides(chosen)
    refuse(sides, doing="written")
    return _text(sides, form, columns=2 if len(sides.pairs) < 2 else 4)


def written(table: pd.DataFrame, form: str, *, columns: int) -> str:
    """The terms of *table* as entries text, in two or four *columns*, also where the service would refuse them."""
    _check_form(form)
    sides = Sides(table)
    _refuse_formless(sides, form)
    return _text(sides, form, columns=columns)


# ---- reading


def _unmarked(text: str | bytes) -> str | bytes:
    """*text* without a byte order mark."""
    if isinstance(text, bytes | bytearray):
        return bytes(text).removeprefix(BOM.encode())
    if not isinstance(text, str):
        raise TypeError(f"entries: expected text or bytes, found {type(text).__name__}")
    return text.removeprefix(BOM)


def _columns(text: str | bytes, form: str) -> list[Any]:
    """The columns of *text*: at one go where it is regular, else line by line."""
    found = _regular(text, form)
    return _by_line(_decoded(text), form) if found is None else found


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"the entries are no UTF-8: byte {problem.start} does not fit. Decode them, and pass the text"
        ) from None


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise ValueError(f'form: expected "tsv" or "csv", found {form!r}')


def _regular(text: str | bytes, form: str) -> list[Any] | None:
    """The columns of a text whose lines all have as many as the first and no quotes that mean something; else None."""
    try:
        data = text if isinstance(text, bytes) else text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    data = data.removesuffix(b"\n")
    separator = FORMS[form].encode()
    width = data.partition(b"\n")[0].count(separator) + 1
    odd = (b"\r", b"\0", *([b'"'] if form == "csv" else []))
    if not 2 <= width <= 4 or data.startswith(BOM.encode()) or any(mark in data for mark in odd):
        return None
    return (_by_arrow if ARROW else _by_splitting)(data, separator, width)


def _by_splitting(data: bytes, separator: bytes, width: int) -> list[Any] | None:
    codes = np.frombuffer(data, dtype=np.uint8)
    breaks = codes[(codes == ord(separator)) | (codes == ord("\n"))]
    if (len(breaks) + 1) % width:
        return None
    lines = np.append(breaks, np.uint8(ord("\n"))).reshape(-1, width) == ord("\n")
    if not lines[:, -1].all() or lines[:, :-1].any():
        return None
    cells = _decoded(data.replace(b"\n", separator)).split(separator.decode())
    return [np.array(cells[column::width], dtype=object) for column in range(width)]


def _by_arrow(data: bytes, separator: bytes, width: int) -> list[Any] | None:
    """As Arrow reads them, which refuses lines of another width, and finds nothing else in the text to understand."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = [str(column) for column in range(width)]
    try:
        table = arrow.read_csv(
            pa.py_buffer(data),
            read_options=arrow.ReadOptions(use_threads=False, column_names=names, block_size=len(data) + 1),
            parse_options=arrow.ParseOptions(
                delimiter=separator.decode(), quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            convert_options=arrow.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), strings_can_be_null=False
            ),
        ).to_pandas()
    except pa.ArrowInvalid:
        return None
    return [table[name] for name in names]


def _by_line(text: str, form: str) -> list[Any]:
    lines = list(_rows(text, form))
    if not lines:
        return [[], []]
    width = max(len(fields) for _, fields in lines)
    for number, fields in lines:
        if not 2 <= len(fields) <= 4:
            raise _misshapen(number, fields, form)
    filled = (
        fields if len(fields) == width else [*fields, *[None] * (width - len(fields))] for _, fields in lines
    )
    return [list(column) for column in zip(*filled, strict=True)]


def _rows(text: str, form: str) -> Iterator[tuple[int, list[str]]]:
    """Every line that is not empty: its number, from 1, and its fields."""
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.removesuffix("\r")
        if bare:
            yield number, bare.split("\t") if form == "tsv" else _quoted(bare, number)


def _quoted(line: str, number: int) -> list[str]:
    if '"' not in line and "\r" not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True))
    except (csv.Error, StopIteration):
        raise InvalidRows(
            f"line {number}: the quotes are not closed. A term cannot have a line break within it, which the service "
            'refuses; close the quotes in the same line, and write a quote inside of quotes twice: "a ""b"" c"',
            rows=[number],
        ) from None


def _misshapen(number: int, fields: list[str], form: str) -> InvalidRows:
    name = {"tsv": "tab", "csv": "comma"}[form]
    found = f"{len(fields)} columns" if len(fields) > 1 else f"no {name}"
    return InvalidRows(
        f"line {number}: expected a source, a {name} and a target, and perhaps their languages, found {found}: "
        f"{short(fields[0])!r}",
        rows=[number],
    )


def _tidy(columns: list[Any], given: tuple[str | None, str | None]) -> pd.DataFrame:
    source, target, *languages = columns
    source_lang, target_lang = (
        _languages(languages[number] if number < len(languages) else None, given[number], len(source), name)
        for number, name in enumerate(LANGUAGE_COLUMNS)
    )
    return made(source_lang, target_lang, source, target)


def _languages(column: Any, given: str | None, count: int, name: str) -> Any:
    """The languages of all rows: from the *column* of the text, and where it has none as *given*."""
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{name}: expected a code, found {type(given).__name__}")
    gaps = column is None or (isinstance(column, list) and None in column)
    if gaps and given is None and count:
        raise ValueError(
            f'{name}: the text does not say it in a column of its own; pass it, such as {name}="de"'
        )
    if column is None:
        return given or ""
    return [given if code is None else code for code in column] if gaps else column


# ---- writing


def _chosen(table: pd.DataFrame, source_lang: str | None, target_lang: str | None) -> pd.DataFrame:
    """The rows of *table* in the languages that are named."""
    checked(table)
    keep = np.ones(len(table), dtype=np.bool_)
    for name, given in (("source_lang", source_lang), ("target_lang", target_lang)):
        if given is not None:
            wanted = code_of(given) or given
            kinds = {
                written: (code_of(str(written)) or written) == wanted for written in table[name].unique()
            }
            keep &= table[name].map(kinds).to_numpy(dtype=np.bool_)
    if len(table) and not keep.any():
        raise ValueError(f"the table has no terms from {source_lang or 'any'} to {target_lang or 'any'}")
    return table if keep.all() else table[keep]


def _text(sides: Sides, form: str, *, columns: int) -> str:
    if columns not in (2, 4):
        raise ValueError(f"columns: expected 2 or 4, found {columns!r}")
    if columns == 2 and len(sides.pairs) > 1:
        raise ValueError(
            f"the table has {len(sides.pairs)} language pairs, and two columns cannot tell them apart: "
            "name one with source_lang= and target_lang="
        )
    _refuse_mark(sides)
    names = [*TERM_COLUMNS, *LANGUAGE_COLUMNS][:columns]
    table = in_files(sides.table)
    cells = [table[name] for name in names]
    return _quoted_text(cells) if form == "csv" else joined(rows_joined(cells, FORMS[form]))


def pair_texts(sides: Sides) -> list[str]:
    """For every language pair its terms as TSV of two columns, unchecked."""
    lines = rows_joined([sides.table[name] for name in TERM_COLUMNS], "\t")
    ordered = lines if len(sides.pairs) < 2 else lines.take(sides.groups.order)
    return [joined(ordered[start:end]) for start, end in pairwise(sides.groups.bounds.tolist())]


def _quoted_text(cells: list[pd.Series[Any]]) -> str:
    """The columns *cells* as CSV, with quotes where they are needed."""
    odd = [holding_octets(column, b',"') for column in cells]
    if all(map(in_arrow, cells)):
        return _in_quotes(arrow_lines(rows_joined(cells, ",")), *_odd_fields(cells, odd)).decode()
    quoted = [
        replaced(column, which, ['"' + text.replace('"', '""') + '"' for text in column[which].tolist()])
        for column, which in zip(cells, odd, strict=True)
    ]
    return joined(rows_joined(quoted, ","))


def _odd_fields(cells: list[pd.Series[Any]], odd: list[Bools]) -> tuple[Places, Places]:
    """From where to where the fields go that need quotes, in the lines without them."""
    sizes = np.stack([np.diff(arrow_octets(column)[1]) for column in cells], axis=1)
    ends = np.cumsum(sizes + 1).reshape(sizes.shape) - 1
    where = np.stack(odd, axis=1)
    return (ends - sizes)[where], ends[where]


def _in_quotes(lines: bytes, starts: Places, ends: Places) -> bytes:
    parts, at = [], 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        parts += [lines[at:start], b'"', lines[start:end].replace(b'"', b'""'), b'"']
        at = end
    return b"".join([*parts, lines[at:]])


def _refuse_formless(sides: Sides, form: str) -> None:
    """Raise InvalidRows for rows that would not come back: with a line break or, in TSV, a tab."""
    wrong = np.zeros(len(sides), dtype=np.bool_)
    for tape in (sides.source, sides.target):
        inside = (tape.codes == 0x0A) | (tape.codes == 0x0B) | (tape.codes == 0x0D)
        if form == "tsv":
            inside |= tape.codes == 0x09
        inside[tape.ends] = False
        if inside.any():
            wrong |= tape.holding(inside)
    if wrong.any():
        what = "a line break" if form == "csv" else "a tab or a line break"
        _refuse_rows(sides, np.flatnonzero(wrong), f"{form.upper()} has no form for {what} in a term")


def _refuse_mark(sides: Sides) -> None:
    first = sides.table["source"].iloc[0] if len(sides) else ""
    if isinstance(first, str) and first.startswith(BOM):
        _refuse_rows(sides, np.array([0]), "a byte order mark at the very beginning would be lost")


def _refuse_rows(sides: Sides, positions: Any, what: str) -> None:
    rows = [sides.table.index[row] for row in positions.tolist()]
    raise InvalidRows(f"Nothing was written: {what} (row {named(rows)}). .svc.fix() mends it", rows=rows)
