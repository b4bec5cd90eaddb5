"""Charts of a table of usage: by day, by key, by product, as a heat map, as shares and by tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots import axes, bars, text
from svc_nb.plots.axes import Theme, ThemeChoice, day_numbers, set_days
from svc_nb.plots.text import day_in_words, labels, percent, whole
from svc_nb.tabular.report import plural
from svc_nb.usage import totals
from svc_nb.usage.display_names import called, distinct

ALL = "total_characters"
NO_USE = "No use in these days"
TOP = 8
MOST_ROWS = 30
# Lower than this, in points, there is no room for minutes below; the title has them.
LOWEST = 200.0


def by_day(
    table: pd.DataFrame, *, field: str = ALL, top: int = TOP, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage by day, stacked by key or tag: the largest apart and the others together; a day not over is hatched.

    Parameters
    ----------
    table
        Usage with days: of `svc_nb.usage`, or any table with its columns.
    field
        The amount to draw; minutes have an axis of their own.
    top
        How many keys have their own colour.
    ax
        The axes to draw on; without, a figure is made.
    theme
        "light" or "dark"; without, as suits the figure.
    """
    ax, look = axes.set_up(ax, theme)
    days = totals.by_day(table, field=field, top=max(1, min(top, axes.entries(ax) - 2)))
    head = f"{text.what(field)} by day and {text.who(table)}"
    if not len(days):
        return _empty(ax, look, head, table)
    colours = look.series(days.shape[1], others=bool(days.attrs["others"]))
    _stack(ax, look, days, colours=colours, table=table, field=field)
    tops = days.to_numpy().sum(axis=1)
    total, lift, peak = tops.sum(), 0.0, ""
    if total and (days.shape[1] > 1 or _unfinished(table, days)):
        lift = _legend(ax, look, days, colours=colours, table=table)
    if total and len(tops) > 1:
        peak = f", at most {whole(tops.max())} on {day_in_words(days.index[int(tops.argmax())].date())}"
    in_all = text.in_all(total, field)
    largest = text.largest(totals.by_key(table, field=field)) if total else ""
    return _tell(ax, look, head, table, [in_all], f"{in_all}{peak}", largest, lift=lift)


