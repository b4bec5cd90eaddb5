"""The stored answers as tables and files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from os import PathLike
from pathlib import Path

import pandas as pd

from svc_nb.batch.store import Entry, Store
from svc_nb.frames.column import TEXT

COLUMNS = (
    "operation",
    "source_lang",
    "target_lang",
    "source",
    "text",
    "language",
    "billed_characters",
    "service",
    "made",
)
ROWS_A_CHUNK = 10_000
# With this ending, every carriage return and every newline inside a text is quoted.
CRLF = "\r\n"


def table(store: Store, *, operation: str | None = None, target_lang: str | None = None) -> pd.DataFrame:
    """Every stored answer as a row: what was sent, what came back, what it cost, when and from whom."""
    return _frame(store.entries(operation=operation, target_lang=target_lang))


def write(
    store: Store, path: str | PathLike[str], *, operation: str | None = None, target_lang: str | None = None
) -> int:
    """Write that table to a .csv or .tsv file, chunk by chunk, and return the number of rows."""
    separator = {".csv": ",", ".tsv": "\t"}.get(Path(path).suffix.lower())
    if separator is None:
        raise ValueError(f"{Path(path).name}: expected a name that ends in .csv or .tsv")
    entries = store.entries(operation=operation, target_lang=target_lang)
    rows = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        _frame(iter(())).to_csv(file, sep=separator, index=False, lineterminator=CRLF)
        while len(chunk := _frame(islice(entries, ROWS_A_CHUNK))):
            chunk.to_csv(file, sep=separator, index=False, header=False, lineterminator=CRLF)
            rows += len(chunk)
    return rows


def _frame(entries: Iterator[Entry]) -> pd.DataFrame:
    frame = pd.DataFrame([_row(entry) for entry in entries], columns=list(COLUMNS))
    kinds = dict.fromkeys(COLUMNS, TEXT) | {"billed_characters": "Int64", "made": "datetime64[us, UTC]"}
    return frame.astype(kinds)


def _row(entry: Entry) -> tuple[object, ...]:
    answer = entry.answer
    return (
        entry.operation,
        entry.source_lang,
        entry.target_lang,
        entry.source,
        answer.text,
        answer.language,
        answer.billed,
        entry.service,
        entry.made,
    )
