"""Whatever is sent, the answer is a 4xx with a JSON body, and the account is as it was."""

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.waiting import until

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
WRITES = [
    ("POST", "/v2/translate"),
    ("POST", "/v2/write/rephrase"),
    ("POST", "/v2/write/correct"),
    ("POST", "/v3/detect/language"),
    ("POST", "/v3/style_rules"),
    ("POST", "/v2/glossaries"),
    ("POST", "/v3/glossaries"),
    ("PUT", "/v2/admin/developer-keys/limits"),
    ("PUT", "/v2/admin/developer-keys/label"),
    ("PUT", "/v2/admin/developer-keys/deactivate"),
]
BODIES = {
    "empty": b"",
    "not JSON": b"text=hello",
    "half of it": b'{"text": ["a"',
    "a list": b"[1, 2, 3]",
    "a number": b"17",
    "null": b"null",
    "wrong types": b'{"text": 1, "target_lang": [], "name": {}, "language": 3, "key_id": 1, "dictionaries": "x"}',
    "wrong members": b'{"text": [1, null], "target_lang": "DE", "name": "n", "dictionaries": [1], "key_id": null}',
    "invalid UTF-8": b'{"text": ["\xff\xfe"], "target_lang": "DE", "name": "\xff", "key_id": "\xff"}',
    "half a surrogate": b'{"text": ["\\ud800"], "target_lang": "DE", "name": "\\ud800", "key_id": "\\ud800"}',
    "a BOM": b'\xef\xbb\xbf{"text": ["a"], "target_lang": "DE"}',
    "deep nesting": b'{"text": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "deep nesting of something else": b'{"x": ' + b'{"y":' * 20_000 + b"1" + b"}" * 20_000 + b"}",
    "10 MiB and a byte": b'"' + b"a" * (10 * 1024 * 1024 - 1) + b'"',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_bad_body_is_refused_and_leaves_no_trace(running, raw, body):
    for method, path in WRITES:
        key = running.admin_key if "admin" in path else running.api_key
        answer = raw(method, path, data=body, headers=JSON, key=key)
        assert answer.status_code in (400, 413), (path, answer.text)
        assert answer.json()["message"]
        assert answer.headers["X-Trace-ID"]
    assert raw("GET", "/v2/usage").json()["character_count"] == 0
    assert raw("GET", "/v3/glossaries").json() == {"glossaries": []}
    assert raw("GET", "/v3/style_rules").json() == {"style_rules": []}


@pytest.mark.parametrize("media", ["text/plain", "application/xml", "multipart/form-data; boundary=x", ""])
def test_another_media_type_is_415_with_its_code(running, raw, media):
    for method, path in WRITES:
        key = running.admin_key if "admin" in path else running.api_key
        answer = raw(method, path, data=b'{"text": ["a"]}', headers={"Content-Type": media}, key=key)
        assert answer.status_code == 415
        assert answer.json()["code"] == "invalid_content_type"


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"target_lang": "XX"}, "target_lang"),
        ({"source_lang": "Klingon"}, "source_lang"),
        ({"formality": "rude"}, "formality"),
        ({"split_sentences": "2"}, "split_sentences"),
        ({"model_type": "magic"}, "model_type"),
        ({"tag_handling": "yaml"}, "tag_handling"),
        ({"text": []}, "text"),
        ({"text": "a bare string"}, "text"),
        ({"translation_memory_threshold": "many"}, "translation_memory_threshold"),
        ({"glossary_id": "x", "glossary_ids": ["y"]}, "glossary_ids"),
    ],
)
def test_an_unknown_value_is_400_and_named(raw, changed, complaint):
    body = {"text": ["hello"], "target_lang": "DE", "source_lang": "EN", **changed}
    answer = raw("POST", "/v2/translate", json=body)
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]
    assert raw("GET", "/v2/usage").json()["character_count"] == 0


