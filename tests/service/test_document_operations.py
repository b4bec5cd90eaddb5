"""A document is taken, translated, handed out once and billed then; nothing of it can be read without its key."""

from __future__ import annotations

import logging
import re
import threading
import time
from datetime import timedelta

import pytest
import requests

from svc_nb import service
from svc_nb.service.database import now
from svc_nb.service.documents.worker import FAILED, TOO_SLOW
from svc_nb.service.translators import installed
from tests.waiting import until

from .sending_documents import Documents
from .test_memory_operations import imported

RESULT = "/v2/document/{document_id}/result"
TEXT = b"The house is large."
STYLE = {"name": "style", "language": "fr", "configured_rules": {}}
NOBODYS = "00000000-0000-0000-0000-000000000001"


@pytest.fixture
def documents(raw):
    return Documents(raw)


class Engine:
    """A translator that does what the test wants; takes the place of all others."""

    name = "test"

    def __init__(self, translate):
        self._translate = translate

    def choose(self, source, target):
        return self

    def translate(self, texts, source, target):
        return self._translate(texts)

    def close(self):
        pass


def test_a_handle_is_an_id_of_32_and_a_key_of_64_digits(documents):
    handle = documents.send()
    assert re.fullmatch("[0-9A-F]{32}", handle["document_id"])
    assert re.fullmatch("[0-9A-F]{64}", handle["document_key"])


def test_the_translation_comes_as_a_file_with_its_length_type_and_name(documents):
    answer = documents.result(documents.done(TEXT, "my letter.txt"))
    assert answer.content == b"[DE] The house is large."
    assert answer.headers["Content-Type"] == "text/plain"
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert answer.headers["Content-Disposition"].endswith("my%20letter.txt")


def test_a_document_is_queued_then_translating_then_done():
    with service.start(memory=True, account=service.Account(document_seconds=0.8)) as running:
        documents = Documents(_raw(running))
        handle, seen = documents.send(), []
        while not seen or seen[-1]["status"] != "done":
            seen.append(documents.status(handle).json())
            time.sleep(0.03)
    order = list(dict.fromkeys(each["status"] for each in seen))
    assert order == ["queued", "translating", "done"]
    assert all(("seconds_remaining" in each) == (each["status"] == "translating") for each in seen)
    assert seen[-1]["billed_characters"] == len(TEXT)


def test_the_seconds_that_remain_follow_from_what_is_done(documents, running):
    running.state.worker.stop()
    handle = documents.send()
    document = running.state.documents.begin(handle["document_id"])
    running.state.documents.advance(document, 0.25)
    running.state.clock = lambda: document.begun + timedelta(seconds=10)
    assert documents.status(handle).json()["seconds_remaining"] == 30
    running.state.documents.advance(document, 0.000_001)
    assert documents.status(handle).json()["seconds_remaining"] == 24 * 3600


def test_the_key_may_come_as_a_form_or_as_json(documents, raw):
    handle = documents.done()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    assert raw("POST", path, json=key).json() == raw("POST", path, data=key).json()
    assert raw("POST", f"{path}/result", json=key).status_code == 200


def test_a_wrong_id_or_key_is_not_found(documents):
    handle = documents.done()
    for wrong in ({"document_id": "0" * 32}, {"document_key": "0" * 64}, {"document_key": "not even hex"}):
        for ask in (documents.status, documents.result):
            answer = ask({**handle, **wrong})
            assert (answer.status_code, answer.json()["message"]) == (404, "Document not found")
    assert documents.result(handle).status_code == 200


def test_a_result_is_not_there_before_the_document_is_done(documents, running):
    running.state.worker.stop()
    handle = documents.send()
    answer = documents.result(handle)
    assert (answer.status_code, answer.json()) == (503, {"message": "Document translation is not done"})
    assert documents.status(handle).json()["status"] == "queued"


def test_a_document_is_handed_out_once_and_then_gone(documents):
    handle = documents.done()
    assert documents.result(handle).status_code == 200
    for ask in (documents.result, documents.status):
        assert (ask(handle).status_code, ask(handle).json()) == (404, {"message": "Document not found"})


def test_it_is_billed_when_it_is_downloaded_and_not_before(documents, raw):
    handle = documents.done(headers={"X-Service-Reporting-Tag": "Team-A"})
    assert documents.owed() == 0
    documents.result(handle)
    assert documents.owed() == len(TEXT)
    day = now().date().isoformat()
    query = f"?start_date={day}&end_date={day}"
    tags = raw.admin("GET", f"/v2/admin/analytics/custom-tags{query}").text
    assert "team-a" in tags
    usage = raw.admin("GET", f"/v2/admin/analytics{query}").json()["usage_report"]["total_usage"]
    assert usage["document_translation_characters"] == len(TEXT)


