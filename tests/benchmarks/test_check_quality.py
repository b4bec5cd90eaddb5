"""How well the checks of translations find faults in real catalogues, written to check_quality.md and kept to a bar."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.labelled.faults import KINDS, faults
from tests.benchmarks.labelled.measure import measure, summary
from tests.benchmarks.labelled.pairs import HALVES, pairs

HEAD = """# Checks of translations on real catalogues

Written by `make bench`: real messages of public catalogues and known faults in them, see
[labelled/README.md](labelled/README.md). The checks are tuned on one half; the other is only measured.

"""


@pytest.fixture(scope="module")
def results():
    measured = {half: measure(half) for half in HALVES}
    text = HEAD + summary(list(measured.values())) + "\n"
    Path(__file__).with_name("check_quality.md").write_text(text, encoding="utf-8")
    print(text)
    return measured


def test_the_set_is_large_and_its_halves_share_no_source():
    assert len(pairs()) >= 2000
    assert len({pair.lang for pair in pairs()}) >= 28
    assert sum(pair.package == "written" for pair in pairs()) < 0.15 * len(pairs())
    assert len(faults()) >= 1400
    for half in HALVES:
        assert KINDS.keys() <= {fault.kind for fault in faults() if fault.half == half}
    tuned, held_back = ({pair.source for pair in pairs() if pair.half == half} for half in HALVES)
    assert not tuned & held_back
    assert all(fault.target != fault.pair.target for fault in faults())


@pytest.mark.parametrize("half", HALVES)
def test_at_least_97_of_100_flagged_rows_are_broken(results, half):
    assert results[half].precision >= 0.97


@pytest.mark.parametrize("half", HALVES)
def test_at_least_95_of_100_faults_are_found(results, half):
    assert results[half].recall >= 0.95


@pytest.mark.parametrize("half", HALVES)
def test_at_most_3_of_100_right_pairs_are_flagged(results, half):
    assert results[half].false_rate <= 0.03
