from datetime import timedelta

import pytest
import requests

from svc_nb import service
from svc_nb.service.database import now


def pair(entries, source="de", target="en", **rest):
    return {"source_lang": source, "target_lang": target, "entries": entries, **rest}


def create(raw, *dictionaries, name="terms"):
    answer = raw("POST", "/v3/glossaries", json={"name": name, "dictionaries": list(dictionaries)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def entries(raw, glossary_id, query=""):
    dictionaries = raw("GET", f"/v3/glossaries/{glossary_id}/entries{query}").json()["dictionaries"]
    return {(each["source_lang"], each["target_lang"]): each["entries"] for each in dictionaries}


def translated(raw, text, **options):
    body = {"text": [text], "source_lang": "DE", "target_lang": "EN-US", **options}
    answer = raw("POST", "/v2/translate", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["translations"][0]["text"]


def test_a_glossary_has_an_id_a_time_and_counted_dictionaries(raw):
    made = create(raw, pair("Haus\thouse\nHut\that"), pair("Haus\tmaison", target="fr"))
    assert made["dictionaries"] == [
        {"source_lang": "de", "target_lang": "en", "entry_count": 2},
        {"source_lang": "de", "target_lang": "fr", "entry_count": 1},
    ]
    assert made["creation_time"].endswith("Z")
    assert "." in made["creation_time"]
    assert raw("GET", f"/v3/glossaries/{made['glossary_id']}").json() == made
    assert raw("GET", "/v3/glossaries").json() == {"glossaries": [made]}


def test_codes_are_taken_in_any_case_and_given_in_lower_case(raw):
    made = create(raw, pair("Haus\thouse", source="De", target="EN-us"))
    assert made["dictionaries"][0]["source_lang"] == "de"
    assert made["dictionaries"][0]["target_lang"] == "en"


@pytest.mark.parametrize(
    ("source", "target"),
    [("de", "xx"), ("xx", "de"), ("de", "de"), ("sw", "en"), ("", "en"), ("de", "en-klingon")],
)
def test_a_pair_that_glossaries_do_not_have_is_refused(raw, source, target):
    body = {"name": "n", "dictionaries": [pair("a\tb", source=source, target=target)]}
    answer = raw("POST", "/v3/glossaries", json=body)
    assert answer.status_code == 400
    assert answer.json()["message"] == "Unsupported glossary source and target language pair"


def test_one_bad_dictionary_leaves_nothing(raw):
    body = {"name": "n", "dictionaries": [pair("a\tb"), pair("a\tb\na\tc", target="fr")]}
    answer = raw("POST", "/v3/glossaries", json=body)
    assert answer.status_code == 400
    assert answer.json() == {
        "message": "Invalid glossary entries provided",
        "detail": "Key with the index 1 (starting at position 4) duplicates key with the index 0 "
        "(starting at position 0)",
    }
    assert raw("GET", "/v3/glossaries").json() == {"glossaries": []}


def test_entries_come_back_as_tsv_whatever_they_came_as(raw):
    made = create(raw, pair('"Tee, grün",green tea\n', entries_format="csv"), pair("x\ty", target="fr"))
    assert entries(raw, made["glossary_id"]) == {("de", "en"): "Tee, grün\tgreen tea", ("de", "fr"): "x\ty"}
    assert list(entries(raw, made["glossary_id"], "?target_lang=FR")) == [("de", "fr")]
    assert entries(raw, made["glossary_id"], "?source_lang=fr") == {}
    assert list(entries(raw, made["glossary_id"], "?target_lang=EN-GB")) == [("de", "en")]
    path = f"/v3/glossaries/{made['glossary_id']}/entries?target_lang=klingon"
    assert raw("GET", path).status_code == 400


def test_patch_renames_and_merges(raw):
    made = create(raw, pair("Haus\thouse\nHut\that"))
    path = f"/v3/glossaries/{made['glossary_id']}"
    changed = raw("PATCH", path, json={"name": "new", "dictionaries": [pair("Hut\tcap\nBaum\ttree")]}).json()
    assert changed["name"] == "new"
    assert entries(raw, made["glossary_id"]) == {("de", "en"): "Haus\thouse\nHut\tcap\nBaum\ttree"}
    assert raw("PATCH", path, json={"name": "newer"}).json()["name"] == "newer"
    two = {"dictionaries": [pair("a\tb"), pair("a\tb", target="fr")]}
    assert raw("PATCH", path, json=two).status_code == 400


def as_form(written, *dictionaries):
    """The fields of *dictionaries* in a form, *written* as clients of the API family do, or as PHP reads them."""
    return {
        written.format(place=place, member=member): value
        for place, dictionary in enumerate(dictionaries)
        for member, value in dictionary.items()
    }


@pytest.mark.parametrize("written", ["dictionaries[{place}].{member}", "dictionaries[{place}][{member}]"])
def test_a_form_creates_renames_and_updates(raw, written):
    tea = pair('"Tee, grün",green tea\n', entries_format="csv")
    form = {"name": "Küche & Bad", **as_form(written, tea, pair("Haus\tmaison", target="FR"))}
    answer = raw("POST", "/v3/glossaries", data=form)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert made["name"] == "Küche & Bad"
    path = f"/v3/glossaries/{made['glossary_id']}"
    assert raw("PATCH", path, data={"name": "new"}).json() == {**made, "name": "new"}
    changed = raw("PATCH", path, data=as_form(written, pair("Hut\tchapeau", target="fr"))).json()
    assert changed["name"] == "new"
    assert raw("PUT", f"{path}/dictionaries", data=pair("Hut\that")).json()["entry_count"] == 1
    assert entries(raw, made["glossary_id"]) == {
        ("de", "en"): "Hut\that",
        ("de", "fr"): "Haus\tmaison\nHut\tchapeau",
    }


def test_dictionaries_of_a_form_may_come_in_any_order_and_number(raw):
    others = ["fr", "es", "it", "pt", "nl", "pl", "sv", "da", "fi", "el", "bg"]
    fields = as_form("dictionaries[{place}].{member}", *(pair("Haus\tx", target=each) for each in others))
    body = {"name": "many", **dict(reversed(fields.items()))}
    made = raw("POST", "/v3/glossaries", data=body).json()
    assert {each["target_lang"] for each in made["dictionaries"]} == {*others}


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ([("dictionaries[0].source_lang", "de")], "not specified"),
        ([("dictionaries[0].entries", "a\tb"), ("dictionaries[0][entries]", "a\tc")], "more than once"),
        ([("dictionaries[x].entries", "a\tb")], "dictionaries"),
        ([("dictionaries", "no JSON")], "dictionaries"),
        ([], "dictionaries"),
    ],
)
def test_a_form_that_is_no_glossary_is_400_and_leaves_nothing(raw, fields, complaint):
    answer = raw("POST", "/v3/glossaries", data=[("name", "n"), *fields])
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]
    assert raw("GET", "/v3/glossaries").json() == {"glossaries": []}


