"""Use by product: characters as stacks by day or as bars, minutes of speech always on a scale of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots import bars, stacks, stage, words
from svc_nb.plots.numbers import whole
from svc_nb.plots.theme import Theme
from svc_nb.usage import sums

ALL = "total_characters"
# Lower than this, in points, there is no room for minutes below; the title has them.
LOWEST = 200.0


def by_product(
    table: pd.DataFrame,
    *,
    field: str = ALL,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """Characters by product, stacked by day where the table has days, and minutes of speech below, on their own scale.

    Parameters
    ----------
    table, ax, theme
        As for `by_day`; the table needs no days.
    field
        "total_characters" for all products, or the one to draw.
    """
    ax, look = stage.set_up(ax, theme)
    days = "usage_date" in table.columns
    head = f"{'Use by product' if field == ALL else words.what(field)}{' and day' if days else ''}"
    if not len(table):
        return stacks.empty(ax, look, head, table)
    products, speech = _products(table, field), _speech(table, field)
    unit = ALL if len(products.columns) else field
    if days:
        lift = _days(ax, look, products, table=table, speech=speech)
    else:
        lift = _bars(ax, look, products if len(products.columns) else speech.to_frame().T)
    total = products.to_numpy().sum() if unit == ALL else speech.sum()
    spoken = [f"{whole(amount)} {words.what(str(name)).lower()}" for name, amount in speech.items()]
    told = [words.in_all(total, unit), *(spoken if unit == ALL else [])]
    stage.title(ax, look, head, [words.span(table), *told], lift=lift)
    sizes = products.sum().rename(words.PRODUCTS).sort_values(ascending=False)
    stage.describe(
        ax,
        f"{words.headed(head, table)}: {'; '.join(told)}.",
        words.largest(sizes) if total and unit == ALL else "",
        words.unfinished(table),
    )
    return ax


def _products(table: pd.DataFrame, field: str) -> pd.DataFrame:
    """The characters of each product, by day where there are days; what no product accounts for comes last."""
    if field != ALL:
        sums.amounts(table, field)  # tells of a field that is not there
    found = sums.by_product(table)
    if field != ALL:
        return found[[name for name in found.columns if name == field]]
    if ALL in table.columns:
        every = sums.by_day(table).sum(axis=1) if "usage_date" in table.columns else sums.by_key(table)
        beyond = (every - found.sum(axis=1)).clip(lower=0)
        if beyond.any():
            found = found.assign(**{ALL: beyond})
    return found


def _speech(table: pd.DataFrame, field: str) -> pd.Series[float]:
    """The minutes of each kind of speech that was used."""
    there = [name for name in sums.MINUTES if name in table.columns and field in (ALL, name)]
    found = {name: float(sums.by_key(table, field=name).sum()) for name in there}
    return pd.Series(
        {name: amount for name, amount in found.items() if amount or name == field}, dtype="float64"
    )


def _days(
    ax: Axes, look: Theme, products: pd.DataFrame, *, table: pd.DataFrame, speech: pd.Series[float]
) -> float:
    """Stacks by day, with a pane for each kind of speech where there is room; how high the legend above them is."""
    if len(products.columns) and stage.room(ax)[1] < LOWEST:
        speech = speech[:0]
    heights = [3.0] * bool(len(products.columns)) + [1.2] * len(speech)
    panes = stage.panes(ax, look, heights, gap=(0, 44)) if len(heights) > 1 else [ax]
    below = panes[-len(speech) :] if len(speech) else []
    for pane, name in zip(below, speech.index, strict=True):
        minutes = sums.by_day(table, field=name).sum(axis=1).to_frame(name)
        stacks.stack(pane, look, minutes, colours=[look.muted], table=table, field=name)
        if pane is not ax:
            stage.title(pane, look, "", [words.what(name)])
    if not len(products.columns):
        return 0.0
    colours = look.series(products.shape[1], others=ALL in products.columns)
    stacks.stack(panes[0], look, products, colours=colours, table=table, field=ALL)
    if not products.to_numpy().any():
        return 0.0
    return stacks.legend(
        panes[0], look, products.rename(columns=words.PRODUCTS), colours=colours, table=table
    )


def _bars(ax: Axes, look: Theme, products: pd.DataFrame) -> float:
    """A bar for each product."""
    found = products.sum().sort_values(ascending=False)
    names = [words.PRODUCTS.get(str(name), words.what(str(name))) for name in found.index]
    bars.named(
        ax,
        names,
        found.to_numpy(dtype=np.float64),
        colours=look.series(1) * len(found),
        words=[whole(amount) for amount in found],
        look=look,
    )
    bars.only_names(ax)
    return 0.0
