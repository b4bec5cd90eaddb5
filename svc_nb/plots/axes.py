"""The axes of a chart: created if needed, with theme, title, legend, alt text, and scales."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, Formatter, Locator, MaxNLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from svc_nb.plots.text import MONTHS, SIZE, TITLE, UNITS, day_in_words, labels, plain, short, shortened, whole, width

# ---- colours for light and dark pages; distinguishable with any kind of colour vision

Name = Literal["light", "dark"]


@dataclass(frozen=True)
class Theme:
    """The colours of a chart: `colours` are distinguishable with any colour vision, `ink` and `muted` are readable.

    `slots` has the colours that belong to names, by number: after the last of `colours` they repeat, dotted; -1 is
    grey, -2 a dotted grey.
    """

    name: Name
    background: str
    ink: str
    muted: str
    line: str
    rest: str
    nothing: str
    colours: tuple[str, ...]
    shades: tuple[str, ...]
    slots: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def ramp(self) -> Colormap:
        """From little to much, each step farther from the background; masked cells get `nothing`."""
        ramp = LinearSegmentedColormap.from_list(f"usage {self.name}", list(self.shades))
        return ramp.with_extremes(bad=self.nothing)

    def series(self, count: int, *, others: bool = False) -> list[str]:
        """A colour for each of *count* series, grey for the last if it stands for *others*; they repeat after eight."""
        own = [self.colours[number % len(self.colours)] for number in range(count)]
        return [*own[:-1], self.rest] if others and own else own

    def faces(self, names: Sequence[str], *, others: bool = False) -> list[dict[str, Any]]:
        """The fill of a bar for each of *names*: its own colour, otherwise one after the other; *others* in grey."""
        own = [self.slots.get(name, place) for place, name in enumerate(names)]
        found: list[dict[str, Any]] = [
            {"facecolor": self.rest if slot < 0 else self.colours[slot % len(self.colours)]} for slot in own
        ]
        for face, slot in zip(found, own, strict=True):
            if slot == -2 or slot in range(len(self.colours), 2 * len(self.colours)):
                face |= {"hatch": "....", "edgecolor": self.background}
        return [*found[:-1], {"facecolor": self.rest}] if others and found else found


LIGHT = Theme(
    "light", "#ffffff", ink="#1f2328", muted="#57606a", line="#d5dae0", rest="#8a8f94", nothing="#f1f3f5",
    colours=("#0072b2", "#d55e00", "#1a6b1a", "#e05fd0", "#332288", "#c51b7d", "#661100", "#7b3294"),
    shades=("#d6e9f8", "#8cc3ea", "#3c96e1", "#0a62a8", "#08306b"),
)  # fmt: skip
DARK = Theme(
    "dark", "#111111", ink="#ececec", muted="#a9afb6", line="#3a3e44", rest="#85898e", nothing="#1e2023",
    colours=("#56b4e9", "#e69f00", "#b3e600", "#ffb6c1", "#2070d0", "#aa4499", "#d04020", "#e6dcff"),
    shades=("#15344f", "#1f5f96", "#3c96e1", "#8ecbf2", "#eaf6ff"),
)  # fmt: skip
THEMES: dict[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}


# The name of a theme, a theme, or None to match the figure.
ThemeChoice = str | Theme | None


def chosen(theme: ThemeChoice, *, on: object) -> Theme:
    """The theme of that name; without one, the theme that suits a figure in the colour *on*."""
    if isinstance(theme, Theme):
        return theme
    if theme is None:
        return DARK if luminance(on) < 0.18 else LIGHT
    if theme not in THEMES:
        raise ValueError(f"theme: expected 'light' or 'dark', found {theme!r}")
    return THEMES[theme]


def luminance(colour: object) -> float:
    """The luminance of *colour*, from 0 to 1, as WCAG defines it; transparent colours count as white."""
    if colour == "none":
        return 1.0
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]  # type: ignore[arg-type]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


# ---- the layout of a chart, and the words around it

FIGURE = (9.0, 4.5)
DENSITY = 144.0
# Inches around a chart.
PAD = 0.1
# If the chart is narrower than this, in points, the legend goes above it instead of beside it.
NARROW = 340.0
BESIDE = 0.3
WIDEST_NAME = 190.0
ROW = 15.0
LEGEND_ROW = 14.0
LEGEND: dict[str, Any] = {
    "borderaxespad": 0, "borderpad": 0.3, "handlelength": 0.9, "handleheight": 0.9, "handletextpad": 0.5,
    "columnspacing": 1.2, "labelspacing": 0.42,
}  # fmt: skip
# The room for the numbers of an axis and its title, in points.
OUTER = 45.0
GAP = 6.0
# How much wider bold letters are.
BOLD = 1.12
_ALT_TEXTS: WeakKeyDictionary[Axes, str] = WeakKeyDictionary()


def alt_text(axes: Axes) -> str:
    """What the chart on *axes* shows, in a sentence or two, for people who cannot see it."""
    if axes not in _ALT_TEXTS:
        raise ValueError("expected axes with a chart by svc_nb.plots")
    return _ALT_TEXTS[axes]


def describe(ax: Axes, *sentences: str) -> None:
    """Store the `alt_text` of *ax*."""
    _ALT_TEXTS[ax] = " ".join(sentence for sentence in sentences if sentence)


def set_up(ax: Axes | None, theme: ThemeChoice, *, size: tuple[float, float] = FIGURE) -> tuple[Axes, Theme]:
    """The axes to draw on, in the colours of the theme; without *ax*, a new pyplot figure, which a notebook shows."""
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
    """Remove everything from *ax* that is not data, and draw the rest in the colours of *look*."""
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
    """The width and height of *ax* in its figure, in points, including what surrounds it."""
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
    """Make the y axis run from 0 to slightly beyond *most*, with grid lines."""
    ax.set_ylim(0, most * 1.06 if most > 0 else 1)
    ax.yaxis.set_major_locator(amount_ticks(int(np.clip(room(ax)[1] / 50, 2, 8)), integer=integer))
    ax.yaxis.set_major_formatter(Amounts())
    ax.yaxis.grid(visible=True, color=look.line, linewidth=0.7)


def title(ax: Axes, look: Theme, head: str, parts: Sequence[str] = (), *, lift: float = 0.0) -> None:
    """Write the title, and below it as many *parts* (when and how much) as there is room for."""
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
    """Draw the legend beside the axes or, if they are narrow, above them; return its height there, in points."""
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
    """How many entries fit into a legend of *ax*."""
    points, high = room(ax)
    return max(2, int(high * 0.28 / LEGEND_ROW) * 2 if points < NARROW else int((high - OUTER) / LEGEND_ROW))


def nothing(ax: Axes, look: Theme, words: str) -> None:
    """Say in the middle of *ax* why it is empty."""
    middle: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(0.5, 0.5, words, color=look.muted, **middle, **plain(TITLE))


def blank(ax: Axes, look: Theme, words: str) -> None:
    """An empty area with *words*: no axes, no ticks."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    nothing(ax, look, words)


