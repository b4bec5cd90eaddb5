"""Rows that every engine must treat as pandas does, and what pandas makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
# Names that mean something in a query, or to us. DuckDB and Spark tell no case.
NAMES = [
    "a.b",
    "^x$",
    "x",
    "*",
    'a"b',
    "we`ird",
    "it's",
    "text",
    "lang",
    "r0",
    "rows",
    "count",
    "pair",
    "two words",
    "Straße",
    "{0} %s",
]


# What a table of `rows` has for each of its own texts.
OWN = {"source_lang": "lang", "context": "title"}


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


def ended(code: str, store: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The result of *code* in a separate process that keeps its answers in the folder *store*."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "SVC_STORE": str(store / "answers.sqlite"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
