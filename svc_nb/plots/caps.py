"""Each key's use this month against its cap, with a forecast to the end of the month: a small chart for each key."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from svc_nb.plots import axes
from svc_nb.plots.axes import Theme, ThemeChoice, day_at, day_numbers
from svc_nb.plots.text import MONTHS, SIZE, SMALL, day_in_words, labels, percent, plain, short, shortened, unit, whole
from svc_nb.tabular.report import plural
from svc_nb.usage.forecast import forecast, paths
from svc_nb.usage.totals import dates_of, is_minutes

MOST = 12
# How many keys the alt text mentions.
MOST_TOLD = 6
EXPECTED = (0, (3, 2))
# The minimum size of a small chart with its labels, in points; and the gap between two.
PANE = (108.0, 66.0)
GAP = (46.0, 46.0)
# Space left and right of all of them.
MARGIN = 60.0
# Below the small charts: the numbers of the days, then the legend of the lines.
BELOW = 18.0


def caps(
    table: pd.DataFrame,
    *,
    keys: pd.DataFrame | None = None,
    on: date | None = None,
    top: int | None = None,
    field: str = "total_characters",
    ax: Axes | None = None,
    theme: ThemeChoice = None,
) -> Axes:
    """What each key has used of its monthly cap, day by day, and when it will reach the cap, if at all.

    The keys nearest to their caps come first. The band covers what is expected in four of five months.

    Parameters
    ----------
    table
        Usage by key and day, ideally with some weeks before the month.
    keys
        The table of `svc_nb.keys.list`, which has the caps; without it, only the forecast is drawn.
    on
        The day to look ahead from; by default the last day of the table.
    top
        How many keys to show at most; by default as many as there is room for.
    field
        What the caps limit: total_characters, or speech_to_text_minutes, which has its own caps.
    ax, theme
        As for `by_day`.
    """
    dates = dates_of(table)
    day = on or (dates.max().item() if len(dates) else None)
    rows = _rows(table, keys, on=day, field=field) if day else pd.DataFrame()
    lines = -(-max(1, min(len(rows), top or MOST)) // 4)
    ax, look = axes.set_up(ax, theme, size=(axes.FIGURE[0], max(axes.FIGURE[1], lines * 1.65 + 0.7)))
    head = "Minutes of speech and caps" if is_minutes(field) else "Use and caps"
    head += f" in {MONTHS[day.month - 1]} {day.year}" if day else ""
    if not day or not len(rows):
        axes.blank(ax, look, "No usage and no caps this month")
        axes.title(ax, look, head)
        axes.describe(ax, f"{head}: no usage and no caps.")
        return ax
    count, (wide, high) = min(len(rows), top or MOST), axes.room(ax)
    # As many columns as look good, or more if there is room for more small charts.
    most = max(1, int((wide - 10) // (PANE[0] + GAP[0])))
    lines = max(1, int((high - 48) // (PANE[1] + GAP[1] * 0.5)))
    columns = min(count, most, 4 if count > 4 else 2 if count == 4 else 3)
    columns = columns if columns * lines >= count else min(most, -(-count // lines))
    shown = rows.iloc[: min(count, columns * lines)]
    _draw_all(ax, look, shown, table=table, on=day, columns=columns, field=field)
    _tell(ax, look, head, rows, shown=shown, on=day, field=field)
    return ax


def _rows(table: pd.DataFrame, keys: pd.DataFrame | None, *, on: date, field: str) -> pd.DataFrame:
    """The forecast, the keys nearest to their caps first; `lacks` says why a cap is not drawn."""
    found = forecast(table, keys, on=on, field=field)
    unclear = found["api_key_label"].isin(found.attrs["unclear"])
    found = found.assign(lacks=np.where(unclear, "cap not known", "" if keys is None else f"no {_kind(field)} cap"))
    # Keys with a cap before those without, in the order of the share that they are expected to use.
    cap = found["cap"].astype("float64").to_numpy(dtype=np.float64, na_value=np.nan)
    expected = found["expected"].to_numpy(dtype=np.float64)
    part = np.where(cap > 0, expected / np.where(cap > 0, cap, 1), -1.0)
    idle = (cap == 0) & (found["used"].to_numpy() == 0)
    return found.iloc[np.lexsort((-expected, -part, idle, np.isnan(cap)))].reset_index(drop=True)


def _kind(field: str) -> str:
    return "speech" if is_minutes(field) else "character"


def _draw_all(
    ax: Axes, look: Theme, rows: pd.DataFrame, *, table: pd.DataFrame, on: date, columns: int, field: str
) -> None:
    """Draw a small chart for each key, and a legend below all of them."""
    panes = axes.panes(ax, look, [1.0] * -(-len(rows) // columns), columns=columns, gap=GAP)
    for pane in panes[len(rows) :]:
        pane.set_axis_off()
    wide = (axes.room(ax)[0] - MARGIN + GAP[0]) / columns - GAP[0]
    # Labels may extend into the gap, but not out of the figure, because the layout would make room for them.
    rooms = [wide if number % columns == columns - 1 else wide + GAP[0] * 0.6 for number in range(len(rows))]
    told = [outcomes(row, on) for _, row in rows.iterrows()]
    fits = [
        next((level for level, text in enumerate(texts) if shortened(text, points, size=SMALL) == text), len(texts) - 1)
        for texts, points in zip(told, rooms, strict=True)
    ]
    # All keys without a cap get labels as long as the one with the least room.
    uncapped = rows["cap"].isna().to_numpy()
    shared = max((level for level, lacks in zip(fits, uncapped, strict=True) if lacks), default=0)
    for number, (pane, (_, row)) in enumerate(zip(panes, rows.iterrows(), strict=False)):
        _draw(pane, look, row, paths(table, row["name"], on=on, field=field))
        points, outcome = rooms[number], told[number][shared if uncapped[number] else fits[number]]
        due = pd.notna(row["exhausted_on"])
        axes.above(pane, outcome, 3, color=look.ink if due else look.muted, **plain(SMALL))
        name, mask = str(row["name"]), row["api_key"] if isinstance(row["api_key"], str) else ""
        text = shortened(labels([name], np.inf, masks={name: mask})[0], points * 0.95)
        axes.above(pane, text, 3 + SMALL * 1.4, color=look.ink, **plain(SIZE, fontweight="bold"))

    lines: dict[str, Artist] = {
        "used": Patch(facecolor=look.colours[0], linewidth=0),
        "expected": Line2D([], [], color=look.muted, linewidth=1.2, linestyle=EXPECTED),
        "likely": Patch(facecolor=look.rest, alpha=0.35, linewidth=0),
    }
    if rows["cap"].notna().any():
        lines["cap"] = Line2D([], [], color=look.colours[1], linewidth=1.4)
    low = ax.transAxes + ScaledTranslation(0, -BELOW / 72, ax.figure.dpi_scale_trans)
    where = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": low, "ncols": 4}
    axes.write_legend(ax, look, [*lines.values()], [*lines], **where)


def _draw(ax: Axes, look: Theme, row: pd.Series[Any], path: pd.DataFrame) -> None:
    """Draw one key: the use until today, the forecast from there, and the cap above."""
    places = day_numbers(pd.DatetimeIndex(path["usage_date"]))
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
        place = day_numbers(pd.DatetimeIndex([row["exhausted_on"]]))[0]
        ax.plot([place], [cap], marker="o", markersize=5, color=alarm, label="exhausted")

    # Only meaningful ticks: the first and last day, zero, and the cap or a round number.
    most = max(float(row["high"]), cap or 0, 1.0)
    ax.set_xlim(places[0] - 0.3, places[-1] + 0.3)
    ax.set_ylim(0, most * 1.12)
    days = [f"1 {MONTHS[day_at(places[0]).month - 1][:3]}", "15", str(day_at(places[-1]).day)]
    ax.set_xticks([places[0], places[14], places[-1]], labels=days, color=look.muted, **plain(SMALL))
    size = 10 ** np.floor(np.log10(most))
    top = cap if cap is not None and cap > most * 0.2 else float(np.floor(most / size) * size)
    amounts = [0, top] if top else [0]
    ax.set_yticks(amounts, labels=[short(amount) for amount in amounts], color=look.muted, **plain(SMALL))


def outcomes(row: pd.Series[Any], on: date) -> list[str]:
    """A key's use of its cap in words: from all that is known to the shortest form."""
    last = (pd.Timestamp(on) + pd.offsets.MonthEnd(0)).date()
    if pd.isna(row["cap"]):
        lacks, now = row["lacks"], f"{short(row['used'])} used"
        ahead = f"{short(row['low'])} to {short(row['high'])} by {day_in_words(last)}"
        before = f"{lacks}; " if lacks else ""
        return [f"{before}{now}, {ahead}", f"{before}{ahead}", f"{before}{now}", lacks or now]
    cap = float(row["cap"])
    if cap == 0:
        return ["blocked"]
    if pd.notna(row["exhausted_on"]):
        day = row["exhausted_on"].date()
        due = day_in_words(day)
        if day <= on:
            return [f"cap reached on {due}", f"reached on {due}"]
        late = f" to {day_in_words(row['latest'].date())}" if pd.notna(row["latest"]) else " at the earliest"
        early = day_in_words(row["earliest"].date())
        return [f"cap reached about {due} ({early}{late})", f"cap reached about {due}", f"full about {due}"]
    used, low, high = (float(row[band]) / cap for band in ("used", "low", "high"))
    now = f"{percent(round(used, 3))} used" if used else "nothing used"
    if on == last or not high:
        return [f"{now} of {whole(cap)}", now]
    if pd.notna(row["earliest"]):
        may = f"may be full by {day_in_words(row['earliest'].date())}"
        return [f"{now}, {may}", may]
    ahead = f"{low * 100:.0f} to {high * 100:.0f} % by {day_in_words(last)}"
    return [f"{now}, {ahead}", ahead, now]


