"""Voice sessions in plain HTTP: what is asked is checked, tokens are good once, and no audio is streamed."""

from __future__ import annotations

from datetime import timedelta

import pytest
import requests

from svc_nb import service
from svc_nb.service.ledger import SPEECH

PATH = "/v3/voice/realtime"
AUTO = {"source_media_content_type": "audio/auto"}
UNKNOWN = "00000000-0000-0000-0000-000000000000"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=["pseudo"]) as started:
        yield started


@pytest.fixture
def running(lasting):
    """One service for all tests of this file; its clock goes right again after each."""
    clock = lasting.state.clock
    yield lasting
    lasting.state.clock = clock


def ask(raw, **fields):
    return raw("POST", PATH, json={**AUTO, **fields})


def begun(raw, **fields):
    answer = ask(raw, **fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def connect(raw, session):
    url = session["streaming_url"].replace("ws://", "http://")
    return raw.session.get(url, params={"token": session["token"]}, headers=UPGRADE, timeout=10)


def later(running, **time):
    moment = running.state.clock() + timedelta(**time)
    running.state.clock = lambda: moment


def test_a_session_has_an_address_a_token_and_an_id(running, raw):
    one, other = begun(raw), begun(raw)
    assert set(one) == {"streaming_url", "token", "session_id"}
    assert one["streaming_url"].startswith(f"ws://127.0.0.1:{running.port}/")
    assert one["token"] != other["token"]
    assert one["session_id"] != other["session_id"]
    assert one["token"] not in one["streaming_url"]


def test_everything_that_the_contract_names_can_be_asked_for(raw):
    glossary = {"name": "n", "dictionaries": [{"source_lang": "de", "target_lang": "en", "entries": "a\tb"}]}
    glossary_id = raw("POST", "/v3/glossaries", json=glossary).json()["glossary_id"]
    spoken = {"name": "n", "term_lists": [{"lang": "de", "entries": "Kubernetes"}]}
    spoken_terms_id = raw("POST", "/v3/spoken-terms", json=spoken).json()["spoken_terms_id"]
    begun(
        raw,
        source_media_content_type="audio/PCM; encoding=s16le; rate=16000",
        message_format="msgpack",
        source_language="DE",
        source_language_mode="fixed",
        target_languages=["en-US", "fr", "it", "ja", "zh-Hant"],
        target_media_languages=["en-GB"],
        target_media_content_type="audio/opus",
        target_media_voice="female",
        spoken_terms_id=spoken_terms_id,
        glossary_ids=[glossary_id],
        formality="informal",
    )
    begun(raw, glossary_id=glossary_id, source_language="bn")


@pytest.mark.parametrize(
    "wrong",
    [
        {"source_media_content_type": "audio/midi"},
        {"source_media_content_type": None},
        {"target_media_content_type": "audio/mpeg"},
        {"message_format": "xml"},
        {"source_language": "xx"},
        {"source_language_mode": "fixed"},
        {"target_languages": ["de", "en", "fr", "it", "ja", "ko"]},
        {"target_languages": ["xx"]},
        {"target_media_languages": ["de", "en"]},
        {"target_media_languages": ["th"]},
        {"target_media_voice": "robot"},
        {"formality": "prefer_more"},
        {"spoken_terms_id": UNKNOWN},
        {"spoken_terms_id": "no id"},
        {"glossary_id": UNKNOWN},
        {"glossary_ids": [UNKNOWN]},
        {"glossary_id": UNKNOWN, "glossary_ids": [UNKNOWN]},
    ],
)
def test_what_is_not_in_the_contract_is_a_bad_request(raw, wrong):
    answer = ask(raw, **wrong)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_a_missing_media_type_is_named(raw):
    assert "source_media_content_type" in raw("POST", PATH, json={}).json()["message"]


@pytest.mark.parametrize(("tag", "status"), [("Team-7", 200), ("two words", 400), ("x" * 101, 400)])
def test_the_reporting_tag_is_checked(raw, tag, status):
    answer = raw("POST", PATH, json=AUTO, headers={"X-Service-Reporting-Tag": tag})
    assert answer.status_code == status


def test_a_key_that_has_spent_its_minutes_gets_no_session(running, raw):
    made = raw.admin("POST", "/v2/admin/developer-keys", json={"label": "speaker"}).json()
    cap = {"key_id": made["key_id"], "speech_to_text_milliseconds": 1000}
    assert raw.admin("PUT", "/v2/admin/developer-keys/limits", json=cap).status_code == 200
    for units, status in ((999, 200), (1, 456)):
        running.record_usage(made["api_key"], SPEECH, units, moment=running.state.clock())
        assert raw("POST", PATH, json=AUTO, key=made["api_key"]).status_code == status


def test_a_right_token_is_told_that_there_is_no_stream_and_is_used_up(raw):
    session = begun(raw)
    answer = connect(raw, session)
    assert answer.status_code == 501
    assert "streams no audio" in answer.json()["message"]
    assert connect(raw, session).status_code == 403


def test_a_wrong_or_missing_token_opens_nothing(raw):
    session = begun(raw)
    assert connect(raw, {**session, "token": "wrong"}).status_code == 403
    url = session["streaming_url"].replace("ws://", "http://")
    assert raw.session.get(url, timeout=10).status_code == 400


def test_a_reconnect_gives_the_same_session_a_new_token_once(raw):
    session = begun(raw)
    connect(raw, session)
    answer = raw("GET", PATH, params={"token": session["token"]})
    assert answer.status_code == 200
    again = answer.json()
    assert (again["session_id"], again["streaming_url"]) == (session["session_id"], session["streaming_url"])
    assert again["token"] != session["token"]
    assert raw("GET", PATH, params={"token": session["token"]}).status_code == 403
    assert connect(raw, session).status_code == 403
    assert connect(raw, again).status_code == 501


def test_a_token_is_good_for_a_minute_and_for_a_reconnect_for_an_hour(running, raw):
    session = begun(raw)
    later(running, seconds=61)
    assert connect(raw, session).status_code == 403
    again = raw("GET", PATH, params={"token": session["token"]}).json()
    later(running, seconds=3601)
    assert raw("GET", PATH, params={"token": again["token"]}).status_code == 403


def test_a_reconnect_wants_a_key_as_well(running, raw):
    token = begun(raw)["token"]
    answer = raw.session.get(running.base_url + PATH, params={"token": token}, timeout=10)
    assert answer.status_code == 401


def test_a_free_account_has_neither_voice_nor_spoken_terms_nor_text_improvement():
    with service.start(memory=True, translators=["pseudo"], account=service.Account(free=True)) as running:
        headers = {"Authorization": f"Service-Auth-Key {running.api_key}"}
        answers = [
            requests.post(running.base_url + PATH, json=AUTO, headers=headers, timeout=10),
            requests.get(f"{running.base_url}/v3/spoken-terms", headers=headers, timeout=10),
            requests.post(f"{running.base_url}/v2/write/correct", json={"text": ["a"]}, headers=headers, timeout=10),
        ]
    assert [each.status_code for each in answers] == [403, 403, 403]
    assert all("not available for your plan" in each.json()["message"] for each in answers)
