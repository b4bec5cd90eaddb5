from datetime import UTC, datetime

import pandas as pd
import pytest

import svc_nb
from svc_nb.columns.operations import MOST_BYTES_TO_IMPROVE
from svc_nb.wire.client.text import TidiedOnly
from tests.counters import Counters

TEXTS = pd.Series(["I recieve teh parcel.", None, "This is fine.", "We beleive it."], index=list("abab"), name="t")


def test_a_column_is_corrected_and_shows_what_was_changed(connected):
    made = TEXTS.svc.correct(progress=False)
    assert made.tolist()[::2] == ["I receive the parcel.", "This is fine."]
    expected = ["a: I [-recieve-]{+receive+} [-teh-]{+the+} parcel.", "b: We [-beleive-]{+believe+} it."]
    assert repr(TEXTS.svc.changes(made)).splitlines()[:2] == expected
    assert repr(svc_nb.last_run().changes()).splitlines()[:2] == expected
    assert svc_nb.last_run().changes().said == "2 of 4 texts changed; 1 row had nothing to compare."


def test_the_changes_of_a_frame_name_their_columns(connected):
    frame = pd.DataFrame({"title": ["I beleive it."], "n": [1], "text": ["It is teh best."]})
    made = frame.svc.correct(["title", "text"], progress=False)
    shown = repr(svc_nb.last_run().changes())
    assert shown == repr(frame.svc.changes(made))
    assert shown.splitlines()[:2] == [
        "0 title: I [-beleive-]{+believe+} it.",
        "0 text: It is [-teh-]{+the+} best.",
    ]


@pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly")
@pytest.mark.parametrize("operation", ["correct", "rephrase"])
def test_a_table_tells_what_came_of_every_row(connected, operation):
    table = getattr(TEXTS.svc, f"{operation}_table")(progress=False)
    assert table.index.tolist() == list("abab")
    assert table["status"].tolist() == ["done", "skipped", "done", "done"]
    assert table["text"].iloc[0] == "I receive the parcel."
    assert table["detected_source_lang"].iloc[0] == "EN"
    frame = getattr(TEXTS.to_frame().svc, f"{operation}_table")("t", progress=False)
    assert frame["column"].tolist() == ["t"] * 4
    assert frame["from_store"].iloc[0]


def test_rephrasing_warns_once_that_it_only_corrects(connected, recwarn):
    for _ in range(2):
        TEXTS.svc.rephrase(progress=False, tone="friendly")
        TEXTS.svc.rephrase_table(progress=False)
    TEXTS.svc.correct(progress=False)
    idle, tidied = sorted(recwarn, key=lambda each: str(each.message), reverse=True)
    assert (idle.category, tidied.category) == (svc_nb.OptionsIgnored, TidiedOnly)
    assert str(tidied.message).startswith("EN: nothing that rephrases is installed")
    assert str(idle.message).startswith("No effect: tone. ")
    assert idle.filename == __file__


@pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly")
def test_a_tag_books_the_characters(connected):
    TEXTS.svc.correct(progress=False, reporting_tag="one")
    TEXTS.to_frame().svc.rephrase("t", progress=False, reporting_tag="two")
    today = datetime.now(UTC).date()
    used = svc_nb.usage(today, today, group_by="tag")
    assert used["custom_tag"].tolist() == ["one", "two"]
    assert used["text_improvement_characters"].tolist() == [48, 48]
    assert svc_nb.ledger()["custom_tag"].tolist() == ["one", "two"]
    with pytest.raises(TypeError, match="reporting_tag: expected a string, found int"):
        TEXTS.svc.correct(reporting_tag=3)


def test_what_the_store_has_is_warned_of_in_a_new_session_too(connected):
    with pytest.warns(TidiedOnly):
        TEXTS.svc.rephrase(progress=False)
    connected.client.text._warned_of_tidying.clear()
    with pytest.warns(TidiedOnly):
        TEXTS.svc.rephrase(progress=False)


@pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly", "ignore::svc_nb.OptionsIgnored")
@pytest.mark.parametrize("manner", [{"writing_style": "business"}, {"tone": "friendly"}], ids=str)
def test_a_frame_is_rephrased_in_the_manner_of_its_column(connected, manner):
    alone = TEXTS.svc.rephrase(progress=False, **manner)
    frame = TEXTS.to_frame()
    assert frame.svc.rephrase("t", progress=False, **manner)["t"].equals(alone)
    table = frame.svc.rephrase_table("t", progress=False, **manner)
    assert table["from_store"].tolist() == [True, False, True, True], "the same request needs no answer twice"


@pytest.mark.parametrize("method", ["rephrase", "rephrase_table"])
def test_a_style_and_a_tone_at_once_are_refused_before_anything_is_sent(connected, running, method):
    counters = Counters(running, connected)
    with pytest.raises(ValueError, match="writing_style and tone: the service accepts only one of them"):
        getattr(TEXTS.svc, method)(writing_style="business", tone="friendly", progress=False)
    with pytest.raises(TypeError, match="tone: expected a string, found int"):
        getattr(TEXTS.svc, method)(tone=3, progress=False)
    assert counters.characters == 0


@pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly", "ignore::svc_nb.OptionsIgnored")
def test_default_is_no_style(connected):
    made = TEXTS.svc.rephrase(writing_style="default", tone="friendly", progress=False)
    assert made.iloc[2] == "This is fine."


def test_requests_keep_to_the_size_that_the_service_takes(connected, running):
    column = pd.Series([f"This is number {place} of many, and it is a fine text. " * 8 for place in range(60)])
    counters = Counters(running, connected)
    made = column.svc.correct(progress=False)
    assert made.tolist() == column.tolist()
    whole = sum(map(len, column))
    assert counters.requests(operation="POST /v2/write/correct") <= whole // (MOST_BYTES_TO_IMPROVE * 8 // 10) + 1


def test_a_text_beyond_a_request_travels_in_pieces(connected):
    column = pd.Series(["It is teh best of all. " * 700, "x" * 20_000, "I beleive it."])
    made = column.svc.correct(progress=False)
    assert made.tolist() == [column[0].replace("teh", "the"), column[1], "I believe it."]
    assert svc_nb.last_run().changes().words()["count"].tolist() == [700, 1]
