"""A file is replaced as a whole or not at all, also when the process is killed in the middle."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from svc_nb.tabular.disk import replace_file, replacing
from tests import forked

NEW = b"new" * 100

# Each child is killed at another one of the steps that the interpreter takes with files.
KILLED_AT_EVERY_STEP = """
import os, sys
from pathlib import Path
from svc_nb.tabular.disk import replace_file

path, new = Path(sys.argv[1]), b"new" * 100
STEPS = ("open", "os.rename", "os.remove", "os.chmod", "os.truncate", "os.link", "shutil.copyfile")

def killed_at(step):
    left = step
    def hook(event, arguments):
        nonlocal left
        if event in STEPS:
            left -= 1
            if left < 0:
                os._exit(9)
    sys.addaudithook(hook)
    replace_file(path, new)
    os._exit(0)

for step in range(50):
    path.write_bytes(b"old")
    child = os.fork()
    if not child:
        killed_at(step)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = path.read_bytes() if path.exists() else b"nothing"
    print(step, code, found[:7].decode(), len(found))
    if not code:
        break
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the OS's fork")
def test_a_process_that_is_killed_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path):
    done = forked.run(
        [sys.executable, "-c", KILLED_AT_EVERY_STEP, str(tmp_path / "a.txt")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) > 2
    assert lines[-1][1:] == ["0", "newnewn", str(len(NEW))]
    assert {tuple(line[2:]) for line in lines} == {("old", "3"), ("newnewn", str(len(NEW)))}


def test_who_reads_the_old_file_reads_it_to_its_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        replace_file(path, NEW)
        assert reader.read() == b"old"
    assert path.read_bytes() == NEW


def test_where_the_block_raises_nothing_has_changed_and_nothing_is_left(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def interrupted():
        with replacing(path) as beside:
            beside.write_bytes(NEW)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the OS's pipes")
def test_what_is_no_file_stays_what_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="is not a regular file but a device or the like"):
        replace_file(pipe, NEW)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError, match="Name a file in it"):
        replace_file(tmp_path, NEW)
