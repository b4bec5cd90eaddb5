"""Each key's use of the month against its cap, with a forecast to the month's end: a small chart for each key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from svc_nb.plots import stage, words
from svc_nb.plots.days import MONTHS, day_at, day_in_words, numbers
from svc_nb.plots.lettering import SIZE, SMALL, labels, plain, shortened, width
from svc_nb.plots.numbers import percent, short, whole
from svc_nb.plots.theme import Theme
from svc_nb.tabular.report import plural
from svc_nb.usage.forecast import forecast, paths
from svc_nb.usage.sums import dates_of, is_minutes

MOST = 12
EXPECTED = (0, (3, 2))
# The least a small chart needs, with its words, in points; and what lies between two.
PANE = (108.0, 66.0)
GAP = (46.0, 46.0)
# Left and right of all of them.
MARGIN = 60.0
# Below the small charts: the numbers of the days, then what the lines are.
BELOW = 18.0


def caps(
    table: pd.DataFrame,
    *,
    keys: pd.DataFrame | None = None,
    on: date | None = None,
    top: int | None = None,
    field: str = "total_characters",
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """What each key has used of its monthly cap, day by day, and when the cap will be reached, if it will.

    The keys nearest to their caps come first. The band holds what is to be expected in four of five months.

    Parameters
    ----------
    table
        Usage by key and day, best with some weeks before the month.
    keys
        The table of `svc_nb.keys.list`, which knows the caps; without it, what is expected is drawn alone.
    on
        The day to look ahead from; without, the last day of the table.
    top
        How many keys to show at most; without, as many as there is room for.
    field
        What caps count: total_characters, or speech_to_text_minutes, which has caps of its own.
    ax, theme
        As for `by_day`.
    """
    dates = dates_of(table)
    day = on or (dates.max().item() if len(dates) else None)
    rows = _rows(table, keys, on=day, field=field) if day else pd.DataFrame()
    ax, look = stage.set_up(ax, theme, size=_size(len(rows), top))
    head = _head(day, field)
    if not day or not len(rows):
        stage.blank(ax, look, "No use and no caps in this month")
        stage.title(ax, look, head)
        stage.describe(ax, f"{head}: no use and no caps.")
        return ax
    columns, count = _layout(ax, min(len(rows), top or MOST))
    shown = rows.iloc[:count]
    _draw_all(ax, look, shown, table=table, on=day, columns=columns, field=field)
    _tell(ax, look, head, rows, shown=shown, on=day, field=field)
    return ax


def _head(day: date | None, field: str) -> str:
    what = "Minutes of speech and caps" if is_minutes(field) else "Use and caps"
    return f"{what} in {MONTHS[day.month - 1]} {day.year}" if day else what


def _rows(table: pd.DataFrame, keys: pd.DataFrame | None, *, on: date, field: str) -> pd.DataFrame:
    """The forecast, the keys nearest to their caps first; `lacks` says what is known of a cap where none is drawn."""
    found = forecast(table, keys, on=on, field=field)
    unclear = found["api_key_label"].isin(found.attrs["unclear"])
    none = "" if keys is None else f"no {_kind(field)} cap"
    return _nearest_first(found.assign(lacks=np.where(unclear, "cap not known", none)))


def _kind(field: str) -> str:
    return "speech" if is_minutes(field) else "character"


def _nearest_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Keys with a cap before those without, in the order of the part they are expected to use."""
    cap = rows["cap"].astype("float64").to_numpy(dtype=np.float64, na_value=np.nan)
    part = np.where(cap > 0, rows["expected"].to_numpy(dtype=np.float64) / np.where(cap > 0, cap, 1), -1.0)
    idle = (cap == 0) & (rows["used"].to_numpy() == 0)
    order = np.lexsort((-rows["expected"].to_numpy(dtype=np.float64), -part, idle, np.isnan(cap)))
    return rows.iloc[order].reset_index(drop=True)


