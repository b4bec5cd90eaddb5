"""The axes a chart is drawn on: made where there are none, in the colours of a theme, with title, legend, alt text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from svc_nb.plots.scales import Amounts, amount_ticks
from svc_nb.plots.text import SIZE, TITLE, labels, plain, shortened, width
from svc_nb.plots.theme import Theme, chosen

FIGURE = (9.0, 4.5)
DENSITY = 144.0
# Inches around a chart.
PAD = 0.1
# Narrower than this, in points, a legend stands above the chart and not beside it.
NARROW = 340.0
BESIDE = 0.3
WIDEST_NAME = 190.0
ROW = 15.0
LEGEND_ROW = 14.0
LEGEND: dict[str, Any] = {
    "borderaxespad": 0, "borderpad": 0.3, "handlelength": 0.9, "handleheight": 0.9, "handletextpad": 0.5,
    "columnspacing": 1.2, "labelspacing": 0.42,
}  # fmt: skip
# What the numbers of an axis and its title take, in points.
OUTER = 45.0
GAP = 6.0
# How much wider bold letters are.
BOLD = 1.12
_ALT_TEXTS: WeakKeyDictionary[Axes, str] = WeakKeyDictionary()


def alt_text(axes: Axes) -> str:
    """What the chart on *axes* shows, in a sentence or two, for those who cannot see it."""
    if axes not in _ALT_TEXTS:
        raise ValueError("expected axes that svc_nb.plots has drawn on")
    return _ALT_TEXTS[axes]


def describe(ax: Axes, *sentences: str) -> None:
    """Keep what `alt_text` will say of *ax*."""
    _ALT_TEXTS[ax] = " ".join(sentence for sentence in sentences if sentence)


def set_up(ax: Axes | None, theme: str | Theme | None, *, size: tuple[float, float] = FIGURE) -> tuple[Axes, Theme]:
    """The axes to draw on, in the colours of the theme.

    Without *ax* a figure is made by pyplot, so that a notebook shows it. The colour of a figure that was there is
    changed only where a theme is named.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        layout = ConstrainedLayoutEngine(w_pad=PAD, h_pad=PAD)
        figure, ax = plt.subplots(figsize=size, dpi=max(DENSITY, rcParams["figure.dpi"]), layout=layout)
        look = chosen(theme, on=rcParams["figure.facecolor"])
        figure.set_facecolor(look.background)
    else:
        look = chosen(theme, on=ax.figure.get_facecolor())
        if theme is not None:
            ax.figure.set_facecolor(look.background)
    dress(ax, look)
    return ax, look


def dress(ax: Axes, look: Theme) -> None:
    """Take from *ax* all that is no data, and paint what stays in the colours of *look*."""
    ax.set_facecolor("none")
    ax.set_axisbelow(True)
    ax.margins(0)
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(look.muted)
        spine.set_linewidth(0.8)
    colours = {"color": look.muted, "labelcolor": look.muted}
    ax.tick_params(axis="both", which="both", length=0, labelsize=SIZE, **colours)
    ax.tick_params(axis="x", length=3, width=0.8, direction="out")
    ax.grid(visible=False)


def room(ax: Axes) -> tuple[float, float]:
    """Width and height of the place *ax* has in its figure, in points, with what stands around it."""
    place = ax.get_subplotspec()
    frame = ax.get_axes_locator()
    if isinstance(frame, _Place):
        wide, high = room(frame.ax)
        return wide / frame.columns, high * frame.heights[frame.row] / sum(frame.heights)
    box = ax.get_position(original=True) if place is None else place.get_position(ax.figure)  # type: ignore[arg-type]
    size = ax.figure.bbox
    part = 1.0 if place is None else 1 / 0.775
    points = 72 / ax.figure.dpi
    return min(box.width * part, 1) * size.width * points, min(box.height * part, 1) * size.height * points


def set_amounts(ax: Axes, most: float, *, look: Theme, integer: bool) -> None:
    """Make the y axis run from 0 to a little beyond *most*, with lines to read the amounts from."""
    ax.set_ylim(0, most * 1.06 if most > 0 else 1)
    ax.yaxis.set_major_locator(amount_ticks(int(np.clip(room(ax)[1] / 50, 2, 8)), integer=integer))
    ax.yaxis.set_major_formatter(Amounts())
    ax.yaxis.grid(visible=True, color=look.line, linewidth=0.7)


def title(ax: Axes, look: Theme, head: str, parts: Sequence[str] = (), *, lift: float = 0.0) -> None:
    """What the chart shows, and below it *parts* of when and how much, as many as there is room for.

    They begin where the names beside the axes do, *lift* points above the axes, where a legend may stand.
    """
    left = 0.0
    if isinstance(ax.yaxis.get_major_locator(), FixedLocator):  # rows have names
        widths = [label.get_window_extent().width for label in ax.get_yticklabels() if label.get_text()]
        left = max(widths, default=0.0) / ax.figure.dpi * 72 + 3.5
    points = room(ax)[0] * 0.97 - (left or OUTER) + left
    there = [part for part in parts if part]
    while len(there) > 1 and width(" · ".join(there)) > points:
        there.pop()
    low = lift + GAP
    if there:
        below = shortened(there[0], points) if len(there) == 1 else " · ".join(there)
        above(ax, below, low, left=left, color=look.muted, **plain())
        low += SIZE * 1.6
    text = ax.set_title(shortened(head, points, size=TITLE * BOLD), loc="left", pad=low, color=look.ink)
    text.set(**plain(TITLE, fontweight="bold"))
    text.set_transform(text.get_transform() + ScaledTranslation(-left / 72, 0, ax.figure.dpi_scale_trans))


