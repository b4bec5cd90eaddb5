"""A heat map with a bar that tells what its colours mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import LogLocator, NullLocator

from svc_nb.plots.days import FEWEST, numbers, set_days
from svc_nb.plots.lettering import plain
from svc_nb.plots.numbers import Amounts, Powers, amount_ticks
from svc_nb.plots.theme import Theme
from svc_nb.usage.sums import is_minutes

# A map whose largest cell is this many times a usual one has colours by powers of ten.
STEEP = 30.0
BAR_WIDTH = 9.0
# Up to this many days stand apart.
APART = 62


def draw(ax: Axes, look: Theme, grid: pd.DataFrame, *, names: Sequence[str], field: str) -> None:
    """Paint *grid*, a row for each name and a column for each day; where nothing was used is the colour for nothing."""
    cells = grid.to_numpy(dtype=np.float64)
    scale = _scale(cells)
    places = numbers(pd.DatetimeIndex(grid.columns))
    ax.imshow(
        np.ma.masked_equal(cells, 0),
        aspect="auto",
        interpolation="none",
        cmap=look.ramp,
        norm=scale,
        extent=(places[0] - 0.5, places[-1] + 0.5, len(grid) - 0.5, -0.5),
    )
    set_days(ax, pd.DatetimeIndex(grid.columns))
    if len(places) >= FEWEST:
        ax.set_xlim(places[0] - 0.5, places[-1] + 0.5)
    ax.set_ylim(max(len(grid), 4) - 0.5, -0.5)
    ax.set_yticks(range(len(grid)), labels=list(names), color=look.ink, **plain())
    ax.spines["bottom"].set_visible(False)
    ax.hlines(
        np.arange(1, len(grid)) - 0.5, places[0] - 0.5, places[-1] + 0.5, color=look.background, linewidth=1
    )
    if len(places) <= APART:
        ax.vlines(places[1:] - 0.5, -0.5, len(grid) - 0.5, color=look.background, linewidth=1)
    if cells.any():
        _colour_bar(ax, look, scale, field=field)


def _scale(cells: npt.NDArray[np.float64]) -> Normalize:
    used = cells[cells > 0]
    if not used.size:
        return Normalize(0, 1)
    if used.max() > STEEP * np.median(used):
        return LogNorm(used.min(), used.max() if used.max() > used.min() else used.min() * 10)
    return Normalize(0, used.max())


def _colour_bar(ax: Axes, look: Theme, scale: Normalize, *, field: str) -> None:
    """The colours from the least to the most, right of the map."""
    from svc_nb.plots.stage import beside, dress

    bar = beside(ax, BAR_WIDTH)
    dress(bar, look)
    low, high = float(scale.vmin or 0), float(scale.vmax or 1)
    steps = np.linspace(0, 1, 129)
    edges = scale.inverse(steps)
    bar.pcolormesh(
        [0, 1],
        edges,
        ((steps[1:] + steps[:-1]) / 2)[:, None],
        cmap=look.ramp,
        vmin=0,
        vmax=1,
        rasterized=False,
    )
    bar.set_yscale("log" if isinstance(scale, LogNorm) else "linear")
    bar.set_ylim(low, high)
    bar.set_xticks([])
    bar.spines["bottom"].set_visible(False)
    bar.yaxis.tick_right()
    bar.yaxis.set_major_locator(
        LogLocator(numticks=6)
        if isinstance(scale, LogNorm)
        else amount_ticks(5, integer=not is_minutes(field))
    )
    bar.yaxis.set_minor_locator(NullLocator())
    bar.yaxis.set_major_formatter(Powers() if isinstance(scale, LogNorm) else Amounts())
    bar.tick_params(axis="y", length=0, pad=3)
