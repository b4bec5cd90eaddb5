"""A column is translated as asked, paid for once, within its budget, and every row says what came of it."""

from __future__ import annotations

import dataclasses
import datetime
import random
import warnings

import numpy as np
import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, session
from svc_nb.columns.operations import translate
from svc_nb.columns.results import RowOptions
from svc_nb.marked import MarkedOnly
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.models import TranslateOptions
from tests.counters import DETECT, Counters, listed, marked

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly"),
    pytest.mark.filterwarnings("ignore::svc_nb.OptionsIgnored"),
    pytest.mark.usefixtures("connected"),
]

TEXTS = [f"text number {number}" for number in range(120)]
NO_ID = "00000000-0000-0000-0000-000000000000"
UNFINISHED = "ignore::svc_nb.errors.Unfinished"


def translated(column, target_lang="DE", **fields):
    return column.svc.translate(target_lang, **{"source_lang": "EN", "progress": False, **fields})


def tabled(column, target_lang="DE", **fields):
    return column.svc.translate_table(target_lang, **{"source_lang": "EN", "progress": False, **fields})


def lengths(texts):
    return sum(map(len, texts))


# ---- once


def test_every_different_text_is_sent_and_billed_once(counters):
    column = pd.Series(random.Random(0).choices(TEXTS, k=1000))
    assert listed(translated(column)) == marked(column)
    assert counters.requests() == counters.requests(200) == 3
    assert counters.characters == lengths(set(column))


def test_the_second_run_sends_nothing(counters):
    first = translated(pd.Series(TEXTS))
    sent = counters.requests()
    second = translated(pd.Series(TEXTS[::-1]))
    assert listed(second) == listed(first)[::-1]
    assert counters.requests() == sent
    assert svc_nb.last_run().progress.stored == len(TEXTS)


def test_the_store_outlives_the_session(running, connected, counters):
    translated(pd.Series(TEXTS))
    sent = counters.requests()
    session.make_current(session.Session.embedded(running, connected.settings))
    assert listed(translated(pd.Series(TEXTS))) == marked(TEXTS)
    assert counters.requests() == sent


@pytest.mark.parametrize(
    "other",
    [
        {"formality": "more"},
        {"formality": "less"},
        {"context": "a hotel"},
        {"custom_instructions": ["be brief"]},
        {"split_sentences": "0"},
        {"model_type": "quality_optimized"},
        {"preserve_formatting": True},
        {"tag_handling": "html"},
        {"source_lang": "FR"},
        {"target_lang": "JA"},
    ],
    ids=str,
)
def test_an_option_that_can_change_the_answer_is_asked_for_anew(counters, other):
    column = pd.Series(["some small text"])
    translated(column)
    assert counters.requests() == 1
    translated(column, **other)
    assert counters.requests() == 2
    assert counters.characters == 2 * len(column[0])


@pytest.mark.parametrize(
    "same",
    [
        {"target_lang": "de"},
        {"source_lang": "en"},
        {"reporting_tag": "other"},
        {"errors": "coerce"},
        {"budget": 10_000},
        {"skip": ["blank"]},
        {"source_lang": ["en"]},
    ],
    ids=str,
)
def test_what_cannot_change_the_answer_does_not_cost_again(counters, same):
    column = pd.Series(["some small text"])
    translated(column)
    translated(column, **same)
    assert counters.requests() == 1


def test_columns_and_targets_share_one_pool(counters):
    frame = pd.DataFrame({"a": ["one", "two", None], "b": ["two", "three", "one"]}, index=[7, 7, 7])
    result = frame.svc.translate(["a", "b"], ["DE", "JA"], source_lang="EN", progress=False)
    assert listed(result["b_JA"]) == ["[JA] two", "[JA] three", "[JA] one"]
    assert counters.requests() == 2
    assert counters.characters == 2 * lengths(["one", "two", "three"])
    report = svc_nb.last_run().progress
    assert (report.rows, report.unique, report.done) == (12, 6, 10)


def test_languages_in_another_case_are_the_same_question(counters):
    column = pd.Series(["one text", "one text"])
    result = translated(column, source_lang=["en", "EN"])
    assert listed(result) == marked(column)
    assert counters.characters == len("one text")


