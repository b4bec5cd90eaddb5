"""Tables and glossaries in step: a push does what is needed and no more, can be repeated, and can be undone."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import count

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from svc_nb import errors
from svc_nb.checks.service_terms import MOST_PER_ACCOUNT, to_dictionaries
from svc_nb.glossaries import sync
from svc_nb.glossaries.diff import merge
from svc_nb.glossaries.sync import GLOSSARIES
from svc_nb.sync import undo as undoing
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import delete
from svc_nb.tabular.terms import made
from svc_nb.wire.models import Dictionary
from tests import forked
from tests.counters import quiet
from tests.waiting import until

CREATE = "POST /v3/glossaries"
PUT = "PUT /v3/glossaries/{glossary_id}/dictionaries"
DROP = "DELETE /v3/glossaries/{glossary_id}/dictionaries"
ENTRIES = "GET /v3/glossaries/{glossary_id}/entries"
RENAME = "PATCH /v3/glossaries/{glossary_id}"
WRITES = (CREATE, PUT, DROP, RENAME, "DELETE /v3/glossaries/{glossary_id}")
HOSTILE = ["<script>", "{0} %s $x$", "=1+1", "مرحبا", "👍🏽", '"quoted", "twice"', "../../etc", "x" * 1024]


def terms(**pairs):
    """A table of terms from English: terms(de={"a": "A"})."""
    rows = [(lang, source, target) for lang, entries in pairs.items() for source, target in entries.items()]
    return made("en", [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


BEFORE = terms(de={"house": "Haus", "tree": "Baum"}, fr={"house": "maison"})
AFTER = terms(de={"tree": "Bäume", "house": "Haus", "cat": "Katze"}, es={"house": "casa"})


def content(table):
    return {(row.source_lang, row.target_lang, row.source): row.target for row in table.itertuples(index=False)}


def undo(client, *given, **how):
    return undoing.undo(GLOSSARIES, client, *given, **how)


@pytest.fixture
def client(running, connected):
    """A client of a service without glossaries."""
    for each in connected.client.glossaries.list():
        connected.client.glossaries.delete(each.glossary_id)
    return connected.client


@pytest.fixture
def backups(tmp_path):
    return Backups(tmp_path / "backups", origin="here")


@pytest.fixture
def push(client, backups):
    def push(table, name=None, **rest):
        return sync.push(client, table, name=name, backups=backups, **rest)

    return push


@pytest.fixture
def back(client, backups):
    return lambda *ids, **rest: undo(client, *ids, backups=backups, **rest)


@pytest.fixture
def there(client):
    """The terms of the only glossary that there is."""

    def there():
        (glossary,) = client.glossaries.list()
        return content(sync.pull(client, glossary.glossary_id))

    return there


@pytest.fixture
def writes(running, client):
    """How many requests of each kind changed something since the last call."""
    seen = Counter()

    def writes():
        quiet(running)
        now = Counter({key: count for key, count in running.traffic.answered.items() if key[0] in WRITES})
        new = now - seen
        seen.update(new)
        return {name.split()[0]: count for (name, _), count in new.items()}

    writes()
    return writes


# ---- reading


def test_what_is_pushed_is_pulled(client, push):
    table = terms(de=dict.fromkeys(HOSTILE, "x") | {text: text for text in HOSTILE[:4]}, ja={"house": "家"})
    done = push(table, "<b>Terms</b>")
    found = sync.pull(client, done.glossary_id)
    assert content(found) == content(table)
    assert found.said.startswith(f"{len(table)} terms in 2 pairs of the glossary '<b>Terms</b>'. Next:")
    assert "<script>" not in found._repr_html_()


def test_a_service_that_gives_one_pair_at_a_time_is_pulled_pair_by_pair(running, client, push):
    done = push(BEFORE, "t")
    fault = running.faults.add("status", operation=ENTRIES, status=400, count=1)
    assert content(sync.pull(client, done.glossary_id)) == content(BEFORE)
    assert running.faults.taken(fault) == 1


def test_all_glossaries_are_listed(client, push):
    assert repr(sync.listed(client)).startswith("0 glossaries of at most 1,000. Next: svc_nb.glossaries.push")
    first, second = push(BEFORE, "<i>one</i>"), push(terms(de={"a": "A"}), "two")
    found = sync.listed(client)
    assert list(found.columns) == ["glossary_id", "name", "pairs", "entry_count", "creation_time"]
    assert found["glossary_id"].tolist() == [first.glossary_id, second.glossary_id]
    assert found["pairs"].tolist() == ["EN → DE, EN → FR", "EN → DE"]
    assert found["entry_count"].tolist() == [3, 1]
    assert str(found["creation_time"].dt.tz) == "UTC"
    assert "<i>" not in found._repr_html_()


def test_a_glossary_is_found_by_its_name_too(client, push):
    pushed = push(BEFORE, "Outdoor")
    assert content(sync.pull(client, "Outdoor")) == content(BEFORE)
    assert set(sync.compare(client, AFTER, "Outdoor")["change"]) == {"added", "changed"}
    client.glossaries.create("Outdoor", [Dictionary("de", "en", "a\tb")])
    with pytest.raises(ValueError, match=rf"2 glossaries are called 'Outdoor'.*{pushed.glossary_id}"):
        sync.pull(client, "Outdoor")


def test_an_empty_id_is_no_id(push, writes):
    with pytest.raises(ValueError, match="'' is not a valid id"):
        push(BEFORE, glossary_id="")
    assert writes() == {}


@pytest.mark.parametrize("glossary_id", ["00000000-0000-0000-0000-000000000000", "my glossary", "<b>"])
def test_an_id_that_does_not_exist_says_where_to_look(client, push, glossary_id):
    said = f"404 There is no glossary {glossary_id!r} on this service; svc_nb.glossaries.list() lists"
    with pytest.raises(errors.NotFound, match=re.escape(said)):
        sync.pull(client, glossary_id)
    with pytest.raises(errors.NotFound, match=re.escape(said)):
        push(BEFORE, glossary_id=glossary_id)


@pytest.mark.parametrize("name", [" lead", "a\n", "\x00b", "half \u202e", "<b>"])
def test_a_name_is_shown_as_it_is(client, push, name):
    assert f"the glossary {name!r}" in push(BEFORE, name, dry_run=True).said
    assert f"The glossary {'x' * 59 + '…'!r} (" in push(BEFORE, "x" * 61).said


def test_a_comparison_tells_what_a_push_would_change_and_what_it_would_leave(client, push):
    done = push(BEFORE, "t")
    found = sync.compare(client, AFTER, done.glossary_id)
    assert found["change"].tolist() == ["changed", "added", "added"]
    assert found.said == (
        "2 added, 1 changed, 0 removed in 2 pairs. 1 pair that is not in the table is left alone (EN → FR); prune=True "
        "deletes it. Next: svc_nb.glossaries.push(...)"
    )
    pruned = sync.compare(client, AFTER, done.glossary_id, prune=True)
    assert pruned["change"].tolist() == ["changed", "added", "removed", "added"]
    assert pruned.said.endswith("1 removed in 3 pairs. Next: svc_nb.glossaries.push(..., prune=True)")
    assert sync.compare(client, BEFORE, done.glossary_id).said == "No difference in 3 terms."
    few = sync.compare(client, BEFORE.iloc[:2], done.glossary_id)
    assert few.empty
    assert few.said.startswith("No difference in 2 terms. 1 pair that is not in the table is left alone")


# ---- pushing


def test_a_push_tells_its_steps_and_the_id(push, there):
    done = push(BEFORE, "Terms")
    assert done[["step", "target_lang", "added", "entries", "done"]].values.tolist() == [
        ["create", "DE", 2, 2, True],
        ["create", "FR", 1, 1, True],
    ]
    assert f"The glossary 'Terms' ({done.glossary_id}) was created with 3 terms in 2 pairs. Next:" in done.said
    assert there() == content(BEFORE)


def test_only_pairs_that_differ_are_sent(push, writes, there):
    push(BEFORE, "t")
    writes()
    done = push(terms(fr={"house": "maison"}, de={"tree": "Bäume", "house": "Haus"}), "t")
    assert writes() == {"PUT": 1}
    assert dict(zip(done["target_lang"], done["step"], strict=True)) == {"DE": "put", "FR": "nothing"}
    assert done["changed"].sum() == 1


def test_the_same_terms_in_another_order_are_not_sent_and_make_no_backup(push, writes, backups):
    push(BEFORE, "t")
    writes()
    done = push(BEFORE.iloc[::-1].assign(source_lang="EN-GB"), "t")
    assert done["step"].tolist() == ["nothing", "nothing"]
    assert done.said.startswith("Nothing to do: the glossary 't'")
    assert writes() == {}
    assert len(backups.history()) == 1


def test_pairs_that_the_table_does_not_have_are_left_alone_and_reported_unless_they_are_pruned(push, there, writes):
    push(BEFORE, "t")
    writes()
    done = push(AFTER, "t")
    assert there() == {**content(BEFORE.query("target_lang == 'FR'")), **content(AFTER)}
    assert "1 pair that is not in the table is left alone (EN → FR); prune=True deletes it." in done.said
    assert writes() == {"PUT": 2}
    done = push(AFTER, "t", prune=True)
    assert there() == content(AFTER)
    assert writes() == {"DELETE": 1}
    assert "left alone" not in done.said


def test_a_name_means_the_one_glossary_of_that_name(client, push, there):
    first = push(BEFORE, "t")
    assert push(AFTER, "t", prune=True).glossary_id == first.glossary_id
    assert there() == content(AFTER)
    other = client.glossaries.create("t", [Dictionary("en", "de", "a\tb")])
    with pytest.raises(ValueError, match="2 glossaries are called 't'") as caught:
        push(BEFORE, "t")
    assert first.glossary_id in str(caught.value)
    assert other.glossary_id in str(caught.value)


def test_an_id_in_the_place_of_a_name_makes_no_glossary_of_that_name(client, push):
    done = push(BEFORE, "t")
    with pytest.raises(ValueError, match=r"is the id of a glossary, not a name\. Pass it as glossary_id="):
        push(BEFORE, done.glossary_id)


def test_an_id_with_another_name_renames(client, push, writes):
    done = push(BEFORE, "old")
    writes()
    renamed = push(BEFORE, "new", glossary_id=done.glossary_id.upper())
    assert renamed["step"].tolist() == ["rename", "nothing", "nothing"]
    assert "was renamed. Next" in renamed.said
    assert writes() == {"PATCH": 1}
    assert [each.name for each in client.glossaries.list()] == ["new"]


def test_a_dry_run_tells_the_same_and_changes_nothing(push, writes, backups):
    planned = push(BEFORE, "t", dry_run=True)
    assert planned.glossary_id is None
    assert not planned["done"].any()
    assert "Dry run, nothing was sent: the glossary 't' would be created with 3 terms" in planned.said
    done = push(BEFORE, "t")
    pd.testing.assert_frame_equal(pd.DataFrame(done.drop(columns="done")), planned.drop(columns="done"))
    writes()
    planned = push(AFTER, "t", prune=True, dry_run=True)
    assert writes() == {}
    assert len(backups.history()) == 1
    done = push(AFTER, "t", prune=True)
    pd.testing.assert_frame_equal(pd.DataFrame(done.drop(columns="done")), planned.drop(columns="done"))


# ---- refused before anything is sent


REFUSED = {
    "a duplicate": (terms(de={"a": "A"}).loc[[0, 0]], {"name": "t"}, errors.InvalidRows, "duplicates"),
    "an empty side": (terms(de={"a": ""}), {"name": "t"}, errors.InvalidRows, "empty"),
    "an unknown language": (terms(tlh={"a": "A"}), {"name": "t"}, errors.InvalidRows, "TLH"),
    "no terms": (terms(), {"name": "t"}, ValueError, r"the table has no terms.*delete"),
    "no name": (BEFORE, {}, ValueError, "expected a name"),
    "a blank name": (BEFORE, {"name": " \t"}, ValueError, "found only spaces"),
    "an empty name": (BEFORE, {"name": ""}, ValueError, "found only spaces"),
    "a long name": (BEFORE, {"name": "é" * 513}, ValueError, "at most 1,024 bytes in UTF-8, found 1,026"),
    "half a character": (BEFORE, {"name": "a\ud800"}, ValueError, "half of a surrogate pair"),
    "a number as name": (BEFORE, {"name": 5}, TypeError, "name: expected text, found int"),
    "no table of terms": (pd.DataFrame({"a": [1]}), {"name": "t"}, ValueError, "has no source_lang"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_service_would_refuse_is_never_sent(running, push, backups, case):
    table, rest, kind, said = REFUSED[case]
    before = quiet(running)
    with pytest.raises(kind, match=said):
        push(table, **rest)
    assert quiet(running) == before
    assert backups.history().empty


def test_a_name_of_the_greatest_length_is_taken(client, push):
    push(BEFORE, "é" * 512)
    assert [each.name for each in client.glossaries.list()] == ["é" * 512]


def large(lang, mebibytes):
    """A pair of about so many MiB."""
    row = 2048
    return terms(**{lang: {f"{number:05}".ljust(1023, "s"): "t" * 1023 for number in range(mebibytes * 2**20 // row)}})


@pytest.mark.long
def test_the_whole_glossary_is_weighed_with_the_pairs_that_are_left(push, writes, there):
    push(large("de", 6), "t")
    writes()
    with pytest.raises(errors.InvalidRows, match=r"would have 12,5\d\d,\d\d\d bytes, with the pairs that it already"):
        push(large("fr", 6), "t")
    assert writes() == {}
    # Both together would be too much, so that the one has to go first.
    assert push(large("fr", 6), "t", prune=True)["step"].tolist() == ["delete", "put"]
    assert len(there()) == 3072


def test_one_glossary_too_many_is_refused(client, push):
    push(BEFORE, "t")
    (one,) = client.glossaries.list()
    GLOSSARIES.check(None, [one] * (MOST_PER_ACCOUNT - 1))
    with pytest.raises(ValueError, match=r"the account has 1,000 glossaries.*Nothing was sent"):
        GLOSSARIES.check(None, [one] * MOST_PER_ACCOUNT)


# ---- others at work


def test_what_others_changed_since_the_base_is_kept(client, push, there):
    base = terms(de={"a": "A", "b": "B", "c": "C"})
    done = push(base, "t")
    theirs = terms(de={"a": "A", "b": "theirs", "d": "D"})
    push(theirs, "t")
    mine = terms(de={"a": "mine", "b": "B", "c": "C", "e": "E"})
    push(mine, glossary_id=done.glossary_id, base=base)
    assert there() == content(terms(de={"a": "mine", "b": "theirs", "d": "D", "e": "E"}))


def test_what_both_changed_is_an_error_with_the_conflicts_and_nothing_is_sent(push, writes, backups):
    base = terms(de={"a": "A", "b": "B"})
    push(base, "t")
    push(terms(de={"a": "theirs", "b": "B"}), "t")
    writes()
    mine = terms(de={"a": "mine", "b": "B"}).set_axis(["x", "y"])
    with pytest.raises(errors.InvalidRows, match="1 term changed differently here and on the service") as caught:
        push(mine, "t", base=base)
    assert caught.value.rows == ["x"]
    assert caught.value.findings[["base", "mine", "theirs"]].values.tolist() == [["A", "mine", "theirs"]]
    assert writes() == {}
    assert len(backups.history()) == 2


def test_pairs_that_the_table_does_not_have_cannot_be_in_conflict(push, there):
    push(BEFORE, "t")
    push(terms(fr={"house": "demeure"}), "t")
    push(terms(de={"house": "Heim"}), "t", base=BEFORE)
    assert there() == content(terms(de={"house": "Heim"}, fr={"house": "demeure"}))


def test_a_pair_that_someone_else_added_survives_a_pruning_push_with_a_base(push, there):
    push(BEFORE, "t")
    push(terms(es={"house": "casa"}), "t")
    push(terms(de={"house": "Haus", "tree": "Baum"}), "t", base=BEFORE, prune=True)
    assert there() == content(terms(de={"house": "Haus", "tree": "Baum"}, es={"house": "casa"}))


def test_what_others_deleted_since_the_base_stays_deleted_and_is_reported(client, push, there):
    base = terms(de={"a": "A", "b": "B"}, fr={"a": "A"})
    done = push(base, "t")
    client.glossaries.delete_dictionary(done.glossary_id, source_lang="en", target_lang="fr")
    again = push(base, "t", base=base)
    assert again.said == (
        f"Nothing to do: the glossary 't' ({done.glossary_id}) already is as requested. 1 term of your table "
        "was deleted "
        "on the service by others since the base, and stayed deleted (EN → FR); a push without base= restores it."
    )
    alone = push(base.iloc[2:], "t", base=base)
    assert "1 term of your table was deleted on the service by others" in alone.said
    assert "1 pair that is not in the table is left alone (EN → DE)" in alone.said
    newer = terms(de={"a": "new", "b": "B"}, fr={"a": "A"})
    changed = push(newer, "t", base=base)
    assert "and stayed deleted (EN → FR)" in changed.said
    with pytest.raises(ValueError, match="no terms are left after the merge: you or others have deleted them all"):
        push(newer.iloc[2:], "t", base=newer, prune=True)
    assert there() == content(terms(de={"a": "new", "b": "B"}))


def after_step(monkeypatch, step, then):
    """Call *then* once, after that many steps of what is pushed next."""
    number, do = count(1), GLOSSARIES.do

    def watched(*given):
        do(*given)
        if next(number) == step:
            then()

    monkeypatch.setattr(GLOSSARIES, "do", watched)


def test_a_pair_that_is_gone_when_it_is_to_be_deleted_is_no_error(client, push, there, monkeypatch):
    done = push(terms(de={"a": "A"}, fr={"a": "A"}, es={"a": "A"}), "t")

    deleted = []

    def somebody_else():
        client.glossaries.delete_dictionary(done.glossary_id, source_lang="en", target_lang="es")
        deleted.append("es")

    after_step(monkeypatch, 1, somebody_else)
    push(terms(de={"a": "A"}), "t", prune=True)
    assert deleted == ["es"]
    assert there() == content(terms(de={"a": "A"}))


# ---- when it breaks


@pytest.mark.parametrize("fault", [{"kind": "truncate"}, {"kind": "reset"}, {"kind": "status", "status": 503}])
@pytest.mark.parametrize("count", [1, 2])
def test_a_creation_whose_answer_was_lost_makes_no_second_glossary(running, push, there, fault, count):
    running.faults.add(**fault, operation=CREATE, count=count)
    done = push(BEFORE, "t")
    assert there() == content(BEFORE)
    assert done.glossary_id


@pytest.mark.long
def test_a_creation_that_is_done_but_answered_too_late_makes_no_second_glossary(
    running, reached, client, backups, there
):
    impatient = reached(read_timeout=0.3).client
    running.faults.add("latency", operation=CREATE, seconds=1, count=1)
    done = sync.push(impatient, BEFORE, name="t", backups=backups)
    quiet(running)
    assert there() == content(BEFORE)
    assert [each.glossary_id for each in client.glossaries.list()] == [done.glossary_id]


def test_a_creation_that_is_never_answered_is_an_error_and_can_be_repeated(running, push, there, back, client):
    running.faults.add("reset", operation=CREATE)
    with pytest.raises(errors.Unreachable):
        push(BEFORE, "t")
    running.faults.clear()
    push(BEFORE, "t")
    assert there() == content(BEFORE)
    back()
    assert client.glossaries.list() == []


def test_a_long_wait_that_is_asked_for_is_an_error_at_once(running, push):
    fault = running.faults.add("status", operation=CREATE, status=429, retry_after=600)
    with pytest.raises(errors.TooManyRequests):
        push(BEFORE, "t")
    assert running.faults.taken(fault) == 1


def test_the_state_before_is_on_the_disk_before_the_first_change(running, push, backups):
    push(BEFORE, "t")
    running.faults.add("reset", operation=PUT)
    with pytest.raises(errors.Unreachable):
        push(AFTER, "t")
    kept = backups.newest()
    assert (kept.action, kept.finished, kept.state["name"]) == ("change", False, "t")
    assert backups.history()["finished"].tolist() == [False, True]
    assert [each["entries"] for each in kept.state["dictionaries"]] == [
        "house\tHaus\ntree\tBaum",
        "house\tmaison",
    ]


def test_without_a_backup_nothing_is_changed(client, tmp_path, writes):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(errors.StoreError):
        sync.push(client, BEFORE, name="t", backups=Backups(tmp_path / "file" / "b", origin="here"))
    assert writes() == {}


def test_a_push_that_was_refused_leaves_no_backup(running, push, backups):
    push(BEFORE, "t")
    running.faults.add("status", operation=PUT, status=403)
    with pytest.raises(errors.Forbidden):
        push(AFTER, "t")
    running.faults.add("status", operation=CREATE, status=403)
    with pytest.raises(errors.Forbidden):
        push(AFTER, "other")
    assert len(backups.history()) == 1


def test_too_many_recent_requests_are_reported_and_the_push_can_be_repeated(running, push, there):
    push(BEFORE, "t")
    running.faults.add("status", operation=PUT, status=456)
    with pytest.raises(errors.TooManyRequests, match=r"456 Too many glossary requests recently.*Run it again later"):
        push(AFTER, "t", prune=True)
    running.faults.clear()
    push(AFTER, "t", prune=True)
    assert there() == content(AFTER)


def test_an_error_in_the_middle_tells_how_far_it_got(running, push):
    push(BEFORE, "t")
    running.faults.add("status", operation=DROP, status=403)
    with pytest.raises(errors.Forbidden) as caught:
        push(AFTER, "t", prune=True)
    assert caught.value.__notes__ == ["2 of 3 steps done. Run it again to do the rest."]


def test_a_complaint_of_the_service_names_the_rows():
    table = terms(de={"a": "A", "b": "B"}).set_axis(["x", "y"])
    told = "Key with the index 1 (starting at position 4) duplicates key with the index 0 (starting at position 0)"
    with pytest.raises(errors.InvalidRows) as caught, sync.row_by_row(table):
        raise errors.BadRequest("Invalid glossary entries provided", status=400, detail=told)
    assert caught.value.rows == ["y", "x"]
    with pytest.raises(errors.BadRequest), sync.row_by_row(table):
        raise errors.BadRequest("Something else", status=400)


@pytest.fixture
def interrupt_after(monkeypatch):
    def interrupt():
        raise KeyboardInterrupt

    return lambda step: after_step(monkeypatch, step, interrupt)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_an_interrupted_push_is_completed_by_repeating_it_and_undone_as_a_whole(
    push, there, back, writes, interrupt_after, step
):
    push(BEFORE, "t")
    writes()
    interrupt_after(step)
    with pytest.raises(KeyboardInterrupt):
        push(AFTER, "t", prune=True)
    assert sum(writes().values()) == step
    push(AFTER, "t", prune=True)
    assert sum(writes().values()) == 3 - step
    assert there() == content(AFTER)
    back()
    assert there() == content(BEFORE)


CHILD = """
import sys
from svc_nb.glossaries import sync
from svc_nb.sync.backups import Backups
from svc_nb.tabular.terms import made
import svc_nb

