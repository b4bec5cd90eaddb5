"""The injector: breaks right translations in known ways, always the same ones, balanced over kinds and languages."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tests.benchmarks.labelled import content_faults, form_faults  # noqa: F401  (they register their kinds)
from tests.benchmarks.labelled.kinds import KINDS, Case
from tests.benchmarks.labelled.pairs import HALVES, Pair, glossary, pairs, words

PER_HALF = 18  # faults of a kind
BLOCK = 5  # rows whose translations are shifted by one
SHIFTED = "shifted_rows"


class Fault(NamedTuple):
    """A broken translation: the pair, what was done to it, and the half of the set that it belongs to."""

    pair: Pair
    kind: str
    target: str
    half: str

    @property
    def severity(self) -> str:
        """What the fault deserves: "warning" or "note"."""
        return "warning" if self.kind == SHIFTED else KINDS[self.kind].severity


@cache
def faults() -> list[Fault]:
    """All faults of both halves."""
    columns, elsewhere = defaultdict(list), defaultdict(dict)
    for pair in pairs():
        columns[pair.lang, pair.half].append(pair)
        elsewhere[pair.source][pair.lang] = pair.target
    made = []
    for half in HALVES:
        for kind in KINDS.values():
            broken = defaultdict(list)
            for pair in (pair for pair in pairs() if pair.half == half):
                seeded = random.Random(f"{kind.name} {pair.lang} {pair.source}")
                terms = glossary(pair.lang)
                column = columns[pair.lang, half]
                case = Case(pair, column, elsewhere[pair.source], words()[pair.lang], terms, seeded)
                target = kind.make(case)
                if target is not None and target != pair.target:
                    broken[pair.lang].append((seeded.random(), Fault(pair, kind.name, target, half)))
            made += _balanced(broken, kind.name)
        for lang in sorted({pair.lang for pair in pairs()})[:: 2 if half == HALVES[0] else 3]:
            made += _shifted(columns[lang, half])
    return made


def _balanced(broken: dict[str, list[tuple[float, Fault]]], seed: str) -> list[Fault]:
    """As many faults as are wanted, from as many languages as possible."""
    waiting = [[fault for _, fault in sorted(some, key=lambda one: one[0])] for _, some in sorted(broken.items())]
    random.Random(seed).shuffle(waiting)
    turns = [fault for turn in range(PER_HALF) for some in waiting for fault in some[turn : turn + 1]]
    return turns[:PER_HALF]


def _shifted(column: list[Pair]) -> list[Fault]:
    """A run of rows with the translation of the row after each."""
    rows = [pair for pair in column if pair.package != "written"][: BLOCK + 1]
    return [Fault(row, SHIFTED, after.target, row.half) for row, after in pairwise(rows)]
