"""Unsaved edits outlive the kernel that made them, and are offered again when it has gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.errors import StoreError
from svc_nb.sync.drafts import Drafts
from tests import forked

OPENING = """
import json, os, sys
from svc_nb.errors import StoreError
from svc_nb.sync.drafts import Drafts
drafts = Drafts(sys.argv[1], "embedded")
draft = drafts.begin("g-1", "Products", kind="glossary", base=[["de", "en", "a", "b"]])
"""
WAIT = """
print("ready", flush=True)
sys.stdin.readline()
"""
posix = pytest.mark.skipif(os.name != "posix", reason="the operating system has no such limits and modes")


@pytest.fixture
def drafts(tmp_path) -> Drafts:
    return Drafts(tmp_path / "drafts", "embedded")


@contextmanager
def kernel(drafts: Drafts, script: str):
    """A process that has run *script* and goes on, until it is killed at the end of the block."""
    process = forked.Popen(
        [sys.executable, "-c", OPENING + script + WAIT, str(drafts.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def begun(drafts: Drafts, changes=(), *, thing_id="g-1", name="Products", kind="glossary", base=None):
    draft = drafts.begin(thing_id, name, kind=kind, base=base)
    for change in changes:
        draft.note(change)
    return draft


def files(drafts: Drafts) -> list:
    return list(drafts.folder.iterdir()) if drafts.folder.exists() else []


def test_nothing_is_written_before_the_first_change(drafts):
    draft = begun(drafts, base=[1] * 1000)
    assert not drafts.folder.exists()
    assert drafts.waiting("glossary") == []
    draft.leave()
    assert files(drafts) == []


def test_the_draft_of_a_killed_kernel_is_offered_and_that_of_a_living_one_is_not(drafts):
    notes = "for number in range(3): draft.note({'row': number})"
    with kernel(drafts, notes):
        assert drafts.waiting("glossary") == []
    (waiting,) = drafts.waiting("glossary")
    assert (waiting.name, waiting.thing_id, waiting.kind, waiting.steps) == ("Products", "g-1", "glossary", 3)
    assert waiting.edited >= waiting.made
    restored = drafts.restore(waiting)
    assert restored.base == [["de", "en", "a", "b"]]
    assert restored.changes == [{"row": 0}, {"row": 1}, {"row": 2}]
    drafts.forget(waiting)
    drafts.forget(waiting)
    assert drafts.waiting("glossary") == []
    assert files(drafts) == []


@pytest.mark.long
def test_a_change_that_was_cut_by_the_kill_is_left_out_and_the_draft_continues_after_it(drafts):
    with kernel(drafts, "draft.note('whole'); draft._held.append(b'{\"half\": ')"):
        pass
    (waiting,) = drafts.waiting("glossary")
    assert waiting.steps == 1
    assert drafts.restore(waiting).changes == ["whole"]
    resumed = drafts.resume(waiting)
    assert drafts.waiting("glossary") == []
    resumed.note("next")
    resumed.leave()
    (again,) = drafts.waiting("glossary")
    assert again.draft == waiting.draft
    assert drafts.restore(again).changes == ["whole", "next"]


def test_what_was_sent_is_not_offered_and_what_was_left_is(drafts):
    sent, left = begun(drafts, ["a"], name="sent"), begun(drafts, ["b"], name="left")
    assert drafts.waiting("glossary") == []
    sent.end()
    left.leave()
    assert [each.name for each in drafts.waiting("glossary")] == ["left"]
    for draft in (sent, left):
        with pytest.raises(ValueError, match="Begin another"):
            draft.note("late")


def test_drafts_of_other_things_kinds_and_services_are_kept_apart_and_the_newest_comes_first(drafts):
    begun(drafts, [1], thing_id="g-1", name="first").leave()
    begun(drafts, [1], thing_id="g-1", name="second").leave()
    begun(drafts, [1], thing_id=None, name="new").leave()
    begun(drafts, [1], kind="style", name="style").leave()
    begun(Drafts(drafts.folder, "https://other.example"), [1], name="elsewhere").leave()
    assert [each.name for each in drafts.waiting("glossary", thing_id="g-1")] == ["second", "first"]
    assert [each.name for each in drafts.waiting("glossary", thing_id=None)] == ["new"]
    assert [each.name for each in drafts.waiting("glossary")] == ["new", "second", "first"]
    assert [each.name for each in drafts.waiting("style")] == ["style"]


def test_of_two_kernels_that_take_up_a_draft_one_gets_it(drafts):
    begun(drafts, [1]).leave()
    (waiting,) = drafts.waiting("glossary")
    resumed = drafts.resume(waiting)
    with pytest.raises(StoreError, match="Another kernel has restored"):
        drafts.resume(waiting)
    resumed.end()
    for late in (drafts.resume, drafts.restore):
        with pytest.raises(StoreError, match="no longer exists"):
            late(waiting)


@posix
def test_a_full_disk_is_reported_once_and_nothing_is_lost_when_there_is_room_again(drafts):
    script = """
