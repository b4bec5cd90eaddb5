"""The service as a process and as a thread: ports, folders, signals, logs."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from svc_nb import service
from tests import forked
from tests.waiting import until

TEXT = "a very private sentence"


class Alone:
    """`python -m svc_nb.service` as a person runs it."""

    def __init__(self, folder, *arguments):
        command = [sys.executable, "-m", "svc_nb.service", "--folder", str(folder), *arguments]
        self.process = forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.base_url = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.keys_line = self.process.stdout.readline()
        self.keys = json.loads(Path(self.keys_line.removeprefix("Its keys are in ").strip()).read_text())

    def send(self, method, path, **rest):
        headers = {"Authorization": f"Service-Auth-Key {self.keys['api_key']}", "Connection": "close"}
        return requests.request(method, self.base_url + path, headers=headers, timeout=30, **rest)

    def glossary(self, name):
        entry = {"source_lang": "de", "target_lang": "en", "entries": "a\tb"}
        answer = self.send("POST", "/v3/glossaries", json={"name": name, "dictionaries": [entry]})
        assert answer.status_code == 201
        return answer.json()["glossary_id"]

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def alone(tmp_path):
    started = []

    def start(*arguments):
        started.append(Alone(tmp_path, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        each.process.stdout.close()
        each.process.stderr.close()


def test_sigterm_ends_it_cleanly(alone):
    running = alone()
    assert running.send("GET", "/v2/usage").status_code == 200
    code, _, errors = running.end()
    assert code == 0
    assert "Traceback" not in errors


def test_the_command_serves_a_free_account_beside_the_other_one_of_its_folder(alone):
    pro = alone()
    pro.end()
    free = alone("--free")
    assert free.keys["api_key"].endswith(":fx")
    assert free.send("GET", "/v2/usage").json() == {"character_count": 0, "character_limit": 500_000}
    free.end()
    again = alone()
    assert again.keys == pro.keys
    assert "products" in again.send("GET", "/v2/usage").json()


@pytest.mark.long
def test_sigterm_at_the_first_word_ends_it_too(alone):
    for _ in range(3):
        running = alone()
        assert running.end()[0] == 0


@pytest.mark.long
def test_a_line_per_request_has_neither_texts_nor_keys(alone):
    running = alone()
    answer = running.send("POST", "/v2/translate", json={"text": [TEXT], "target_lang": "DE"})
    running.send("GET", "/v2/usage%0aforged?auth_key=" + running.keys["api_key"])
    _, out, errors = running.end()
    lines = [line for line in errors.splitlines() if " /v2/" in line]
    assert len(lines) == 2
    assert "POST /v2/translate 200" in lines[0]
    assert answer.headers["X-Trace-ID"] in lines[0]
    for secret in (TEXT, running.keys["api_key"], running.keys["admin_key"]):
        assert secret not in out + errors


@pytest.mark.long
def test_the_account_survives_a_kill_and_a_restart(alone):
    first = alone()
    made = [first.glossary(f"terms {number}") for number in range(5)]
    first.send("POST", "/v2/translate", json={"text": ["12345"], "target_lang": "DE", "source_lang": "EN"})
    first.end(signal.SIGKILL)
    second = alone()
    assert second.keys == first.keys
    shown = second.send("GET", "/v3/glossaries").json()["glossaries"]
    assert [each["glossary_id"] for each in shown] == made
    assert second.send("GET", "/v2/usage").json()["character_count"] == 5


@pytest.mark.long
def test_two_processes_serve_one_account(alone):
    one, two = alone(), alone()
    assert one.base_url != two.base_url
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda number: (one, two)[number % 2].glossary(str(number)), range(40)))
    for each in (one, two):
        shown = each.send("GET", "/v3/glossaries").json()["glossaries"]
        assert {glossary["glossary_id"] for glossary in shown} == made


@pytest.mark.long
def test_a_kill_in_the_middle_of_writes_loses_nothing_that_was_answered(alone):
    running = alone()
    made = []

    def write(number):
        try:
            made.append(running.glossary(str(number)))
        except requests.RequestException:
            return

    with ThreadPoolExecutor(4) as pool:
        pending = [pool.submit(write, number) for number in range(400)]
        until(lambda: len(made) >= 30)
        os.kill(running.process.pid, signal.SIGKILL)
    assert all(each.done() for each in pending)
    shown = alone().send("GET", "/v3/glossaries").json()["glossaries"]
    assert set(made) <= {each["glossary_id"] for each in shown}
    assert all(each["dictionaries"][0]["entry_count"] == 1 for each in shown)


@pytest.mark.long
def test_faults_and_the_scheme_word_come_from_the_command_line(alone):
    running = alone("--fault", "status status=503 count=1", "--also-scheme", "Other-Key", "--quota", "3")
    assert running.send("GET", "/v2/usage").status_code == 503
    headers = {"Authorization": f"Other-Key {running.keys['api_key']}", "Connection": "close"}
    assert requests.get(running.base_url + "/v2/usage", headers=headers, timeout=10).status_code == 200
    body = {"text": ["four"], "target_lang": "DE"}
    assert running.send("POST", "/v2/translate", json=body).status_code == 456


@pytest.mark.long
@pytest.mark.parametrize("arguments", [["--fault", "flood"], ["--port", "x"]])
def test_a_wrong_command_line_is_one_clear_line(arguments):
    command = [sys.executable, "-m", "svc_nb.service", *arguments]
    ended = forked.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "error: argument" in ended.stderr


@pytest.mark.long
def test_a_port_in_use_is_one_clear_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "-m", "svc_nb.service", "--memory", "--port", str(taken.getsockname()[1])]
        ended = forked.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith("The service cannot start: ")


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda folder: (folder / "owner.json").write_text(""), "does not hold the account's keys"),
        (
            lambda folder: (folder / "owner.json").write_text('{"api_key": 1}'),
            "does not hold the account's keys",
        ),
        (lambda folder: (folder / "service.sqlite3").write_text("no database " * 100), "Move it away"),
        (lambda folder: (folder / "service.sqlite3").mkdir(), "cannot be used"),
    ],
)
def test_a_spoiled_account_is_one_clear_error(tmp_path, spoil, complaint):
    spoil(tmp_path)
    with pytest.raises(service.StartError, match=complaint) as caught:
        service.start(folder=tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"port": 99999}, {"translators": ["magic"]}, {"faults": [service.Fault("status", operation="/v9")]}],
)
def test_an_option_that_cannot_be_used_is_one_clear_error(options):
    with pytest.raises(service.StartError):
        service.start(memory=True, **options)


def test_a_deactivated_owner_gets_a_new_key_at_the_next_start(tmp_path):
    with service.start(folder=tmp_path) as running:
        key = next(key for key in running.state.keys.all() if key.label == "Notebook")
        running.state.keys.deactivate(key.key_id, running.state.clock())
        before = running.api_key
    for _ in range(2):
        with service.start(folder=tmp_path) as running:
            sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}
            assert running.api_key != before
            assert requests.get(running.base_url + "/v2/usage", headers=sent, timeout=10).status_code == 200


def test_counters_go_by_operation_not_by_path(running, raw):
    for number in range(20):
        raw("GET", f"/v3/style_rules/{number}")
        raw("GET", f"/nowhere/{number}")
    assert running.traffic.answered == {("GET /v3/style_rules/{style_id}", 404): 20, ("unrouted", 404): 20}


def test_what_breaks_inside_is_500_in_json_with_a_trace(running, raw, caplog):
    running.state.ledger = None
    answer = raw("GET", "/v2/usage")
    assert answer.status_code == 500
    assert answer.json() == {"message": "Internal server error."}
    until(lambda: answer.headers["X-Trace-ID"] in caplog.text)  # the line is written after the answer


@pytest.mark.long
def test_what_is_cut_off_by_the_end_is_told_so(running, raw):
    running.faults.add("latency", seconds=60)
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(raw, "GET", "/v2/usage")
        until(lambda: running.traffic.in_flight)
        running.stop()
        answer = late.result()
    assert answer.status_code == 503
    assert answer.headers["X-Trace-ID"]


def test_it_listens_on_loopback_only(running):
    host, port = running._socket.getsockname()
    assert host == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=2)


def test_files_are_for_their_owner_alone(tmp_path):
    folder = tmp_path / "data"
    with service.start(folder=folder) as running:
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
        assert running.api_key not in repr(running)
    assert {"owner.json", "service.sqlite3"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_secrets_are_not_in_the_database(tmp_path):
    with service.start(folder=tmp_path) as running:
        keys = [running.api_key, running.admin_key, running.create_key("new")]
    content = b"".join(each.read_bytes() for each in tmp_path.glob("service.sqlite3*"))
    assert not any(key.encode() in content for key in keys)


def test_it_stops_twice_and_frees_its_port():
    running = service.start(memory=True)
    running.stop()
    running.stop()
    socket.create_server(("127.0.0.1", running.port)).close()


def test_a_with_block_starts_nothing_twice():
    before = set(threading.enumerate())
    with service.start(memory=True) as running:
        new = {each for each in threading.enumerate() if each.name == "svc_nb-service"} - before
        assert len(new) == 1
        assert running.start() is running
    assert not any(each.is_alive() for each in new)


@pytest.mark.long
def test_64_connections_at_once_are_served(running, raw):
    body = {"text": ["Guten Morgen, wie geht es dir?"] * 10}
    sent = {"Authorization": f"Service-Auth-Key {running.api_key}"}

    def detect(_):
        with requests.Session() as session:
            url = running.base_url + "/v3/detect/language"
            return [session.post(url, json=body, headers=sent, timeout=60).status_code for _ in range(3)]

    with ThreadPoolExecutor(64) as pool:
        statuses = {status for each in pool.map(detect, range(64)) for status in each}
    assert statuses == {200}
    assert running.traffic.answered["POST /v3/detect/language", 200] == 192