print("ready", flush=True)
sys.stdin.readline()
table = made("en", ["de", "fr", "es", "it"], ["a"] * 4, ["new"] * 4)
sync.push(svc_nb.connect().client, table, name="t", backups=Backups(sys.argv[1], origin="here"))
"""


@pytest.mark.long
@pytest.mark.parametrize("known", [True, False])
def test_a_killed_push_is_completed_by_repeating_it(running, push, there, backups, back, client, known):
    old, new = (made("en", ["de", "fr", "es", "it"], ["a"] * 4, [target] * 4) for target in ("old", "new"))
    if known:
        push(old, "t")
    running.faults.add("latency", operation=PUT if known else CREATE, seconds=0.3)
    environ = {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key, "PATH": ""}
    child = forked.Popen(
        [sys.executable, "-c", CHILD, str(backups.folder)],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("\n")
        child.stdin.flush()
        until(lambda: client.glossaries.list() and (not known or "new" in there().values()))
    finally:
        child.kill()
        child.communicate()
    running.faults.clear()
    quiet(running)
    assert backups.history()[["finished", "this_kernel"]].values.tolist()[0] == [False, False]
    push(new, "t")
    assert there() == content(new)
    back("t")
    assert (there() == content(old)) if known else (client.glossaries.list() == [])


AGAIN_AND_AGAIN = """
import sys
from svc_nb.glossaries import sync
from svc_nb.sync.backups import Backups
from svc_nb.tabular.terms import made
import svc_nb