def _tell(ax: Axes, look: Theme, head: str, rows: pd.DataFrame, *, shown: pd.DataFrame, on: date, field: str) -> None:
    """Title and alt text."""
    due = int((rows["exhausted_on"].notna() & (rows["cap"] > 0).fillna(False)).sum())
    capped = int(rows["cap"].notna().sum())
    reach = f"{due:,} of {plural(capped, f'{_kind(field)} cap')} reached by the end of the month"
    if not capped:
        known = (rows["lacks"] == f"no {_kind(field)} cap").all()
        reach = f"no {_kind(field)} caps" if known else "caps not known"
    hidden = f"{len(shown)} of {plural(len(rows), 'key')}" if len(shown) < len(rows) else ""
    seen = f"seen on {day_in_words(on)}"
    axes.title(ax, look, head, [reach, seen, hidden], lift=SIZE * 3.2)
    told = [f"{row['name']}: {outcomes(row, on)[0]}." for _, row in shown.iterrows()]
    if len(told) > MOST_TOLD:
        told[MOST_TOLD:] = [f"And {plural(len(told) - MOST_TOLD, 'key')} more."]
    used = f"{whole(rows['used'].sum())} {unit(field)} used"
    axes.describe(ax, f"{head}, {seen}: {reach}, {used}.", *told)
