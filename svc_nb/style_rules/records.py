"""A style as rows of texts, the form that all files share, and back; nothing of it is lost on the way.

`Records` have three parts, each a list of rows: `list` with one row of what the list itself has, `rules`
and `instructions`. A gap is "". Each row has the line it stands at, for messages and as the label in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47
from svc_nb.style_rules.lint import Finding, report
from svc_nb.style_rules.style import TEXTS, TIMES, Style
from svc_nb.style_rules.tables import INSTRUCTIONS, RULES, rows_of

LIST = (*TEXTS, "version", *TIMES)
PARTS: Mapping[str, tuple[str, ...]] = {"list": LIST, "rules": RULES, "instructions": INSTRUCTIONS}


class Record(NamedTuple):
    """One row: where it stands, and its cells by column."""

    line: Any
    cells: dict[str, str]


Records = dict[str, list[Record]]


def no_records() -> Records:
    """Every part, with no rows yet."""
    return {part: [] for part in PARTS}


def to_records(style: Style) -> Records:
    """The rows of *style*; a list that has nothing of its own has no row."""
    values = [_written(name, getattr(style, name)) for name in LIST]
    own = [Record("list", dict(zip(LIST, values, strict=True)))] if any(values) else []
    return {"list": own, "rules": _of_table(style.rules), "instructions": _of_table(style.instructions)}


def from_records(records: Records) -> Style:
    """The style of *records*, with their lines as labels; ValueError for what cannot be one."""
    if len(records["list"]) > 1:
        raise ValueError(f"{_at(records['list'][1])}expected one list in a file, found a second one")
    members = _members(records["list"][0]) if records["list"] else {}
    return Style(_table(records["rules"], RULES), _table(records["instructions"], INSTRUCTIONS), **members)


def refuse(records: Records, is_bad: Callable[[str], bool], why: str) -> None:
    """Raise InvalidRows naming the rows with a cell that has no form in a file."""
    bad = [
        Finding(part, record.line, "error", "no_form", f"{name}: {why}")
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


def _of_table(table: pd.DataFrame) -> list[Record]:
    return [
        Record(label, {name: _written(name, cell) for name, cell in zip(table.columns, cells, strict=True)})
        for label, cells in rows_of(table)
    ]


def _table(records: Iterable[Record], columns: tuple[str, ...]) -> pd.DataFrame:
    listed = list(records)
    rows = [[record.cells.get(name, "") for name in columns] for record in listed]
    index = pd.Index([record.line for record in listed], name="line", dtype=None if listed else "int64")
    return pd.DataFrame(rows, columns=list(columns), index=index, dtype=object)


def _members(own: Record) -> dict[str, Any]:
    cells = {name: own.cells.get(name, "") for name in LIST}
    members: dict[str, Any] = {name: cells[name] for name in TEXTS}
    try:
        members["version"] = int(cells["version"]) if cells["version"] else None
        members |= {name: datetime.fromisoformat(cells[name]) if cells[name] else None for name in TIMES}
    except ValueError:
        raise ValueError(
            f"{_at(own)}expected a whole number as version and ISO 8601 times, found {cells['version']!r}, "
            f"{cells['creation_time']!r} and {cells['updated_time']!r}"
        ) from None
    return members


def _at(record: Record) -> str:
    return f"line {record.line}: " if isinstance(record.line, int) else ""


def _written(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in ("language", "source_language"):
        return as_bcp47(value)
    return value.isoformat() if isinstance(value, datetime) else str(value)
