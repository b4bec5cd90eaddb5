"""What the documents panel says: short enough for its place, in right numbers, and without the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from svc_nb.panels.documents import messages, view
from svc_nb.panels.documents.table import DocumentFile
from tests.panels.documents.samples import SECRET, docx
from tests.panels.secrecy import assert_kept_out


@pytest.mark.parametrize("word", messages.STATUS)
def test_a_status_fits_its_column(word):
    wide = next(field.wide for field in view.FILES if field.name == "status")
    assert len(messages.status(word)) <= wide


def test_one_file_is_not_told_as_several():
    files = [DocumentFile(number, Path(name), name, size=9) for number, name in enumerate(("a.docx", "b.txt"))]
    said = messages.question(files, "German", again=False)
    assert "at least 50,000 for the docx file and the characters of the other file." in said


def test_a_translation_that_is_gone_is_told_without_its_name(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "secret-plan.txt", SECRET.encode())
    assert panel.translate().wait(60)
    (panel.out / "secret-plan.txt").unlink()
    panel.layout.buttons["save_all"].click()
    assert panel.wait(60)
    assert panel.line.kind == "error"
    assert "No such file" in panel.line.text
    assert isinstance(panel.problem, FileNotFoundError)
    assert_kept_out(panel, "secret-plan")


@pytest.mark.long
def test_a_place_that_is_taken_meanwhile_is_told_without_its_name(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "secret-plan.txt", SECRET.encode())
    dropped(panel, "hidden-report.docx", docx())
    panel.out.mkdir(parents=True)
    (panel.out / "secret-plan.txt").write_text("mine")
    panel.translate()
    assert panel.wait(60)
    assert "1 of 2 files translated" in panel.line.text
    assert "1 failed: see the remarks" in panel.line.text
    assert (panel.out / "secret-plan.txt").read_text() == "mine"
    assert_kept_out(panel, "secret-plan", "hidden-report")
