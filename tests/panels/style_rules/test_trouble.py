"""The style rule panel when things go wrong: names taken, lists gone, keys revoked, pages of a proxy."""

from __future__ import annotations

import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import svc_nb
from svc_nb import service, session, style_rules
from svc_nb.panels import StyleRules
from svc_nb.service.faults import Fault
from tests import forked
from tests.conftest import current
from tests.panels.glossary.test_glossary_drafts import full_disk
from tests.panels.style_rules.conftest import pushed

HOSTILE = "<img src=x onerror=alert(1)> $x_1^2$ =cmd() \u202e\x00 {0} %s \\"


def done(panel: StyleRules) -> StyleRules:
    assert panel.wait(60)
    return panel


@contextmanager
def remote(key: str, address: str, store: str) -> Iterator[None]:
    """The current session: with the service at this address, as from another process."""
    before = session.make_current(None)
    opened = svc_nb.connect(key, base_url=address, store=store)
    try:
        yield
    finally:
        session.make_current(before)
        opened.close()
        opened.store.close()


def names() -> list[str]:
    return sorted(style_rules.list()["name"])


# ---- edits that must not be lost


def test_a_list_opened_by_name_again_keeps_its_edits(panel, house):
    panel.rename("Haus")
    panel.set_rule("punctuation", "serial_comma", None)
    done(panel.open("House"))
    assert panel.style_id == house.style_id
    assert len(panel.changes) == 2


@pytest.mark.long
def test_an_answer_that_comes_late_opens_nothing_over_a_new_list(panel, running):
    style_rules.push(style_rules.Style({}, name="Other", language="en"))
    running.faults.add(Fault("latency", seconds=0.5))
    panel.open("Other")
    panel.create("New", "de")
    panel.add_instruction("a", "b")
    done(panel)
    assert panel.style.name == "New"


def test_a_list_that_is_gone_at_a_reload_stays_here(panel, house):
    panel.rename("Haus")
    style_rules.delete(house.style_id)
    done(panel.reload())
    assert "deleted elsewhere" in panel.line.text
    assert panel.style.name == "Haus"
    pushed(panel)
    assert names() == ["Haus"]


def test_a_list_opened_while_another_is_looked_up_can_be_edited(panel, house, running):
    panel.create("New", "de")
    panel.open(house.style_id)
    panel.rename("Haus")
    running.faults.add(Fault("latency", seconds=0.3))
    panel.push()
    panel.open("new 1")
    done(panel)
    assert panel.style.name == "New"
    assert panel.parts.lists.disabled is False
    assert panel.buttons["push"].disabled is False
    assert panel.board.content["busy"] is False


@pytest.mark.long
def test_a_panel_closed_while_it_asks_leaves_no_thread_no_list_and_no_file(connected, house, running, tmp_path):
    running.faults.add(Fault("latency", seconds=0.3))
    panel = StyleRules(house.style_id)
    assert panel.wait(60)
    panel.try_out("Hola.")
    panel.reload()
    panel.close()
    running.faults.clear()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("svc_nb panel")] == []
    assert names() == ["House"]
    assert [path for path in Path(connected.settings.drafts_path).rglob("*") if path.is_file()] == []


