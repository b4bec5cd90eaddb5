"""Edits that were not sent outlive the kernel, and are offered again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from svc_nb import glossaries, panels
from tests.panels.glossaries.conftest import ANIMALS
from tests.panels.glossaries.terms import couples, terms

KERNEL = """
import sys
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
panel = panels.Glossary({glossary_id!r})
assert panel.wait()
{edits}
print("edited", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def killed(running, connected):
    """Edit a glossary in a process of its own, and kill that: `killed(glossary_id, "panel.write(...)")`."""

    def kill(glossary_id: str | None, edits: str) -> None:
        script = KERNEL.format(
            api_key=running.api_key,
            base_url=running.base_url,
            store=connected.settings.store,
            glossary_id=glossary_id,
            edits=edits,
        )
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        with subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environ,
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "edited\n"
            child.send_signal(signal.SIGKILL)

    return kill


@pytest.fixture
def same_origin(connected, monkeypatch):
    """The session as another process has it: with the service by its address."""
    monkeypatch.setattr(connected, "service", None)


def test_edits_of_a_kernel_that_was_killed_are_offered_and_can_be_undone(desk, same_origin, killed, animals):
    killed(animals, "panel.write(1, target='Köter')\npanel.add('hen', 'Huhn')\npanel.drop(2)")
    panel = desk(animals)
    assert "3 steps" in panel.board.draft.line.text
    assert couples(panel.table) == couples(ANIMALS)
    panel.restore()
    assert panel.wait()
    assert couples(panel.table) == [("dog", "Köter"), ("cow", "Kuh"), ("hen", "Huhn")]
    assert not panel.board.draft.waits
    assert panel.book.changes == {"new": 1, "changed": 1, "dropped": 1}
    panel.undo()
    assert couples(panel.table)[1] == ("cat", "Katze")


def test_a_restored_draft_goes_on_and_is_gone_when_it_was_pushed(desk, same_origin, killed, animals):
    killed(animals, "panel.write(1, target='Köter')")
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    panel.write(2, target="Kater")
    panel.close()
    panel = desk(animals)
    assert "2 steps" in panel.board.draft.line.text
    panel.restore()
    assert panel.wait()
    panel.push()
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert dict(couples(glossaries.pull(animals)))["cat"] == "Kater"
    panel.close()
    assert not desk(animals).board.draft.waits


def test_a_restored_draft_still_finds_what_was_changed_elsewhere(desk, same_origin, killed, animals):
    killed(animals, "panel.write(1, target='Köter')\npanel.write(3, target='Rind')")
    glossaries.push(terms(("dog", "Dackel"), ("cat", "Kater"), ("cow", "Kuh")), glossary_id=animals)
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    panel.push()
    assert panel.wait()
    assert panel.conflicts["source"].tolist() == ["dog"]
    panel.settle("theirs")
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert dict(couples(glossaries.pull(animals))) == {"dog": "Dackel", "cat": "Kater", "cow": "Rind"}


def test_a_glossary_that_was_never_pushed_has_a_draft_by_its_name(desk, same_origin, killed, connected):
    killed(None, "panel.bar.name.value = 'Plants'\npanel.choose_pair('en', 'de')\npanel.add('tree', 'Baum')")
    panel = desk()
    assert "“Plants”" in panel.board.draft.line.text
    panel.restore()
    assert panel.wait()
    assert (panel.name, couples(panel.table)) == ("Plants", [("tree", "Baum")])
    assert panel.bar.name.value == "Plants"


def test_a_name_that_is_given_later_is_kept_too(desk, same_origin, killed, connected):
    killed(None, "panel.add('tree', 'Baum')\npanel.bar.name.value = 'Plants'")
    panel = desk()
    panel.restore()
    assert panel.wait()
    assert panel.name == "Plants"


def test_a_forgotten_draft_is_not_offered_again(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.close()
    panel = desk(animals)
    assert panel.board.draft.waits
    panel.forget()
    assert not panel.board.draft.waits
    assert not desk(animals).board.draft.waits
    with pytest.raises(ValueError, match="no draft"):
        panel.restore()


def test_edits_wait_where_another_glossary_is_opened(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.create("Plants")
    panel.open(animals)
    assert panel.wait()
    assert couples(panel.table) == couples(ANIMALS)
    panel.restore()
    assert panel.wait()
    assert couples(panel.table)[0] == ("dog", "Köter")


def test_nothing_waits_where_nothing_is_left_to_send(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.discard()
    panel.close()
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.undo()
    panel.close()
    assert not desk(animals).board.draft.waits


def test_two_panels_of_one_kernel_do_not_take_each_others_drafts(desk, animals):
    first, second = desk(animals), desk(animals)
    first.write(1, target="Köter")
    second.write(2, target="Kater")
    first.wait()
    assert not desk(animals).board.draft.waits
    first.close()
    third = desk(animals)
    third.restore()
    assert third.wait()
    assert couples(third.table)[:2] == [("dog", "Köter"), ("cat", "Katze")]


def test_a_disk_that_refuses_is_told_and_editing_goes_on(desk, connected, animals, tmp_path):
    (tmp_path / "drafts").write_text("not a folder")
    panel = panels.Glossary(animals)
    assert panel.wait()
    panel.write(1, target="Köter")
    panel.wait()
    assert panel.problem is not None
    assert "draft" in panel.line.text
    panel.write(2, target="Kater")
    assert panel.table["target"].tolist() == ["Köter", "Kater", "Kuh"]
    panel.close()
