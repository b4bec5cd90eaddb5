"""Memories when something goes wrong on the way: Ctrl-C, kill -9, a full disk, a lost connection, a lost key."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from svc_nb import errors, service
from svc_nb.memories import sync
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.sync.backups import Backups
from svc_nb.wire.client import Client
from svc_nb.wire.transport import Transport
from tests import forked
from tests.waiting import until

JOB = "GET /v3/translation_memories/jobs/{job_id}"
LARGE = pd.DataFrame(
    {
        "source_lang": "en",
        "target_lang": "de",
        "source": [f"sentence number {number}" for number in range(1500)],
        "target": [f"Satz Nummer {number}" for number in range(1500)],
    }
)
SMALL = LARGE.head(2)


@pytest.fixture
def running():
    with service.start(memory=True) as started:
        yield started


@pytest.fixture
def client(connected):
    return connected.client


@pytest.fixture
def push(client, tmp_path):
    return partial(sync.push, client, backups=copies(tmp_path))


def copies(folder):
    return Backups(folder / "backups", origin="here", room="memories", id_name="translation_memory_id")


def names(client):
    return [each.name for each in client.memories.list()]


def interrupt(count):
    if count > 100_000:
        raise KeyboardInterrupt


@pytest.fixture
def passing(tmp_path, monkeypatch):
    """The folder for temporary files."""
    folder = tmp_path / "passing"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# ---- Ctrl-C


def test_ctrl_c_in_the_upload_makes_no_memory_and_leaves_no_file(client, push, passing):
    with pytest.raises(KeyboardInterrupt):
        push(LARGE, "Mine", on_bytes=interrupt)
    assert names(client) == []
    assert not list(passing.iterdir())
    push(LARGE, "Mine")
    assert names(client) == ["Mine"]


def test_ctrl_c_in_the_download_leaves_the_old_file_and_no_other(client, push, passing, tmp_path):
    push(LARGE, "Mine")
    path = tmp_path / "out" / "old.tmx"
    path.parent.mkdir()
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        sync.export(client, "Mine", path, on_bytes=interrupt)
    with pytest.raises(KeyboardInterrupt):
        sync.pull(client, "Mine", on_bytes=interrupt)
    assert path.read_text() == "before"
    assert [each.name for each in path.parent.iterdir()] == ["old.tmx"]
    assert not list(passing.iterdir())
    assert len(sync.pull(client, "Mine")) == len(LARGE)


# ---- kill -9

CHILD = """
import os, signal, sys
from pathlib import Path
import pandas as pd
from svc_nb.wire.client import Client
from svc_nb.memories import sync
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.sync.backups import Backups
from svc_nb.wire.transport import Transport

def kill(count):
    if count > 100_000:
        os.kill(os.getpid(), signal.SIGKILL)

what, address, path, killing = sys.argv[1:]
client = Client(Transport(Settings(base_url=address, api_key=Secret(os.environ["KEY"]))))
on_bytes = kill if killing == "yes" else None
if what == "push":
    sync.push(client, path, "Mine", backups=Backups(Path(path).with_name("backups"), origin="here"), on_bytes=on_bytes)
else:
    sync.export(client, "Mine", path, on_bytes=on_bytes)
"""


def child(running, what, path, *, killing=True):
    """A process that pushes or exports a file, and kills itself in the middle if told to."""
    return forked.Popen(
        [sys.executable, "-c", CHILD, what, running.base_url, str(path), "yes" if killing else "no"],
        env={**os.environ, "KEY": running.api_key},
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.long
def test_killed_in_the_upload_there_is_no_memory_and_a_second_run_makes_one(client, push, running, tmp_path):
    path = sync.files.write(LARGE, tmp_path / "mine.tmx")
    assert child(running, "push", path).wait(60) == -signal.SIGKILL
    assert names(client) == []
    push(path, "Mine")
    assert names(client) == ["Mine"]


@pytest.mark.long
def test_killed_when_the_file_is_there_a_second_run_finds_nothing_left_to_do(client, push, running, tmp_path):
    path = sync.files.write(SMALL, tmp_path / "mine.tmx")
    running.faults.add("hang", operation=JOB)
    pushing = child(running, "push", path, killing=False)
    until(lambda: names(client) == ["Mine"])
    pushing.kill()
    pushing.wait(60)
    running.faults.clear()
    assert "Nothing to do" in push(path, "Mine").said
    assert names(client) == ["Mine"]


@pytest.mark.long
def test_killed_in_the_download_the_old_file_is_whole_and_a_second_run_replaces_it(client, push, running, tmp_path):
    push(LARGE, "Mine")
    path = tmp_path / "old.tmx"
    path.write_text("before")
    assert child(running, "export", path).wait(60) == -signal.SIGKILL
    assert path.read_text() == "before"
    sync.export(client, "Mine", path)
    assert len(sync.files.read(path)) == len(LARGE)


# ---- a full disk


@pytest.fixture
def full(passing):
    """A disk that takes 100,000 bytes of a file."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