def above(ax: Axes, text: str, points: float, *, left: float = 0.0, **style: Any) -> None:
    """Write *text* that many *points* above *ax*, from its left edge or *left* of it."""
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    ax.annotate(text, (0, 1), (-left, points), annotation_clip=False, **where, **style)


def legend(
    ax: Axes, look: Theme, names: Sequence[str], faces: Sequence[dict[str, Any]], masks: dict[str, str]
) -> float:
    """Name what is drawn, beside the axes or, where they are narrow, above them; how high it is then, in points."""
    points, _ = room(ax)
    narrow = points < NARROW
    texts = labels(names, min(points * (0.36 if narrow else BESIDE), WIDEST_NAME), masks=masks)
    columns = max(1, int(points * 0.92 / (max(map(width, texts)) + 2.6 * SIZE))) if narrow else 1
    anchor, corner = ((0, 1), "lower left") if narrow else ((1.02, 1), "upper left")
    handles = [Patch(linewidth=0, **face) for face in faces]
    write_legend(ax, look, handles, texts, ncols=columns, loc=corner, bbox_to_anchor=anchor)
    return -(-len(texts) // columns) * LEGEND_ROW + 2 if narrow else 0.0


def write_legend(ax: Axes, look: Theme, handles: Sequence[Artist], texts: Sequence[str], **where: Any) -> None:
    """A legend without a frame."""
    numbers = [str(number) for number in range(len(texts))]  # a legend leaves out names that begin with "_"
    drawn = ax.legend(handles, numbers, frameon=False, **LEGEND, **where)
    for text, words in zip(drawn.get_texts(), texts, strict=True):
        text.set(text=words, color=look.ink, **plain())


def entries(ax: Axes) -> int:
    """How many entries a legend of *ax* has room for."""
    points, high = room(ax)
    return max(2, int(high * 0.28 / LEGEND_ROW) * 2 if points < NARROW else int((high - OUTER) / LEGEND_ROW))


def nothing(ax: Axes, look: Theme, words: str) -> None:
    """Say in the middle of *ax* why there is nothing to see."""
    middle: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(0.5, 0.5, words, color=look.muted, **middle, **plain(TITLE))


def blank(ax: Axes, look: Theme, words: str) -> None:
    """An empty place with *words*: no axes, no ticks."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    nothing(ax, look, words)


def panes(ax: Axes, look: Theme, heights: Sequence[float], *, columns: int = 1, gap: tuple[float, float]) -> list[Axes]:
    """Axes within *ax*, row by row, *gap* points apart to the right and below; they go when *ax* is cleared.

    *heights* are the parts of the rows. *ax* itself becomes an empty frame that carries the title.
    """
    ax.set_axis_off()
    found = []
    for row in range(len(heights)):
        for column in range(columns):
            pane = ax.inset_axes((0, 0, 1, 1))
            pane.set_axes_locator(_Place(ax, heights, row, column, columns, gap))
            dress(pane, look)
            found.append(pane)
    return found


@dataclass(eq=False)
class _Place:
    """Where a pane stands, reckoned anew whenever the figure is drawn, as gaps are points and not parts."""

    ax: Axes
    heights: Sequence[float]
    row: int
    column: int
    columns: int
    gap: tuple[float, float]

    def __call__(self, pane: object, renderer: object) -> Bbox:
        box = self.ax.bbox
        points = self.ax.figure.dpi / 72
        across, down = self.gap[0] * points, self.gap[1] * points
        wide = (box.width - across * (self.columns - 1)) / self.columns
        high = (box.height - down * (len(self.heights) - 1)) / sum(self.heights)
        top = box.y1 - sum(self.heights[: self.row]) * high - self.row * down
        left = box.x0 + self.column * (wide + across)
        own_high = self.heights[self.row] * high
        own = Bbox.from_bounds(left, top - own_high, max(wide, 1), max(own_high, 1))
        return own.transformed(self.ax.figure.transSubfigure.inverted())


def beside(ax: Axes, points: float) -> Axes:
    """Axes *points* wide, right of *ax* and as high; they go when *ax* is cleared."""
    side = ax.inset_axes((1.02, 0, 0.02, 1))
    side.set_axes_locator(_Side(ax, points))
    return side


@dataclass(eq=False)
class _Side:
    """Where axes stand beside others."""

    ax: Axes
    points: float

    def __call__(self, side: object, renderer: object) -> Bbox:
        box = self.ax.bbox
        wide = self.points * self.ax.figure.dpi / 72
        own = Bbox.from_bounds(box.x1 + wide, box.y0, wide, box.height)
        return own.transformed(self.ax.figure.transSubfigure.inverted())
