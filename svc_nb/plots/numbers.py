"""Amounts in words and on axes: separators for thousands, and one unit on each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.ticker import Formatter, MaxNLocator

UNITS = ((1e9, " bn"), (1e6, " M"))


def whole(amount: float) -> str:
    """*amount* as it is, with a decimal only where it is small and needs one.

    >>> whole(1234567), whole(12.345), whole(1234.5), whole(0)
    ('1,234,567', '12.3', '1,235', '0')
    """
    if float(amount).is_integer() or abs(amount) >= 1000:
        return f"{math.floor(amount + 0.5):,}"
    return f"{amount:,.1f}" if abs(amount) >= 0.1 else f"{amount:.2g}"


def short(amount: float) -> str:
    """*amount* in at most seven letters or so.

    >>> short(950), short(12_000), short(1_234_567), short(25_000_000), short(3.2e9)
    ('950', '12,000', '1.2 M', '25 M', '3.2 bn')
    """
    for size, unit in UNITS:
        if abs(amount) >= size * 0.9995:
            figures = amount / size
            return (
                f"{figures:,.1f}".removesuffix(".0") + unit if abs(figures) < 100 else f"{figures:,.0f}{unit}"
            )
    return whole(amount)


def percent(part: float) -> str:
    """A part of 1 in percent.

    >>> percent(0.345), percent(0.0004), percent(0), percent(1)
    ('34.5 %', '< 0.1 %', '0 %', '100 %')
    """
    if 0 < part < 0.0005:
        return "< 0.1 %"
    return f"{part * 100:.1f}".removesuffix(".0") + " %"


class Amounts(Formatter):
    """The numbers on an axis of amounts: all in the same unit, all with as many decimals as they need."""

    def __call__(self, amount: float, pos: int | None = None) -> str:
        """One number, as the cursor shows it."""
        return whole(amount)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The numbers of all ticks."""
        most = max(map(abs, values), default=0.0)
        size, unit = next(((size, unit) for size, unit in UNITS if most >= size), (1.0, ""))
        decimals = max((_decimals(value / size) for value in values), default=0)
        return [f"{value / size:,.{decimals}f}{unit}" if value else "0" for value in values]


class Powers(Formatter):
    """The numbers on an axis of powers of ten, each in its own unit."""

    def __call__(self, amount: float, pos: int | None = None) -> str:
        """One number."""
        return short(amount)


def _decimals(figures: float) -> int:
    return next(
        (count for count in range(4) if math.isclose(figures, round(figures, count), abs_tol=1e-9)), 4
    )


def amount_ticks(most: int, *, integer: bool) -> MaxNLocator:
    """At most *most* round numbers; whole ones for characters."""
    return MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=integer, min_n_ticks=2)