def test_forms_are_taken_where_the_contract_allows(raw):
    form = b"text=one%2C+two&text=three&target_lang=de&show_billed_characters=1"
    answer = raw("POST", "/v2/translate", data=form, headers=FORM)
    assert [each["billed_characters"] for each in answer.json()["translations"]] == [8, 5]
    assert len(raw("POST", "/v3/detect/language", data=form, headers=FORM).json()["results"]) == 2
    glossary = b"name=form&source_lang=DE&target_lang=EN&entries=Haus%09house&entries_format=tsv"
    assert raw("POST", "/v2/glossaries", data=glossary, headers=FORM).status_code == 201


@pytest.mark.parametrize(
    "form",
    [b"text=%ff&target_lang=de", b"\xff=1", b"text=a&target_lang=de&target_lang=fr", b"&" * 5000 + b"text=a"],
)
def test_a_bad_form_is_400(raw, form):
    answer = raw("POST", "/v2/translate", data=form, headers=FORM)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_a_form_where_only_json_is_allowed_is_415(raw):
    assert raw("POST", "/v3/style_rules", data=b"name=a", headers=FORM).status_code == 415


def test_a_charset_in_the_content_type_is_fine(raw):
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    answer = raw("POST", "/v3/detect/language", data='{"text": ["Grüße an alle"]}'.encode(), headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/nothing", 404),
        ("GET", "/", 404),
        ("GET", "/v2/usage/", 404),
        ("DELETE", "/v2/translate", 405),
        ("GET", "/v2/translate", 405),
        ("PROPFIND", "/v2/usage", 405),
        ("GET", "/v3/glossaries/..%2f..", 404),
        ("GET", "/v3/glossaries/not-an-id", 400),
        ("GET", "/v3/glossaries/00000000-0000-0000-0000-000000000000", 404),
        ("GET", "/v3/style_rules/nothing", 404),
    ],
)
def test_what_is_not_there_is_said_in_json(raw, method, path, status):
    answer = raw(method, path)
    assert answer.status_code == status
    assert answer.json()["message"]
    assert answer.headers["X-Trace-ID"]


@pytest.mark.parametrize("line", [b"nonsense\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_what_is_no_http_is_400_in_json_with_a_trace(running, line):
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.sendall(line)
        answer = b""
        while chunk := connection.recv(4096):
            answer += chunk
    assert b" 400 " in answer.splitlines()[0]
    assert b"x-trace-id: " in answer
    assert b'"message"' in answer


def test_405_says_what_is_allowed(raw):
    assert raw("DELETE", "/v3/glossaries").headers["Allow"] == "GET, POST"


@pytest.mark.parametrize("size", [17_000, 3_000_000])
def test_a_head_of_more_than_16_kib_is_400(running, size):
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.settimeout(10)
        try:
            connection.sendall(b"GET /v2/usage HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * size + b"\r\n\r\n")
            answer = connection.recv(4096)
        except ConnectionError:  # it was refused before all of it was sent
            return
    assert b" 400 " in answer.splitlines()[0]


def test_a_form_of_instructions_keeps_their_commas(raw):
    form = {
        "text": "Guten Tag",
        "target_lang": "EN",
        "custom_instructions": "Short, please, " * 10 + "and kind.",
    }
    assert raw("POST", "/v2/translate", data=form).status_code == 200


@pytest.mark.long
def test_a_slow_large_body_does_not_hold_up_the_others(running, raw):
    entries = "&".join(f"x{number}=1" for number in range(900)) + "&entries=" + "a%09b%0A" * 1_000_000
    headers = {"Authorization": f"Service-Auth-Key {running.api_key}", **FORM}
    with ThreadPoolExecutor(1) as pool:
        large = pool.submit(
            requests.post, running.base_url + "/v2/glossaries", data=entries, headers=headers, timeout=60
        )
        answered = 0
        while not large.done():
            assert raw("GET", "/v2/usage").status_code == 200
            answered += 1
    assert large.result().status_code == 400
    assert answered > 3


def test_a_caller_who_hangs_up_is_counted_and_no_failure(running, caplog):
    head = (
        f"POST /v2/translate HTTP/1.1\r\nHost: x\r\nAuthorization: Service-Auth-Key {running.api_key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.sendall(head.encode() + b'{"text"')
        until(lambda: running.traffic.in_flight)
    until(lambda: not running.traffic.in_flight)
    assert running.traffic.answered["POST /v2/translate", 499] == 1
    assert "Traceback" not in caplog.text