def test_a_download_that_breaks_off_is_not_billed_and_can_be_had_again(documents, running):
    handle = documents.done()
    running.faults.add("truncate", operation=RESULT, count=1)
    with pytest.raises(requests.RequestException):
        documents.result(handle)
    assert documents.owed() == 0
    assert documents.result(handle).content == b"[DE] The house is large."
    assert documents.owed() == len(TEXT)


def test_a_caller_who_hangs_up_in_the_middle_is_not_billed(documents, running):
    handle = documents.done()
    running.faults.add("drip", operation=RESULT, seconds=1.0, count=1)
    with documents.result(handle, stream=True) as answer:
        assert answer.raw.read(5) == b"[DE] "
    until(lambda: documents.result(handle).status_code == 200)
    assert documents.owed() == len(TEXT)


def test_of_two_downloads_at_once_one_has_to_wait(documents, running):
    handle = documents.done()
    running.faults.add("drip", operation=RESULT, seconds=0.5, count=1)
    with documents.result(handle, stream=True) as first:
        second = documents.result(handle)
        assert (second.status_code, second.json()) == (503, {"message": "Document is being downloaded"})
        assert first.content == b"[DE] The house is large."
    assert documents.result(handle).status_code == 404
    assert documents.owed() == len(TEXT)


def test_a_quota_is_looked_at_before_a_document_is_taken_and_before_it_is_sent(documents, raw):
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]

    def cap(characters):
        body = {"key_id": key_id, "characters": characters}
        raw.admin("PUT", "/v2/admin/developer-keys/limits", json=body)

    handle = documents.done()
    cap(len(TEXT) - 1)
    assert documents.result(handle).status_code == 456
    assert documents.upload(b"x", "too.docx").status_code == 456
    cap(0)
    assert documents.upload().status_code == 456
    cap(len(TEXT))
    assert documents.result(handle).status_code == 200
    assert documents.owed() == len(TEXT)


def test_what_others_are_downloading_is_not_held_against_the_cap_of_a_key(documents, raw, running):
    ours, theirs = documents.done(), documents.done(TEXT * 2)
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    raw.admin("PUT", "/v2/admin/developer-keys/limits", json={"key_id": key_id, "characters": len(TEXT)})
    running.faults.add("drip", operation=RESULT, seconds=0.5, count=1)
    with documents.result(theirs, key=running.create_key("other"), stream=True) as other:
        assert documents.result(ours).status_code == 200
        assert other.content
    assert documents.owed() == 3 * len(TEXT)


def test_documents_that_a_key_downloads_at_once_do_not_pass_its_cap(documents, raw, running):
    first, second = documents.done(), documents.done()
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    cap = {"key_id": key_id, "characters": 2 * len(TEXT) - 1}
    raw.admin("PUT", "/v2/admin/developer-keys/limits", json=cap)
    running.faults.add("drip", operation=RESULT, seconds=0.3, count=1)
    with documents.result(first, stream=True) as answer:
        assert documents.result(second).status_code == 456
        assert answer.content == b"[DE] The house is large."
    assert documents.result(second).status_code == 456
    assert documents.owed() == len(TEXT)


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"target_lang": None}, 400, "Parameter 'target_lang' not specified."),
        ({"target_lang": "XX"}, 400, "Value for 'target_lang' not supported."),
        ({"source_lang": "XX"}, 400, "Value for 'source_lang' not supported."),
        ({"source_lang": "DE"}, 400, "Source and target language are equal."),
        ({"formality": "rude"}, 400, "Value for 'formality' not supported."),
        (
            {"formality": "more", "target_lang": "EN-US", "source_lang": "DE"},
            400,
            "doesn't support formality.",
        ),
        ({"glossary_id": NOBODYS, "source_lang": None}, 400, "requires the source_lang"),
        ({"glossary_ids": NOBODYS, "source_lang": None}, 400, "requires the source_lang"),
        ({"glossary_id": NOBODYS, "glossary_ids": NOBODYS}, 400, "cannot be combined"),
        ({"glossary_ids": ",".join([NOBODYS] * 6)}, 400, "Value for 'glossary_ids' not supported."),
        ({"glossary_ids": [NOBODYS] * 6}, 400, "Value for 'glossary_ids' not supported."),
        ({"glossary_id": NOBODYS}, 404, "lossary"),
        ({"style_id": NOBODYS}, 404, ""),
        ({"translation_memory_id": NOBODYS}, 404, "emory"),
        ({"translation_memory_threshold": "101"}, 400, "Value for 'translation_memory_threshold'"),
        ({"output_format": "docx"}, 400, "output_format not supported."),
        ({"output_format": "exe"}, 400, "output_format not supported."),
    ],
)
def test_what_does_not_go_together_is_refused(documents, fields, status, message):
    answer = documents.upload(**fields)
    assert answer.status_code == status, answer.text
    assert message in answer.json()["message"]


