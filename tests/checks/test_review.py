"""What a sample for review holds, and what a filled-in one tells about the scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import svc_nb  # noqa: F401 - `.svc`

ROWS = 400


def column(rows: int = ROWS) -> tuple[pd.Series, pd.Series, pd.Series, pd.Series]:
    """Texts, translations, scores and languages; a tenth of the scores is low."""
    rng = np.random.default_rng(1)
    index = pd.Index(rng.permutation(rows))
    source = pd.Series([f"Text {row}" for row in range(rows)], index=index)
    scores = pd.Series(np.where(rng.random(rows) < 0.1, rng.random(rows) * 50, 90 + rng.random(rows) * 10), index=index)
    langs = pd.Series(rng.choice(["EN", "FR", "IT"], rows, p=[0.9, 0.07, 0.03]), index=index)
    return source, source + " (de)", scores, langs


def test_a_sample_has_the_lowest_scores_all_bands_and_all_languages():
    source, translated, scores, langs = column()
    sample = source.svc.review(translated, 50, score=scores, source_lang=langs)
    assert list(sample) == [
        "row",
        "position",
        "source_lang",
        "source",
        "translation",
        "score",
        "worst",
        "verdict",
        "note",
    ]
    assert len(sample) == len(set(sample["row"])) == 50
    assert set(scores.nsmallest(10).index) <= set(sample["row"])
    assert sample["score"].is_monotonic_increasing
    assert set(sample["source_lang"]) == {"EN", "FR", "IT"}
    assert (sample["score"] > 90).sum() >= 5
    for row, text, score in zip(sample["row"], sample["source"], sample["score"], strict=True):
        assert text == source[row]
        assert score == round(scores[row], 1)
    assert sample["verdict"].isna().all()


def test_the_same_seed_draws_the_same_rows_and_another_one_others():
    source, translated, scores, _ = column()
    rows = [source.svc.review(translated, score=scores, seed=seed)["row"].tolist() for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


def test_a_small_column_is_drawn_whole_and_rows_without_a_score_never():
    source = pd.Series(["Yes 5", None, "No"], index=[0, 0, 0])
    sample = source.svc.review(pd.Series(["Ja 6", "x", "Nein"], index=[0, 0, 0]), target_lang="de")
    assert sample["source"].tolist() == ["Yes 5", "No"]
    assert sample["worst"].iloc[0].startswith("numbers: ")
    assert "does not measure quality" in sample.said


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "all"])
def test_a_sample_of_no_size_is_refused(n):
    with pytest.raises(ValueError, match="the number of rows to draw"):
        pd.Series(["a"]).svc.review(pd.Series(["b"]), n)


def test_languages_are_row_by_row_and_may_be_missing():
    source, translated, scores, _ = column(4)
    sample = source.svc.review(translated, score=scores, source_lang=["en", None, "EN", "fr"])
    told = dict(zip(sample["source"], sample["source_lang"].fillna("none"), strict=True))
    assert told == {"Text 0": "EN", "Text 1": "none", "Text 2": "EN", "Text 3": "FR"}
    many, made, numbers, langs = column()
    drawn = many.svc.review(made, 50, score=numbers, source_lang=langs.where(langs != "FR"))
    assert set(drawn["source_lang"].dropna()) == {"EN", "IT"}
    assert drawn["source_lang"].isna().any()
    with pytest.raises(ValueError, match="source_lang: expected a language, or 4 of them, one per row, found 1"):
        source.svc.review(translated, score=scores, source_lang=["en"])
    with pytest.raises(ValueError, match="source_lang: its row labels"):
        source.svc.review(translated, score=scores, source_lang=pd.Series(["en"] * 4, index=list("abcd")))


def test_scores_of_other_texts_are_refused():
    source, translated, scores, _ = column(5)
    for wrong in (scores.reset_index(drop=True).iloc[:2], scores.to_frame("other"), [1, 2]):
        with pytest.raises(ValueError, match="for these texts"):
            source.svc.review(translated, score=wrong)


# ---- a filled-in sample


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("good", "bad"),
        ("Yes ", "NO"),
        (True, False),
        (1, 0),
        (0.8, 0.3),
        (4, 2),
        (90, 20),
        ("100 %", "0"),
        ("90%", "4%"),
    ],
)
@pytest.mark.parametrize("way", ["frame", "csv", "xlsx"])
def test_agreement_survives_files_and_understands_what_people_write(tmp_path, way, good, bad):
    source, translated, scores, langs = column()
    sample = source.svc.review(translated, 50, score=scores, source_lang=langs)
    sample["verdict"] = pd.Series([bad] * 15 + [None] * 5 + [good] * 30, dtype=object)
    if way == "csv":
        sample.to_csv(tmp_path / "review.csv", index=False)
        sample = pd.read_csv(tmp_path / "review.csv")
    elif way == "xlsx":
        pd.DataFrame(sample).to_excel(tmp_path / "review.xlsx", index=False)
        sample = pd.read_excel(tmp_path / "review.xlsx")
    found = sample.svc.agreement()
    whole = found.loc["all"]
    assert whole[["rows", "good", "bad"]].tolist() == [45, 30, 15]
    assert whole["auc"] == 1
    assert 0 < whole["spearman"] <= 1
    assert sample["score"].iloc[14] < whole["threshold"] < sample["score"].iloc[20]
    assert whole["bad_found"] == 1
    assert found.index.tolist() == ["all", "EN", "FR", "IT"]
    assert found["rows"].iloc[1:].sum() == 45
    assert "5 rows without a verdict or a score." in found.said
    assert "In 100% of all pairs" in found.said


def test_scores_that_say_nothing_have_an_area_of_one_half():
    table = pd.DataFrame({"score": [50.0] * 40, "verdict": ["good", "bad"] * 20})
    assert table.svc.agreement().loc["all", "auc"] == 0.5


def test_one_kind_of_verdict_alone_is_counted_but_not_compared():
    found = pd.DataFrame({"score": [1.0, 2.0], "verdict": ["good", "good"]}).svc.agreement()
    assert found["auc"].isna().all()
    assert "once there are both good and bad verdicts" in found.said


SCORES = st.sampled_from([0.0, 12.3, 12.4, 50.0, 100.0]) | st.floats(0, 100)  # some of them are equal


@given(st.lists(SCORES, min_size=1, max_size=15), st.lists(SCORES, min_size=1, max_size=15))
def test_the_threshold_tells_the_shares_that_it_would_find(good, bad):
    scores = np.array(good + bad)
    table = pd.DataFrame({"score": scores, "verdict": ["good"] * len(good) + ["bad"] * len(bad)})
    found = table.svc.agreement().loc["all"]
    assert found["auc"] == pytest.approx(np.mean([(one > other) + (one == other) / 2 for one in good for other in bad]))
    gains = {cut: np.mean(np.array(bad) < cut) - np.mean(np.array(good) < cut) for cut in [*scores, 101]}
    below = scores < found["threshold"]
    assert np.isnan(found["threshold"]) == (max(gains.values()) <= 0)
    assert np.isnan(found["bad_found"]) == np.isnan(found["looked_at"]) == np.isnan(found["threshold"])
    assert below.mean() == pytest.approx(np.nan_to_num(found["looked_at"]))
    assert below[len(good) :].mean() == pytest.approx(np.nan_to_num(found["bad_found"]))
    assert below[len(good) :].mean() - below[: len(good)].mean() == pytest.approx(max(0, *gains.values()))


def test_the_threshold_is_used_as_displayed():
    table = pd.DataFrame({"score": [61.5, 61.6], "verdict": ["bad", "good"]})
    found = table.svc.agreement()
    assert found.loc["all", "threshold"] == 61.6
    assert "scores[scores < 61.6] has these rows" in found.said


def test_scores_that_mislead_have_no_threshold():
    found = pd.DataFrame({"score": [90.0, 10.0], "verdict": ["bad", "good"]}).svc.agreement()
    assert found[["threshold", "bad_found", "looked_at"]].isna().all(axis=None)
    assert "No threshold separates them" in found.said


@pytest.mark.parametrize(
    ("verdicts", "good", "told"),
    [
        ([0, 1, 1], [False, True, True], "Numbers were read as 0 (bad) to 1 (good)."),
        ([0.4, 0.5, 1.0], [False, True, True], "Numbers were read as 0 (bad) to 1 (good)."),
        ([2, 3, 5], [False, True, True], "Numbers were read as 1 (bad) to 5 (good)."),
        (["1", "4.5", 2], [False, True, False], "Numbers were read as 1 (bad) to 5 (good)."),
        ([5, 49, 50], [False, False, True], "Numbers were read as 0 (bad) to 100 (good)."),
        (["good", 1, 0], [True, True, False], "Numbers were read as 0 (bad) to 1 (good)."),
        (["good", 4, "bad"], [True, True, False], "Numbers were read as 1 (bad) to 5 (good)."),
        (["1%", "60%", 1], [False, True, True], "Numbers were read as 0 (bad) to 1 (good)."),
        (["good", "80%", "no"], [True, True, False], "2 good, 1 bad. In "),
    ],
)
def test_numbers_are_on_the_smallest_scale_that_holds_them(verdicts, good, told):
    # A good one has 90 and a bad one 10, so that the counts and the ranks are known.
    scores = [90.0 if each else 10.0 for each in good]
    found = pd.DataFrame({"score": scores, "verdict": pd.Series(verdicts, dtype=object)}).svc.agreement()
    assert found.loc["all", ["good", "bad"]].tolist() == [sum(good), 3 - sum(good)]
    assert found.loc["all", "auc"] == 1
    assert told in found.said


def test_missing_and_unreadable_verdicts_are_reported():
    with pytest.raises(KeyError, match="expected a column 'verdict'"):
        pd.DataFrame({"score": [1.0]}).svc.agreement()
    with pytest.raises(ValueError, match="no row has one"):
        pd.DataFrame({"score": [1.0], "verdict": [None]}).svc.agreement()
    with pytest.raises(ValueError, match=r'verdict, row 1 \(label 8\): expected "good" or "bad", .*found \'perhaps\''):
        pd.DataFrame({"score": [1.0, 2.0], "verdict": ["good", "perhaps"]}, index=[7, 8]).svc.agreement()
    with pytest.raises(ValueError, match="found '101'"):
        pd.DataFrame({"score": [1.0], "verdict": [101]}).svc.agreement()
    for wrong in ("-1", "nan", "inf", "4/5", "101%"):
        with pytest.raises(ValueError, match=f"1 to 5 or 0 to 100.*found '{wrong}'"):
            pd.DataFrame({"score": [1.0], "verdict": [wrong]}).svc.agreement()
    with pytest.raises(ValueError, match="the numbers go from 0 to 5, which does not fit any scale"):
        pd.DataFrame({"score": [1.0, 2.0], "verdict": [0, 5]}).svc.agreement()
    for wrong in ("high", -1, 100.5):
        with pytest.raises(ValueError, match=rf"score, row 0 \(label 7\): expected a number from 0 to 100, .*{wrong}"):
            pd.DataFrame({"score": [wrong], "verdict": ["good"]}, index=[7]).svc.agreement()