# ---- options

WRONG = {
    "split_sentences": "7",
    "preserve_formatting": "no",
    "formality": "very",
    "model_type": "other",
    "glossary_id": "x",
    "glossary_ids": ["x"],
    "style_id": NO_ID,
    "custom_instructions": ["word"] * 11,
    "translation_memory_id": NO_ID,
    "translation_memory_threshold": 101,
    "tag_handling": "markdown",
    "tag_handling_version": "v9",
    "outline_detection": "no",
    "non_splitting_tags": [1],
    "splitting_tags": [1],
    "ignore_tags": [1],
    "enable_beta_languages": "no",
}
WORDS = {
    "style_id": "Style rule list not found",
    "translation_memory_id": "Translation memory not found",
    "glossary_ids": "glossary_id",
}


# Rows may have a context of their own, see test_context.
REACHING = [field.name for field in dataclasses.fields(TranslateOptions) if field.name != "context"]


@pytest.mark.parametrize("name", REACHING)
def test_every_option_reaches_the_service(running, counters, name):
    running.faults.add("status", operation="/v3/languages", status=503)  # then any code is sent
    wrong = {**WRONG, "source_lang": "XX"}[name]
    with pytest.raises(errors.ApiError, match=WORDS.get(name, name)):
        translated(pd.Series(["one text"]), **{name: wrong})
    assert counters.characters == 0


def test_options_shape_the_answer():
    column = pd.Series(["<p>one text</p><p>another one</p>"])
    assert listed(translated(column, tag_handling="xml")) == ["<p>[DE] one text</p><p>[DE] another one</p>"]
    whole = translated(column, tag_handling="xml", outline_detection=False)
    assert listed(whole) == ["[DE] <p>one text</p><p>another one</p>"]
    lines = pd.Series(["one text. Another one."])
    assert listed(translated(lines)) == ["[DE] one text. [DE] Another one."]
    assert listed(translated(lines, split_sentences="0")) == ["[DE] one text. Another one."]


def test_characters_are_booked_under_the_reporting_tag(connected):
    translated(pd.Series(TEXTS[:7]), reporting_tag="Team-A")
    translated(pd.Series(TEXTS[7:9]))
    today = datetime.datetime.now(datetime.UTC).date()
    (usage,) = connected.admin.tag_analytics(today, today).usage
    assert usage.custom_tag == "team-a"
    assert usage.breakdown.text_translation_characters == lengths(TEXTS[:7])


# ---- source_lang


@pytest.mark.parametrize(
    "given",
    ["lang", pd.Series(["FR", "JA", None, "FR"], index=[3, 3, 1, 0]), ["FR", "JA", None, "FR"]],
    ids=["column name", "series", "list"],
)
def test_every_row_is_sent_in_the_language_it_names(given):
    texts = ["same text", "same text", "This one is plainly written in English.", None]
    frame = pd.DataFrame({"text": texts, "lang": ["FR", "JA", None, "FR"]}, index=[3, 3, 1, 0])
    table = frame.svc.translate_table("text", "DE", source_lang=given, progress=False)
    assert listed(table["detected_source_lang"]) == ["FR", "JA", "EN", None]
    assert table["status"].tolist() == ["done", "done", "done", "skipped"]


def test_a_code_that_is_no_column_is_a_language_for_all():
    frame = pd.DataFrame({"text": ["some text", "more text"], "lang": ["FR", "JA"]})
    table = frame.svc.translate_table("text", "DE", source_lang="it", progress=False)
    assert listed(table["detected_source_lang"]) == ["IT", "IT"]


def test_gaps_among_the_languages_leave_them_to_the_service():
    column = pd.Series(["The weather is fine today.", "Il fait très beau aujourd'hui."])
    for gap in (None, np.nan, pd.NA):
        table = tabled(column, source_lang=pd.Series([gap, "FR"], dtype=object))
        assert listed(table["detected_source_lang"]) == ["EN", "FR"]


