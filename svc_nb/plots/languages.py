"""The languages of a column of texts, as bars: the commonest apart, the others together, what was not detected last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.language_codes import name_of
from svc_nb.plots import bars, stage
from svc_nb.plots.lettering import labels
from svc_nb.plots.numbers import percent, whole
from svc_nb.plots.theme import Theme
from svc_nb.tabular.report import plural

HEAD = "Languages"
UNKNOWN = "Not detected"
NO_ROWS = "No rows"
MOST_BARS = 16


def languages(
    table: pd.DataFrame | pd.Series[Any],
    *,
    top: int | None = None,
    ax: Axes | None = None,
    theme: str | Theme | None = None,
) -> Axes:
    """How many rows are in which language: a bar each, the commonest on top, what was not detected apart.

    Parameters
    ----------
    table
        A code for each row, as `.svc.detect` gives them, with gaps where none was detected; or a table that has them in
        a column called "language", as `.svc.detect_table` gives it.
    top
        How many languages have their own bar; without, as many as there is room for.
    ax, theme
        As for `by_day`.
    """
    counts = counted(table)
    ax, look = stage.set_up(ax, theme, size=_size(len(counts), top))
    rows = int(counts.sum())
    if not rows:
        stage.blank(ax, look, NO_ROWS)
        stage.describe(ax, f"{HEAD}: no rows.")
        stage.title(ax, look, HEAD)
        return ax
    _draw(ax, look, counts, most=top or _room(ax))
    stage.title(ax, look, HEAD, [plural(rows, "row"), _how_many(counts)])
    stage.describe(ax, f"{HEAD} of {plural(rows, 'row')}: {_how_many(counts)}.", _told(counts))
    return ax


def counted(table: pd.DataFrame | pd.Series[Any]) -> pd.Series[Any]:
    """How many rows each code has, the commonest first, those of the same size by code; gaps last, as NA."""
    if isinstance(table, pd.DataFrame):
        if "language" not in table.columns:
            raise ValueError('expected a column "language", as .svc.detect_table() gives it')
        table = table["language"]
    known = table.astype(object).where(table.notna(), None).value_counts()  # which leaves out gaps
    ordered = sorted(known.items(), key=lambda each: (-each[1], str(each[0])))
    gaps = int(table.isna().sum())
    codes = [str(code) for code, _ in ordered] + ([pd.NA] if gaps else [])
    amounts = [count for _, count in ordered] + ([gaps] if gaps else [])
    return pd.Series(amounts, index=pd.Index(codes, dtype=object, name="language"), dtype="int64")


def _draw(ax: Axes, look: Theme, counts: pd.Series[Any], *, most: int) -> None:
    """A bar for each of the *most* commonest, one for the others, and a gap before what was not detected."""
    known, gaps = counts[counts.index.notna()], int(counts[counts.index.isna()].sum())
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
    rows = int(counts.sum())
    told = [f"{whole(amount)} · {percent(amount / rows)}" if amount else "" for amount in amounts]
    bars.named(
        ax,
        _written(names, stage.room(ax)[0]),
        np.asarray(amounts, dtype=np.float64),
        colours=colours,
        words=told,
        look=look,
    )
    bars.only_names(ax)


def _written(names: list[str], room: float) -> list[str]:
    """*names* as they fit; an empty one, which is a gap, stays empty."""
    found = iter(labels([name for name in names if name], min(room * 0.38, 200)))
    return [next(found) if name else "" for name in names]


def _how_many(counts: pd.Series[Any]) -> str:
    known = len(counts[counts.index.notna()])
    gaps = int(counts[counts.index.isna()].sum())
    parts = [plural(known, "language")] if known else []
    return ", ".join([*parts, *([f"{whole(gaps)} not detected"] if gaps else [])])


def _told(counts: pd.Series[Any]) -> str:
    """A sentence about the commonest."""
    known, rows = counts[counts.index.notna()], int(counts.sum())
    parts = [f"{name_of(str(code))} ({percent(count / rows)})" for code, count in known.items()][:3]
    more = f" and {len(known) - len(parts)} more" if len(known) > len(parts) else ""
    return f"{'Commonest' if len(known) > 1 else 'Only'}: {', '.join(parts)}{more}." if parts else ""


def _room(ax: Axes) -> int:
    """How many bars there is room for, beside the one of the others, the gap and what was not detected."""
    return int(np.clip((stage.room(ax)[1] - 60) / stage.ROW - 2, 3, MOST_BARS))


def _size(count: int, top: int | None) -> tuple[float, float]:
    return stage.FIGURE[0], height(count, top) / 72


def height(count: int, top: int | None = None) -> float:
    """How high a chart of *count* languages is best, in points."""
    rows = min(count, (top or MOST_BARS) + 1) + 2
    return max(150.0, rows * (stage.ROW + 1) + 75)
