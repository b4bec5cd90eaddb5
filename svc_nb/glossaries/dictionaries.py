"""Conversion between dictionaries, the service's format for glossaries, and the table of terms.

The entries of a dictionary are a text. TSV has a source and a target in each line and no quotes; CSV quotes fields that
contain commas or quotes. Both may have a third and a fourth column with the languages. Empty lines are ignored, and
fields cannot contain line breaks.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call, Option
from svc_nb.checks.service_terms import refuse
from svc_nb.checks.term_arrays import TermArrays
from svc_nb.checks.text_array import arrow_lines, arrow_octets, holding_octets, in_arrow, joined, replaced, rows_joined
from svc_nb.errors import BadRequest, InvalidRows
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import named, short
from svc_nb.tabular.terms import LANGUAGE_COLUMNS, TERM_COLUMNS, checked, code_of, in_files, made
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.languages import meant
from svc_nb.wire.models import Dictionary

FORMS = {"tsv": "\t", "csv": ","}
BOM = "\ufeff"
# The service's own words about an entry: "Key with the index 1 (starting at position 13) duplicates key with ...".
ENTRY = re.compile(r"key with the index (\d{1,9}) \(starting at position (\d{1,9})\)", re.IGNORECASE)
# Whether pandas keeps texts in Arrow, which can then read them too.
ARROW = getattr(pd.array([], dtype=TEXT).dtype, "storage", None) == "pyarrow" and TEXT == "str"


def from_entries(
    text: str | bytes, form: str = "tsv", *, source_lang: str | None = None, target_lang: str | None = None
) -> pd.DataFrame:
    """The table of terms in a text in the service's own format, "tsv" or "csv": source, target, maybe languages.

    Only the format is checked: `.svc.lint()` finds what the service would refuse.

    Parameters
    ----------
    text
        Entries as the service accepts them: a term pair in each line, without a header. A byte order mark is dropped.
    form
        "tsv" or "csv".
    source_lang, target_lang
        The languages of the lines that have no third and fourth column.

    Raises
    ------
    InvalidRows
        A line has too few or too many columns, its quotes are not closed, or it breaks within quotes; `rows` has the
        numbers of such lines, from 1.
    ValueError
        There are lines without languages, and none were given.
    """
    if isinstance(text, bytes | bytearray):
        text = bytes(text).removeprefix(BOM.encode())
    elif isinstance(text, str):
        text = text.removeprefix(BOM)
    else:
        raise TypeError(f"entries: expected text or bytes, found {type(text).__name__}")
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    return parsed(text, form, source_lang=source_lang, target_lang=target_lang)


def parsed(
    text: str | bytes, form: str, *, source_lang: str | None = None, target_lang: str | None = None
) -> pd.DataFrame:
    """Like `from_entries`, but without dropping a byte order mark."""
    _check_form(form)
    columns = _regular(text, form) or _by_line(_decoded(text), form)
    source, target, *languages = columns
    filled = []
    for number, (name, given) in enumerate(zip(LANGUAGE_COLUMNS, (source_lang, target_lang), strict=True)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name}: expected a code, found {type(given).__name__}")
        column = languages[number] if number < len(languages) else None
        gaps = column is None or (isinstance(column, list) and None in column)
        if gaps and given is None and len(source):
            raise ValueError(f"{name}: the text has no column for it. Pass it, such as {Option(name, 'de')}")
        if column is None:
            column = given or ""
        elif gaps:
            column = [given if code is None else code for code in column]
        filled.append(column)
    return made(filled[0], filled[1], source, target)


def to_entries(
    table: pd.DataFrame, form: str = "tsv", *, source_lang: str | None = None, target_lang: str | None = None
) -> str:
    """The terms of one language pair as text in the service's own format, "tsv" or "csv".

    `from_entries` gives the same terms back. A table of one language pair becomes a text with two columns, a table of
    several pairs one with four. *source_lang* and *target_lang* select a single pair.

    Raises
    ------
    InvalidRows
        The service would refuse some rows, or they cannot be written as text.
    """
    _check_form(form)
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    keep = np.ones(len(checked(table)), dtype=np.bool_)
    for name, given in (("source_lang", source_lang), ("target_lang", target_lang)):
        if given is not None:
            wanted = code_of(given) or given
            kinds = {said: (code_of(str(said)) or said) == wanted for said in table[name].unique()}
            keep &= table[name].map(kinds).to_numpy(dtype=np.bool_)
    if len(table) and not keep.any():
        raise ValueError(f"the table has no terms from {source_lang or 'any'} to {target_lang or 'any'}")
    sides = TermArrays(table if keep.all() else table[keep])
    refuse(sides, doing="written")
    first = sides.table["source"].iloc[0] if len(sides) else ""
    if isinstance(first, str) and first.startswith(BOM):
        rows = sides.table.index[:1].tolist()
        raise InvalidRows(
            "Nothing was written: a byte order mark at the very beginning would be lost "
            f"(row {named(rows)}). {Call('.svc.fix')} fixes it",
            rows=rows,
        )
    names = [*TERM_COLUMNS, *LANGUAGE_COLUMNS][: 2 if len(sides.pairs) < 2 else 4]
    written = in_files(sides.table)
    cells = [written[name] for name in names]
    return _quoted_text(cells) if form == "csv" else joined(rows_joined(cells, FORMS[form]))


# ---- reading


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"the entries are not valid UTF-8: byte {problem.start} is wrong. Decode them, and pass the text"
        ) from None


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise ValueError(f'form: expected "tsv" or "csv", found {form!r}')


def _regular(text: str | bytes, form: str) -> list[Any] | None:
    """The columns of a text whose lines all have as many as the first and no quotes with a meaning; otherwise None."""
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
    """The columns as read by Arrow, which refuses lines of another width and interprets nothing else in the text."""
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
    """The columns of a text, with None for missing cells at the end of a line; empty lines are left out."""
    name = {"tsv": "tab", "csv": "comma"}[form]
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.removesuffix("\r")
        if not bare:
            continue
        fields = bare.split(FORMS[form])
        if form == "csv" and ('"' in bare or "\r" in bare):
            try:
                fields = next(csv.reader([bare], strict=True))
            except (csv.Error, StopIteration):
                raise InvalidRows(
                    f"line {number}: the quotes are not closed. The service refuses terms with a line break. "
                    "Close the quotes in the same line, and double a quote inside quotes: "
                    '"a ""b"" c"',
                    rows=[number],
                ) from None
        if not 2 <= len(fields) <= 4:
            found = f"{len(fields)} columns" if len(fields) > 1 else f"no {name}"
            raise InvalidRows(
                f"line {number}: expected a source, a {name} and a target, and optionally their languages, found "
                f"{found}: {short(fields[0])!r}",
                rows=[number],
            )
        rows.append(fields)
    return [list(column) for column in zip_longest(*rows)] if rows else [[], []]


# ---- writing


def _quoted_text(cells: list[pd.Series[Any]]) -> str:
    """The columns *cells* as CSV, with quotes where needed."""
    odd = [holding_octets(column, b',"') for column in cells]
    if all(map(in_arrow, cells)):
        # The start and end of the fields that need quotes, in the lines without quotes.
        sizes = np.stack([np.diff(arrow_octets(column)[1]) for column in cells], axis=1)
        ends = np.cumsum(sizes + 1).reshape(sizes.shape) - 1
        where = np.stack(odd, axis=1)
        lines = arrow_lines(rows_joined(cells, ","))
        parts, at = [], 0
        for start, end in zip((ends - sizes)[where].tolist(), ends[where].tolist(), strict=True):
            parts += [lines[at:start], b'"', lines[start:end].replace(b'"', b'""'), b'"']
            at = end
        return b"".join([*parts, lines[at:]]).decode()
    quoted = [
        replaced(column, which, ['"' + text.replace('"', '""') + '"' for text in column[which].tolist()])
        for column, which in zip(cells, odd, strict=True)
    ]
    return joined(rows_joined(quoted, ","))


def from_dictionaries(dictionaries: Iterable[Dictionary]) -> pd.DataFrame:
    """The table of terms in dictionaries, as returned by `session.client.glossaries.entries(glossary_id)`."""
    tables = [
        parsed(each.entries, each.entries_format, source_lang=each.source_lang, target_lang=each.target_lang)
        for each in dictionaries
    ]
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else made([], [], [], [])


def located(problem: BadRequest, table: pd.DataFrame) -> InvalidRows | None:
    """The service's complaint about entries, with the rows of *table* that it means; None if it names none."""
    named_entries = ENTRY.findall(problem.detail or problem.message)
    if not named_entries:
        return None
    sides = TermArrays(table)
    indices, positions = ([int(each[place]) for each in named_entries] for place in (0, 1))
    for number, pair in enumerate(
        sides.pairs
    ):  # the service does not name the dictionary: it is the one where that entry begins there
        entries = sides.groups[number]
        if max(indices) < len(entries) and sides.positions[entries[indices]].tolist() == positions:
            rows = entries[indices]
            found, told = Findings(), problem.detail or problem.message
            found.add(rows[:1], ERROR, "refused", f"the service refused it: {told}")
            return InvalidRows(
                f"The service refused row {sides.label(rows[0])} ({' to '.join(pair)}): {told}",
                rows=[sides.table.index[row] for row in rows.tolist()],
                findings=found.table(sides.table.index),
                status=problem.status,
                trace_id=problem.trace_id,
            )
    return None