client, backups = svc_nb.connect().client, Backups(sys.argv[1], origin="here")
glossary_id = None
for number in range(1000):
    targets = [f"{number}-{place}" for place in range(3)]
    table = made("en", ["de", "fr", "es"][: 2 + number % 2], ["a"] * (2 + number % 2), targets[: 2 + number % 2])
    glossary_id = sync.push(client, table, name="t", glossary_id=glossary_id, prune=True, backups=backups).glossary_id
    print(number, flush=True)
"""


@pytest.mark.long
def test_a_push_that_is_killed_at_any_moment_is_completed_by_repeating_it(running, push, there, backups, client):
    running.faults.add("latency", operation=PUT, seconds=0.02)
    environ = {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key, "PATH": ""}
    moments = random.Random(27)
    for number in range(15):
        child = forked.Popen(
            [sys.executable, "-c", AGAIN_AND_AGAIN, str(backups.folder)],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert child.stdout.readline() == "0\n"
            time.sleep(moments.uniform(0.0, 0.3))
        finally:
            child.kill()
            child.communicate()
        quiet(running)
        [known] = client.glossaries.list()
        after = terms(de={"a": f"after {number}"}, it={"b": "also"})
        push(after, "t", glossary_id=known.glossary_id, prune=True)
        assert there() == content(after)
        client.glossaries.delete(known.glossary_id)


# ---- back


def test_an_undone_creation_is_a_deletion(push, back, client):
    done = push(BEFORE, "t")
    undone = back()
    assert undone["step"].tolist() == ["delete", "delete"]
    assert undone.said.startswith(f"Undone. The glossary 't' ({done.glossary_id}) was deleted with 3 terms.")
    assert client.glossaries.list() == []


def test_an_undone_change_brings_back_terms_pairs_and_name(push, back, there, client):
    done = push(BEFORE, "old")
    push(AFTER, "new", glossary_id=done.glossary_id, prune=True)
    back()
    assert there() == content(BEFORE)
    assert [each.name for each in client.glossaries.list()] == ["old"]


words = st.sampled_from(["a", "b", "c"])
tables = st.dictionaries(
    st.sampled_from(["de", "fr", "es"]), st.dictionaries(words, words, min_size=1, max_size=3), min_size=1
)


@pytest.mark.long
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(tables, min_size=2, max_size=4))
def test_every_push_gives_the_table_and_undo_goes_back_and_forth(client, push, back, there, given):
    for each in client.glossaries.list():
        client.glossaries.delete(each.glossary_id)
    for each in given:
        push(terms(**each), "t", prune=True)
        assert there() == content(terms(**each))
    last, before = (content(terms(**each)) for each in (given[-1], given[-2]))
    if last == before:
        return
    for wanted in (before, last, before):
        back()
        assert there() == wanted


def test_a_deleted_glossary_is_recreated_under_a_new_id_that_the_old_one_leads_to(push, back, there, client, backups):
    done = push(BEFORE, "t")
    gone = delete(GLOSSARIES, client, done.glossary_id, backups=backups)
    assert client.glossaries.list() == []
    assert "recreates it under a new id" in gone.said
    made_again = back(done.glossary_id)
    assert there() == content(BEFORE)
    assert made_again.glossary_id != done.glossary_id
    assert f"({made_again.glossary_id})" in made_again.said
    back(done.glossary_id)
    assert client.glossaries.list() == []
    back(done.glossary_id)
    assert there() == content(BEFORE)


def test_a_created_glossary_can_be_undone_and_redone(push, back, there, client):
    push(BEFORE, "t")
    back()
    back()
    assert there() == content(BEFORE)
    back()
    assert client.glossaries.list() == []


def test_each_glossary_has_its_own_last_change(push, back, client):
    first, second = push(BEFORE, "one"), push(BEFORE, "two")
    push(AFTER, "two")
    back(first.glossary_id)
    assert [each.glossary_id for each in client.glossaries.list()] == [second.glossary_id]


def test_a_glossary_that_someone_else_deleted_is_recreated_only_when_asked(push, back, there, client):
    done = push(BEFORE, "t")
    push(AFTER, "t", prune=True)
    client.glossaries.delete(done.glossary_id)
    with pytest.raises(errors.NotFound, match=rf"no longer exists: .*undo\('{done.glossary_id}', recreate=True\)"):
        back()
    assert client.glossaries.list() == []
    back(recreate=True)
    assert there() == content(BEFORE)


def test_any_state_in_the_history_can_be_gone_back_to(push, back, there, backups):
    for target in ("first", "second", "third", "fourth"):
        push(terms(de={"a": target}), "t")
    second = backups.history()["backup"].iloc[1]
    back(backup=second)
    assert there() == content(terms(de={"a": "second"}))
    back()
    assert there() == content(terms(de={"a": "fourth"}))


def test_what_is_already_as_it_was_says_so(client, push, back, there, tmp_path, writes):
    push(BEFORE, "t")
    push(AFTER, "t", prune=True)
    elsewhere = Backups(tmp_path / "elsewhere", origin="here")
    sync.push(client, BEFORE, name="t", prune=True, backups=elsewhere)
    writes()
    assert back().said.startswith("Nothing to undo: the glossary 't' is already as before")
    assert writes() == {}


def test_without_a_change_from_here_there_is_nothing_to_undo(client, push, back, backups):
    with pytest.raises(ValueError, match=r"there is nothing to undo: .* has no backup for this service"):
        back()
    done = push(BEFORE, "t")
    with pytest.raises(
        ValueError,
        match=r"'another' was not changed from here \(here\); svc_nb\.glossaries\.history\(\) lists",
    ):
        back("another")
    elsewhere = Backups(backups.folder, origin="elsewhere")
    with pytest.raises(ValueError, match=r"\(elsewhere\); .* 1 backup for other services"):
        undo(client, done.glossary_id, backups=elsewhere)
    assert len(client.glossaries.list()) == 1


def test_an_undo_that_was_interrupted_continues_to_where_it_was_going(running, push, back, there):
    push(BEFORE, "t")
    push(AFTER, "t", prune=True)
    running.faults.add("reset", operation=DROP)
    with pytest.raises(errors.Unreachable):
        back()
    assert there() not in (content(BEFORE), content(AFTER))
    running.faults.clear()
    back()
    assert there() == content(BEFORE)
    back()
    assert there() == content(AFTER)


class Interrupted(Backups):
    """Interrupted when the service has done its part and that is to be noted."""

    def replace(self, backup, **changes):
        raise KeyboardInterrupt


def test_a_creation_that_was_not_noted_is_found_and_undone(client, push, back, there, backups, writes):
    with pytest.raises(KeyboardInterrupt):
        sync.push(client, BEFORE, name="t", backups=Interrupted(backups.folder, origin="here"))
    writes()
    push(BEFORE, "t")
    assert writes() == {}
    assert there() == content(BEFORE)
    back()
    assert client.glossaries.list() == []


def test_a_glossary_that_was_recreated_and_not_noted_is_not_made_twice(client, push, back, there, backups):
    done = push(BEFORE, "t")
    delete(GLOSSARIES, client, done.glossary_id, backups=backups)
    with pytest.raises(KeyboardInterrupt):
        undo(client, backups=Interrupted(backups.folder, origin="here"))
    again = back(done.glossary_id)
    assert there() == content(BEFORE)
    assert again.glossary_id != done.glossary_id
    back(done.glossary_id)
    assert client.glossaries.list() == []


def test_a_creation_that_never_happened_is_forgotten_by_an_undo(running, client, push, back, backups):
    push(BEFORE, "one")
    running.faults.add("reset", operation=CREATE)
    with pytest.raises(errors.Unreachable):
        push(BEFORE, "two")
    running.faults.clear()
    assert "Nothing to undo: the glossary 'two'" in back().said
    back()
    assert client.glossaries.list() == []


# ---- back, among others


@pytest.fixture
def colleague(client):
    """Puts the terms of a table in the place of those of its pairs, in the only glossary, and keeps no backup."""

    def put(table):
        (glossary,) = client.glossaries.list()
        for each in to_dictionaries(table):
            client.glossaries.replace_dictionary(glossary.glossary_id, each)

    return put


def test_an_undo_keeps_what_others_changed_since_and_tells_it(push, back, colleague, there):
    a, b = terms(de={"a": "A", "b": "B"}), terms(de={"a": "A2", "c": "C"})
    done = push(a, "t")
    push(b, "t")
    colleague(terms(de={"a": "A2", "c": "C", "x": "theirs"}, fr={"y": "theirs"}))
    kept = terms(de={"a": "A", "b": "B", "x": "theirs"}, fr={"y": "theirs"})
    planned = back(done.glossary_id, dry_run=True)
    assert planned.said.startswith("Dry run, nothing was sent: the glossary 't'")
    assert planned.said.endswith("Next: run the same undo without dry_run.")
    assert not planned.query("step == 'put'")["done"].any()
    assert there() != content(kept)
    undone = back(done.glossary_id)
    assert there() == content(kept)
    assert "Later changes by others were kept: 2 terms." in undone.said
    back()
    assert there() == content(terms(de={"a": "A2", "c": "C", "x": "theirs"}, fr={"y": "theirs"}))


def test_what_others_changed_too_is_an_error_with_the_conflicts_unless_it_is_forced(
    push, back, colleague, there, writes, backups
):
    push(terms(de={"a": "A", "b": "B"}), "t")
    push(terms(de={"a": "A2", "b": "B"}), "t")
    now = terms(de={"a": "theirs", "b": "B", "x": "X"})
    colleague(now)
    writes()
    with pytest.raises(
        errors.InvalidRows, match=r"Others have changed 1 term of the glossary 't'.*replace=True"
    ) as caught:
        back()
    assert caught.value.findings[["source", "base", "mine", "theirs"]].values.tolist() == [["a", "A2", "A", "theirs"]]
    assert writes() == {}
    assert (there(), len(backups.history())) == (content(now), 2)
    back(replace=True)
    assert there() == content(terms(de={"a": "A", "b": "B"}))


def test_a_name_that_others_changed_is_kept_or_in_conflict(client, push, back):
    done = push(BEFORE, "one")
    push(AFTER, "one", prune=True)
    client.glossaries.rename(done.glossary_id, "theirs")
    assert "were kept: the name." in back().said
    push(BEFORE, "two", glossary_id=done.glossary_id, prune=True)
    client.glossaries.rename(done.glossary_id, "<again>")
    with pytest.raises(errors.InvalidRows, match="Others have changed the name of the glossary '<again>'") as caught:
        back()
    assert caught.value.findings[["base", "mine", "theirs"]].values.tolist() == [["two", "theirs", "<again>"]]
    back(replace=True)
    assert [each.name for each in client.glossaries.list()] == ["theirs"]


def test_a_created_glossary_that_others_changed_is_not_deleted_unless_it_is_forced(
    client, push, back, colleague, there
):
    done = push(BEFORE, "t")
    colleague(terms(es={"house": "casa"}))
    with pytest.raises(errors.InvalidRows, match=r"was created from here, but others have changed 1 term") as caught:
        back(done.glossary_id)
    assert caught.value.findings["source"].tolist() == ["house"]
    assert len(there()) == 4
    back(done.glossary_id, replace=True)
    assert client.glossaries.list() == []


def test_all_changes_since_a_backup_are_undone_but_not_those_of_others_between(push, back, colleague, there, backups):
    push(terms(de={"a": "1"}), "t")
    second = push(terms(de={"a": "2"}), "t")
    colleague(terms(fr={"between": "theirs"}))
    push(terms(de={"a": "3"}), "t")
    colleague(terms(es={"after": "theirs"}))
    names = backups.history(second.glossary_id)["backup"].tolist()
    back(backup=names[1])
    theirs = {"fr": {"between": "theirs"}, "es": {"after": "theirs"}}
    assert there() == content(terms(de={"a": "1"}, **theirs))
    back(backup=names[1], replace=True)
    assert there() == content(terms(de={"a": "1"}))


def test_a_glossary_that_was_recreated_is_undone_like_one_that_was_changed(
    client, push, back, colleague, there, backups
):
    push(terms(de={"a": "1"}), "t")
    done = push(terms(de={"a": "2"}), "t")
    names = backups.history()["backup"].tolist()
    delete(GLOSSARIES, client, done.glossary_id, backups=backups)
    back("t")
    colleague(terms(fr={"x": "theirs"}))
    back(backup=names[0])
    assert there() == content(terms(de={"a": "1"}, fr={"x": "theirs"}))


@pytest.mark.long
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables, tables, tables)
def test_an_undo_gives_what_a_merge_gives_or_changes_nothing(client, push, back, there, one, two, theirs):
    for each in client.glossaries.list():
        client.glossaries.delete(each.glossary_id)
    before, after, now = (terms(**each) for each in (one, two, theirs))
    done = push(before, "t")
    if push(after, "t", prune=True)["step"].eq("nothing").all():
        return
    sync.push(client, now, name="t", prune=True, backups=Backups(f"{FOLDERS.name}/{done.glossary_id}", origin="x"))
    merged = merge(after, before, now)
    if len(merged.conflicts):
        with pytest.raises(errors.InvalidRows):
            back(done.glossary_id)
        assert there() == content(now)
    elif len(merged.table):
        back(done.glossary_id)
        assert there() == content(merged.table)


FOLDERS = tempfile.TemporaryDirectory()


def test_a_deletion_that_never_happened_is_forgotten_by_an_undo(running, client, push, back, colleague, there, backups):
    push(BEFORE, "t")
    done = push(AFTER, "t", prune=True)
    running.faults.add("reset", operation=WRITES[-1])
    with pytest.raises(errors.Unreachable):
        delete(GLOSSARIES, client, done.glossary_id, backups=backups)
    running.faults.clear()
    colleague(terms(es={"house": "casa", "x": "theirs"}))
    assert back().said.startswith("Nothing to undo")
    back()
    assert there() == {**content(BEFORE), ("EN", "ES", "x"): "theirs"}


def test_another_push_after_one_that_was_interrupted_is_undone_alone(push, back, there, interrupt_after):
    push(BEFORE, "t")
    interrupt_after(1)
    with pytest.raises(KeyboardInterrupt):
        push(AFTER, "t", prune=True)
    left = there()
    push(terms(it={"house": "casa"}), "t")
    back()
    assert there() == left != content(BEFORE)


def test_a_repeated_push_is_separate_where_others_changed_what_was_left(push, back, colleague, there, interrupt_after):
    push(BEFORE, "t")
    interrupt_after(1)
    with pytest.raises(KeyboardInterrupt):
        push(AFTER, "t", prune=True)
    colleague(terms(es={"house": "theirs"}))
    left = there()
    push(AFTER, "t", prune=True)
    back()
    assert there() == left


def test_without_an_id_an_undo_is_of_this_kernel_alone(client, push, back, there, backups):
    """Another kernel of the same person has its own last change, and what it changed since is kept."""
    other = Backups(backups.folder, origin="here", process="another")
    push(terms(de={"a": "1"}), "t")
    push(terms(de={"a": "2"}), "t")
    sync.push(client, terms(fr={"b": "theirs"}), name="t", backups=other)
    sync.push(client, BEFORE, name="other", backups=other)
    back()
    found = content(sync.pull(client, "t"))
    assert found == content(terms(de={"a": "1"}, fr={"b": "theirs"}))
    undo(client, "t", backups=other)
    assert content(sync.pull(client, "t")) == content(terms(de={"a": "2"}, fr={"b": "theirs"}))
    undo(client, backups=other)
    assert content(sync.pull(client, "t")) == content(terms(de={"a": "1"}, fr={"b": "theirs"}))


def test_a_kernel_that_changed_nothing_has_nothing_to_undo_but_is_told_where_to_look(client, push, backups, there):
    push(BEFORE, "t")
    new = Backups(backups.folder, origin="here", process="new")
    with pytest.raises(ValueError, match=r"changed from this kernel\. svc_nb\.glossaries\.history\(\) lists"):
        undo(client, backups=new)
    assert there() == content(BEFORE)
    undo(client, "t", backups=new)
    assert client.glossaries.list() == []


def test_a_name_is_as_good_as_an_id_for_an_undo(client, push, back, there, backups):
    done = push(BEFORE, "old")
    push(BEFORE, "new", glossary_id=done.glossary_id)
    push(AFTER, "new", prune=True)
    push(BEFORE, "another")
    assert back("new").glossary_id == done.glossary_id
    assert content(sync.pull(client, "new")) == content(BEFORE)
    back("old")
    assert content(sync.pull(client, "new")) == content(AFTER)
    client.glossaries.delete(sync.push(client, BEFORE, name="new 2", backups=backups).glossary_id)
    twin = client.glossaries.create("new", [Dictionary("en", "de", "a\tb")])
    push(terms(de={"a": "B"}), glossary_id=twin.glossary_id)
    with pytest.raises(ValueError, match=rf"2 .* were called 'new'\. Give the id .*{twin.glossary_id}"):
        back("new")
