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
    assert list(sample) == ["row", "source_lang", "source", "translation", "score", "worst", "verdict", "note"]
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
    assert "not a mark of quality" in sample.said


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "all"])
def test_a_sample_of_no_size_is_refused(n):
    with pytest.raises(ValueError, match="how many rows to draw"):
        pd.Series(["a"]).svc.review(pd.Series(["b"]), n)


def test_scores_of_other_texts_are_refused():
    source, translated, scores, _ = column(5)
    for wrong in (scores.reset_index(drop=True).iloc[:2], scores.to_frame("other"), [1, 2]):
        with pytest.raises(ValueError, match="for these texts"):
            source.svc.review(translated, score=wrong)


# ---- a filled-in sample


@pytest.mark.parametrize(
    ("good", "bad"), [("good", "bad"), ("Yes ", "NO"), (True, False), (1, 0), (90, 20), ("100 %", "0")]
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
    assert "5 rows without a verdict" in found.said
    assert "in 100% of all pairs" in found.said


def test_scores_that_say_nothing_have_an_area_of_one_half():
    table = pd.DataFrame({"score": [50.0] * 40, "verdict": ["good", "bad"] * 20})
    assert table.svc.agreement().loc["all", "auc"] == 0.5


def test_one_kind_of_verdict_alone_is_counted_but_not_compared():
    found = pd.DataFrame({"score": [1.0, 2.0], "verdict": ["good", "good"]}).svc.agreement()
    assert found["auc"].isna().all()
    assert "once there are good ones and bad ones" in found.said


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), min_size=2, max_size=30))
def test_the_threshold_tells_the_shares_that_it_would_find(rows):
    table = pd.DataFrame(rows, columns=["score", "verdict"])
    found = table.svc.agreement().loc["all"]
    if table["verdict"].nunique() == 2:
        below = table["score"] < found["threshold"]
        assert found["looked_at"] == pytest.approx(below.mean())
        assert found["bad_found"] == pytest.approx(below[~table["verdict"]].mean())
        pairs = [
            (good > bad) + (good == bad) / 2
            for good in table["score"][table["verdict"]]
            for bad in table["score"][~table["verdict"]]
        ]
        assert found["auc"] == pytest.approx(np.mean(pairs))


def test_what_is_missing_or_cannot_be_read_is_told():
    with pytest.raises(KeyError, match="expected a column 'verdict'"):
        pd.DataFrame({"score": [1.0]}).svc.agreement()
    with pytest.raises(ValueError, match="nothing is filled in"):
        pd.DataFrame({"score": [1.0], "verdict": [None]}).svc.agreement()
    with pytest.raises(ValueError, match=r"row 1 \(label 8\).*found 'perhaps'"):
        pd.DataFrame({"score": [1.0, 2.0], "verdict": ["good", "perhaps"]}, index=[7, 8]).svc.agreement()
    with pytest.raises(ValueError, match="found '101'"):
        pd.DataFrame({"score": [1.0], "verdict": [101]}).svc.agreement()
