"""Edits of a table whose lint is kept right: ratios of processor time in one run."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pandas as pd
import pytest

from svc_nb.glossaries.lint import lint
from svc_nb.glossaries.live_lint import Live
from svc_nb.tabular.terms import made
from tests.benchmarks.real_terms import glossary
from tests.benchmarks.test_glossary_speed import ratio

HEAD = """
## Edited row by row

Processor time of `Live`, which keeps the lint of a table right while it is edited.

"""
EDITS = 20
FEW = 2  # dear ones
COMMON = 5_000
LINES: list[str] = []


@pytest.fixture(scope="module")
def terms() -> pd.DataFrame:
    return glossary().set_axis(pd.RangeIndex(1, 100_001))


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    path = Path(__file__).with_name("glossaries.md")
    others = path.read_text().partition(HEAD.strip().splitlines()[0])[0].rstrip()
    path.write_text(f"{others}\n{HEAD}" + "\n".join(LINES) + "\n")


def told(what: str, times: float, bound: float) -> None:
    LINES.append(f"- {what}: {times:.2f} x (bound {bound:g})")
    print("\n" + LINES[-1])
    assert times <= bound


def edits(table: pd.DataFrame, rows: list[int] | None = None, *, count: int = EDITS):
    """What writes into some rows of *table*, one after the other, something else every time."""
    live = Live(table)
    cells = {row: tuple(table.loc[row]) for row in rows or table.index[:: len(table) // EDITS]}
    marks, turns = cycle("uvwxyz"), cycle(cells.items())

    def work() -> None:
        for _ in range(count):
            row, (*others, target) = next(turns)
            live.change({row: (*others, target + next(marks))})

    return work


def test_building_it_for_100_000_rows(terms):
    told(
        "built for 100,000 rows, against the lint of them",
        ratio(lambda: Live(terms), lambda: lint(terms)),
        2.6,
    )


def test_an_edit_costs_the_same_in_a_small_and_in_a_large_table(terms):
    large, small = edits(terms), edits(terms[:1000])
    told("an edit in 100,000 rows, against one in 1,000", ratio(large, small), 1.5)
    told(f"{EDITS} edits in 100,000 rows, against one lint of them", ratio(large, lambda: lint(terms)), 2.5)


def test_a_source_that_thousands_of_rows_share_is_dear_only_where_it_stands_first(terms):
    names = [f"t{chr(97 + row // 676 % 26)}{chr(97 + row // 26 % 26)}{chr(97 + row % 26)}" for row in range(COMMON)]
    common = made("en", "fr", ["same"] * COMMON, names, index=pd.RangeIndex(200_001, 200_001 + COMMON))
    both = pd.concat([terms[list(common)], common])
    first, later = edits(both, [200_001], count=FEW), edits(both, [204_000])
    told(
        f"an edit of a source that {COMMON:,} rows share, but for the first, against any edit",
        ratio(later, edits(terms)),
        2,
    )
    whole = ratio(first, lambda: [lint(common) for _ in range(FEW)])
    told("an edit of the first, whom all others name, against a lint of these rows", whole, 2.5)
