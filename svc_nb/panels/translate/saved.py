"""What a saved notebook keeps of the translate panel: counts, and the first rows only where that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from svc_nb.panels import still
from svc_nb.panels.grid import Field
from svc_nb.panels.line import Line
from svc_nb.panels.translate.results import Results


def page(line: Line, *, figures: Sequence[dict[str, str]], results: Results | None = None) -> str:
    """The counts, or the first rows of *results*, with what *line* says."""
    if results is None or not len(results.table):
        counts = [[each["name"], each["value"], each["note"]] for each in figures]
        return still.page(name=line.still, said=line.text, rows=counts)
    some = results.shown.head(still.MOST_ROWS)
    columns = [_cells(some[field.name], field) for field in results.fields]
    rows = [list(row) for row in zip(*columns, strict=True)]
    heading = [field.title for field in results.fields]
    return still.page(name=line.still, said=line.text, heading=heading, rows=rows)


def _cells(column: pd.Series[Any], field: Field) -> list[str]:
    gaps = column.isna().tolist()
    return [field.written(None if gap else cell) for cell, gap in zip(column.tolist(), gaps, strict=True)]
