"""A style as one CSV or TSV file: a row for the list, one for each rule and each instruction, told apart by `kind`.

Prompts may have tabs and line breaks, so cells are quoted where needed, in TSV too.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator

from svc_nb.style_rules.records import PARTS, Record, Records, no_records, refuse
from svc_nb.style_rules.tables import INSTRUCTIONS, OPTIONAL, RULES, is_broken
from svc_nb.tabular.formulas import guarded, unguarded

SEPARATORS = {".csv": ",", ".tsv": "\t"}
KINDS = {"list": "list", "rule": "rules", "instruction": "instructions"}
COLUMNS = ("kind", *(name for names in PARTS.values() for name in names))
LONGEST_CELL = 131_072  # what Python's own reader takes

Row = tuple[int, list[str]]


def written(records: Records, separator: str, *, formula_safe: bool) -> bytes:
    """*records* as a file; InvalidRows names the rows that have no form in it."""
    refuse(records, is_broken, "half of a surrogate pair cannot be written as UTF-8")
    refuse(
        records, lambda cell: len(cell) >= LONGEST_CELL, f"a cell has less than {LONGEST_CELL:,} characters"
    )
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for kind, part in KINDS.items():
        for record in records[part]:
            cells = [guarded(record.cells.get(name, ""), formula_safe=formula_safe) for name in COLUMNS[1:]]
            writer.writerow([kind, *cells])
    # The mark tells a spreadsheet the encoding.
    return file.getvalue().encode("utf-8-sig" if formula_safe else "utf-8")


def parsed(data: bytes, separator: str) -> Records:
    """The records in a file; ValueError that names the line of what cannot be read."""
    rows = _rows(_decoded(data), separator)
    header = next(rows, (0, []))[1]
    names = [name.strip().casefold() for name in header]
    default = _default_kind(names)
    records = no_records()
    for line, cells in rows:
        record = Record(line, _named(names, cells, line))
        kind = record.cells.get("kind", default).strip().casefold()
        if kind not in KINDS:
            raise ValueError(f"line {line}: kind: expected {', '.join(KINDS)}, found {kind[:60]!r}")
        records[KINDS[kind]].append(record)
    return records


def _decoded(data: bytes) -> str:
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeError:
        raise ValueError("expected text in UTF-8, found other bytes; save the file as CSV in UTF-8") from None


def _rows(text: str, separator: str) -> Iterator[Row]:
    """The rows that are not blank, each with the line it begins at."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text, separator), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as problem:
        raise ValueError(f"line {line}: the row cannot be read: {problem}") from None


def _separator(text: str, usual: str) -> str:
    """The usual one, but where a spreadsheet of another country has put semicolons."""
    header = text.lstrip().partition("\n")[0]
    return ";" if usual not in header and ";" in header else usual


def _default_kind(names: list[str]) -> str:
    """What rows are where no column tells: a table of rules or of instructions alone is taken too."""
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise ValueError(f"the header has {', '.join(sorted(twice))} twice")
    if "kind" in names:
        return ""
    if set(RULES) <= set(names):
        return "rule"
    if set(INSTRUCTIONS) - OPTIONAL <= set(names):
        return "instruction"
    raise ValueError(
        f"expected a first line with the names of the columns ({', '.join(COLUMNS)}), of rules or of instructions, "
        f"found {', '.join(name[:60] for name in names[:20]) or 'nothing'}"
    )


def _named(names: list[str], cells: list[str], line: int) -> dict[str, str]:
    if any(cells[len(names) :]):
        raise ValueError(
            f"line {line}: expected at most {len(names)} cells, as in the first line, found {len(cells)}"
        )
    return {name: unguarded(cell) for name, cell in zip(names, cells, strict=False)}
