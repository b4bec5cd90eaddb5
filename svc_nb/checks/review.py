"""Samples of translations to review, drawn by score and language, and how well scores agree with the verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks.score import DECIMALS, ORDER_NOT_MARK, as_scores, score_table
from svc_nb.checks.text_array import aligned
from svc_nb.checks.text_pairs import rows_by_language
from svc_nb.tabular.report import Report, plural, short
from svc_nb.tabular.text_column import TEXT

# Part of a sample are the lowest scores of all; the rest is drawn evenly from these bands.
LOWEST = 0.2
BANDS = (0, 25, 50, 75, 90, 100)
# The allowed verdicts: a word, or a number on one of the scales, whose upper half is good.
GOOD = frozenset({"good", "ok", "okay", "yes", "y", "true", "right", "correct", "+", "✓", "✔"})
BAD = frozenset({"bad", "no", "n", "false", "wrong", "incorrect", "-", "✗", "✘", "x"})
SCALES = ((0, 1), (1, 5), (0, 100))
GOOD_FROM = 50
ALLOWED = (
    '"good" or "bad", a number (0 to 1, 1 to 5 or 0 to 100, the same scale in all rows), or a percentage such as "80%"'
)
FEWEST = 10

Numbers = npt.NDArray[np.float64]


def reviewed(
    source: Any,
    translated: Any,
    n: int,
    *,
    scores: Any = None,
    source_lang: Any = None,
    target_lang: Any = None,
    seed: int = 0,
) -> Report:
    """*n* rows to review, the lowest score first; *scores* come from `score` or `score_table`.

    A fifth of them have the lowest scores of all. The others are drawn evenly from bands of scores, and within a band
    evenly from the languages, if columns of languages are given. The same *seed* draws the same rows.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected the number of rows to draw, 1 or more, found {n!r}")
    ours, theirs = aligned(source, translated, "source", "translated")
    if scores is None:
        scores = score_table(ours, theirs, source_lang=source_lang, target_lang=target_lang)
    table = scores.to_frame("score") if isinstance(scores, pd.Series) else scores
    if not isinstance(table, pd.DataFrame) or "score" not in table or not table.index.equals(ours.index):
        raise ValueError("score: expected the result of .svc.score() or .svc.score_table() for these texts")
    values = as_scores(table["score"])
    given = {"source_lang": source_lang, "target_lang": target_lang}
    columns = [name for name, each in given.items() if each is not None and not isinstance(each, str)]
    codes = pd.DataFrame(index=range(len(ours)), columns=[*given], dtype=object)
    for own, other, rows in rows_by_language(ours, source_lang, target_lang):
        codes.iloc[rows] = [own, other]
    drawn = _drawn(values, codes[columns], int(n), seed)
    empty = pd.array([None] * len(drawn), dtype=TEXT)
    frame = pd.DataFrame(
        {
            "row": ours.index.take(drawn),
            "position": drawn,
            **{name: pd.array(codes[name].to_numpy()[drawn], dtype=TEXT) for name in columns},
            "source": ours.array.take(drawn),
            "translation": theirs.array.take(drawn),
            "score": values[drawn].round(1),
            "worst": table["worst"].array.take(drawn) if "worst" in table else empty,
            "verdict": empty,
            "note": empty,
        }
    )
    said = (
        f"{plural(len(drawn), 'row')} of {int((~np.isnan(values)).sum()):,} to review, lowest score first. Next: "
        f'write "good" or "bad", or a number, into `verdict`, here or in a spreadsheet, then .svc.agreement(). '
        f"{ORDER_NOT_MARK}"
    )
    return Report(frame, said)


