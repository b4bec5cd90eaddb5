"""Stored answers as people change them: found, forgotten, asked for again, and corrected in their own words."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb

TEXTS = pd.Series(["The house is red.", "The garden is large.", "The tree is old."])


@pytest.fixture(autouse=True)
def connection(connected):
    return connected


def translated(texts=TEXTS, **options):
    return texts.svc.translate("DE", source_lang="EN", progress=False, **options)


def table(texts=TEXTS, **options):
    return texts.svc.translate_table("DE", source_lang="EN", progress=False, **options)


def test_answers_are_found_by_a_part_of_the_text():
    translated()
    found = svc_nb.store.find("garden")
    assert found["source"].tolist() == ["The garden is large."]
    assert found["text"].tolist() == ["[DE] The garden is large."]
    assert found["translator"].tolist() == ["toy"]
    assert len(svc_nb.store.find(target_lang="de")) == 3
    assert len(svc_nb.store.find(target_lang="FR")) == 0


def test_what_is_forgotten_is_paid_for_again():
    translated()
    assert svc_nb.store.forget(svc_nb.store.find("garden")) == 1
    assert table()["from_store"].tolist() == [True, False, True]


def test_a_persons_wording_wins_outlives_runs_and_is_told():
    translated()
    found = svc_nb.store.find("garden")
    found["text"] = "Der Garten ist groß."
    assert svc_nb.store.correct(found) == 1
    for again in (False, True):
        came = table(again=again)
        assert came["text"].tolist()[1] == "Der Garten ist groß."
        assert came["translator"].tolist() == ["toy", "person", "toy"]
        assert came["from_store"].tolist() == [not again, True, not again]
    svc_nb.store.forget(svc_nb.store.find("garden"))
    assert translated().tolist()[1] == "[DE] The garden is large."


def test_an_older_job_does_not_bring_its_answer_back():
    older = TEXTS.svc.start_translate("DE", source_lang="EN")
    older.result()
    found = svc_nb.store.find("garden")
    found["text"] = "Der Garten ist groß."
    svc_nb.store.correct(found)
    assert older.retry_failed().tolist()[1] == "Der Garten ist groß."
    assert svc_nb.store.find("garden")["translator"].tolist() == ["person"]


def test_a_job_that_could_not_begin_asks_again_when_it_is_tried_again():
    translated()
    job = TEXTS.svc.start_translate("DE", source_lang="EN", again=True, style="no such style")
    job.wait()
    assert job.again().options.again.tolist() == [True, True, True]


def test_detected_languages_have_no_wording_to_correct():
    TEXTS.svc.translate("DE", progress=False)
    found = svc_nb.store.find("garden")
    assert sorted(found["operation"]) == ["detect", "translate"]
    found["text"] = "Der Garten ist groß."
    assert svc_nb.store.correct(found) == 1
    assert set(svc_nb.store.find("garden", operation="detect")["text"].isna()) == {True}
    with pytest.raises(TypeError, match=r"expected the columns of .*; missing: .*text"):
        svc_nb.store.correct(found[["source"]])


@pytest.mark.parametrize(
    ("again", "error", "said"),
    [
        ("b", TypeError, "again: expected True, a list of row labels"),
        (["zz"], KeyError, "no row has the label 'zz'"),
    ],
)
def test_rows_to_ask_again_for_must_be_there(again, error, said):
    with pytest.raises(error, match=said):
        translated(again=again)


def test_an_operation_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="operation: expected one of"):
        svc_nb.store.export(operation="translation")


def test_only_rows_that_were_changed_are_corrected():
    translated()
    found = svc_nb.store.find(target_lang="DE")
    assert svc_nb.store.correct(found) == 0
    assert set(svc_nb.store.find()["translator"]) == {"toy"}


def test_what_find_did_not_give_is_refused():
    translated()
    with pytest.raises(TypeError, match=r"svc_nb\.store\.find\(\)"):
        svc_nb.store.forget(svc_nb.store.export())
    found = svc_nb.store.find("garden")
    with pytest.raises(ValueError, match="expected a wording"):
        svc_nb.store.correct(found.assign(text=None))
    svc_nb.store.forget(found)
    with pytest.raises(KeyError, match="find"):
        svc_nb.store.correct(found.assign(text="Der Garten"))


@pytest.mark.parametrize("rows", [[1], [False, True, False], pd.Series([False, True, False]), pd.Index([1])])
def test_rows_are_asked_for_again_by_label_or_truth_value(rows):
    translated()
    assert table(again=rows)["from_store"].tolist() == [True, False, True]
    assert table()["from_store"].tolist() == [True] * 3
    with pytest.raises(ValueError, match="one for each row"):
        table(again=[True])


def test_without_a_budget_only_what_is_stored_is_used_and_nothing_is_sent(running):
    translated(TEXTS[:2])
    before = running.traffic.requests
    with pytest.warns(svc_nb.errors.Unfinished):
        came = TEXTS.svc.translate_table("DE", source_lang="EN", budget=0, progress=False)
    assert came["status"].tolist() == ["done", "done", "unsent"]
    with pytest.warns(svc_nb.errors.Unfinished):
        TEXTS.svc.translate_table("DE", budget=0, progress=False)
    assert running.traffic.requests == before


def paid(**options):
    """What it costs to translate a text with *options*."""
    return int(table(pd.Series(["The house is red."]), **options)["billed_characters"].sum())


@pytest.mark.parametrize(
    "same",
    [
        {"formality": "default"},
        {"split_sentences": "1"},
        {"preserve_formatting": False},
        {"context": ""},
        {"custom_instructions": []},
    ],
)
def test_an_option_at_its_default_is_the_same_wish_as_none(same):
    assert paid() > 0
    assert paid(**same) == 0


@pytest.mark.filterwarnings("ignore::svc_nb.OptionsIgnored")
def test_another_option_is_another_wish():
    assert paid() == paid(formality="more") == paid(context="about houses") > 0


@pytest.mark.parametrize("written", ["de", "De", "DE"])
def test_codes_are_one_wish_in_any_case(written):
    translated()
    assert TEXTS.svc.translate_table(written, source_lang="en", progress=False)["from_store"].all()


def test_a_language_that_is_detected_is_the_one_that_was_named():
    translated()
    assert TEXTS.svc.translate_table("DE", progress=False)["from_store"].all()


def test_white_space_around_a_text_is_put_back_and_not_paid_for():
    translated()
    padded = pd.Series(["  The house is red.\n", "The house is red.", "\tThe house is red."])
    came = table(padded)
    assert came["text"].tolist() == [
        "  [DE] The house is red.\n",
        "[DE] The house is red.",
        "\t[DE] The house is red.",
    ]
    assert came["from_store"].all()


def test_correcting_in_the_same_language_is_one_wish():
    texts = pd.Series(["I has a car."])
    for code, expected in (("EN-GB", True), ("en-gb", False), ("en_GB", False)):
        texts.svc.correct(target_lang=code, progress=False)
        assert (svc_nb.last_run().progress.billed > 0) == expected
