"""Counts of anything as stacked horizontal bars, for tables that users have grouped themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.plots import axes, bars
from svc_nb.plots.axes import ThemeChoice
from svc_nb.plots.text import labels, whole
from svc_nb.tabular.report import plural


def stacked(
    table: pd.DataFrame | pd.Series[Any], *, title: str = "", ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """Counts as horizontal bars: one for each row of *table*, from the top, with a colour for each column.

    Parameters
    ----------
    table
        Counts of 0 or more; gaps count as 0. A Series has one colour.
    title
        What is counted.
    ax, theme
        As for `by_day`.
    """
    frame = table.to_frame() if isinstance(table, pd.Series) else table
    amounts = frame.apply(pd.to_numeric).to_numpy(dtype=np.float64, na_value=0.0)
    if not np.isfinite(amounts).all() or (amounts < 0).any():
        raise ValueError("stacked: expected counts of 0 or more, found others. Drop them first")
    high = max(2.0, (len(frame) * (axes.ROW + 4) + 75) / 72)
    ax, look = axes.set_up(ax, theme, size=(axes.FIGURE[0], high))
    if not amounts.size or not amounts.any():
        axes.blank(ax, look, "Nothing to count")
        axes.title(ax, look, title)
        axes.describe(ax, f"{title or 'Counts'}: nothing.")
        return ax
    names, columns = [str(name) for name in frame.index], [str(name) for name in frame.columns]
    faces = look.faces(columns)
    bars.piled(ax, labels(names, min(axes.room(ax)[0] * 0.38, 230)), amounts, faces=faces, look=look)
    lift = axes.legend(ax, look, columns, faces, {}) if len(columns) > 1 else 0.0
    total = f"{whole(amounts.sum())} in all"
    axes.title(ax, look, title, [total, plural(len(names), "row")], lift=lift)
    sums = amounts.sum(axis=1)
    largest = ", ".join(f"{names[at]} ({whole(sums[at])})" for at in np.argsort(-sums, kind="stable")[:3])
    axes.describe(ax, f"{title or 'Counts'}: {total}.", f"Most: {largest}.")
    return ax
