"""Bars as a few large shapes instead of thousands of small ones, by day or horizontal with names; and heat maps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import LogLocator, NullLocator

from svc_nb.plots.axes import (
    FEWEST_DAYS,
    Amounts,
    Powers,
    Theme,
    amount_ticks,
    beside,
    day_numbers,
    dress,
    set_days,
    set_periods,
)  # fmt: skip
from svc_nb.plots.text import plain, whole
from svc_nb.usage.totals import is_minutes

Numbers = npt.NDArray[np.float64]

CODES = np.array([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], dtype=Path.code_type)
# More than this many days are drawn without gaps, which would only flicker.
APART = 100
OUTLINED = 45
# A single bar does not fill a chart.
FEWEST = 4

# A heat map whose largest cell is this many times a typical one has colours by powers of ten.
STEEP = 30.0
BAR_WIDTH = 9.0
# The cells of up to this many days have gaps.
APART_CELLS = 62


def shape(low: Numbers, high: Numbers, left: Numbers, right: Numbers) -> Path:
    """Rectangles as one path, without those of height 0."""
    kept = high != low
    low, high, left, right = low[kept], high[kept], left[kept], right[kept]
    corners = np.stack([left, low, left, high, right, high, right, low, left, low], axis=1)
    return Path(corners.reshape(-1, 2), np.tile(CODES, len(corners)))


def stacks(
    ax: Axes,
    places: Numbers,
    amounts: Numbers,
    *,
    faces: Sequence[dict[str, Any]],
    names: Sequence[str],
    look: Theme,
) -> None:
    """Draw a stacked column of *amounts* for each name at *places*."""
    tops = np.cumsum(amounts, axis=1, dtype=np.float64)
    half = 0.4 if len(places) <= APART else 0.5
    edge = {"edgecolor": look.background, "linewidth": 0.5} if len(places) <= OUTLINED else {"linewidth": 0}
    for number, name in enumerate(names):
        path = shape(tops[:, number] - amounts[:, number], tops[:, number], places - half, places + half)
        _add(ax, PathPatch(path, label=name, gid=f"svc-bars-{number}", **{**edge, **faces[number]}))


def hatch(ax: Axes, places: Numbers, tops: Numbers, look: Theme) -> None:
    """Hatch the bars at *places*, because they may still grow."""
    half = np.full(len(places), 0.4)
    path = shape(np.zeros(len(places)), tops, places - half, places + half)
    _add(ax, PathPatch(path, facecolor="none", linewidth=0, label="incomplete", **struck(look)))


def struck(look: Theme) -> dict[str, Any]:
    """The look of incomplete bars."""
    return {"hatch": "/////", "edgecolor": look.background}


def named(
    ax: Axes,
    names: Sequence[str],
    amounts: Numbers,
    *,
    faces: Sequence[dict[str, Any]],
    words: Sequence[str],
    look: Theme,
    cut: bool = False,
) -> None:
    """Draw a horizontal bar for each name, the first on top, with *words* at its end; *cut* may shorten the last."""
    longest = float(amounts[:-1].max(initial=0) if cut else amounts.max(initial=0))
    ends = np.minimum(amounts, longest)
    rows = np.arange(len(names), dtype=np.float64)
    for face in {str(face): face for face in faces}.values():
        own = np.array([face == other for other in faces])
        path = shape(rows[own] - 0.36, rows[own] + 0.36, np.zeros(own.sum()), ends[own])
        _add(ax, PathPatch(path, linewidth=0, **face))
    if longest < amounts.max(initial=0):
        corner = (longest * 0.94, rows[-1] - 0.5)
        ax.add_artist(Rectangle(corner, longest * 0.015, 1, color=look.background, linewidth=0))
    for row, (end, text) in enumerate(zip(ends, words, strict=True)):
        right: dict[str, Any] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
        ax.annotate(text, (end, row), (4, 0), color=look.muted, **right, **plain())
    ax.set_yticks(rows, labels=list(names), color=look.ink, **plain())
    ax.set_ylim(max(len(names), FEWEST) - 0.4, -0.6)
    ax.set_xlim(0, max(longest, 1e-9))
    # The numbers are at the bars.
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)


def piled(ax: Axes, names: Sequence[str], amounts: Numbers, *, faces: Sequence[dict[str, Any]], look: Theme) -> None:
    """Draw a stacked horizontal bar of *amounts* for each name, the first on top, with its sum at the end."""
    ends = np.cumsum(amounts, axis=1, dtype=np.float64)
    rows = np.arange(len(names), dtype=np.float64)
    longest = float(ends[:, -1].max(initial=0))
    named(ax, names, ends[:, -1], faces=[{"facecolor": "none"}] * len(names), words=[whole(end) for end in ends[:, -1]],
          look=look)  # fmt: skip
    for column, face in enumerate(faces):
        path = shape(rows - 0.36, rows + 0.36, ends[:, column] - amounts[:, column], ends[:, column])
        _add(ax, PathPatch(path, **{"edgecolor": look.background, "linewidth": 0.5, **face}))
    ax.set_xlim(0, max(longest, 1e-9) * 1.08)  # room for the numbers before the legend


def _add(ax: Axes, patch: PathPatch) -> None:
    # Not with add_patch, which visits every corner to find the limits; they are set from the sums.
    ax.add_artist(patch)
    patch.set_clip_path(ax.patch)


def heat(ax: Axes, look: Theme, grid: pd.DataFrame, *, names: Sequence[str], field: str, every: str = "day") -> None:
    """Draw *grid*, a row for each name and a column for each day; cells without use get the colour for nothing."""
    cells = grid.to_numpy(dtype=np.float64)
    used = cells[cells > 0]
    scale = Normalize(0, used.max(initial=0) or 1)
    if used.size and used.max() > STEEP * np.median(used):
        scale = LogNorm(used.min(), used.max())
    days = pd.DatetimeIndex(grid.columns)
    places = day_places(days, every)
    left, right = places[0] - 0.5, places[-1] + 0.5
    drawn: dict[str, Any] = {"aspect": "auto", "interpolation": "none", "cmap": look.ramp, "norm": scale}
    ax.imshow(np.ma.masked_equal(cells, 0), extent=(left, right, len(grid) - 0.5, -0.5), **drawn)
    set_days(ax, days) if every == "day" else set_periods(ax, days, every)
    if len(places) >= FEWEST_DAYS:
        ax.set_xlim(left, right)
    ax.set_ylim(max(len(grid), FEWEST) - 0.5, -0.5)
    ax.set_yticks(range(len(grid)), labels=list(names), color=look.ink, **plain())
    ax.spines["bottom"].set_visible(False)
    ax.hlines(np.arange(1, len(grid)) - 0.5, left, right, color=look.background, linewidth=1)
    if len(places) <= APART_CELLS:
        ax.vlines(places[1:] - 0.5, -0.5, len(grid) - 0.5, color=look.background, linewidth=1)
    if cells.any():
        _colour_bar(ax, look, scale, field=field)


def day_places(days: pd.DatetimeIndex, every: str) -> Numbers:
    """The positions of the bars of *days*: days by date, weeks and months side by side."""
    return day_numbers(days) if every == "day" else np.arange(len(days), dtype=np.float64)


def _colour_bar(ax: Axes, look: Theme, scale: Normalize, *, field: str) -> None:
    """Draw the colour scale from the least to the most, right of the map."""
    is_log = isinstance(scale, LogNorm)
    bar = beside(ax, BAR_WIDTH)
    dress(bar, look)
    steps = np.linspace(0, 1, 129)
    shades = ((steps[1:] + steps[:-1]) / 2)[:, None]
    bar.pcolormesh([0, 1], scale.inverse(steps), shades, cmap=look.ramp, vmin=0, vmax=1, rasterized=False)
    bar.set_yscale("log" if is_log else "linear")
    bar.set_ylim(float(scale.vmin or 0), float(scale.vmax or 1))
    bar.set_xticks([])
    bar.spines["bottom"].set_visible(False)
    bar.yaxis.tick_right()
    bar.yaxis.set_major_locator(LogLocator(numticks=6) if is_log else amount_ticks(5, integer=not is_minutes(field)))
    bar.yaxis.set_minor_locator(NullLocator())
    bar.yaxis.set_major_formatter(Powers() if is_log else Amounts())
    bar.tick_params(axis="y", length=0, pad=3)
