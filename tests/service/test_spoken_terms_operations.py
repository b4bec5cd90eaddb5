"""Spoken terms in plain HTTP: what the contract says of them, and what is refused leaves nothing behind."""

from __future__ import annotations

import json

import pytest

from svc_nb import service
from svc_nb.service.database import Database
from svc_nb.service.resources.spoken_terms import MAX_COLLECTIONS

PATH = "/v3/spoken-terms"
UNKNOWN = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=["pseudo"]) as started:
        yield started


@pytest.fixture
def running(lasting):
    """One service for all tests of this file; each finds it without spoken terms."""
    with lasting.state.database.write() as connection:
        connection.execute("DELETE FROM spoken_terms")
    return lasting


def body(*lists, name="n"):
    return {"name": name, "term_lists": [{"lang": lang, "entries": entries} for lang, entries in lists]}


def create(raw, *lists, name="n"):
    answer = raw("POST", PATH, json=body(*lists, name=name))
    assert answer.status_code == 201, answer.text
    return answer.json()


def terms(raw, spoken_terms_id, lang):
    return raw("GET", f"{PATH}/{spoken_terms_id}/entries?lang={lang}").json()


def refused(raw, method, path, status, **rest):
    before = raw("GET", PATH).json()
    answer = raw(method, path, **rest)
    assert (answer.status_code, raw("GET", PATH).json()) == (status, before)
    return answer.json()


def test_a_collection_has_an_id_a_time_and_counted_lists(raw):
    made = create(raw, ("DE", "Kubernetes\nBrötchen\n"), ("en-GB", "kubectl"))
    assert made["term_lists"] == [{"lang": "de", "entry_count": 2}, {"lang": "en", "entry_count": 1}]
    assert made["creation_time"].endswith("Z")
    assert "." in made["creation_time"]
    assert raw("GET", f"{PATH}/{made['spoken_terms_id']}").json() == made
    assert raw("GET", PATH).json() == {"spoken_terms": [made]}


def test_terms_come_back_as_they_were_sent(raw):
    made = create(raw, ("de", "Kubernetes\r\nkubernetes\r\nein Wort"))
    assert terms(raw, made["spoken_terms_id"], "DE") == {
        "lang": "de",
        "entries": "Kubernetes\nkubernetes\nein Wort",
    }


def test_a_list_holds_300_characters_with_its_line_breaks(raw):
    inside = "ä" * 149 + "\n" + "語" * 150
    made = create(raw, ("de", inside))
    path = f"{PATH}/{made['spoken_terms_id']}"
    assert "301 characters" in refused(raw, "POST", PATH, 400, json=body(("de", inside + "x")))["detail"]
    refused(raw, "PUT", f"{path}/term-lists", 400, json={"lang": "de", "entries": inside + "x"})
    refused(raw, "PATCH", path, 400, json=body(("de", "x")))
    assert terms(raw, made["spoken_terms_id"], "de")["entries"] == inside


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ("", "no terms"),
        ("\n", "no terms"),
        ("a\n\nb", "index 1 is empty"),
        ("a\nb\na", "index 2 duplicates the one with the index 0"),
        (" a", "whitespace"),
        ("a\u3000", "whitespace"),
        ("a\tb", "control"),
        ("a\u2028b", "control"),
        ("a\x85b", "control"),
    ],
)
def test_terms_that_break_a_rule_are_refused(raw, entries, why):
    answer = refused(raw, "POST", PATH, 400, json=body(("en", "fine"), ("de", entries)))
    assert answer["message"] == "Bad request"
    assert why in answer["detail"]


@pytest.mark.parametrize("lang", ["xx", "", "ar", "en-klingon", "german"])
def test_a_language_without_spoken_terms_is_refused(raw, lang):
    refused(raw, "POST", PATH, 400, json=body((lang, "a")))


def test_a_collection_needs_a_name_and_lists_each_language_once(raw):
    refused(raw, "POST", PATH, 400, json=body(("de", "a"), name=" "))
    refused(raw, "POST", PATH, 400, json=body(("de", "a"), name="ä" * 513))
    refused(raw, "POST", PATH, 400, json=body())
    refused(raw, "POST", PATH, 400, json={"name": "n"})
    refused(raw, "POST", PATH, 400, json=body(("de", "a"), ("DE", "b")))


def test_patch_renames_and_merges(raw):
    spoken_terms_id = create(raw, ("de", "a\nb"))["spoken_terms_id"]
    path = f"{PATH}/{spoken_terms_id}"
    changed = raw("PATCH", path, json=body(("de", "b\nc"), ("fr", "d"), name="new")).json()
    assert changed["name"] == "new"
    assert changed["term_lists"] == [{"lang": "de", "entry_count": 3}, {"lang": "fr", "entry_count": 1}]
    assert terms(raw, spoken_terms_id, "de")["entries"] == "a\nb\nc"
    assert raw("PATCH", path, data={"name": "newer"}).json()["name"] == "newer"


