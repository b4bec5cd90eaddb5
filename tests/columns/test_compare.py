"""Two translations of the same rows side by side: what differs, how they score, what they cost."""

from __future__ import annotations

import html
import re

import numpy as np
import pandas as pd
import pytest

import svc_nb
from svc_nb.session import Session
from svc_nb.settings import Settings

pytestmark = pytest.mark.usefixtures("unwarned")

SOURCE = pd.Series(["The house has 5 rooms.", None, "Good morning!", "See <b>here</b>."], index=["x", "x", 3, 4])
A = pd.Series(["Das Haus hat 5 Zimmer.", None, "Guten Morgen!", "Siehe <b>hier</b>."], index=SOURCE.index)
B = pd.Series(["Das Haus hat 6 Zimmer.", None, "Guten Morgen!", "Schau <b>hier</b>."], index=SOURCE.index)
GERMAN = {"source": SOURCE, "source_lang": "en", "target_lang": "de"}


def test_columns_are_compared_row_by_row():
    found = svc_nb.compare(A, B, **GERMAN)
    assert list(found) == ["source", "a", "b", "same", "score_a", "score_b"]
    assert found.index.equals(SOURCE.index)
    assert found["same"].tolist() == [False, True, True, False]
    assert found["score_a"].iloc[0] > found["score_b"].iloc[0]
    np.testing.assert_allclose(found["score_a"], SOURCE.svc.score(A, source_lang="en", target_lang="de"))
    assert found.said.startswith("2 of 4 texts differ. Mean score ")
    assert "a has the higher one in 1 row, b in 0." in found.said
    assert "does not measure quality" in found.said


def test_differences_are_marked_word_by_word_and_texts_are_no_html():
    found = svc_nb.compare(A, B, **GERMAN)
    assert re.search(r"^x: Das Haus hat \[-5-\]\{\+6\+\} Zimmer\.", repr(found), re.MULTILINE)
    shown = found._repr_html_()
    assert "<b>" not in shown
    assert html.escape("<b>hier</b>") in shown
    assert ">5</del>" in shown
    assert ">6</ins>" in shown
    assert "Guten Morgen" not in shown
    assert repr(svc_nb.compare(A, A, **GERMAN)).startswith("0 of 4 texts differ.")


def test_runs_know_their_texts_their_languages_and_what_they_were_billed(connected):
    texts = pd.Series(["The house is red.", None, "Good morning!"], index=[1, 1, 2])
    runs = []
    for language in ("DE", "FR"):
        texts.svc.translate(language, source_lang="en", progress=False)
        runs.append(svc_nb.last_run())
    found = svc_nb.compare(*runs, price=1_000_000)
    assert found["source"].tolist()[::2] == texts.tolist()[::2]
    assert found["billed_a"].sum() == found["billed_b"].sum() == 17 + 13
    assert "a was billed 30 characters (30.00)." in found.said
    tables = [run.table() for run in runs]
    again = svc_nb.compare(*tables, source=texts)
    assert again["b"].equals(found["b"])
    assert again["billed_a"].equals(found["billed_a"])


def test_two_sets_of_options_are_run_and_what_is_known_is_free(connected):
    texts = pd.Series(["The house is red.", "Good morning!"], index=["a", "b"])
    terms = pd.DataFrame({"source_lang": ["en"], "target_lang": ["de"], "source": ["house"], "target": ["Bude"]})
    texts.svc.translate("DE", source_lang="en", progress=False)
    found = texts.svc.compare("DE", {"source_lang": "en"}, {"source_lang": "en", "glossary": terms}, progress=False)
    assert found["billed_a"].sum() == 0
    assert found["billed_b"].sum() == 30
    assert "Bude" in found["b"]["a"]
    assert "Bude" not in found["a"]["a"]
    assert not found["same"]["a"]


def test_two_sessions_are_compared(connected, running, tmp_path):
    other = Session.embedded(running, Settings(store=str(tmp_path / "other.sqlite")))
    try:
        texts = pd.Series(["Good morning!"])
        found = texts.svc.compare("DE", connected, {"session": other, "source_lang": "en"}, progress=False)
        assert found[["billed_a", "billed_b"]].to_numpy().tolist() == [[13, 13]]
        assert svc_nb.current() is connected
    finally:
        other.close()
        other.store.close()