def test_put_replaces_or_creates_one_dictionary(raw):
    made = create(raw, pair("Haus\thouse"))
    path = f"/v3/glossaries/{made['glossary_id']}/dictionaries"
    assert raw("PUT", path, json=pair("Hut\that")).json() == {
        "source_lang": "de",
        "target_lang": "en",
        "entry_count": 1,
    }
    assert raw("PUT", path, json=pair("Hut\tchapeau", target="fr")).status_code == 200
    assert entries(raw, made["glossary_id"]) == {("de", "en"): "Hut\that", ("de", "fr"): "Hut\tchapeau"}


def test_a_dictionary_and_a_glossary_can_be_deleted_once(raw):
    made = create(raw, pair("Haus\thouse"))
    path = f"/v3/glossaries/{made['glossary_id']}"
    query = "/dictionaries?source_lang=DE&target_lang=EN"
    assert raw("DELETE", path + "/dictionaries").status_code == 400
    assert raw("DELETE", path + query).status_code == 204
    assert raw("DELETE", path + query).status_code == 404
    answer = raw("DELETE", path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert raw("DELETE", path).status_code == 404


def test_v2_and_v3_see_the_same_glossaries(raw):
    old = raw("POST", "/v2/glossaries", json={"name": "old", **pair("Haus\thouse")}).json()
    new = create(raw, pair("Hut\that"), pair("Hut\tchapeau", target="fr"), name="new")
    ids = [old["glossary_id"], new["glossary_id"]]
    assert [each["glossary_id"] for each in raw("GET", "/v2/glossaries").json()["glossaries"]] == ids
    assert [each["glossary_id"] for each in raw("GET", "/v3/glossaries").json()["glossaries"]] == ids
    listing = raw("GET", f"/v2/glossaries/{old['glossary_id']}/entries")
    assert listing.text == "Haus\thouse"
    assert listing.headers["Content-Type"] == "text/tab-separated-values; charset=utf-8"
    wrong = {"Accept": "application/json"}
    assert raw("GET", f"/v2/glossaries/{old['glossary_id']}/entries", headers=wrong).status_code == 415


def test_v2_does_not_delete_what_v3_edited(raw):
    old = raw("POST", "/v2/glossaries", json={"name": "old", **pair("Haus\thouse")}).json()
    raw("PATCH", f"/v3/glossaries/{old['glossary_id']}", json={"name": "edited"})
    assert raw("DELETE", f"/v2/glossaries/{old['glossary_id']}").status_code == 400
    assert raw("DELETE", f"/v3/glossaries/{old['glossary_id']}").status_code == 204
    other = raw("POST", "/v2/glossaries", json={"name": "old", **pair("Haus\thouse")}).json()
    raw("PATCH", f"/v3/glossaries/{other['glossary_id']}", json={})
    assert raw("DELETE", f"/v2/glossaries/{other['glossary_id']}").status_code == 204


def test_a_new_glossary_turns_ready():
    with service.start(memory=True, account=service.Account(glossary_seconds=3600)) as running:
        sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}
        url = running.base_url + "/v2/glossaries"
        body = {"name": "n", **pair("Haus\thouse")}
        made = requests.post(url, json=body, headers=sent, timeout=10).json()
        assert made["ready"] is False
        running.state.clock = lambda: now() + timedelta(seconds=3601)
        shown = requests.get(f"{url}/{made['glossary_id']}", headers=sent, timeout=10).json()
        assert shown == {**made, "ready": True}


