"""Tables for people and for programs: fitted to a terminal, whole in a pipe, as JSON or CSV when asked."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from svc_nb.cli.failure import Failure, let_go_of_stdout
from svc_nb.errors import one_line

if TYPE_CHECKING:
    import pandas as pd

GAP = "  "
WORD = re.compile(r"[^_ ]*[_ ]|[^_ ]+")
PACKED = b"PK\x03\x04"
NARROWEST = 8
LONGEST_CELL = 300


def show(table: pd.DataFrame, form: str | None = None) -> None:
    """Write *table* to stdout: as "json", as "csv", or to be read, cut to the terminal's width where there is one."""
    if form == "json":
        write_out(json.dumps(records(table), ensure_ascii=False, indent=2).encode() + b"\n")
    elif form == "csv":
        write_out(_csv(table))
    elif len(table):
        print("\n".join(lines(table, width=terminal_width())))


def show_facts(facts: dict[str, Any] | Sequence[dict[str, Any]]) -> None:
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
        raise Failure(
            "a packed file cannot be read on a terminal; name a file by --out, or send it into a pipe"
        )


def lines(table: pd.DataFrame, *, width: int | None) -> list[str]:
    """*table* as lines of at most *width* columns: texts to the left, numbers to the right.

    Where that is too narrow, names are broken into lines before cells are cut; where not even the beginnings of all
    cells fit side by side, each row becomes a block of lines.
    """
    names = [one_line(str(name)) for name in table.columns]
    cells = [[_shown(cell) for cell in _values(table.iloc[:, place])] for place in range(len(names))]
    heads = [[name] for name in names]
    widest = _widest(heads, cells)
    widths: list[int] | None = widest
    if width is not None and sum(widest) + len(GAP) * (len(names) - 1) > width:
        heads = _broken(names, cells)
        widths = _fitted(_widest(heads, cells), width)
    if widths is None:
        return _blocks(names, cells, width or 0)
    padded = [
        [_padded(_cut(text, room), room, right=_is_number(table.iloc[:, place])) for text in (*head, *column)]
        for place, (head, column, room) in enumerate(zip(heads, cells, widths, strict=True))
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


def terminal_width() -> int | None:
    """How wide the terminal is that stdout is; None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _widest(heads: Sequence[Sequence[str]], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(breadth, (*head, *column))) for head, column in zip(heads, cells, strict=True)]


def _broken(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """Each name in as many lines as its cells are narrow, all of them with the same number of lines."""
    rooms = [max(map(breadth, column), default=0) for column in cells]
    heads = [_name_lines(name, room) for name, room in zip(names, rooms, strict=True)]
    most = max(map(len, heads), default=0)
    return [[""] * (most - len(head)) + head for head in heads]


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


def _fitted(widest: Sequence[int], width: int) -> list[int] | None:
    """The widths of columns that fit together into *width*: the widest give way; None where that leaves too little."""
    room = width - len(GAP) * (len(widest) - 1)
    widths = list(widest)
    if sum(min(each, NARROWEST) for each in widths) > room:
        return None
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
    shown: list[str] = []
    for row in zip(*cells, strict=True):
        shown += [
            "",
            *(f"{_padded(name, label)}{GAP}{cell}" for name, cell in zip(names, row, strict=True) if cell),
        ]
    return [_cut(line, max(width, NARROWEST)) for line in shown[1:]]


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


def _shown(cell: Any) -> str:
    """A cell as one line; nothing in it can move the cursor or colour the terminal."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else ""
    if isinstance(cell, int | float):
        return f"{round(cell, 2):,}"
    return one_line(str(cell), limit=LONGEST_CELL)


def _is_number(column: pd.Series[Any]) -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)


def _values(column: pd.Series[Any]) -> list[Any]:
    """The cells as Python's own values; days as 2026-10-31, moments to the second, gaps as None."""
    import pandas as pd

    gaps = column.isna().tolist()
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        is_day = not gaps or bool((column.dropna() == column.dropna().dt.normalize()).all())
        texts = column.dt.strftime("%Y-%m-%d" if is_day else "%Y-%m-%d %H:%M:%S").tolist()
        return [None if gap else text for text, gap in zip(texts, gaps, strict=True)]
    values = column.astype(object).tolist()
    return [None if gap else _own(value) for value, gap in zip(values, gaps, strict=True)]


def _own(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of *table* by the names of its columns, as Python's own values; gaps as None."""
    columns = [_values(table.iloc[:, place]) for place in range(len(table.columns))]
    return [dict(zip(map(str, table.columns), row, strict=True)) for row in zip(*columns, strict=True)]


def _csv(table: pd.DataFrame) -> bytes:
    """*table* in UTF-8; a text that a spreadsheet would run as a formula has an apostrophe before it."""
    import csv
    import io

    from svc_nb.tabular.formulas import guarded

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(str, table.columns))
    columns = [_values(table.iloc[:, place]) for place in range(len(table.columns))]
    for row in zip(*columns, strict=True):
        writer.writerow([guarded(cell, formula_safe=True) if isinstance(cell, str) else cell for cell in row])
    return stream.getvalue().encode("utf-8", "replace")
