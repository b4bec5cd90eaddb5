"""Style rule lists as files (.json, .csv, .tsv and .xlsx), each complete, and written as a whole or not at all.

All formats share `Records`, the list as rows of texts in three parts: `list` with one row for the list itself, `rules`
and `instructions`. A gap is "". Each row has its line, for messages and as its label in the tables. A CSV or TSV file
distinguishes the parts by its column `kind`, and quotes cells if needed, even in TSV, because prompts may have tabs and
line breaks. A spreadsheet has a sheet for each part; all its cells are texts.
"""

import codecs
import csv
import io
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47
from svc_nb.style_rules.lint import StyleFinding, report
from svc_nb.style_rules.style import OWN as LIST
from svc_nb.style_rules.style import TEXTS, TIMES, Style
from svc_nb.style_rules.table import INSTRUCTIONS, OPTIONAL, RULES, is_broken, rows_of
from svc_nb.tabular import sheets
from svc_nb.tabular.cells import guarded, unguarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import content, suffix_of
from svc_nb.tabular.report import plural

SEPARATORS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (".json", *SEPARATORS, ".xlsx")
PARTS: Mapping[str, tuple[str, ...]] = {"list": LIST, "rules": RULES, "instructions": INSTRUCTIONS}
KINDS = {"list": "list", "rule": "rules", "instruction": "instructions"}
COLUMNS = ("kind", *(name for names in PARTS.values() for name in names))
WIRE = ("configured_rules", "custom_instructions")
LONGEST_CELL = 131_072  # what Python's own reader accepts


class ListRow(NamedTuple):
    """One row: its line, and its cells by column."""

    line: Any
    cells: dict[str, str]


Records = dict[str, list[ListRow]]


def read(path: str | PathLike[str]) -> Style:
    """The list in a .json, .csv, .tsv or .xlsx file, as written by `write`; the rows are labelled with their lines.

    A .csv or .tsv may also contain only a table of rules or of instructions, and a .json the service's response.
    """
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    data = content(given)
    try:
        if suffix == ".json":
            try:
                whole = json.loads(data.decode("utf-8-sig"))
            except (ValueError, RecursionError) as problem:
                raise ValueError(f"expected JSON: {problem}") from None
            return from_json(whole)
        return _style(_from_sheets(data) if suffix == ".xlsx" else _from_rows(data, SEPARATORS[suffix]))
    except ValueError as problem:
        raise ValueError(f"{given.name}: {problem}") from None


def write(style: Style, path: str | PathLike[str], *, formula_safe: bool = False) -> Path:
    """Write a list to a .json, .csv, .tsv or .xlsx file; reading it gives an equal list.

    Parameters
    ----------
    style
        The list.
    path
        The file; an existing one is replaced.
    formula_safe
        Put an apostrophe before texts that a spreadsheet would run as formulas; `read` removes it again.

    Raises
    ------
    InvalidRows
        A row cannot be written to such a file; then nothing was written.
    """
    if not isinstance(style, Style):
        raise TypeError(f"expected a Style, found {type(style).__name__}. Create one with Style(rules, instructions)")
    suffix = suffix_of(Path(path), SUFFIXES)
    if suffix == ".json" and formula_safe:
        raise ValueError("formula_safe is for files that a spreadsheet opens: .csv, .tsv and .xlsx")
    given = Path(path).expanduser()
    if suffix == ".json":
        data = (json.dumps(to_json(style), ensure_ascii=False, indent=1) + "\n").encode()
    elif suffix == ".xlsx":
        data = _as_sheets(_records(style), formula_safe=formula_safe)
    else:
        data = _as_rows(_records(style), SEPARATORS[suffix], formula_safe=formula_safe)
    replace_file(given, data)
    return given


# ---- records


def _records(style: Style) -> Records:
    """The rows of *style*; a list without a name or other properties has no row."""

    def written(name: str, value: Any) -> str:
        if value is None:
            return ""
        if name in ("language", "source_language"):
            return as_bcp47(value)
        return value.isoformat() if isinstance(value, datetime) else str(value)

    own = {name: written(name, getattr(style, name)) for name in LIST}
    records: Records = {"list": [ListRow("list", own)] if any(own.values()) else []}
    for part in ("rules", "instructions"):
        table = getattr(style, part)
        records[part] = [
            ListRow(label, {name: written(name, cell) for name, cell in zip(table.columns, cells, strict=True)})
            for label, cells in rows_of(table)
        ]
    return records


