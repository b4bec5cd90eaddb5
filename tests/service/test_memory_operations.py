"""Translation memories over HTTP: imports, exports, segments, signed addresses, and translations that use one."""

import time
from datetime import timedelta

import pytest
import requests

from svc_nb import service
from svc_nb.service.database import now
from svc_nb.service.memories.jobs import batches
from svc_nb.service.memories.tmx import Text, Unit
from tests.waiting import until

PATH = "/v3/translation_memories"
HEADER = (
    '<header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="{}" '
    'datatype="plaintext"/>'
)
UNKNOWN = "00000000-0000-0000-0000-000000000000"
XML = {"Content-Type": "application/xml"}


def tmx(*units, srclang="en"):
    """A TMX file: each unit is a mapping from language to text."""
    body = "".join(
        "<tu>" + "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in unit.items()) + "</tu>"
        for unit in units
    )
    return f'<tmx version="1.4">{HEADER.format(srclang)}<body>{body}</body></tmx>'.encode()


SHOES = tmx(
    {"en": "Good morning", "de": "Moin", "fr": "Salut"},
    {"en": "The shoe fits.", "de": "Der Schuh passt."},
    {"en": "Press <ph x='1'/> now", "de": "Jetzt <ph x='1'/> drücken"},
)


def begun(raw, content, name="Shoes", **file):
    told = {"file_name": "shoes.tmx", "content_length": len(content), **file}
    body = {"source_file": told, "parameters": {"display_name": name}}
    answer = raw("POST", f"{PATH}/import", json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()


def put(url, content, **headers):
    with requests.Session() as session:
        session.trust_env = False
        return session.put(url, data=content, headers={**XML, **headers}, timeout=60)


def taken(url):
    with requests.Session() as session:
        session.trust_env = False
        return session.get(url, timeout=60)


def result(raw, job_id):
    answer = raw("GET", f"{PATH}/jobs/{job_id}")
    assert answer.status_code == 200
    (only,) = answer.json()["results"]
    return only


def ended(raw, job_id):
    under_way = ("awaiting_input", "processing")
    return until(lambda: (found := result(raw, job_id))["status"] not in under_way and found)


def imported(raw, content=SHOES, name="Shoes"):
    job = begun(raw, content, name)
    assert put(job["upload_url"], content).status_code == 200
    found = ended(raw, job["job_id"])
    assert found["status"] == "completed", found
    return found["translation_memory_id"]


def translated(raw, texts, memory_id, **more):
    body = {
        "text": texts,
        "target_lang": "DE",
        "source_lang": "EN",
        "translation_memory_id": memory_id,
        **more,
    }
    return raw("POST", "/v2/translate", json=body, headers={"Prefer": "model_type_used"})


def texts(answer):
    assert answer.status_code == 200, answer.text
    return [each["text"] for each in answer.json()["translations"]]


# ---- imports


def test_a_file_becomes_a_memory_that_is_listed_and_shown(raw):
    memory_id = imported(raw)
    shown = raw("GET", f"{PATH}/{memory_id}").json()
    assert shown | {"creation_time": "", "updated_time": ""} == {
        "translation_memory_id": memory_id,
        "name": "Shoes",
        "source_language": "en",
        "target_languages": ["de", "fr"],
        "segment_count": 3,
        "creation_time": "",
        "updated_time": "",
    }
    assert raw("GET", PATH).json() == {"translation_memories": [shown], "total_count": 1}


def test_a_job_waits_for_its_file_and_then_says_what_became_of_it(raw):
    job = begun(raw, SHOES)
    assert set(job) == {"job_id", "upload_url", "expires_at"}
    shown = raw("GET", f"{PATH}/jobs/{job['job_id']}").json()
    assert (shown["product"], shown["operation"]) == ("translation_memory", "import")
    assert shown["parameters"] == {"display_name": "Shoes"}
    assert shown["source_file"] == {"content_type": "application/xml", "content_length": len(SHOES)}
    (waiting,) = shown["results"]
    assert waiting["status"] == "awaiting_input"
    assert waiting["status_metadata"] == {"required_action": "upload_file"}
    put(job["upload_url"], SHOES)
    assert ended(raw, job["job_id"])["skipped_segment_count"] == 0


def test_an_import_can_be_made_to_take_its_time():
    with service.start(memory=True, account=service.Account(memory_seconds=0.6)) as running:
        from tests.conftest import Raw

        raw = Raw(running)
        job = begun(raw, SHOES)
        put(job["upload_url"], SHOES)
        seen = []
        while (status := result(raw, job["job_id"])["status"]) not in ("completed", "failed"):
            seen.append(status)
            time.sleep(0.02)
        assert list(dict.fromkeys(seen)) == ["awaiting_input", "processing"]
        raw.session.close()


def test_a_memory_is_called_as_its_file_where_it_has_no_name(raw):
    answer = raw("POST", f"{PATH}/import", json={"source_file": {"file_name": "a.b.tmx", "content_length": 1}})
    shown = raw("GET", f"{PATH}/jobs/{answer.json()['job_id']}").json()
    assert shown["parameters"] == {"display_name": "a.b"}


def test_what_a_memory_cannot_have_is_skipped_and_counted(raw):
    content = tmx(
        {"en-US": "a", "de-AT": "b", "pt": "c"},
        {"fr": "only"},
        {"en": " ", "de": "empty"},
        {"en": "same", "en-GB": "same"},
        {"en": "z", "zh-CN": "一", "zh-TW": "二", "es-MX": "x"},
    )
    job = begun(raw, content)
    put(job["upload_url"], content)
    found = ended(raw, job["job_id"])
    memory = raw("GET", f"{PATH}/{found['translation_memory_id']}").json()
    assert (memory["segment_count"], memory["source_language"]) == (2, "en")
    assert memory["target_languages"] == ["de", "es-419", "zh-hans"]
    assert found["skipped_segment_count"] == 5


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no xml at all", "no well-formed XML"),
        (SHOES[:-20], "no well-formed XML"),
        (b"<html/>", "not TMX"),
        (tmx({"pt": "a", "nl": "b"}), "no segment in a language pair"),
        (tmx(), "no segment"),
        (b'<!DOCTYPE tmx [<!ENTITY a "b">]>' + tmx({"en": "&a;", "de": "b"}), "declares entities"),
        (tmx({"en": "<hi>" * 10_000 + "</hi>" * 10_000, "de": "b"}), "no well-formed XML"),
    ],
)
def test_a_file_that_cannot_be_read_fails_with_the_reason_and_leaves_nothing(raw, running, content, reason):
    job = begun(raw, content)
    put(job["upload_url"], content)
    found = ended(raw, job["job_id"])
    assert found["status"] == "failed"
    assert reason in found["error"]["message"]
    assert raw("GET", PATH).json()["total_count"] == 0


