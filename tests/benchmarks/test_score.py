"""How well the score of a translation orders, with and without a round trip, and what it costs: written to score.md."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from svc_nb.checks.score import score
from svc_nb.session import Session
from svc_nb.settings import Settings
from tests.benchmarks.labelled.pairs import HALVES
from tests.benchmarks.labelled.ranking import Order, order, ranked
from tests.benchmarks.test_quality_speed import ROWS, column, cpu
from tests.sessions import current

HEAD = """# The score of a translation

Written by `make bench`. The order is measured on real messages and known faults in them, see
[labelled/README.md](labelled/README.md): one row in five is broken, and the weights are fitted on the tuned half.
"Below" is the share of faults whose score is below that of the unbroken pair; where both are equal, that counts half.
The area is that under the curve over all broken and all right rows: how often a broken one is below a right one. A
round trip is by Apertium, for the languages that it translates into English.

| | faults | below | equal | area under the curve |
|---|---:|---:|---:|---:|
"""
LINES: list[str] = []
SPEED: list[str] = []
KINDS: list[str] = []
ROUND_TRIPS = ("es", "fr", "it", "pt-BR", "ro")


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    speed = "\nProcessor time on 100,000 different rows of 60 to 80 characters, without a round trip:\n\n"
    below = "\n\nThe kinds of faults that are below their unbroken pair in fewer than nine of ten cases:\n\n"
    kinds = below + "\n".join(KINDS) if KINDS else ""
    text = HEAD + "\n".join(LINES) + "\n" + speed + "\n".join(SPEED) + kinds + "\n"
    Path(__file__).with_name("score.md").write_text(text, encoding="utf-8")


def told(name: str, found: Order) -> Order:
    LINES.append(f"| {name} | {found.faults:,} | {found.below:.1%} | {found.ties:.1%} | {found.auc:.3f} |")
    print(LINES[-1])
    return found


def test_faults_rank_below_their_unbroken_pair_in_at_least_95_of_100_cases():
    found = [told(half.replace("_", " "), order(ranked(half))) for half in HALVES]
    for kind in sorted(set(found[0].by_kind) | set(found[1].by_kind)):
        shares = [each.by_kind.get(kind, (0, 0)) for each in found]
        count = sum(times for _, times in shares)
        share = sum(share * times for share, times in shares) / count
        if share < 0.9:
            KINDS.append(f"- {kind.replace('_', ' ')}: {share:.0%} of {count}")
    assert min(each.below for each in found) >= 0.95


@pytest.mark.skipif(not shutil.which("apertium"), reason="Apertium is not installed")
def test_a_round_trip_keeps_the_order(running, tmp_path):
    settings = Settings(store=str(tmp_path / "answers.sqlite"))
    with current(Session.embedded(running, settings)):
        for half in HALVES:
            name = f"{half.replace('_', ' ')}, {len(ROUND_TRIPS)} languages"
            without = told(f"{name}, without a round trip", order(ranked(half, ROUND_TRIPS)))
            found = told(f"{name}, with a round trip", order(ranked(half, ROUND_TRIPS, round_trip=True)))
            assert found.below >= 0.95
            assert found.auc >= without.auc - 0.05


@pytest.mark.parametrize(("lang", "pattern"), [
    ("de", "Bestellung {}: Der {} ist leicht, und die {} des {} kam schnell an."),
    ("ja", "注文{}：とても良い{}は軽くて、{}の{}は思ったよりもすぐに届きました。"),
])  # fmt: skip
def test_a_row_is_scored_in_40_microseconds(lang, pattern):
    english = column("Order {}: the {} is light, and the {} of the {} came quickly.", "en")
    translated = column(pattern, lang)
    seconds = cpu(lambda: score(english, translated, source_lang="en", target_lang=lang))
    SPEED.append(f"- English into {lang.upper()}: {seconds / ROWS * 1e6:.1f} µs a row (bound 40)")
    print(SPEED[-1])
    assert seconds / ROWS * 1e6 <= 40
