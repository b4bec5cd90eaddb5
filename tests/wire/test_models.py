import dataclasses
import inspect
import json
import pickle
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_nb.secret import Secret
from svc_nb.wire import models
from svc_nb.wire.models import Noun, WireError

NOUNS = [each for _, each in inspect.getmembers(models, inspect.isclass) if issubclass(each, Noun) and each is not Noun]
MOMENT = datetime(2026, 11, 15, 0, 12, 20, 483000, tzinfo=UTC)
AMOUNTS = {
    "total_characters": 6,
    "text_translation_characters": 1,
    "document_translation_characters": 2,
    "text_improvement_characters": 3,
    "speech_to_text_minutes": 1.5,
}
GLOSSARY = {
    "glossary_id": "g-1",
    "name": "Terms",
    "ready": True,
    "source_lang": "de",
    "target_lang": "en",
    "creation_time": "2026-11-15T00:12:20.483Z",
    "entry_count": 2,
}
KEY = {"key_id": "a:b", "label": "mine", "creation_time": "2026-11-15T00:12:20.483Z"}

st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(int, st.integers(0, 2**63))
st.register_type_strategy(float, st.floats(0, 1e12))
st.register_type_strategy(Secret, st.builds(Secret, st.text()))


@pytest.mark.parametrize("noun", NOUNS)
@given(st.data())
@settings(max_examples=25)
def test_a_noun_that_crossed_the_wire_is_the_same(noun, data):
    value = data.draw(st.from_type(noun))
    wire = json.loads(json.dumps(value.to_wire()))
    assert not hasattr(value, "__dict__")
    assert noun.from_wire(wire) == value
    assert noun.from_wire(value.to_wire()) == value
    assert noun.from_wire({**wire, "a member of next year": [1]}) == value


@pytest.mark.parametrize("noun", NOUNS)
def test_a_missing_member_is_named(noun):
    required = [
        field.name
        for field in dataclasses.fields(noun)
        if field.default is field.default_factory is dataclasses.MISSING
    ]
    if required:
        with pytest.raises(WireError, match=f"{noun.__name__}.*`{required[0]}`"):
            noun.from_wire({})


@pytest.mark.parametrize("noun", NOUNS)
def test_what_is_not_an_object_is_not_a_noun(noun):
    for wire in ([], "text", None, 3):
        with pytest.raises(WireError, match="object"):
            noun.from_wire(wire)


def test_a_translation_is_read():
    wire = {
        "text": "Hi",
        "detected_source_language": "DE",
        "billed_characters": 5,
        "model_type_used": "pseudo",
    }
    assert models.Translation.from_wire(wire) == models.Translation("Hi", "DE", 5, "pseudo")


def test_a_wrong_member_is_named_but_its_value_is_not_shown():
    with pytest.raises(WireError, match=r"entry_count") as caught:
        models.Glossary.from_wire({**GLOSSARY, "entry_count": "secret words"})
    assert "secret" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_wrong_member_far_inside_is_named_with_its_place():
    usage = {"api_key": "a", "api_key_label": "b", "usage_date": "2026-10-01", "usage": {}}
    wire = {
        "total_usage": AMOUNTS,
        "start_date": "2026-10-01",
        "end_date": "2026-10-31",
        "key_and_day_usages": [usage],
    }
    with pytest.raises(WireError, match=r"total_characters.*key_and_day_usages\[0\]\.usage"):
        models.UsageReport.from_wire(wire)


@pytest.mark.parametrize(
    "said",
    [
        "2026-11-15T00:12:20.483Z",
        "2026-11-15T01:12:20.483+01:00",
        "2026-11-15T00:12:20.483",
        "2026-11-15 00:12:20.483000Z",
    ],
)
def test_times_are_aware_and_in_utc(said):
    glossary = models.Glossary.from_wire({**GLOSSARY, "creation_time": said})
    assert glossary.creation_time == MOMENT
    assert glossary.creation_time.tzinfo is UTC


def test_a_noun_made_by_hand_has_aware_times_too():
    glossary = models.MultilingualGlossary("g", "n", (), datetime(2026, 1, 1))
    assert glossary.creation_time == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("said", ["yesterday", "", 5, None, "2026-13-01T00:00:00Z"])
def test_a_time_that_is_none_is_a_wire_error(said):
    with pytest.raises(WireError, match="creation_time"):
        models.Glossary.from_wire({**GLOSSARY, "creation_time": said})


@pytest.mark.parametrize(
    "said", ["2026-10-05", "2026-10-05T00:00:00Z", "2026-10-05T23:59:59", "2026-10-06T01:00:00+02:00"]
)
def test_usage_dates_are_utc_days(said):
    wire = {"api_key": "ab**yz", "api_key_label": "x", "usage_date": said, "usage": AMOUNTS}
    assert models.KeyDayUsage.from_wire(wire).usage_date == date(2026, 10, 5)
    report = {"total_usage": AMOUNTS, "start_date": said, "end_date": said, "key_and_day_usages": [wire]}
    read = models.UsageReport.from_wire(report)
    assert read.key_and_day_usages[0].usage_date == date(2026, 10, 5)