def test_segments_are_kept_in_runs_that_need_little_memory_however_long_they_are():
    units = [Unit("en", [Text("en", "a" * length), Text("de", "b")]) for length in [10] * 2500 + [3_000_000] * 5]
    runs = list(batches(units))
    assert [unit for run in runs for unit in run] == units
    assert max(map(len, runs)) == 1000
    assert max(sum(len(unit.texts[0].plain) for unit in run) for run in runs) < 8_000_000
    assert list(batches([])) == []


def test_a_file_cut_in_the_middle_leaves_no_half_memory(raw, running):
    content = tmx(*({"en": f"sentence {number}", "de": f"Satz {number}"} for number in range(3000)))[:-20]
    job = begun(raw, content)
    put(job["upload_url"], content)
    assert ended(raw, job["job_id"])["status"] == "failed"
    assert raw("GET", PATH).json()["total_count"] == 0


@pytest.mark.parametrize(
    "file",
    [
        {"file_name": "", "content_length": 1},
        {"file_name": "x" * 101, "content_length": 1},
        {"file_name": "a.tmx", "content_length": 0},
        {"file_name": "a.tmx", "content_length": 1_000_000_001},
        {"file_name": "a.tmx", "content_length": 1, "content_type": "x" * 128},
        {"content_length": 1},
    ],
)
def test_what_an_import_may_not_say_is_a_bad_request(raw, file):
    assert raw("POST", f"{PATH}/import", json={"source_file": file}).status_code == 400


# ---- signed addresses


def test_an_upload_needs_no_key_but_the_whole_address(raw):
    job = begun(raw, SHOES)
    url = job["upload_url"]
    for wrong in (
        url[:-1],
        url + "0",
        url.replace("signature", "sign"),
        url.replace("expires=1", "expires=2"),
    ):
        assert put(wrong, SHOES).status_code == 403
    other = begun(raw, SHOES)
    assert put(url.replace(job["job_id"], other["job_id"]), SHOES).status_code == 403
    assert taken(url).status_code == 403  # the right to give is not the right to take
    assert result(raw, job["job_id"])["status"] == "awaiting_input"
    assert put(url, SHOES).status_code == 200


