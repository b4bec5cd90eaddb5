"""A file is held by a living process, and by nobody once that has ended, however it ended."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import filelock
import pytest

from svc_nb.locks import LockedFile, end_lock, is_held, is_locked, remove_unless_held, take_lock

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

    monkeypatch.setattr(filelock.FileLock, "_acquire", refuse)
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
