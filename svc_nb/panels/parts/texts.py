"""Texts as a panel shows them: cells, days, and one-line errors."""

from __future__ import annotations

from typing import Any

import pandas as pd

from svc_nb.errors import Forbidden, SvcError, one_line

LONGEST_CELL = 300


def text_of(cell: Any) -> str:
    """A cell as text that can be sent: missing values are empty, half surrogate pairs U+FFFD, whole ones characters."""
    text = cell if isinstance(cell, str) else "" if pd.isna(cell) else str(cell)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def texts_of(column: pd.Series[Any]) -> list[str]:
    """The cells of a column as texts, at the speed of C if they are texts that can be sent."""
    cells = column.tolist()
    try:
        "".join(cells).encode()
    except (TypeError, UnicodeEncodeError):
        return [text_of(cell) for cell in cells]
    return cells


def cut(text: str, longest: int = LONGEST_CELL) -> str:
    """*text*, or its beginning if it is too long to show."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sentence(text: str) -> str:
    """*text* with a capital, to begin a line.

    >>> sentence("there is no result yet"), sentence("")
    ('There is no result yet', '')
    """
    return text[:1].upper() + text[1:]


def written_day(day: Any) -> str:
    """A day as 2026-10-31; a missing value as a dash."""
    return "–" if day is None else f"{day:%Y-%m-%d}"


def written_text(text: Any) -> str:
    """A text as it is."""
    return "" if text is None else str(text)


def lasting(seconds: float) -> str:
    """A duration in words.

    >>> lasting(0.2), lasting(42), lasting(200), lasting(9000)
    ('1 s', '42 s', '3 min', '2.5 h')
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


NO_ADMINISTRATOR = (
    "This key has no access to this (403 Forbidden). Connect with an administrator key: "
    "svc_nb.connect(admin_key=…) or SVC_ADMIN_KEY."
)


def admin_error_line(problem: Exception) -> str:
    """As `error_line`, if a 403 means that the key is not an administrator key."""
    return NO_ADMINISTRATOR if isinstance(problem, Forbidden) else error_line(problem)


def error_line(problem: Exception) -> str:
    """*problem* in a line; unexpected errors with their type."""
    known = isinstance(problem, SvcError | ValueError | OSError)
    return one_line(str(problem) if known else f"{type(problem).__name__}: {problem}", limit=600)
