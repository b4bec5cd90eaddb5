from datetime import UTC, datetime, timedelta

import pytest

from svc_nb import errors
from svc_nb.marked import MarkedOnly
from svc_nb.secret import Secret
from svc_nb.wire.client.text import TidiedOnly
from svc_nb.wire.models import Dictionary, TranslateOptions

# The translator of these tests only marks texts, which is warned of.
pytestmark = pytest.mark.filterwarnings("ignore::svc_nb.marked.MarkedOnly")

TEXTS = ["Guten Morgen, wie geht es Ihnen heute?", "Les chaussures sont très confortables.", "", "42"]


def test_texts_are_translated_in_their_order(client):
    found = client.text.translate(TEXTS, "en-gb")
    assert [TEXTS[place] in each.text for place, each in enumerate(found)] == [True] * 4
    assert [each.detected_source_language for each in found[:2]] == ["DE", "FR"]
    assert [each.billed_characters for each in found] == [len(text) for text in TEXTS]
    assert len({each.trace_id for each in found}) == 1
    assert found[0].trace_id


def test_codes_are_taken_in_any_case(client):
    for code in ("DE", "de", "De"):
        assert client.text.translate(["Good morning"], code, source_lang="eN")[0].text == "[DE] Good morning"


def test_a_translator_that_only_marks_is_warned_about(marking):
    with pytest.warns(MarkedOnly, match="EN → DE"):
        marking.client.text.translate(["Good morning"], "DE", source_lang="EN")


def test_options_reach_the_service(client):
    options = TranslateOptions(source_lang="EN", tag_handling="xml", tag_handling_version="v2", ignore_tags=["x"])
    (found,) = client.text.translate(["<a>Good <x>morning</x></a>"], "DE", options=options)
    assert found.tag_handling_version == "v2"
    assert "<x>morning</x>" in found.text


def test_a_glossary_is_applied(client):
    glossary = client.glossaries.create("terms", [Dictionary("en", "de", "morning\tMorgen")])
    (found,) = client.text.translate(["Good morning"], "DE", source_lang="EN", glossary_id=glossary.glossary_id)
    assert found.text == "[DE] Good Morgen"


REFUSED = [
    ([], "DE", {}, errors.BadRequest),
    (["a"] * 51, "DE", {}, errors.BadRequest),
    (["a"], "XX", {}, errors.BadRequest),
    (["a"], "DE", {"formality": "very"}, errors.BadRequest),
    (["a"], "EN-US", {"formality": "more"}, errors.BadRequest),
    (["a"], "DE", {"glossary_id": "00000000-0000-0000-0000-000000000000"}, errors.BadRequest),
    (["a"], "DE", {"translation_memory_id": "x"}, errors.NotFound),
    (["a" * 131_072], "DE", {}, errors.TooLarge),
]


def test_a_refusal_is_the_error_of_its_status(client):
    for texts, target, options, kind in REFUSED:
        with pytest.raises(kind) as caught:
            client.text.translate(texts, target, **options)
        assert caught.value.trace_id
        assert caught.value.message


def test_half_a_surrogate_pair_is_not_sent(client):
    with pytest.raises(errors.Unsendable):
        client.text.translate(["fine", "\udc80"], "DE")


def test_a_tag_books_the_characters(client):
    before = datetime.now(UTC).date()
    client.text.translate(["Good morning"], "DE", reporting_tag="Team-A")
    (usage,) = client.admin.iterate_tags(before, before + timedelta(days=1))
    assert (usage.custom_tag, usage.breakdown.text_translation_characters) == ("team-a", 12)


def test_a_tag_books_what_is_rephrased_and_corrected(connect):
    client = connect(reporting_tag="Team-A")
    today = datetime.now(UTC).date()
    client.text.rephrase(["Good morning"], reporting_tag="Team-B", warn=False)
    client.text.correct(["Good day"])
    client.text.correct(["Good night"], reporting_tag="")
    booked = {
        each.custom_tag: each.breakdown.text_improvement_characters
        for each in client.admin.iterate_tags(today, today + timedelta(days=1))
    }
    assert booked == {"team-b": 12, "team-a": 8}


