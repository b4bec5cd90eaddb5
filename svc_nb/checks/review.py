"""Translations for a person to look at, drawn by score and language, and how far scores agree with what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks.score import ORDER_NOT_MARK, score_table
from svc_nb.checks.text_array import aligned
from svc_nb.tabular.report import Report, plural, short
from svc_nb.tabular.text_column import TEXT

# A part of a sample are the lowest scores of all; the rest is drawn evenly from these bands.
LOWEST = 0.2
BANDS = (0, 25, 50, 75, 90, 100)
GOOD = frozenset({"good", "ok", "okay", "yes", "y", "true", "right", "correct", "+", "✓", "✔"})
BAD = frozenset({"bad", "no", "n", "false", "wrong", "incorrect", "-", "✗", "✘", "x"})
# A verdict that is a number says good from here on.
GOOD_FROM = 50
FEWEST = 10

Numbers = npt.NDArray[np.float64]


def reviewed(
    source: pd.Series[Any],
    translated: pd.Series[Any],
    n: int,
    *,
    scores: Any = None,
    source_lang: Any = None,
    target_lang: Any = None,
    seed: int = 0,
) -> Report:
    """*n* rows to look at, the lowest score first; *scores* are what `score` or `score_table` gave.

    A fifth of them have the lowest scores of all. The others are drawn evenly from bands of scores, and within a band
    evenly from the languages, where *source_lang* is a column of them; the same *seed* draws the same rows.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n: expected how many rows to draw, 1 or more, found {n!r}")
    ours, theirs = aligned(source, translated, "source", "translated")
    if scores is None:
        scores = score_table(ours, theirs, source_lang=source_lang, target_lang=target_lang)
    table = scores.to_frame("score") if isinstance(scores, pd.Series) else scores
    if not isinstance(table, pd.DataFrame) or "score" not in table or not table.index.equals(ours.index):
        raise ValueError("score: expected what .svc.score() or .svc.score_table() gave for these texts")
    values = pd.to_numeric(table["score"]).to_numpy(dtype=np.float64, na_value=np.nan)
    named = source_lang is not None and not isinstance(source_lang, str)
    codes = pd.Series(source_lang if named else [""] * len(ours), dtype=object).fillna("").to_numpy()
    drawn = _drawn(values, codes, int(n), seed)
    empty = pd.array([None] * len(drawn), dtype=TEXT)
    frame = pd.DataFrame(
        {
            "row": ours.index.take(drawn),
            **({"source_lang": pd.array(codes[drawn], dtype=TEXT)} if named else {}),
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
        f'write "good" or "bad" into `verdict`, here or in a spreadsheet, then .svc.agreement(). {ORDER_NOT_MARK}'
    )
    return Report(frame, said)


def _drawn(values: Numbers, codes: npt.NDArray[Any], n: int, seed: int) -> npt.NDArray[np.intp]:
    """The positions of the rows that are drawn, the lowest score first."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    if len(order) <= n:
        return order
    lowest = max(1, round(n * LOWEST))
    chosen = [order[:lowest]]
    rest = np.random.default_rng(seed).permutation(order[lowest:])
    bands = np.searchsorted(BANDS[1:-1], values[rest], side="right")
    strata = pd.DataFrame({"band": bands, "code": codes[rest]})
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

    A verdict is "good" or "bad" (or yes or no, true or false), or a number from 0 to 100.

    Returns
    -------
    Report
        One row for all rows, and one for each language if there is a column `source_lang` with several: `rows`,
        `good`, `bad`; `auc`, how often a good one has a higher score than a bad one; `spearman`, the correlation of the
        ranks; `threshold`, the score below which rows are best looked at; `bad_found`, the share of the bad ones below
        it, and `looked_at`, the share of all rows below it.
    """
    for name in ("score", "verdict"):
        if name not in table.columns:
            raise KeyError(f"expected a column {name!r}, as .svc.review() gives it, found {', '.join(map(str, table))}")
    scores = pd.to_numeric(table["score"], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    verdicts = _verdicts(table["verdict"])
    filled = ~np.isnan(verdicts) & ~np.isnan(scores)
    if not filled.any():
        raise ValueError('verdict: nothing is filled in. Write "good" or "bad", or a number from 0 to 100, into it')
    groups = [("all", filled)]
    if "source_lang" in table.columns and table["source_lang"].nunique() > 1:
        codes = table["source_lang"].astype(object)
        groups += [(code, filled & (codes == code).to_numpy()) for code in sorted(codes.dropna().unique(), key=str)]
    rows = [(name, *_agreed(scores[which], verdicts[which])) for name, which in groups if which.any()]
    columns = ("language", "rows", "good", "bad", "auc", "spearman", "threshold", "bad_found", "looked_at")
    found = pd.DataFrame(rows, columns=list(columns)).set_index("language")
    return Report(found, _told(found.iloc[0], len(table)))


def _verdicts(column: pd.Series[Any]) -> Numbers:
    """What was filled in, from 0 to 100; a gap where nothing was."""
    found = np.full(len(column), np.nan)
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
            raise ValueError(
                f'verdict, row {place} (label {label}): expected "good" or "bad", or a number from 0 to 100, '
                f"found {str(cell)[:40]!r}"
            )
    is_flag = np.isnan(found) | (found == 0) | (found == 1)
    return found * 100 if is_flag.all() else found


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
    """Below which score most of the bad and least of the good are, the share of the bad below it, and of all."""
    cuts, places = np.unique(scores, return_inverse=True)
    found, wrongly = (
        np.cumsum(np.bincount(places[which], minlength=len(cuts))) / which.sum() for which in (~good, good)
    )
    best = int(np.argmax(found - wrongly))
    threshold = (cuts[best] + cuts[best + 1]) / 2 if best + 1 < len(cuts) else cuts[best] + 1
    return float(threshold), float(found[best]), float((scores < threshold).mean())


def _told(whole: pd.Series[Any], rows: int) -> str:
    left = f" {plural(rows - int(whole['rows']), 'row')} without a verdict." if rows > whole["rows"] else ""
    head = f"{int(whole['good']):,} good, {int(whole['bad']):,} bad.{left}"
    if np.isnan(whole["auc"]):
        return f"{head} Agreement can be told once there are good ones and bad ones."
    few = "" if min(whole["good"], whole["bad"]) >= FEWEST else f" Fewer than {FEWEST} of a kind: take this as a hint."
    return (
        f"{head} A good one has the higher score in {whole['auc']:.0%} of all pairs. Looking at what is below "
        f"{whole['threshold']:.0f} ({whole['looked_at']:.0%} of these rows) finds {whole['bad_found']:.0%} of the bad "
        f"ones.{few}"
    )
