"""The scores of translations by language with the effect of a threshold, and the findings of the checks by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from svc_nb.checks.score import as_scores
from svc_nb.language_codes import name_of
from svc_nb.plots import axes, bars
from svc_nb.plots.axes import ThemeChoice
from svc_nb.plots.text import labels, percent, plain, whole
from svc_nb.tabular.findings import SEVERITIES
from svc_nb.tabular.report import plural, short

SCORES = "Scores of translations"
FINDINGS = "What the checks found"
# A bar has the scores of this many points, including its lower end; 100 is in the last one.
STEP = 5
BINS = 100 // STEP
LANGUAGES = ("language", "source_lang", "target_lang")
UNKNOWN = "Not known"
MOST_CODES = 16


def scores(
    table: pd.DataFrame | pd.Series[Any],
    *,
    by: Any = None,
    threshold: float | None = None,
    ax: Axes | None = None,
    theme: ThemeChoice = None,
) -> Axes:
    """How many rows have which score, by language; with a *threshold*, how many would be reviewed.

    Parameters
    ----------
    table
        The result of `.svc.score`, `.svc.score_table` or `.svc.review`.
    by
        The language of every row, or the name of a column of *table* that has it; by default the first of `language`,
        `source_lang` and `target_lang` that exists.
    threshold
        Draws a line at this score, and counts the rows below it, which would be reviewed.
    ax, theme
        As for `by_day`.
    """
    values, languages = _by_language(table, by)
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, Real)):
        raise TypeError(f"threshold: expected a score from 0 to 100, found {type(threshold).__name__}")
    ax, look = axes.set_up(ax, theme)
    if not len(values):
        axes.blank(ax, look, "No rows")
        axes.describe(ax, f"{SCORES}: no rows.")
        axes.title(ax, look, SCORES)
        return ax
    counts = _counted(values, languages, most=axes.entries(ax))
    others = str(counts.columns[-1]).endswith(" others")
    names = [str(name) for name in counts.columns]
    faces = look.faces(names, others=others)
    amounts = counts.to_numpy(dtype=np.float64)
    bars.stacks(ax, np.arange(BINS, dtype=np.float64), amounts, faces=faces, names=names, look=look)
    axes.set_amounts(ax, float(amounts.sum(axis=1).max()), look=look, integer=True)
    ax.set_xlim(-0.5, BINS - 0.5)
    ticks = range(0, 101, 20)
    ax.set_xticks([score / STEP - 0.5 for score in ticks], labels=[str(score) for score in ticks], **plain())
    ax.set_xlabel("Score", color=look.muted, **plain())
    ax.set_ylabel("Rows", color=look.muted, **plain())
    lift = 0.0
    if len(names) > 1:
        lift = axes.legend(ax, look, names[::-1], faces[::-1], {})
    parts = [plural(len(values), "row"), f"median {np.median(values):.1f}"]
    if threshold is not None:
        below = int((values < threshold).sum())
        ax.axvline(threshold / STEP - 0.5, color=look.ink, linewidth=1.2, linestyle=(0, (4, 3)))
        parts.insert(0, f"{whole(below)} below {whole(threshold)} ({percent(below / len(values))})")
    axes.title(ax, look, SCORES, parts, lift=lift)
    medians = [f"{name} {np.median(values[languages == name]):.1f}" for name in _commonest_first(languages)[:8]]
    told = f"Medians: {', '.join(medians)}." if len(names) > 1 else ""
    axes.describe(ax, f"{SCORES}: {', '.join(parts)}.", told)
    return ax


def _by_language(table: Any, by: Any) -> tuple[Any, Any]:
    """The existing scores, and the name of the language of each: codes that are written differently are merged."""
    if isinstance(table, pd.DataFrame):
        if "score" not in table.columns:
            found = ", ".join(map(str, table.columns)) or "no columns"
            raise ValueError(f'expected a column "score", as returned by .svc.score_table(), found {found}')
        if by is None:
            by = next((name for name in LANGUAGES if name in table.columns), None)
        elif isinstance(by, str) and by not in table.columns:
            raise ValueError(f"by: there is no column {by!r}. Use one of {', '.join(map(str, table.columns))}")
        by = table[by] if isinstance(by, str) else by
        table = table["score"]
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise TypeError(f"expected the result of .svc.score() or .svc.score_table(), found {type(table).__name__}")
    values = as_scores(table if isinstance(table, pd.Series) else pd.Series(list(table), dtype=object))
    codes = pd.Series([""] * len(values) if by is None else by, dtype=object).fillna("")
    if len(codes) != len(values):
        raise ValueError(f"by: expected {plural(len(values), 'language')}, one per row, found {len(codes):,}")
    names = {code: name_of(str(code)) if code else UNKNOWN for code in codes.unique()}
    there = ~np.isnan(values)
    return values[there], codes.map(names).to_numpy(dtype=object)[there]


def _commonest_first(languages: Any) -> list[str]:
    found = Counter(languages.tolist())
    return sorted(found, key=lambda name: (-found[name], name))


def _counted(values: Any, languages: Any, *, most: int) -> pd.DataFrame:
    """How many scores are in each bin: a column for each of the most common languages, and one for the others."""
    bins = np.clip(values // STEP, 0, BINS - 1).astype(np.int64)
    names = _commonest_first(languages)
    shown = names if len(names) <= most else names[: most - 1]
    counted = {name: np.bincount(bins[languages == name], minlength=BINS) for name in shown}
    if len(shown) < len(names):
        rest = np.isin(languages.astype(str), shown, invert=True)
        counted[plural(len(names) - len(shown), "other")] = np.bincount(bins[rest], minlength=BINS)
    return pd.DataFrame(counted)


def findings(
    report: pd.DataFrame, *, top: int | None = None, ax: Axes | None = None, theme: ThemeChoice = None
) -> Axes:
    """How many findings there are of each kind: one bar each, coloured by severity, the most common on top.

    Parameters
    ----------
    report
        The result of `.svc.check`, or any table with the columns `code` and `severity`.
    top
        How many kinds get their own bar; by default as many as there is room for.
    ax, theme
        As for `by_day`.
    """
    there = report.columns if isinstance(report, pd.DataFrame) else []
    if not {"code", "severity"}.issubset(there):
        found = f"the columns {', '.join(map(str, there))}" if len(there) else type(report).__name__
        raise ValueError(
            f"expected a table with the columns `code` and `severity`, as returned by .svc.check(), found {found}"
        )
    if wrong := set(report["severity"].unique()).difference(SEVERITIES):
        raise ValueError(f"severity: expected {', '.join(SEVERITIES)}, found {short(repr(min(wrong, key=str)))}")
    counted = Counter(zip(report["code"].tolist(), report["severity"].tolist(), strict=True))
    kinds = sorted(counted.items(), key=lambda each: (-each[1], SEVERITIES.index(each[0][1]), each[0][0]))
    high = max(150.0, (min(len(kinds), top or MOST_CODES) + 3) * (axes.ROW + 1) + 75)
    ax, look = axes.set_up(ax, theme, size=(axes.FIGURE[0], high / 72))
    if not kinds:
        axes.blank(ax, look, "Nothing found")
        axes.describe(ax, f"{FINDINGS}: nothing.")
        axes.title(ax, look, FINDINGS)
        return ax
    most = top or int(np.clip((axes.room(ax)[1] - 60) / axes.ROW - 1, 3, MOST_CODES))
    shown = kinds if len(kinds) <= most else kinds[: max(most - 1, 1)]
    shades = dict(zip(SEVERITIES, (look.colours[1], look.colours[0], look.rest), strict=True))
    names = [code for (code, _), _ in shown]
    amounts = [count for _, count in shown]
    colours = [shades[severity] for (_, severity), _ in shown]
    if len(shown) < len(kinds):
        names.append(plural(len(kinds) - len(shown), "other"))
        amounts.append(len(report) - sum(amounts))
        colours.append(look.nothing)
    bars.named(
        ax,
        labels(names, min(axes.room(ax)[0] * 0.38, 200)),
        np.asarray(amounts, dtype=np.float64),
        faces=[{"facecolor": colour} for colour in colours],
        words=[whole(amount) for amount in amounts],
        look=look,
    )
    ax.set_xlabel("Findings", color=look.muted, **plain())
    ax.set_xlim(0, max(amounts) * 1.12)  # room for the last number before the legend
    severities = [name for name in SEVERITIES if (report["severity"] == name).any()]
    lift = axes.legend(ax, look, severities, [{"facecolor": shades[name]} for name in severities], {})
    by_severity = [f"{name} {whole(int((report['severity'] == name).sum()))}" for name in severities]
    axes.title(ax, look, FINDINGS, [plural(len(report), "finding"), ", ".join(by_severity)], lift=lift)
    first = ", ".join(f"{code} ({whole(count)})" for (code, _), count in kinds[:3])
    axes.describe(ax, f"{FINDINGS}: {plural(len(report), 'finding')}, {', '.join(by_severity)}.", f"Most: {first}.")
    return ax