def _style(records: Records) -> Style:
    """The style in *records*, with their lines as labels; ValueError if they are not a style."""

    def at(record: ListRow) -> str:
        return f"line {record.line}: " if isinstance(record.line, int) else ""

    if len(records["list"]) > 1:
        raise ValueError(f"{at(records['list'][1])}expected one list in a file, found a second one")
    members: dict[str, Any] = {}
    for own in records["list"]:
        cells = {name: own.cells.get(name, "") for name in LIST}
        members = {name: cells[name] for name in TEXTS}
        try:
            members["version"] = int(cells["version"]) if cells["version"] else None
            members |= {name: datetime.fromisoformat(cells[name]) if cells[name] else None for name in TIMES}
        except ValueError:
            raise ValueError(
                f"{at(own)}expected a whole number as version and ISO 8601 times, found {cells['version']!r}, "
                f"{cells['creation_time']!r} and {cells['updated_time']!r}"
            ) from None
    for part in ("rules", "instructions"):
        listed, columns = records[part], list(PARTS[part])
        rows = [[record.cells.get(name, "") for name in columns] for record in listed]
        index = pd.Index([record.line for record in listed], name="line", dtype=None if listed else "int64")
        members[part] = pd.DataFrame(rows, columns=columns, index=index, dtype=object)
    return Style(**members)


def _refuse(records: Records, is_bad: Callable[[str], bool], why: str) -> None:
    """Raise InvalidRows naming the rows with a cell that cannot be written to the file."""
    bad = [
        StyleFinding(part, record.line, "error", "no_form", f"{name}: {why}")
        for part, names in PARTS.items()
        for record in records[part]
        for name in names
        if is_bad(record.cells[name])
    ]
    if bad:
        first = bad[0]
        raise InvalidRows(
            f"Nothing was written: {first.table}, row {first.row!r}: {first.message}",
            rows=[found.row for found in bad],
            findings=report(bad),
        )


def _refuse_long(records: Records, limit: int) -> None:
    _refuse(records, lambda cell: len(cell) >= limit, f"a cell has less than {limit:,} characters")


# ---- CSV and TSV


def _as_rows(records: Records, separator: str, *, formula_safe: bool) -> bytes:
    _refuse(records, is_broken, "half of a surrogate pair cannot be written as UTF-8")
    _refuse_long(records, LONGEST_CELL)
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for kind, part in KINDS.items():
        for record in records[part]:
            cells = [guarded(record.cells.get(name, ""), formula_safe=formula_safe) for name in COLUMNS[1:]]
            writer.writerow([kind, *cells])
    # The mark tells a spreadsheet the encoding.
    return file.getvalue().encode("utf-8-sig" if formula_safe else "utf-8")


