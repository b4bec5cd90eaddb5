"""The saved answers as tables and files."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path

import pandas as pd
from msgspec import structs

from svc_nb.engine.outcome import PERSON
from svc_nb.engine.store import Store, StoredAnswer
from svc_nb.language_codes import normal
from svc_nb.tabular.cells import guarded
from svc_nb.tabular.text_column import TEXT

COLUMNS = (
    *("operation", "source_lang", "target_lang", "source", "text", "language", "translator"),
    *("billed_characters", "service", "made"),
)
# These may contain anything.
TEXTS = ("source", "text")
KEY = "key"
ROWS_A_CHUNK = 10_000
# With this line ending, every carriage return and every newline inside a text is quoted.
CRLF = "\r\n"


def table(store: Store, *, operation: str | None = None, target_lang: str | None = None) -> pd.DataFrame:
    """Every saved answer as a row: what was sent, what came back, its cost, its time and its translator."""
    return _frame(store.entries(operation=operation, target_lang=target_lang))


def find(
    store: Store, *, text: str | None = None, operation: str | None = None, target_lang: str | None = None
) -> pd.DataFrame:
    """The saved answers to texts that contain *text*, as in `table`; the index identifies each answer in the store."""
    entries = list(store.entries(text=text, operation=operation, target_lang=target_lang))
    found = _frame(iter(entries))
    found.index = pd.Index([entry.key.hex() for entry in entries], name=KEY, dtype=TEXT)
    return found


def forget(store: Store, found: pd.DataFrame) -> int:
    """Delete the answers in *found*, a table from `find`; returns how many."""
    return store.forget(_keys(found))


def correct(store: Store, found: pd.DataFrame) -> int:
    """Save the texts of *found*, a table from `find`, as edited by the user; returns how many were changed."""
    keys = _keys(found)
    if missing := [name for name in COLUMNS if name not in found]:
        raise TypeError(f"expected the columns of svc_nb.store.find(); missing: {', '.join(missing)}")
    known = store.get(keys)
    entries = []
    for key, row in zip(keys, found.to_dict("records"), strict=True):
        if key not in known:
            raise KeyError(f"the store no longer has the answer to {row['source'][:40]!r}. Call find() again")
        if known[key].text is None:  # a detected language has no wording
            continue
        if not isinstance(row["text"], str) or not row["text"].strip():
            raise ValueError(f"text: expected a wording for {row['source'][:40]!r}, found {row['text']!r}")
        if row["text"] == known[key].text:
            continue
        own = structs.replace(known[key], text=row["text"], model=PERSON)
        languages = (None if pd.isna(row[name]) else row[name] for name in ("source_lang", "target_lang"))
        entries.append(StoredAnswer(key, row["source"], own, row["operation"], row["service"], *languages))
    store.put(entries)
    return len(entries)


def _keys(found: pd.DataFrame) -> list[bytes]:
    if not isinstance(found, pd.DataFrame) or found.index.name != KEY:
        raise TypeError(f"expected a table from svc_nb.store.find(), with its index, found {type(found).__name__}")
    return [bytes.fromhex(key) for key in found.index]


def write(
    store: Store,
    path: str | PathLike[str],
    *,
    operation: str | None = None,
    target_lang: str | None = None,
    formula_safe: bool = False,
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
            for name in TEXTS if formula_safe else ():
                chunk[name] = chunk[name].map(partial(guarded, formula_safe=True), na_action="ignore")
            chunk.to_csv(file, sep=separator, index=False, header=False, lineterminator=CRLF)
            rows += len(chunk)
    return rows


def _frame(entries: Iterator[StoredAnswer]) -> pd.DataFrame:
    rows = [
        (
            entry.operation,
            entry.source_lang and normal(entry.source_lang),
            entry.target_lang and normal(entry.target_lang),
            entry.source,
            entry.answer.text,
            entry.answer.language and normal(entry.answer.language),
            entry.answer.model,
            entry.answer.billed,
            entry.service,
            entry.made,
        )
        for entry in entries
    ]
    kinds = dict.fromkeys(COLUMNS, TEXT) | {"billed_characters": "Int64", "made": "datetime64[us, UTC]"}
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(kinds)