def by_key(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage of each key or tag over all days: a bar each, the largest on top.

    Parameters
    ----------
    table, field, ax, theme
        As for `by_day`; the table needs no days.
    top
        How many keys have their own bar; without, as many as there is room for.
    """
    return _ranked(table, field=field, top=top, ax=ax, theme=theme, shares=False)


def share(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """The part of each key or tag in the whole, in percent: a bar each, the largest on top.

    Parameters
    ----------
    table, field, top, ax, theme
        As for `by_key`.
    """
    return _ranked(table, field=field, top=top, ax=ax, theme=theme, shares=True)


def _ranked(
    table: pd.DataFrame, *, field: str, top: int | None, ax: Axes | None, theme: ThemeChoice, shares: bool
) -> Axes:
    """Bars with names, the largest on top and the others together last."""
    every = totals.by_key(table, field=field)
    ax, look = axes.set_up(ax, theme, size=_height(len(every), top))
    what = text.what(field)
    head = f"{'Share of ' + what.lower() if shares else what} by {text.who(table)}"
    if not len(table):
        return _empty(ax, look, head, table)
    most = top or _rows(ax)
    found = totals.by_key(table, field=field, top=most if most >= len(every) else max(most - 1, 1))
    total, others = float(every.sum()), bool(found.attrs["others"])
    lengths = found.to_numpy(dtype=np.float64) / (total if shares and total else 1.0)
    bars.named(
        ax,
        labels(found.index, min(axes.room(ax)[0] * 0.38, 230), masks=_masks(table)),
        lengths,
        colours=look.series(1) * (len(found) - 1) + [look.rest if others else look.colours[0]],
        words=[percent(length) if shares else whole(length) for length in lengths],
        look=look,
        cut=others and not shares,
    )
    in_all = text.in_all(total, field)
    largest = text.largest(every) if total else "No use."
    return _tell(ax, look, head, table, [in_all, text.still(table)], in_all, largest)


def tags(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage by custom tag: stacked by day where the table has days, else a bar for each tag.

    Parameters
    ----------
    table, field, top, ax, theme
        As for `by_day` and `by_key`.
    """
    if "custom_tag" not in table.columns:
        raise ValueError('the table has no tags: ask for it with group_by="tag" or "tag_and_day"')
    if "usage_date" in table.columns:
        return by_day(table, field=field, top=top or TOP, ax=ax, theme=theme)
    return by_key(table, field=field, top=top, ax=ax, theme=theme)


def heat_map(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage of each key on each day as a colour: a row each, the largest on top.

    Parameters
    ----------
    table, field, ax, theme
        As for `by_day`.
    top
        How many keys are shown; without, as many as there is room for. The others are left out, and it is said.
    """
    every = totals.grid(table, field=field)
    ax, look = axes.set_up(ax, theme, size=_height(len(every), top))
    head = f"{text.what(field)} by {text.who(table)} and day"
    if not every.size:
        return _empty(ax, look, head, table)
    shown = every.iloc[: top or _rows(ax)]
    names = labels(shown.index, min(axes.room(ax)[0] * 0.3, 190), masks=_masks(table))
    bars.heat(ax, look, shown, names=names, field=field)
    total, hottest = every.to_numpy().sum(), ""
    if total:
        cells = every.to_numpy()
        row, column = divmod(int(cells.argmax()), every.shape[1])
        most, unit = whole(cells[row, column]), text.unit(field)
        day = day_in_words(pd.DatetimeIndex(every.columns)[column].date())
        hottest = f"Most on one day: {most} {unit}, {every.index[row]} on {day}."
    else:
        axes.nothing(ax, look, NO_USE)
    count, in_all = plural(len(every), text.who(table)), text.in_all(total, field)
    cut = f"the {len(shown)} largest of {count}" if len(shown) < len(every) else ""
    largest = text.largest(every.sum(axis=1)) if total else ""
    return _tell(ax, look, head, table, [in_all, cut, text.still(table)], f"{in_all}, {cut or count}", largest, hottest)


def _rows(ax: Axes) -> int:
    """How many rows with a name there is room for."""
    return int(np.clip((axes.room(ax)[1] - 60) / axes.ROW, 3, MOST_ROWS))


def _height(count: int, top: int | None) -> tuple[float, float]:
    """The size of a figure with a row for each of *count* keys."""
    rows = min(count, (top or MOST_ROWS - 1) + 1)
    return axes.FIGURE[0], max(2.0, (rows * (axes.ROW + 1) + 75) / 72)


def by_product(table: pd.DataFrame, *, field: str = ALL, ax: Axes | None = None, theme: ThemeChoice = None) -> Axes:
    """Characters by product, stacked by day where the table has days, and minutes of speech below, on their own scale.

    Parameters
    ----------
    table, ax, theme
        As for `by_day`; the table needs no days.
    field
        "total_characters" for all products, or the one to draw.
    """
    ax, look = axes.set_up(ax, theme)
    by_days = "usage_date" in table.columns
    head = f"{'Use by product' if field == ALL else text.what(field)}{' and day' if by_days else ''}"
    if not len(table):
        return _empty(ax, look, head, table)
    products = _products(table, field)
    kinds = [name for name in totals.MINUTES if name in table.columns and field in (ALL, name)]
    minutes = {name: float(totals.by_key(table, field=name).sum()) for name in kinds}
    speech = pd.Series({name: used for name, used in minutes.items() if used or name == field}, dtype="float64")
    unit = ALL if len(products.columns) else field
    lift = 0.0
    if by_days:
        lift = _product_days(ax, look, products, table=table, speech=speech)
    else:
        found = (products if unit == ALL else speech.to_frame().T).sum().sort_values(ascending=False)
        bars.named(
            ax,
            [text.PRODUCTS.get(str(name), text.what(str(name))) for name in found.index],
            found.to_numpy(dtype=np.float64),
            colours=look.series(1) * len(found),
            words=[whole(amount) for amount in found],
            look=look,
        )
    total = products.to_numpy().sum() if unit == ALL else speech.sum()
    spoken = [f"{whole(amount)} {text.what(str(name)).lower()}" for name, amount in speech.items()]
    told = [text.in_all(total, unit), *(spoken if unit == ALL else [])]
    sizes = products.sum().rename(text.PRODUCTS).sort_values(ascending=False)
    largest = text.largest(sizes) if total and unit == ALL else ""
    return _tell(ax, look, head, table, told, "; ".join(told), largest, lift=lift)


def _products(table: pd.DataFrame, field: str) -> pd.DataFrame:
    """The characters of each product, by day where there are days; what no product accounts for comes last."""
    if field != ALL:
        totals.amounts(table, field)  # tells of a field that is not there
    found = totals.by_product(table)
    if field != ALL:
        return found[[name for name in found.columns if name == field]]
    if ALL in table.columns:
        every = totals.by_day(table).sum(axis=1) if "usage_date" in table.columns else totals.by_key(table)
        beyond = (every - found.sum(axis=1)).clip(lower=0)
        if beyond.any():
            found = found.assign(**{ALL: beyond})
    return found


def _product_days(
    ax: Axes, look: Theme, products: pd.DataFrame, *, table: pd.DataFrame, speech: pd.Series[float]
) -> float:
    """Stacks by day, with a pane for each kind of speech where there is room; how high the legend above them is."""
    if len(products.columns) and axes.room(ax)[1] < LOWEST:
        speech = speech[:0]
    heights = [3.0] * bool(len(products.columns)) + [1.2] * len(speech)
    panes = axes.panes(ax, look, heights, gap=(0, 44)) if len(heights) > 1 else [ax]
    below = panes[-len(speech) :] if len(speech) else []
    for pane, name in zip(below, speech.index, strict=True):
        minutes = totals.by_day(table, field=name).sum(axis=1).to_frame(name)
        _stack(pane, look, minutes, colours=[look.muted], table=table, field=name)
        if pane is not ax:
            axes.title(pane, look, "", [text.what(name)])
    if not len(products.columns):
        return 0.0
    colours = look.series(products.shape[1], others=ALL in products.columns)
    _stack(panes[0], look, products, colours=colours, table=table, field=ALL)
    if not products.to_numpy().any():
        return 0.0
    return _legend(panes[0], look, products.rename(columns=text.PRODUCTS), colours=colours, table=table)


# ---- stacks by day


def _stack(
    ax: Axes, look: Theme, days: pd.DataFrame, *, colours: Sequence[str], table: pd.DataFrame, field: str
) -> None:
    """Draw *days* as stacks, and strike through those that are not over."""
    places = day_numbers(pd.DatetimeIndex(days.index))
    amounts = days.to_numpy(dtype=np.float64)
    tops = amounts.sum(axis=1)
    bars.stacks(ax, places, amounts, colours=colours, names=[str(name) for name in days.columns], look=look)
    struck = _unfinished(table, days)
    if struck:
        bars.hatch(ax, places[struck], tops[struck], look)
    set_days(ax, pd.DatetimeIndex(days.index))
    axes.set_amounts(ax, tops.max(), look=look, integer=not totals.is_minutes(field))
    if not tops.any():
        ax.set_yticks([0])
        axes.nothing(ax, look, NO_USE)


def _legend(ax: Axes, look: Theme, days: pd.DataFrame, *, colours: Sequence[str], table: pd.DataFrame) -> float:
    """The legend of stacks, in the order in which they stand, from the top; how high it is above them."""
    entries: list[tuple[str, dict[str, Any]]] = [
        (str(name), {"facecolor": colour}) for name, colour in zip(days.columns, colours, strict=True)
    ]
    entries.reverse()
    if _unfinished(table, days):
        entries.append(("not over yet", {"facecolor": look.muted, **bars.struck(look)}))
    names, faces = zip(*entries, strict=True)
    return axes.legend(ax, look, names, faces, _masks(table))


def _unfinished(table: pd.DataFrame, days: pd.DataFrame) -> list[int]:
    """Which of *days* are not over."""
    places = [days.index.get_loc(pd.Timestamp(day)) for day in text.incomplete_days(table)]
    return [int(place) for place in places]  # type: ignore[arg-type]


def _masks(table: pd.DataFrame) -> dict[str, str]:
    """The mask of each key by its name."""
    if not {"api_key", "api_key_label"} <= {*table.columns}:
        return {}
    pairs = distinct(table)[1]
    return {name: mask for name, (mask, _) in zip(called(pairs), pairs, strict=True)}


def _empty(ax: Axes, look: Theme, head: str, table: pd.DataFrame) -> Axes:
    """Say that there was no use, in the chart and in its alt text."""
    axes.blank(ax, look, NO_USE)
    return _tell(ax, look, head, table, [], "no use")


def _tell(
    ax: Axes,
    look: Theme,
    head: str,
    table: pd.DataFrame,
    parts: Sequence[str],
    fact: str,
    *more: str,
    lift: float = 0.0,
) -> Axes:
    """Give the chart its title, with *parts* below it, and its alt text: *fact* after the title, then *more*."""
    days = text.span(table)
    axes.title(ax, look, head, [days, *parts], lift=lift)
    headed = f"{head}, {days}" if days else head
    axes.describe(ax, f"{headed}: {fact}.", *more, text.unfinished(table))
    return ax
