"""Tables for people and for programs: fitted to a terminal, whole in a pipe, as JSON or CSV when asked."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from svc_nb.cli.failure import FAILED, LONGEST, Failure, let_go_of_stdout, tell
from svc_nb.errors import one_line
from svc_nb.tabular.records import columns_of, records

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.columns.summary import PlanSummary
    from svc_nb.tabular.report import Report

GAP = "  "
WORD = re.compile(r"[^_ ]*[_ ]|[^_ ]+")
PACKED = b"PK\x03\x04"
NARROWEST = 8
LONGEST_CELL = 300


# ---- tables with a line that says what they mean


def show_report(options: Namespace, table: Report, *, seen: Any = None) -> int:
    """Show a table and, on stderr, its line; people see *seen* in place of it, where that is given."""
    form = getattr(options, "form", None)
    show_table(table if form or seen is None else seen, form)
    if table.said and not options.quiet:
        tell(table.said.partition(" Next: ")[0])
    return 0


def show_lint(options: Namespace, found: Report) -> int:
    """Show what `lint` found, to people in a line each that names the place; 1 where it is more than a remark."""
    if not options.form:
        for each in records(found):
            # As editors and compilers write it: the place, how bad it is, what it is, and what to do.
            parts = (options.file, each.get("table"), each.get("line", each["row"]))
            place = ":".join(str(part) for part in parts if part is not None)
            about = ", ".join(filter(None, (each["code"], each.get("pair"), each.get("column"))))
            advice = f" -> {each['suggestion']}" if each["suggestion"] else ""
            print(one_line(f"{place}: {each['severity']}: {each['message']} [{about}]{advice}", limit=LONGEST))
    show_report(options, found, seen=found.head(0))
    return FAILED if found["severity"].isin(["error", "warning"]).any() else 0


def show_diff(options: Namespace, found: Report) -> int:
    """Show what `diff` found; 1 where there is a difference."""
    show_report(options, found)
    return FAILED if len(found) else 0


def plan_facts(plan: PlanSummary) -> dict[str, Any]:
    """What a plan counts, by name."""
    return {**{name: value for name, value in asdict(plan).items() if name != "title"}, "hints": list(plan.hints)}


def show_table(table: pd.DataFrame, form: str | None = None) -> None:
    """Write *table* to stdout: as "json", as "csv" (formulas guarded), or to be read, cut to the terminal's width."""
    if form == "json":
        write_out(json.dumps(records(table), ensure_ascii=False, indent=2).encode() + b"\n")
    elif form == "csv":
        from svc_nb.tabular.cells import guarded

        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(map(str, table.columns))
        for row in zip(*columns_of(table), strict=True):
            writer.writerow(guarded(cell, formula_safe=True) if isinstance(cell, str) else cell for cell in row)
        write_out(stream.getvalue().encode("utf-8", "replace"))
    elif len(table):
        print("\n".join(lines(table, width=terminal_width())))


def show_json(facts: dict[str, Any] | Sequence[dict[str, Any]]) -> None:
    """Write named values, or a list of such, to stdout as JSON."""
    print(json.dumps(facts, indent=2))


def write_out(data: bytes) -> None:
    """Write all of *data* to stdout, whatever the terminal's encoding; a workbook is not for a terminal."""
    if data.startswith(PACKED):
        refuse_terminal()
    try:
        sys.stdout.flush()
        left = memoryview(data)
        while left:  # with PYTHONUNBUFFERED a write may take only a part
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    except OSError:
        let_go_of_stdout()
        raise


def refuse_terminal() -> None:
    """Raise Failure where stdout is a terminal, which a workbook or the like is not for."""
    if sys.stdout.isatty():
        raise Failure("a packed file cannot be read on a terminal; name a file by --out, or send it into a pipe")


def terminal_width() -> int | None:
    """How wide the terminal is that stdout is; None if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


# ---- tables as lines


def lines(table: pd.DataFrame, *, width: int | None) -> list[str]:
    """*table* as lines of at most *width* columns: texts to the left, numbers to the right."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    names = [one_line(str(name)) for name in table.columns]
    cells = [[_cell(value) for value in column] for column in columns_of(table)]
    heads = [[name] for name in names]
    widths = _widest(heads, cells)
    if width is not None and sum(widths) + len(GAP) * (len(names) - 1) > width:
        rooms = [max(map(breadth, column), default=0) for column in cells]
        heads = [_name_lines(name, room) for name, room in zip(names, rooms, strict=True)]
        most = max(map(len, heads), default=0)
        heads = [[""] * (most - len(head)) + head for head in heads]
        widths = _fitted(_widest(heads, cells), width)
        if not widths:
            return _blocks(names, cells, width)
    right = [is_numeric_dtype(each) and not is_bool_dtype(each) for each in table.dtypes]
    padded = [
        [_padded(_cut(text, room), room, right=number) for text in (*head, *column)]
        for head, column, room, number in zip(heads, cells, widths, right, strict=True)
    ]
    return [GAP.join(row).rstrip() for row in zip(*padded, strict=True)]


def breadth(text: str) -> int:
    """How many columns of a terminal *text* takes.

    >>> breadth("abc"), breadth("日本")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def _widest(heads: Sequence[Sequence[str]], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(breadth, (*head, *column))) for head, column in zip(heads, cells, strict=True)]


def _name_lines(name: str, room: int) -> list[str]:
    """*name* in lines of at most *room*, or of its longest word.

    >>> _name_lines("text_translation_characters", 8)
    ['text_', 'translation_', 'characters']
    """
    words = WORD.findall(name) or [name]
    widest = max(room, *map(breadth, words))
    found = [words[0]]
    for word in words[1:]:
        if breadth(found[-1] + word) <= widest:
            found[-1] += word
        else:
            found.append(word)
    return [line.rstrip() for line in found]


def _fitted(widest: Sequence[int], width: int) -> list[int]:
    """The widths of columns that fit together into *width*: the widest give way; none if that leaves too little."""
    room = width - len(GAP) * (len(widest) - 1)
    widths = list(widest)
    if sum(min(each, NARROWEST) for each in widths) > room:
        return []
    while sum(widths) > room:
        wide = max(widths)
        second = max((each for each in widths if each < wide), default=NARROWEST)
        places = [place for place, each in enumerate(widths) if each == wide]
        give = min(wide - max(second, NARROWEST), -(-(sum(widths) - room) // len(places)))
        for place in places:
            widths[place] -= max(give, 1)
    return widths


def _blocks(names: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> list[str]:
    label = max(map(breadth, names), default=0)
    found: list[str] = []
    for row in zip(*cells, strict=True):
        named = zip(names, row, strict=True)
        found += ["", *(f"{_padded(name, label)}{GAP}{cell}" for name, cell in named if cell)]
    return [_cut(line, max(width, NARROWEST)) for line in found[1:]]


def _padded(text: str, room: int, *, right: bool = False) -> str:
    spaces = " " * (room - breadth(text))
    return spaces + text if right else text + spaces


def _cut(text: str, room: int) -> str:
    if breadth(text) <= room:
        return text
    kept, used = [], 1
    for each in text:
        used += breadth(each)
        if used > room:
            break
        kept.append(each)
    return "".join(kept) + "…"


def _cell(value: Any) -> str:
    """A cell as one line; nothing in it can move the cursor or colour the terminal."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int | float):
        return f"{round(value, 2):,}"
    return one_line(str(value), limit=LONGEST_CELL)