def _drawn(values: Numbers, codes: pd.DataFrame, n: int, seed: int) -> npt.NDArray[np.intp]:
    """The positions of the rows that are drawn, the lowest score first; *codes* are their languages, if any."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    if len(order) <= n:
        return order
    lowest = max(1, round(n * LOWEST))
    chosen = [order[:lowest]]
    rest = np.random.default_rng(seed).permutation(order[lowest:])
    bands = np.searchsorted(BANDS[1:-1], values[rest], side="right")
    languages = (
        codes.groupby([*codes], dropna=False).ngroup().to_numpy() if len(codes.columns) else np.zeros(len(codes))
    )
    strata = pd.DataFrame({"band": bands, "code": languages[rest]})
    # The turn of a row in its stratum, then in its band: rows with the lowest turn are drawn first.
    strata["turn"] = strata.groupby(["band", "code"]).cumcount()
    strata = strata.sort_values(["turn", "code"], kind="stable")
    strata["turn"] = strata.groupby("band").cumcount()
    strata = strata.sort_values(["turn", "band"], kind="stable")
    chosen.append(rest[strata.index[: n - lowest]])
    drawn = np.concatenate(chosen)
    return drawn[np.argsort(values[drawn], kind="stable")]


# ---- verdicts


def agreement(table: pd.DataFrame) -> Report:
    """How well the column `score` agrees with the column `verdict`, in the rows that have one.

    A verdict is "good" or "bad" (or yes or no, true or false), or a number: 0 to 1, 1 to 5 or 0 to 100, where the upper
    half is good. All numbers of a table are on one scale, the smallest that includes them.

    Returns
    -------
    Report
        One row for all rows, and one for each language if a column `source_lang` or `target_lang` has several: `rows`,
        `good`, `bad`; `auc`, how often a good row has a higher score than a bad one; `spearman`, the correlation of the
        ranks; `threshold`, the score below which rows should be reviewed; `bad_found`, the share of the bad rows below
        it, and `looked_at`, the share of all rows below it. Unknown values are missing.
    """
    for name in ("score", "verdict"):
        if name not in table.columns:
            raise KeyError(
                f"expected a column {name!r}, as in the result of .svc.review(), found {', '.join(map(str, table))}"
            )
    scores = as_scores(table["score"])
    verdicts, scale = _verdicts(table["verdict"])
    filled = ~np.isnan(verdicts) & ~np.isnan(scores)
    if not filled.any():
        raise ValueError(f"verdict: no row has one. Expected in rows with a score: {ALLOWED}")
    groups = [("all", filled)]
    for name, way in (("source_lang", "from "), ("target_lang", "into ")):
        if name in table.columns and table[name].nunique() > 1:
            codes = table[name].astype(object)
            way = way if {"source_lang", "target_lang"} <= {*table.columns} else ""
            some = sorted(codes.dropna().unique(), key=str)
            groups += [(f"{way}{code}", filled & (codes == code).to_numpy()) for code in some]
    rows = [(name, *_agreed(scores[which], verdicts[which])) for name, which in groups if which.any()]
    columns = ("language", "rows", "good", "bad", "auc", "spearman", "threshold", "bad_found", "looked_at")
    found = pd.DataFrame(rows, columns=list(columns)).set_index("language")
    return Report(found, _told(found.iloc[0], scale, len(table)))


def _verdicts(column: pd.Series[Any]) -> tuple[Numbers, tuple[int, int] | None]:
    """The verdicts, from 0 to 100, missing if empty; and the scale of the numbers, if there are any."""
    found = np.full(len(column), np.nan)
    plain: list[int] = []
    for place, cell in enumerate(column.tolist()):
        if cell is None or pd.isna(cell) or not (text := str(cell).strip().casefold()):
            continue
        if text in GOOD or text in BAD:
            found[place] = 100.0 * (text in GOOD)
            continue
        try:
            found[place] = float(text.removesuffix("%"))
        except ValueError:
            found[place] = -1
        if not 0 <= found[place] <= 100:
            label = short(str(column.index[place]))
            raise ValueError(f"verdict, row {place} (label {label}): expected {ALLOWED}, found {short(str(cell))!r}")
        if not text.endswith("%"):
            plain.append(place)
    if not plain:
        return found, None
    lowest, highest = found[plain].min(), found[plain].max()
    low, high = next(scale for scale in SCALES if highest <= scale[1])
    if lowest < low:
        raise ValueError(
            f"verdict: the numbers go from {lowest:g} to {highest:g}, which does not fit any scale. Expected {ALLOWED}"
        )
    found[plain] = (found[plain] - low) / (high - low) * 100
    return found, (low, high)


def _agreed(scores: Numbers, verdicts: Numbers) -> tuple[Any, ...]:
    good = verdicts >= GOOD_FROM
    both = good.any() and not good.all()
    threshold, found, looked = _best_threshold(scores, good) if both else (np.nan,) * 3
    ranks, others = (pd.Series(each).rank().to_numpy() for each in (scores, verdicts))
    varied = len(set(ranks)) > 1 and len(set(others)) > 1
    spearman = float(np.corrcoef(ranks, others)[0, 1]) if varied else np.nan
    counts = len(scores), int(good.sum()), int((~good).sum())
    return *counts, auc(scores, good) if both else np.nan, spearman, threshold, found, looked


def auc(scores: Numbers, good: npt.NDArray[np.bool_]) -> float:
    """How often one of the *good* has a higher score than one of the others; ties count half.

    >>> auc(np.array([10.0, 20.0, 20.0, 90.0]), np.array([False, False, True, True]))
    0.875
    """
    ranks = pd.Series(scores).rank().to_numpy()
    count, others = int(good.sum()), int((~good).sum())
    return float((ranks[good].sum() - count * (count + 1) / 2) / (count * others))


def _best_threshold(scores: Numbers, good: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """The score that best separates bad rows below it from good ones, the share of the bad below it, and of all.

    All are missing if no score has a larger share of the bad than of the good below it.
    """
    cuts, places = np.unique(scores, return_inverse=True)
    found, wrongly = (
        np.cumsum(np.bincount(places[which], minlength=len(cuts))) / which.sum() for which in (~good, good)
    )
    best = int(np.argmax(found - wrongly))
    if found[best] <= wrongly[best]:
        return np.nan, np.nan, np.nan
    low, high = cuts[best], cuts[best + 1]
    middle = np.round((low + high) / 2, DECIMALS)  # as displayed
    threshold = middle if low < middle <= high else high
    return float(threshold), float(found[best]), float((scores < threshold).mean())


def _told(whole: pd.Series[Any], scale: tuple[int, int] | None, rows: int) -> str:
    left = f" {plural(rows - int(whole['rows']), 'row')} without a verdict or a score." if rows > whole["rows"] else ""
    read = "" if scale is None else f" Numbers were read as {scale[0]} (bad) to {scale[1]} (good)."
    head = f"{int(whole['good']):,} good, {int(whole['bad']):,} bad.{left}{read}"
    if np.isnan(whole["auc"]):
        return f"{head} Agreement can be measured once there are both good and bad verdicts."
    few = (
        ""
        if min(whole["good"], whole["bad"]) >= FEWEST
        else f" There are fewer than {FEWEST} good or bad ones, so this is only a hint."
    )
    head += f" In {whole['auc']:.0%} of all pairs, the good one has the higher score."
    if np.isnan(whole["threshold"]):
        return f"{head} No threshold separates them: these scores do not show which rows to review.{few}"
    return (
        f"{head} Reviewing scores below {whole['threshold']:g} ({whole['looked_at']:.0%} of these rows) finds "
        f"{whole['bad_found']:.0%} of the bad ones; scores[scores < {whole['threshold']:g}] has these rows.{few}"
    )