def _from_rows(data: bytes, separator: str) -> Records:
    """The records in a text file; ValueError naming the line that cannot be read."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeError:
        raise ValueError("expected text in UTF-8, found other bytes; save the file as CSV in UTF-8") from None
    header = text.lstrip().partition("\n")[0]
    if separator not in header and ";" in header:  # spreadsheets in some countries write semicolons
        separator = ";"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    records: Records = {part: [] for part in PARTS}
    names: list[str] = []
    line, default = 1, ""
    try:
        for cells in reader:
            if any(cells) and not names:
                names = [name.strip().casefold() for name in cells]
                default = _default_kind(names)
            elif any(cells):
                kind, row = _read_row(line, names, cells, default)
                records[kind].append(row)
            line = reader.line_num + 1
    except csv.Error as problem:
        raise ValueError(f"line {line}: the row cannot be read: {problem}") from None
    if not names:
        _default_kind(names)  # it is not a header
    return records


def _read_row(line: int, names: list[str], cells: list[str], default: str) -> tuple[str, ListRow]:
    """The part that a row belongs to, and the row."""
    if any(cells[len(names) :]):
        raise ValueError(
            f"line {line}: expected at most {plural(len(names), 'cell')}, as in the first line, found {len(cells)}"
        )
    named = {name: unguarded(cell) for name, cell in zip(names, cells, strict=False)}
    kind = named.get("kind", default).strip().casefold()
    if kind not in KINDS:
        raise ValueError(f"line {line}: kind: expected {', '.join(KINDS)}, found {kind[:60]!r}")
    return KINDS[kind], ListRow(line, named)


def _default_kind(names: list[str]) -> str:
    """The kind of rows without the column `kind`: only a table of rules or of instructions is accepted too."""
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise ValueError(f"the header has duplicate columns: {', '.join(sorted(twice))}")
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


# ---- spreadsheets


def _as_sheets(records: Records, *, formula_safe: bool) -> bytes:
    bad = "a spreadsheet cannot hold control characters and halves of surrogate pairs"
    _refuse(records, lambda cell: bool(sheets.ILLEGAL.search(cell)), bad)
    _refuse_long(records, sheets.LONGEST_CELL)  # including an apostrophe before it
    empty = {part: [each for each in records[part] if not any(each.cells.values())] for part in PARTS if part != "list"}
    _refuse({"list": [], **empty}, lambda cell: True, "a spreadsheet cannot hold an empty row")
    return sheets.written(
        {
            part: [names, *([guarded(row.cells[name], formula_safe=formula_safe) for name in names] for row in listed)]
            for (part, names), listed in zip(PARTS.items(), records.values(), strict=True)
        }
    )


def _from_sheets(data: bytes) -> Records:
    """The records in a workbook, by the names of its sheets in any case; ValueError if something is wrong."""
    found = {title.strip().casefold(): rows for title, rows in sheets.all_rows(data).items()}
    if not found.keys() & PARTS.keys():
        titles = ", ".join(repr(name[:40]) for name in found)
        raise ValueError(f"expected sheets named {', '.join(PARTS)}, found {titles or 'none'}")
    records: Records = {}
    for part in PARTS:
        (_, heads), *rows = sorted(found.get(part, {}).items()) or [(1, [])]
        names = [head.strip().casefold() for head in heads]
        records[part] = [ListRow(line, dict(zip(names, map(unguarded, cells), strict=False))) for line, cells in rows]
    return records


# ---- JSON


def to_json(style: Style) -> dict[str, Any]:
    """The complete *style* as a JSON value; InvalidRows names the rows that cannot be written."""
    records = _records(style)
    _refuse(records, is_broken, "half of a surrogate pair cannot be written as UTF-8")
    members: dict[str, Any] = dict(records["list"][0].cells) if records["list"] else {}
    whole: dict[str, Any] = {name: members.get(name) or None for name in LIST}
    whole["version"] = int(whole["version"]) if whole["version"] else None
    for part in ("rules", "instructions"):
        rows = [record.cells for record in records[part]]
        whole[part] = [{name: cell or None for name, cell in row.items()} for row in rows]
    return whole


def from_json(whole: Any) -> Style:
    """The style in a JSON value: the result of `to_json`, or a list in the service's own JSON."""
    if isinstance(whole, dict) and "backup" in whole:  # the list before a change, or as it was created
        whole = whole.get("state") or whole.get("after")
    if not isinstance(whole, dict) or not whole.keys() & {*LIST, *PARTS, *WIRE}:
        raise ValueError("expected a JSON object that is a style rule list")
    rules = whole.get("rules")
    if "configured_rules" in whole:
        given = whole["configured_rules"]
        if not isinstance(given, Mapping) or not all(isinstance(each, Mapping) for each in given.values()):
            raise ValueError("configured_rules: expected an object of category to rule to option")
        rules = [
            {"category": category, "rule": rule, "option": option}
            for category, options in given.items()
            for rule, option in options.items()
        ]
    instructions = whole.get("custom_instructions", whole.get("instructions"))
    own = {name: _json_cell(whole.get(name), name) for name in LIST}
    return _style(
        {
            "list": [ListRow("list", own)],
            "rules": _json_records(rules, "rules"),
            "instructions": _json_records(instructions, "instructions"),
        }
    )


def _json_records(given: Any, part: str) -> list[ListRow]:
    rows = [] if given is None else given
    names = PARTS[part]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{part}: expected a list of objects with {', '.join(names)}")
    return [
        ListRow(place, {name: _json_cell(row.get(name), f"{part}[{place}].{name}") for name in names})
        for place, row in enumerate(rows)
    ]


def _json_cell(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{where}: expected text, found {type(value).__name__}")
    return str(value)
