"""Backups: on the disk before anything is changed, for their owner alone, in the order of time, and not for ever."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from svc_nb.errors import StoreError
from svc_nb.sync.backups import MOST_KEPT, Backups, this_process
from tests import forked

HERE = "https://api.example.com"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "backups"


@pytest.fixture
def backups(folder):
    return Backups(folder, origin=HERE)


def put(backups, thing_id="one", state=None, **rest):
    return backups.put("change", thing_id, name="n", state={"terms": 1} if state is None else state, **rest)


def names(backups, thing_id=None):
    return backups.history(thing_id)["backup"].tolist()


def test_what_was_put_comes_back(backups):
    state = {"name": "<b> {0} %s", "dictionaries": [{"entries": "a\tÄ\n日本\t👍🏽 \x00"}]}
    kept = put(backups, state=state)
    assert backups.newest() == backups.newest("one") == backups.get(kept.backup) == kept
    assert backups.newest().state == state


def test_nothing_is_there_before_the_first_one_and_no_folder_is_made(backups, folder):
    assert backups.newest() is None
    assert repr(backups.history()).startswith(f"No backups in {folder}")
    assert not folder.exists()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_only_the_owner_can_read_them(backups, folder):
    before = os.umask(0)
    try:
        put(backups)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]


def test_a_file_is_one_json_document_and_nothing_is_left_beside_it(backups, folder):
    kept = put(backups)
    (file,) = folder.iterdir()
    assert file.name == f"{kept.backup}.json"
    assert json.loads(file.read_text("utf-8"))["state"] == {"terms": 1}


def test_their_order_does_not_depend_on_the_clock(folder):
    now = datetime(2026, 1, 2, tzinfo=UTC)
    moments = iter([now, now, now - timedelta(days=1), now + timedelta(days=1)])
    backups = Backups(folder, origin=HERE, clock=lambda: next(moments))
    kept = [put(backups, state=number).backup for number in range(4)]
    assert kept == sorted(kept)
    assert names(backups) == kept[::-1]
    assert backups.newest().state == 3


def test_the_newest_of_each_thing_are_kept(backups):
    other = put(backups, "other").backup
    kept = [put(backups, state=number).backup for number in range(MOST_KEPT + 3)]
    assert names(backups, "one") == kept[:2:-1]
    assert names(backups, "other") == [other]


@pytest.mark.parametrize("thing_id", ["../../evil", "/etc/passwd", "a" * 5000, "", "<id>", "日本", "nul\x00"])
def test_an_id_is_never_a_path(backups, folder, thing_id):
    kept = put(backups, thing_id)
    assert backups.newest(thing_id) == kept
    assert [file.parent for file in folder.iterdir()] == [folder]


def test_an_id_is_the_same_in_capitals(backups):
    assert put(backups, "ABC-1") == backups.newest("abc-1")


def test_those_of_another_service_are_not_seen_and_not_given(backups, folder):
    elsewhere = Backups(folder, origin="https://other.example.com")
    theirs = put(elsewhere)
    assert backups.newest() is None
    assert backups.newest("one") is None
    assert backups.others() == 1
    assert backups.history().empty
    with pytest.raises(ValueError, match=r"for https://api\.example\.com; it belongs to another service"):
        backups.get(theirs.backup)


@pytest.mark.parametrize("name", ["", "nothing", "../secret", "/etc/passwd"])
def test_a_name_that_is_none_of_theirs_is_refused(backups, folder, name):
    put(backups)
    (folder.parent / "secret.json").write_text("{}")
    with pytest.raises(ValueError, match=r"there is no backup .*history"):
        backups.get(name)


def test_a_replaced_one_keeps_its_place(backups):
    first = put(backups, "")
    put(backups, "two")
    moved = backups.replace(first, thing_id="one", finished=True)
    assert backups.history()["glossary_id"].tolist() == ["two", "one"]
    assert backups.newest("one") == moved
    assert backups.newest("") is None
    assert moved.made == first.made


def test_a_thing_that_was_recreated_is_still_the_same_thing(backups):
    old = put(backups, "old")
    new = put(backups, "new")
    newest = put(backups, "newest")
    backups.replace(old, became="new")
    backups.replace(new, became="newest")
    assert backups.newest("old") == newest


def test_later_ones_of_a_thing_are_given_in_order_also_when_it_was_recreated(backups):
    first, second = put(backups, "old"), put(backups, "old")
    other = put(backups, "other")
    new, newest = put(backups, "new"), put(backups, "new")
    assert backups.since(first) == [first, second]
    second = backups.replace(second, became="new")
    assert backups.since(first) == [first, second, new, newest]
    assert backups.since(newest) == [newest]
    backups.replace(other, became="nobody knows")
    assert [each.backup for each in backups.since(other)] == [other.backup]
    nameless = [put(backups, "") for _ in range(2)]
    assert backups.since(nameless[0]) == nameless[:1]


def called(backups, name, thing_id, action="change", **rest):
    return backups.put(action, thing_id, name=name, state={}, finished=True, **rest)


@pytest.mark.parametrize("name", ["P", " lead", "<b>", "日本", "{0}", "a\x00"])
def test_a_thing_is_found_by_its_id_or_by_a_name_that_it_had(backups, name):
    called(backups, "old", "one", new_name=name)
    last = called(backups, name, "one")
    called(backups, "other", "two")
    assert backups.thing("one") == backups.thing("old") == backups.thing(name) == last
    assert len(backups.history(name)) == 2
    assert backups.thing("nothing") is backups.thing("") is None


def test_of_things_with_one_name_the_last_is_meant_unless_several_are_there(backups):
    called(backups, "P", "one", "delete")
    two = called(backups, "P", "two")
    backups.put("create", "", name="P", state=None)
    assert backups.thing("one").action == "delete"
    gone = called(backups, "P", "three", "delete")
    assert backups.thing("P") == gone
    called(backups, "P", "four")
    with pytest.raises(ValueError, match=r"2 things .* were called 'P'\. Give the id \(two, four\)"):
        backups.thing("P")
    assert backups.thing("two") == two


def test_a_process_has_its_own_last_change(backups, folder):
    other = Backups(folder, origin=HERE, process="another")
    mine, theirs = put(backups), put(other)
    assert (backups.newest(), other.newest()) == (mine, theirs)
    assert backups.newest("one") == theirs
    assert backups.history()["this_kernel"].tolist() == [False, True]
    moved = other.replace(mine, thing_id="two")
    assert backups.newest() == moved


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_no_two_processes_are_taken_for_one(backups):
    script = "from svc_nb.sync.backups import this_process; print(this_process())"
    told = [
        forked.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]
    assert len({*map(str.strip, told), this_process()}) == 3
    in_two = script + "; import os; done = os.fork(); done or print(this_process()); done and os.wait()"
    out = forked.run([sys.executable, "-c", in_two], capture_output=True, text=True, check=True).stdout
    assert len(set(out.split())) == 2


def test_a_dropped_one_is_gone_and_may_be_gone_before(backups):
    kept = put(backups)
    backups.drop(kept)
    backups.drop(kept)
    assert backups.newest() is None


def test_the_history_tells_what_was_done_when_and_shows_no_markup(backups):
    backups.put("create", "one", name="<script>", state=None)
    backups.put("delete", "one", name="<script>", state={})
    found = backups.history("one")
    assert found["action"].tolist() == ["delete", "create"]
    assert str(found["made"].dt.tz) == "UTC"
    assert "<script>" not in found._repr_html_()
    assert "2 backups in" in found.said


def test_a_damaged_one_is_named(backups, folder):
    kept = put(backups)
    (folder / f"{kept.backup}.json").write_bytes(b'{"half": ')
    with pytest.raises(StoreError, match=rf"{kept.backup}\.json is damaged .* Move it away"):
        backups.newest()


def test_a_folder_that_cannot_be_used_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    backups = Backups(tmp_path / "file" / "backups", origin=HERE)
    with pytest.raises(StoreError, match=r"nothing is changed without a backup\. Check the folder"):
        put(backups)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
def test_a_disk_that_takes_no_more_leaves_no_half_file(backups, folder):
    import resource

    kept = put(backups)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, hard))
    try:
        with pytest.raises(StoreError, match="File too large"):
            put(backups, state="x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [file.name for file in folder.iterdir()] == [f"{kept.backup}.json"]


def test_what_a_killed_process_left_is_cleared_away_in_time(backups, folder):
    put(backups)
    old, new = folder / "x.json.1.part", folder / "y.json.2.part"
    for file in (old, new):
        file.write_text("half")
    long_ago = time.time() - 7200
    os.utime(old, (long_ago, long_ago))
    put(backups)
    assert not old.exists()
    assert new.exists()
    assert len(names(backups)) == 2
