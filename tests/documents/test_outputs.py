"""Where translations end up over several runs: copies, changed sources, full disks; nothing is lost or paid twice."""

from __future__ import annotations

import shutil
import sqlite3
import sys

import pytest

from svc_nb import documents, errors
from svc_nb.documents.storage import VERSIONS, Storage
from tests.documents.conftest import RESULT, UPLOAD
from tests.waiting import until

GERMAN = {"target_lang": "EN-GB", "source_lang": "DE", "progress": False}


def translate(files, out, **rest):
    return documents.translate(files, out=out, **{**GERMAN, **rest})


def test_copies_are_known_again_by_the_next_run(office, folder, tmp_path):
    one = office()
    for _ in range(2):
        table = translate(folder(a="Gleich.", b="Gleich."), tmp_path / "out")
        assert table["status"].tolist() == ["done", "done"]
        assert translate(folder(), tmp_path / "other")["status"].tolist() == ["done", "done"]
    assert one.answered(UPLOAD) == 3


def test_a_copy_that_someone_else_made_is_as_good(office, folder, tmp_path):
    one = office()
    translate(folder(a="Guten Tag."), tmp_path / "out")
    shutil.copytree(tmp_path / "out", tmp_path / "moved")
    assert translate(folder(a="Guten Tag."), tmp_path / "moved")["status"].tolist() == ["done"]
    assert one.answered(UPLOAD) == 1


def test_a_copy_is_no_source_and_is_replaced_when_its_source_changes(office, folder):
    office()
    source = folder(a="Gleich.", b="Gleich.")
    translate(source, None)
    table = translate(source, None, target_lang="FR")
    assert [path.rpartition("/")[2] for path in table["path"]] == ["a.txt", "b.txt"]
    (source / "b.txt").write_text("Anders.")
    assert translate(source, None)["status"].tolist() == ["done", "done"]
    assert (source / "b.EN-GB.txt").read_text() == "[EN-GB] Anders."


def test_the_translation_of_another_content_is_not_taken_for_its_own(office, folder, tmp_path):
    one = office()
    for text in ("Eins.", "Zwei."):
        translate(folder(a=text), tmp_path / "out")
    table = translate(folder(a="Eins."), tmp_path / "out", errors="coerce")
    assert table["status"].tolist() == ["lost"]
    assert translate(folder(a="Eins."), tmp_path / "out", again=True)["status"].tolist() == ["done"]
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Eins."
    assert one.answered(UPLOAD) == 3


def test_a_translation_that_is_gone_is_taken_from_a_copy_that_is_left(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.")
    translate(source, tmp_path / "out")
    translate(source, tmp_path / "other")
    (tmp_path / "out" / "a.txt").unlink()
    assert translate(source, tmp_path / "out")["status"].tolist() == ["done"]
    assert (tmp_path / "out" / "a.txt").read_text() == "[EN-GB] Guten Tag."
    assert one.answered(UPLOAD) == 1


def test_what_is_asked_for_again_takes_the_place_of_the_earlier_one(office, folder, tmp_path):
    one = office()
    source = folder(a="Guten Tag.")
    for again in (False, True):
        translate(source, tmp_path / "out", again=again)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.txt"]
    assert one.answered(UPLOAD) == 2


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_where_there_is_no_room_a_translation_is_not_asked_for(office, tmp_path):
    import resource

    one = office()
    (tmp_path / "a.txt").write_text(("Wort " * 1000 + "Ende.\n") * 190)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limit[1]))
    try:
        table = translate(tmp_path / "a.txt", tmp_path / "out", errors="coerce")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert f"too large: {tmp_path / 'out'}. svc_nb.documents.resume() continues" in table["error"].iloc[0]
    assert (one.answered(RESULT), one.billed, list((tmp_path / "out").iterdir())) == (0, 0, [])
    assert documents.resume(progress=False)["status"].tolist() == ["done"]
    assert (one.answered(UPLOAD), one.answered(RESULT)) == (1, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is open")
def test_a_link_that_is_put_in_the_place_of_a_download_is_not_followed(office, folder, tmp_path):
    one = office()
    (tmp_path / "mine").write_text("mine")
    one.running.faults.add("latency", operation=RESULT, seconds=1, count=1)
    job = documents.start(folder(a="Guten Tag."), "EN-GB", source_lang="DE", out=tmp_path / "out")
    part = until(lambda: one.running.traffic.in_flight and list((tmp_path / "out").glob(".*.part")))[0]
    part.unlink()
    part.symlink_to(tmp_path / "mine")
    with pytest.raises(errors.DocumentsFailed, match="was replaced while it was being written"):
        job.result(30)
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "out" / "a.txt").exists()


def test_two_downloads_of_a_document_have_names_that_no_one_can_tell(office, folder, tmp_path):
    one = office(tries=1)
    names = set()
    for number in range(2):
        one.running.faults.add("truncate", operation=RESULT, count=1)
        translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce", again=bool(number))
        names |= {path.name for path in (tmp_path / "out").iterdir()}
    assert len(names) == 2


def test_what_the_service_refused_to_give_does_not_count_as_downloaded(office, folder, tmp_path):
    one = office()
    one.running.faults.add("status", operation=RESULT, status=456, count=1)
    table = translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert "456" in table["error"].iloc[0]
    assert [each.stage for each in one.workspace.storage.under_way()] == ["ready"]
    assert list((tmp_path / "out").iterdir()) == []
    assert documents.resume(progress=False)["status"].tolist() == ["done"]


def test_a_half_download_is_removed_when_its_document_goes_elsewhere(office, folder, tmp_path):
    one = office(tries=1)
    one.running.faults.add("truncate", operation=RESULT, count=1)
    translate(folder(a="Guten Tag."), tmp_path / "out", errors="coerce")
    assert len(list((tmp_path / "out").iterdir())) == 1
    assert documents.resume(tmp_path / "other", progress=False)["status"].tolist() == ["done"]
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_of_the_first_version_knows_its_outputs(tmp_path):
    path = tmp_path / "documents.sqlite"
    Storage(path).find("makes the file")
    db = sqlite3.connect(path)
    db.executescript("DROP TABLE documents; DROP TABLE outputs;" + VERSIONS[0] + "; PRAGMA user_version = 1")
    row = {"identity": "i", "address": "x", "path": "/a.txt", "size": 1, "digest": "d", "target_lang": "DE"}
    row |= {"options": "{}", "stage": "fetched", "output": "/out/a.txt", "output_digest": "made"}
    row |= {"created": 0, "changed": 0}
    db.execute(f"INSERT INTO documents ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
    db.commit()
    db.close()
    storage = Storage(path)
    assert storage.made("/out/a.txt").digest == "made"
    assert storage.find("i").tag is None
    storage.close()
