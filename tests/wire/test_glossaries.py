import pytest

from svc_nb import errors
from svc_nb.wire.models import Dictionary, DictionaryInfo

DE_EN = Dictionary("de", "en", "Haus\thouse\nBaum\ttree")
DE_FR = Dictionary("DE", "FR", "Haus,maison", "csv")
UNKNOWN = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def glossary(client):
    return client.glossaries.create("terms", [DE_EN, DE_FR])


def entries(client, glossary, **pair):
    found = client.glossaries.entries(glossary.glossary_id, **pair)
    return {(each.source_lang, each.target_lang): set(each.entries.splitlines()) for each in found}


def test_a_glossary_is_created_listed_and_shown(client, glossary):
    assert glossary.name == "terms"
    assert glossary.dictionaries == (DictionaryInfo("de", "en", 2), DictionaryInfo("de", "fr", 1))
    assert glossary.creation_time.tzinfo
    assert client.glossaries.list() == [glossary]
    assert client.glossaries.get(glossary.glossary_id) == glossary


def test_entries_come_back_as_tsv_for_all_or_some_languages(client, glossary):
    english, french = {"Haus\thouse", "Baum\ttree"}, {"Haus\tmaison"}
    assert entries(client, glossary) == {("de", "en"): english, ("de", "fr"): french}
    assert entries(client, glossary, target_lang="FR") == {("de", "fr"): french}
    assert entries(client, glossary, source_lang="de", target_lang="en") == {("de", "en"): english}


def test_a_glossary_is_renamed(client, glossary):
    assert client.glossaries.rename(glossary.glossary_id, "other").name == "other"
    assert client.glossaries.get(glossary.glossary_id).dictionaries == glossary.dictionaries


def test_an_update_merges_and_a_replacement_replaces(client, glossary):
    added = Dictionary("de", "en", "Haus\thome\nHund\tdog")
    merged = client.glossaries.update(glossary.glossary_id, name="both", dictionary=added)
    assert (merged.name, merged.dictionaries[0].entry_count) == ("both", 3)
    assert entries(client, glossary, target_lang="en") == {("de", "en"): {"Haus\thome", "Baum\ttree", "Hund\tdog"}}
    assert client.glossaries.replace_dictionary(glossary.glossary_id, added) == DictionaryInfo("de", "en", 2)
    assert entries(client, glossary, target_lang="en") == {("de", "en"): {"Haus\thome", "Hund\tdog"}}


def test_a_dictionary_is_added_and_deleted(client, glossary):
    client.glossaries.replace_dictionary(glossary.glossary_id, Dictionary("en", "de", "cat\tKatze"))
    client.glossaries.delete_dictionary(glossary.glossary_id, source_lang="DE", target_lang="fr")
    assert set(entries(client, glossary)) == {("de", "en"), ("en", "de")}
    with pytest.raises(errors.NotFound):
        client.glossaries.delete_dictionary(glossary.glossary_id, source_lang="de", target_lang="fr")


def test_a_deleted_glossary_is_gone(client, glossary):
    client.glossaries.delete(glossary.glossary_id)
    assert client.glossaries.list() == []
    with pytest.raises(errors.NotFound):
        client.glossaries.get(glossary.glossary_id)


def test_a_duplicate_source_is_reported_with_its_positions(client):
    with pytest.raises(errors.BadRequest, match="duplicates key with the index 0") as caught:
        client.glossaries.create("twice", [Dictionary("de", "en", "Haus\thouse\nHaus\thome")])
    assert caught.value.message == "Invalid glossary entries provided"
    assert caught.value.detail


ON_AN_UNKNOWN_GLOSSARY = [
    lambda each: each.get(UNKNOWN),
    lambda each: each.rename(UNKNOWN, "n"),
    lambda each: each.delete(UNKNOWN),
    lambda each: each.entries(UNKNOWN),
    lambda each: each.replace_dictionary(UNKNOWN, DE_EN),
    lambda each: each.delete_dictionary(UNKNOWN, source_lang="de", target_lang="en"),
    lambda each: each.v2.get(UNKNOWN),
    lambda each: each.v2.entries(UNKNOWN),
    lambda each: each.v2.delete(UNKNOWN),
]


def test_an_unknown_glossary_is_not_found(client):
    for call in ON_AN_UNKNOWN_GLOSSARY:
        with pytest.raises(errors.NotFound):
            call(client.glossaries)


def test_what_looks_like_a_path_reaches_no_other_thing(client, glossary):
    with pytest.raises(errors.ApiError):
        client.glossaries.delete(f"../glossaries/{glossary.glossary_id}")
    assert client.glossaries.list() == [glossary]


# ---- the form of one language pair


def test_a_v2_glossary_is_created_listed_shown_read_and_deleted(client):
    v2 = client.glossaries.v2
    made = v2.create("terms", "DE", "EN", '"Haus, klein",cottage', entries_format="csv")
    assert (made.name, made.source_lang, made.target_lang, made.entry_count) == ("terms", "de", "en", 1)
    assert v2.list() == [made]
    assert v2.wait_until_ready(made.glossary_id) == v2.get(made.glossary_id) == made
    assert v2.entries(made.glossary_id) == "Haus, klein\tcottage"
    assert client.glossaries.get(made.glossary_id).dictionaries == (DictionaryInfo("de", "en", 1),)
    v2.delete(made.glossary_id)
    assert v2.list() == []


def test_wrong_v2_glossaries_are_bad_requests(client):
    for pair in (("xx", "en"), ("de", "de")):
        with pytest.raises(errors.BadRequest):
            client.glossaries.v2.create("terms", *pair, "Haus\thouse")
    with pytest.raises(errors.BadRequest, match="misses tab separator"):
        client.glossaries.v2.create("terms", "de", "en", "Haus")


def test_the_language_pairs_are_deprecated(client):
    with pytest.warns(DeprecationWarning, match="languages.support"):
        pairs = client.glossaries.v2.language_pairs()
    assert ("de", "en") in {(pair.source_lang, pair.target_lang) for pair in pairs}
