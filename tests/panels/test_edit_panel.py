"""What panels share that edit something of the service: conflicts to settle, and drafts of what is not sent."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb.errors import StoreError
from svc_nb.panels.parts.drafts import DraftWriter
from svc_nb.panels.parts.edit_panel import Conflicts
from svc_nb.sync.drafts import Drafts


@pytest.fixture
def conflicts() -> Conflicts:
    return Conflicts(pd.DataFrame({"source": ["dog", "cat"]}), lambda sides: None)


def test_conflicts_are_settled_once_each_has_a_side(conflicts):
    conflicts.choose({1: "theirs"})
    assert not conflicts.is_settled
    conflicts.choose({0: "mine"})
    assert conflicts.is_settled
    conflicts.choose("mine")
    assert conflicts.sides == {0: "mine", 1: "mine"}


@pytest.mark.parametrize("wrong", ["ours", {0: "ours"}, {2: "mine"}, {0: "mine", 7: "theirs"}])
def test_a_choice_that_does_not_fit_is_refused_and_nothing_is_chosen(conflicts, wrong):
    with pytest.raises(ValueError, match="conflict"):
        conflicts.choose(wrong)
    assert conflicts.sides == {}


@pytest.fixture
def drafts(tmp_path) -> Drafts:
    return Drafts(tmp_path / "drafts", "http://service")


def begun(drafts: Drafts, *, large: bool = False, change: str | None = None) -> tuple[DraftWriter, list[Exception]]:
    told: list[Exception] = []
    writer = DraftWriter(told.append, large=large)
    writer.begin(drafts.begin("1", "Animals", kind="test", base={"rows": []}), change)
    return writer, told


@pytest.mark.parametrize("large", [False, True])
def test_edits_wait_in_their_order_once_the_writer_leaves(drafts, large):
    writer, told = begun(drafts, large=large)
    for change in ("one", "two", "three"):
        writer.note(change)
    assert writer.leave(is_edited=True) == 0
    (waiting,) = drafts.waiting("test")
    assert drafts.restore(waiting).changes == ["one", "two", "three"]
    assert not told
    assert writer.close(20)


def test_a_draft_of_nothing_that_is_left_to_send_is_removed(drafts):
    writer, _ = begun(drafts, change="one")
    assert writer.leave(is_edited=False) == 0
    assert not drafts.waiting("test")


def test_the_draft_before_is_removed_when_the_next_one_is_written(drafts):
    writer, _ = begun(drafts, change="one")
    writer.begin(drafts.begin("1", "Animals", kind="test", base={}), "all of it")
    assert writer.leave(is_edited=True) == 0
    (waiting,) = drafts.waiting("test")
    assert drafts.restore(waiting).changes == ["all of it"]


def test_a_disk_that_refuses_is_told_and_what_is_lost_is_counted(drafts):
    drafts.folder.write_text("not a folder")
    writer, told = begun(drafts)
    writer.note("one")
    writer.note("two")
    assert isinstance(writer.problem, StoreError)
    assert len(told) == 1
    with pytest.raises(StoreError, match="Push or discard the edits here first"):
        writer.check(is_edited=True)
    assert writer.leave(is_edited=True) == 2
