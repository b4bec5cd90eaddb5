import pytest

from svc_nb import errors
from svc_nb.wire.models import TermList, TermListInfo

GERMAN = TermList("de", "Kubernetes\nBrötchen")
ENGLISH = TermList("EN", "kubectl")
UNKNOWN = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def made(client):
    return client.spoken_terms.create("names", [GERMAN, ENGLISH])


def test_a_collection_is_created_listed_and_shown(client, made):
    assert made.name == "names"
    assert made.term_lists == (TermListInfo("de", 2), TermListInfo("en", 1))
    assert made.creation_time.tzinfo
    assert client.spoken_terms.list() == [made]
    assert client.spoken_terms.get(made.spoken_terms_id) == made


def test_the_terms_of_a_language_come_back(client, made):
    assert client.spoken_terms.entries(made.spoken_terms_id, "DE") == GERMAN
    with pytest.raises(errors.NotFound):
        client.spoken_terms.entries(made.spoken_terms_id, "fr")


def test_an_update_merges_and_a_replacement_replaces(client, made):
    added = TermList("de", "Brötchen\nSemmel")
    merged = client.spoken_terms.update(made.spoken_terms_id, name="both", term_lists=[added])
    assert (merged.name, merged.term_lists[0].entry_count) == ("both", 3)
    assert client.spoken_terms.replace_list(made.spoken_terms_id, added) == TermListInfo("de", 2)
    assert client.spoken_terms.entries(made.spoken_terms_id, "de") == added
    assert client.spoken_terms.update(made.spoken_terms_id, name="names").name == "names"


def test_a_list_and_a_collection_are_deleted(client, made):
    client.spoken_terms.delete_list(made.spoken_terms_id, "de")
    assert client.spoken_terms.get(made.spoken_terms_id).term_lists == (TermListInfo("en", 1),)
    client.spoken_terms.delete(made.spoken_terms_id)
    assert client.spoken_terms.list() == []
    with pytest.raises(errors.NotFound):
        client.spoken_terms.get(made.spoken_terms_id)


def test_what_breaks_a_rule_is_a_bad_request_with_the_reason(client):
    with pytest.raises(errors.BadRequest, match="index 1 duplicates"):
        client.spoken_terms.create("twice", [TermList("de", "a\na")])
    assert client.spoken_terms.list() == []


def test_what_cannot_be_a_request_is_not_sent(client):
    with pytest.raises(TypeError, match="put it in a list"):
        client.spoken_terms.create("one", GERMAN)
    with pytest.raises(TypeError, match="one term a line"):
        client.spoken_terms.replace_list(UNKNOWN, TermList("de", ["a"]))


def test_what_looks_like_a_path_reaches_no_other_thing(client, made):
    with pytest.raises(errors.ApiError):
        client.spoken_terms.delete(f"../spoken-terms/{made.spoken_terms_id}")
    assert client.spoken_terms.list() == [made]