def test_a_full_disk_is_reported_and_leaves_nothing(client, push, full, passing, tmp_path):
    push(LARGE, "Mine")
    path = tmp_path / "old.tmx"
    path.write_text("before")
    full()
    with pytest.raises(OSError, match=r"old\.tmx could not be written: File too large"):
        sync.export(client, "Mine", path)
    for call in (lambda: sync.pull(client, "Mine"), lambda: push(LARGE, "Other")):
        with pytest.raises(OSError, match=r"the folder for temporary files .* could not be written: File too"):
            call()
    assert path.read_text() == "before"
    assert not list(passing.iterdir())
    assert not list(tmp_path.glob(".old*"))


# ---- the way to the service


def test_a_connection_that_is_lost_after_the_upload_is_reported_with_what_to_look_at(client, push, running):
    running.faults.add("status", status=400, operation=JOB)
    with pytest.raises(errors.BadRequest) as caught:
        push(SMALL, "Mine")
    running.faults.clear()
    (note,) = caught.value.__notes__
    assert "The file was sent" in note
    assert "svc_nb.memories.list()" in note


def test_an_import_that_failed_is_no_file_that_is_being_read(client, push, tmp_path):
    push(LARGE, "Mine")
    with pytest.raises(errors.ApiError, match="The job failed") as caught:
        push(SMALL.assign(source_lang="pt"), "Mine")
    assert len(sync.pull(client, "Mine")) == len(LARGE)
    (note,) = caught.value.__notes__
    assert "PT → DE (rows 0, 1)" in note
    assert "The file was sent" not in note
    assert copies(tmp_path).history()["action"].tolist() == ["create"]
    assert not list((tmp_path / "backups").glob("*.tmx"))


def test_a_memory_that_another_one_deleted_before_it_was_replaced_is_no_error(client, push, running):
    old = push(SMALL, "Mine").translation_memory_id

    def delete(count):
        if old in [each.translation_memory_id for each in client.memories.list()]:
            running.state.memories.delete(old)

    assert "It replaced the previous memory" in push(LARGE, "Mine", on_bytes=delete).said
    assert names(client) == ["Mine"]


def test_where_the_old_memory_cannot_be_deleted_both_are_there_and_that_is_reported(client, push, running):
    old = push(SMALL, "Mine")
    one = "/v3/translation_memories/{translation_memory_id}"
    running.faults.add("status", status=403, operation=f"DELETE {one}")
    with pytest.raises(errors.Forbidden) as caught:
        push(LARGE, "Mine")
    running.faults.clear()
    assert old.translation_memory_id in caught.value.__notes__[0]
    assert names(client) == ["Mine", "Mine"]
    push(LARGE, "Mine")
    assert names(client) == ["Mine"]


def test_a_key_that_is_revoked_in_the_upload_is_reported_with_what_to_look_at(running, tmp_path):
    key = Secret(running.create_key())
    client = Client(Transport(Settings(base_url=running.base_url, api_key=key)))

    def revoke(count):
        running.state.keys.deactivate(running.state.keys.all()[-1].key_id, datetime.now(UTC))

    with pytest.raises(errors.SvcError) as caught:
        sync.push(client, SMALL, "Mine", backups=copies(tmp_path), on_bytes=revoke)
    client.close()
    assert caught.value.status in (401, 403)
    assert "The file was sent" in caught.value.__notes__[0]
