"""kill -9 at every stage of a document's way, and a second run: the right file, one upload, one billed download."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from svc_nb import documents
from tests import forked
from tests.counters import quiet
from tests.documents.conftest import RESULT, UPLOAD
from tests.waiting import until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL"),
]

LINES = [f"Zeile {number} " + "Wort " * 180 + "Ende." for number in range(200)]
TEXT = "".join(f"{line}\n" for line in LINES)
TRANSLATED = "".join(f"[EN-GB] {line}\n" for line in LINES)
BILLED = sum(map(len, LINES))

OPENING = """
import json, os, signal, sys, time
import svc_nb
from svc_nb import documents

def die():
    os.kill(os.getpid(), signal.SIGKILL)

where, stage = sys.argv[1:3]
svc_nb.connect()
"""
WATCHING = """
job = documents.start(where + "/in", target_lang="EN-GB", source_lang="DE", out=where + "/out")
while not job.wait(0.001):
    if job.progress.files[0].status in stage.split():
        die()
print(job.table().to_json())
"""
RENAMING = """
def watch(event, told):
    if event == "os.rename" and str(told[1]) == where + "/out/a.txt" and stage == "before":
        die()
    if event == "open" and str(told[0]) == where + "/out" and stage == "after":  # to bring the name to the disk
        die()

sys.addaudithook(watch)
documents.translate(where + "/in", target_lang="EN-GB", source_lang="DE", out=where + "/out")
"""
SECOND = """
running = svc_nb.service.start()  # in this process, for its counters
svc_nb.session.make_current(svc_nb.Session.embedded(running, svc_nb.current().settings))
table = documents.translate(where + "/in", target_lang="EN-GB", source_lang="DE", out=where + "/out")
session = svc_nb.current()
print(json.dumps({
    "statuses": table["status"].tolist(),
    "answered": {f"{name} {status}": count for (name, status), count in session.service.traffic.answered.items()},
    "billed": session.client.account.usage().character_count,
}))
"""


class Child:
    """A process that translates the folder, and is killed by itself or by us."""

    def __init__(self, folder, script, *, stage="-", **environ):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        null = "keyring.backends.null.Keyring"
        self.process = forked.Popen(
            [sys.executable, "-c", OPENING + script, str(folder), stage],
            env={**inherited, "PYTHON_KEYRING_BACKEND": null, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def killed(self):
        """Wait until it has killed itself."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == -signal.SIGKILL, (out, err)

    def kill_when(self, reached):
        """Kill it as soon as *reached* says so."""
        until(reached, process=self.process)
        self.process.kill()
        self.process.communicate()

    def told(self):
        out, err = self.process.communicate(timeout=90)
        assert self.process.returncode == 0, err
        return json.loads(out.splitlines()[-1])


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(TEXT)
    return tmp_path


def reaching(office, tmp_path):
    """The environment in which a child reaches the service, with the store of this test."""
    return {
        "SVC_BASE_URL": office.running.base_url,
        "SVC_API_KEY": office.key,
        "SVC_STORE": str(tmp_path / "store" / "answers.sqlite"),
    }


def second_run(office, folder, *, results=1):
    """Run again, and see the right file, one upload and one billed download; then a third run does nothing."""
    for _ in range(2):
        table = documents.translate(
            folder / "in", target_lang="EN-GB", source_lang="DE", out=folder / "out", progress=False
        )
        assert table["status"].tolist() == ["done"]
        assert (folder / "out" / "a.txt").read_text() == TRANSLATED
        assert [path.name for path in (folder / "out").iterdir()] == ["a.txt"]
        assert (office.answered(UPLOAD), office.answered(RESULT)) == (1, results)
        assert office.billed == BILLED
        assert len(documents.pending()) == 0


def test_killed_before_the_upload_is_answered(office, source):
    one = office()
    one.running.faults.add("hang", operation=UPLOAD, seconds=60)
    with Child(source, WATCHING, **reaching(one, source)) as child:
        child.kill_when(lambda: one.running.traffic.in_flight)
    one.running.faults.clear()
    second_run(one, source)


@pytest.mark.parametrize("stage", ["queued", "translating"])
def test_killed_while_it_is(office, source, stage):
    one = office(seconds=1.0)
    with Child(source, WATCHING, stage=stage, **reaching(one, source)) as child:
        child.killed()
    pending = documents.pending()
    assert pending["status"].tolist() == [stage]
    assert not pending["at_work"].any()
    second_run(one, source)


