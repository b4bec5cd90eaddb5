"""A file is held by a running process, and by no one once that has ended, however it ended."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import zipfile
from contextlib import suppress

import pytest

from svc_nb import service
from svc_nb.documents.storage import Storage
from svc_nb.engine.store import Store
from svc_nb.locks import LockedFile, end_lock, is_held, is_locked, remove_unless_held, take_lock
from svc_nb.panels.documents.files import UploadFolder
from svc_nb.service.models import BrokenModel
from svc_nb.service.translators.ctranslate import unpacked
from svc_nb.tabular.disk import WrittenFiles

HOLD = """
import sys, pathlib
from svc_nb.locks import LockedFile
held = LockedFile(pathlib.Path(sys.argv[1]), b"one\\n")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds a file, and the file."""
    path = tmp_path / "file"
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process, path
        process.kill()


def test_what_another_process_holds_can_be_read_but_not_held(other):
    _, path = other
    assert is_held(path)
    assert path.read_bytes() == b"one\n"
    with pytest.raises(BlockingIOError):
        LockedFile(path)
    remove_unless_held(path)
    assert path.exists()


def test_what_a_killed_process_held_is_free(other):
    process, path = other
    process.kill()
    process.wait()
    assert not is_held(path)
    held = LockedFile(path)
    held.append(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    held.remove()
    assert list(path.parent.iterdir()) == []


def test_a_file_left_behind_is_removed_with_its_lock(other):
    process, path = other
    process.kill()
    process.wait()
    remove_unless_held(path)
    assert list(path.parent.iterdir()) == []


def test_half_a_line_of_a_killed_process_is_cut_off(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one\ntw")
    held = LockedFile(path)
    assert path.read_bytes() == b"one\n"
    held.close()
    assert not is_held(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_gone_is_an_error_and_leaves_nothing(tmp_path):
    with pytest.raises(FileNotFoundError):
        LockedFile(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_two_in_one_process_cannot_hold_the_same_file(tmp_path):
    path = tmp_path / "file"
    held = LockedFile(path, b"")
    with pytest.raises(BlockingIOError):
        LockedFile(path)
    assert is_held(path)
    held.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_forked_process_neither_has_the_lock_nor_takes_it_from_its_parent(tmp_path):
    path = tmp_path / "lock"
    lock = take_lock(path)
    child = os.fork()
    if not child:
        end_lock(lock)
        os._exit(0 if is_locked(path) and not lock.is_locked else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert is_locked(path)
    end_lock(lock)
    assert not is_locked(path)


def test_without_locks_in_the_file_system_the_file_says_who_holds_it(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    fcntl = pytest.importorskip("fcntl", reason="Windows has locks on every file system")
    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "file"
    held = LockedFile(path, b"")
    assert is_held(path)
    with pytest.raises(BlockingIOError):
        LockedFile(path)
    held.remove()
    assert list(tmp_path.iterdir()) == []


def test_who_waits_gets_the_lock_when_it_is_free(other):
    process, path = other
    process.stdin.close()
    lock = take_lock(path.with_name("file.lock"), wait=True)
    assert is_held(path)
    end_lock(lock)


# Functions that create a missing folder.
MAKERS = {
    "a held file": lambda folder, _: LockedFile(folder / "file", b"").close(),
    "the store": lambda folder, _: Store(folder / "answers.sqlite").info(),
    "the documents": lambda folder, _: Storage(folder / "documents.sqlite").find("none"),
    "written files": lambda folder, _: WrittenFiles(folder / "written.json").write(folder.parents[1] / "x", b""),
    "uploads": lambda folder, _: UploadFolder(folder).receive("a.txt").drop(),
    "the service": lambda folder, _: service.start(folder=folder, translators=[]).stop(),
    "models": lambda folder, archive: unpacked(archive, folder),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
@pytest.mark.parametrize("maker", MAKERS)
def test_every_folder_is_for_its_owner_alone_whoever_makes_it_first(tmp_path, maker):
    folder = tmp_path / "share" / "svc_nb"
    archive = tmp_path / "model.argosmodel"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("package/metadata.json", "{}")
    mask = os.umask(0o022)
    try:
        with suppress(OSError, BrokenModel):
            MAKERS[maker](folder, archive)
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)] == [0o700, 0o700]
