import pytest

import svc_nb
from svc_nb.wire.client.ignored_options import HEADER, OptionsIgnored, without_effect
from svc_nb.wire.client.text import TidiedOnly


def test_an_option_is_warned_about_once_in_a_session(client, recwarn):
    for options in (
        {"formality": "more"},
        {"formality": "less"},
        {"formality": "more", "context": "a hotel"},
    ):
        client.text.translate(["Good morning"], "DE", **options)
    client.text.translate(["Good morning"], "DE")
    first, second = recwarn
    assert first.category is second.category is svc_nb.OptionsIgnored is OptionsIgnored
    assert str(first.message).startswith("No effect: formality. The service accepted this")
    assert str(second.message).startswith("No effect: context. ")
    assert first.filename == __file__


def test_every_answer_says_it_and_a_quiet_call_is_not_warned_about_later(client):
    made = client.text.translate(["a", "b"], "DE", context="c", model_type="quality_optimized", warn=False)
    assert [each.ignored_options for each in made] == [("context", "model_type")] * 2
    assert client.text.translate(["a"], "DE")[0].ignored_options == ()


def test_a_style_and_a_tone_of_rephrasing_are_warned_about(client):
    with pytest.warns(TidiedOnly), pytest.warns(OptionsIgnored, match=r"No effect: tone\."):
        client.text.rephrase(["The weather is fine today."], tone="friendly")


def test_a_document_is_warned_about_at_upload(client, tmp_path):
    (tmp_path / "a.txt").write_text("Good morning")
    with pytest.warns(OptionsIgnored, match="No effect: enable_watermark, formality"):
        client.documents.upload(tmp_path / "a.txt", "DE", formality="prefer_more", enable_watermark=True)


def test_the_model_is_asked_for_with_every_text(client, told, scripted):
    assert client.text.translate(["Good morning"], "DE")[0].model_type_used == "toy"
    assert client.text.correct(["Good morning"])[0].model_type_used == "speller"
    told({"translations": [{"text": "a", "detected_source_language": "EN"}]}).text.translate(["a"], "DE")
    assert scripted.asked[0].headers["prefer"] == "model_type_used"


def test_rules_of_a_style_are_told_in_words_and_not_all_of_many():
    rules = {f"style_id.punctuation.rule_{letter}" for letter in "abcdefgh"}
    said = without_effect({"formality", "style_id.custom_instructions", *rules})
    assert said.startswith(
        "No effect: formality, the style's custom instructions, the style rules punctuation.rule_a, "
    )
    assert "punctuation.rule_e and 3 more. " in said
    assert without_effect({"style_id.a.b"}).startswith("No effect: the style rule a.b. ")
    assert without_effect(()) == ""


@pytest.mark.parametrize("header", ["", " , ", "3f1c9a52-key:fx", "<b>x</b>", "a b", "formality\x85"])
def test_what_cannot_be_the_name_of_an_option_is_not_repeated(told, scripted, header):
    body = {"translations": [{"text": "a", "detected_source_language": "EN"}]}
    client = told(body)
    scripted.answers = [scripted.answer(200, body, **{HEADER: header})]
    assert client.text.translate(["a"], "DE")[0].ignored_options == ()
