"""Days without use as rows with 0, for every key or tag that was seen."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.usage.days import day_of
from svc_nb.usage.sums import FIELDS, dates_of, is_minutes
from svc_nb.usage.table import Usage, told

WHO = ("api_key", "api_key_label", "custom_tag")


def filled(usage: Usage, *, today: date) -> Usage:
    """*usage* with a row for every key seen on every day of its range up to *today*; what was there stays."""
    if not len(usage):
        return usage
    first, last = np.datetime64(day_of(usage.start)), np.datetime64(min(day_of(usage.end), today))
    dates = dates_of(usage)
    days = np.union1d(np.arange(first, last + 1), dates)  # a service may tell of days outside of the range
    keys, firsts = _identities(usage)
    places = np.full(len(days) * len(firsts), -1, dtype=np.intp)
    places[np.searchsorted(days, dates) * len(firsts) + keys] = np.arange(len(usage))
    return _spread(usage, places, np.repeat(days, len(firsts)), np.tile(firsts, len(days)), today)


def _identities(usage: Usage) -> tuple[Any, Any]:
    """For each row the number of its key, and for each key its first row; two that look the same are two."""
    who = [name for name in WHO if name in usage.columns]
    nth = usage.groupby(["usage_date", *who], sort=False, dropna=False).cumcount()
    keys = usage.assign(nth=nth).groupby([*who, "nth"], sort=False, dropna=False).ngroup().to_numpy()
    _, firsts = np.unique(keys, return_index=True)
    return keys, firsts


def _spread(usage: Usage, places: Any, dates: Any, whose: Any, today: date) -> Usage:
    """The rows at *places*, and for -1 one with 0 for the key of the row *whose*."""
    columns: dict[str, Any] = {"usage_date": dates.astype("datetime64[s]")}
    for name in usage.columns:
        cells = usage[name].array
        if name in WHO:
            columns[name] = cells.take(whose)
        elif name in FIELDS:
            zero: Any = 0.0 if is_minutes(name) else 0
            columns[name] = np.where(places < 0, zero, cells.take(np.maximum(places, 0)))
    columns["incomplete"] = dates >= np.datetime64(today)
    found = Usage(
        pd.DataFrame(columns),
        start=usage.start,
        end=usage.end,
        group_by=usage.group_by,
        total=usage.total,
    )
    object.__setattr__(found, "said", told(found))
    return found