def test_a_style_is_for_its_own_language(documents, raw):
    style_id = raw("POST", "/v3/style_rules", json=STYLE).json()["style_id"]
    assert documents.upload(style_id=style_id).status_code == 400
    assert documents.upload(style_id=style_id, target_lang="FR").status_code == 200


def test_every_option_is_taken(documents, raw):
    entries = {"source_lang": "en", "target_lang": "de", "entries": "house\tHütte"}
    made = raw("POST", "/v3/glossaries", json={"name": "terms", "dictionaries": [entries]}).json()
    options = {
        "glossary_ids": made["glossary_id"],
        "formality": "prefer_more",
        "enable_watermark": "true",
        "enable_beta_languages": "1",
        "output_format": "txt",
        "model_type": "quality_optimized",
    }
    assert b"H\xc3\xbctte" in documents.result(documents.done(**options)).content


def test_a_memory_and_glossaries_are_used_inside_a_document(documents, raw):
    terms = [
        raw(
            "POST",
            "/v3/glossaries",
            json={
                "name": word,
                "dictionaries": [{"source_lang": "en", "target_lang": "de", "entries": entry}],
            },
        ).json()["glossary_id"]
        for word, entry in (("one", "red house\tHütte"), ("two", "garden\tPark"))
    ]
    options = {"glossary_ids": ",".join(terms), "translation_memory_id": imported(raw)}
    page = b"<p>The shoe fits.</p><p>The <b>red house</b> has a garden.</p>"
    done = documents.result(documents.done(page, "page.html", **options)).content.decode()
    assert "<p>Der Schuh passt.</p>" in done
    assert "<b>Hütte</b>" in done
    assert "Park" in done


MARKS = ("model_type_used", "marked_characters", "detected_source_language")


@pytest.fixture
def no_translator(running):
    running.state.translators = installed(["pseudo"])


def marks(status):
    assert status["status"] == "done"
    return tuple(status.get(name) for name in MARKS)


def test_the_status_says_that_a_document_was_only_marked(documents, no_translator):
    german = "Das Haus ist groß und hat einen schönen Garten hinter dem Hof."
    status = documents.wait(documents.send(german.encode(), source_lang=None, target_lang="JA"))
    assert marks(status) == ("pseudo", len(german), "DE")
    assert marks(documents.wait(documents.send(b"2 + 2 = 4"))) == ("unchanged", None, None)


def test_the_status_says_how_much_of_a_document_was_only_marked(documents, no_translator, raw):
    page = b"<p>The shoe fits.</p><p>The house has a garden.</p>"
    status = documents.wait(documents.send(page, "page.html", translation_memory_id=imported(raw)))
    assert marks(status) == ("pseudo, translation_memory", len("The house has a garden."), "EN")


def test_the_status_names_the_translator_and_nothing_was_marked(documents, running):
    running.state.translators = Engine(lambda texts: [text.upper() for text in texts])
    assert marks(documents.wait(documents.send())) == ("test", None, "EN")


def test_what_memory_or_glossary_have_all_of_is_not_marked(documents, no_translator, raw):
    page = b"<p>The shoe <b>fits</b>.</p>"
    body = {"name": "g", "source_lang": "en", "target_lang": "de", "entries": "shoe\tSchuh"}
    glossary = raw("POST", "/v2/glossaries", json=body).json()["glossary_id"]
    memory = {"translation_memory_id": imported(raw)}
    assert marks(documents.wait(documents.send(b"The shoe fits.", **memory)))[:2] == (
        "translation_memory",
        None,
    )
    assert marks(documents.wait(documents.send(b"Shoe", glossary_id=glossary)))[:2] == ("glossary", None)
    assert marks(documents.wait(documents.send(page, "page.html", **memory)))[0] == "pseudo"


