"""Tables of usage to show."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd

from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.days import today


def usage(keys: int | list[str] = 3, days: int = 10, *, end: date | None = None) -> pd.DataFrame:
    """Use by so many keys, or by keys with these labels, on so many days up to *end*, today if it is None."""
    labels = [f"Team {number}" for number in range(keys)] if isinstance(keys, int) else keys
    last = end or today()
    dates = np.arange(last - timedelta(days=days - 1), last + timedelta(days=1), dtype="datetime64[D]")
    count = len(labels) * days
    amounts = np.random.default_rng(5).integers(1, 9000, (3, count))
    masks = [f"{number:04x}********{number:04x}" for number in range(len(labels))]
    return pd.DataFrame(
        {
            "usage_date": np.repeat(dates.astype("datetime64[s]"), len(labels)),
            "api_key": pd.array(masks * days, dtype=TEXT),
            "api_key_label": pd.array(labels * days, dtype=TEXT),
            "total_characters": amounts.sum(axis=0),
            "text_translation_characters": amounts[0],
            "document_translation_characters": amounts[1],
            "text_improvement_characters": amounts[2],
            "speech_to_text_minutes": np.arange(count) / 4,
            "incomplete": np.repeat(dates == np.datetime64(today()), len(labels)),
        }
    )
