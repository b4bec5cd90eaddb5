"""An unmodified client of the public API family works against the embedded service, with its own scheme word."""

import io

import deepl
import docx
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries as Entries

from svc_nb import service
from tests.waiting import until


@pytest.fixture(scope="module")
def client():
    with service.start(memory=True, schemes=("Service-Auth-Key", "DeepL-Auth-Key")) as running:
        made = deepl.DeepLClient(running.api_key, server_url=running.base_url, send_platform_info=False)
        yield made
        made.close()


def test_it_translates(client):
    results = client.translate_text(["Guten Morgen, mein Freund.", "Buenos días, amigo mío."], target_lang="EN-US")
    assert [each.detected_source_lang for each in results] == ["DE", "ES"]
    assert [each.billed_characters for each in results] == [26, 23]
    assert all(each.text for each in results)


def test_it_translates_with_every_option(client):
    result = client.translate_text(
        "<p>Guten Morgen</p>",
        source_lang="DE",
        target_lang="FR",
        formality="more",
        context="a greeting",
        split_sentences="nonewlines",
        preserve_formatting=True,
        tag_handling="html",
        outline_detection=False,
        splitting_tags=["p"],
        model_type="quality_optimized",
        custom_instructions=["Be brief."],
    )
    assert result.text.startswith("<p>")
    assert result.text.endswith("</p>")
    assert result.model_type_used


def test_it_makes_reads_and_deletes_a_v2_glossary(client):
    made = client.create_glossary("v2", "DE", "EN", {"Schuh": "trainer", "Hose": "trousers"})
    assert made.ready
    assert (made.source_lang, made.target_lang, made.entry_count) == ("DE", "EN", 2)
    assert client.get_glossary(made.glossary_id).name == "v2"
    assert client.get_glossary_entries(made) == {"Schuh": "trainer", "Hose": "trousers"}
    assert made.glossary_id in [each.glossary_id for each in client.list_glossaries()]
    translated = client.translate_text("Ein Schuh", source_lang="DE", target_lang="EN-GB", glossary=made)
    assert "trainer" in translated.text.lower()
    client.delete_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        client.get_glossary(made.glossary_id)


def test_it_makes_a_v2_glossary_from_csv(client):
    made = client.create_glossary_from_csv("csv", "EN", "DE", "shoe,Schuh,en,de\ntrousers,Hose,en,de\n")
    assert client.get_glossary_entries(made) == {"shoe": "Schuh", "trousers": "Hose"}
    assert len(client.get_glossary_languages()) == 33 * 32


def test_it_makes_edits_and_deletes_a_v3_glossary(client):
    made = client.create_multilingual_glossary(
        "v3", [Entries("de", "en", {"Schuh": "shoe"}), Entries("de", "fr", {"Schuh": "chaussure"})]
    )
    assert len(made.dictionaries) == 2
    client.update_multilingual_glossary_name(made, "renamed")
    client.update_multilingual_glossary_dictionary(made, Entries("de", "en", {"Hose": "trousers"}))
    shown = client.get_multilingual_glossary_entries(made, "de", "en").dictionaries[0]
    assert shown.entries == "Schuh\tshoe\nHose\ttrousers"
    replaced = client.replace_multilingual_glossary_dictionary(made, Entries("de", "en", {"Hut": "hat"}))
    assert replaced.entry_count == 1
    client.delete_multilingual_glossary_dictionary(made, source_lang="de", target_lang="fr")
    again = client.get_multilingual_glossary(made.glossary_id)
    assert (again.name, len(again.dictionaries)) == ("renamed", 1)
    assert made.glossary_id in [each.glossary_id for each in client.list_multilingual_glossaries()]
    client.delete_multilingual_glossary(made)


