"""What the client writes to and reads from the wire, against a server that answers anything."""

import contextlib
import re
import warnings
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from svc_nb import errors
from svc_nb.marked import MarkedOnly
from svc_nb.wire.models import CustomInstruction, Dictionary, TranslateOptions

HOSTILE_IDS = {
    "../x": "..%2Fx",
    "a/b": "a%2Fb",
    "a?b#c": "a%3Fb%23c",
    "%2e%2e": "%252e%252e",
    "a b": "a%20b",
    "ä": "%C3%A4",
    "a;b": "a%3Bb",
}
CALLS = {
    "glossaries.get": lambda client, x: client.glossaries.get(x),
    "glossaries.rename": lambda client, x: client.glossaries.rename(x, "n"),
    "glossaries.delete": lambda client, x: client.glossaries.delete(x),
    "glossaries.entries": lambda client, x: client.glossaries.entries(x),
    "glossaries.replace": lambda client, x: client.glossaries.replace_dictionary(x, Dictionary("a", "b", "")),
    "glossaries.v2.get": lambda client, x: client.glossaries.v2.get(x),
    "glossaries.v2.delete": lambda client, x: client.glossaries.v2.delete(x),
    "glossaries.v2.entries": lambda client, x: client.glossaries.v2.entries(x),
    "style_rules.get": lambda client, x: client.style_rules.get(x),
    "style_rules.delete": lambda client, x: client.style_rules.delete(x),
    "style_rules.replace_rules": lambda client, x: client.style_rules.replace_rules(x, {}),
    "style_rules.instruction": lambda client, x: client.style_rules.instruction("style", x),
    "style_rules.delete_instruction": lambda client, x: client.style_rules.delete_instruction(x, "i"),
}
PLAIN = {"text": "Hallo", "detected_source_language": "EN", "billed_characters": 5}


def translated(*texts, **facts):
    return {"translations": [{**PLAIN, "text": text, **facts} for text in texts]}


# ---- ids


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_id_is_one_segment_of_the_path_whatever_it_holds(scripted, told, call):
    client = told({})

    def path(identifier):
        with contextlib.suppress(errors.BadReply):
            call(client, identifier)
        return scripted.asked[-1].target

    plain = path("plain-id")
    for identifier, segment in HOSTILE_IDS.items():
        assert path(identifier) == plain.replace("plain-id", segment)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_would_navigate_in_the_path_is_not_an_id(scripted, told, call):
    client = told({})
    for identifier in ("", ".", "..", "\ud800"):
        with pytest.raises(ValueError, match="id"):
            call(client, identifier)
    assert scripted.asked == []


def test_an_id_that_is_not_a_string_is_refused(told):
    with pytest.raises(TypeError, match=r"id.*found int"):
        told({}).glossaries.get(5)


# ---- texts


NO_TEXTS = [
    ("one text", "found str; put it in a list"),
    (b"bytes", "found bytes; put it in a list"),
    (pd.DataFrame({"review": ["a"], "stars": ["b"]}), "found DataFrame; pass one column, or a list"),
    (np.array([["a", "b"]]), "found ndarray; pass one column, or a list"),
    ({"a": "b"}, "found dict; pass a list"),
    (None, "found None; pass a list"),
    (5, "found int; pass a list"),
]


@pytest.mark.parametrize(("texts", "words"), NO_TEXTS, ids=[words for _, words in NO_TEXTS])
def test_what_is_not_a_list_of_texts_is_refused_with_advice(scripted, told, texts, words):
    client = told({})
    calls = [
        lambda: client.text.translate(texts, "DE"),
        lambda: client.text.rephrase(texts),
        lambda: client.text.correct(texts),
        lambda: client.detection.detect(texts),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=f"^texts: expected a list, each item a string, {words}$"):
            call()
    assert scripted.asked == []


@pytest.mark.parametrize("wrong", [None, float("nan"), 5, b"x"])
def test_a_text_that_is_not_a_string_is_named_by_its_place(told, wrong):
    with pytest.raises(TypeError, match=r"texts\[1\]: expected a string"):
        told({}).text.translate(["fine", wrong], "DE")


@pytest.mark.parametrize("kind", [iter, tuple, pd.Series, pd.Index, np.array, dict.fromkeys])
def test_any_iterable_of_texts_is_taken(scripted, told, kind):
    texts = kind(["a", "b"])
    client = told(translated("a", "b"))
    found = client.text.translate(texts.keys() if isinstance(texts, dict) else texts, "DE")
    assert [each.text for each in found] == ["a", "b"]
    assert scripted.asked[0].json["text"] == ["a", "b"]


