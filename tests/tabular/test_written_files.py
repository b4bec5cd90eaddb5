"""The list of what was written here: right whenever a process is killed, and whoever else writes to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from svc_nb.tabular.disk import WrittenFiles
from tests import forked

# Each child is killed at another one of the steps that the interpreter takes with files.
KILLED_AT_EVERY_STEP = """
import os, sys
from pathlib import Path
from svc_nb.tabular.disk import WrittenFiles

folder = Path(sys.argv[1])
path, part, written = folder / "a.txt", folder / ".a.part", WrittenFiles(folder / "list" / "written.json")
PUTTING = {"put": lambda: written.put(path, part), "write": lambda: written.write(path, b"new")}

def killed_at(step):
    def hook(event, arguments):
        nonlocal step
        if event in ("open", "os.rename", "os.remove"):
            step -= 1
            if step < 0:
                os._exit(9)
    sys.addaudithook(hook)
    PUTTING[sys.argv[2]]()
    os._exit(0)

for step in range(100):
    written.write(path, b"old")
    part.write_bytes(b"new")
    child = os.fork()
    if not child:
        killed_at(step)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    written.check(path)
    print(path.read_text(), sorted({each.name for each in folder.iterdir()} - {"a.txt", ".a.part", "list"}))
    if not code:
        break
"""
WRITING = """
import sys
from pathlib import Path
from svc_nb.tabular.disk import WrittenFiles

written = WrittenFiles(Path("written.json"))
Path(sys.argv[1]).touch()
while not (Path("a").exists() and Path("b").exists()):
    pass
for number in range(40):
    written.write(Path(f"{sys.argv[1]}-{number}.txt"), b"mine")
"""


def started(script: str, *words: object, **how) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, words)]
    return forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the OS's fork")
@pytest.mark.parametrize("how", ["put", "write"])
def test_who_is_killed_at_any_step_is_not_refused_the_next_time(tmp_path, how):
    with started(KILLED_AT_EVERY_STEP, tmp_path, how) as process:
        out, err = process.communicate(timeout=60)
    assert err == ""
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert [text for text, _ in lines] == sorted((text for text, _ in lines), reverse=True)
    assert {"old", "new"} == {text for text, _ in lines}
    assert how == "write" or {left for _, left in lines} == {"[]"}


@pytest.mark.long
def test_what_two_processes_write_at_once_is_all_remembered(tmp_path):
    children = [started(WRITING, name, cwd=tmp_path) for name in "ab"]
    for child in children:
        with child:
            assert child.communicate(timeout=60)[1] == ""
    known = json.loads((tmp_path / "written.json").read_text())
    assert len(known) == 80
    for name in known:
        WrittenFiles(tmp_path / "written.json").check(Path(name))


def test_what_someone_has_changed_is_refused_whoever_wrote_it(tmp_path):
    path, written = tmp_path / "a.txt", WrittenFiles(tmp_path / "written.json")
    written.write(path, b"one")
    written.write(path, b"two")
    path.write_bytes(b"one")  # no more what was written last
    with pytest.raises(FileExistsError, match="already exists"):
        written.check(path)
    made = tmp_path / "made"
    made.write_bytes(b"three")
    with pytest.raises(FileExistsError):
        written.put(path, made)
    written.put(path, made, replace=True)
    assert (path.read_bytes(), made.exists()) == (b"three", False)
    written.check(path)


def test_a_list_of_an_older_version_is_known(tmp_path):
    path, written = tmp_path / "a.txt", WrittenFiles(tmp_path / "written.json")
    written.write(path, b"one")
    known = json.loads((tmp_path / "written.json").read_text())
    (tmp_path / "written.json").write_text(json.dumps({name: prints[0] for name, prints in known.items()}))
    written.check(path)
    written.write(path, b"two")
