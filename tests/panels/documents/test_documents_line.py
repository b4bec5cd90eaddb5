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
    wide = next(field.wide for field in view.FILES if field.name == "state")
    document = DocumentFile(1, Path("a.txt"), "a.txt", status=word, share=0.5, left=42)
    assert len(messages.state(document)) <= wide


def test_one_file_is_not_told_as_several():
    counts = {"a.docx": 50_000, "b.txt": 9}
    files = [DocumentFile(1, Path(name), name, size=9, characters=count) for name, count in counts.items()]
    said, answer = messages.question(files, "German")
    assert said.startswith("Send 2 files (18 B) and translate to German?")
    assert said.endswith("You are billed about 50,009 characters or more: at least 50,000 for each docx.")
    assert answer == "Translate 2 files"
    files[0].lacking = "no translator for DE → JA"
    said, _ = messages.question(files, "Japanese")
    assert "There is no translator for DE → JA here: 1 of 2 files would not be translated." in said
    files[0].lacking = files[1].lacking = "no translator into Japanese"
    said, answer = messages.question(files, "Japanese")
    assert "Japanese? There is no translator into Japanese here: the files would not be translated. You are" in said
    assert answer == "Send 2 files anyway"
    files[1].lacking = ""
    assert messages.question(files[1:], "German", again=True)[1] == "Translate 1 file again"


def test_what_is_billed_is_told_as_far_as_it_is_known():
    word, sheet = (DocumentFile(1, Path(name), name, characters=50_000) for name in ("a.docx", "a.xlsx"))
    text, layout = DocumentFile(1, Path("a.txt"), "a.txt", characters=9), DocumentFile(1, Path("a.idml"), "a.idml")
    assert messages.bill([text]) == "You are billed about 9 characters."
    assert messages.bill([text, layout]) == "You are billed about 9 characters or more."
    assert messages.bill([layout]) == "You are billed for the characters it contains."
    both = "You are billed at least 100,000 characters: 50,000 for each docx or xlsx."
    assert messages.bill([word, sheet]) == both


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
def test_a_path_that_was_taken_since_is_reported_without_its_name(documents_panel, dropped):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "secret-plan.txt", SECRET.encode())
    dropped(panel, "hidden-report.docx", docx())
    panel.out.mkdir(parents=True)
    (panel.out / "secret-plan.txt").write_text("mine")
    panel.translate()
    assert panel.wait(60)
    assert "1 of 2 files translated" in panel.line.text
    assert "1 failed: see Reason" in panel.line.text
    assert (panel.out / "secret-plan.txt").read_text() == "mine"
    assert_kept_out(panel, "secret-plan", "hidden-report")