def test_an_upload_is_the_file_that_was_announced(raw):
    job = begun(raw, SHOES)
    assert put(job["upload_url"], SHOES + b" ").status_code == 400
    assert put(job["upload_url"], iter([SHOES, b" "])).status_code == 400
    assert put(job["upload_url"], SHOES, **{"Content-Type": "text/plain"}).status_code == 403
    assert result(raw, job["job_id"])["status"] == "awaiting_input"


def test_a_second_upload_changes_nothing(raw):
    job = begun(raw, SHOES)
    assert put(job["upload_url"], SHOES).status_code == 200
    ended(raw, job["job_id"])
    assert put(job["upload_url"], SHOES).status_code == 200
    assert raw("GET", PATH).json()["total_count"] == 1


def test_addresses_and_jobs_expire(raw, running):
    job = begun(raw, SHOES)
    exported = raw("POST", f"{PATH}/{imported(raw)}/export").json()
    url = result(raw, exported["job_id"])["download_url"]
    running.state.clock = lambda: now() + timedelta(hours=2)
    assert put(job["upload_url"], SHOES).status_code == 403
    assert taken(url).status_code == 403
    assert result(raw, job["job_id"])["status"] == "expired"
    assert result(raw, exported["job_id"]) == {"status": "expired"}


def test_an_import_that_a_process_left_behind_is_seen_to_have_failed(raw, running):
    job = begun(raw, SHOES)
    with running.state.database.write() as connection:
        connection.execute("UPDATE memory_jobs SET begun = 1, status = 'processing'")
    running.state.clock = lambda: now() + timedelta(minutes=10)
    found = result(raw, job["job_id"])
    assert found["status"] == "failed"
    assert "import it again" in found["error"]["message"]


# ---- exports


def test_an_export_is_the_file_with_its_tags_and_can_be_imported_again(raw):
    memory_id = imported(raw)
    answer = raw("POST", f"{PATH}/{memory_id}/export")
    assert answer.status_code == 202
    assert answer.json()["parameters"] == {"translation_memory_id": memory_id}
    found = result(raw, answer.json()["job_id"])
    assert (found["status"], found["translation_memory_id"]) == ("completed", memory_id)
    file = taken(found["download_url"])
    assert file.headers["Content-Type"].startswith("application/xml")
    assert '<seg>Jetzt <ph x="1"/> drücken</seg>' in file.content.decode()
    again = imported(raw, file.content, "again")
    assert bare(raw, again) == bare(raw, memory_id)


