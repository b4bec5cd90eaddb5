"""Bars as a few large shapes instead of thousands of small ones: upright stacks by day, and bars with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from svc_nb.plots.lettering import plain
from svc_nb.plots.theme import Theme

Numbers = npt.NDArray[np.float64]

CODES = np.array([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], dtype=Path.code_type)
# More than this many days stand side by side without a gap, which would only flicker.
APART = 100
OUTLINED = 45
# A single bar does not fill a chart.
FEWEST = 4


def shape(low: Numbers, high: Numbers, left: Numbers, right: Numbers) -> Path:
    """Rectangles as one path; those without a height are left out."""
    kept = high != low
    low, high, left, right = low[kept], high[kept], left[kept], right[kept]
    corners = np.stack([left, low, left, high, right, high, right, low, left, low], axis=1)
    return Path(corners.reshape(-1, 2), np.tile(CODES, len(corners)))


def stacks(
    ax: Axes, places: Numbers, amounts: Numbers, *, colours: Sequence[str], names: Sequence[str], look: Theme
) -> None:
    """Draw a column of *amounts* for each name, one upon the other, at *places*."""
    tops = np.cumsum(amounts, axis=1, dtype=np.float64)
    half = 0.4 if len(places) <= APART else 0.5
    edge = {"edgecolor": look.background, "linewidth": 0.5} if len(places) <= OUTLINED else {"linewidth": 0}
    for number, name in enumerate(names):
        path = shape(tops[:, number] - amounts[:, number], tops[:, number], places - half, places + half)
        _add(ax, PathPatch(path, facecolor=colours[number], label=name, **edge))


def hatch(ax: Axes, places: Numbers, tops: Numbers, look: Theme) -> None:
    """Strike through the bars at *places*, as they will grow yet."""
    half = np.full(len(places), 0.4)
    path = shape(np.zeros(len(places)), tops, places - half, places + half)
    _add(ax, PathPatch(path, facecolor="none", linewidth=0, label="incomplete", **struck(look)))


def struck(look: Theme) -> dict[str, Any]:
    """How what is incomplete looks."""
    return {"hatch": "/////", "edgecolor": look.background}


def named(
    ax: Axes,
    names: Sequence[str],
    amounts: Numbers,
    *,
    colours: Sequence[str],
    words: Sequence[str],
    look: Theme,
    cut: bool = False,
) -> None:
    """Draw a lying bar for each name, the first on top, *words* at its end; *cut* the last one short if need be."""
    longest = float(amounts[:-1].max(initial=0) if cut else amounts.max(initial=0))
    ends = np.minimum(amounts, longest)
    rows = np.arange(len(names), dtype=np.float64)
    for colour in dict.fromkeys(colours):
        own = np.array([colour == other for other in colours])
        path = shape(rows[own] - 0.36, rows[own] + 0.36, np.zeros(own.sum()), ends[own])
        _add(ax, PathPatch(path, facecolor=colour, linewidth=0))
    if longest < amounts.max(initial=0):
        gap = Rectangle(
            (longest * 0.94, rows[-1] - 0.5), longest * 0.015, 1, color=look.background, linewidth=0
        )
        ax.add_artist(gap)
    for row, (end, text) in enumerate(zip(ends, words, strict=True)):
        beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
        ax.annotate(text, (end, row), (4, 0), color=look.muted, **beside, **plain())
    ax.set_yticks(rows, labels=list(names), color=look.ink, **plain())
    ax.set_ylim(max(len(names), FEWEST) - 0.4, -0.6)
    ax.set_xlim(0, max(longest, 1e-9))


def only_names(ax: Axes) -> None:
    """Leave the names: the numbers stand at the bars."""
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)


def _add(ax: Axes, patch: PathPatch) -> None:
    # Not by add_patch, which walks over every corner to find the limits; they are set from the sums.
    ax.add_artist(patch)
    patch.set_clip_path(ax.patch)