@pytest.mark.parametrize("given", [["EN"], pd.Series(["EN", "EN"], index=["a", "b"])], ids=["too few", "other labels"])
def test_languages_that_do_not_fit_the_rows_are_refused(counters, given):
    with pytest.raises(ValueError, match="source_lang"):
        translated(pd.Series(["one", "two"]), source_lang=given)
    assert counters.requests() == 0


# ---- what is not sent


def test_a_text_in_the_target_language_passes_through(counters):
    column = pd.Series(["Guten Tag", "good day"])
    table = tabled(column, source_lang=["DE", "EN"])
    assert table["reason"].tolist()[0] == "same_language"
    assert counters.characters == len("good day")
    assert listed(translated(column, source_lang=["DE", "EN"])) == ["Guten Tag", "[DE] good day"]
    translated(column, source_lang=["DE", "EN"], skip=[])
    assert counters.characters == lengths(column)


def test_a_region_of_the_same_language_is_the_same_language_only_if_it_is_the_same_region(counters):
    column = pd.Series(["good day"])
    assert listed(translated(column, "EN-US", source_lang="EN")) == ["good day"]
    assert counters.requests() == 0
    translated(column, "EN-US", source_lang="EN-GB", errors="coerce")
    assert counters.requests() == 1


def test_detected_languages_keep_texts_in_the_target_language_from_being_paid(counters):
    german, english = "Das Wetter ist heute wirklich sehr schön.", "The weather is really fine today."
    result = pd.Series([german, english]).svc.translate("DE", source_lang="detect", progress=False)
    assert listed(result) == [german, f"[DE] {english}"]
    assert counters.requests(operation=DETECT) == 1
    assert counters.characters == len(english)


SKIPPED = {
    "blank": " \t\u200b ",
    "no_letters": "42 % (!)",
    "emoji": "👍🏽 ❤️",
    "url": "https://example.com/a?b=c",
    "email": "someone@example.com",
}


@pytest.mark.parametrize(("rule", "text"), SKIPPED.items(), ids=SKIPPED)
def test_a_text_not_worth_sending_passes_through_and_costs_nothing_unless_its_rule_is_off(counters, rule, text):
    column = pd.Series([text, None])
    assert listed(translated(column)) == [text, None]
    assert tabled(column)["reason"].tolist() == [rule, "missing"]
    assert counters.requests() == 0
    others = [name for name in SKIPPED if name != rule]
    table = tabled(column, skip=others)
    assert table["status"].tolist() == ["done", "skipped"]
    assert counters.characters == len(text.strip())


def test_without_rules_only_gaps_are_left_out(counters):
    column = pd.Series([*SKIPPED.values(), "", None])
    table = tabled(column, skip=())
    assert table["status"].tolist() == ["done"] * 6 + ["skipped"]
    assert counters.characters == lengths(text.strip() for text in SKIPPED.values())


def test_a_table_shows_the_text_that_passed_through():
    column = pd.Series(["https://example.com", "some text"])
    assert listed(tabled(column)["text"]) == listed(translated(column))


# ---- budget


def affordable(texts, budget):
    """The different texts, first ones first, as far as the budget goes."""
    chosen = set()
    for text in dict.fromkeys(texts):
        if len(text) <= budget:
            chosen.add(text)
            budget -= len(text)
    return chosen


@pytest.mark.filterwarnings(UNFINISHED)
@pytest.mark.parametrize("budget", [0, 1, 5, 99, 700, 4000])
def test_a_budget_is_never_exceeded_and_the_first_rows_come_first(counters, budget):
    texts = ["x y" * random.Random(number).randint(1, 12) + str(number % 90) for number in range(200)]
    table = tabled(pd.Series(texts), budget=budget)
    chosen = affordable(texts, budget)
    assert table["status"].tolist() == ["done" if text in chosen else "unsent" for text in texts]
    assert counters.characters == lengths(chosen) <= budget
    assert set(table["reason"].dropna()) == ({"budget"} if len(chosen) < len(set(texts)) else set())


