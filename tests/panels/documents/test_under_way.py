"""Documents that a panel finds under way, with a service that takes its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from svc_nb import documents, service, session
from tests.panels.documents.samples import docx, folder
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
    with pytest.raises(ValueError, match="on their way"):
        panel.translate()
    with pytest.raises(ValueError, match="on their way"):
        panel.remove()
    panel.cancel()
    assert panel.wait(60)
    assert panel.table["status"].tolist() == ["to fetch"]
    assert "Cancelled" in panel.line.text
    assert panel.layout.buttons["go"].description == "Fetch 1 file"
    assert len(panel.pending) == 1
    panel.close()

    (tmp_path / "other.txt").write_text("Another one.", "utf-8")
    second = documents_panel(tmp_path / "other.txt", target_lang="DE")
    assert second.pending["at_work"].tolist() == [False]
    assert second.layout.waiting.box.layout.display != "none"
    second.layout.waiting.resume_all.click()
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
def test_progress_is_shown_as_it_goes_and_the_selection_stays(documents_panel, tmp_path):
    place = folder(tmp_path / "in")
    panel = documents_panel([place / "letter.txt", place / "report.docx"], target_lang="DE")
    grid = panel.layout.grid
    grid.hear({"kind": "select", "from": [1, 1], "to": [1, 1], "version": grid.page["version"]})
    seen = set()
    panel.translate()
    while not panel.wait(0.1):
        rows = grid.page["rows"]
        seen |= {(row["cells"][3], row["cells"][4]) for row in rows}
        assert grid.selected == [2]
        assert panel.layout.meter.state in ("running", "")
    words = {word for word, _ in seen}
    assert "Translating" in words
    shares = [int(share.split()[0]) for word, share in seen if word == "Translating"]
    assert all(0 <= share < 100 for share in shares)
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
    assert "Forget 1 document for good?" in waiting.question.line.text
    assert len(documents.pending()) == 1
    waiting.question.box.children[-1].children[0].click()
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
        with pytest.raises(ValueError, match="nothing to resume"):
            panel.resume()
        session.make_current(connected)
        assert panel.refresh().wait(60)
        assert waiting.resume_all.description == "Resume 1 document"
        assert panel.resume().wait(60)
        assert panel.table["status"].tolist() == ["done"]
        elsewhere.close()
        elsewhere.store.close()


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
