"""An axis of UTC days: ticks on days, Mondays, months or years, as many as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import takewhile

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, Locator

EPOCH = date(1970, 1, 1)
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
# Points from tick to tick: room for "Nov" and for "2026", and for air.
NARROWEST = 28.0
# About how many days a step is; small steps only where few days are shown, or else Mondays say more.
STEPS = (
    *(("day", count) for count in (1, 2, 3, 5)),
    *(("week", count) for count in (1, 2)),
    *(("month", count) for count in (1, 2, 3, 6)),
    *(("year", count) for count in (1, 2, 5, 10, 50)),
)
LENGTHS = {"day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
LONGEST = {("day", 2): 16, ("day", 3): 16, ("day", 5): 16}
MONTHLY = 190
FEWEST = 6.0


def numbers(days: pd.DatetimeIndex) -> npt.NDArray[np.float64]:
    """Where *days* stand on an axis: matplotlib's own numbers, whole days since 1970."""
    return days.to_numpy().astype("datetime64[D]").astype(np.int64).astype(np.float64)


def day_at(number: float) -> date:
    """The day at that place of an axis."""
    return EPOCH + timedelta(days=round(number))


def set_days(ax: Axes, days: pd.DatetimeIndex) -> None:
    """Make the x axis of *ax* an axis of *days*, with air at both ends: a single day does not fill a chart."""
    first, last = numbers(days)[[0, -1]]
    air = max(0.7, (FEWEST - (last - first)) / 2)
    ax.xaxis_date()
    ax.set_xlim(first - air, last + air)
    ax.xaxis.set_major_locator(DayTicks(first, last))
    ax.xaxis.set_major_formatter(DayWords())


class DayTicks(Locator):
    """The finest step from *first* to *last* that leaves room for its words, at the width the axis then has."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last

    def __call__(self) -> list[float]:
        """The ticks of the axis as it is now."""
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """The ticks from *vmin* to *vmax*."""
        low, high = sorted((vmin, vmax))
        first, last = int(np.ceil(max(low, self.first))), int(np.floor(min(high, self.last)))
        for kind, count in STEPS:
            if last - first > LONGEST.get((kind, count), MONTHLY if kind == "week" else np.inf):
                continue
            if LENGTHS[kind] * count * self._points(vmin, vmax) >= NARROWEST:
                break
        return [float(number) for number in _ticks(kind, count, first, last)]

    def _points(self, vmin: float, vmax: float) -> float:
        """How wide a day is."""
        axes = self.axis.axes  # type: ignore[union-attr]
        return axes.bbox.width / axes.figure.dpi * 72 / max(abs(vmax - vmin), 1.0)


class DayWords(Formatter):
    """The day of the month, or the month where all ticks are firsts; below it what changed since the last tick."""

    def __call__(self, number: float, pos: int | None = None) -> str:
        """One day, as the cursor shows it."""
        return day_in_words(day_at(number), year=True)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The words of all ticks."""
        days = [day_at(value) for value in values]
        months = len(days) > 1 and all(day.day == 1 for day in days)
        if months and all(day.month == 1 for day in days):
            return [str(day.year) for day in days]
        upper = [MONTHS[day.month - 1][:3] if months else str(day.day) for day in days]
        lower = [str(day.year) if months else MONTHS[day.month - 1][:3] for day in days]
        return [
            f"{high}\n{low if not place or lower[place - 1] != low else ''}"
            for place, (high, low) in enumerate(zip(upper, lower, strict=True))
        ]


def _ticks(kind: str, count: int, first: int, last: int) -> list[int]:
    if kind == "day":
        return list(range(first, last + 1, count))
    if kind == "week":  # the epoch was a Thursday
        start = first + (4 - first) % 7
        if count == 2:
            start += 7 * ((start - 4) // 7 % 2)
        return list(range(start, last + 1, 7 * count))
    months = _firsts(day_at(first), 12 * count if kind == "year" else count)
    places = ((day - EPOCH).days for day in months)
    return [place for place in takewhile(lambda place: place <= last, places) if place >= first]


def _firsts(start: date, step: int) -> Iterator[date]:
    """The firsts of every *step*-th month, counted from a January."""
    month = (start.year * 12 + start.month - 1) // step * step
    while month // 12 < date.max.year:
        yield date(month // 12, month % 12 + 1, 1)
        month += step


def day_in_words(day: date, *, year: bool = False) -> str:
    """A day as people write it.

    >>> day_in_words(date(2026, 11, 5)), day_in_words(date(2026, 11, 5), year=True)
    ('5 November', '5 November 2026')
    """
    return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def span_in_words(first: date, last: date) -> str:
    """A range of days, with nothing said twice.

    >>> span_in_words(date(2026, 11, 1), date(2026, 11, 30)), span_in_words(date(2025, 12, 3), date(2026, 1, 2))
    ('1 to 30 November 2026', '3 December 2025 to 2 January 2026')
    """
    if first == last:
        return day_in_words(first, year=True)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {day_in_words(last, year=True)}"
    return f"{day_in_words(first, year=first.year != last.year)} to {day_in_words(last, year=True)}"
