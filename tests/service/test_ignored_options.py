"""Which options had no effect is said in a header; the body has no more members than the contract."""

import pytest

from svc_nb import service
from svc_nb.service.resources.texts import IGNORED_HEADER
from tests.conftest import Raw
from tests.service.sending_documents import Documents
from tests.toy import TOY

STYLE = {
    "name": "house style",
    "language": "de",
    "configured_rules": {
        "punctuation": {"ellipsis": "use_ellipsis_character"},
        "style_and_tone": {
            "abbreviations": "use_abbreviations_and_symbols",
            "modal_verbs": "avoid_modal_verbs",
        },
    },
    "custom_instructions": [{"label": "Kind", "prompt": "Be kind."}],
}


@pytest.fixture
def running():
    with service.start(memory=True, translators=TOY) as started:
        yield started


def translated(raw, headers=None, **options):
    body = {"text": ["Good morning"], "source_lang": "EN", "target_lang": "DE", **options}
    answer = raw("POST", "/v2/translate", json=body, headers=headers or {})
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.parametrize(
    "option",
    [
        {"formality": "more"},
        {"formality": "prefer_less"},
        {"context": "a hotel"},
        {"model_type": "quality_optimized"},
        {"custom_instructions": ["Be brief."]},
    ],
    ids=str,
)
def test_an_option_that_no_translator_follows_is_named(raw, option):
    plain, asked = translated(raw), translated(raw, **option)
    assert asked.json()["translations"][0]["text"] == plain.json()["translations"][0]["text"]
    assert asked.headers[IGNORED_HEADER] == ", ".join(option)
    assert asked.json().keys() == {"translations"}


def test_options_that_are_followed_or_say_nothing_are_not_named(raw):
    answer = translated(
        raw,
        formality="default",
        context="",
        custom_instructions=[],
        split_sentences="0",
        preserve_formatting=True,
        tag_handling="xml",
        ignore_tags=["x"],
    )
    assert IGNORED_HEADER not in answer.headers


def test_of_a_style_the_rules_are_named_that_are_not_mechanical(raw):
    style_id = raw("POST", "/v3/style_rules", json=STYLE).json()["style_id"]
    answer = translated(raw, style_id=style_id, formality="less")
    assert answer.headers[IGNORED_HEADER].split(", ") == [
        "formality",
        "style_id.style_and_tone.abbreviations",
        "style_id.style_and_tone.modal_verbs",
        "style_id.custom_instructions",
    ]


def test_a_document_is_told_of_them_at_upload(raw):
    documents = Documents(raw)
    style_id = raw("POST", "/v3/style_rules", json=STYLE).json()["style_id"]
    answer = documents.upload(formality="more", style_id=style_id, enable_watermark="true")
    assert answer.headers[IGNORED_HEADER].split(", ") == [
        "formality",
        "style_id.style_and_tone.abbreviations",
        "style_id.style_and_tone.modal_verbs",
        "style_id.custom_instructions",
        "enable_watermark",
    ]
    assert answer.json().keys() == {"document_id", "document_key"}
    assert IGNORED_HEADER not in documents.upload().headers


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({}, False),
        ({"headers": {"Prefer": "respond-async"}}, False),
        ({"headers": {"Prefer": "model_type_used"}}, True),
        ({"headers": {"Prefer": "respond-async, Model_Type_Used; q=1"}}, True),
        ({"model_type": "latency_optimized"}, True),
    ],
    ids=str,
)
def test_the_model_is_named_only_where_that_is_asked_for(raw, asked, named):
    (made,) = translated(raw, **asked).json()["translations"]
    assert made.get("model_type_used") == ("toy" if named else None)
    assert made.keys() - {"model_type_used"} == {"text", "detected_source_language"}


def test_a_mark_is_named_without_being_asked_for():
    with service.start(memory=True, translators=["pseudo"]) as marking:
        (made,) = translated(Raw(marking)).json()["translations"]
        assert made["model_type_used"] == "pseudo"