def test_a_glossary_that_is_not_ready_cannot_be_used():
    with service.start(memory=True, account=service.Account(glossary_seconds=3600)) as running:
        sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}
        body = {"name": "n", **pair("Haus\thouse")}
        made = requests.post(running.base_url + "/v2/glossaries", json=body, headers=sent, timeout=10).json()
        asked = {
            "text": ["Haus"],
            "source_lang": "DE",
            "target_lang": "EN",
            "glossary_id": made["glossary_id"],
        }
        answer = requests.post(running.base_url + "/v2/translate", json=asked, headers=sent, timeout=10)
        assert answer.status_code == 400
        assert "not ready" in answer.json()["message"]


def test_terms_are_enforced_and_serve_every_variant(raw):
    made = create(raw, pair("Turnschuh\ttrainer\nSchuh\tshoe"))
    for target in ("EN", "EN-US", "en-gb"):
        text = translated(raw, "Der Turnschuh ist neu.", glossary_id=made["glossary_id"], target_lang=target)
        assert "trainer" in text
        assert "shoe" not in text


def test_the_first_of_several_glossaries_wins(raw):
    first = create(raw, pair("Schuh\tshoe"))["glossary_id"]
    second = create(raw, pair("Schuh\tboot\nHut\that"))["glossary_id"]
    text = translated(raw, "Schuh und Hut", glossary_ids=[first, second])
    assert "shoe" in text.lower()
    assert "hat" in text.lower()
    assert "boot" not in text.lower()


def test_an_edited_dictionary_is_used_at_once(raw):
    made = create(raw, pair("Schuh\tshoe"))["glossary_id"]
    assert "shoe" in translated(raw, "ein Schuh", glossary_id=made).lower()
    raw("PUT", f"/v3/glossaries/{made}/dictionaries", json=pair("Schuh\tboot"))
    assert "boot" in translated(raw, "ein Schuh", glossary_id=made).lower()


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"source_lang": None}, 400),
        ({"target_lang": "FR"}, 400),
        ({"glossary_id": "nonsense"}, 400),
        ({"glossary_id": "00000000-0000-0000-0000-000000000000"}, 404),
    ],
)
def test_a_glossary_that_cannot_serve_is_refused_and_not_billed(raw, options, status):
    made = create(raw, pair("Schuh\tshoe"))
    body = {"text": ["Schuh"], "source_lang": "DE", "target_lang": "EN", "glossary_id": made["glossary_id"]}
    sent = {name: value for name, value in {**body, **options}.items() if value is not None}
    assert raw("POST", "/v2/translate", json=sent).status_code == status
    assert raw("GET", "/v2/usage").json()["character_count"] == 0
