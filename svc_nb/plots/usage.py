"""Charts of usage: by day, by key, by product, as a heat map, as shares and by tag."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from svc_nb.plots import axes, bars, spots, text
from svc_nb.plots.axes import Theme, ThemeChoice
from svc_nb.plots.text import labels, percent, whole
from svc_nb.tabular.report import plural
from svc_nb.usage import totals
from svc_nb.usage.days import day_of
from svc_nb.usage.display_names import called, distinct
from svc_nb.usage.outliers import outliers

ALL = "total_characters"
NO_USE = "No usage in this period"
ALL_HIDDEN = "All are hidden. Click a name below to show it"
TOP = 8
MOST_ROWS = 30
# How many of the others the text of a bar lists.
MOST_NAMED = 12
# How many unusual days a line mentions.
MOST_TOLD = 3
# If the chart is lower than this, in points, there is no room for minutes below; the title has them.
LOWEST = 200.0


def by_day(
    table: pd.DataFrame,
    *,
    field: str = ALL,
    top: int = TOP,
    every: str = "day",
    hidden: Collection[str] = (),
    legend: bool = True,
    unusual: pd.DataFrame | None = None,
    ax: Axes | None = None,
    theme: ThemeChoice = None,
) -> Axes:
    """Usage by day, stacked by key or tag: the largest separately and the others together; unfinished days are hatched.

    A day on which a key used far more than usual has a sign above it, and is named in the alt text; the keys named
    there are also drawn separately.

    Parameters
    ----------
    table
        Usage by day from `svc_nb.usage`, or any table with its columns.
    field
        The amount to draw; minutes have their own axis.
    top
        How many keys get their own colour.
    every
        The period of a bar: "day", "week" (from Monday on) or "month".
    hidden
        The names of keys that are not drawn.
    legend
        Whether the chart has a legend.
    unusual
        The days with a sign, if they were found in more days than *table* has: `usage_date`, `name`, `amount` and
        `usual`. By default they are found in *table*.
    ax
        The axes to draw on; by default a new figure is created.
    theme
        "light" or "dark"; by default it matches the figure.
    """
    ax, look = axes.set_up(ax, theme)
    far = outliers(table, field=field) if unusual is None else unusual
    named = told_of(far)
    room = axes.entries(ax) - 2 - len(named) if legend else top
    days = totals.by_day(table, field=field, top=max(1, min(top, room)), named=named, every=every)
    who = text.who(table)
    head = f"{text.what(field)} by {every}{f' and {who}' if who else ''}"
    if not len(days):
        return _empty(ax, look, head, table)
    names = [str(name) for name in days.columns]
    faces = dict(zip(names, look.faces(names, others=bool(days.attrs["others"])), strict=True))
    sums = totals.by_key(table, field=field)
    each = totals.by_day(table, field=field, every=every).rename(columns=str)
    each = each[[name for name in each.columns if days.attrs["others"] and name not in names[:-1]]]
    beyond = list(each.columns)
    unseen = {*hidden, *(beyond if names[-1] in hidden else ())}
    days = days[[name for name in names if name not in hidden]]
    if days.empty:
        return _empty(ax, look, head, table, words=ALL_HIDDEN)
    shown = each.iloc[:, :0] if {*beyond} & unseen else each
    _stack(ax, look, days, faces=faces, table=table, field=field, every=every, others=shown)
    tops = days.to_numpy().sum(axis=1)
    total, lift, peak = tops.sum(), 0.0, ""
    if legend and total and (days.shape[1] > 1 or _unfinished(table, days, every)):
        lift = _legend(ax, look, days, faces=faces, table=table, every=every)
    if total and len(tops) > 1:
        most = text.period_in_words(days.index[int(tops.argmax())].date(), every, _within(table))
        peak = f", at most {whole(tops.max())} {'on' if every == 'day' else 'in'} {most}"
    in_all = text.in_all(total, field, of="shown" if {*names} & {*hidden} else "in all")
    largest = text.largest(sums[[name not in unseen for name in sums.index]]) if total else ""
    far = far[~far["name"].isin(list(unseen))]
    _sign(ax, look, days, far, every=every)
    return _tell(ax, look, head, table, [in_all], f"{in_all}{peak}", largest, outliers_in_words(far), lift=lift)


def told_of(found: pd.DataFrame) -> set[str]:
    """The names of the keys, or tags, that `outliers_in_words` mentions."""
    return {str(name) for name in found["name"].head(MOST_TOLD)}


def outliers_in_words(found: pd.DataFrame) -> str:
    """The days of `svc_nb.usage.outliers` in one line: a few of them, and how many more there are."""
    told = [
        text.outlier_in_words(day.date(), name, amount, usual)
        for day, name, amount, usual in found.head(MOST_TOLD).itertuples(index=False)
    ]
    more = f"; and {plural(len(found) - MOST_TOLD, 'day')} more" if len(found) > MOST_TOLD else ""
    return f"Unusually high: {'; '.join(told)}{more}." if told else ""


def by_key(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage of each key or tag over all days: one bar each, the largest on top.

    Parameters
    ----------
    table, field, ax, theme
        As for `by_day`; the table needs no days.
    top
        How many keys get their own bar; by default as many as there is room for.
    """
    return _ranked(table, field=field, top=top, ax=ax, theme=theme, shares=False)


