"""Charts of a table of usage: by day, by key, by product, as a heat map, as shares and by tag."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots import bars, stacks, stage, words
from svc_nb.plots.caps import caps
from svc_nb.plots.days import day_in_words
from svc_nb.plots.lettering import labels
from svc_nb.plots.numbers import percent, whole
from svc_nb.plots.products import by_product
from svc_nb.plots.theme import Theme
from svc_nb.tabular.report import plural
from svc_nb.usage import sums

TOP = 8
MOST_ROWS = 30


def by_day(
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int = TOP,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
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
    ax, look = stage.set_up(ax, theme)
    days = sums.by_day(table, field=field, top=max(1, min(top, stage.entries(ax) - 2)))
    head = f"{words.what(field)} by day and {words.who(table)}"
    if not len(days):
        return stacks.empty(ax, look, head, table)
    others = bool(days.attrs["others"])
    colours = look.series(days.shape[1], others=others)
    stacks.stack(ax, look, days, colours=colours, table=table, field=field)
    total = days.to_numpy().sum()
    lift = 0.0
    if total and (days.shape[1] > 1 or stacks.unfinished(table, days)):
        lift = stacks.legend(ax, look, days, colours=colours, table=table)
    stage.title(ax, look, head, [words.span(table), words.in_all(total, field)], lift=lift)
    stage.describe(
        ax,
        f"{words.headed(head, table)}: {words.in_all(total, field)}{_peak(days)}.",
        words.largest(sums.by_key(table, field=field)) if total else "",
        words.unfinished(table),
    )
    return ax


def by_key(
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int | None = None,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """Usage of each key or tag over all days: a bar each, the largest on top.

    Parameters
    ----------
    table, field, ax, theme
        As for `by_day`; the table needs no days.
    top
        How many keys have their own bar; without, as many as there is room for.
    """
    whole_table = sums.by_key(table, field=field)
    return _ranked(table, whole_table, field=field, top=top, ax=ax, theme=theme, shares=False)


def share(
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int | None = None,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """The part of each key or tag in the whole, in percent: a bar each, the largest on top.

    Parameters
    ----------
    table, field, top, ax, theme
        As for `by_key`.
    """
    whole_table = sums.by_key(table, field=field)
    return _ranked(table, whole_table, field=field, top=top, ax=ax, theme=theme, shares=True)


def tags(
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int | None = None,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
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
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int | None = None,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """Usage of each key on each day as a colour: a row each, the largest on top.

    Parameters
    ----------
    table, field, ax, theme
        As for `by_day`.
    top
        How many keys are shown; without, as many as there is room for. The others are left out, and it is said.
    """
    every = sums.grid(table, field=field)
    ax, look = stage.set_up(ax, theme, size=_height(len(every), top))
    head = f"{words.what(field)} by {words.who(table)} and day"
    if not every.size:
        return stacks.empty(ax, look, head, table)
    shown = every.iloc[: top or _rows(ax)]
    _paint(ax, look, shown, table=table, field=field)
    if not every.to_numpy().any():
        stage.nothing(ax, look, stacks.NO_USE)
    _tell_heat(ax, look, head, every, shown=len(shown), table=table, field=field)
    return ax


def _paint(ax: Axes, look: Theme, shown: pd.DataFrame, *, table: pd.DataFrame, field: str) -> None:
    """The cells of *shown* as colours, with the names of their rows."""
    from svc_nb.plots.heat import draw

    room = min(stage.room(ax)[0] * 0.3, 190)
    draw(ax, look, shown, names=labels(shown.index, room, masks=stacks.masks(table)), field=field)


def _tell_heat(
    ax: Axes, look: Theme, head: str, every: pd.DataFrame, *, shown: int, table: pd.DataFrame, field: str
) -> None:
    """Title and alt text of a heat map that has so many of the rows of *every*."""
    total = every.to_numpy().sum()
    count = plural(len(every), words.who(table))
    cut = f"the {shown} largest of {count}" if shown < len(every) else ""
    stage.title(ax, look, head, [words.span(table), words.in_all(total, field), cut, words.still(table)])
    stage.describe(
        ax,
        f"{words.headed(head, table)}: {words.in_all(total, field)}, {cut or count}.",
        words.largest(every.sum(axis=1)) if total else "",
        _hottest(every, field) if total else "",
        words.unfinished(table),
    )


def _hottest(grid: pd.DataFrame, field: str) -> str:
    cells = grid.to_numpy()
    row, column = divmod(int(cells.argmax()), grid.shape[1])
    day = day_in_words(pd.DatetimeIndex(grid.columns)[column].date())
    return f"Most on one day: {whole(cells[row, column])} {words.unit(field)}, {grid.index[row]} on {day}."


def _ranked(
    table: pd.DataFrame,
    every: pd.Series[Any],
    *,
    field: str,
    top: int | None,
    ax: Axes | None,
    theme: str | Theme | None,
    shares: bool,
) -> Axes:
    """Bars with names, the largest on top and the others together last."""
    ax, look = stage.set_up(ax, theme, size=_height(len(every), top))
    head = f"{'Share of ' + words.what(field).lower() if shares else words.what(field)} by {words.who(table)}"
    if not len(table):
        return stacks.empty(ax, look, head, table)
    most = top or _rows(ax)
    found = sums.by_key(table, field=field, top=most if most >= len(every) else max(most - 1, 1))
    total = float(every.sum())
    _bars(ax, look, found, table=table, whole_of=total if shares else None)
    stage.title(ax, look, head, [words.span(table), words.in_all(total, field), words.still(table)])
    stage.describe(
        ax,
        f"{words.headed(head, table)}: {words.in_all(total, field)}.",
        words.largest(every) if total else "No use.",
        words.unfinished(table),
    )
    return ax


def _bars(
    ax: Axes, look: Theme, found: pd.Series[Any], *, table: pd.DataFrame, whole_of: float | None
) -> None:
    """A bar for each sum in *found*, with its amount, or its part of *whole_of* in percent."""
    amounts, others = found.to_numpy(dtype=np.float64), bool(found.attrs["others"])
    shares = whole_of is not None
    lengths = amounts / whole_of if whole_of else amounts
    bars.named(
        ax,
        labels(found.index, min(stage.room(ax)[0] * 0.38, 230), masks=stacks.masks(table)),
        lengths,
        colours=look.series(1) * (len(found) - 1) + [look.rest if others else look.colours[0]],
        words=[percent(length) if shares else whole(length) for length in lengths],
        look=look,
        cut=others and not shares,
    )
    bars.only_names(ax)


def _rows(ax: Axes) -> int:
    """How many rows with a name there is room for."""
    return int(np.clip((stage.room(ax)[1] - 60) / stage.ROW, 3, MOST_ROWS))


def _height(count: int, top: int | None) -> tuple[float, float]:
    """The size of a figure with a row for each of *count* keys."""
    rows = min(count, (top or MOST_ROWS - 1) + 1)
    return stage.FIGURE[0], max(2.0, (rows * (stage.ROW + 1) + 75) / 72)


def _peak(days: pd.DataFrame) -> str:
    tops = days.to_numpy().sum(axis=1)
    if not tops.any() or len(tops) == 1:
        return ""
    most = int(tops.argmax())
    return f", at most {whole(tops[most])} on {day_in_words(days.index[most].date())}"


__all__ = ["by_day", "by_key", "by_product", "caps", "heat_map", "share", "tags"]
