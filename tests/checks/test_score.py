"""What the score of a translation promises: its shape, its parts, and what lowers it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

import svc_nb  # noqa: F401 - `.svc`
from svc_nb.checks.check import checked
from svc_nb.checks.chrf import chrf
from svc_nb.checks.findings import CHECKS, chosen
from svc_nb.checks.score import PARTS, WEIGHTS, score, score_table, weight
from tests.checks.right_pairs import RIGHT

EN = {"source_lang": "en", "target_lang": "de"}
SOURCE = "The backpack with 17 pockets costs $20, see https://example.com (new)."
RIGHT_ONE = "Der Rucksack mit 17 Taschen kostet $20, siehe https://example.com (neu)."
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("ab c"), max_size=40)
# What the checks and the parts look for, so that both texts often have it.
STRETCHES = ["17", "1,5 kg", "{name}", "<b>", "</b>", "https://a.example", "a@b.example", "\n", " ", "。", "«", "日本",
             "да", "the house", "a\u0301", "\u200b", "\u202e", "\ud800", "😀", "?", "!!!!!!"]  # fmt: skip
MIXED = TEXTS | st.lists(st.sampled_from(STRETCHES), max_size=8).map("".join)
CELLS = st.none() | MIXED


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
    np.testing.assert_allclose(table["score"], expected, atol=0.1)  # they are made of numbers with more decimals
    assert table["round_trip"].tolist()[0] == round(CHRF().sentence_score(SOURCE[:30], [SOURCE]).score, 1)
    assert table["similarity"].tolist()[0] == 25
    assert table[["round_trip", "similarity"]].iloc[1].isna().all()


def test_every_finding_takes_its_share_and_the_most_serious_is_named():
    row = one("Order 17 came.", "Bestellung 18 kam")
    codes = ["numbers", "end_punctuation"]
    assert row["findings"] == round(100 * np.prod([1 - weight(code) for code in codes]), 1)
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
    found = checked(source, made, "EN", "DE", chosen(None, None)).found
    pd.testing.assert_frame_equal(score_table(source, made, **EN, found=found), score_table(source, made, **EN))
    assert score_table(source, made, **EN, found=[])["findings"].dropna().eq(100).all()


def test_known_findings_go_with_several_languages():
    source = pd.Series([SOURCE, "Bestellung 5 kam.", "Yes."], index=list("aab"))
    made = pd.Series([RIGHT_ONE.replace("17", "71"), "Order 6 came.", "Ja."], index=source.index)
    langs = {"source_lang": ["en", "de", "en"], "target_lang": ["de", "en", "de"]}
    found = [
        one._replace(row=row)
        for row, (own, wanted) in enumerate(zip(*langs.values(), strict=True))
        for one in checked(source.iloc[[row]], made.iloc[[row]], own, wanted, chosen(None, None)).found
    ]
    assert {one.row for one in found} == {0, 1}
    pd.testing.assert_frame_equal(score_table(source, made, **langs, found=found), score_table(source, made, **langs))


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_all_numbers_have_one_decimal_place(pairs):
    source, translated = (pd.Series([pair[side] for pair in pairs], dtype=object) for side in (0, 1))
    table = score_table(source, translated, **EN, back=translated, similarity=lambda ours, _: [1 / 3] * len(ours))
    numbers = table.drop(columns="worst")
    pd.testing.assert_frame_equal(numbers, numbers.round(1), check_exact=True)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_translations_without_labels_go_by_position(kind):
    source, translated = pd.Series(["Yes 5", "No"], index=["a", "a"]), ["Ja 6", "Nein"]
    expected = source.svc.score_table(pd.Series(translated, index=source.index), **EN)
    pd.testing.assert_frame_equal(source.svc.score_table(kind(translated), **EN), expected)
    assert source.svc.review(kind(translated), **EN)["row"].tolist() == ["a", "a"]
    assert source.svc.check(kind(translated), **EN).apply().index.equals(source.index)
    with pytest.raises(ValueError, match="as many texts in both, found 2 and 1"):
        source.svc.score(kind(translated[:1]))


def test_an_index_goes_by_position():
    translated = pd.Series(["Ja 6", "Nein"], index=["a", "a"])
    scores = pd.Index(["Yes 5", "No"]).svc.score(translated, **EN)
    pd.testing.assert_series_equal(scores, pd.Series(["Yes 5", "No"], index=["a", "a"]).svc.score(translated, **EN))


def test_a_row_without_a_language_is_not_detected():
    asked = []

    def detect(texts):
        asked.extend(texts)
        return ["de"] * len(texts)

    source = pd.Series(["The house is red, and the garden behind it is large."] * 2)
    translated = pd.Series(
        ["Das Haus ist rot, und der Garten dahinter ist groß.", "La casa es roja y el jardín es grande."]
    )
    score(source, translated, target_lang=["de", None], detect=detect)
    assert asked == translated.tolist()[:1]
    with pytest.raises(ValueError, match="the expected language is missing"):
        score(source, translated, detect=detect)


def test_an_option_that_there_is_not_is_told_with_the_one_that_is_meant():
    with pytest.raises(TypeError, match=r"no option 'simlarity'\. Did you mean 'similarity'"):
        pd.Series(["a"]).svc.score(["b"], simlarity=None)


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
    same = score_table(source, translated, source_lang=["EN", "en", "it"], target_lang=["DE ", "ja", "Ja"])
    pd.testing.assert_frame_equal(same, table)
    with pytest.raises(ValueError, match="source_lang: expected a language, or 3 of them, one per row, found 1"):
        score(source, translated, source_lang=["en"])
    with pytest.raises(TypeError, match="target_lang: expected a language, or 3 of them, one per row, found int"):
        score(source, translated, target_lang=5)
    with pytest.raises(TypeError, match=r"target_lang, row 1 .*found int"):
        score(source, translated, target_lang=["de", 5, "ja"])
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


@given(st.lists(st.tuples(CELLS, CELLS), max_size=4), st.sampled_from(["ja", "de", "ru", None]))
def test_a_score_is_a_number_from_0_to_100_for_any_text(pairs, wanted):
    source, translated = (pd.Series([pair[side] for pair in pairs], dtype=object) for side in (0, 1))
    table = score_table(source, translated, source_lang="en", target_lang=wanted, back=translated)
    for name in ("score", "findings", *PARTS):
        assert table[name].dropna().between(0, 100).all(), name
    told = table["score"].notna().tolist()
    assert not any(there for text, there in zip(source, told, strict=True) if not (text or "").strip())
    assert all(there for text, there in zip(source, told, strict=True) if any(map(str.isalnum, text or "")))


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
    [([1.0], "For 2 pairs it returned 1 value of type float"), (5, "For 2 pairs it returned int"),
     (None, "For 2 pairs it returned NoneType"), (["a", "b"], "For 2 pairs it returned 2 values of type str"),
     (["0.5", "0.5"], "2 values of type str"), ([[0.5], [0.5]], "2 values of type list"),
     ([0.5, 7], "For 'b' and 'd' it returned 7"), ([float("nan"), 0.5], "For 'a' and 'c' it returned nan")],
)  # fmt: skip
def test_a_similarity_that_answers_something_else_is_refused(answer, told):
    with pytest.raises(ValueError, match=rf"takes two lists of texts .* from 0 to 1 per pair\. .*{told}"):
        score(pd.Series(["a", "b"]), pd.Series(["c", "d"]), similarity=lambda ours, theirs: answer)


def test_a_similarity_that_is_not_a_function_or_fails_says_what_is_expected():
    with pytest.raises(TypeError, match=r"expected a function that takes two lists of texts .* found 'cosine'"):
        score(pd.Series(["a"]), pd.Series(["b"]), similarity="cosine")
    with pytest.raises(ZeroDivisionError) as raised:
        score(pd.Series(["a"]), pd.Series(["b"]), similarity=lambda ours, theirs: [1 / 0])
    assert "Yours raised this for two lists of 1 text each" in raised.value.__notes__[0]
    with pytest.raises(TypeError) as raised:
        score(pd.Series(["a"]), pd.Series(["b"]), similarity=lambda ours: [1])
    assert "expected a function that takes two lists of texts" in raised.value.__notes__[0]


@given(MIXED, MIXED)
def test_chrf_is_sacrebleus(text, reference):
    assert chrf(text, reference) == pytest.approx(CHRF().sentence_score(text, [reference]).score)
