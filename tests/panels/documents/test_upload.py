"""The private folder of dropped files: harmless names, and nothing left behind."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.documents.files import UploadFolder, archive, harmless, name_in_zip
from tests import forked

KILLED = """
import os, sys
from pathlib import Path
from svc_nb.panels.documents.files import UploadFolder
incoming = UploadFolder(Path(sys.argv[1])).receive("a.txt")
incoming.write(b"secret")
incoming.whole()
os.kill(os.getpid(), 9)
"""


@given(st.text(max_size=300) | st.from_regex(r"(\.\.[/\\])*[a-z]{0,3}\.?[A-Za-z. ]{0,12}", fullmatch=True))
def test_no_name_means_another_place(name):
    plain = harmless(name)
    assert plain == os.path.basename(plain)
    assert plain
    assert not plain.endswith((".", " "))
    assert not set(plain) & set('/\\:*?"<>|\0\n')
    assert len(plain.encode()) <= 255
    assert harmless(plain) == plain


def test_a_long_name_keeps_its_language_in_the_zip():
    assert name_in_zip("FR", Path("out") / f"{'a' * 120}.txt", out=Path("out")) == f"{'a' * 80}.FR.txt"


def test_of_two_files_of_one_name_the_second_has_a_number(tmp_path):
    uploads = UploadFolder(tmp_path)
    paths = []
    for name in ("a.txt", "A.TXT", "a.txt"):
        incoming = uploads.receive(name)
        incoming.write(b"x")
        paths.append(incoming.whole())
    assert [path.name for path in paths] == ["a.txt", "A (2).TXT", "a (3).txt"]
    uploads.close()
    assert not list(tmp_path.iterdir())


def test_a_name_is_free_again_when_its_file_is_gone(tmp_path):
    uploads = UploadFolder(tmp_path)
    uploads.receive("a.txt").drop()
    for _ in range(2):
        incoming = uploads.receive("a.txt")
        incoming.write(b"x")
        path = incoming.whole()
        assert path.name == "a.txt"
        uploads.remove(path)
    uploads.close()


@pytest.mark.long
def test_what_a_killed_process_left_is_removed_and_what_a_living_one_holds_stays(tmp_path):
    living = UploadFolder(tmp_path)
    kept = living.receive("kept.txt")
    kept.write(b"x")
    path = kept.whole()
    ended = forked.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert ended.returncode == -9
    assert len(list(tmp_path.rglob("a.txt"))) == 1
    UploadFolder(tmp_path).receive("new.txt").drop()
    assert not list(tmp_path.rglob("a.txt"))
    assert path.is_file()
    living.close()


def test_a_file_elsewhere_is_never_removed(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    uploads = UploadFolder(tmp_path / "dropped")
    uploads.receive("a.txt").drop()
    uploads.remove(tmp_path / "mine.txt")
    uploads.close()
    assert (tmp_path / "mine.txt").is_file()


def test_translations_of_one_name_are_all_in_the_zip(tmp_path):
    paths = [tmp_path / name for name in ("letter.txt", "old/Letter.txt", "older/letter.txt")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"It lay in {path.parent}.")
    _, packed, _ = archive({path: path.name for path in paths}, name="all.zip")
    with zipfile.ZipFile(io.BytesIO(packed)) as zipped:
        contents = {name.casefold(): zipped.read(name) for name in zipped.namelist()}
    assert sorted(contents.values()) == sorted(path.read_bytes() for path in paths)


def test_more_than_a_browser_should_get_is_refused_in_a_sentence(tmp_path):
    with open(tmp_path / "large.pdf", "wb") as stream:
        stream.truncate(200_000_001)
    with pytest.raises(ValueError, match="at most 200 MB"):
        archive({tmp_path / "large.pdf": "large.pdf"}, name="all.zip")