RANGES = {
    "2026-10-05": date(2026, 10, 5),
    "2026-10-05T00:00:00": datetime(2026, 10, 5, tzinfo=UTC),
    "2026-10-05T23:59:59Z": datetime(2026, 10, 5, 23, 59, 59, tzinfo=UTC),
    "2026-10-06T01:00:00+02:00": datetime(2026, 10, 5, 23, tzinfo=UTC),
}


@pytest.mark.parametrize("said", RANGES)
def test_the_range_of_a_report_keeps_its_times(said):
    span = {"start_date": said, "end_date": said}
    reports = [
        models.UsageReport.from_wire({"total_usage": AMOUNTS, **span}),
        models.TagUsageReport.from_wire({"aggregate_by": "period", "usage": [], **span}),
    ]
    for read in reports:
        assert (read.start_date, read.end_date) == (RANGES[said], RANGES[said])
        assert type(read.start_date) is type(RANGES[said])
        assert type(read).from_wire(read.to_wire()) == read


def test_a_usage_date_that_is_none_is_a_wire_error():
    with pytest.raises(WireError, match="usage_date"):
        models.TagUsage.from_wire({"custom_tag": "t", "breakdown": {}, "usage_date": "soon"})


def test_options_that_are_not_set_are_not_sent():
    assert models.TranslateOptions().to_wire() == {}
    options = models.TranslateOptions(source_lang="de", preserve_formatting=False, glossary_ids=["a", "b"])
    assert options.to_wire() == {
        "source_lang": "de",
        "preserve_formatting": False,
        "glossary_ids": ["a", "b"],
    }


def test_options_can_be_compared_and_hashed():
    one, other = models.TranslateOptions(ignore_tags=["x"]), models.TranslateOptions(ignore_tags=("x",))
    assert one == other
    assert len({one, other}) == 1


def test_a_single_string_where_a_list_belongs_is_refused():
    with pytest.raises(TypeError, match=r"glossary_ids.*list"):
        models.TranslateOptions(glossary_ids="abc")


def test_null_means_absent():
    key = models.DeveloperKey.from_wire({**KEY, "deactivated_time": None, "usage_limits": None})
    assert key.deactivated_time is None
    assert key.usage_limits == models.UsageLimits()
    assert models.DeveloperKey.from_wire({**KEY, "label": None}).label is None
    with pytest.raises(WireError, match=r"missing.*`creation_time`"):
        models.DeveloperKey.from_wire({**KEY, "creation_time": None})


SPEECH = "speech_to_text_minutes"


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ({}, 0.0),
        ({SPEECH: None}, 0.0),
        ({"speech_to_text_milliseconds": 90_000}, 1.5),
        ({SPEECH: None, "speech_to_text_milliseconds": None}, 0.0),
        ({SPEECH: 2, "speech_to_text_milliseconds": 90_000}, 2.0),
    ],
)
def test_minutes_that_are_left_out_are_those_of_the_milliseconds_or_none(said, minutes):
    used = {name: amount for name, amount in AMOUNTS.items() if name != SPEECH} | said
    row = {"api_key": "a", "usage_date": "2026-10-01", "usage": used}
    report = models.UsageReport.from_wire(
        {"total_usage": used, "start_date": "2026-10-01", "end_date": "2026-10-02"}
        | {"key_usages": [row], "key_and_day_usages": [row]}
    )
    found = [report.total_usage, report.key_usages[0].usage, report.key_and_day_usages[0].usage]
    assert found == [models.UsageAmounts(6, 1, 2, 3, minutes)] * 3
    assert models.UsageAmounts.from_wire(used) == found[0]


@pytest.mark.parametrize(
    "said",
    [{SPEECH: "1"}, {"speech_to_text_milliseconds": "1"}, {SPEECH: 1, "total_characters": None}],
)
def test_amounts_that_are_not_numbers_are_refused(said):
    used = {name: amount for name, amount in AMOUNTS.items() if name != SPEECH} | said
    wire = {"total_usage": used, "start_date": "2026-10-01", "end_date": "2026-10-02"}
    with pytest.raises(WireError, match=r"UsageReport: .*(minutes|total_characters)"):
        models.UsageReport.from_wire(wire)


def test_a_new_keys_secret_is_kept_apart():
    key = models.DeveloperKey.from_wire({**KEY, "api_key": "top-secret"})
    assert key.api_key == Secret("top-secret")
    assert "top-secret" not in repr(key) + json.dumps(key.to_wire())
    assert key == models.DeveloperKey.from_wire(KEY)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(key)


def test_a_listing_that_leaves_rules_out_differs_from_an_empty_list():
    wire = {"style_id": "x", "name": "x", "language": "x", "version": 1}
    wire |= {"creation_time": "2026-11-15T00:12:20Z", "updated_time": "2026-11-15T00:12:20Z"}
    assert models.StyleRuleList.from_wire(wire).configured_rules is None
    full = models.StyleRuleList.from_wire({**wire, "configured_rules": {}, "custom_instructions": []})
    assert full.configured_rules == {}
    assert full.custom_instructions == ()
