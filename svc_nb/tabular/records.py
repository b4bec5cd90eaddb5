"""A table as Python's own values, for JSON and for lines."""

from typing import Any

import pandas as pd


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of *table* by the names of its columns, as Python's own values; gaps as None.

    >>> records(pd.DataFrame({"term": ["Haus", None], "count": [2, 3]}))
    [{'term': 'Haus', 'count': 2}, {'term': None, 'count': 3}]
    """
    return [dict(zip(map(str, table.columns), row, strict=True)) for row in zip(*columns_of(table), strict=True)]


def columns_of(table: pd.DataFrame) -> list[list[Any]]:
    """The cells of every column as Python's own values; days as 2026-10-31, moments to the second, gaps as None."""
    found = []
    for place in range(len(table.columns)):
        column = table.iloc[:, place]
        gaps = column.isna().tolist()
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            is_day = not gaps or bool((column.dropna() == column.dropna().dt.normalize()).all())
            values = column.dt.strftime("%Y-%m-%d" if is_day else "%Y-%m-%d %H:%M:%S").tolist()
        else:
            cells = column.astype(object).tolist()
            values = [value.item() if hasattr(value, "item") else value for value in cells]
        found.append([None if gap else value for value, gap in zip(values, gaps, strict=True)])
    return found