import resource
def note(text):
    try:
        draft.note(text)
    except StoreError as problem:
        return str(problem)
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
told = [note("before")]
limit(os.path.getsize(draft._path) + 5)
told += [note("lost?" * 10), note("also " * 10), draft.unwritten]
limit(resource.RLIM_INFINITY)
told += [note("room"), draft.unwritten]
limit(os.path.getsize(draft._path) + 5)
told += [note("full again " * 10)]
print(json.dumps(told), flush=True)
"""
    done = forked.run(
        [sys.executable, "-c", OPENING + script, str(drafts.folder)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    before, first, second, unwritten, room, left, again = json.loads(done.stdout)
    assert (before, second, unwritten, room, left) == (None, None, 2, None, 0)
    assert "Free some space" in first
    assert "Free some space" in again
    (waiting,) = drafts.waiting("glossary")
    assert drafts.restore(waiting).changes == ["before", "lost?" * 10, "also " * 10, "room"]


def test_a_folder_that_cannot_be_made_is_reported_and_editing_continues(tmp_path):
    (tmp_path / "file").write_text("")
    drafts = Drafts(tmp_path / "file" / "drafts", "embedded")
    assert drafts.waiting("glossary") == []
    draft = drafts.begin(None, "New", kind="glossary", base=[])
    with pytest.raises(StoreError, match="only in this kernel"):
        draft.note(1)
    draft.note(2)
    assert draft.unwritten == 2
    (tmp_path / "file").unlink()
    draft.note(3)
    assert draft.unwritten == 0
    draft.leave()
    (waiting,) = drafts.waiting("glossary")
    assert drafts.restore(waiting).changes == [1, 2, 3]


@posix
def test_only_the_owner_can_read_a_draft(drafts):
    before = os.umask(0)
    try:
        draft = begun(drafts, ["secret term"])
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in files(drafts)} == {0o600}
    assert drafts.folder.stat().st_mode & 0o777 == 0o700
    assert not [path for path in files(drafts) if "Products" in path.name]
    draft.end()


def test_drafts_that_no_one_touched_for_90_days_are_removed_unless_someone_holds_them(drafts):
    old, held, young = (begun(drafts, [1], name=name) for name in ("old", "held", "young"))
    paths = {draft: draft._path for draft in (old, held, young)}
    old.leave()
    young.leave()
    for draft, days in ((old, 91), (held, 91), (young, 89)):
        then = time.time() - days * 24 * 3600
        os.utime(paths[draft], (then, then))
    assert [each.name for each in drafts.waiting("glossary")] == ["young"]
    assert {path for path in files(drafts) if path.suffix == ".draft"} == {paths[held], paths[young]}
    held.end()


def test_files_that_are_no_drafts_harm_no_one(drafts):
    begun(drafts, [1]).leave()
    for name, content in (
        ("a", b""),
        ("b", b"{"),
        ("c", b"[]\n"),
        ("d", b"\xff\xfe\n"),
        ("e", b'{"x": 1}\n'),
    ):
        (drafts.folder / f"{name}.draft").write_bytes(content)
    assert [each.name for each in drafts.waiting("glossary")] == ["Products"]


def test_an_id_is_no_path(drafts):
    begun(drafts, [1]).leave()
    (waiting,) = drafts.waiting("glossary")
    with pytest.raises(ValueError, match="id of a draft"):
        drafts.restore(replace(waiting, draft="../x"))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("a\ud800\n"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.long
@given(values, st.lists(values, min_size=1, max_size=5))
def test_what_comes_back_is_what_was_noted(tmp_path_factory, base, changes):
    drafts = Drafts(tmp_path_factory.mktemp("drafts"), "embedded")
    begun(drafts, changes, base=base).leave()
    (waiting,) = drafts.waiting("glossary")
    restored = drafts.restore(waiting)
    assert (restored.base, restored.changes, waiting.steps) == (base, changes, len(changes))