def test_a_tag_that_the_service_refuses_is_a_bad_request(client):
    with pytest.raises(errors.BadRequest, match="tag"):
        client.text.translate(["a"], "DE", reporting_tag="two words")


def test_rephrasing_that_only_corrects_is_warned_about_once_for_a_language(client, recwarn):
    english, german = ["The weather is fine today."], ["Das Wetter ist heute schön."]
    for texts in (english, english, german, english + german):
        client.text.rephrase(texts)
    client.text.correct(english)
    assert [(each.category, str(each.message)[:3]) for each in recwarn] == [
        (TidiedOnly, "EN:"),
        (TidiedOnly, "DE:"),
    ]


def test_correcting_without_a_word_list_is_warned_about(client):
    with pytest.warns(TidiedOnly, match="JA: the service has no word list"):
        client.text.correct(["これはとても良いリュックです。"])


@pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly", "ignore::svc_nb.OptionsIgnored")
def test_texts_are_rephrased_and_corrected(client):
    found = client.text.rephrase(["i think this  is is good"], target_lang="en-us", writing_style="business")
    assert found[0].text
    assert (found[0].detected_source_language, found[0].target_language) == ("en", "en-US")
    (corrected,) = client.text.correct(["Das ist  ein guter Tag."], target_lang="de")
    assert corrected.text == "Das ist ein guter Tag."
    assert corrected.trace_id


def test_a_style_and_a_tone_at_once_are_refused(client):
    with pytest.raises(errors.BadRequest, match="Both writing_style and tone"):
        client.text.rephrase(["Hello"], target_lang="en-us", writing_style="business", tone="friendly")
    with pytest.raises(errors.BadRequest):
        client.text.correct(["Hello"], target_lang="xx")


def test_an_unknown_key_is_not_authenticated(connect):
    with pytest.raises(errors.NotAuthenticated, match="SVC_API_KEY"):
        connect(api_key=Secret("unknown")).text.translate(["a"], "DE")


def test_a_scope_that_does_not_cover_is_forbidden(connect, running):
    scoped = connect(api_key=Secret(running.create_key(scopes=["usage:read"])))
    assert scoped.account.usage().character_count == 0
    with pytest.raises(errors.Forbidden, match=r"translate:text"):
        scoped.text.translate(["a"], "DE")


# ---- when the service misbehaves


def test_refusals_that_pass_are_waited_out(client, running):
    for status in (429, 500, 503, 529):
        fault = running.faults.add("status", status=status, count=1)
        assert len(client.text.translate(["a"], "DE", source_lang="EN")) == 1
        assert running.faults.taken(fault) == 1


def test_a_reset_is_waited_out(client, running):
    running.faults.add("reset", count=1)
    assert len(client.text.translate(["a"], "DE", source_lang="EN")) == 1


def test_a_hanging_service_is_timed_out(connect, running):
    running.faults.add("hang", count=1, seconds=1)
    assert connect(read_timeout=0.2).account.usage().character_count == 0


def test_truncated_json_is_a_bad_reply(client, running):
    running.faults.add("truncate", count=1)
    with pytest.raises(errors.BadReply, match="broken JSON"):
        client.text.translate(["a"], "DE", source_lang="EN")


def test_a_missing_result_is_a_bad_reply(client, running):
    running.faults.add("miscount", count=1)
    with pytest.raises(errors.BadReply, match="Expected 2 translations, one per text, found 1"):
        client.text.translate(["a", "b"], "DE", source_lang="EN")


def test_a_spent_quota_is_raised_at_once(client, running):
    running.faults.add("quota", characters=5)
    with pytest.raises(errors.QuotaExceeded, match="quota"):
        client.text.translate(["far too many"], "DE", source_lang="EN")