def test_what_cannot_be_compared_is_told():
    with pytest.raises(ValueError, match="Pass source="):
        svc_nb.compare(A, B)
    with pytest.raises(ValueError, match=r"source and b are compared row by row.* found 4 and 3"):
        svc_nb.compare(A, B.iloc[:3], source=SOURCE)
    with pytest.raises(ValueError, match="source and a have different row labels"):
        svc_nb.compare(A.reset_index(drop=True), B, source=SOURCE)
    with pytest.raises(ValueError, match="source and b have different row labels"):
        svc_nb.compare(A, B.reset_index(drop=True), source=SOURCE.tolist())
    with pytest.raises(TypeError, match="price: expected a number"):
        svc_nb.compare(A, B, source=SOURCE, price="20")
    with pytest.raises(TypeError, match=r"a: expected a run .* found list"):
        svc_nb.compare(list(A), B, source=SOURCE)
    with pytest.raises(KeyError, match="a column 'text'"):
        svc_nb.compare(A.to_frame("words"), B, source=SOURCE)
    with pytest.raises(TypeError, match="b: expected a dict of options or a Session, found str"):
        SOURCE.svc.compare("DE", {}, "more")


@pytest.mark.parametrize(
    ("target_lang", "b", "told"),
    [
        ("DE", {"formalty": "more"}, "b: there is no option 'formalty'. Did you mean 'formality'?"),
        ("DE", {"target_lang": "FR"}, "b: target_lang is given for both"),
        ("DE", {"session": "other"}, "b: session: expected a Session, found str"),
        (["DE", "FR"], {}, "target_lang: expected one language, found 2"),
    ],
)
def test_both_sides_are_checked_before_one_is_paid_for(connected, counters, target_lang, b, told):
    with pytest.raises((TypeError, ValueError), match=re.escape(told)):
        SOURCE.svc.compare(target_lang, {"source_lang": "en"}, b, progress=False)
    with pytest.raises(TypeError, match="price: expected a number"):
        SOURCE.svc.compare("DE", {}, {}, price="20", progress=False)
    assert counters.characters == 0


def test_labels_that_are_there_twice_and_gaps_do_no_harm(connected):
    source = pd.Series(["The house is red.", None, "Good morning!", "The house is red."], index=["x"] * 4)
    terms = pd.DataFrame({"source_lang": ["en"], "target_lang": ["de"], "source": ["house"], "target": ["Bude"]})
    found = source.svc.compare(
        "DE", {"source_lang": "en"}, {"source_lang": "en", "glossary": terms}, progress=False, price=1_000_000
    )
    assert found.index.equals(source.index)
    assert found["source"].tolist()[2:] == source.tolist()[2:]
    assert found["same"].tolist() == [False, True, True, False]
    assert found["billed_a"].tolist() == found["billed_b"].tolist() == [17, 0, 13, 0]
    assert found["score_b"].isna().tolist() == [False, True, False, False]
    assert found["score_b"].iloc[0] == found["score_b"].iloc[3]
    assert "b was billed 30 characters (30.00)." in found.said
    assert repr(found).count("{+Bude+}") == 2


def test_no_rows_and_rows_without_texts_are_compared(connected):
    for source in (SOURCE.iloc[:0], pd.Series([None, None], index=[5, 5], dtype=object)):
        found = source.svc.compare("DE", {"source_lang": "en"}, {}, progress=False, price=20)
        assert found.index.equals(source.index)
        assert found.said.startswith(f"0 of {len(source)} texts differ. a was billed 0 characters (0.00). b was ")
        assert "0 of" in found._repr_html_()


def test_a_row_that_only_one_side_has_is_shown():
    found = svc_nb.compare(A.where(A.index != 3), B, **GERMAN)
    assert re.search(r"^3: \{\+Guten Morgen!\+\}  \(0\.0 → \d+\.\d\)$", repr(found), re.MULTILINE)
    assert ">Guten Morgen!</ins>" in found._repr_html_()


def test_a_list_of_sources_goes_by_position():
    expected = svc_nb.compare(A, B, **GERMAN)
    pd.testing.assert_frame_equal(svc_nb.compare(A, B, **{**GERMAN, "source": SOURCE.tolist()}), expected)
