"""What the score of a translation promises: its shape, its parts, and what lowers it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from svc_nb.checks.check import Checker
from svc_nb.checks.chrf import chrf
from svc_nb.checks.findings import CHECKS, chosen
from svc_nb.checks.score import PARTS, WEIGHTS, score, score_table, weight
from tests.checks.right_pairs import RIGHT

EN = {"source_lang": "en", "target_lang": "de"}
SOURCE = "The backpack with 17 pockets costs $20, see https://example.com (new)."
RIGHT_ONE = "Der Rucksack mit 17 Taschen kostet $20, siehe https://example.com (neu)."
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("ab c"), max_size=40)


def one(source, translated, **how):
    return score_table(pd.Series([source]), pd.Series([translated]), **{**EN, **how}).iloc[0]


@pytest.mark.parametrize(
    "broken",
    [
        "",
        SOURCE,
        f"[DE] {SOURCE}",
        RIGHT_ONE.replace("17", "71"),
        RIGHT_ONE.replace("$", "€"),
        RIGHT_ONE.replace("https://example.com", "https://example.org"),
        RIGHT_ONE.replace("(neu)", "neu"),
        RIGHT_ONE.replace(".", "!"),
        RIGHT_ONE[:30],
        f"{RIGHT_ONE} {RIGHT_ONE}",
        RIGHT_ONE.replace("Taschen", "Тaschen"),
        RIGHT_ONE.replace("Rucksack", "backpack"),
    ],
)
def test_a_broken_translation_ranks_below_the_unbroken_one(broken):
    assert one(SOURCE, broken)["score"] < one(SOURCE, RIGHT_ONE)["score"]


def test_nothing_unusual_is_close_to_100_and_nothing_at_all_is_0():
    assert one(SOURCE, RIGHT_ONE)["score"] > 95
    for nothing in ("", " \n", None):
        table = one(SOURCE, nothing)
        assert table["score"] == 0
        assert table["worst"] == "empty: no translation"


def test_the_score_is_what_findings_and_parts_leave_of_100():
    table = score_table(
        pd.Series([SOURCE] * 2), pd.Series([RIGHT_ONE.replace("17", "71"), RIGHT_ONE[:40]]), **EN,
        back=pd.Series([SOURCE[:30], None]), similarity=lambda ours, theirs: [0.25] * len(ours),
    )  # fmt: skip
    expected = table["findings"].copy()
    for part in PARTS:
        expected *= 1 - WEIGHTS["part", part] * (1 - table[part].fillna(100) / 100)
    np.testing.assert_allclose(table["score"], expected)
    assert table["round_trip"].tolist()[0] == pytest.approx(CHRF().sentence_score(SOURCE[:30], [SOURCE]).score)
    assert table["similarity"].tolist()[0] == 25
    assert table[["round_trip", "similarity"]].iloc[1].isna().all()


def test_every_finding_takes_its_share_and_the_gravest_is_told():
    row = one("Order 17 came.", "Bestellung 18 kam")
    codes = ["numbers", "end_punctuation"]
    assert row["findings"] == pytest.approx(100 * np.prod([1 - weight(code) for code in codes]))
    assert row["worst"].startswith("numbers: ")


def test_an_error_weighs_more_than_a_warning_and_that_more_than_a_note():
    by_severity = {
        severity: [weight(code) for code, (own, _) in CHECKS.items() if own == severity]
        for severity in ("error", "warning", "info")
    }
    assert min(by_severity["error"]) >= max(by_severity["warning"])
    assert min(by_severity["warning"]) >= max(by_severity["info"]) > 0


def test_findings_that_are_known_already_are_not_looked_for_again():
    source = pd.Series([SOURCE, None, SOURCE])
    made = pd.Series([RIGHT_ONE, RIGHT_ONE, RIGHT_ONE.replace("17", "71")])
    found = Checker("EN", "DE", chosen(None, None)).checked(source, made).found
    pd.testing.assert_frame_equal(score_table(source, made, **EN, found=found), score_table(source, made, **EN))
    assert score_table(source, made, **EN, found=[])["findings"].dropna().eq(100).all()


def test_labels_gaps_and_length_survive():
    source = pd.Series(["Yes.", None, " ", "No.", "Good."], index=["a", "a", 3, (1, 2), None], name="text")
    translated = pd.Series(["Ja.", "x", "y", None, "Gut."], index=source.index)
    scores = score(source, translated, **EN)
    assert scores.index.equals(source.index)
    assert scores.name == "score"
    assert scores.isna().tolist() == [False, True, True, False, False]
    assert scores.dtype == np.float64
    parts = score_table(source, translated, **EN)
    assert parts[parts["score"].isna()].isna().all(axis=None)


@pytest.mark.parametrize("dtype", ["string", "category", "string[pyarrow]", object])
def test_the_type_of_the_columns_does_not_matter(dtype):
    source, translated = pd.Series([SOURCE, None, "Yes 5"]), pd.Series([RIGHT_ONE, None, "Ja 6"])
    expected = score(source, translated, **EN)
    pd.testing.assert_series_equal(score(source.astype(dtype), translated.astype(dtype), **EN), expected)


def test_empty_columns_and_giant_texts_have_scores():
    assert len(score(pd.Series([], dtype=object), pd.Series([], dtype=object))) == 0
    assert score_table(pd.Series([None]), pd.Series([None])).said == "No row has a source text."
    giant = " ".join(f"Wort{number}" for number in range(200_000))
    assert score(pd.Series([giant]), pd.Series([giant[:-1]]), target_lang="de").between(0, 100).all()


def test_every_row_may_have_its_own_languages():
    source = pd.Series([SOURCE, SOURCE, "Ottimo zaino!"])
    translated = pd.Series([RIGHT_ONE, "リュックサックは20ドルです。", "とても良い Rucksack です！"])
    table = score_table(source, translated, source_lang=["en", "en", "it"], target_lang=pd.Series(["de", "ja", "ja"]))
    alone = [
        score(source.iloc[[row]], translated.iloc[[row]], source_lang=own, target_lang=wanted).iloc[0]
        for row, (own, wanted) in enumerate([("en", "de"), ("en", "ja"), ("it", "ja")])
    ]
    np.testing.assert_allclose(table["score"], alone)
    assert table["script"].iloc[2] < table["script"].iloc[0] == 100
    with pytest.raises(ValueError, match="expected a language, or 3 of them"):
        score(source, translated, source_lang=["en"])
    with pytest.raises(ValueError, match="row labels"):
        score(source, translated, target_lang=pd.Series(["de"] * 3, index=[5, 6, 7]))


def test_a_length_is_usual_or_not_by_the_column_where_that_is_long():
    source = pd.Series([f"Text number {row} about all sorts of things." for row in range(200)])
    twice = source + " " + source.str.upper()
    table = score_table(source, twice, skip=list(CHECKS))
    assert table["length"].min() > 99
    odd = twice.copy()
    odd.iloc[7] = source.iloc[7]
    assert score_table(source, odd, skip=list(CHECKS))["length"].idxmin() == 7


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_a_score_is_a_number_from_0_to_100_for_any_text(pairs):
    source, translated = (pd.Series([pair[side] for pair in pairs], dtype=object) for side in (0, 1))
    table = score_table(source, translated, source_lang="en", target_lang="ja", back=translated)
    for name in ("score", "findings", *PARTS):
        assert table[name].dropna().between(0, 100).all(), name
    for text, told in zip(source, table["score"], strict=True):
        assert not (np.isnan(told) and any(letter.isalnum() for letter in text))


def test_right_translations_score_high():
    rows = [(*languages, *pair[:2]) for languages, pairs in RIGHT.items() for pair in pairs]
    frame = pd.DataFrame(rows, columns=["own", "wanted", "source", "target"])
    scores = score(frame["source"], frame["target"], source_lang=frame["own"], target_lang=frame["wanted"])
    assert scores.median() > 90


# ---- the meaning


def test_a_similarity_gets_every_different_pair_once_and_the_texts_translated_back():
    asked = []

    def similarity(ours, theirs):
        asked.append(list(zip(ours, theirs, strict=True)))
        return np.array([1.0, -0.2, 0.5])[: len(ours)]

    source = pd.Series(["Yes", "No", "Yes", None, "Maybe"])
    translated = pd.Series(["Ja", "Nein", "Ja", "x", "Vielleicht"])
    table = score_table(source, translated, similarity=similarity)
    assert asked == [[("Yes", "Ja"), ("No", "Nein"), ("Maybe", "Vielleicht")]]
    assert table["similarity"].tolist()[:3] == [100, 0, 100]
    score_table(source, translated, similarity=similarity, back=pd.Series(["Yea", None, "Yea", "x", "Perhaps"]))
    assert asked[1] == [("Yes", "Yea"), ("Maybe", "Perhaps")]


@pytest.mark.parametrize(
    ("answer", "told"),
    [([1.0], "expected 2 numbers, one for each pair of texts, found 1 values"), (5, "found int"),
     (["a", "b"], "expected 2 numbers"), ([0.5, 7], "expected numbers from 0 to 1, found 7"),
     ([0.5, float("nan")], "expected numbers from 0 to 1, found nan")],
)  # fmt: skip
def test_a_similarity_that_answers_something_else_is_refused(answer, told):
    with pytest.raises(ValueError, match=told):
        score(pd.Series(["a", "b"]), pd.Series(["c", "d"]), similarity=lambda ours, theirs: answer)


@given(TEXTS, TEXTS)
def test_chrf_is_sacrebleus(text, reference):
    assert chrf(text, reference) == pytest.approx(CHRF().sentence_score(text, [reference]).score)
