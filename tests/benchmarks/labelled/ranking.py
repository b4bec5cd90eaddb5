"""How the score orders the labelled set: every fault beside its unbroken pair, in columns with one broken in five."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import svc_nb  # noqa: F401 - `.svc`
from svc_nb.checks.check import check
from svc_nb.checks.review import auc
from tests.benchmarks.labelled.faults import Fault, faults
from tests.benchmarks.labelled.measure import BROKEN, _spread
from tests.benchmarks.labelled.pairs import Pair, glossary, pairs

FITTED_PARTS = ("length", "script", "translated", "kept", "signs")


class Ranked(NamedTuple):
    """A row of the set with its score, what that is made of, and the fault in it, None in a right pair."""

    pair: Pair
    fault: Fault | None
    score: float
    parts: dict[str, float]
    codes: frozenset[str]


def ranked(half: str, langs: tuple[str, ...] | None = None, *, round_trip: bool = False) -> list[Ranked]:
    """All rows of a half, or those in *langs*: the right pairs once, and the pair of each fault with it."""
    rows = []
    for lang, column, broken in _columns(half):
        if langs is None or lang in langs:
            rows += list(_ranked(lang, column, broken, round_trip))
    return rows


def _columns(half: str) -> Iterator[tuple[str, list[Pair], dict[int, Fault]]]:
    """For every language the right pairs, and then the pairs of which one in five is broken."""
    columns, broken = defaultdict(list), defaultdict(list)
    for pair in pairs():
        if pair.half == half:
            columns[pair.lang].append(pair)
    for fault in faults():
        if fault.half == half:
            broken[fault.pair.lang].append(fault)
    for lang, column in columns.items():
        yield lang, column, {}
        for some in _spread(broken[lang], len(column) // BROKEN):
            yield lang, column, {fault.pair.number: fault for fault in some}


def _ranked(lang: str, column: list[Pair], broken: dict[int, Fault], round_trip: bool) -> Iterator[Ranked]:
    # A translation is inconsistent only beside others of the same source.
    again = [fault.pair for fault in broken.values() if fault.kind == "inconsistent" for _ in range(2)]
    source = pd.Series([pair.source for pair in column + again])
    targets = [broken[pair.number].target if pair.number in broken else pair.target for pair in column]
    target = pd.Series(targets + [pair.target for pair in again])
    known = {"source_lang": "en", "target_lang": lang, "glossary": glossary(lang) or None}
    codes = defaultdict(set)
    report = check(source, target, **known)
    for row, code in zip(report["position"], report["code"], strict=True):
        codes[row].add(code)
    table = source.svc.score_table(target, **known, round_trip=round_trip, progress=False)
    for row, pair in enumerate(column):
        if not broken or pair.number in broken:
            told = table.iloc[row]
            parts = {name: float(np.nan_to_num(told[name], nan=100.0)) for name in FITTED_PARTS}
            yield Ranked(pair, broken.get(pair.number), told["score"], parts, frozenset(codes[row]))


class Order(NamedTuple):
    """How good an order is: the share of faults below their unbroken pair, ties counted half, and the AUC over all."""

    faults: int
    below: float
    ties: float
    auc: float
    by_kind: dict[str, tuple[float, int]]


def order(rows: list[Ranked]) -> Order:
    """How well the scores order *rows*."""
    right = {row.pair.number: row.score for row in rows if row.fault is None}
    wins = defaultdict(list)
    ties = 0
    for row in rows:
        if row.fault is not None:
            apart = right[row.pair.number] - row.score
            tie = abs(apart) < 1e-9
            ties += tie
            wins[row.fault.kind].append(0.5 if tie else float(apart > 0))
    flat = [win for some in wins.values() for win in some]
    scores, good = np.array([row.score for row in rows]), np.array([row.fault is None for row in rows])
    by_kind = {kind: (float(np.mean(some)), len(some)) for kind, some in wins.items()}
    return Order(len(flat), float(np.mean(flat)), ties / len(flat), auc(scores, good), by_kind)