def test_rows_over_the_budget_are_gaps_told_of_and_paid_for_next_time(counters):
    column = pd.Series(TEXTS)
    with pytest.warns(errors.Unfinished, match="70 of 120 rows not sent: 70 over the budget"):
        result = translated(column, budget=lengths(TEXTS[:50]))
    assert listed(result) == marked(TEXTS[:50]) + [None] * 70
    assert listed(translated(column)) == marked(TEXTS)
    assert counters.characters == lengths(TEXTS)


def test_a_budget_that_is_enough_is_not_spoken_of(counters):
    assert listed(translated(pd.Series(TEXTS), budget=lengths(TEXTS))) == marked(TEXTS)
    assert counters.characters == lengths(TEXTS)


@pytest.mark.filterwarnings(UNFINISHED)
def test_what_is_stored_does_not_count_towards_the_budget(counters):
    translated(pd.Series(TEXTS[:50]))
    result = translated(pd.Series(TEXTS), budget=lengths(TEXTS[50:60]))
    assert listed(result) == marked(TEXTS[:60]) + [None] * 60


@pytest.mark.filterwarnings(UNFINISHED)
def test_one_budget_holds_for_all_columns_and_targets(counters):
    frame = pd.DataFrame({"a": TEXTS[:60], "b": TEXTS[60:]})
    frame.svc.translate(["a", "b"], ["DE", "JA"], source_lang="EN", budget=500, progress=False)
    assert 400 < counters.characters <= 500


@pytest.mark.filterwarnings(UNFINISHED)
@pytest.mark.parametrize("kind", ["miscount", "truncate"])
def test_answers_that_were_billed_and_lost_count_towards_the_budget(running, counters, kind):
    running.faults.add(kind, operation="/v2/translate", count=2)
    translated(pd.Series(TEXTS), budget=lengths(TEXTS) + 10, errors="coerce")
    assert counters.characters <= lengths(TEXTS) + 10


# ---- bad rows


def paragraphs(count, bad=()):
    return [f"<p>bad {row}" if row in bad else f"<p>some good text {row}</p>" for row in range(count)]


MARKUP = {"tag_handling": "xml", "tag_handling_version": "v2"}


@pytest.mark.parametrize(
    "bad",
    [
        {31},
        {0, 49},
        set(range(0, 50, 7)),
        set(range(15)),
        set(range(18, 33)),
        set(range(35, 50)),
        {31, 60, 130},
    ],
    ids=["one", "two", "many", "first", "middle", "last", "in several requests"],
)
def test_bad_rows_are_marked_and_their_neighbours_are_done_and_paid_once(counters, bad):
    count = 50 if max(bad) < 50 else 150
    table = tabled(pd.Series(paragraphs(count, bad)), errors="coerce", **MARKUP)
    assert set(np.flatnonzero(table["status"] == "failed")) == bad
    good = table[table["status"] == "done"]
    assert good["text"].tolist() == [f"<p>[DE] some good text {row}</p>" for row in good.index]
    assert table["http_status"].tolist() == [400 if row in bad else pd.NA for row in range(count)]
    assert table["billed_characters"].sum() == counters.characters
    assert counters.characters == lengths(f"some good text {row}" for row in good.index)


def test_a_bad_row_raises_at_the_end_and_nothing_paid_is_lost(counters):
    column = pd.Series(paragraphs(50, {31}), index=[f"k{row}" for row in range(50)], name="html")
    with pytest.raises(errors.RowsFailed, match=r"1 of 50 rows failed; the first is row 31 \(label 'k31'\)"):
        translated(column, **MARKUP)
    paid, sent = counters.characters, counters.requests()
    result = translated(column, errors="coerce", **MARKUP)
    assert result.isna().sum() == 1
    assert counters.characters == paid
    assert counters.requests() == sent + 1


def test_a_coerced_bad_row_is_a_gap(counters):
    result = translated(pd.Series(paragraphs(50, {31})), errors="coerce", **MARKUP)
    assert np.flatnonzero(result.isna()).tolist() == [31]