def test_put_replaces_or_creates_one_list(raw):
    spoken_terms_id = create(raw, ("de", "a\nb"))["spoken_terms_id"]
    path = f"{PATH}/{spoken_terms_id}/term-lists"
    assert raw("PUT", path, json={"lang": "DE", "entries": "c"}).json() == {"lang": "de", "entry_count": 1}
    assert raw("PUT", path, data={"lang": "fr", "entries": "d\ne"}).json() == {"lang": "fr", "entry_count": 2}
    assert terms(raw, spoken_terms_id, "de")["entries"] == "c"
    assert terms(raw, spoken_terms_id, "fr")["entries"] == "d\ne"


def test_a_list_and_a_collection_are_deleted_once(raw):
    spoken_terms_id = create(raw, ("de", "a"), ("fr", "b"))["spoken_terms_id"]
    path = f"{PATH}/{spoken_terms_id}"
    for status in (204, 404):
        assert raw("DELETE", f"{path}/term-lists?lang=DE").status_code == status
    assert raw("GET", f"{path}/entries?lang=de").status_code == 404
    assert terms(raw, spoken_terms_id, "fr")["entries"] == "b"
    for status in (204, 404):
        assert raw("DELETE", path).status_code == status


@pytest.mark.parametrize(("wrong", "status"), [(UNKNOWN, 404), ("no-id", 400)])
def test_an_id_that_is_unknown_or_none_is_refused(raw, wrong, status):
    path = f"{PATH}/{wrong}"
    one = {"lang": "de", "entries": "a"}
    for method, where, sent in (
        ("GET", path, None),
        ("PATCH", path, {"name": "n"}),
        ("DELETE", path, None),
        ("GET", f"{path}/entries?lang=de", None),
        ("PUT", f"{path}/term-lists", one),
        ("DELETE", f"{path}/term-lists?lang=de", None),
    ):
        assert raw(method, where, json=sent).status_code == status


def test_what_is_too_large_or_in_another_form_is_not_read(raw):
    refused(raw, "POST", PATH, 413, json=body(("de", "a" * 200_000)))
    answer = refused(raw, "POST", PATH, 415, data="<xml/>", headers={"Content-Type": "text/xml"})
    assert answer["message"] == "Unsupported Content-Type"


def test_a_form_brings_its_lists_in_json_one_a_field_or_all_in_one(raw):
    de, fr = ({"lang": lang, "entries": "a, b\nc"} for lang in ("de", "fr"))
    counted = [{"lang": lang, "entry_count": 2} for lang in ("de", "fr")]
    for lists in ([json.dumps(de), json.dumps(fr)], [json.dumps([de, fr])]):
        answer = raw("POST", PATH, data={"name": "n", "term_lists": lists})
        assert (answer.status_code, answer.json()["term_lists"]) == (201, counted)
    merged = raw("PATCH", f"{PATH}/{answer.json()['spoken_terms_id']}", data={"term_lists": json.dumps(de)})
    assert merged.json()["term_lists"] == counted


@pytest.mark.parametrize("lists", ["de", "", "[" * 30_000, '{"lang": "de"}', "[[]]", "3"])
def test_a_form_whose_lists_are_no_lists_is_refused(raw, lists):
    answer = refused(raw, "POST", PATH, 400, data={"name": "n", "term_lists": lists})
    assert "term_lists" in answer["message"]


def test_one_collection_too_many_is_refused_with_456(running, raw):
    with running.state.database.write() as connection:
        rows = [(f"{number:032d}", "n", "2026-01-01T00:00:00.000Z") for number in range(MAX_COLLECTIONS - 1)]
        connection.executemany("INSERT INTO spoken_terms VALUES (?, ?, ?)", rows)
    create(raw, ("de", "a"))
    answer = refused(raw, "POST", PATH, 456, json=body(("de", "a")))
    assert answer["message"] == "Spoken Terms quota exhausted"


def test_no_scope_covers_spoken_terms_or_voice(running, raw):
    key = running.create_key("scoped", scopes=["glossaries:read", "glossaries:write", "translate:text"])
    assert raw("GET", PATH, key=key).status_code == 403
    assert raw("POST", "/v3/voice/realtime", key=key, json={}).status_code == 403


def test_an_account_of_before_gets_room_for_spoken_terms(tmp_path):
    path = tmp_path / "account.sqlite"
    old = Database(path)
    with old.write() as connection:
        for table in ("term_lists", "spoken_terms"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 3")
    old.close()
    new = Database(path)
    with new.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM spoken_terms").fetchone()[0] == 0
    new.close()