def share(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """The share of each key or tag in the whole, in percent: one bar each, the largest on top.

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
    head = f"{'Share of ' + what.lower() if shares else what} by {text.who(table) or 'key'}"
    if not len(table):
        return _empty(ax, look, head, table)
    most = top or _rows(ax)
    found = totals.by_key(table, field=field, top=most if most >= len(every) else max(most - 1, 1))
    total, others = float(every.sum()), bool(found.attrs["others"])
    lengths = found.to_numpy(dtype=np.float64) / (total if shares and total else 1.0)
    names, unit = [str(name) for name in found.index], text.unit(field)
    rows, parts = np.arange(len(found), dtype=np.float64), found.to_numpy(dtype=np.float64) / (total or 1.0)
    boxes = np.stack([np.zeros(len(rows)), np.maximum(lengths, 1e-9), rows - 0.5, rows + 0.5], axis=1)
    told = [f"{whole(amount)} {unit}, {percent(part)}" for amount, part in zip(found, parts, strict=True)]
    spots.keep(ax, boxes, list(zip(names, told, strict=True)))
    bars.named(
        ax,
        labels(found.index, min(axes.room(ax)[0] * 0.38, 230), masks=_masks(table)),
        lengths,
        faces=look.faces(names, others=others) if look.slots else _one_colour(look, len(found), others=others),
        words=[percent(length) if shares else whole(length) for length in lengths],
        look=look,
        cut=others and not shares,
    )
    in_all = text.in_all(total, field)
    largest = text.largest(every) if total else "No usage."
    return _tell(ax, look, head, table, [in_all, text.still(table)], in_all, largest)


def tags(
    table: pd.DataFrame, *, field: str = ALL, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Usage by custom tag: stacked by day if the table has days, otherwise a bar for each tag.

    Parameters
    ----------
    table, field, top, ax, theme
        As for `by_day` and `by_key`.
    """
    if "custom_tag" not in table.columns:
        raise ValueError('the table has no tags. Request it with group_by="tag" or "tag_and_day"')
    if "usage_date" in table.columns:
        return by_day(table, field=field, top=top or TOP, ax=ax, theme=theme)
    return by_key(table, field=field, top=top, ax=ax, theme=theme)


def heat_map(
    table: pd.DataFrame,
    *,
    field: str = ALL,
    top: int | None = None,
    every: str = "day",
    ax: Axes | None = None,
    theme: ThemeChoice = None,
) -> Axes:
    """Usage of each key on each day as a colour: one row each, the largest on top.

    Parameters
    ----------
    table, field, every, ax, theme
        As for `by_day`.
    top
        How many keys are shown; by default as many as there is room for. The title says that others are left out.
    """
    whole_grid = totals.grid(table, field=field, every=every)
    ax, look = axes.set_up(ax, theme, size=_height(len(whole_grid), top))
    head = f"{text.what(field)} by {text.who(table) or 'key'} and {every}"
    if not whole_grid.size:
        return _empty(ax, look, head, table)
    shown = whole_grid.iloc[: top or _rows(ax)]
    names = labels(shown.index, min(axes.room(ax)[0] * 0.3, 190), masks=_masks(table))
    begins = _begins(pd.DatetimeIndex(shown.columns), table, every)
    bars.heat(ax, look, shown.set_axis(begins, axis=1), names=names, field=field, every=every)
    _keep_cells(ax, shown, table=table, field=field, every=every)
    total, hottest = whole_grid.to_numpy().sum(), ""
    if total:
        cells = whole_grid.to_numpy()
        row, column = divmod(int(cells.argmax()), whole_grid.shape[1])
        most, unit = whole(cells[row, column]), text.unit(field)
        day = text.period_in_words(pd.DatetimeIndex(whole_grid.columns)[column].date(), every, _within(table))
        hottest = f"Most in one {every}: {most} {unit}, {whole_grid.index[row]}, {day}."
    else:
        axes.nothing(ax, look, NO_USE)
    count, in_all = plural(len(whole_grid), text.who(table) or "key"), text.in_all(total, field)
    cut = f"the {len(shown)} largest of {count}" if len(shown) < len(whole_grid) else ""
    largest = text.largest(whole_grid.sum(axis=1)) if total else ""
    return _tell(ax, look, head, table, [in_all, cut, text.still(table)], f"{in_all}, {cut or count}", largest, hottest)


def _rows(ax: Axes) -> int:
    """How many rows with a name fit."""
    return int(np.clip((axes.room(ax)[1] - 60) / axes.ROW, 3, MOST_ROWS))


def _height(count: int, top: int | None) -> tuple[float, float]:
    """The size of a figure with a row for each of *count* keys."""
    rows = min(count, (top or MOST_ROWS - 1) + 1)
    return axes.FIGURE[0], max(2.0, (rows * (axes.ROW + 1) + 75) / 72)


def by_product(
    table: pd.DataFrame, *, field: str = ALL, every: str = "day", ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Characters by product, stacked by day if the table has days, and minutes of speech below, on their own scale.

    Parameters
    ----------
    table, every, ax, theme
        As for `by_day`; the table needs no days.
    field
        "total_characters" for all products, or the one to draw.
    """
    ax, look = axes.set_up(ax, theme)
    by_days = "usage_date" in table.columns
    head = f"{'Use by product' if field == ALL else text.what(field)}{f' and {every}' if by_days else ''}"
    if not len(table):
        return _empty(ax, look, head, table)
    look = replace(look, slots={})  # products are not keys
    products = _products(table, field, every)
    kinds = [name for name in totals.MINUTES if name in table.columns and field in (ALL, name)]
    minutes = {name: float(totals.by_key(table, field=name).sum()) for name in kinds}
    speech = pd.Series({name: used for name, used in minutes.items() if used or name == field}, dtype="float64")
    unit = ALL if len(products.columns) else field
    lift = 0.0
    if by_days:
        lift = _product_days(ax, look, products, table=table, speech=speech, every=every)
    else:
        found = (products if unit == ALL else speech.to_frame().T).sum().sort_values(ascending=False)
        bars.named(
            ax,
            [text.PRODUCTS.get(str(name), text.what(str(name))) for name in found.index],
            found.to_numpy(dtype=np.float64),
            faces=_one_colour(look, len(found)),
            words=[whole(amount) for amount in found],
            look=look,
        )
    total = products.to_numpy().sum() if unit == ALL else speech.sum()
    spoken = [f"{whole(amount)} {text.what(str(name)).lower()}" for name, amount in speech.items()]
    told = [text.in_all(total, unit), *(spoken if unit == ALL else [])]
    sizes = products.sum().rename(text.PRODUCTS).sort_values(ascending=False)
    largest = text.largest(sizes) if total and unit == ALL else ""
    return _tell(ax, look, head, table, told, "; ".join(told), largest, lift=lift)


def _products(table: pd.DataFrame, field: str, every: str) -> pd.DataFrame:
    """The characters of each product, by day if there are days; characters without a product come last."""
    if field != ALL:
        totals.amounts(table, field)  # raises for a field that does not exist
    found = totals.by_product(table, every=every)
    if field != ALL:
        return found[[name for name in found.columns if name == field]]
    if ALL in table.columns:
        by_days = "usage_date" in table.columns
        in_all = totals.by_day(table, every=every).sum(axis=1) if by_days else totals.by_key(table)
        beyond = (in_all - found.sum(axis=1)).clip(lower=0)
        if beyond.any():
            found = found.assign(**{ALL: beyond})
    return found


def _product_days(
    ax: Axes, look: Theme, products: pd.DataFrame, *, table: pd.DataFrame, speech: pd.Series[float], every: str
) -> float:
    """Draw stacks by day, with a pane for each kind of speech if there is room; return the height of the legend."""
    if len(products.columns) and axes.room(ax)[1] < LOWEST:
        speech = speech[:0]
    heights = [3.0] * bool(len(products.columns)) + [1.2] * len(speech)
    panes = axes.panes(ax, look, heights, gap=(0, 44)) if len(heights) > 1 else [ax]
    below = panes[-len(speech) :] if len(speech) else []
    for pane, name in zip(below, speech.index, strict=True):
        minutes = totals.by_day(table, field=name, every=every).sum(axis=1).to_frame(text.what(name))
        muted = {text.what(name): {"facecolor": look.muted}}
        _stack(pane, look, minutes, faces=muted, table=table, field=name, every=every)
        if pane is not ax:
            axes.title(pane, look, "", [text.what(name)])
    if not len(products.columns):
        return 0.0
    named = products.rename(columns=text.PRODUCTS)
    names = [str(name) for name in named.columns]
    faces = dict(zip(names, look.faces(names, others=ALL in products.columns), strict=True))
    _stack(panes[0], look, named, faces=faces, table=table, field=ALL, every=every)
    return _legend(panes[0], look, named, faces=faces, table=table, every=every) if named.to_numpy().any() else 0.0


# ---- stacks by day


Faces = dict[str, dict[str, Any]]


def _stack(
    ax: Axes,
    look: Theme,
    days: pd.DataFrame,
    *,
    faces: Faces,
    table: pd.DataFrame,
    field: str,
    every: str,
    others: pd.DataFrame | None = None,
) -> None:
    """Draw *days* as stacks, and hatch those that are not over; *others* has the keys in the last column."""
    index = pd.DatetimeIndex(days.index)
    places = bars.day_places(index, every)
    amounts = days.to_numpy(dtype=np.float64)
    tops = amounts.sum(axis=1)
    names = [str(name) for name in days.columns]
    bars.stacks(ax, places, amounts, faces=[faces[name] for name in names], names=names, look=look)
    _keep_bars(ax, days, places, table=table, field=field, every=every, others=others)
    struck = _unfinished(table, days, every)
    if struck:
        bars.hatch(ax, places[struck], tops[struck], look)
    axes.set_days(ax, index) if every == "day" else axes.set_periods(ax, _begins(index, table, every), every)
    axes.set_amounts(ax, tops.max(), look=look, integer=not totals.is_minutes(field))
    if not tops.any():
        ax.set_yticks([0])
        axes.nothing(ax, look, NO_USE)


def _keep_bars(
    ax: Axes,
    days: pd.DataFrame,
    places: bars.Numbers,
    *,
    table: pd.DataFrame,
    field: str,
    every: str,
    others: pd.DataFrame | None,
) -> None:
    """Store the text of each bar of stacks: its day and the day's total, its name, its amount, and its share.

    The bar of the *others* has a line for each of them.
    """
    amounts = days.to_numpy(dtype=np.float64)
    tops, unit, within = np.cumsum(amounts, axis=1), text.unit(field), _within(table)
    rows, columns = np.nonzero(amounts)
    names = [str(name) for name in days.columns]
    heads = [
        f"{text.period_in_words(day.date(), every, within)}: {whole(total)} {unit}"
        for day, total in zip(pd.DatetimeIndex(days.index), tops[:, -1], strict=True)
    ]
    high, own = tops[rows, columns], amounts[rows, columns]
    boxes = np.stack([places[rows] - 0.5, places[rows] + 0.5, high - own, high], axis=1)
    parts = own / tops[rows, -1]
    words = [
        (heads[row], f"{names[column]}: {whole(amount)} {unit}, {percent(part)} of the {every}")
        for row, column, amount, part in zip(rows, columns, own, parts, strict=True)
    ]
    if others is not None and others.shape[1]:
        last = len(names) - 1
        words = [
            (head, f"{line}\n{_listed(others.iloc[row])}" if column == last else line)
            for row, column, (head, line) in zip(rows, columns, words, strict=True)
        ]
    spots.keep(ax, boxes, words)


def _listed(amounts: pd.Series[Any]) -> str:
    """The names of *amounts* above 0 with their figures, the largest first, one line each."""
    used = amounts[amounts > 0].sort_values(ascending=False, kind="stable")
    lines = [f"{name}: {whole(amount)}" for name, amount in used.head(MOST_NAMED).items()]
    more = [f"and {len(used) - MOST_NAMED} more"] if len(used) > MOST_NAMED else []
    return "\n".join([*lines, *more])


def _keep_cells(ax: Axes, grid: pd.DataFrame, *, table: pd.DataFrame, field: str, every: str) -> None:
    """Store the text of each cell of a heat map."""
    cells, unit, within = grid.to_numpy(dtype=np.float64), text.unit(field), _within(table)
    days, names = pd.DatetimeIndex(grid.columns), [str(name) for name in grid.index]
    places, heads = bars.day_places(days, every), [text.period_in_words(day.date(), every, within) for day in days]
    rows, columns = np.nonzero(cells)
    boxes = np.stack([places[columns] - 0.5, places[columns] + 0.5, rows - 0.5, rows + 0.5], axis=1)
    words = [
        (heads[column], f"{names[row]}: {whole(cells[row, column])} {unit}")
        for row, column in zip(rows, columns, strict=True)
    ]
    spots.keep(ax, boxes, words)


def _sign(ax: Axes, look: Theme, days: pd.DataFrame, far: pd.DataFrame, *, every: str) -> None:
    """Put a sign above the bars of the days that are *far* above the usual."""
    if not len(far):
        return
    index = pd.DatetimeIndex(days.index)
    starts = index.get_indexer(pd.DatetimeIndex(totals.period_starts(totals.dates_of(far), every)))
    found = np.unique(starts[starts >= 0])
    tops = days.to_numpy(dtype=np.float64).sum(axis=1)
    style: dict[str, Any] = {"linestyle": "", "marker": "v", "markersize": 6, "color": look.ink, "clip_on": False}
    lifted = ax.transData + ScaledTranslation(0, 6 / 72, ax.figure.dpi_scale_trans)
    places = bars.day_places(index, every)[found]
    ax.plot(places, tops[found], transform=lifted, label="unusual", **style)
    boxes = np.stack([places - 0.5, places + 0.5, tops[found], tops[found] + 0.08 * ax.get_ylim()[1]], axis=1)
    told = [
        [
            text.outlier_in_words(day.date(), name, *amounts)
            for day, name, *amounts in far[starts == at].itertuples(False)
        ]
        for at in found
    ]
    spots.keep(ax, boxes, [("Unusually high", "\n".join(lines)) for lines in told])


def _begins(starts: pd.DatetimeIndex, table: pd.DataFrame, every: str) -> pd.DatetimeIndex:
    """The days by which an axis names *starts*: if *table* begins within the first week, that week begins with it."""
    first = pd.Timestamp(_within(table)[0])
    return starts.where(starts >= first, first) if every == "week" else starts


def _within(table: pd.DataFrame) -> tuple[date, date]:
    """The first and the last day of *table*; the requested ones, if it knows them."""
    first, last = getattr(table, "start", None), getattr(table, "end", None)
    if isinstance(first, date) and isinstance(last, date):
        return day_of(first), day_of(last)
    dates = totals.dates_of(table)
    return dates.min().item(), dates.max().item()


def _legend(ax: Axes, look: Theme, days: pd.DataFrame, *, faces: Faces, table: pd.DataFrame, every: str) -> float:
    """Draw the legend of stacks, in their order from the top; return its height above them."""
    entries = [(str(name), faces[str(name)]) for name in reversed(days.columns)]
    if _unfinished(table, days, every):
        entries.append(("not over yet", {"facecolor": look.muted, **bars.struck(look)}))
    return axes.legend(ax, look, [name for name, _ in entries], [face for _, face in entries], _masks(table))


def _unfinished(table: pd.DataFrame, days: pd.DataFrame, every: str) -> list[int]:
    """Mark which of *days* are not over."""
    late = np.array(text.incomplete_days(table), dtype="datetime64[D]")
    places = pd.DatetimeIndex(days.index).get_indexer(pd.DatetimeIndex(totals.period_starts(late, every)))
    return [int(place) for place in np.unique(places[places >= 0])]


def _one_colour(look: Theme, count: int, *, others: bool = False) -> list[dict[str, Any]]:
    """The same colour for all but the *others*, which come last."""
    return [{"facecolor": look.rest if others and place == count - 1 else look.colours[0]} for place in range(count)]


def _masks(table: pd.DataFrame) -> dict[str, str]:
    """The mask of each key by its name."""
    if not {"api_key", "api_key_label"} <= {*table.columns}:
        return {}
    pairs = distinct(table)[1]
    return {name: mask for name, (mask, _) in zip(called(pairs), pairs, strict=True)}


def _empty(ax: Axes, look: Theme, head: str, table: pd.DataFrame, *, words: str = NO_USE) -> Axes:
    """Say in *words* why the chart is empty, in the chart and in its alt text."""
    axes.blank(ax, look, words)
    return _tell(ax, look, head, table, [], words[0].lower() + words[1:])


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
    """Set the title, with *parts* below it, and the alt text: *fact* after the title, then *more*."""
    days = text.span(table)
    axes.title(ax, look, head, [days, *parts], lift=lift)
    headed = f"{head}, {days}" if days else head
    axes.describe(ax, f"{headed}: {fact}.", *more, text.unfinished(table))
    return ax
