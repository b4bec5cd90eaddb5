"""Axes of UTC days and of amounts: ticks where there is room for them, and their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, Locator, MaxNLocator

from svc_nb.plots.text import MONTHS, UNITS, day_in_words, short, whole

EPOCH = date(1970, 1, 1)
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
FEWEST_DAYS = 6.0


def day_numbers(days: pd.DatetimeIndex) -> npt.NDArray[np.float64]:
    """Where *days* stand on an axis: matplotlib's own numbers, whole days since 1970."""
    return days.to_numpy().astype("datetime64[D]").astype(np.int64).astype(np.float64)


def day_at(number: float) -> date:
    """The day at that place of an axis."""
    return EPOCH + timedelta(days=round(number))


def set_days(ax: Axes, days: pd.DatetimeIndex) -> None:
    """Make the x axis of *ax* an axis of *days*, with air at both ends: a single day does not fill a chart."""
    first, last = day_numbers(days)[[0, -1]]
    air = max(0.7, (FEWEST_DAYS - (last - first)) / 2)
    ax.xaxis_date()
    ax.set_xlim(first - air, last + air)
    ax.xaxis.set_major_locator(DayTicks(first, last))
    ax.xaxis.set_major_formatter(DayWords())


def days_between(kind: str, count: int, first: int, last: int) -> list[int]:
    """Every *count*-th day, Monday or first of a month or year, as whole days since 1970."""
    if kind == "day":
        return list(range(first, last + 1, count))
    if kind == "week":  # the epoch was a Thursday
        start = first + (4 - first) % 7
        if count == 2:
            start += 7 * ((start - 4) // 7 % 2)
        return list(range(start, last + 1, 7 * count))
    if first > last:
        return []
    step = 12 * count if kind == "year" else count
    start, end = (day.year * 12 + day.month - 1 for day in (day_at(first), day_at(last)))
    months = range(start // step * step, end + 1, step)  # counted from a January
    places = [(date(month // 12, month % 12 + 1, 1) - EPOCH).days for month in months if month >= 12]
    return [place for place in places if first <= place <= last]


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
        axes = self.axis.axes  # type: ignore[union-attr]
        day_width = axes.bbox.width / axes.figure.dpi * 72 / max(high - low, 1.0)
        for kind, count in STEPS:
            if last - first > LONGEST.get((kind, count), MONTHLY if kind == "week" else np.inf):
                continue
            if LENGTHS[kind] * count * day_width >= NARROWEST:
                break
        return [float(number) for number in days_between(kind, count, first, last)]


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


class Amounts(Formatter):
    """The numbers on an axis of amounts: all in the same unit, all with as many decimals as they need."""

    def __call__(self, amount: float, pos: int | None = None) -> str:
        """One number, as the cursor shows it."""
        return whole(amount)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The numbers of all ticks."""
        most = max(map(abs, values), default=0.0)
        size, unit = next(((size, unit) for size, unit in UNITS if most >= size), (1.0, ""))
        decimals = 0
        while decimals < 4 and not all(
            math.isclose(value / size, round(value / size, decimals), abs_tol=1e-9) for value in values
        ):
            decimals += 1
        return [f"{value / size:,.{decimals}f}{unit}" if value else "0" for value in values]


class Powers(Formatter):
    """The numbers on an axis of powers of ten, each in its own unit."""

    def __call__(self, amount: float, pos: int | None = None) -> str:
        """One number."""
        return short(amount)


def amount_ticks(most: int, *, integer: bool) -> MaxNLocator:
    """At most *most* round numbers; whole ones for characters."""
    return MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=integer, min_n_ticks=2)
