"""The table beside a picture: the numbers that it shows, summed as it sums them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.panels.parts.grid import Field
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.display_names import coded
from svc_nb.usage.totals import FIELDS, amounts, dates_of, in_unit, is_minutes

TITLES = {
    "total_characters": "Characters",
    "text_translation_characters": "Text",
    "document_translation_characters": "Documents",
    "text_improvement_characters": "Improvement",
    "speech_to_text_minutes": "Speech min",
    "speech_to_speech_minutes": "Voice min",
}


def summed(table: pd.DataFrame, *, by_name: bool, by_day: bool, first: str | None = None) -> pd.DataFrame:
    """The amounts of *table*, added up exactly, for each `name`, each `usage_date`, both or all together.

    Days stand in their order, and the names of one day as they stand in *table*; without days the largest come
    first: those with most of the amount *first*, or of the first amount that there is.
    """
    fields = [field for field in FIELDS if field in table.columns]
    names, found = coded(table) if by_name else (np.zeros(len(table), dtype=np.intp), [])
    dates = dates_of(table) if by_day else np.zeros(len(table), dtype="datetime64[D]")
    numbers, places = _numbered(names, dates)
    columns: dict[str, Any] = {}
    if by_day:
        columns["usage_date"] = dates[places].astype("datetime64[s]")
    if by_name:
        columns["name"] = pd.array(found, dtype=TEXT).take(names[places])
    for field in fields:
        sums = np.zeros(len(places), dtype=np.int64)
        np.add.at(sums, numbers, amounts(table, field))
        columns[field] = in_unit(sums, field)
    rows = pd.DataFrame(columns)
    if by_day or not len(rows):
        return rows
    largest = first if first in fields else fields[0]
    return rows.iloc[np.argsort(-amounts(rows, largest), kind="stable")].reset_index(drop=True)


def fields_of(rows: pd.DataFrame, *, who: str, first: str) -> list[Field]:
    """The columns to show of *rows*: the day, the name, the amount *first*, and the other amounts."""
    found = [Field("usage_date", "Day (UTC)", written_day, kind="text")] if "usage_date" in rows else []
    if "name" in rows:
        found.append(Field("name", who, written_text, kind="text"))
    known: Sequence[str] = [field for field in FIELDS if field in rows]
    ordered = sorted(known, key=lambda field: field != first)
    amounts = enumerate(ordered)  # the later ones can be spared where there is little room
    return [*found, *(Field(name, TITLES[name], written_amount(name), spare=at) for at, name in amounts)]


def written_amount(field: str) -> Any:
    """How an amount of *field* is written: with separators for thousands, minutes with one decimal."""
    digits = 1 if is_minutes(field) else 0
    return lambda count: "–" if count is None else f"{count:,.{digits}f}"


def written_day(day: Any) -> str:
    """A day as 2026-10-31; a gap as a dash."""
    return "–" if day is None else f"{day:%Y-%m-%d}"


def written_text(text: Any) -> str:
    """A text as it is."""
    return "" if text is None else str(text)


def _numbered(names: Any, dates: Any) -> tuple[Any, Any]:
    """For each row the number of its sum, and for each sum the place of its first row."""
    if not len(names):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    crossed = (dates - dates.min()).astype(np.intp) * (int(names.max()) + 1) + names
    if (np.diff(crossed) > 0).all():  # as the service has them: nothing to add up
        return np.arange(len(crossed)), np.arange(len(crossed))
    numbers, found = pd.factorize(crossed)
    places = np.full(len(found), len(crossed), dtype=np.intp)
    np.minimum.at(places, numbers, np.arange(len(crossed)))
    return numbers, places
