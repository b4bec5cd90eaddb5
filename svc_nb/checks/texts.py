"""A column of texts as it is taken in here, and in pieces, so that memory is bounded whatever its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.tabular.column import as_text

MOST_CHARACTERS = 1 << 21
MOST_ROWS = 1 << 15


def as_texts(column: Any, name: str) -> pd.Series[Any]:
    """*column* as a Series of texts and gaps; anything else in it raises TypeError that names the row."""
    if isinstance(column, str | pd.DataFrame) or not isinstance(column, Iterable):
        raise TypeError(f"{name}: expected a column of texts, found {type(column).__name__}")
    series = column if isinstance(column, pd.Series) else pd.Series(list(column), dtype=object)
    if isinstance(series.dtype, pd.StringDtype):
        return series
    cells = series.astype(object)
    gaps = cells.isna().to_numpy()
    for place, cell in enumerate(cells.tolist()):
        if not isinstance(cell, str) and not gaps[place]:
            kind = type(cell).__name__
            raise TypeError(
                f"{name}, row {place} (label {series.index[place]!r}): expected text, found {kind}. {as_text(kind)}."
            )
    return cells


def chunks(column: pd.Series[Any]) -> Iterator[tuple[int, pd.Series[Any]]]:
    """The column in pieces of bounded size, each with the position of its first row."""
    if not len(column):
        return
    total = np.cumsum(_lengths(column))
    first = 0
    while first < len(column):
        before = total[first - 1] if first else 0
        end = int(np.searchsorted(total, before + MOST_CHARACTERS, side="right"))
        end = min(max(end, first + 1), first + MOST_ROWS, len(column))
        yield first, column.iloc[first:end]
        first = end


def _lengths(column: pd.Series[Any]) -> npt.NDArray[np.int64]:
    if isinstance(column.dtype, pd.StringDtype):
        counted: Any = column.str.len().to_numpy(dtype=np.int64, na_value=0)
        return np.asarray(counted, dtype=np.int64)
    return np.array([len(text) if isinstance(text, str) else 0 for text in column.tolist()], dtype=np.int64)
