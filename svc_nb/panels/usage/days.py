"""The days already received from the service, so that only missing days are requested."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

import numpy as np
import pandas as pd

from svc_nb.usage.totals import dates_of

ONE_DAY = timedelta(days=1)
Range = tuple[date, date]
GROUPS = ("key_and_day", "tag_and_day")


class KnownDays:
    """Usage by key, or tag, and day. A day that was not over when received is missing again the next day."""

    def __init__(self, table: pd.DataFrame | None = None) -> None:
        self._tables: dict[str, pd.DataFrame] = {}
        self._told: dict[str, dict[date, date]] = {}
        self.is_whole = table is not None
        if table is not None:
            group = "tag_and_day" if "custom_tag" in table.columns else "key_and_day"
            self._tables = {name: table if name == group else table.iloc[:0] for name in GROUPS}

    def missing(self, group: str, start: date, end: date, *, today: date) -> list[Range]:
        """The ranges of days from *start* to *end* to request; there is nothing to request after *today*."""
        if self.is_whole:
            return []
        told = self._told.get(group, {})
        asked = days(start, min(end, today)) if start <= today else [start]
        # A day is known if it was over when received, or was received today.
        known = {day for day, when in told.items() if day < when or when >= today}
        return runs(day for day in asked if day not in known)

    def add(self, group: str, start: date, end: date, table: pd.DataFrame, *, today: date) -> None:
        """Store *table* from *start* to *end*, replacing what was known about these days."""
        before = self._tables.get(group)
        if before is not None:
            kept = before[~_between(before, start, end)]
            table = pd.concat([part for part in (kept, table) if len(part)] or [table], ignore_index=True)
            table = table.iloc[np.argsort(dates_of(table), kind="stable")]
        self._tables[group] = pd.DataFrame(table)
        self._told.setdefault(group, {}).update(dict.fromkeys(days(start, end), today))

    def between(self, group: str, start: date, end: date) -> pd.DataFrame:
        """The rows of the days from *start* to *end*, ordered by day."""
        table = self._tables.get(group)
        if table is None:
            return pd.DataFrame()
        return table[_between(table, start, end)]

    def forget(self) -> None:
        """Forget everything, so that all days are requested again."""
        if not self.is_whole:
            self._tables.clear()
            self._told.clear()


def days(start: date, end: date) -> list[date]:
    """Every day from *start* to *end*."""
    return [start + number * ONE_DAY for number in range((end - start).days + 1)]


def runs(found: Iterable[date]) -> list[Range]:
    """Days in order, as ranges without gaps.

    >>> day = date(2026, 3, 1)
    >>> runs([day, day + ONE_DAY, day + 5 * ONE_DAY]) == [(day, day + ONE_DAY), (day + 5 * ONE_DAY,) * 2]
    True
    """
    joined: list[Range] = []
    for day in found:
        if joined and joined[-1][1] + ONE_DAY == day:
            joined[-1] = (joined[-1][0], day)
        else:
            joined.append((day, day))
    return joined


def _between(table: pd.DataFrame, start: date, end: date) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    dates = dates_of(table)
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = (dates >= np.datetime64(start)) & (dates <= np.datetime64(end))
    return found
