"""A folder named in the documents panel: what it holds is said before it is added, and one file can be dealt with."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from svc_nb import documents, service
from svc_nb.panels.documents.paths import MOST_FILES, completions, contents_of
from tests.panels.documents.samples import SECRET, docx, folder
from tests.panels.documents.test_documents_panel import facts, statuses
from tests.panels.secrecy import assert_kept_out
from tests.waiting import until


@pytest.fixture
def place(tmp_path) -> Path:
    """A folder with documents of two kinds, some below, and files of every sort that is left out."""
    made = folder(tmp_path / "in")
    (made / "deep").mkdir()
    (made / "deep" / "note.txt").write_text("A note.", "utf-8")
    (made / "song.mp3").write_bytes(b"la")
    (made / "list.mp3").write_bytes(b"la")
    (made / "empty.txt").touch()
    (made / ".hidden.txt").write_text("no")
    return made


def seen(place: Path, out: Path):
    return contents_of(str(place), out=out, target="DE", largest=lambda suffix: 150_000)


def test_a_folder_says_how_many_documents_of_which_kinds_it_has_and_what_is_left_out_and_why(
    place, tmp_path, connected
):
    assert str(seen(place, tmp_path / "out")) == (
        "6 documents: 3 txt, 1 srt, 1 docx, 1 png. "
        "3 cannot be sent: 1 empty; 1 srt over 150 kB; 1 .png, not accepted by this service. "
        "2 left out: .mp3 (not a document)."
    )
    assert str(seen(place / "letter.txt", tmp_path / "out")) == "1 document: 1 txt."
    assert str(seen(tmp_path / "nowhere", tmp_path / "out")) == f"There is no file or folder {tmp_path / 'nowhere'}."
    (tmp_path / "bare").mkdir()
    assert str(seen(tmp_path / "bare", tmp_path / "out")) == "0 documents here."


def test_translations_from_before_are_not_counted_as_documents(place):
    (place / "out").mkdir()
    (place / "out" / "letter.txt").write_text("Ein Brief.")
    assert seen(place, place / "out").left_out["translated before"] == 1


def test_a_very_large_folder_is_not_counted_to_its_end(tmp_path):
    for number in range(MOST_FILES + 2):
        (tmp_path / f"{number}.txt").write_text("x")
    assert str(seen(tmp_path, tmp_path / "out")).startswith(f"More than {MOST_FILES:,} documents")


def test_a_path_is_completed_with_folders_and_documents(place, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert completions("i") == ["in/"]
    assert completions("in/") == [f"in/{name}" for name in ("deep/", "empty.txt", "film.srt", "letter.txt")] + [
        "in/report.docx",
        "in/scan.png",
    ]
    assert completions("in/.h") == ["in/.hidden.txt"]
    assert completions(f"{place}/LET") == [f"{place}/letter.txt"]
    assert completions("nowhere/x") == []


def test_a_folder_is_looked_at_while_it_is_typed_and_added_when_it_is_asked_for(documents_panel, place):
    panel = documents_panel(target_lang="DE")
    assert panel.line.text == "Drop files above, or type the path of a folder. Nothing is sent before you confirm."
    field = panel.layout.paths
    field.hear({"kind": "look", "text": str(place)})
    assert panel.wait(60)
    assert field.content["said"].startswith("6 documents: 3 txt, ")
    assert field.content["count"] == 6
    assert not len(panel.table)
    for kind in ("look", "add"):
        field.hear({"kind": kind, "text": "~nobody-here"})
        assert panel.wait(60)
        assert field.content["said"] == f"There is no file or folder {Path.cwd()}/~nobody-here."
        assert panel.problem is None
    field.hear({"kind": "add", "text": f"{place}/nowhere"})
    assert field.content["said"] == f"There is no file or folder {place}/nowhere."
    field.hear({"kind": "add", "text": " "})
    assert field.content["said"] == "Type the path of a folder or file first."
    field.hear({"kind": "add", "text": f"{place}/song.mp3"})
    assert field.content["said"] == "0 documents here. 1 left out: .mp3 (not a document)."
    field.hear({"kind": "add", "text": str(place)})
    assert panel.wait(60)
    assert field.content["text"] == ""
    assert field.content["said"] == "6 files added. 2 left out: .mp3 (not a document)."
    assert panel.layout.buttons["go"].description == "Translate 3 files to German"
    assert (
        "3 files can be sent (about 50,036 characters or more) · 3 cannot be sent: see Reason · 2 left out."
        in panel.line.text
    )
    assert set(statuses(panel)) == {str(each.relative_to(place)) for each in place.rglob("[!.]*.*")}, "as add does"
    field.hear({"kind": "add", "text": str(place / "deep")})
    assert field.content["said"] == "0 files added. 1 is already in the list."
    assert_kept_out(panel, str(place), "letter.txt", "song.mp3")
    panel.remove()
    assert field.content["said"] == "", "there is nothing of it any more"


def test_what_another_verb_translates_is_told_with_it(tmp_path, connected):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "read.md").write_text("Read.")
    said = "0 documents here. 1 left out: Markdown (use svc_nb.translate_notebook())."
    assert str(seen(tmp_path / "in", tmp_path / "out")) == said


def test_files_of_one_name_can_be_told_apart_and_are_in_the_zip_once_and_with_their_folders(documents_panel, place):
    (place / "deep" / "letter.txt").write_text("Another letter.", "utf-8")
    (place.parent / "copy").mkdir()
    (place.parent / "copy" / "letter.txt").write_text(SECRET, "utf-8")
    panel = documents_panel([place / "letter.txt", place.parent / "copy", place / "deep"], target_lang="DE")
    names = [row["cells"][0] for row in panel.layout.grid.page["rows"]]
    assert names == ["in/letter.txt", "copy/letter.txt", "deep/letter.txt", "note.txt"]
    panel.remove()
    panel.add([place, place.parent / "copy"])
    assert panel.wait(60)
    names = [row["cells"][0] for row in panel.layout.grid.page["rows"]]
    assert {"in/letter.txt", "copy/letter.txt", "deep/letter.txt", "deep/note.txt"} < set(names)
    assert panel.translate().wait(60)
    assert list(statuses(panel).values()).count("done") >= 3
    assert panel.layout.buttons["save_all"].description == "Save all 4 as zip"
    saved = []
    panel.line.download = lambda name, data, *, kind: saved.append(data)
    assert panel.save().wait(60)
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        assert sorted(archive.namelist()) == [
            "deep/letter.DE.txt",
            "deep/note.DE.txt",
            "letter.DE.txt",
            "report.DE.docx",
        ]


def test_no_column_is_empty_before_a_run_and_a_reason_is_shown_where_there_is_one(documents_panel, place):
    panel = documents_panel(place / "letter.txt", target_lang="DE", source_lang="EN")
    page = panel.layout.grid.page
    assert [each["title"] for each in page["columns"]] == ["File", "From → to", "State", "Size", "Characters"]
    assert page["rows"][0]["cells"][:3] == ["letter.txt", "EN → DE", "Ready to send"]
    panel.add(place / "film.srt")
    assert panel.wait(60)
    assert "Reason" in [each["title"] for each in panel.layout.grid.page["columns"]]


def test_one_file_is_saved_retried_or_removed_by_itself(documents_panel, place, running):
    panel = documents_panel([place / "letter.txt", place / "report.docx"], target_lang="DE")
    detail, saved = panel.layout.detail, []
    panel.line.download = lambda name, data, *, kind: saved.append(name)
    panel._choose_file(1)
    assert detail.content["can"] == []
    running.faults.add(service.Fault("status", operation="POST /v2/document", status=400, count=1))
    assert panel.translate().wait(60)
    (failed,) = [number for number, status in panel.table["status"].items() if status == "error"]
    panel._choose_file(failed)
    assert detail.content["can"] == ["retry"]
    assert dict(detail.content["facts"])["State"] == "Failed"
    assert dict(detail.content["facts"])["Reason"]
    assert facts(panel)["Failed"] == "1"
    assert (panel.layout.meter.state, panel.layout.meter.done, panel.layout.meter.failed) == ("done", 1, 1)
    assert panel.layout.meter.text == "1 of 2 files translated: 1 failed"
    assert panel.layout.buttons["retry"].description == "Retry 1 file"
    styles = [panel.layout.buttons[name].button_style for name in ("retry", "save_all")]
    assert styles == ["", "primary"]  # what is ready comes first
    detail.hear({"kind": "retry", "number": failed})
    assert panel.wait(60)
    assert "You are billed" in panel.layout.question.notice.line.text
    assert panel.layout.buttons["yes"].description == "Retry 1 file"
    panel.layout.buttons["yes"].click()
    assert panel.wait(60)
    assert set(statuses(panel).values()) == {"done"}
    assert facts(panel)["Ready"] == "2 of 2 files"  # of all files, not of what was retried
    assert panel.line.text == "2 of 2 files translated."
    assert panel.layout.meter.state == ""
    panel.save([failed])
    assert panel.wait(60)
    assert saved == [panel.table.loc[failed, "file"].replace(".", ".DE.")]
    panel.remove([failed])
    assert len(panel.table) == 1
    assert detail.content["number"] is None


@pytest.mark.long
def test_a_spent_quota_pauses_unsent_files_and_a_retry_continues(documents_panel, place, running):
    panel = documents_panel([place / "letter.txt", place / "report.docx"], target_lang="DE")
    running.faults.add(service.Fault("status", operation="POST /v2/document", status=456))
    assert panel.translate().wait(60)
    assert panel.line.text.startswith("Paused: ")
    assert panel.line.kind == "error"
    assert "Paused" in facts(panel)
    assert [row["cells"][2] for row in panel.layout.grid.page["rows"]] == ["Paused", "Paused"]
    assert (panel.layout.meter.state, panel.layout.meter.done) == ("paused", 0)
    assert panel.layout.buttons["retry"].description == "Retry 2 files"
    running.faults.clear()
    assert panel.layout.buttons["retry"].button_style == "primary"
    panel.layout.buttons["retry"].click()
    panel.layout.buttons["yes"].click()
    until(lambda: panel.wait(60) and set(statuses(panel).values()) == {"done"})
    assert panel.line.text == "2 of 2 files translated."
    assert "Paused" not in facts(panel)


def test_there_is_nothing_to_retry_where_nothing_failed(documents_panel, place):
    panel = documents_panel(place / "letter.txt", target_lang="DE")
    with pytest.raises(ValueError, match="no failed file"):
        panel.retry_files()
    assert not len(documents.pending())


def test_the_saved_notebook_keeps_the_facts_without_names(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "secret-plan.txt", SECRET.encode())
    dropped(panel, "hidden.docx", docx())
    assert panel.translate().wait(60)
    kept = panel._repr_mimebundle_()["text/html"]
    assert "<td>Ready</td><td>2</td>" in kept
    assert "<td>Billed</td><td>50,029 characters</td>" in kept
    panel._choose_file(1)
    assert_kept_out(panel, "secret-plan", "hidden.docx")
