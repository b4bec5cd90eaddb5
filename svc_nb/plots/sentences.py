"""What charts say of a table of usage in words: titles, and sentences for those who cannot see."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.plots.text import day_in_words, percent, span_in_words, whole
from svc_nb.usage.totals import dates_of, is_minutes

FIELDS = {
    "total_characters": "Characters",
    "text_translation_characters": "Characters of text translation",
    "document_translation_characters": "Characters of document translation",
    "text_improvement_characters": "Characters of text improvement",
    "speech_to_text_minutes": "Minutes of speech to text",
    "speech_to_speech_minutes": "Minutes of speech to speech",
}
PRODUCTS = {
    "text_translation_characters": "Text translation",
    "document_translation_characters": "Document translation",
    "text_improvement_characters": "Text improvement",
    "total_characters": "Other products",
}


def what(field: str) -> str:
    """What is counted in *field*."""
    return FIELDS.get(field, field.replace("_", " ").capitalize())


def unit(field: str) -> str:
    """The unit of *field*."""
    return "minutes" if is_minutes(field) else "characters"


def who(table: pd.DataFrame) -> str:
    """What the rows of *table* are of: keys or tags."""
    return "tag" if "custom_tag" in table.columns else "key"


def span(table: pd.DataFrame) -> str:
    """The days of *table*; those that were asked for, where it knows them."""
    first, last = getattr(table, "start", None), getattr(table, "end", None)
    if not (isinstance(first, date) and isinstance(last, date)):
        if "usage_date" not in table.columns or not len(table):
            return ""
        dates = dates_of(table)
        first, last = dates.min().item(), dates.max().item()
    return span_in_words(*(date(day.year, day.month, day.day) for day in (first, last)))


def incomplete_days(table: pd.DataFrame) -> list[date]:
    """The days of *table* that are not over."""
    if "incomplete" not in table.columns or "usage_date" not in table.columns or not len(table):
        return []
    marked = table["incomplete"].fillna(False).to_numpy(dtype=bool)
    return [day.item() for day in np.unique(dates_of(table[marked]))]


def unfinished(table: pd.DataFrame) -> str:
    """A sentence about the days that are not over, if there are any."""
    days = [day_in_words(day) for day in incomplete_days(table)]
    return f"{', '.join(days)} {'is' if len(days) == 1 else 'are'} not over: more may come." if days else ""


def still(table: pd.DataFrame) -> str:
    """The days that are not over, in few words."""
    days = incomplete_days(table)
    return f"{', '.join(map(day_in_words, days))} not over" if days else ""


def in_all(amount: float, field: str) -> str:
    """A total with its unit."""
    return f"{whole(amount)} {unit(field)} in all"


def largest(sums: pd.Series[Any]) -> str:
    """A sentence about the largest of *sums*, in percent."""
    total = float(sums.sum())
    parts = [f"{name} ({percent(amount / total)})" for name, amount in sums.items() if amount > 0][:3]
    if not parts:
        return ""
    left = int((sums > 0).sum()) - len(parts)
    more = f" and {left} more" if left else ""
    return f"{'Largest' if left or len(parts) > 1 else 'Only'}: {', '.join(parts)}{more}."
