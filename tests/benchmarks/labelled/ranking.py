"""How the score of a translation orders the labelled set: every fault beside its unbroken pair, in the same column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pandas as pd

from svc_nb.checks.review import auc
from tests.benchmarks.labelled.faults import Fault, faults
from tests.benchmarks.labelled.measure import BROKEN, _spread
from tests.benchmarks.labelled.pairs import Pair, glossary, pairs


class Column:
    """Pairs of one language, of which some are broken: those of `broken`, by position, right where it is empty."""

    def __init__(self, lang: str, column: list[Pair], broken: dict[int, Fault]) -> None:
        # A translation is inconsistent only beside others of the same source.
        again = [fault.pair for fault in broken.values() if fault.kind == "inconsistent" for _ in range(2)]
        self.lang, self.pairs = lang, column
        self.broken = {row: broken[pair.number] for row, pair in enumerate(column) if pair.number in broken}
        targets = [self.broken[row].target if row in self.broken else pair.target for row, pair in enumerate(column)]
        self.source = pd.Series([pair.source for pair in column + again])
        self.target = pd.Series(targets + [pair.target for pair in again])
        self.how = {"source_lang": "en", "target_lang": lang, "glossary": glossary(lang) or None}


def columns(half: str) -> Iterator[tuple[Column, list[Column]]]:
    """For every language the column of right pairs, and columns in which one row in five is broken."""
    right, broken = defaultdict(list), defaultdict(list)
    for pair in pairs():
        if pair.half == half:
            right[pair.lang].append(pair)
    for fault in faults():
        if fault.half == half:
            broken[fault.pair.lang].append(fault)
    for lang, column in right.items():
        spread = _spread(broken[lang], len(column) // BROKEN)
        yield (
            Column(lang, column, {}),
            [Column(lang, column, {fault.pair.number: fault for fault in some}) for some in spread],
        )
