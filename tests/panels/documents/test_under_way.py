"""Documents that a panel finds under way, with a service that takes its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from svc_nb import documents, panels, service, session
from tests.panels.documents.samples import SECRET, docx, folder
from tests.toy import TOY
from tests.waiting import until


@pytest.fixture
def running() -> Iterator[service.Service]:
    """A service in which every document takes a while."""
    account = service.Account(document_seconds=1)
    with service.start(memory=True, account=account, translators=TOY) as started:
        yield started


@pytest.mark.long
def test_what_was_sent_and_cancelled_is_resumed_by_the_next_panel_and_billed_once(
    documents_panel, dropped, connected, tmp_path
):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "report.docx", docx())
    panel.translate()
    until(lambda: len(documents.pending()))
    with pytest.raises(ValueError, match="being processed"):
        panel.translate()
    with pytest.raises(ValueError, match="being processed"):
        panel.remove()
    panel.cancel()
    assert panel.wait(60)
    assert panel.table["status"].tolist() == ["to fetch"]
    assert [each["name"] for each in panel.layout.results.figures] == ["Ready", "Ready to fetch"]
    cost = "at least 50,000 characters"
    assert panel.line.text == f"Cancelled: 0 of 1 file translated; 1 file was sent and can be fetched for {cost}."
    assert panel.layout.buttons["go"].description == "Fetch 1 file …"
    panel.layout.buttons["go"].click()
    assert panel.layout.question.notice.line.text == f"Fetch 1 file? You are billed {cost}: 50,000 for each docx."
    panel.layout.buttons["no"].click()
    assert not len(panel.pending), "it stands in the list above"
    assert len(documents.pending()) == 1
    panel.close()

    (tmp_path / "other.txt").write_text("Another one.", "utf-8")
    second = documents_panel(tmp_path / "other.txt", target_lang="DE")
    assert second.pending["at_work"].tolist() == [False]
    assert second.layout.waiting.box.layout.display != "none"
    second.layout.waiting.resume_all.click()
    assert second.layout.question.notice.line.text.startswith("Resume 1 document? You are billed at least 50,000")
    second.layout.buttons["yes"].click()
    assert second.wait(60)
    assert second.table["status"].tolist() == ["to send", "done"]
    assert Path(second.table["output"].iloc[1]).is_file()
    assert not len(second.pending)
    assert connected.client.account.usage().character_count == 50_000
    second.layout.buttons["go"].click()
    second.layout.buttons["yes"].click()
    assert second.wait(60)
    assert second.table["status"].tolist() == ["done", "done"]


@pytest.mark.long
def test_a_resumed_document_that_did_not_come_is_resumed_again_and_sent_nowhere_else(
    documents_panel, connected, running, tmp_path
):
    job = documents.start(folder(tmp_path / "in") / "report.docx", target_lang="DE", out=tmp_path / "out")
    until(lambda: len(documents.pending()))
    job.cancel()
    assert job.wait(60)
    panel = documents_panel()
    waiting, buttons = panel.layout.waiting, panel.layout.buttons
    panel.resume().cancel()
    assert panel.wait(60)
    assert panel.table["status"].tolist() == ["to fetch"]
    assert waiting.resume_all.description == "Resume 1 document …"
    panel.choose("FR").add(tmp_path / "in" / "letter.txt")
    assert panel.wait(60)
    assert buttons["go"].description == "Translate 1 file to French"
    assert panel.translate().wait(60)
    assert panel.table["status"].tolist() == ["to fetch", "done"]
    assert connected.client.account.usage().character_count == len(SECRET)

    running.faults.add("status", operation="POST /v2/document/{document_id}/result", status=400)
    assert panel.resume().wait(60)
    running.faults.clear()
    assert panel.table["error"].iloc[0]
    assert buttons["retry"].layout.display == "none"
    waiting.resume_all.click()
    buttons["yes"].click()
    assert panel.wait(60)
    assert panel.table["status"].tolist() == ["done", "done"]
    assert connected.client.account.usage().character_count == 50_000 + len(SECRET)
    assert not len(panel.pending)


def test_a_resumed_document_that_is_forgotten_leaves_the_list(documents_panel, tmp_path):
    job = documents.start(folder(tmp_path / "in") / "letter.txt", target_lang="DE", out=tmp_path / "out")
    until(lambda: len(documents.pending()))
    job.cancel()
    assert job.wait(60)
    panel = documents_panel()
    panel.resume().cancel()
    assert panel.wait(60)
    panel.forget(panel.pending["document_id"].tolist()).wait(60)
    assert not len(panel.table)


@pytest.mark.long
def test_a_panel_that_works_is_shown_at_once_and_refresh_keeps_what_is_finished(documents_panel, tmp_path):
    place = folder(tmp_path / "in")
    panel = documents_panel(place / "letter.txt", target_lang="DE")
    assert panel.translate().wait(60)
    panel.add(place / "report.docx")
    panel.translate()
    panel._repr_mimebundle_()
    assert not panel.wait(0)
    panel.refresh()
    assert panel.wait(60)
    assert panel.line.text == "2 of 2 files translated."
    assert panel.layout.results.figures[0]["value"] == "2 of 2 files"


@pytest.mark.long
def test_progress_is_shown_as_it_goes_and_the_selection_stays(documents_panel, tmp_path):
    place = folder(tmp_path / "in")
    panel = documents_panel([place / "letter.txt", place / "report.docx"], target_lang="DE")
    grid = panel.layout.grid
    assert [column["title"] for column in grid.page["columns"]] == [
        "File",
        "From → to",
        "State",
        "Size",
        "Characters",
    ], "no column is empty before a run"
    seen = set()
    panel.translate()
    titles = [column["title"] for column in grid.page["columns"]]
    assert titles == ["File", "From → to", "State", "Reason", "Size", "Characters", "Translation"]
    grid.hear({"kind": "select", "from": [1, 1], "to": [1, 1], "version": grid.page["version"]})
    while not panel.wait(0.1):
        seen |= {row["cells"][2] for row in grid.page["rows"]}
        assert grid.selected == [2]
        assert panel.layout.meter.state in ("running", "")
    shares = [int(state.split()[1]) for state in seen if state.startswith("Translating ")]
    assert shares
    assert all(0 <= share <= 100 for share in shares)
    assert [row["cells"][1:3] for row in grid.page["rows"]] == [["EN → DE", "Ready"]] * 2
    assert grid.selected == [2]
    assert panel.table["status"].tolist() == ["done", "done"]


@pytest.mark.long
def test_files_that_come_during_a_run_are_checked_after_it(documents_panel, dropped, tmp_path):
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="DE")
    panel.translate()
    panel.add(tmp_path / "in" / "report.docx")
    assert panel.wait(60)
    assert panel.table["status"].tolist() == ["done", "to send"]


def test_a_document_is_forgotten_only_after_a_question(documents_panel, tmp_path):
    job = documents.start(folder(tmp_path / "in") / "letter.txt", target_lang="DE", out=tmp_path / "out")
    until(lambda: len(documents.pending()))
    panel = documents_panel()
    waiting = panel.layout.waiting
    assert panel.pending["at_work"].tolist() == [True]
    assert waiting.resume_all.disabled
    job.cancel()
    assert job.wait(60)
    # what was at work lets go a moment after its end
    until(lambda: panel.refresh().wait(60) and not waiting.resume_all.disabled)
    waiting.grid.hear({"kind": "select", "from": [0, 0], "to": [0, 0], "version": waiting.grid.page["version"]})
    waiting.forget.click()
    assert "Forget 1 document for good?" in panel.layout.question.notice.line.text
    assert panel.layout.buttons["yes"].description == "Forget 1 document"
    panel.layout.buttons["no"].click()
    assert not panel.layout.question.waits
    waiting.forget.click()
    assert len(documents.pending()) == 1
    panel.layout.buttons["yes"].click()
    assert panel.wait(60)
    assert not len(documents.pending())
    assert not len(panel.pending)
    assert panel.line.text == "Forgot 1 document."


@pytest.mark.long
def test_what_another_service_has_is_shown_and_can_be_forgotten_but_not_resumed(
    documents_panel, connected, running, tmp_path
):
    job = documents.start(folder(tmp_path / "in") / "letter.txt", target_lang="DE", out=tmp_path / "out")
    until(lambda: len(documents.pending()))
    job.cancel()
    assert job.wait(60)
    with service.start(memory=True) as other:
        elsewhere = session.Session.embedded(other, connected.settings)
        session.make_current(elsewhere)
        panel = documents_panel()
        waiting = panel.layout.waiting
        assert [row["cells"][3] for row in waiting.grid.page["rows"]] == ["another service"]
        assert (waiting.resume_all.disabled, waiting.resume_all.description) == (True, "Resume")
        assert (waiting.resume.disabled, waiting.forget.disabled) == (True, False)
        assert waiting.line.text.startswith("These were sent to another service")
        waiting.forget.click()
        assert waiting.line.text.startswith("No document is selected"), "beside the button"
        assert panel.problem is None
        panel.add(tmp_path / "in" / "letter.txt")
        assert panel.choose("DE").wait(60)
        assert len(panel.pending) == 1, "the same file for this service is another document"
        panel.remove()
        with pytest.raises(ValueError, match="nothing to resume"):
            panel.resume()
        session.make_current(connected)
        assert panel.refresh().wait(60)
        assert waiting.resume_all.description == "Resume 1 document …"
        assert panel.resume().wait(60)
        assert panel.table["status"].tolist() == ["done"]
        elsewhere.close()
        elsewhere.store.close()


@pytest.mark.long
def test_the_next_panel_follows_a_run_of_the_one_before_and_can_cancel_it(documents_panel, connected, tmp_path):
    place = folder(tmp_path / "in")
    files = [place / "letter.txt", place / "report.docx"]
    first = documents_panel(files, target_lang="DE").translate()
    until(lambda: len(documents.pending()) == 2)
    second = panels.Documents(files, target_lang="DE")
    buttons = second.layout.buttons
    until(lambda: buttons["cancel"].layout.display != "none")
    assert second.line.text.startswith("Another panel of this notebook started this run.")
    assert (buttons["go"].disabled, buttons["cancel"].disabled) == (True, False)
    assert second.wait(60)
    assert first.wait(60)
    assert first.table["status"].tolist() == second.table["status"].tolist() == ["done", "done"]
    assert second.table["characters"].sum() == connected.client.account.usage().character_count
    first.choose("FR").translate()
    until(lambda: len(documents.pending()) == 2)
    third = panels.Documents(files, target_lang="FR")
    until(lambda: third.layout.meter.state == "running")
    third.cancel()
    assert third.wait(60)
    assert third.layout.buttons["go"].description == "Fetch 2 files …"
    second.close()
    third.close()


@pytest.mark.long
def test_what_another_kernel_is_at_is_not_offered_and_followed_to_its_end(documents_panel, tmp_path):
    letter = folder(tmp_path / "in") / "letter.txt"
    job = documents.start(letter, target_lang="DE", out=tmp_path / "out")
    until(lambda: len(documents.pending()))
    panel = documents_panel(letter, target_lang="DE", out=tmp_path / "out")
    assert panel.table["status"].tolist() == ["elsewhere"]
    assert panel.line.text == "1 being translated by another notebook."
    assert panel.layout.buttons["go"].disabled
    assert not len(panel.pending), "it stands in the list above"
    assert job.wait(60)
    until(lambda: panel.table["status"].tolist() == ["done"])
    assert panel.wait(60)
    assert panel.line.text.startswith("1 ready.")


def test_what_ends_with_the_kernel_is_not_promised(documents_panel, connected, running, tmp_path):
    panel = documents_panel(folder(tmp_path / "in") / "letter.txt", target_lang="DE").translate()
    until(lambda: len(documents.pending()))
    until(lambda: panel.table["status"].tolist()[0] in ("queued", "translating"))
    assert panel._survives == "1 sent file is gone with the embedded service, and not billed."
    running.folder = str(tmp_path)
    assert panel._survives == "1 sent file can be fetched here; nothing is billed twice."
    running.folder = None


@pytest.mark.long
def test_closing_a_panel_leaves_what_was_sent_to_be_resumed(documents_panel, dropped, tmp_path):
    panel = documents_panel(target_lang="DE")
    dropped(panel, "letter.txt", b"A letter.")
    panel.translate()
    until(lambda: len(documents.pending()))
    panel.close()
    assert documents.pending()["at_work"].tolist() == [False]
    assert not list((tmp_path / "dropped").iterdir())
    assert documents.resume(progress=False)["status"].tolist() == ["done"]
