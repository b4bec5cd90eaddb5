"""Style rule lists as files: .json, .csv, .tsv and .xlsx, each of them whole; written at once or not at all.

All forms share `Records`, the list as rows of texts in three parts: `list` with one row of what the list itself has,
`rules` and `instructions`. A gap is "". Each row has its line, for messages and as its label in the tables. A CSV
or TSV file tells the parts apart by its column `kind`, and quotes cells where needed, in TSV too, because prompts
may have tabs and line breaks. A spreadsheet has a sheet for each part; all its cells are texts.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47
from svc_nb.style_rules.lint import StyleFinding, report
from svc_nb.style_rules.style import TEXTS, TIMES, Style
from svc_nb.style_rules.table import INSTRUCTIONS, OPTIONAL, RULES, is_broken, rows_of
from svc_nb.tabular import sheets
from svc_nb.tabular.cells import guarded, unguarded
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import content, suffix_of

SEPARATORS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (".json", *SEPARATORS, ".xlsx")
LIST = (*TEXTS, "version", *TIMES)
PARTS: Mapping[str, tuple[str, ...]] = {"list": LIST, "rules": RULES, "instructions": INSTRUCTIONS}
KINDS = {"list": "list", "rule": "rules", "instruction": "instructions"}
COLUMNS = ("kind", *(name for names in PARTS.values() for name in names))
WIRE = ("configured_rules", "custom_instructions")
LONGEST_CELL = 131_072  # what Python's own reader takes
WIDTHS = {"prompt": 80, "option": 60, "label": 30, "rule": 30, "category": 22, "name": 30}
NO_SHEET = "expected a spreadsheet (.xlsx), found something else; save it anew as .xlsx"


class ListRow(NamedTuple):
    """One row: where it stands, and its cells by column."""

    line: Any
    cells: dict[str, str]


Records = dict[str, list[ListRow]]


def read(path: str | PathLike[str]) -> Style:
    """The list in a .json, .csv, .tsv or .xlsx file, as `write` makes them; the rows are labelled with their lines.

    A .csv or .tsv may also be a table of rules or of instructions alone, and a .json what the service answers.
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
        The file; one that is there is replaced.
    formula_safe
        Put an apostrophe before texts that a spreadsheet would run as formulas; `read` takes it away again.

    Raises
    ------
    InvalidRows
        A row has no form in such a file; then nothing was written.
    """
    if not isinstance(style, Style):
        raise TypeError(f"expected a Style, found {type(style).__name__}; make one: Style(rules, instructions)")
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
    """The rows of *style*; a list that has nothing of its own has no row."""

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
    """The style of *records*, with their lines as labels; ValueError for what cannot be one."""

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
    """Raise InvalidRows naming the rows with a cell that has no form in a file."""
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
    """The records in a text file; ValueError that names the line of what cannot be read."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeError:
        raise ValueError("expected text in UTF-8, found other bytes; save the file as CSV in UTF-8") from None
    rows = _filled_rows(text, separator)
    names = [name.strip().casefold() for name in next(rows, (0, []))[1]]
    default = _default_kind(names)
    records: Records = {part: [] for part in PARTS}
    for line, cells in rows:
        if any(cells[len(names) :]):
            raise ValueError(
                f"line {line}: expected at most {len(names)} cells, as in the first line, found {len(cells)}"
            )
        named = {name: unguarded(cell) for name, cell in zip(names, cells, strict=False)}
        kind = named.get("kind", default).strip().casefold()
        if kind not in KINDS:
            raise ValueError(f"line {line}: kind: expected {', '.join(KINDS)}, found {kind[:60]!r}")
        records[KINDS[kind]].append(ListRow(line, named))
    return records


def _filled_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line it begins at."""
    header = text.lstrip().partition("\n")[0]
    if separator not in header and ";" in header:  # a spreadsheet of another country has put semicolons
        separator = ";"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as problem:
        raise ValueError(f"line {line}: the row cannot be read: {problem}") from None


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


# ---- spreadsheets


def _as_sheets(records: Records, *, formula_safe: bool) -> bytes:
    from openpyxl import Workbook

    bad = "a spreadsheet has no form for control characters and halves of surrogate pairs"
    _refuse(records, lambda cell: bool(sheets.ILLEGAL.search(cell)), bad)
    _refuse_long(records, sheets.LONGEST_CELL)  # with the apostrophe that may come before it
    empty = {
        part: [each for each in records[part] if not any(each.cells.values())] for part in ("rules", "instructions")
    }
    _refuse({"list": [], **empty}, lambda cell: True, "a spreadsheet has no form for an empty row")
    book = Workbook()
    book.remove(book.worksheets[0])
    for part, names in PARTS.items():
        sheet = book.create_sheet(part)
        sheet.freeze_panes = "A2"
        rows = [dict(zip(names, names, strict=True)), *(record.cells for record in records[part])]
        for line, cells in enumerate(rows, start=1):
            for place, name in enumerate(names, start=1):
                if cells[name]:
                    cell = sheet.cell(line, place)
                    cell.value = sheets.escaped(guarded(cells[name], formula_safe=formula_safe))
                    cell.data_type = "s"  # else what begins with "=" is a formula
        for column, name in zip("ABCDEFGH", names, strict=False):
            sheet.column_dimensions[column].width = WIDTHS.get(name, 18)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _from_sheets(data: bytes) -> Records:
    """The records in a workbook, by the names of its sheets in any case; ValueError that names what is wrong."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        size = sheets.unpacked_size(data)
    except (zipfile.BadZipFile, OSError, ValueError):
        raise ValueError(NO_SHEET) from None
    if size > sheets.MOST_BYTES:
        most = sheets.MOST_BYTES // 2**20
        raise ValueError(f"the spreadsheet would take {size / 2**20:,.0f} MiB; {most} MiB is the most")
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (InvalidFileException, KeyError, ValueError, SyntaxError, OSError, zipfile.BadZipFile):
        raise ValueError(NO_SHEET) from None
    with closing(book):
        found = {sheet.title.strip().casefold(): sheet for sheet in book.worksheets}
        if not found.keys() & PARTS.keys():
            titles = ", ".join(repr(name[:40]) for name in found)
            raise ValueError(f"expected sheets named {', '.join(PARTS)}, found {titles or 'none'}")
        return {part: list(_sheet_records(found.get(part), part)) for part in PARTS}


def _sheet_records(sheet: Any, part: str) -> Iterator[ListRow]:
    def text(cell: Any) -> str:
        """What a person sees in a cell."""
        value = cell.value
        if value is None:
            return ""
        if getattr(cell, "data_type", "") == "e":
            raise ValueError(f"sheet {part}, cell {cell.coordinate}: expected a text, found the error {value}")
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return value.isoformat() if isinstance(value, date | datetime) else str(value)

    rows = iter(sheet.iter_rows()) if sheet is not None else iter(())
    names = [text(cell).strip().casefold() for cell in next(rows, ())]
    for line, row in enumerate(rows, start=2):
        cells = [unguarded(sheets.unescaped(text(cell))) for cell in row]
        if any(cells):
            yield ListRow(line, dict(zip(names, cells, strict=False)))


# ---- JSON


def to_json(style: Style) -> dict[str, Any]:
    """The whole of *style* as a value of JSON; InvalidRows names the rows that have no form in it."""
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
    """The style in a value of JSON: what `to_json` gave, or a list as the service's own JSON has it."""
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