@pytest.mark.parametrize("rows", [1, 2, 120])
@pytest.mark.parametrize("wrong", [{"formality": "very"}, {"model_type": "best"}, {"tag_handling": "pdf"}], ids=str)
def test_a_wrong_option_is_one_clear_error_after_few_requests(counters, rows, wrong):
    with pytest.raises(errors.BadRequest, match=next(iter(wrong))):
        translated(pd.Series(TEXTS[:rows]), **wrong)
    assert counters.requests() <= 8 + 5
    assert counters.requests(200) == 0


def test_an_unknown_key_is_one_clear_error(running, counters, tmp_path):
    settings = Settings(base_url=running.base_url, api_key=Secret("unknown"), store=str(tmp_path / "b.sqlite"))
    stranger = session.Session(settings)
    session.make_current(stranger)
    with pytest.raises(errors.NotAuthenticated):
        translated(pd.Series(TEXTS))
    assert counters.requests() == counters.requests(401) <= 3
    assert svc_nb.last_run().table()["status"].eq("unsent").all()
    stranger.close()
    stranger.store.close()


def test_a_key_that_is_revoked_keeps_what_it_paid_for(running, connected, counters, tmp_path):
    made = connected.admin.create_key("temporary")
    settings = Settings(base_url=running.base_url, api_key=made.api_key, store=str(tmp_path / "b.sqlite"))
    guest = session.Session(settings)
    session.make_current(guest)
    translated(pd.Series(TEXTS[:50]))
    connected.admin.deactivate_key(made.key_id)
    with pytest.raises((errors.NotAuthenticated, errors.Forbidden)):
        translated(pd.Series(TEXTS))
    assert listed(translated(pd.Series(TEXTS[:50]))) == marked(TEXTS[:50])
    guest.close()
    guest.store.close()


# ---- a spent quota


def spent_quota(running, batches):
    running.faults.add("latency", operation="/v2/translate", seconds=0.01)
    running.faults.add("quota", operation="/v2/translate", characters=50 * 15 * batches)


LONG = [f"some text no {number:03}" for number in range(1000)]


@pytest.mark.filterwarnings(UNFINISHED)
def test_a_spent_quota_stops_the_run_and_keeps_what_was_paid(running, counters):
    spent_quota(running, batches=5)
    column = pd.Series(LONG)
    with pytest.raises(errors.QuotaExceeded):
        translated(column)
    paid = counters.characters
    assert counters.requests(200) >= 1
    assert paid == 50 * 16 * counters.requests(200)
    assert 1 <= counters.requests(456) <= svc_nb.current().gate.peak
    assert counters.requests() == svc_nb.last_run().progress.requests < 20
    table = svc_nb.last_run().table()
    assert table["status"].value_counts().to_dict() == {
        "done": 50 * counters.requests(200),
        "unsent": 1000 - 50 * counters.requests(200),
    }
    assert set(table["reason"].dropna()) == {"quota"}
    running.faults.clear()
    assert listed(translated(column)) == marked(LONG)
    assert counters.characters == lengths(LONG)


def test_a_spent_quota_is_a_warning_and_gaps_under_coerce(running, counters):
    spent_quota(running, batches=2)
    with pytest.warns(errors.Unfinished, match="because the quota was spent"):
        result = translated(pd.Series(LONG), errors="coerce")
    assert result.notna().sum() == 50 * counters.requests(200)


# ---- the last run


def test_the_last_run_knows_every_row(connected, counters):
    column = pd.Series(["one", "https://a.example", None, "two", "one"], index=list("abcde"), name="n")
    translated(column)
    run = svc_nb.last_run()
    table = run.table()
    assert list(table.columns) == [
        "text",
        "detected_source_lang",
        "translator",
        "status",
        "reason",
        "billed_characters",
        "from_store",
        "http_status",
        "trace_id",
    ]
    assert table.index.tolist() == list("abcde")
    assert table["status"].tolist() == ["done", "skipped", "skipped", "done", "done"]
    assert table["billed_characters"].tolist() == [3, 0, 0, 3, 0]
    assert table["billed_characters"].sum() == run.progress.billed == counters.characters
    assert not table["from_store"].any()
    assert table["trace_id"].notna().tolist() == [True, False, False, True, True]
    translated(column)
    again = svc_nb.last_run().table()
    assert again["from_store"].tolist() == [True, False, False, True, True]
    assert again["billed_characters"].sum() == 0


