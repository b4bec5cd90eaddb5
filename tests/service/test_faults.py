import socket
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse

import pytest
import requests

from svc_nb.service import Fault
from tests.counters import TRANSLATE
from tests.waiting import until

BODY = {"text": ["eins", "zwei"], "target_lang": "DE", "source_lang": "EN"}


def send(raw, **rest):
    return raw("POST", "/v2/translate", json=BODY, **rest)


def test_a_status_fault_takes_as_many_as_it_was_told(running, raw):
    fault = running.faults.add("status", status=503, count=2, operation="POST /v2/translate")
    assert [send(raw).status_code for _ in range(4)] == [503, 503, 200, 200]
    assert running.faults.taken(fault) == 2


def test_a_refusal_is_json_and_traced_and_may_carry_retry_after(running, raw):
    running.faults.add("status", status=529, retry_after=7)
    answer = send(raw)
    assert answer.headers["Retry-After"] == "7"
    assert answer.headers["X-Trace-ID"]
    assert answer.json() == {"message": "Service overloaded"}


def test_a_fault_leaves_other_operations_alone(running, raw):
    running.faults.add("status", status=500, operation="/v2/translate")
    assert raw("GET", "/v2/usage").status_code == 200
    assert send(raw).status_code == 500


def test_a_probability_hits_some_and_spares_some(running, raw):
    running.faults.add("status", status=503, probability=0.5)
    statuses = {send(raw).status_code for _ in range(60)}
    assert statuses == {200, 503}


def test_capacity_refuses_what_is_too_much_at_once_and_nothing_else(running, raw):
    running.faults.add("capacity", limit=2, retry_after=1)
    running.faults.add("latency", seconds=0.3)
    with ThreadPoolExecutor(6) as pool:
        statuses = sorted(answer.status_code for answer in pool.map(lambda _: send(raw), range(6)))
    assert statuses == [200, 200, 429, 429, 429, 429]
    assert send(raw).status_code == 200


def test_a_request_that_is_refused_takes_no_room_from_others(running):
    running.faults.add("capacity", limit=2)
    narrow = running.faults.add("capacity", limit=1, operation=TRANSLATE)
    room = running.faults.room
    with room(TRANSLATE) as first, room(TRANSLATE) as second, room("GET /v2/usage") as other:
        assert (first, second, other) == (None, narrow, None)


def test_latency_delays_the_answer(running, raw):
    running.faults.add("latency", seconds=0.3)
    started = time.monotonic()
    assert send(raw).status_code == 200
    assert time.monotonic() - started >= 0.3


def test_quota_ends_after_its_characters_and_never_bills_more(running, raw):
    running.faults.add("quota", characters=20, operation="/v2/translate")
    assert [send(raw).status_code for _ in range(4)] == [200, 200, 456, 456]
    assert raw("GET", "/v2/usage").json()["character_count"] == 16


@pytest.mark.parametrize("fault", [Fault("reset"), Fault("hang", seconds=0.2)])
def test_a_broken_connection_gives_no_answer(running, raw, fault):
    running.faults.add(fault)
    with pytest.raises(requests.ConnectionError):
        send(raw)
    running.faults.clear()
    assert send(raw).status_code == 200


def test_truncated_json_is_a_complete_http_answer_that_does_not_parse(running, raw):
    running.faults.add("truncate")
    answer = send(raw)
    assert answer.status_code == 200
    with pytest.raises(requests.JSONDecodeError):
        answer.json()


def test_a_wrong_number_of_results_is_valid_json(running, raw):
    running.faults.add("miscount")
    assert len(send(raw).json()["translations"]) == 1


def test_spoiled_answers_leave_errors_as_they_are(running, raw):
    running.faults.add("truncate")
    assert raw("POST", "/v2/translate", json={}).json()["message"] == "Parameter 'text' not specified."


def test_capacity_counts_what_it_refused(running, raw):
    fault = running.faults.add("capacity", limit=0, count=2)
    assert [send(raw).status_code for _ in range(3)] == [429, 429, 200]
    assert running.faults.taken(fault) == 2


def test_two_faults_of_one_kind_take_turns_and_equal_ones_stay_two(running, raw):
    running.faults.add("status", status=503, count=1)
    running.faults.add("status", status=500, count=1)
    running.faults.add("status", status=500, count=1)
    assert [send(raw).status_code for _ in range(4)] == [503, 500, 500, 200]