def panes(ax: Axes, look: Theme, heights: Sequence[float], *, columns: int = 1, gap: tuple[float, float]) -> list[Axes]:
    """Create axes within *ax*, row by row with these *heights*, *gap* points apart; *ax* becomes an empty frame."""
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
    """The position of a pane, recomputed whenever the figure is drawn, because gaps are in points, not fractions."""

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
    """Create axes *points* wide, right of *ax* and as high; they are removed when *ax* is cleared."""
    side = ax.inset_axes((1.02, 0, 0.02, 1))
    side.set_axes_locator(_Side(ax, points))
    return side


@dataclass(eq=False)
class _Side:
    """The position of axes beside others."""

    ax: Axes
    points: float

    def __call__(self, side: object, renderer: object) -> Bbox:
        box = self.ax.bbox
        wide = self.points * self.ax.figure.dpi / 72
        own = Bbox.from_bounds(box.x1 + wide, box.y0, wide, box.height)
        return own.transformed(self.ax.figure.transSubfigure.inverted())


# ---- scales of UTC days and of amounts: ticks if there is room, and their labels

EPOCH = date(1970, 1, 1)
# Points from tick to tick: room for "Nov" and for "2026", and some space.
NARROWEST = 28.0
# About how many days a step has; small steps only for few days, because otherwise Mondays say more.
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
    """The positions of *days* on an axis: matplotlib's own numbers, whole days since 1970."""
    return days.to_numpy().astype("datetime64[D]").astype(np.int64).astype(np.float64)


