"""Edits that were not sent outlive the kernel, and are offered again."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from svc_nb import glossaries, panels
from svc_nb.errors import StoreError
from tests import forked
from tests.panels.glossary.conftest import ANIMALS
from tests.panels.glossary.terms import couples, terms

KERNEL = """
import sys
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
panel = panels.Glossary({glossary_id!r})
assert panel.wait()
{edits}
assert panel.wait()
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
        with forked.Popen(
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


WRITING = """
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
panel = panels.Glossary({glossary_id!r})
assert panel.wait()
for number in range(10_000):
    panel.write(1, target=f"Köter {{number}}")
    assert panel.wait()
    print(number, flush=True)
"""


@pytest.mark.long
def test_a_kernel_that_is_killed_at_any_moment_loses_no_edit_that_it_had_finished(
    desk, running, same_origin, connected, animals
):
    places = {"api_key": running.api_key, "base_url": running.base_url, "store": connected.settings.store}
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    moments = random.Random(27)
    for _ in range(15):
        script = WRITING.format(**places, glossary_id=animals)
        command = [sys.executable, "-c", script]
        with forked.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as child:
            child.stdout.readline()
            time.sleep(moments.uniform(0.0, 0.2))
            child.send_signal(signal.SIGKILL)
            finished = [int(line) for line in child.stdout if line.endswith("\n")]
        panel = desk(animals)
        panel.restore()
        assert panel.wait()
        kept = dict(couples(panel.table))["dog"].removeprefix("Köter ")
        assert int(kept) >= max(finished, default=0)
        panel.undo()
        panel.close()


@pytest.fixture
def same_origin(connected, monkeypatch):
    """The session as another process has it: with the service by its address."""
    monkeypatch.setattr(connected, "service", None)


@pytest.mark.long
def test_edits_of_a_kernel_that_was_killed_are_offered_and_can_be_undone(desk, same_origin, killed, animals):
    killed(animals, "panel.write(1, target='Köter')\npanel.add('hen', 'Huhn')\npanel.drop(2)")
    panel = desk(animals)
    assert couples(panel.table) == couples(ANIMALS)
    panel.restore()
    assert panel.wait()
    assert couples(panel.table) == [("dog", "Köter"), ("cow", "Kuh"), ("hen", "Huhn")]
    assert not panel.offer.waits
    assert panel.book.changes == {"new": 1, "changed": 1, "dropped": 1}
    panel.undo()
    assert couples(panel.table)[1] == ("cat", "Katze")


@pytest.mark.long
def test_a_restored_draft_is_kept_until_it_is_pushed(desk, same_origin, killed, animals):
    killed(animals, "panel.write(1, target='Köter')")
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    panel.write(2, target="Kater")
    panel.close()
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    panel.push()
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert dict(couples(glossaries.pull(animals)))["cat"] == "Kater"
    panel.close()
    assert not desk(animals).offer.waits


@pytest.mark.long
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


@pytest.mark.long
def test_a_glossary_that_was_never_pushed_has_a_draft_by_its_name(desk, same_origin, killed, connected):
    killed(None, "panel.bar.name.value = 'Plants'\npanel.choose_pair('en', 'de')\npanel.add('tree', 'Baum')")
    panel = desk()
    assert "“Plants”" in panel.offer.line.text
    panel.restore()
    assert panel.wait()
    assert (panel.name, couples(panel.table)) == ("Plants", [("tree", "Baum")])
    assert panel.bar.name.value == "Plants"


@pytest.mark.long
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
    assert panel.offer.waits
    panel.forget()
    assert panel.question.line.text == "Forget your unpushed edits of “Animals”? You will not be able to restore them."
    assert panel.offer.waits
    panel.confirm()
    assert not panel.offer.waits
    assert not desk(animals).offer.waits
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
    assert not desk(animals).offer.waits


def test_two_panels_of_one_kernel_do_not_take_each_others_drafts(desk, animals):
    first, second = desk(animals), desk(animals)
    first.write(1, target="Köter")
    second.write(2, target="Kater")
    assert first.wait()
    first.close()
    third = desk(animals)
    assert "unpushed edits of “Animals”" in third.offer.line.text
    third.restore()
    assert third.wait()
    assert couples(third.table)[:2] == [("dog", "Köter"), ("cat", "Katze")]
    assert couples(second.table)[:2] == [("dog", "Hund"), ("cat", "Kater")]


def test_running_a_cell_again_offers_the_edits_of_the_previous_panel(desk, animals):
    first = desk(animals)
    first.write(1, target="Köter")
    first.write(2, target="Kater")
    assert first.wait()
    again = desk(animals)
    assert "The previous panel has unpushed edits of “Animals” (2 steps)" in again.offer.line.text
    assert [each.description for each in again.offer.answers] == ["Continue here", "Not now"]
    again.restore()
    assert again.wait()
    assert couples(again.table) == couples(first.table)
    assert not again.offer.waits
    again.undo()
    assert again.table["target"].tolist() == ["Köter", "Katze", "Kuh"]
    assert first.table["target"].tolist() == ["Köter", "Kater", "Kuh"]
    again.close()
    first.close()
    left = desk(animals)
    left.forget().confirm()
    assert not left.offer.waits


@pytest.mark.parametrize("end", ["push", "discard"])
def test_what_was_taken_over_and_is_sent_or_discarded_is_offered_no_more(desk, animals, end):
    first = desk(animals)
    first.write(1, target="Köter")
    assert first.wait()
    again = desk(animals)
    again.restore()
    assert again.wait()
    getattr(again, end)()
    assert again.wait()
    if end == "push":
        again.confirm()
        assert again.wait()
    assert not desk(animals).offer.waits


def test_a_panel_whose_edits_were_taken_over_keeps_what_is_edited_there_from_then_on(desk, animals):
    first = desk(animals)
    first.write(1, target="Köter")
    assert first.wait()
    again = desk(animals)
    again.restore()
    assert again.wait()
    again.discard()
    first.write(2, target="Kater")
    assert first.wait()
    first.close()
    left = desk(animals)
    left.restore()
    assert left.wait()
    assert left.table["target"].tolist() == ["Köter", "Kater", "Kuh"]


def test_a_cell_without_a_name_that_is_run_again_offers_what_the_panel_before_it_has(desk, animals):
    first = desk()
    first.open(animals)
    assert first.wait()
    first.write(1, target="Köter")
    assert first.wait()
    again = desk()
    assert "The previous panel has unpushed edits of “Animals”" in again.offer.line.text
    again.restore()
    assert again.wait()
    assert (again.glossary_id, couples(again.table)) == (animals, couples(first.table))


def test_edits_of_the_panel_itself_are_not_those_of_another(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.open(None)
    assert panel.wait()
    assert not panel.offer.waits


def test_what_another_panel_has_is_not_removed_where_it_is_not_wanted(desk, animals):
    first = desk(animals)
    first.write(1, target="Köter")
    assert first.wait()
    again = desk(animals)
    again.forget()
    assert not again.offer.waits
    first.close()
    assert desk(animals).offer.waits


def test_a_failing_disk_is_reported_and_editing_continues(desk, connected, animals, tmp_path):
    (tmp_path / "drafts").write_text("not a folder")
    panel = panels.Glossary(animals)
    assert panel.wait()
    panel.write(1, target="Köter")
    panel.wait()
    assert panel.problem is not None
    assert "draft" in panel.line.text
    panel.write(2, target="Kater")
    assert panel.table["target"].tolist() == ["Köter", "Kater", "Kuh"]
    with pytest.warns(UserWarning, match="2 steps were neither pushed nor kept"):
        panel.close()


def test_edits_that_the_disk_refuses_are_not_left_for_another_glossary(desk, animals, tmp_path):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    (tmp_path / "drafts").write_text("not a folder")
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.bar.glossary.value = plants
    assert panel.wait()
    assert "Push or discard the edits here first" in panel.line.text
    assert (panel.bar.glossary.value, panel.glossary_id) == (animals, animals)
    with pytest.raises(StoreError, match="Push or discard"):
        panel.create("Other")
    assert panel.table["target"][1] == "Köter"
    (tmp_path / "drafts").unlink()
    panel.open(plants)
    assert panel.wait()
    assert (panel.glossary_id, panel.problem) == (plants, None)
    panel.open(animals)
    assert panel.wait()
    panel.restore()
    assert panel.wait()
    assert panel.table["target"][1] == "Köter"


def test_a_draft_stays_until_the_one_after_it_is_written(desk, connected, animals, tmp_path):
    panel = desk(animals)
    panel.write(1, target="Köter")
    glossaries.push(terms(("dog", "Hund"), ("cat", "Kater"), ("cow", "Kuh")), glossary_id=animals)
    (kept,) = (tmp_path / "drafts").glob("*.draft")
    with full_disk():
        panel.reload()
        assert panel.wait()
    assert "Free some space" in panel.line.text
    assert kept.exists()
    panel.write(3, target="Rind")
    assert panel.wait()
    assert not kept.exists()
    panel.close()
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    assert panel.table["target"].tolist() == ["Köter", "Kater", "Rind"]


@contextmanager
def full_disk():
    """No file takes more than a byte within."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_draft_is_restored_once_and_only_into_its_own_glossary(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.close()
    panel = desk(animals)
    with panel._lock:  # the answer of the thread waits
        panel.restore()
        panel.create("Plants")
    assert panel.wait()
    assert (panel.name, len(panel.table), panel.problem) == ("Plants", 0, None)
    panel.open(animals)
    assert panel.wait()
    panel.restore().restore()
    assert panel.wait()
    assert (panel.table["target"][1], panel.problem) == ("Köter", None)


def test_edits_made_before_a_draft_is_restored_wait_in_their_turn(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.close()
    panel = desk(animals)
    panel.write(2, target="Kater")
    panel.restore()
    assert panel.wait()
    assert panel.table["target"].tolist() == ["Köter", "Katze", "Kuh"]
    assert panel.offer.waits
    panel.restore()
    assert panel.wait()
    assert panel.table["target"].tolist() == ["Hund", "Kater", "Kuh"]


# ---- drafts of glossaries that are not open, or not there


@pytest.mark.parametrize("by", ["name", "id"])
def test_the_draft_of_a_glossary_that_is_gone_is_offered_as_a_new_one(desk, animals, by):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.drop(3)
    panel.close()
    glossaries.delete(animals)
    panel = desk("Animals" if by == "name" else animals)
    assert "“Animals” is no longer on this service. Restore your draft" in panel.offer.line.text
    assert panel.problem is None
    panel.restore()
    assert panel.wait()
    assert (panel.glossary_id, panel.name) == (None, "Animals")
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Katze")]
    panel.push()
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert couples(glossaries.pull("Animals")) == couples(panel.table)
    panel.close()
    assert not desk().offer.waits


def test_a_restored_draft_of_what_is_gone_waits_again_as_a_new_glossary(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.close()
    glossaries.delete(animals)
    panel = desk(animals)
    panel.restore()
    assert panel.wait()
    panel.close()
    panel = desk()
    assert "You have unpushed edits of “Animals”" in panel.offer.line.text
    panel.restore()
    assert panel.wait()
    assert len(panel.table) == 3


def test_a_glossary_without_a_draft_that_is_not_there_is_an_error(desk, animals):
    assert "There is no glossary 'Travel'" in desk("Travel").line.text


def test_a_new_panel_offers_the_newest_draft_of_any_glossary_and_the_list_names_them_all(desk, animals):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    for glossary_id in (animals, plants):
        panel = desk(glossary_id)
        panel.write(1, target="Köter")
        panel.close()
    panel = desk()
    assert "You have unpushed edits of “Plants” from " in panel.offer.line.text
    assert panel.offer.answers[0].description == "Open"
    titles = [title for title, _ in panel.bar.glossary.options]
    assert titles[:2] == ["Animals · EN → DE · 3 terms · unpushed edits", "Plants · EN → DE · 1 term · unpushed edits"]
    panel.restore()
    assert panel.wait()
    assert (panel.glossary_id, panel.name, couples(panel.table)) == (plants, "Plants", [("tree", "Köter")])
    assert panel.bar.glossary.label == "Plants · EN → DE · 1 term"
    panel.write(1, target="Baum")
    panel.close()
    panel = desk()
    panel.forget().confirm()
    assert panel.wait()
    assert "unpushed" not in str(panel.bar.glossary.options)
