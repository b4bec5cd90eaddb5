"""Rows that every engine must treat as pandas does, and what pandas makes of them."""

from __future__ import annotations

import pandas as pd

# Gaps, texts that are not worth sending, texts that differ in little, scripts from right to left, and doubles.
TEXTS = [
    "Guten Morgen",
    "guten Morgen",
    "Guten Morgen ",
    None,
    "",
    "   ",
    "12,50",
    "🙂",
    "https://example.com/a?b=1",
    "שלום לכם",
    "Zeile eins\nZeile zwei",
    "Er sagt: \"Ja\", 'nein' und `vielleicht` \\ {0} %s $1",
    "Straße 🙂 café",
    "Guten Morgen",
]
LANGUAGES = ["DE", "DE", "FR", None, "DE", "", "DE", None, "DE", "HE", "DE", "DE", "FR", "FR"]


def rows(times: int = 1) -> pd.DataFrame:
    """A table with each of the texts *times* times, numbered."""
    number = len(TEXTS) * times
    return pd.DataFrame(
        {
            "text": pd.array(TEXTS * times, dtype="str" if pd.__version__ >= "3" else "string"),
            "title": pd.array((TEXTS[::-1] * times), dtype="str" if pd.__version__ >= "3" else "string"),
            "lang": pd.array(LANGUAGES * times, dtype="str" if pd.__version__ >= "3" else "string"),
            "n": range(number),
        }
    )


def cells(column) -> list[str | None]:
    """The cells of any engine's column, with None for every gap."""
    return [cell if isinstance(cell, str) else None for cell in column]


def distinct_characters(column: pd.Series) -> int:
    """What the texts of a column cost when each different one is paid for once, as the core plans it."""
    return column.svc.plan("DE").characters