def day_at(number: float) -> date:
    """The day at a position of an axis."""
    return EPOCH + timedelta(days=round(number))


def set_days(ax: Axes, days: pd.DatetimeIndex) -> None:
    """Make the x axis of *ax* an axis of *days*, with space at both ends: a single day does not fill a chart."""
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


def set_periods(ax: Axes, starts: pd.DatetimeIndex, every: str) -> None:
    """Make the x axis of *ax* an axis of weeks or months, side by side from 0 on, each named by its first day."""
    count = len(starts)
    air = max(0.7, (FEWEST_DAYS - count) / 2)
    ax.set_xlim(-air, count - 1 + air)
    ax.xaxis.set_major_locator(PeriodTicks(count))
    ax.xaxis.set_major_formatter(PeriodWords(day_numbers(starts), every))


class PeriodTicks(Locator):
    """Every position from 0 on, or every second, third … if there is no room for all labels."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self) -> list[float]:
        """The ticks for the current range of the axis."""
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """The ticks from *vmin* to *vmax*."""
        axes = self.axis.axes  # type: ignore[union-attr]
        bar_width = axes.bbox.width / axes.figure.dpi * 72 / max(abs(vmax - vmin), 1.0)
        return [float(place) for place in range(0, self.count, max(1, math.ceil(NARROWEST / bar_width)))]


class DayTicks(Locator):
    """The finest step from *first* to *last* that leaves room for its labels, at the current width of the axis."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last

    def __call__(self) -> list[float]:
        """The ticks for the current range of the axis."""
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
    """The day of the month, or the month if all ticks are firsts; below it, what has changed since the last tick."""

    every = "day"

    def __call__(self, number: float, pos: int | None = None) -> str:
        """One day, for the cursor."""
        return day_in_words(day_at(number), year=True)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The labels of all ticks."""
        days = [day_at(value) for value in values]
        several = len(days) > 1
        months = (several or self.every == "month") and all(day.day == 1 for day in days)
        if several and months and all(day.month == 1 for day in days):
            return [str(day.year) for day in days]
        upper = [MONTHS[day.month - 1][:3] if months else str(day.day) for day in days]
        lower = [str(day.year) if months else MONTHS[day.month - 1][:3] for day in days]
        return [
            f"{high}\n{low if not place or lower[place - 1] != low else ''}"
            for place, (high, low) in enumerate(zip(upper, lower, strict=True))
        ]


class PeriodWords(DayWords):
    """Like `DayWords`, for positions from 0 on that stand for the days of *starts*: weeks or months, see *every*."""

    def __init__(self, starts: npt.NDArray[np.float64], every: str) -> None:
        self.starts, self.every = starts, every

    def __call__(self, number: float, pos: int | None = None) -> str:
        """One position, for the cursor."""
        return super().__call__(self.starts[int(np.clip(round(number), 0, len(self.starts) - 1))])

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """The labels of all ticks."""
        return super().format_ticks([self.starts[int(value)] for value in values])


class Amounts(Formatter):
    """The numbers on an axis of amounts, all in the same unit, with as many decimals as they need."""

    def __call__(self, amount: float, pos: int | None = None) -> str:
        """One number, for the cursor."""
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
    """At most *most* round numbers; integers for characters."""
    return MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=integer, min_n_ticks=2)
