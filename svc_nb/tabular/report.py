"""A table with a line that says what it means and what to do next, and with rows marked by colour."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pandas as pd

from svc_nb.advice import plural as plural
from svc_nb.signatures import hides

MOST_ROWS = 60
EDGE_ROWS = 5
LONGEST_CELL = 300
MOST_SHOWN = 40
MOST_NAMED = 5
# Long lines are better than columns left out.
WIDE = ("display.max_columns", None, "display.max_colwidth", 80, "display.expand_frame_repr", False)
# Light enough for dark and light text.
SHADES = {
    "error": "rgba(220, 38, 38, .16)",
    "conflict": "rgba(220, 38, 38, .16)",
    "removed": "rgba(220, 38, 38, .16)",
    "warning": "rgba(217, 119, 6, .16)",
    "changed": "rgba(217, 119, 6, .16)",
    "added": "rgba(22, 163, 74, .16)",
    "info": "rgba(37, 99, 235, .10)",
}


@hides("marks")
class Report(pd.DataFrame):
    """*frame* with a line, `said`; the values in the column *marks* colour the rows in HTML.

    Otherwise it is a DataFrame, and tables made from it are plain ones. Cells are shown as text, never as HTML.
    """

    _metadata = ["said", "marks"]
    said: str
    marks: str | None

    def __init__(self, frame: Any, said: str = "", *, marks: str | None = None) -> None:
        super().__init__(frame)  # type: ignore[call-arg]
        self.attrs.update(getattr(frame, "attrs", {}))
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "marks", marks)

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __repr__(self) -> str:
        if not len(self):
            return self.said or super().__repr__()
        with pd.option_context(*WIDE):
            return f"{super().__repr__()}\n\n{self.said}".rstrip()

    def _repr_html_(self) -> str:
        said = f"<p>{escape(self.said)}</p>" if self.said else ""
        if not len(self) and said:
            return said
        # Without these classes a notebook would render "$...$" in a cell as mathematics.
        return f"<div class='tex2jax_ignore mathjax_ignore'>{self._table()}{said}</div>"

    def _table(self) -> str:
        shades: list[str | None] = [None] * len(self)
        if self.marks:
            shades = [SHADES.get(str(mark)) for mark in self[self.marks]]
        columns = [self.iloc[:, number] for number in range(self.shape[1])]  # a row would have one type
        count = len(self)
        places: Iterable[int] = range(count)
        if count > MOST_ROWS:
            places = [*range(MOST_ROWS - EDGE_ROWS), *range(count - EDGE_ROWS, count)]
        lines = [
            _line("td", map(_shown, [self.index[at], *(column.iloc[at] for column in columns)]), shades[at])
            for at in places
        ]
        if count > MOST_ROWS:
            lines.insert(MOST_ROWS - EDGE_ROWS, _line("td", ["⋮"] * (len(columns) + 1), None))
        label = "" if self.index.name is None else str(self.index.name)
        head = _line("th", [label, *map(str, self.columns)], None)
        return f"<table class='dataframe'><thead>{head}</thead><tbody>{''.join(lines)}</tbody></table>"


def _line(kind: str, cells: Iterable[str], shade: str | None) -> str:
    colour = f" style='background: {shade}'" if shade else ""
    look = "text-align: left; white-space: pre-wrap"
    inside = "".join(f"<{kind} style='{look}'>{escape(cell)}</{kind}>" for cell in cells)
    return f"<tr{colour}>{inside}</tr>"


def _shown(cell: Any) -> str:
    if cell is None or (pd.api.types.is_scalar(cell) and pd.isna(cell)):
        return ""
    is_day = isinstance(cell, pd.Timestamp) and cell.tzinfo is None and cell == cell.normalize()
    text = str(cell.date()) if is_day else str(cell)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def short(text: str) -> str:
    """*text*, shortened for a message."""
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def named(labels: Sequence[Any]) -> str:
    """The first few of some row labels, for a message."""
    first = ", ".join(short(str(label)) for label in labels[:MOST_NAMED])
    return first if len(labels) <= MOST_NAMED else f"{first}, …"
