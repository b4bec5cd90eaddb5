"""Documents outlast the service, but not readably: without the key that only the caller has, they are noise."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys

import pytest
import requests

from svc_nb import service
from tests import forked
from tests.conftest import Raw
from tests.waiting import until

from .sending_documents import Documents

TEXT = b"The house of Zarathustra is large."
NAME = "private-diary.txt"

MEASURED = """
import io, resource, sys
from svc_nb import service
from svc_nb.service.documents.storage import DocumentDetails, DocumentOptions
with service.start(memory=True, translators=["pseudo"]) as running:
    running.state.worker.stop()  # this is about taking documents, not about translating them
    running.state.documents.add(io.BytesIO(b"x"), DocumentDetails("a.txt", "txt", DocumentOptions(target_lang="DE")))
    print(running.base_url, running.api_key, flush=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdin.readline()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, flush=True)
"""


@pytest.fixture
def begin(tmp_path):
    """Starts services on one folder; all have ended when the test has."""
    begun = []

    def start(**rest):
        begun.append(service.start(folder=tmp_path / "account", translators=["pseudo"], **rest))
        return begun[-1], Documents(Raw(begun[-1]))

    yield start
    for running in begun:
        running.stop()


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_nothing_on_the_disk_tells_what_a_document_says_how_it_is_called_or_its_key(begin, tmp_path):
    running, documents = begin()
    handle = documents.done(TEXT, NAME, headers={"X-Service-Reporting-Tag": "tell-tale"})
    with running.state.database.write() as connection:
        connection.execute("SELECT 1")
    secrets = [b"Zarathustra", b"private-diary", b"tell-tale", handle["document_key"].encode()]
    secrets.append(bytes.fromhex(handle["document_key"]))
    for path in files(tmp_path / "account"):
        content = path.read_bytes()
        assert not any(secret in content for secret in secrets), path.name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "account" / "documents").stat().st_mode) == 0o700


def test_after_a_download_no_file_is_left(begin, tmp_path):
    _, documents = begin()
    documents.result(documents.done())
    assert documents.owed()
    assert files(tmp_path / "account" / "documents") == []


def test_a_service_that_starts_anew_goes_on_when_it_is_asked_with_the_key(begin):
    first, documents = begin()
    first.state.worker.stop()
    queued, under_way = documents.send(TEXT), documents.send(TEXT)
    first.state.documents.begin(under_way["document_id"])
    first.stop()
    _, documents = begin()
    for handle in (queued, under_way):
        assert documents.wait(handle)["status"] == "done"
        assert documents.result(handle).content == b"[DE] " + TEXT
    assert documents.owed() == 2 * len(TEXT)


@pytest.mark.long
def test_a_service_that_stops_puts_its_work_back(begin):
    first, documents = begin()
    first.state.translators.close()

    class Slow:
        name = "slow"

        def choose(self, source, target):
            return self

        def translate(self, texts, source, target):
            begun.append(texts)
            return list(texts)

        def close(self):
            pass

    begun = []
    first.state.translators = Slow()
    handle = documents.send(b"house " * 150_000)
    until(lambda: begun)
    first.stop()
    second, documents = begin()
    document = second.state.documents.get(handle["document_id"], handle["document_key"])
    assert (document.status, document.attempt) in (("queued", 0), ("done", 1))
    assert documents.wait(handle)["status"] == "done"


def test_a_document_that_ends_the_service_each_time_is_given_up(begin):
    running, documents = begin()
    running.state.worker.stop()
    handle = documents.send()
    for _ in range(5):
        running.state.documents.begin(handle["document_id"])
    running.stop()
    _, documents = begin()
    assert documents.wait(handle)["status"] == "error"


def test_two_services_of_one_account_translate_bill_and_hand_out_once(begin):
    (_, one), (_, other) = begin(), begin()
    handles = [one.send(TEXT) for _ in range(6)]
    for handle in handles:
        assert other.wait(handle)["status"] == "done"
        assert other.result(handle).content == b"[DE] " + TEXT
        assert other.result(handle).status_code == 404
        assert one.result(handle).status_code == 404
    assert one.owed() == len(TEXT) * 6


def flip_last_bit(path):
    """Damage a file."""
    *kept, last = path.read_bytes()
    path.write_bytes(bytes([*kept, last ^ 1]))


class Apart:
    """A service in a process of its own, to be killed; calls go to it as they do through `Raw`."""

    def __init__(self, folder, *arguments):
        command = [sys.executable, "-m", "svc_nb.service", "--folder", str(folder), *arguments]
        self.process = forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().split()[-1]
        self.headers = {
            "Authorization": "Service-Auth-Key " + json.loads((folder / "owner.json").read_text())["api_key"]
        }

    def __call__(self, method, path, *, headers=None, **rest):
        headers = {**self.headers, "Connection": "close", **(headers or {})}
        return requests.request(method, self.address + path, headers=headers, timeout=60, **rest)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.mark.long
def test_a_service_killed_while_it_translates_or_sends_loses_and_bills_nothing(tmp_path):
    long = b"house " * 100_000
    slow = ("--fault", "drip seconds=5 operation=/v2/document/{document_id}/result")
    running = Apart(tmp_path, "--translators", "pseudo", *slow)
    documents = Documents(running)
    ready = documents.done(TEXT)
    under_way = documents.send(long)
    with documents.result(ready, stream=True) as answer:
        assert answer.raw.read(1)
        running.kill()
    running = Apart(tmp_path, "--translators", "pseudo")
    documents = Documents(running)
    try:
        assert documents.owed() == 0
        assert documents.result(ready).content == b"[DE] " + TEXT
        assert documents.wait(under_way)["status"] == "done"
        assert documents.owed() == len(TEXT)
    finally:
        running.kill()


def test_a_file_that_was_tampered_with_ends_in_an_error(begin, tmp_path):
    running, documents = begin()
    running.state.worker.stop()
    handle = documents.send()
    path = tmp_path / "account" / "documents" / f"{handle['document_id']}.source"
    flip_last_bit(path)
    running.stop()
    _, documents = begin()
    assert documents.wait(handle)["message"] == "The file of the document is damaged."


@pytest.mark.parametrize("damage", ["changed", "gone", "ticket"])
def test_a_translation_that_was_lost_is_told_and_not_billed(begin, tmp_path, damage):
    _, documents = begin()
    handle = documents.done()
    path = tmp_path / "account" / "documents" / f"{handle['document_id']}.result"
    if damage == "changed":
        flip_last_bit(path)
        with pytest.raises(requests.RequestException):
            documents.result(handle)
    elif damage == "gone":
        path.unlink()
    else:
        with sqlite3.connect(tmp_path / "account" / "service.sqlite3") as connection:
            connection.execute("UPDATE documents SET ticket = x'00'")
        connection.close()
    refused = documents.result(handle)
    assert (refused.status_code, refused.json()["detail"]) == (400, "The file of the document is damaged.")
    assert documents.status(handle).json()["message"] == "The file of the document is damaged."
    assert documents.owed() == 0


def test_an_account_of_an_older_version_takes_documents(begin, tmp_path):
    running, _ = begin()
    running.stop()
    old = sqlite3.connect(tmp_path / "account" / "service.sqlite3")
    for (table,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table not in (
            "keys",
            "usage",
            "spent",
            "glossaries",
            "dictionaries",
            "style_rules",
            "instructions",
        ):
            old.execute("PRAGMA foreign_keys = OFF")
            old.execute(f"DROP TABLE IF EXISTS {table}")
    old.execute("PRAGMA user_version = 1")
    old.commit()
    old.close()
    _, documents = begin()
    assert documents.result(documents.done()).status_code == 200


def test_files_of_an_account_in_memory_end_with_it(running):
    documents = Documents(Raw(running))
    documents.done()
    folder = running.state.documents._folder
    assert files(folder)
    running.stop()
    assert not folder.exists()


@pytest.mark.long
def test_a_hundred_megabytes_are_taken_in_little_memory(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(os.urandom(10_000) * 100)
    command = [sys.executable, "-c", MEASURED]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with child, path.open("rb") as file:
        address, key = child.stdout.readline().split()
        sent = requests.post(
            f"{address}/v2/document",
            data=multipart(file),
            headers={
                "Authorization": f"Service-Auth-Key {key}",
                "Content-Type": "multipart/form-data; boundary=x",
            },
            timeout=60,
        )
        assert sent.status_code == 200, sent.text
        kilobytes = int(child.communicate("\n", timeout=60)[0])
    assert kilobytes < 20_000


def multipart(file):
    """The form, piece by piece: the test need not hold it either."""
    yield b'--x\r\nContent-Disposition: form-data; name="target_lang"\r\n\r\nDE\r\n'
    yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\n'
    while piece := file.read(100_000):
        yield piece
    yield b"\r\n--x--\r\n"