# ---- other arguments

TERMS = Dictionary("de", "en", "Haus\thouse")
DICT_OF_TERMS = Dictionary("de", "en", {"Haus": "house"})
WRONG_ARGUMENTS = [
    (
        lambda client: client.glossaries.create("x", {"de": "en"}),
        "dictionaries: expected a list, each item a Dictionary, found dict; pass a list",
    ),
    (
        lambda client: client.glossaries.create("x", TERMS),
        "dictionaries: expected a list, each item a Dictionary, found Dictionary; put it in a list",
    ),
    (
        lambda client: client.glossaries.create("x", [TERMS, {"de": "en"}]),
        "dictionaries[1]: expected a Dictionary, found dict",
    ),
    (
        lambda client: client.glossaries.update("x", dictionary=[TERMS]),
        "dictionary: expected a Dictionary, found list",
    ),
    (
        lambda client: client.glossaries.replace_dictionary("x", None),
        "dictionary: expected a Dictionary, found None",
    ),
    (
        lambda client: client.style_rules.create("x", "en", custom_instructions="Be kind"),
        "custom_instructions: expected a list, each item a CustomInstruction, found str; put it in a list",
    ),
    (
        lambda client: client.style_rules.create("x", "en", custom_instructions=[{"label": "a"}]),
        "custom_instructions[0]: expected a CustomInstruction, found dict",
    ),
    (
        lambda client: client.style_rules.create("x", "en", configured_rules=["numbers"]),
        "configured_rules: expected a dict of category to rule to option, found list",
    ),
    (
        lambda client: client.style_rules.replace_rules("x", {"numbers": "short"}),
        "configured_rules['numbers']: expected a dict of rule to option, found str",
    ),
    (
        lambda client: client.text.translate(["a"], "DE", options={"formality": "more"}),
        "options: expected TranslateOptions (or its fields by name: formality=, glossary_id=, ...), found dict",
    ),
    (
        lambda client: client.languages.support("glossary", include="beta"),
        "include: expected a list, each item a string, found str; put it in a list",
    ),
    (
        lambda client: client.detection.detect(["a"], tries="a"),
        "tries: expected a whole number, found str",
    ),
]


@pytest.mark.parametrize(("call", "words"), WRONG_ARGUMENTS, ids=[words for _, words in WRONG_ARGUMENTS])
def test_an_argument_of_a_wrong_type_is_named_with_what_was_expected_and_found(scripted, told, call, words):
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        call(told({}))
    assert scripted.asked == []


WITH_A_DICT_OF_TERMS = [
    lambda each: each.create("x", [DICT_OF_TERMS]),
    lambda each: each.update("x", dictionary=DICT_OF_TERMS),
    lambda each: each.replace_dictionary("x", DICT_OF_TERMS),
    lambda each: each.v2.create("x", "de", "en", {"Haus": "house"}),
]


@pytest.mark.parametrize("call", WITH_A_DICT_OF_TERMS)
def test_entries_are_text_and_not_a_dict(scripted, told, call):
    with pytest.raises(TypeError, match=r"^entries: expected text in TSV or CSV.*, found dict$"):
        call(told({}).glossaries)
    assert scripted.asked == []


# ---- translate


def test_options_and_fields_are_sent_with_their_wire_names(scripted, told):
    options = TranslateOptions(source_lang="EN", formality="more", ignore_tags=["x"])
    told(translated("Hallo")).text.translate(["Hi"], "de", options=options, formality="less", tag_handling="xml")
    assert scripted.asked[0].json == {
        "text": ["Hi"],
        "target_lang": "de",
        "show_billed_characters": True,
        "source_lang": "EN",
        "formality": "less",
        "ignore_tags": ["x"],
        "tag_handling": "xml",
    }


def test_an_unknown_option_is_refused(told):
    with pytest.raises(TypeError, match="formalty"):
        told({}).text.translate(["Hi"], "de", formalty="less")


def test_a_translation_carries_its_trace(told):
    (translation,) = told(translated("Hallo")).text.translate(["Hi"], "de")
    assert (translation.text, translation.billed_characters, translation.trace_id) == ("Hallo", 5, "trace-1")


