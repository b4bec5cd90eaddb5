import pytest

from svc_nb.service.resources.texts import IGNORED_HEADER

ENGLISH = "This is a good rucksack and I would buy it again."
RUSSIAN = "Это очень хороший рюкзак, и я куплю его ещё раз."


SAY_MODEL = {"Prefer": "model_type_used"}


def improve(raw, operation, *texts, status=200, **options):
    answer = raw("POST", f"/v2/write/{operation}", json={"text": list(texts), **options}, headers=SAY_MODEL)
    assert answer.status_code == status, answer.text
    return answer.json()["improvements"] if status == 200 else answer.json()


@pytest.mark.parametrize("operation", ["rephrase", "correct"])
def test_each_text_keeps_its_language_its_place_and_is_billed(raw, operation):
    german = "Das ist  ein guter Rucksack, und ich würde ihn wieder kaufen ."
    first, second = improve(raw, operation, ENGLISH, german)
    assert first.pop("model_type_used") == {"rephrase": "mechanical", "correct": "speller"}[operation]
    assert first == {"text": ENGLISH, "detected_source_language": "en", "target_language": "en-US"}
    assert second["target_language"] == "de"
    assert second["text"] == "Das ist ein guter Rucksack, und ich würde ihn wieder kaufen."
    assert raw("GET", "/v2/usage").json()["character_count"] == len(ENGLISH) + len(german)


@pytest.mark.parametrize("target", ["en-GB", "EN-gb"])
def test_a_variant_is_named_as_it_was_asked_for(raw, target):
    (made,) = improve(raw, "correct", ENGLISH, target_lang=target)
    assert made["target_language"] == "en-GB"


def test_a_text_of_no_language_is_taken_to_be_in_the_one_asked_for(raw):
    (made,) = improve(raw, "correct", "12.50", target_lang="de")
    assert (made["text"], made["target_language"]) == ("12.50", "de")


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        (ENGLISH, {"target_lang": "de"}, "cannot be improved in 'de'"),
        (ENGLISH, {"target_lang": "pl"}, "Value for 'target_lang' not supported."),
        (RUSSIAN, {}, "The text is in 'ru', and texts in that language cannot be improved."),
        (ENGLISH, {"writing_style": "business", "tone": "friendly"}, "Both writing_style and tone"),
        (ENGLISH, {"tone": "angry"}, "Value for 'tone' not supported. Allowed: 'confident'"),
        ("これはとても良いリュックです。", {"tone": "friendly"}, "'ja' doesn't support tone."),
    ],
)
def test_what_cannot_be_done_is_refused_by_name_and_not_billed(raw, text, options, complaint):
    assert complaint in improve(raw, "rephrase", text, status=400, **options)["message"]
    assert raw("GET", "/v2/usage").json()["character_count"] == 0


def test_a_preferred_style_gives_way_where_it_is_not_supported(raw):
    improve(raw, "rephrase", "これはとても良いリュックです。", tone="prefer_friendly")
    improve(raw, "rephrase", ENGLISH, writing_style="academic")


def test_what_is_misspelled_is_corrected_in_its_language(raw):
    texts = [
        "I recieve teh parcel tomorow.",
        "Das Packet ist nciht angekommen.",
        "La livrasion est tres rapide.",
    ]
    made = improve(raw, "correct", *texts)
    assert [each["text"] for each in made] == [
        "I receive the parcel tomorrow.",
        "Das Packet ist nicht angekommen.",
        "La livraison est très rapide.",
    ]
    assert {each["model_type_used"] for each in made} == {"speller"}


def test_an_answer_says_where_there_is_no_word_list(raw):
    (made,) = improve(raw, "correct", "これはとても良いリュックです。")
    assert made["model_type_used"] == "mechanical"


@pytest.mark.parametrize("operation", ["rephrase", "correct"])
def test_an_answer_has_only_the_members_of_the_contract_unless_more_is_asked_for(raw, operation):
    answer = raw("POST", f"/v2/write/{operation}", json={"text": [ENGLISH]})
    assert answer.json()["improvements"] == [
        {"text": ENGLISH, "detected_source_language": "en", "target_language": "en-US"}
    ]
    assert IGNORED_HEADER not in answer.headers


@pytest.mark.parametrize("option", [{"writing_style": "business"}, {"tone": "prefer_friendly"}], ids=str)
def test_a_style_and_a_tone_are_reported_as_ignored(raw, option):
    answer = raw("POST", "/v2/write/rephrase", json={"text": [ENGLISH], **option})
    assert answer.headers[IGNORED_HEADER] == ", ".join(option)


def test_rephrasing_says_that_it_only_corrects(raw):
    (made,) = improve(raw, "rephrase", "We beleive that this is a good offer.", writing_style="business")
    assert made["text"] == "We believe that this is a good offer."
    assert made["model_type_used"] == "mechanical"
