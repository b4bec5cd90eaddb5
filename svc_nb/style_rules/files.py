"""Style rule lists as files: .json, .csv, .tsv and .xlsx, each of them whole; written at once or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from svc_nb.style_rules import delimited, sheets
from svc_nb.style_rules.records import LIST, PARTS, Record, Records, from_records, refuse, to_records
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import INSTRUCTIONS, RULES, is_broken
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.files import content, suffix_of

SUFFIXES = (".json", ".csv", ".tsv", ".xlsx")


def read(path: str | PathLike[str]) -> Style:
    """The style in a file, by its suffix; the rows of its tables are labelled with their lines there."""
    given = Path(path).expanduser()
    suffix = suffix_of(given, SUFFIXES)
    data = content(given)
    try:
        return from_records(_parsed(data, suffix))
    except ValueError as problem:
        raise ValueError(f"{given.name}: {problem}") from None


def write(style: Style, path: str | PathLike[str], *, formula_safe: bool = False) -> Path:
    """Write *style* to a file, by its suffix, in place of what was there; returns the path.

    Raises InvalidRows where a row has no form in such a file; then nothing was written.
    """
    if not isinstance(style, Style):
        raise TypeError(
            f"expected a Style, found {type(style).__name__}; make one: Style(rules, instructions)"
        )
    suffix = suffix_of(Path(path), SUFFIXES)
    if suffix == ".json" and formula_safe:
        raise ValueError("formula_safe is for files that a spreadsheet opens: .csv, .tsv and .xlsx")
    given = Path(path).expanduser()
    replace_file(given, _written(style, suffix, formula_safe=formula_safe))
    return given


def _parsed(data: bytes, suffix: str) -> Records:
    if suffix == ".json":
        return _from_json(data)
    return sheets.parsed(data) if suffix == ".xlsx" else delimited.parsed(data, delimited.SEPARATORS[suffix])


def _written(style: Style, suffix: str, *, formula_safe: bool) -> bytes:
    if suffix == ".json":
        return as_json(style)
    records = to_records(style)
    if suffix == ".xlsx":
        return sheets.written(records, formula_safe=formula_safe)
    return delimited.written(records, delimited.SEPARATORS[suffix], formula_safe=formula_safe)


# ---- JSON


def as_json(style: Style, **notes: Any) -> bytes:
    """The whole of *style* as JSON text, with *notes* beside it, which are not read again as part of it."""
    return (json.dumps({**to_json(style), **notes}, ensure_ascii=False, indent=1) + "\n").encode()


def to_json(style: Style) -> dict[str, Any]:
    """The whole of *style* as a value of JSON; InvalidRows names the rows that have no form in it."""
    records = to_records(style)
    refuse(records, is_broken, "half of a surrogate pair cannot be written as UTF-8")
    members: dict[str, Any] = dict(records["list"][0].cells) if records["list"] else {}
    whole: dict[str, Any] = {name: members.get(name) or None for name in LIST}
    whole["version"] = int(whole["version"]) if whole["version"] else None
    for part in ("rules", "instructions"):
        rows = [record.cells for record in records[part]]
        whole[part] = [{name: cell or None for name, cell in row.items()} for row in rows]
    return whole


def from_json(whole: Any) -> Style:
    """The style in a value of JSON: what `to_json` gave, or a list as the service's own JSON has it."""
    return from_records(_of_whole(whole))


def _from_json(data: bytes) -> Records:
    try:
        whole = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"expected JSON: {problem}") from None
    return _of_whole(whole)


def _of_whole(whole: Any) -> Records:
    if isinstance(whole, dict) and "backup" in whole:  # the list before a change, or as it was created
        whole = whole.get("state") or whole.get("after")
    if not isinstance(whole, dict) or not whole.keys() & {*LIST, *PARTS, *WIRE}:
        raise ValueError("expected a JSON object that is a style rule list")
    rules = _rules(whole["configured_rules"]) if "configured_rules" in whole else whole.get("rules")
    instructions = whole.get("custom_instructions", whole.get("instructions"))
    own = {name: _cell(whole.get(name), name) for name in LIST}
    return {
        "list": [Record("list", own)],
        "rules": _records(rules, RULES, "rules"),
        "instructions": _records(instructions, INSTRUCTIONS, "instructions"),
    }


WIRE = ("configured_rules", "custom_instructions")


def _rules(given: Any) -> Any:
    if not isinstance(given, Mapping) or not all(isinstance(rules, Mapping) for rules in given.values()):
        raise ValueError("configured_rules: expected an object of category to rule to option")
    return [
        {"category": category, "rule": rule, "option": option}
        for category, rules in given.items()
        for rule, option in rules.items()
    ]


def _records(given: Any, names: tuple[str, ...], part: str) -> list[Record]:
    rows = [] if given is None else given
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{part}: expected a list of objects with {', '.join(names)}")
    return [
        Record(place, {name: _cell(row.get(name), f"{part}[{place}].{name}") for name in names})
        for place, row in enumerate(rows)
    ]


def _cell(value: Any, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{where}: expected text, found {type(value).__name__}")
    return str(value)