def test_it_makes_edits_and_deletes_style_rules(client):
    rules = {"dates_and_times": {"calendar_era": "use_bc_and_ad"}}
    made = client.create_style_rule("house style", "en", rules, [{"label": "Tone", "prompt": "Be kind."}])
    assert made.configured_rules.dates_and_times == {"calendar_era": "use_bc_and_ad"}
    added = client.create_style_rule_custom_instruction(made, "Names", "Keep names.")
    client.update_style_rule_custom_instruction(made, added.id, "Names", "Keep all names.")
    assert client.get_style_rule_custom_instruction(made, added.id).prompt == "Keep all names."
    client.delete_style_rule_custom_instruction(made, added.id)
    client.update_style_rule_name(made, "new name")
    changed = client.update_style_rule_configured_rules(made, {"punctuation": {"comma_after_i_e_and_e_g": "use"}})
    assert changed.version == made.version + 5
    assert [each.name for each in client.get_all_style_rules(detailed=True)] == ["new name"]
    styled = client.translate_text("Guten Morgen", target_lang="EN-US", style_rule=made)
    assert styled.text
    client.delete_style_rule(made)
    assert client.get_all_style_rules() == []


def test_it_improves_texts(client):
    assert client.rephrase_text("This  is fine .", target_lang="EN-US").target_language == "en-US"
    assert client.correct_text(["This is is fine."])[0].text


def test_it_reads_usage_and_languages(client):
    client.translate_text("one", target_lang="DE")
    usage = client.get_usage()
    assert usage.character.valid
    assert usage.character.count > 0
    assert "DE" in [each.code for each in client.get_source_languages()]
    targets = {each.code: each.supports_formality for each in client.get_target_languages()}
    assert targets["DE"] is targets["EN-US"] is False, "it is accepted, but nothing does it"


def translated(client, content, name, **options):
    """What comes back for a document, step by step: its own waiting is five seconds long."""
    handle = client.translate_document_upload(content, filename=name, **options)

    def done():
        status = client.translate_document_get_status(handle)
        assert status.ok, status.error_message
        return status.done and status

    status = until(done)
    result = io.BytesIO()
    client.translate_document_download(handle, result, chunk_size=1000)
    with pytest.raises(deepl.DeepLException, match="Not found"):
        client.translate_document_download(handle)
    return result.getvalue(), status


@pytest.mark.long
def test_it_uploads_waits_for_and_downloads_a_file(client, tmp_path):
    source, target = tmp_path / "letter.txt", tmp_path / "translated.txt"
    source.write_text("Das Haus ist groß.\n", encoding="utf-8")
    status = client.translate_document_from_filepath(source, target, source_lang="DE", target_lang="EN-US")
    assert status.done
    assert status.billed_characters >= 18
    made = target.read_text(encoding="utf-8")
    assert made.endswith("\n")
    assert made != source.read_text(encoding="utf-8")


def test_it_translates_a_page(client):
    page = "<!DOCTYPE html><html><body><p>Das <b>Haus</b> ist groß.</p></body></html>"
    made, status = translated(client, page, "page.html", source_lang="DE", target_lang="EN-US")
    assert made.startswith(b"<!DOCTYPE html><html><body><p>")
    assert b"<b>" in made
    assert status.billed_characters == 18


def test_it_translates_a_letter_with_every_option(client):
    glossary = client.create_multilingual_glossary("terms", [Entries("DE", "EN", {"Haus": "mansion"})])
    style = client.create_style_rule("house style", "en", {})
    letter = docx.Document()
    letter.add_paragraph("Das Haus ist groß.")
    file = io.BytesIO()
    letter.save(file)
    made, status = translated(
        client,
        file.getvalue(),
        "letter.docx",
        source_lang="DE",
        target_lang="EN-US",
        formality="prefer_more",
        glossary_ids=[glossary],
        style_rule=style,
        extra_body_parameters={"enable_watermark": "true"},
    )
    assert any("mansion" in each.text.lower() for each in docx.Document(io.BytesIO(made)).paragraphs)
    assert status.billed_characters == 50_000


@pytest.mark.long
def test_it_hears_why_a_document_cannot_be_translated(client, tmp_path):
    source = tmp_path / "broken.docx"
    source.write_bytes(b"no zip at all")
    with pytest.raises(deepl.DocumentTranslationException):
        client.translate_document_from_filepath(source, tmp_path / "out.docx", target_lang="DE")
    with pytest.raises(deepl.DeepLException, match="Invalid file data"):
        client.translate_document_upload(b"x", filename="program.exe", target_lang="DE")
