"""Where results are written: who may read them, what is said where there is no room, and what others leave alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import gettempdir

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from svc_nb.cli.failure import Failure
from svc_nb.cli.output_file import OutputFile, remove_left_parts
from svc_nb.tabular.disk import WrittenFiles
from tests import forked

COMMAND = ["--columns", "text", "--to", "DE"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
LIMITED = """
import resource, sys
from svc_nb.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def source(shell) -> Path:
    path = Path("a.csv")
    path.write_text("text\nGuten Tag\n")
    return path


@pytest.fixture
def usual():
    """Others of the group and all others may read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path) -> int:
    return Path(path).stat().st_mode & 0o777


@POSIX
@pytest.mark.parametrize(("given", "made"), [(0o600, 0o600), (0o640, 0o640), (0o666, 0o644), (0o400, 0o600)])
def test_who_may_not_read_the_source_may_not_read_its_result(shell, source, usual, given, made):
    source.chmod(given)
    assert shell("translate", source, *COMMAND).code == 0
    assert mode("a.de.csv") == made


@POSIX
def test_a_file_that_is_there_keeps_its_mode(shell, source, usual):
    assert shell("translate", source, *COMMAND).code == 0
    Path("a.de.csv").chmod(0o660)
    assert shell("translate", source, *COMMAND).code == 0
    assert mode("a.de.csv") == 0o660


@POSIX
def test_what_is_being_written_can_be_read_by_its_owner_alone(tmp_path, usual):
    place = OutputFile(tmp_path / "a.csv", WrittenFiles(tmp_path / "written.json"), mode=0o644)
    with place.opened(packed=False) as stream:
        (part,) = tmp_path.glob(".a.csv.*.part")
        assert mode(part) == 0o600
        stream.write(b"text")
    assert (mode(place.path), place.path.read_bytes()) == (0o644, b"text")


def test_what_was_just_begun_is_not_taken_for_what_was_left(tmp_path):
    place = OutputFile(tmp_path / "a.csv", WrittenFiles(tmp_path / "written.json"), replace=True)
    ended = threading.Event()

    def remove() -> None:
        while not ended.is_set():
            remove_left_parts(place.path)

    others = [threading.Thread(target=remove) for _ in range(2)]
    for each in others:
        each.start()
    try:
        for number in range(20):
            with place.opened(packed=False) as stream:
                stream.write(b"%d" % number)
            assert place.path.read_bytes() == b"%d" % number
    finally:
        ended.set()
        for each in others:
            each.join()


def limited(size: int, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that can write no file larger than so many bytes."""
    return forked.run([sys.executable, "-c", LIMITED, str(size), *words], capture_output=True, text=True)


@pytest.mark.long
@POSIX
@pytest.mark.parametrize("out", ["-", "b.csv"])
def test_where_there_is_no_room_the_place_is_named_and_what_is_kept(shell, running, tmp_path, monkeypatch, out):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    Path("a.csv").write_text("text,more\n" + f"Guten Tag,{'x' * 1000}\n" * 4000)
    done = limited(3_000_000, "translate", "a.csv", *COMMAND, "--out", out, "-q")
    named = "the result could not be kept in " + str(tmp_path) if out == "-" else "b.csv could not be written"
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"svc-nb: {named}: File too large." in done.stderr
    assert "hat is done is kept" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.long
@POSIX
def test_answers_that_the_store_has_no_room_for_are_not_said_to_be_kept(shell):
    Path("a.csv").write_text("text\n" + "".join(f"sentence number {n}\n" for n in range(3000)))
    done = limited(300_000, "translate", "a.csv", *COMMAND, "-q")
    assert done.returncode == 1
    assert "Free some space and run it again; the last answers could not be saved, and will be paid for" in done.stderr
    assert "hat is done is kept" not in done.stderr
    assert "only what is left is paid for" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a hole in a file may take room")
@pytest.mark.parametrize("out", ["-", "b.parquet"])
def test_a_source_larger_than_what_is_free_is_refused_before_anything_is_sent(shell, running, out):
    pq.write_table(pa.table({"text": ["Guten Tag"]}), "a.parquet")
    data = Path("a.parquet").read_bytes()
    end = 8 + int.from_bytes(data[-8:-4], "little")
    with open("a.parquet", "r+b") as file:  # a hole before what stands at the end, which takes no room
        file.seek(shutil.disk_usage(".").free + shutil.disk_usage(gettempdir()).free)
        file.write(data[-end:])
    ended = shell("translate", "a.parquet", *COMMAND, "--out", out)
    Path("a.parquet").unlink()
    assert ended.code == 1
    assert "are free; nothing was sent" in ended.line
    assert not running.traffic.answered


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
def test_a_stdout_without_room_is_named(shell, source):
    words = [sys.executable, "-m", "svc_nb", "translate", source, *COMMAND, "--out", "-", "-q"]
    with open("/dev/full", "wb") as full:
        done = forked.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("svc-nb: the result could not be written to stdout: No space left on device")
    assert done.stderr.count("\n") == 1


def test_a_folder_that_is_not_there_is_not_made_a_file(shell, source, running):
    ended = shell("translate", source, *COMMAND, "--out", "new/")
    assert ended.code == 1
    assert "there is no folder new to write in" in ended.line
    assert not running.traffic.answered
    Path("new").mkdir()
    assert shell("translate", source, *COMMAND, "--out", "new/").code == 0
    assert Path("new/a.de.csv").exists()


@POSIX
def test_a_file_for_which_there_is_no_room_is_refused_before_anything_is_sent(tmp_path):
    size = 2 * shutil.disk_usage(tmp_path).free
    place = OutputFile(tmp_path / "b.csv", WrittenFiles(tmp_path / "written.json"))
    place.check_room(1)
    with pytest.raises(Failure, match=f"needs more than {size:,} bytes in {tmp_path}.*nothing was sent"):
        place.check_room(size)
    with pytest.raises(Failure, match="choose another folder by TMPDIR"):
        OutputFile(None, place.written).check_room(2 * shutil.disk_usage(gettempdir()).free)
