"""The languages of a column of texts as bars: the most common separately, the others together, not detected last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.language_codes import name_of
from svc_nb.plots import axes, bars
from svc_nb.plots.axes import Theme, ThemeChoice
from svc_nb.plots.text import labels, percent, whole
from svc_nb.tabular.report import plural

HEAD = "Languages"
UNKNOWN = "Not detected"
NO_ROWS = "No rows"
MOST_BARS = 16


def languages(
    table: pd.DataFrame | pd.Series[Any], *, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """How many rows are in which language: one bar each, the most common on top, undetected rows separately.

    Parameters
    ----------
    table
        A code for each row, as returned by `.svc.detect`, with gaps if none was detected; or a table that has them in a
        column called "language", as returned by `.svc.detect_table`.
    top
        How many languages get their own bar; by default as many as there is room for.
    ax, theme
        As for `by_day`.
    """
    counts = counted(table)
    ax, look = axes.set_up(ax, theme, size=(axes.FIGURE[0], height(len(counts), top) / 72))
    rows = int(counts.sum())
    if not rows:
        axes.blank(ax, look, NO_ROWS)
        axes.describe(ax, f"{HEAD}: no rows.")
        axes.title(ax, look, HEAD)
        return ax
    known, gaps = counts[counts.index.notna()], int(counts[counts.index.isna()].sum())
    # In addition to the bar of the others, the gap and the undetected rows.
    most = top or int(np.clip((axes.room(ax)[1] - 60) / axes.ROW - 2, 3, MOST_BARS))
    _draw(ax, look, known, gaps, most=most)
    parts = [plural(len(known), "language")] * bool(len(known)) + [f"{whole(gaps)} not detected"] * bool(gaps)
    how_many = ", ".join(parts)
    axes.title(ax, look, HEAD, [plural(rows, "row"), how_many])
    first = [f"{name_of(str(code))} ({percent(count / rows)})" for code, count in known.items()][:3]
    more = f" and {len(known) - len(first)} more" if len(known) > len(first) else ""
    commonest = f"{'Most common' if len(known) > 1 else 'Only'}: {', '.join(first)}{more}." if first else ""
    axes.describe(ax, f"{HEAD} of {plural(rows, 'row')}: {how_many}.", commonest)
    return ax


def counted(table: pd.DataFrame | pd.Series[Any]) -> pd.Series[Any]:
    """How many rows each code has, the most common first, ties by code; gaps last, as NA."""
    if isinstance(table, pd.DataFrame):
        if "language" not in table.columns:
            raise ValueError('expected a column "language", as returned by .svc.detect_table()')
        table = table["language"]
    known = table.astype(object).where(table.notna(), None).value_counts()  # which leaves out gaps
    ordered = sorted(known.items(), key=lambda each: (-each[1], str(each[0])))
    gaps = int(table.isna().sum())
    codes = [str(code) for code, _ in ordered] + ([pd.NA] if gaps else [])
    amounts = [count for _, count in ordered] + ([gaps] if gaps else [])
    return pd.Series(amounts, index=pd.Index(codes, dtype=object, name="language"), dtype="int64")


def _draw(ax: Axes, look: Theme, known: pd.Series[Any], gaps: int, *, most: int) -> None:
    """Draw a bar for each of the *most* common, one for the others, and a gap before undetected rows."""
    shown = known if len(known) <= most else known.iloc[: max(most - 1, 1)]
    names = [name_of(code) for code in shown.index]
    amounts = shown.tolist()
    colours = [look.colours[0]] * len(names)
    if len(shown) < len(known):
        names.append(plural(len(known) - len(shown), "other"))
        amounts.append(int(known.sum() - shown.sum()))
        colours.append(look.rest)
    if gaps:
        names += ["", UNKNOWN] if names else [UNKNOWN]
        amounts += [0, gaps] if amounts else [gaps]
        colours += [look.colours[1]] * (len(names) - len(colours))
    rows = int(known.sum()) + gaps
    bars.named(
        ax,
        labels(names, min(axes.room(ax)[0] * 0.38, 200)),
        np.asarray(amounts, dtype=np.float64),
        faces=[{"facecolor": colour} for colour in colours],
        words=[f"{whole(amount)} · {percent(amount / rows)}" if amount else "" for amount in amounts],
        look=look,
    )


def height(count: int, top: int | None = None) -> float:
    """The best height for a chart of *count* languages, in points."""
    rows = min(count, (top or MOST_BARS) + 1) + 2
    return max(150.0, rows * (axes.ROW + 1) + 75)