def test_costs_of_a_text_in_several_columns_are_told_once(counters):
    frame = pd.DataFrame({"a": ["one", "two"], "b": ["two", "one"]})
    table = frame.svc.translate_table(["a", "b"], "DE", source_lang="EN", progress=False)
    assert table["billed_characters"].sum() == counters.characters == 6
    assert table["column"].tolist() == ["a", "a", "b", "b"]


def test_a_table_of_several_targets_names_the_target_of_every_row():
    frame = pd.DataFrame({"a": ["one", "two"]})
    table = frame.svc.translate_table("a", ["DE", "JA"], source_lang="EN", progress=False)
    assert table["target_lang"].tolist() == ["DE", "DE", "JA", "JA"]
    table = tabled(pd.Series(["one", "two"]), ["DE", "JA"])
    assert table["target_lang"].tolist() == ["DE", "DE", "JA", "JA"]


def test_counts_of_the_last_run_are_those_of_the_service(counters):
    translated(pd.Series([*TEXTS, *TEXTS, None, "42"]))
    report = svc_nb.last_run().progress
    assert report.rows == report.finished == 242
    assert (report.done, report.unique, report.failed, report.stored) == (240, 120, 0, 0)
    assert dict(report.skipped) == {"missing": 1, "no_letters": 1}
    assert report.requests == counters.requests()
    assert report.billed == counters.characters
    assert (report.refused, report.retried, report.unclear, report.in_flight) == (0, 0, 0, 0)
    assert report.stage == "translating"


def test_a_large_text_is_sent_in_pieces_and_comes_back_whole(counters):
    text = "\n\n".join(f"paragraph number {number} of a long text" for number in range(6000))
    table = tabled(pd.Series([text, "one"]))
    assert table["text"][0].replace("[DE] ", "") == text
    assert counters.requests() == counters.requests(200)
    assert table["billed_characters"].sum() == counters.characters <= len(text) + 3
    sent = counters.requests()
    assert listed(tabled(pd.Series([text]))["text"]) == [table["text"][0]]
    assert counters.requests() == sent


# ---- retry_failed


def test_what_failed_is_tried_again_and_only_that(running, counters):
    running.faults.add("status", status=500, operation="/v2/translate")
    column = pd.Series(TEXTS[:3])
    with pytest.raises(errors.SvcError):
        translated(column)
    running.faults.clear()
    assert listed(svc_nb.last_run().retry_failed()) == marked(TEXTS[:3])
    assert counters.characters == lengths(TEXTS[:3])
    assert counters.requests(200) == 1


@pytest.mark.filterwarnings(UNFINISHED)
def test_what_was_not_sent_is_tried_again_and_only_that(running, counters):
    spent_quota(running, batches=2)
    translated(pd.Series(LONG), errors="coerce")
    running.faults.clear()
    assert listed(svc_nb.last_run().retry_failed()) == marked(LONG)
    assert counters.characters == lengths(LONG)


@pytest.mark.parametrize("index", [None, ["x", "y"]], ids=["counted", "named"])
@pytest.mark.parametrize("kind", [list, pd.Series])
def test_rows_with_their_own_language_can_be_tried_again(running, index, kind):
    column = pd.Series(["some text", "more text"], index=index)
    languages = ["EN", "FR"] if kind is list else pd.Series(["EN", "FR"], index=index)
    translated(column, source_lang=languages)
    assert listed(svc_nb.last_run().retry_failed()) == marked(column)


def test_the_last_run_is_the_one_that_was_tried_again(running):
    running.faults.add("status", status=500, operation="/v2/translate")
    translated(pd.Series(["some text"]), errors="coerce")
    running.faults.clear()
    svc_nb.last_run().retry_failed()
    assert svc_nb.last_run().progress.done == 1


def test_retrying_a_run_without_failures_sends_nothing(counters):
    translated(pd.Series(TEXTS))
    sent = counters.requests()
    assert listed(svc_nb.last_run().retry_failed()) == marked(TEXTS)
    assert counters.requests() == sent


