"""What checking translations and counting or proposing terms cost: processor time, printed and kept to a bar."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from svc_nb.checks.check import check
from svc_nb.glossaries.corpus import coverage, term_candidates
from svc_nb.tabular.terms import made
from svc_nb.tabular.text_column import TEXT

HEAD = """# Checks of translations and terms in a corpus

Written by `make bench`: processor time on 100,000 different rows of 60 to 80 characters.

"""
LINES: list[str] = []
ROWS = 100_000
ROUNDS = 3
NAMES = {
    "en": "backpack delivery order invoice customer price quality colour size dealer parcel address account warranty",
    "de": "Rucksack Lieferung Bestellung Rechnung Kunde Preis Qualität Farbe Größe Händler Paket Adresse Konto Gewähr",
    "ja": "リュック 配送 注文 請求書 顧客 価格 品質 色 サイズ 販売店 小包 住所 口座 保証",
}


def cpu(work) -> float:
    """The least processor time of some rounds: what a noisy machine changes least."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def column(pattern: str, lang: str) -> pd.Series:
    names = NAMES[lang].split()
    places = np.random.default_rng(0).integers(0, len(names), (ROWS, 3)).tolist()
    texts = [pattern.format(row, names[a], names[b], names[c]) for row, (a, b, c) in enumerate(places)]
    return pd.Series(texts, dtype=TEXT)


@pytest.fixture(scope="module")
def english():
    return column("Order {}: the {} is light, and the {} of the {} came quickly.", "en")


@pytest.fixture(scope="module")
def german():
    return column("Bestellung {}: Der {} ist leicht, und die {} des {} kam schnell an.", "de")


@pytest.fixture(scope="module")
def japanese():
    return column("注文{}：とても良い{}は軽くて、{}の{}は思ったよりもすぐに届きました。", "ja")


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("quality.md").write_text(HEAD + "\n".join(LINES) + "\n")


def told(name: str, seconds: float, bar: float) -> None:
    LINES.append(f"- {name}: {seconds / ROWS * 1e6:.1f} µs a row (bound {bar:g})")
    print(LINES[-1])
    assert seconds / ROWS * 1e6 <= bar


@pytest.mark.parametrize("target", ["german", "japanese"])
def test_a_row_is_checked_in_20_microseconds(english, target, request):
    translated, lang = request.getfixturevalue(target), target[:2].replace("ge", "de")
    report = check(english, translated, source_lang="en", target_lang=lang)
    assert len(report) == 0, report
    told(f"check, {target}", cpu(lambda: check(english, translated, source_lang="en", target_lang=lang)), 20)


def test_a_row_with_placeholders_tags_and_terms_costs_at_most_twice_as_much(english, german):
    source, target = (text + " <b>{name}</b>: %s (https://example.com)" for text in (english, german))
    names = [NAMES[lang].split() for lang in ("en", "de")]
    terms = made("en", "de", *names)
    assert len(check(source, target, source_lang="en", target_lang="de", glossary=terms)) == 0
    told("check, with marks", cpu(lambda: check(source, target, source_lang="en", target_lang="de")), 40)
    told("check, glossary", cpu(lambda: check(english, german, glossary=terms, codes="glossary")), 20)


def test_a_row_with_three_mistakes_costs_at_most_ten_times_as_much(english, german):
    wrong = german.str.replace("ist leicht,", "ist  leicht", regex=False) + " 77"
    assert len(check(english, wrong, target_lang="de")) >= 3 * ROWS
    told("check, three mistakes a row", cpu(lambda: check(english, wrong, target_lang="de")), 200)


@pytest.mark.parametrize("texts", ["german", "japanese"])
def test_ten_thousand_terms_are_counted_in_two_seconds(texts, request):
    corpus = request.getfixturevalue(texts)
    names = NAMES["de" if texts == "german" else "ja"].split()
    terms = names + [f"{name} {number}" for number in range(714) for name in names]
    assert coverage(terms, corpus)["hits"][: len(names)].min() > 0
    told(f"coverage, {len(terms):,} terms, {texts}", cpu(lambda: coverage(terms, corpus)), 20)


@pytest.mark.parametrize("texts", ["german", "japanese"])
def test_terms_are_proposed_in_a_few_seconds(texts, request):
    corpus = request.getfixturevalue(texts)
    told(f"term_candidates, {texts}", cpu(lambda: term_candidates(corpus)), 50)