def _size(count: int, top: int | None) -> tuple[float, float]:
    """The size of a figure for that many small charts."""
    rows = -(-max(1, min(count, top or MOST)) // 4)
    return stage.FIGURE[0], max(stage.FIGURE[1], rows * 1.65 + 0.7)


def _layout(ax: Axes, count: int) -> tuple[int, int]:
    """How many columns, and how many small charts there is room for."""
    wide, high = stage.room(ax)
    most = max(1, int((wide - 10) // (PANE[0] + GAP[0])))
    rows = max(1, int((high - 48) // (PANE[1] + GAP[1] * 0.5)))
    columns = min(count, most, 4 if count > 4 else 2 if count == 4 else 3)
    columns = columns if columns * rows >= count else min(most, -(-count // rows))
    return columns, min(count, columns * rows)


def _draw_all(
    ax: Axes, look: Theme, rows: pd.DataFrame, *, table: pd.DataFrame, on: date, columns: int, field: str
) -> None:
    lines = -(-len(rows) // columns)
    panes = stage.panes(ax, look, [1.0] * lines, columns=columns, gap=GAP)
    for pane in panes[len(rows) :]:
        pane.set_axis_off()
    wide = (stage.room(ax)[0] - MARGIN + GAP[0]) / columns - GAP[0]
    for number, (pane, (_, row)) in enumerate(zip(panes, rows.iterrows(), strict=False)):
        path = paths(table, row["name"], on=on, field=field)
        # Words may reach into the gap, but not out of the figure: the layout would make room for them.
        is_last = number % columns == columns - 1
        _draw(pane, look, row, path, on=on, points=wide if is_last else wide + GAP[0] * 0.6)
    _legend(ax, look, caps=bool(rows["cap"].notna().any()))


def _draw(ax: Axes, look: Theme, row: pd.Series[Any], path: pd.DataFrame, *, on: date, points: float) -> None:
    """One key: used until today, expected from there, and the cap above."""
    places = numbers(pd.DatetimeIndex(path["usage_date"]))
    main, alarm = look.colours[0], look.colours[1]
    used = path["used"].to_numpy(dtype=np.float64)
    ax.fill_between(places, used, color=main, alpha=0.3, linewidth=0, label="used")
    ax.plot(places, used, color=main, linewidth=1.8, label="used", solid_capstyle="butt")
    ax.fill_between(places, path["low"], path["high"], color=look.rest, alpha=0.35, linewidth=0, label="band")
    ax.plot(places, path["expected"], color=look.muted, linewidth=1.2, linestyle=EXPECTED, label="expected")
    cap = None if pd.isna(row["cap"]) else float(row["cap"])
    if cap is not None:
        ax.axhline(cap, color=alarm, linewidth=1.4, label="cap")
    if cap and pd.notna(row["exhausted_on"]):
        place = numbers(pd.DatetimeIndex([row["exhausted_on"]]))[0]
        ax.plot([place], [cap], marker="o", markersize=5, color=alarm, label="exhausted")
    _scale(ax, look, places, most=max(float(row["high"]), cap or 0, 1.0), cap=cap)
    _name(ax, look, row, on=on, points=points)


def _legend(ax: Axes, look: Theme, *, caps: bool) -> None:
    """What the lines are, below all small charts."""
    handles = [
        Patch(facecolor=look.colours[0], linewidth=0),
        Line2D([], [], color=look.muted, linewidth=1.2, linestyle=EXPECTED),
        Patch(facecolor=look.rest, alpha=0.35, linewidth=0),
        Line2D([], [], color=look.colours[1], linewidth=1.4),
    ]
    names = ["used", "expected", "likely", "cap"][: 4 if caps else 3]
    low = ax.transAxes + ScaledTranslation(0, -BELOW / 72, ax.figure.dpi_scale_trans)
    stage.write_legend(
        ax,
        look,
        handles[: len(names)],
        names,
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=low,
        ncols=4,
    )


def _scale(ax: Axes, look: Theme, places: Any, *, most: float, cap: float | None) -> None:
    """Only the ticks that say something: the first and last day, nothing, and the cap."""
    ax.set_xlim(places[0] - 0.3, places[-1] + 0.3)
    ax.set_ylim(0, most * 1.12)
    first, last = (day_at(place) for place in (places[0], places[-1]))
    middle = places[14]
    ax.set_xticks(
        [places[0], middle, places[-1]],
        labels=[f"1 {MONTHS[first.month - 1][:3]}", "15", str(last.day)],
        color=look.muted,
        **plain(SMALL),
    )
    top = cap if cap is not None and cap > most * 0.2 else _round(most)
    ax.set_yticks(
        [0, top] if top else [0], labels=["0", short(top)] if top else ["0"], color=look.muted, **plain(SMALL)
    )


def _round(amount: float) -> float:
    """The largest number with one figure that is not above *amount*."""
    size = 10 ** np.floor(np.log10(max(amount, 1)))
    return float(np.floor(amount / size) * size)


def _name(ax: Axes, look: Theme, row: pd.Series[Any], *, on: date, points: float) -> None:
    """The key, and below it in words how it stands."""
    outcome = next(
        (text for text in outcomes(row, on) if width(text, SMALL) <= points), outcomes(row, on)[-1]
    )
    due = pd.notna(row["exhausted_on"])
    stage.above(ax, outcome, 3, color=look.ink if due else look.muted, **plain(SMALL))
    name = shortened(_written(row), points * 0.95)
    stage.above(ax, name, 3 + SMALL * 1.4, color=look.ink, **plain(SIZE, fontweight="bold"))


def _written(row: pd.Series[Any]) -> str:
    mask = row["api_key"] if isinstance(row["api_key"], str) else ""
    return labels([str(row["name"])], np.inf, masks={str(row["name"]): mask})[0]


def outcomes(row: pd.Series[Any], on: date) -> list[str]:
    """How a key stands against its cap, in words: from all that is known to the least that will do."""
    last = (pd.Timestamp(on) + pd.offsets.MonthEnd(0)).date()
    if pd.isna(row["cap"]):
        return _uncapped(row, last)
    cap = float(row["cap"])
    if cap == 0:
        return ["blocked"]
    if pd.notna(row["exhausted_on"]):
        return _when(row, on)
    used, low, high = (float(row[band]) / cap for band in ("used", "low", "high"))
    now = f"{percent(round(used, 3))} used" if used else "nothing used"
    if on == last or not high:
        return [f"{now} of {whole(cap)}", now]
    if pd.notna(row["earliest"]):
        may = f"may be full by {day_in_words(row['earliest'].date())}"
        return [f"{now}, {may}", may]
    ahead = f"{low * 100:.0f} to {high * 100:.0f} % by {day_in_words(last)}"
    return [f"{now}, {ahead}", ahead, now]


def _uncapped(row: pd.Series[Any], last: date) -> list[str]:
    lacks, used = row["lacks"], f"{short(row['used'])} used"
    ahead = f"{short(row['low'])} to {short(row['high'])} by {day_in_words(last)}"
    before = f"{lacks}; " if lacks else ""
    return [f"{before}{used}, {ahead}", f"{before}{ahead}", f"{before}{used}", lacks or used]


def _when(row: pd.Series[Any], on: date) -> list[str]:
    day = row["exhausted_on"].date()
    due = day_in_words(day)
    if day <= on:
        return [f"cap reached on {due}", f"reached on {due}"]
    late = f" to {day_in_words(row['latest'].date())}" if pd.notna(row["latest"]) else " at the earliest"
    early = day_in_words(row["earliest"].date())
    return [f"cap reached about {due} ({early}{late})", f"cap reached about {due}", f"full about {due}"]


def _tell(
    ax: Axes, look: Theme, head: str, rows: pd.DataFrame, *, shown: pd.DataFrame, on: date, field: str
) -> None:
    """Title and alt text."""
    reach = _reach(rows, field)
    hidden = f"{len(shown)} of {plural(len(rows), 'key')}" if len(shown) < len(rows) else ""
    legend = f"seen on {day_in_words(on)}"
    stage.title(ax, look, head, [reach, legend, hidden], lift=SIZE * 3.2)
    sentences = [f"{row['name']}: {outcomes(row, on)[0]}." for _, row in shown.iterrows()]
    used = f"{whole(rows['used'].sum())} {words.unit(field)} used"
    stage.describe(ax, f"{head}, {legend}: {reach}, {used}.", *_some(sentences))


def _reach(rows: pd.DataFrame, field: str) -> str:
    """How many caps are reached, as far as caps are known."""
    due = rows[rows["exhausted_on"].notna() & (rows["cap"] > 0).fillna(False)]
    capped = int(rows["cap"].notna().sum())
    if capped:
        return f"{len(due):,} of {plural(capped, f'{_kind(field)} cap')} reached by the month's end"
    return (
        f"no {_kind(field)} caps" if (rows["lacks"] == f"no {_kind(field)} cap").all() else "caps not known"
    )


def _some(sentences: Sequence[str], most: int = 6) -> list[str]:
    left = len(sentences) - most
    return [*sentences[:most], f"And {plural(left, 'key')} more."] if left > 0 else list(sentences)