# ---- warnings


def test_every_run_tells_of_texts_that_were_only_marked(marking):
    column = pd.Series(["some text", "more text"])
    for _ in range(2):
        with pytest.warns(MarkedOnly, match="^2 of 2 rows NOT TRANSLATED, .* no translator for EN → DE"):
            translated(column)


def test_options_without_effect_are_told_of_once(connected):
    column = pd.Series(["some text", "more text"])
    told = []
    for fields in ({"formality": "more"}, {"formality": "less", "context": "a shop"}, {}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            translated(column, **fields)
            tabled(column, target_lang="FR", **fields)
        told += [(warning.category, str(warning.message).partition(". ")[0]) for warning in caught]
    assert told == [
        (svc_nb.OptionsIgnored, "No effect: formality"),
        (svc_nb.OptionsIgnored, "No effect: context"),
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda column: column.svc.translate("DE", source_lang="EN", budget=0, progress=False),
        lambda column: column.svc.translate_table("DE", source_lang="EN", budget=0, progress=False),
        lambda column: column.svc.start_translate("DE", source_lang="EN", budget=0).result(),
        lambda column: column.to_frame("a").svc.translate("a", "DE", source_lang="EN", budget=0, progress=False),
    ],
    ids=["translate", "translate_table", "start_translate", "frame"],
)
def test_a_warning_points_at_the_line_that_called(call):
    with pytest.warns(errors.Unfinished) as caught:
        call(pd.Series(["some text"]))
    assert [warning.filename for warning in caught] == [__file__]
    assert caught[0].lineno == call.__code__.co_firstlineno


# ---- the other operations


def test_detection_costs_nothing_and_is_kept(counters):
    column = pd.Series(["The weather is really fine today.", None, "42", "Il fait vraiment beau aujourd'hui."])
    assert listed(column.svc.detect(progress=False)) == ["EN", None, None, "FR"]
    table = column.svc.detect_table(progress=False)
    assert table["detection_status"].tolist()[0] == "success"
    assert table["status"].tolist() == ["done", "skipped", "skipped", "done"]
    assert counters.requests(operation=DETECT) == 1
    assert counters.characters == 0


@pytest.mark.parametrize("operation", ["rephrase", "correct"])
def test_texts_are_improved_in_their_place_and_paid_once(connected, running, operation):
    column = pd.Series(["The weather is fine.", None, "The weather is fine.", "We like it."], index=list("abab"))
    counters = Counters(running, connected)
    for _ in range(2):
        result = getattr(column.svc, operation)(progress=False)
        assert result.index.tolist() == list("abab")
        assert result.isna().tolist() == [False, True, False, False]
    assert counters.requests(operation=f"POST /v2/write/{operation}") == 1
    assert counters.characters == lengths(["The weather is fine.", "We like it."])


@pytest.mark.filterwarnings(UNFINISHED)
def test_a_budget_holds_for_improvements_too(counters):
    column = pd.Series(["The weather is fine.", "We really like it.", "It is a green house."])
    result = column.svc.correct(budget=40, progress=False)
    assert result.notna().tolist() == [True, True, False]
    assert counters.characters == lengths(column[:2])


def test_columns_of_a_frame_are_detected_and_improved_under_their_own_names():
    frame = pd.DataFrame({"a": ["The weather is fine today."], "b": [None]}, index=["x"])
    for result in (
        frame.svc.detect(["a", "b"], progress=False),
        frame.svc.correct(["a", "b"], progress=False),
    ):
        assert list(result.columns) == ["a", "b"]
        assert result.index.tolist() == ["x"]
        assert result.isna().iloc[0].tolist() == [False, True]


# ---- what a review found


def test_a_frame_that_is_changed_before_the_result_shifts_no_row(connected, unwarned):
    frame = pd.DataFrame({"t": ["ein Haus", "zwei Häuser"], "k": [2, 1]}, index=["a", "b"])
    job = frame.svc.start_translate("t", "FR", source_lang="DE")
    job.wait()
    frame.sort_values("k", inplace=True)
    assert job.result()["t_FR"].to_dict() == {"a": "[FR] ein Haus", "b": "[FR] zwei Häuser"}


