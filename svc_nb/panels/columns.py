"""The columns of a table as a panel sees them: which of them hold texts, and how their labels read."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

LOOKED_AT = 1000
NO_COLUMN = "No column of this table holds texts."


def holds_texts(column: pd.Series[Any]) -> bool:
    """Whether there are texts in *column*; of one without any cell whether there could be."""
    dtype = column.dtype
    if isinstance(dtype, pd.StringDtype):
        return True
    if isinstance(dtype, pd.CategoricalDtype):
        return any(isinstance(each, str) for each in dtype.categories[:LOOKED_AT])
    if dtype.kind != "O":
        return False
    cells = column.dropna().iloc[:LOOKED_AT]
    return not len(cells) or any(isinstance(cell, str) for cell in cells)


def written(label: Hashable) -> str:
    """A label as a person reads it.

    >>> written("title"), written(("text", "title")), written(3)
    ('title', 'text / title', '3')
    """
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def told_apart(column: pd.Series[Any]) -> list[str | None]:
    """The cells of *column* as texts that can be compared; None for gaps."""
    gaps = column.isna().tolist()
    return [None if gap else str(cell) for cell, gap in zip(column.tolist(), gaps, strict=True)]
