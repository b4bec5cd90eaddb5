"""Translations for a person to look at, drawn by score and language, and how far scores agree with what they say."""

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

# A part of a sample are the lowest scores of all; the rest is drawn evenly from these bands.
LOWEST = 0.2
BANDS = (0, 25, 50, 75, 90, 100)
# What a person may write as a verdict: a word, or a number on one of the scales, where the upper half is good.
GOOD = frozenset({"good", "ok", "okay", "yes", "y", "true", "right", "correct", "+", "✓", "✔"})
BAD = frozenset({"bad", "no", "n", "false", "wrong", "incorrect", "-", "✗", "✘", "x"})
SCALES = ((0, 1), (1, 5), (0, 100))
GOOD_FROM = 50
ALLOWED = '"good" or "bad", a number (0 to 1, 1 to 5 or 0 to 100, the same in all rows), or per cent such as "80%"'
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
    """*n* rows to look at, the lowest score first; *scores* are what `score` or `score_table` gave.

    A fifth of them have the lowest scores of all. The others are drawn evenly from bands of scores, and within a band
    evenly from the languages, where columns of them are given; the same *seed* draws the same rows.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected how many rows to draw, 1 or more, found {n!r}")
    ours, theirs = aligned(source, translated, "source", "translated")
    if scores is None:
        scores = score_table(ours, theirs, source_lang=source_lang, target_lang=target_lang)
    table = scores.to_frame("score") if isinstance(scores, pd.Series) else scores
    if not isinstance(table, pd.DataFrame) or "score" not in table or not table.index.equals(ours.index):
        raise ValueError("score: expected what .svc.score() or .svc.score_table() gave for these texts")
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
        f"{plural(len(drawn), 'row')} of {int((~np.isnan(values)).sum()):,} to look at, lowest score first. Next: "
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
    # Which turn of its stratum a row is, then which turn of its band: whoever has the lowest turn is drawn first.
    strata["turn"] = strata.groupby(["band", "code"]).cumcount()
    strata = strata.sort_values(["turn", "code"], kind="stable")
    strata["turn"] = strata.groupby("band").cumcount()
    strata = strata.sort_values(["turn", "band"], kind="stable")
    chosen.append(rest[strata.index[: n - lowest]])
    drawn = np.concatenate(chosen)
    return drawn[np.argsort(values[drawn], kind="stable")]


# ---- what a person said


def agreement(table: pd.DataFrame) -> Report:
    """How far the column `score` agrees with the column `verdict`, as far as that is filled in.

    A verdict is "good" or "bad" (or yes or no, true or false), or a number: 0 to 1, 1 to 5 or 0 to 100, where the upper
    half is good. The numbers of a table are all on one scale, the smallest that holds them.

    Returns
    -------
    Report
        One row for all rows, and one for each language if a column `source_lang` or `target_lang` has several: `rows`,
        `good`, `bad`; `auc`, how often a good one has a higher score than a bad one; `spearman`, the correlation of the
        ranks; `threshold`: rows with a lower score are best looked at; `bad_found`, the share of the bad ones that
        these are, and `looked_at`, the share of all rows. What cannot be told is missing.
    """
    for name in ("score", "verdict"):
        if name not in table.columns:
            raise KeyError(f"expected a column {name!r}, as .svc.review() gives it, found {', '.join(map(str, table))}")
    scores = as_scores(table["score"])
    verdicts, scale = _verdicts(table["verdict"])
    filled = ~np.isnan(verdicts) & ~np.isnan(scores)
    if not filled.any():
        raise ValueError(f"verdict: nothing is filled in. Expected in rows that have a score: {ALLOWED}")
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
    """What was filled in, from 0 to 100, a gap where nothing was; and the scale of the numbers, if there are any."""
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
            f"verdict: the numbers go from {lowest:g} to {highest:g}, which is none of the scales. Expected {ALLOWED}"
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
    """How often one of the *good* has a higher score than one of the others; equal ones count half.

    >>> auc(np.array([10.0, 20.0, 20.0, 90.0]), np.array([False, False, True, True]))
    0.875
    """
    ranks = pd.Series(scores).rank().to_numpy()
    count, others = int(good.sum()), int((~good).sum())
    return float((ranks[good].sum() - count * (count + 1) / 2) / (count * others))


def _best_threshold(scores: Numbers, good: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Below which score most of the bad and least of the good are, the share of the bad below it, and of all.

    Gaps where no score has a larger share of the bad below it than of the good.
    """
    cuts, places = np.unique(scores, return_inverse=True)
    found, wrongly = (
        np.cumsum(np.bincount(places[which], minlength=len(cuts))) / which.sum() for which in (~good, good)
    )
    best = int(np.argmax(found - wrongly))
    if found[best] <= wrongly[best]:
        return np.nan, np.nan, np.nan
    low, high = cuts[best], cuts[best + 1]
    middle = np.round((low + high) / 2, DECIMALS)  # as it is shown
    threshold = middle if low < middle <= high else high
    return float(threshold), float(found[best]), float((scores < threshold).mean())


def _told(whole: pd.Series[Any], scale: tuple[int, int] | None, rows: int) -> str:
    left = f" {plural(rows - int(whole['rows']), 'row')} without a verdict or a score." if rows > whole["rows"] else ""
    read = "" if scale is None else f" Numbers were read as {scale[0]} (bad) to {scale[1]} (good)."
    head = f"{int(whole['good']):,} good, {int(whole['bad']):,} bad.{left}{read}"
    if np.isnan(whole["auc"]):
        return f"{head} Agreement can be told once there are good ones and bad ones."
    few = "" if min(whole["good"], whole["bad"]) >= FEWEST else f" Fewer than {FEWEST} of a kind: take this as a hint."
    head += f" A good one has the higher score in {whole['auc']:.0%} of all pairs."
    if np.isnan(whole["threshold"]):
        return f"{head} No threshold separates them: these scores do not tell which rows to look at.{few}"
    return (
        f"{head} Looking at what is below {whole['threshold']:g} ({whole['looked_at']:.0%} of these rows) finds "
        f"{whole['bad_found']:.0%} of the bad ones; scores[scores < {whole['threshold']:g}] has these rows.{few}"
    )