def test_the_languages_of_a_document_are_detected(documents):
    german = "Das Haus ist groß und hat einen schönen Garten hinter dem Hof.".encode()
    handle = documents.done(german, source_lang=None, target_lang="FR")
    assert documents.result(handle).content.startswith(b"[FR] Das Haus")
    status = documents.wait(documents.send(german, source_lang=None))
    assert (status["status"], status["error_message"]) == ("error", "Source and target language are equal.")


def test_a_document_that_cannot_be_read_ends_in_an_error_that_says_why(documents):
    handle = documents.send(b"no zip", "broken.docx")
    status = documents.wait(handle)
    assert status["status"] == "error"
    assert status["error_message"] == status["message"] != ""
    answer = documents.result(handle)
    assert (answer.status_code, answer.json()["detail"]) == (400, status["error_message"])
    assert documents.owed() == 0


@pytest.mark.parametrize(
    ("name", "content"), [("a.exe", b"x"), ("txt", b"x"), ("", b"x"), ("a.txt", b""), ("a.", b"x")]
)
def test_what_is_no_document_is_refused(documents, name, content):
    answer = documents.upload(content, name)
    assert answer.status_code == 400
    assert answer.json()["message"] == "Invalid file data."


def test_the_name_may_be_a_field_of_the_form(documents):
    handle = documents.done(TEXT, "no extension", filename="../../up/über.txt")
    assert documents.result(handle).headers["Content-Disposition"] == "attachment; filename*=UTF-8''%C3%BCber.txt"


def test_a_file_is_as_large_as_its_kind_and_the_plan_allow(documents):
    assert documents.upload(b"\n" * 150_000, "a.srt").status_code == 200
    assert documents.upload(b"\n" * 150_001, "a.srt").status_code == 413
    assert documents.upload(bytes(10_000_001), "a.docx").status_code == 200
    with service.start(memory=True, account=service.Account(free=True)) as running:
        free = Documents(_raw(running))
        assert free.upload(bytes(10_000_001), "a.docx").status_code == 413


@pytest.mark.long
def test_a_document_has_a_million_characters_and_half_of_that_on_the_free_plan(documents):
    long = b"house " * 90_000
    assert documents.wait(documents.send(long))["status"] == "done"
    with service.start(memory=True, account=service.Account(free=True)) as running:
        free = Documents(_raw(running))
        status = free.wait(free.send(long))
        assert (status["status"], status["message"]) == (
            "error",
            "The document has more than 500,000 characters.",
        )


def test_a_key_needs_the_scope(running, documents):
    key = running.create_key(scopes=["translate:text"])
    handle = documents.send()
    assert documents.status(handle, key=key).status_code == 403
    assert documents.result(handle, key=key).status_code == 403
    allowed = running.create_key(scopes=["translate:document"])
    assert documents.status(handle, key=allowed).status_code == 200


def test_a_document_that_takes_too_long_ends_and_holds_nobody_up(documents, running):
    ended = threading.Event()
    running.state.translators = Engine(lambda texts: ended.wait(20) and texts)
    running.state.worker.deadline = 0.3
    stuck = [documents.send() for _ in range(3)]
    for handle in stuck:
        assert documents.wait(handle)["message"] == TOO_SLOW
    running.state.translators = Engine(lambda texts: texts)
    assert documents.wait(documents.send())["status"] == "done"
    ended.set()


def test_a_document_that_fails_unexpectedly_ends_in_an_error_and_its_texts_are_not_logged(documents, running, caplog):
    def fail(texts):
        raise RuntimeError(texts[0])

    running.state.translators = Engine(fail)
    with caplog.at_level(logging.DEBUG):
        assert documents.wait(documents.send(b"The secret house."))["message"] == FAILED
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_a_document_that_nobody_fetches_is_gone_after_a_day(documents, running):
    handle = documents.done()
    folder = running.state.documents._folder
    assert any(path.name.startswith(handle["document_id"]) for path in folder.iterdir())
    running.state.clock = lambda: now() + timedelta(hours=24, seconds=1)
    assert documents.status(handle).status_code == 404
    assert documents.result(handle).status_code == 404
    kept = documents.send()
    assert not any(path.name.startswith(handle["document_id"]) for path in folder.iterdir())
    assert any(path.name.startswith(kept["document_id"]) for path in folder.iterdir())


def _raw(running):
    from tests.conftest import Raw

    return Raw(running)