def test_the_reporting_tag_of_the_call_wins_over_that_of_the_settings(scripted, told):
    client = told(translated("Hallo"), reporting_tag="team-a", tag_header="X-Tag")
    client.text.translate(["Hi"], "de")
    client.text.translate(["Hi"], "de", reporting_tag=" team-b ")
    client.text.translate(["Hi"], "de", reporting_tag="")
    assert [asked.headers.get("x-tag") for asked in scripted.asked] == ["team-a", "team-b", None]


@pytest.mark.parametrize("texts", [[], ["a"], ["a", "b", "c"]])
def test_a_wrong_number_of_results_is_a_bad_reply_and_never_a_shift(told, texts):
    with pytest.raises(errors.BadReply, match=f"Expected 2 translations, one per text, found {len(texts)}"):
        told(translated(*texts)).text.translate(["x", "y"], "DE")
    with pytest.raises(errors.BadReply, match="Expected 2 results"):
        told({"results": [{"detection_status": "success"}] * len(texts)}).detection.detect(["x", "y"])
    with pytest.raises(errors.BadReply, match="Expected 2 improvements"):
        told({"improvements": [PLAIN] * len(texts)}).text.correct(["x", "y"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "Expected `object`, got `array`"),
        ({}, "required field `translations`"),
        ({"translations": {}}, r"Expected `array`, got `object` - at `\$\.translations`"),
        ({"translations": [{"text": "a"}]}, "`detected_source_language`"),
        ({"translations": [{**PLAIN, "text": 5}]}, r"`str`, got `int` - at `\$\.translations\[0\]\.text`"),
        ({"translations": [None]}, "`object`"),
    ],
)
def test_an_answer_that_breaks_the_contract_says_where(told, body, words):
    with pytest.raises(errors.BadReply, match=words) as caught:
        told(body).text.translate(["x"], "DE")
    assert (caught.value.status, caught.value.trace_id) == (200, "trace-1")


def test_an_answer_nested_very_deeply_is_a_bad_reply(scripted, told):
    client = told()
    scripted.answers = [scripted.answer(200, b'{"translations":' * 700 + b"[]" + b"}" * 700)]
    with pytest.raises(errors.BadReply):
        client.text.translate(["x"], "DE")


def test_tries_reach_the_transport(scripted, told, waits):
    client = told()
    scripted.answers = [scripted.answer(429, b"")]
    calls = [
        lambda: client.text.translate(["a"], "DE", tries=1),
        lambda: client.text.rephrase(["a"], tries=1),
        lambda: client.text.correct(["a"], tries=1),
        lambda: client.detection.detect(["a"], tries=1),
    ]
    for call in calls:
        with pytest.raises(errors.TooManyRequests):
            call()
    assert (len(scripted.asked), waits) == (4, [])


def test_texts_that_were_only_marked_are_warned_about_once_for_a_pair(told):
    client = told(translated("[DE] a", model_type_used="pseudo"))
    with pytest.warns(MarkedOnly, match=r"no translator for EN → DE.*Apertium") as seen:
        client.text.translate(["a"], "DE")
    assert seen[0].filename == __file__
    client.text.translate(["a"], "de")
    with pytest.warns(MarkedOnly, match="EN → FR"):
        client.text.translate(["a"], "FR")


# ---- the rest


def test_a_cap_that_is_not_given_is_not_sent_and_none_is_null(scripted, told):
    client = told({"key_id": "a:b", "label": "c", "creation_time": "2026-01-01T00:00:00Z"})
    client.admin.set_limits("a:b", characters=None)
    client.admin.set_limits("a:b", speech_to_text_milliseconds=0)
    client.admin.set_limits("a:b", characters=5, speech_to_text_milliseconds=None)
    assert [asked.json for asked in scripted.asked] == [
        {"key_id": "a:b", "characters": None},
        {"key_id": "a:b", "speech_to_text_milliseconds": 0},
        {"key_id": "a:b", "characters": 5, "speech_to_text_milliseconds": None},
    ]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("2026-10-01", "2026-10-01"),
        (date(2026, 10, 1), "2026-10-01"),
        (datetime(2026, 10, 1, 12, 30), "2026-10-01T12%3A30%3A00"),
        (datetime(2026, 10, 1, 12, 30, tzinfo=UTC), "2026-10-01T12%3A30%3A00"),
        (datetime(2026, 10, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2026-09-30T23%3A00%3A00"),
    ],
)
def test_days_and_moments_are_sent_in_utc(scripted, told, given, sent):
    with pytest.raises(errors.BadReply):
        told({}).admin.analytics(given, "2026-12-31")
    assert scripted.asked[0].target == f"/v2/admin/analytics?start_date={sent}&end_date=2026-12-31"