def test_killed_before_the_download_is_answered(office, source):
    one = office()
    one.running.faults.add("hang", operation=RESULT, seconds=60)
    with Child(source, WATCHING, **reaching(one, source)) as child:
        child.kill_when(lambda: one.so_far(UPLOAD) and stage_of(one) == "fetching")
    one.running.faults.clear()
    second_run(one, source)


def test_killed_in_the_middle_of_the_download(office, source):
    one = office()
    one.running.faults.add("drip", operation=RESULT, seconds=1)
    with Child(source, WATCHING, **reaching(one, source)) as child:
        child.kill_when(lambda: stage_of(one) == "fetching" and half_there(source / "out"))
    one.running.faults.clear()
    second_run(one, source, results=2)  # the one that broke off is counted, but not billed


@pytest.mark.parametrize("stage", ["before", "after"])
def test_killed_after_the_last_byte_around_the_rename(office, source, stage):
    one = office()
    with Child(source, RENAMING, stage=stage, **reaching(one, source)) as child:
        child.killed()
    assert (source / "out" / "a.txt").exists() is (stage == "after")
    second_run(one, source)


def test_killed_while_many_are_ready_at_most_two_are_lost(office, tmp_path):
    one = office()
    (tmp_path / "in").mkdir()
    for number in range(12):
        (tmp_path / "in" / f"{number}.txt").write_text(f"Datei {number}.")
    one.running.faults.add("latency", operation=RESULT, seconds=1.5)
    with Child(tmp_path, WATCHING, **reaching(one, tmp_path)) as child:
        until(lambda: one.so_far(UPLOAD) == 12 and one.running.traffic.in_flight, process=child.process)
        until(lambda: all(each.stage != "sent" for each in one.workspace.storage.under_way()), process=child.process)
        child.process.send_signal(signal.SIGSTOP)  # its sockets still take what the service sends
        quiet(one.running)
        child.process.kill()
    one.running.faults.clear()
    table = documents.translate(
        tmp_path / "in", target_lang="EN-GB", source_lang="DE", out=tmp_path / "out", progress=False, errors="coerce"
    )
    lost = (table["status"] == "lost").sum()
    assert lost <= 2
    assert (table["status"] == "done").sum() == 12 - lost
    assert one.answered(UPLOAD) == 12


def test_killed_at_any_moment(office, tmp_path):
    """Twenty times: all files are right after a second run, and at most two downloads are paid again."""
    one = office(seconds=0.1)
    moments = random.Random(27)
    killed_at_work = 0
    for number in range(20):
        before, sent, fetched = one.billed, one.so_far(UPLOAD), one.so_far(RESULT)
        folder = tmp_path / str(number)
        (folder / "in").mkdir(parents=True)
        for name in "abcd":
            (folder / "in" / f"{name}.txt").write_text(f"{number} {name} {TEXT}")
        with Child(folder, WATCHING, **reaching(one, tmp_path)) as child:
            until(lambda sent=sent: one.so_far(UPLOAD) > sent, process=child.process)
            time.sleep(moments.uniform(0.0, 0.4))
            child.process.kill()
        killed_at_work += one.answered(RESULT) - fetched < 4
        table = documents.translate(
            folder / "in", target_lang="EN-GB", source_lang="DE", out=folder / "out", progress=False
        )
        assert table["status"].tolist() == ["done"] * 4
        for name in "abcd":
            assert (folder / "out" / f"{name}.txt").read_text() == TRANSLATED.replace("Z", f"{number} {name} Z", 1)
        each = BILLED + len(f"{number} a ")
        assert 4 * each <= one.billed - before <= 6 * each
    assert killed_at_work >= 5


def half_there(folder):
    return any(path.stat().st_size for path in folder.glob(".*.part"))


def stage_of(office):
    return next((each.stage for each in office.workspace.storage.under_way()), None)


def test_killed_together_with_its_own_embedded_service(source):
    own = {
        "XDG_DATA_HOME": str(source / "data"),
        "XDG_CONFIG_HOME": str(source / "config"),
        "HOME": str(source),
    }
    (source / "in" / "a.txt").write_text("Guten Tag.\nGute Nacht.\n")
    with Child(source, WATCHING, stage="queued translating ready", **own) as child:
        child.killed()
    with Child(source, SECOND, **own) as child:
        told = child.told()
    assert told["statuses"] == ["marked"]  # of the real translators, none has the pair
    assert f"{UPLOAD} 200" not in told["answered"]
    assert told["answered"][f"{RESULT} 200"] == 1
    assert told["billed"] == len("Guten Tag.Gute Nacht.")
    assert (source / "out" / "a.txt").read_text().count("\n") == 2
