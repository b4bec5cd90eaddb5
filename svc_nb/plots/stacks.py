"""Stacks by day on dressed axes: bars, days that are not over, the legend, and what is said where nothing is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots import bars, stage, words
from svc_nb.plots.days import numbers, set_days
from svc_nb.plots.theme import Theme
from svc_nb.usage.names import called, distinct
from svc_nb.usage.sums import is_minutes

NO_USE = "No use in these days"


def stack(
    ax: Axes,
    look: Theme,
    days: pd.DataFrame,
    *,
    colours: Sequence[str],
    table: pd.DataFrame,
    field: str,
) -> None:
    """Draw *days* as stacks, and strike through those that are not over."""
    places = numbers(pd.DatetimeIndex(days.index))
    amounts = days.to_numpy(dtype=np.float64)
    tops = amounts.sum(axis=1)
    bars.stacks(ax, places, amounts, colours=colours, names=[str(name) for name in days.columns], look=look)
    struck = unfinished(table, days)
    if struck:
        bars.hatch(ax, places[struck], tops[struck], look)
    set_days(ax, pd.DatetimeIndex(days.index))
    stage.set_amounts(ax, ax.yaxis, tops.max(), look=look, integer=not is_minutes(field))
    if not tops.any():
        ax.set_yticks([0])
        stage.nothing(ax, look, NO_USE)


def legend(
    ax: Axes, look: Theme, days: pd.DataFrame, *, colours: Sequence[str], table: pd.DataFrame
) -> float:
    """The legend of stacks, in the order in which they stand, from the top."""
    entries = list(
        zip([str(name) for name in days.columns], [{"facecolor": colour} for colour in colours], strict=True)
    )
    entries.reverse()
    if unfinished(table, days):
        entries.append(("not over yet", {"facecolor": look.muted, **bars.struck(look)}))
    names, faces = zip(*entries, strict=True)
    return stage.legend(ax, look, names, faces, masks(table))


def unfinished(table: pd.DataFrame, days: pd.DataFrame) -> list[int]:
    """Which of *days* are not over."""
    places = [days.index.get_loc(pd.Timestamp(day)) for day in words.incomplete_days(table)]
    return [int(place) for place in places]  # type: ignore[arg-type]


def masks(table: pd.DataFrame) -> dict[str, str]:
    """The mask of each key by its name."""
    if not {"api_key", "api_key_label"} <= {*table.columns}:
        return {}
    pairs = distinct(table)[1]
    return {name: mask for name, (mask, _) in zip(called(pairs), pairs, strict=True)}


def empty(ax: Axes, look: Theme, head: str, table: pd.DataFrame) -> Axes:
    """Say that there was no use, in the chart and in its alt text."""
    stage.blank(ax, look, NO_USE)
    stage.title(ax, look, head, [words.span(table)])
    stage.describe(ax, f"{words.headed(head, table)}: no use.")
    return ax
