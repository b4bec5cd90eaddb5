"""Days on which a key used far more than usual for that weekday: arithmetic only."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.totals import Array, by_day

AROUND = 84  # days before and after a day that it is compared with, so that the result is the same in every range
FEWEST_PEERS = 4  # days of use on the same weekday; with fewer, all days count, and there must be some
FEWEST_DAYS = 14
DEVIATIONS = 5.0  # median absolute deviations above the median
TIMES = 3.0  # and this many times the median
PART = 0.1  # and above it by this share of what all keys use together on a usual day
RARE = 0.15  # of the days with use: anything more frequent, and more than once, is normal for the key


def outliers(
    table: pd.DataFrame, *, field: str = "total_characters", within: tuple[date, date] | None = None
) -> pd.DataFrame:
    """One row for each day on which a key is far above its usual, the largest first; only days *within* the given two.

    `usage_date`, `name`, the `amount` of that day, and the `usual` one: the median of the same day of the week in the
    12 weeks before and after, or of all days there if these are too few. Days without use do not count.
    """
    days = by_day(table, field=field)
    cells, index = days.to_numpy(dtype=np.float64), pd.DatetimeIndex(days.index)
    first, end = 0, len(index)
    if within is not None:
        first = int(index.searchsorted(pd.Timestamp(within[0])))
        end = int(index.searchsorted(pd.Timestamp(within[1]), "right"))
    totals, found = cells.sum(axis=1), []
    for day in range(first, end):
        start = max(0, day - AROUND)
        around = totals[start : day + AROUND + 1]
        least = PART * float(np.median(around[around > 0])) if totals[day] else np.inf
        for key in np.flatnonzero(cells[day] > least).tolist():
            usual = _usual(cells[start : day + AROUND + 1, key], day - start, least)
            if usual is not None:
                found.append((index[day], str(days.columns[key]), cells[day, key], usual))
    found.sort(key=lambda row: -row[2])
    when, names, amounts, usuals = zip(*found, strict=True) if found else ((), (), (), ())
    return pd.DataFrame(
        {
            "usage_date": pd.DatetimeIndex(when).as_unit("s"),
            "name": pd.array(list(names), dtype=TEXT),
            "amount": np.array(amounts, dtype=np.float64),
            "usual": np.array(usuals, dtype=np.float64),
        }
    )


def _usual(amounts: Array, day: int, least: float) -> float | None:
    """The usual amount of a key if *day* is far above it and by more than *least*; otherwise None."""
    others = np.delete(amounts, day)
    others = others[others > 0]
    peers = amounts[day % 7 :: 7]
    peers = np.delete(peers, day // 7)
    peers = peers[peers > 0]
    judges = peers if len(peers) >= FEWEST_PEERS else others if len(others) >= FEWEST_DAYS else peers[:0]
    if not len(judges):
        return None
    usual = float(np.median(judges))
    spread = float(np.median(np.abs(judges - usual)))
    # The same weekday counts even if there are too few to judge; as a median, because others may be outliers too.
    own = float(np.median(peers)) if len(peers) else 0.0
    high = max(usual + DEVIATIONS * spread, TIMES * max(usual, own), usual + least)
    similar = int((others > amounts[day] / TIMES).sum())
    return usual if amounts[day] > high and similar <= max(1, RARE * len(others)) else None