def test_an_export_that_is_there_is_used_again_until_the_memory_is_gone(raw):
    memory_id = imported(raw)
    first, second = (raw("POST", f"{PATH}/{memory_id}/export") for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json() == second.json()
    url = result(raw, first.json()["job_id"])["download_url"]
    assert raw("DELETE", f"{PATH}/{memory_id}").status_code == 204
    assert taken(url).status_code == 404
    assert raw("POST", f"{PATH}/{memory_id}/export").status_code == 404


# ---- segments


def bare(raw, memory_id, **query):
    """The segments of a memory without ids and times, page by page."""
    found, cursor = [], None
    while True:
        answer = raw("GET", f"{PATH}/{memory_id}/segments", params={**query, "page_cursor": cursor}).json()
        found += [
            (each["source_text"], {one["target_language"]: one["target_text"] for one in each["targets"]})
            for each in answer["segments"]
        ]
        cursor = answer.get("next_page_cursor")
        if cursor is None:
            return found


def test_segments_come_page_by_page_in_their_order(raw):
    content = tmx(*({"en": f"sentence {number}", "de": f"Satz {number}"} for number in range(1234)))
    memory_id = imported(raw, content)
    assert bare(raw, memory_id, page_size=100) == [
        (f"sentence {number}", {"de": f"Satz {number}"}) for number in range(1234)
    ]
    one = raw("GET", f"{PATH}/{memory_id}/segments", params={"filter_text": "sentence 7"}).json()
    assert len(one["segments"]) == 50
    assert one["segment_count"] == 1234


def test_a_filter_looks_at_both_sides_with_or_without_capitals(raw):
    memory_id = imported(raw)
    assert [source for source, _ in bare(raw, memory_id, filter_text="SCHUH")] == ["The shoe fits."]
    assert bare(raw, memory_id, filter_text="SCHUH", filter_case_sensitive="true") == []
    assert len(bare(raw, memory_id, filter_text="Good", filter_case_sensitive="true")) == 1
    assert raw("GET", f"{PATH}/{memory_id}/segments", params={"filter_text": "x"}).status_code == 400


def test_a_cursor_is_bound_to_its_memory_and_filter(raw):
    memory_id, other = imported(raw), imported(raw)
    ask = f"{PATH}/{memory_id}/segments"
    cursor = raw("GET", ask, params={"page_size": 1}).json()["next_page_cursor"]
    assert raw("GET", ask, params={"page_cursor": cursor}).status_code == 200
    for query in ({"filter_text": "shoe"}, {"filter_case_sensitive": "true"}):
        assert raw("GET", ask, params={"page_cursor": cursor, **query}).status_code == 400
    assert raw("GET", f"{PATH}/{other}/segments", params={"page_cursor": cursor}).status_code == 400
    for wrong in ("", "x", "é", "AAAA" * 100):
        assert raw("GET", ask, params={"page_cursor": wrong}).status_code == 400


def test_the_list_has_pages(raw):
    for number in range(3):
        imported(raw, name=str(number))
    pages = [raw("GET", PATH, params={"page": page, "page_size": 2}).json() for page in range(3)]
    assert [[each["name"] for each in page["translation_memories"]] for page in pages] == [
        ["0", "1"],
        ["2"],
        [],
    ]
    assert {page["total_count"] for page in pages} == {3}
    for query in ({"page_size": 26}, {"page_size": 0}, {"page": -1}):
        assert raw("GET", PATH, params=query).status_code == 400


# ---- rights and ids


def test_what_is_no_id_is_a_bad_request_and_an_unknown_one_is_not_found(raw):
    for method, rest in (("GET", ""), ("DELETE", ""), ("GET", "/segments"), ("POST", "/export")):
        assert raw(method, f"{PATH}/{UNKNOWN}{rest}").status_code == 404
        assert raw(method, f"{PATH}/x{rest}").status_code == 400
    assert raw("GET", f"{PATH}/jobs/{UNKNOWN}").status_code == 404


def test_reading_and_writing_have_their_scopes(raw, running):
    memory_id = imported(raw)
    reader = running.create_key("reader", scopes=["translation_memories:read"])
    writer = running.create_key("writer", scopes=["translation_memories:write"])
    start = {"source_file": {"file_name": "a.tmx", "content_length": 1}}
    asked = {
        ("GET", PATH): reader,
        ("GET", f"{PATH}/{memory_id}"): reader,
        ("GET", f"{PATH}/{memory_id}/segments"): reader,
        ("POST", f"{PATH}/{memory_id}/export"): reader,
        ("POST", f"{PATH}/import"): writer,
        ("DELETE", f"{PATH}/{memory_id}"): writer,
    }
    for (method, path), allowed in asked.items():
        refused = writer if allowed is reader else reader
        body = {"json": start} if path.endswith("import") else {}
        assert raw(method, path, key=refused, **body).status_code == 403
        assert raw(method, path, key=allowed, **body).status_code < 300


# ---- translations


def test_a_translation_takes_what_the_memory_has_as_it_is(raw):
    memory_id = imported(raw)
    answer = translated(raw, ["Good morning", " Good  morning\n", "Something else"], memory_id)
    first, second, third = texts(answer)
    assert (first, second) == ("Moin", " Moin\n")
    assert third != "Something else"
    engines = [each["model_type_used"] for each in answer.json()["translations"]]
    assert engines[:2] == ["translation_memory"] * 2
    assert engines[2] != "translation_memory"


def test_each_sentence_of_a_text_is_looked_for(raw):
    (made,) = texts(translated(raw, ["What else? The shoe fits. Good morning."], imported(raw)))
    assert made.endswith("Der Schuh passt. Moin.")


def test_the_threshold_decides_what_is_similar_enough(raw):
    memory_id = imported(raw)
    for threshold, found in ((60, True), (75, False), (100, False)):
        (made,) = texts(translated(raw, ["The boot fits."], memory_id, translation_memory_threshold=threshold))
        assert (made == "Der Schuh passt.") is found
    assert translated(raw, ["a"], memory_id, translation_memory_threshold=101).status_code == 400


def test_a_glossary_has_the_last_word(raw):
    memory_id = imported(raw)
    for target, expected in (("Schuh", True), ("Treter", False)):
        body = {
            "name": "n",
            "dictionaries": [{"source_lang": "en", "target_lang": "de", "entries": f"shoe\t{target}"}],
        }
        glossary_id = raw("POST", "/v3/glossaries", json=body).json()["glossary_id"]
        (made,) = texts(translated(raw, ["The shoe fits."], memory_id, glossary_id=glossary_id))
        assert (made == "Der Schuh passt.") is expected
        assert target in made


def test_tags_stay_and_sentences_between_them_are_looked_for(raw):
    memory_id = imported(raw)
    text = "<p>Good morning</p><p>The <b>shoe</b> fits.</p>"
    (made,) = texts(translated(raw, [text], memory_id, tag_handling="xml"))
    assert made.startswith("<p>Moin</p><p>")
    assert made.count("<b>") == made.count("</b>") == 1


def test_a_memory_with_tags_gives_its_words(raw):
    assert texts(translated(raw, ["Press now"], imported(raw))) == ["Jetzt drücken"]


def test_a_memory_serves_variants_of_its_languages(raw):
    content = tmx({"de": "Farbe", "en-GB": "colour"}, srclang="de")
    memory_id = imported(raw, content)
    asked = {"source_lang": "DE", "translation_memory_id": memory_id}
    answers = {
        target: raw("POST", "/v2/translate", json={"text": ["Farbe"], "target_lang": target, **asked})
        for target in ("EN-GB", "EN", "EN-US", "FR")
    }
    assert texts(answers["EN-GB"]) == texts(answers["EN"]) == ["colour"]
    for target in ("EN-US", "FR"):
        assert answers[target].status_code == 404
        assert f"does not support the target language {target}" in answers[target].json()["message"]
    other = {**asked, "text": ["Farbe"], "source_lang": "FR", "target_lang": "EN-GB"}
    answer = raw("POST", "/v2/translate", json=other)
    assert answer.status_code == 404
    assert "does not support the source language FR" in answer.json()["message"]
    back = {"text": ["colour"], "source_lang": "EN", "target_lang": "DE", "translation_memory_id": memory_id}
    assert raw("POST", "/v2/translate", json=back).status_code == 404


def test_a_memory_that_is_not_there_is_not_found(raw):
    memory_id = imported(raw)
    raw("DELETE", f"{PATH}/{memory_id}")
    assert translated(raw, ["Good morning"], memory_id).status_code == 404
    assert translated(raw, ["Good morning"], "x").status_code == 404


def test_texts_in_another_language_than_the_memory_are_translated_without_it(raw):
    memory_id = imported(raw)
    body = {
        "text": ["Good morning", "Bonjour tout le monde, comment allez-vous ?"],
        "target_lang": "DE",
        "translation_memory_id": memory_id,
    }
    answer = raw("POST", "/v2/translate", json=body)
    assert answer.status_code == 200
    assert [each["detected_source_language"] for each in answer.json()["translations"]][1] == "FR"


def test_a_document_is_translated_by_the_memory(raw):
    asked = {"target_lang": "DE", "source_lang": "EN", "translation_memory_id": imported(raw)}
    file = {"file": ("a.txt", b"The shoe fits. What now?\n")}
    handle = raw("POST", "/v2/document", data=asked, files=file).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    until(lambda: raw("POST", path, data=key).json()["status"] in ("done", "error"))
    assert raw("POST", f"{path}/result", data=key).text.startswith("Der Schuh passt. ")
    refused = raw("POST", "/v2/document", data={**asked, "target_lang": "IT"}, files=file)
    assert refused.status_code == 404


def test_memories_survive_the_service(tmp_path):
    from tests.conftest import Raw

    with service.start(folder=tmp_path) as running:
        raw = Raw(running)
        memory_id = imported(raw)
        raw.session.close()
    with service.start(folder=tmp_path) as running:
        raw = Raw(running)
        assert texts(translated(raw, ["Good morning"], memory_id)) == ["Moin"]
        assert len(bare(raw, memory_id)) == 3
        raw.session.close()
