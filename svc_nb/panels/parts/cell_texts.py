"""Cells as texts that can be sent and shown."""

from __future__ import annotations

from typing import Any

import pandas as pd

LONGEST_CELL = 300


def text_of(cell: Any) -> str:
    """A cell as a text that can be sent: a gap is empty, half a surrogate pair is U+FFFD, and a whole one a letter."""
    text = cell if isinstance(cell, str) else "" if pd.isna(cell) else str(cell)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def texts_of(column: pd.Series[Any]) -> list[str]:
    """The cells of a column as texts, at the speed of C where they are texts that can be sent."""
    cells = column.tolist()
    try:
        "".join(cells).encode()
    except (TypeError, UnicodeEncodeError):
        return [text_of(cell) for cell in cells]
    return cells


def cut(text: str, longest: int = LONGEST_CELL) -> str:
    """*text*, or its beginning where it is too long to show."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
