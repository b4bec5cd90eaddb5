import pytest
import requests

from svc_nb import service
from tests.service import tiny_model


def translate(raw, *texts, status=200, **options):
    body = {"text": list(texts), "target_lang": "DE", "show_billed_characters": True, **options}
    answer = raw("POST", "/v2/translate", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()["translations"] if status == 200 else answer.json()


@pytest.fixture
def pseudo():
    with service.start(memory=True, translators=["pseudo"]) as running:
        yield running


def test_order_and_length_are_kept(raw):
    texts = [f"Sentence number {number} is here." for number in range(50)]
    results = translate(raw, *texts, source_lang="EN")
    assert len(results) == 50
    assert all(str(number) in result["text"] for number, result in enumerate(results))


def test_code_points_are_billed_and_blank_texts_kept(raw):
    results = translate(raw, "Zoë 🙂", "", "  ", source_lang="EN")
    assert [each["billed_characters"] for each in results] == [5, 0, 2]
    assert [each["text"] for each in results[1:]] == ["", "  "]
    assert raw("GET", "/v2/usage").json()["character_count"] == 7


def test_tags_are_not_billed_when_they_are_handled(raw):
    (result,) = translate(raw, "<b>bold</b> word", source_lang="EN", tag_handling="xml", tag_handling_version="v2")
    assert result["billed_characters"] == 9
    assert result["tag_handling_version"] == "v2"
    assert "<b>" in result["text"]
    assert "</b>" in result["text"]
    (result,) = translate(raw, "<b>bold</b> word", source_lang="EN")
    assert result["billed_characters"] == 16


def test_broken_xml_is_refused_and_not_billed(raw):
    problem = translate(raw, "<b>bold", source_lang="EN", tag_handling="xml", tag_handling_version="v2", status=400)
    assert "Tag handling" in problem["message"]
    assert raw("GET", "/v2/usage").json()["character_count"] == 0


def test_the_language_is_detected_or_echoed(raw):
    results = translate(raw, "Où est la gare, s'il vous plaît ?", "¿Dónde está la estación, por favor?")
    assert [each["detected_source_language"] for each in results] == ["FR", "ES"]
    (result,) = translate(raw, "Guten Tag", source_lang="en")
    assert result["detected_source_language"] == "EN"


@pytest.mark.parametrize("target", ["de", "DE", "De"])
def test_codes_are_taken_in_any_case(raw, target):
    translate(raw, "Good morning", source_lang="eN", target_lang=target)


def test_formality_is_refused_where_the_target_has_none_unless_preferred(raw):
    translate(raw, "Guten Tag", target_lang="DE", formality="more")
    problem = translate(raw, "Guten Tag", target_lang="EN-US", formality="more", status=400)
    assert problem["message"] == "Target language 'EN-US' doesn't support formality."
    translate(raw, "Guten Tag", target_lang="EN-US", formality="prefer_less")


def test_an_unknown_memory_is_404_and_not_billed(raw):
    translate(raw, "Guten Tag", translation_memory_id="00000000-0000-0000-0000-000000000000", status=404)
    assert raw("GET", "/v2/usage").json()["character_count"] == 0


def test_one_language_into_itself_is_left_as_it_is(raw):
    (result,) = translate(raw, "Guten Morgen.", source_lang="DE", target_lang="DE")
    assert result["text"] == "Guten Morgen."


@pytest.fixture(scope="module")
def neural(tmp_path_factory):
    """A service that translates with the tiny CTranslate2 model."""
    folder = tmp_path_factory.mktemp("models")
    tiny_model.build_argos(folder / "translate-en_de-1_0")
    with service.start(memory=True, translators=["ctranslate"], model_dir=folder) as running:
        yield running


def ask(running, method, path, body):
    sent = {"Authorization": f"Service-Auth-Key {running.api_key}", "Connection": "close"}
    answer = requests.request(method, running.base_url + path, json=body, headers=sent, timeout=30)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def test_a_neural_model_translates_long_texts_with_their_white_space(neural):
    text = "the house is big.\n\n  we and the water.\n\tthe house is big!"
    body = {"text": [text], "source_lang": "EN", "target_lang": "DE", "model_type": "quality_optimized"}
    (made,) = ask(neural, "POST", "/v2/translate", body)["translations"]
    assert made["model_type_used"] == "ctranslate"
    assert made["text"].casefold() == "das haus ist groß.\n\n  wir und das wasser.\n\tdas haus ist groß!".casefold()


def test_terms_and_tags_hold_through_a_neural_model(neural):
    entries = {"source_lang": "en", "target_lang": "de", "entries": "house\tGebäude\nbig water\tOzean"}
    glossary = ask(neural, "POST", "/v3/glossaries", {"name": "terms", "dictionaries": [entries]})
    body = {
        "text": ["the house is big", "we and <b>the big water</b>"],
        "source_lang": "EN",
        "target_lang": "DE",
        "glossary_id": glossary["glossary_id"],
        "tag_handling": "xml",
    }
    first, second = (each["text"] for each in ask(neural, "POST", "/v2/translate", body)["translations"])
    assert "Gebäude" in first
    assert "haus" not in first.casefold()
    assert "Ozean</b>" in second
    assert "<b>" in second


def test_pseudo_marks_the_text_and_says_so(pseudo):
    sent = {"Authorization": f"Service-Auth-Key {pseudo.api_key}"}
    body = {"text": ["Guten Morgen."], "source_lang": "DE", "target_lang": "en-us"}
    answer = requests.post(pseudo.base_url + "/v2/translate", json=body, headers=sent, timeout=10)
    assert answer.json()["translations"] == [
        {"text": "[EN-US] Guten Morgen.", "detected_source_language": "DE", "model_type_used": "pseudo"}
    ]


def test_without_pseudo_a_pair_nobody_has_is_a_clear_400():
    with service.start(memory=True, translators=["ctranslate"]) as running:
        sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}
        body = {"text": ["Guten Morgen."], "source_lang": "DE", "target_lang": "JA"}
        answer = requests.post(running.base_url + "/v2/translate", json=body, headers=sent, timeout=10)
    assert answer.status_code == 400
    assert "translator" in answer.json()["detail"]