def test_a_glossary_that_is_not_ready_is_waited_for(told, waits):
    made = {**dict.fromkeys(("glossary_id", "name", "source_lang", "target_lang"), "x"), "entry_count": 1}
    made["creation_time"] = "2026-01-01T00:00:00Z"
    client = told(*({**made, "ready": ready} for ready in (False, False, True)))
    assert client.glossaries.v2.wait_until_ready("x").ready
    assert waits == [0.1, 0.2]
    client = told({**made, "ready": False})
    with pytest.raises(errors.TimedOut, match="not ready within 5 s"):
        client.glossaries.v2.wait_until_ready("x", timeout=5)
    assert sum(waits[2:]) == pytest.approx(5, abs=2)


def style(number):
    times = dict.fromkeys(("creation_time", "updated_time"), "2026-01-01T00:00:00Z")
    return {"style_id": f"s{number}", "name": "n", "language": "en", "version": 1, **times}


def test_pages_that_shift_while_items_are_added_lose_and_double_nothing(scripted, told):
    pages = [[4, 3], [3, 2], [3, 2], [1]]
    client = told(*({"style_rules": [style(number) for number in page]} for page in pages))
    assert [each.style_id for each in client.style_rules.iterate(page_size=2)] == ["s4", "s3", "s2", "s1"]
    assert [asked.target.split("?")[1] for asked in scripted.asked] == [
        f"page={number}&page_size=2&detailed=false" for number in range(4)
    ]


def test_a_listing_that_never_ends_is_a_bad_reply(scripted, told):
    client = told({"style_rules": [style(1)]})
    with pytest.raises(errors.BadReply, match="does not end"):
        list(client.style_rules.iterate(page_size=1))
    assert len(scripted.asked) == 11


def tags(next_page, *names):
    breakdown = dict.fromkeys(("total_characters", "text_translation_characters", "text_improvement_characters"), 1)
    usage = [{"custom_tag": name, "breakdown": breakdown} for name in names]
    days = {"start_date": "2026-10-01", "end_date": "2026-10-31"}
    return {"custom_tag_usage_report": {**days, "aggregate_by": "period", "next_page": next_page, "usage": usage}}


def test_pages_of_tags_follow_next_page_and_lose_and_double_nothing(scripted, told):
    client = told(tags(7, "a", "b"), tags(9, "b", "c"), tags(None, "d"))
    found = list(client.admin.iterate_tags("2026-10-01", "2026-10-31"))
    assert [each.custom_tag for each in found] == ["a", "b", "c", "d"]
    assert [asked.target.partition("&page=")[2] for asked in scripted.asked] == ["", "7", "9"]


def test_pages_of_tags_that_turn_in_a_circle_are_a_bad_reply(told):
    client = told(tags(1, "a"), tags(2, "b"), tags(1, "a"))
    with pytest.raises(errors.BadReply, match="does not end"):
        list(client.admin.iterate_tags("2026-10-01", "2026-10-31"))


def test_a_stored_instruction_must_have_an_id(told):
    client = told({"label": "a", "prompt": "b"})
    with pytest.raises(errors.BadReply, match="`id`"):
        client.style_rules.instruction("s", "i")


def test_a_new_list_leaves_out_what_is_not_given(scripted, told):
    client = told(style(1))
    client.style_rules.create("n", "en")
    rules = MappingProxyType({"numbers": MappingProxyType({"a": "b"})})
    client.style_rules.create("n", "en", configured_rules=rules, custom_instructions=[CustomInstruction("l", "p")])
    assert [asked.json for asked in scripted.asked] == [
        {"name": "n", "language": "en"},
        {
            "name": "n",
            "language": "en",
            "configured_rules": {"numbers": {"a": "b"}},
            "custom_instructions": [{"label": "l", "prompt": "p"}],
        },
    ]


def test_the_deprecated_pairs_warn_at_the_callers_line(told):
    client = told({"supported_languages": [{"source_lang": "de", "target_lang": "en"}]})
    with pytest.warns(DeprecationWarning, match="languages.support") as seen:
        client.glossaries.v2.language_pairs()
    assert Path(seen[0].filename) == Path(__file__)


def test_closing_the_client_closes_its_connections(told):
    client = told(translated("a"))
    client.text.translate(["a"], "DE")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        client.close()
    assert repr(client).startswith("Client(Transport('http://127.0.0.1")