def test_a_retry_uses_the_texts_that_were_given_not_what_became_of_the_column(connected, unwarned):
    frame = pd.DataFrame({"t": ["ein Haus", "zwei Häuser"]})
    frame["t"] = frame.svc.translate("t", "FR", source_lang="DE", errors="coerce", progress=False)["t_FR"]
    assert svc_nb.last_run().retry_failed()["t_FR"].tolist() == ["[FR] ein Haus", "[FR] zwei Häuser"]


def test_a_category_that_no_row_uses_is_not_paid_for(connected, unwarned):
    texts = pd.Series(["ein Haus", "zwei Häuser", "drei"]).astype("category")
    used = texts[texts == "ein Haus"]
    assert used.svc.plan("FR", source_lang="DE").characters == len("ein Haus")
    assert used.svc.translate("FR", source_lang="DE", progress=False).tolist() == ["[FR] ein Haus"]
    assert svc_nb.last_run().progress.billed == len("ein Haus")


def test_a_code_is_a_code_even_where_a_column_has_its_name(connected, unwarned):
    frame = pd.DataFrame({"de": ["Guten Morgen"]})
    assert frame.svc.translate("de", "FR", source_lang="de", progress=False)["de_FR"].tolist() == ["[FR] Guten Morgen"]


def test_an_empty_language_is_left_to_the_service(connected, unwarned):
    texts = pd.Series(["Guten Morgen, wie geht es dir?", "Guten Abend zusammen"])
    assert texts.svc.translate("FR", source_lang=["", "DE"], progress=False).notna().all()


def test_coerced_errors_stay_gaps_when_detection_is_forbidden(connected, unwarned):
    connected.service.faults.add("status", status=403, operation="/v3/detect/language")
    texts = pd.Series(["Guten Morgen", None])
    with pytest.warns(errors.Unfinished, match="403"):
        result = texts.svc.translate("FR", source_lang="detect", errors="coerce", progress=False)
    assert result.isna().all()
    assert svc_nb.last_run().table()["http_status"].tolist()[0] == 403
    with pytest.raises(errors.Forbidden):
        texts.svc.translate("FR", source_lang="detect", progress=False)


def test_improvements_are_counted_in_the_store(connected):
    pd.Series(["this is is a test"]).svc.correct(progress=False)
    assert connected.store.info().billed == len("this is is a test")


def test_a_price_that_is_no_number_and_a_column_twice_are_told(connected):
    with pytest.raises(TypeError, match="price"):
        pd.Series(["ein Haus"]).svc.plan("FR", price="20")
    for price in (-20, float("nan")):
        with pytest.raises(ValueError, match="price: expected 0 or more"):
            pd.Series(["ein Haus"]).svc.plan("FR", price=price)
    with pytest.raises(ValueError, match="twice"):
        pd.DataFrame({"a": ["x"]}).svc.translate(["a", "a"], "FR")


@pytest.mark.parametrize(("said", "taken"), [(None, None), (-1, None), (0, 0), (7, 7), (2**64, None)])
def test_a_number_of_characters_beyond_belief_breaks_nothing(connected, monkeypatch, said, taken):
    """The service's word is taken for what was billed only where it can be true."""
    made = svc_nb.models.Translation("a house", "DE", billed_characters=said)
    monkeypatch.setattr(connected.client.text, "translated_rows", lambda *_, **__: ([made], None, ()))
    kind = translate(connected, "EN-US").request_kind("EN-US", RowOptions(), one_language=False)
    assert [answer.billed for answer in kind.send(["ein Haus"])] == [taken]


def test_texts_that_were_only_marked_are_told_of_in_one_line(marking):
    texts = pd.Series(["Guten Morgen", "Dzień dobry", "Guten Abend"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts.svc.translate("JA", source_lang=["DE", "PL", "DE"], progress=False)
    assert [str(each.message).partition(".")[0] for each in caught] == [
        "3 of 3 rows NOT TRANSLATED, only marked with the target language: no translator for DE, PL → JA"
    ]