KILLED = """
import os, sys, signal, svc_nb
from svc_nb import panels
svc_nb.connect(sys.argv[1], base_url=sys.argv[2], store=sys.argv[3])
panel = panels.StyleRules(sys.argv[4])
panel.wait(60)
panel.rename("Haus").add_instruction("New", "Say new things.")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_edits_of_a_kernel_that_was_killed_are_offered_and_restored(running, house, tmp_path):
    store = str(tmp_path / "killed.sqlite")
    given = [running.api_key, running.base_url, store, house.style_id]
    forked.run([sys.executable, "-c", KILLED, *given], check=False, timeout=100)
    with remote(running.api_key, running.base_url, store), StyleRules(house.style_id) as panel:
        assert panel.wait(60)
        assert panel.parts.offer.line.text.startswith("Edits of “House” (English) from ")
        assert "were not pushed. Restore them?" in panel.parts.offer.line.text
        panel.restore()
        assert panel.wait(60)
        assert (panel.style.name, len(panel.style.instructions)) == ("Haus", 2)
        assert panel.undo() == "a new instruction"
        panel.discard()


# ---- names


def test_a_new_list_that_takes_a_taken_name_overwrites_nothing(panel, house):
    panel.create("Late", "en")
    panel.rename("House")
    done(panel.push())
    assert "already" in panel.line.text
    assert style_rules.pull(house.style_id) == house


def test_a_new_list_whose_name_was_taken_is_pushed_under_another(opened):
    panel = opened()
    panel.create("Late", "en")
    style_rules.push(style_rules.Style({}, name="Late", language="en"))
    done(panel.push())
    assert "already" in panel.line.text
    panel.rename("Later")
    pushed(panel)
    assert names() == ["Late", "Later"]


def test_an_empty_name_is_refused(panel):
    for name in ("", "   "):
        with pytest.raises(ValueError, match="name"):
            panel.create(name, "de")
        with pytest.raises(ValueError, match="name"):
            panel.rename(name)
    assert panel.style.name == "House"


# ---- deleting


def test_a_list_that_others_changed_is_not_deleted_unseen(panel, house):
    panel.delete()
    style_rules.push(style_rules.pull(house.style_id).replace(name="Maison"))
    panel.confirm()
    done(panel)
    assert names() == ["Maison"]
    assert "changed elsewhere" in panel.line.text
    assert panel.style.name == "Maison"


def test_the_button_says_what_it_undoes(panel):
    panel.rename("Haus")
    pushed(panel)
    assert panel.buttons["undo_push"].description == "Undo the push"
    panel.delete()
    done(panel.confirm())
    assert panel.buttons["undo_push"].description == "Undo the deletion"


# ---- limits and hostile texts


@pytest.mark.long
def test_limits_are_told_and_what_just_fits_is_pushed(panel, house):
    number = panel.add_instruction("l" * 100, "😀" * 300)
    panel.write_instruction(number, label="l" * 101)
    with pytest.raises(ValueError, match="1 error"):
        panel.push()
    panel.undo()
    for place in range(198):
        panel.add_instruction(f"Label {place}", "x")
    assert len(panel.findings.query("severity == 'error'")) == 0
    panel.add_instruction("one more", "x")
    with pytest.raises(ValueError, match="error"):
        panel.push()
    panel.undo()
    pushed(panel)
    assert len(style_rules.pull(house.style_id).instructions) == 200


def test_hostile_texts_come_back_as_they_were_written(panel, house):
    panel.add_instruction(HOSTILE, HOSTILE)
    panel.create(HOSTILE, "en")
    pushed(panel)
    panel.open(house.style_id)
    pushed(done(panel))
    assert style_rules.pull(house.style_id).instructions["prompt"].tolist() == ["Be brief.", HOSTILE]


# ---- the way there


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("status", operation="PATCH /v3/style_rules/{style_id}", status=456), "456"),
        (Fault("status", operation="GET /v3/style_rules/{style_id}", status=403), "403"),
    ],
)
def test_a_refusal_is_a_line_and_the_edit_stays(panel, running, fault, words):
    panel.rename("Haus")
    running.faults.add(fault)
    done(panel.push())
    if panel.line.kind != "error":
        done(panel.confirm())
    assert panel.line.kind == "error"
    assert panel.line.text.startswith(words)
    assert "(trace " in panel.line.text
    assert "\n" not in panel.line.text
    assert len(panel.changes) == 1
    running.faults.clear()
    pushed(panel)
    assert names() == ["Haus"]


def test_a_revoked_key_is_one_line(panel, raw):
    for key in raw.admin("GET", "/v2/admin/developer-keys").json():
        raw.admin("PUT", "/v2/admin/developer-keys/deactivate", json={"key_id": key["key_id"]})
    panel.rename("Haus")
    done(panel.push())
    assert panel.line.text.startswith("403 Forbidden: This key has been deactivated (trace ")
    assert len(panel.changes) == 1


class Page(http.server.BaseHTTPRequestHandler):
    """A proxy that wants people to sign in."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html><body><h1>Please sign in</h1>" + b"x" * 3000)

    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def proxied(tmp_path) -> Iterator[None]:
    """The current session: with a proxy that answers with a page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        with remote("key", f"http://127.0.0.1:{server.server_port}", str(tmp_path / "answers.sqlite")):
            yield
        server.shutdown()
        thread.join()


def test_a_proxys_page_is_one_line(proxied):
    with StyleRules() as panel:
        assert panel.wait(60)
        assert panel.line.text.startswith("200 Expected JSON, found a web page.")
        assert panel.line.kind == "error"


def test_a_list_of_another_service_is_not_taken_for_deleted(panel, proxied):
    panel.rename("Haus")
    for forbidden in (panel.push, panel.delete, panel.reload):
        with pytest.raises(ValueError, match="a different service"):
            forbidden()
    assert panel.style.name == "Haus"


@pytest.fixture
def other() -> Iterator[service.Service]:
    """A service with no list."""
    with service.start(memory=True) as started:
        yield started


@pytest.mark.parametrize("begin", ["push", "delete"])
def test_an_answer_given_after_another_service_was_connected_is_refused(panel, begin, other, tmp_path):
    elsewhere = (other.api_key, other.base_url, str(tmp_path / "other.sqlite"))
    panel.rename("Haus")
    done(getattr(panel, begin)())
    with remote(*elsewhere):
        with pytest.raises(ValueError, match="a different service"):
            panel.confirm()
        assert not panel.parts.question.waits
        assert names() == []
    assert (names(), panel.style.name) == (["House"], "Haus")
    pushed(panel)
    with remote(*elsewhere), pytest.raises(ValueError, match="a different service"):
        panel.undo_push()
    assert names() == ["Haus"]
    done(panel.undo_push())
    assert names() == ["House"]


def test_a_list_stays_with_the_account_it_was_opened_on(opened, house, connected, other):
    panel = opened()
    panel.create("New", "de")
    done(panel.push())
    with current(session.Session.embedded(other, connected.settings)):
        done(panel.confirm())
        assert panel.problem is None
        panel.rename("Neu")
        pushed(panel)
        done(panel.try_out("Hola."))
        done(panel.undo_push())
        assert panel.problem is None
        panel.delete()
        done(panel.confirm())
        done(panel.undo_push())
        assert panel.problem is None
        assert names() == []
    assert names() == ["House", "New"]


# ---- what a click without sense says


def test_buttons_that_have_nothing_to_do_say_so_in_a_line(opened):
    panel = opened()
    for name in ("push", "undo", "clone", "delete", "rename", "restore", "forget", "settle", "confirm"):
        panel.buttons[name].click()
        assert panel.line.kind == "error", name
        assert isinstance(panel.problem, ValueError), name


def test_a_try_out_of_nothing_or_of_what_would_be_refused_is_not_sent(panel):
    with pytest.raises(ValueError, match="Enter some text first"):
        panel.try_out("  ")
    panel.add_instruction("Geheim", "Geheimnis " * 60)
    with pytest.raises(ValueError, match="1 error in the instructions"):
        panel.try_out("Hola.")
    assert panel.parts.trial.busy is False
    assert panel.parts.tabs.selected_index == 1, "where the error is"


def test_a_new_list_without_rules_is_created_by_its_push(opened):
    panel = opened()
    panel.create("Bare", "de")
    done(panel.push())
    assert panel.parts.question.line.text == "Create the list “Bare” (German)?"
    assert panel.buttons["confirm"].description == "Create list"
    done(panel.confirm())
    assert names() == ["Bare"]


# ---- others


def test_conflicts_can_wait_and_are_found_again(panel, house, opened):
    panel.rename("A")
    other = opened(house.style_id)
    other.rename("B")
    pushed(other)
    done(panel.push())
    assert panel.conflicts.values.tolist() == [["Name", "House", "A", "B"]]
    panel.cancel()
    assert panel.conflicts.empty
    assert panel.style.name == "A"
    done(panel.push())
    with pytest.raises(ValueError, match="no conflict 1"):
        panel.settle({1: "mine"})
    panel.settle({0: "mine"})
    assert panel.conflicts.empty
    pushed(panel)
    assert names() == ["A"]


def test_a_copy_goes_there_and_back(panel):
    panel.clone("ja")
    panel.confirm()
    pushed(panel)
    panel.clone("en", "Back")
    panel.confirm()
    pushed(panel)
    assert names() == ["Back", "House", "House"]
    assert panel.style.instructions["prompt"].tolist() == ["Be brief."]


def test_a_draft_restored_on_a_full_disk_stays_there(panel, house, opened, connected):
    panel.rename("Haus")
    panel.close()
    again = opened(house.style_id)
    with full_disk():
        again.restore()
        assert again.wait(60)
        assert again.style.name == "Haus"
        (draft,) = Path(connected.settings.drafts_path).glob("*.draft")
        assert "Haus" in draft.read_text()


def test_edits_that_no_disk_takes_are_told_and_again_when_the_panel_is_closed(house, tmp_path):
    (tmp_path / "drafts").write_text("not a folder")
    panel = done(StyleRules(house.style_id))
    panel.set_rule("punctuation", "serial_comma", None)
    assert "could not be saved to disk" in done(panel).line.text
    panel.rename("Haus")
    with pytest.warns(UserWarning, match="2 steps were neither pushed nor kept"):
        panel.close()
    assert panel.style.name == "Haus"