def test_a_quota_counts_forms_too_and_begins_anew_when_it_is_set_again(running, raw):
    fault = running.faults.add("quota", characters=5)
    form = {"text": ["four"], "target_lang": "DE"}
    assert [raw("POST", "/v2/translate", data=form).status_code for _ in range(2)] == [200, 456]
    running.faults.remove(fault)
    running.faults.add("quota", characters=5)
    assert raw("POST", "/v2/translate", data=form).status_code == 200


def test_operations_with_an_id_can_be_made_faulty(running, raw):
    running.faults.add("status", status=503, operation="GET /v3/glossaries/{glossary_id}")
    assert raw("GET", "/v3/glossaries/00000000-0000-0000-0000-000000000000").status_code == 503
    assert raw("GET", "/v3/glossaries").status_code == 200


def test_an_operation_there_is_not_is_refused(running):
    with pytest.raises(ValueError, match="no operation '/v2/transalte'"):
        running.faults.add("status", operation="/v2/transalte")


def test_a_hang_ends_when_the_caller_has_gone(running, raw):
    running.faults.add("hang", seconds=60)
    with pytest.raises(requests.ReadTimeout):
        raw.session.get(running.base_url + "/v2/usage", timeout=0.2)
    until(lambda: not running.traffic.in_flight)


@pytest.mark.parametrize(("kind", "path"), [("miscount", "/v2/glossaries"), ("truncate", "/v2/glossaries")])
def test_answers_without_json_are_spoiled_without_harm(running, raw, kind, path):
    entries = {"name": "n", "source_lang": "de", "target_lang": "en", "entries": "a\tb"}
    made = raw("POST", path, json=entries).json()["glossary_id"]
    running.faults.add(kind)
    assert raw("GET", f"{path}/{made}/entries").status_code == 200
    assert raw("DELETE", f"{path}/{made}").status_code == 204


def test_a_drip_takes_its_time_and_the_answer_is_whole(running, raw):
    whole = send(raw).json()
    until(lambda: not running.traffic.in_flight)
    running.faults.add("drip", seconds=1)
    started = time.monotonic()
    with send(raw, stream=True) as answer:
        assert running.traffic.in_flight  # the head is here, and the body is still on its way
        assert answer.json() == whole
    assert time.monotonic() - started >= 0.75


def test_early_hints_come_before_an_answer_that_is_whole(running, raw):
    running.faults.add("early_hints")
    _, _, port = running.base_url.rpartition(":")
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(b"GET /v2/usage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        came = b"".join(iter(lambda: connection.recv(65536), b""))
    assert came.count(b"HTTP/1.1 103 Early Hints") == 3
    assert came.count(b"HTTP/1.1 ") == 4


def test_a_gzip_bomb_is_small_on_the_wire(running, raw):
    running.faults.add("gzip_bomb")
    with send(raw, stream=True) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert int(answer.headers["Content-Length"]) < 4 * 2**20
        assert len(answer.raw.read(2**16, decode_content=True)) == 2**16


def test_a_second_answer_comes_as_late_as_it_was_told(running):
    running.faults.add("late_second_answer", seconds=0.2)
    _, _, port = running.base_url.rpartition(":")
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(b"GET /v2/usage HTTP/1.1\r\nHost: x\r\n\r\n")
        bodies = []
        for _ in range(2):
            started = time.monotonic()
            answer = HTTPResponse(connection)
            answer.begin()
            bodies.append(answer.read())
    assert time.monotonic() - started >= 0.1
    assert bodies[0] == bodies[1] != b""


def test_a_bare_list_is_miscounted_too(running, raw):
    whole = len(raw("GET", "/v2/languages").json())
    running.faults.add("miscount")
    assert len(raw("GET", "/v2/languages").json()) == whole - 1


def test_faults_are_read_from_a_line():
    line = "status status=503 probability=0.05 count=3 operation='POST /v2/translate'"
    assert Fault.parse(line) == Fault("status", status=503, probability=0.05, count=3, operation="POST /v2/translate")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "flood",
        "status code=3",
        "status status=x",
        "latency probability=2",
        "status status=200",
        "status count=0",
    ],
)
def test_a_line_that_means_nothing_is_refused(line):
    with pytest.raises(ValueError, match=r".+"):
        Fault.parse(line)
