"""Spoken terms on the embedded service kept in step with tables, also where answers are lost on the way."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc_nb import errors, service
from svc_nb.service.faults import Fault
from svc_nb.spoken_terms import sync
from svc_nb.spoken_terms.sync import COLLECTIONS
from svc_nb.spoken_terms.table import diff, lists_of, made, rows_of
from svc_nb.sync.changes import delete
from svc_nb.sync.undo import undo
from svc_nb.wire.models import TermList
from tests.counters import quiet
from tests.toy import TOY

TERMS = made(["de", "de", "en"], ["Kubernetes", "Brötchen", "kubectl"])
PUT = "PUT /v3/spoken-terms/{spoken_terms_id}/term-lists"


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def client(running, connected):
    """A client of a service without spoken terms."""
    with running.state.database.write() as connection:
        connection.execute("DELETE FROM spoken_terms")
    return connected.client


@pytest.fixture
def copies(tmp_path):
    return COLLECTIONS.backups(tmp_path / "copies", origin="here")


@pytest.fixture
def push(client, copies):
    return lambda table, name="Names", **how: sync.push(client, table, name=name, backups=copies, **how)


@pytest.fixture
def back(client, copies):
    return lambda *given, **how: undo(COLLECTIONS, client, *given, backups=copies, **how)


def kept(client):
    """What is on the service, by name."""
    found = client.spoken_terms.list()
    return {each.name: lists_of(rows_of(sync.pull(client, each.spoken_terms_id))) for each in found}


def writes(running, act):
    """The requests that changed something while *act* was done."""
    quiet(running)
    before = running.traffic.answered.copy()
    act()
    quiet(running)
    done = running.traffic.answered - before
    return [name for name, _ in done.elements() if not name.startswith("GET")]


def test_a_push_creates_and_a_pull_gives_the_same_terms(client, push):
    made_now = push(TERMS)
    assert made_now["step"].tolist() == ["create", "create"]
    assert rows_of(sync.pull(client, made_now.spoken_terms_id)) == rows_of(TERMS)
    assert rows_of(sync.pull(client, "Names")) == rows_of(TERMS)


def test_only_lists_that_differ_are_sent(running, push):
    push(TERMS)
    assert writes(running, lambda: push(TERMS)) == []
    more = made(["DE", "de", "de", "en"], ["Brötchen", "Kubernetes", "Semmel", "kubectl"])
    assert writes(running, lambda: push(more)) == [PUT]


def test_languages_that_the_table_does_not_have_go_only_with_prune(client, push):
    push(TERMS)
    assert "1 language that is not in the table is left alone (EN)" in push(TERMS[:2]).said
    assert set(kept(client)["Names"]) == {"DE", "EN"}
    pruned = push(TERMS[:2], prune=True)
    assert pruned["step"].tolist() == ["nothing", "delete"]
    assert set(kept(client)["Names"]) == {"DE"}


def test_a_dry_run_sends_nothing_and_says_what_would_be_done(running, client, push):
    assert writes(running, lambda: push(TERMS, dry_run=True)) == []
    told = push(TERMS, dry_run=True)
    assert (told.spoken_terms_id, told["done"].tolist()) == (None, [False, False])
    assert kept(client) == {}


def test_an_id_renames_and_a_name_finds(client, push):
    first = push(TERMS)
    renamed = push(TERMS, "Other", spoken_terms_id=first.spoken_terms_id)
    assert renamed["step"].tolist()[0] == "rename"
    assert push(TERMS, "Other").spoken_terms_id == first.spoken_terms_id
    assert list(kept(client)) == ["Other"]


def test_what_the_service_would_refuse_is_not_sent(running, push):
    quiet(running)
    before = running.traffic.requests
    for wrong in (made("de", ["a", "a"]), made("xx", ["a"]), made("de", ["x" * 301])):
        with pytest.raises(errors.InvalidRows):
            push(wrong)
    for table, name in ((TERMS[:0], "Names"), (TERMS, " "), (TERMS, "ä" * 513), (TERMS, None)):
        with pytest.raises(ValueError, match=r"no terms|name"):
            push(table, name)
    assert running.traffic.requests == before


def test_a_name_that_several_have_is_no_name(client, push):
    ids = [client.spoken_terms.create("Names", [TermList("de", "a")]).spoken_terms_id for _ in range(2)]
    with pytest.raises(ValueError, match=f"2 collections of spoken terms are called 'Names'.*{ids[0]}"):
        push(TERMS)
    with pytest.raises(errors.NotFound, match=r"svc_nb.spoken_terms.list\(\)"):
        sync.pull(client, "Nobody")
    with pytest.raises(ValueError, match="Pass it as spoken_terms_id="):
        push(TERMS, ids[0])


def test_what_a_push_would_change_is_the_difference(client, push):
    push(TERMS)
    new = made(["de", "de"], ["Kubernetes", "Semmel"])
    rows = [["added", "DE", "Semmel"], ["removed", "DE", "Brötchen"]]
    found = sync.compare(client, new, "Names")
    assert found.to_numpy().tolist() == rows
    assert "(EN)" in found.said
    pruned = sync.compare(client, new, "Names", prune=True)
    assert pruned.to_numpy().tolist() == [*rows, ["removed", "EN", "kubectl"]]
    assert diff(TERMS, new).to_numpy().tolist() == pruned.to_numpy().tolist()
    assert "No difference" in diff(TERMS, TERMS[::-1]).said


@pytest.mark.parametrize("kind", ["truncate", "reset", "status"])
def test_a_lost_answer_makes_no_second_collection(running, client, push, kind):
    running.faults.add(Fault(kind, "POST /v3/spoken-terms", count=1, status=503))
    push(TERMS)
    running.faults.clear()
    assert len(client.spoken_terms.list()) == 1


def test_a_push_that_was_interrupted_is_finished_by_the_same_push_and_undone_as_one(running, client, push, back):
    push(TERMS)
    new = made(["de", "en", "fr"], ["Semmel", "helm", "baguette"])
    running.faults.add(Fault("status", PUT, status=400))
    with pytest.raises(errors.BadRequest):
        push(new)
    running.faults.clear()
    assert kept(client)["Names"] == lists_of(rows_of(TERMS))
    running.faults.add(Fault("status", "DELETE /v3/spoken-terms/{spoken_terms_id}/term-lists", status=400))
    gone = made(["de", "fr"], ["Semmel", "baguette"])
    with pytest.raises(errors.BadRequest) as caught:
        push(gone, prune=True)
    assert "2 of 3 steps done" in caught.value.__notes__[0]
    running.faults.clear()
    assert push(gone, prune=True)["step"].tolist() == ["nothing", "nothing", "delete"]
    back()
    assert kept(client)["Names"] == lists_of(rows_of(TERMS))


def test_a_full_account_is_reported_in_words_of_spoken_terms(running, push):
    running.faults.add(Fault("status", "POST /v3/spoken-terms", status=456))
    with pytest.raises(errors.ApiError, match="allows no more collections") as caught:
        push(TERMS)
    running.faults.clear()
    assert caught.value.status == 456


# ---- undo


def test_each_change_is_undone_and_an_undo_twice_is_done_again(client, push, back, copies):
    push(TERMS)
    push(made("de", ["Semmel"]), prune=True)
    back()
    assert kept(client)["Names"] == lists_of(rows_of(TERMS))
    back()
    assert kept(client)["Names"] == {"DE": ("Semmel",)}
    delete(COLLECTIONS, client, "Names", backups=copies)
    assert kept(client) == {}
    again = back("Names")
    assert again.said.startswith("Undone, under a new id.")
    assert kept(client)["Names"] == {"DE": ("Semmel",)}
    assert copies.history()["action"].tolist() == ["create", "delete", "change", "change", "change", "create"]
    back(again.spoken_terms_id)
    assert kept(client) == {}


def test_what_others_changed_since_is_not_lost(client, push, back):
    pushed = push(TERMS)
    client.spoken_terms.update(pushed.spoken_terms_id, term_lists=[TermList("de", "Semmel")])
    with pytest.raises(errors.InvalidRows, match="others have changed 1 term of them since") as caught:
        back()
    assert caught.value.findings.to_numpy().tolist() == [["added", "DE", "Semmel"]]
    assert "Semmel" in kept(client)["Names"]["DE"]
    back(replace=True)
    assert kept(client) == {}


def test_what_others_changed_since_is_kept_when_a_change_is_undone(client, push, back):
    push(TERMS)
    pushed = push(made("de", ["Semmel"]), prune=True)
    client.spoken_terms.update(pushed.spoken_terms_id, term_lists=[TermList("de", "Semmel\nWeckle")])
    undone = back()
    assert "Later changes by others were kept: 1 term." in undone.said
    before = lists_of(rows_of(TERMS))
    assert kept(client)["Names"] == {**before, "DE": (*before["DE"], "Weckle")}


def test_what_others_deleted_since_is_reported(client, push, back):
    push(TERMS)
    changed = push(made("de", ["Semmel"]))
    client.spoken_terms.delete(changed.spoken_terms_id)
    with pytest.raises(errors.NotFound, match="someone else deleted them"):
        back()


def test_a_deletion_that_was_refused_leaves_nothing_to_undo(running, client, push, copies):
    push(TERMS)
    running.faults.add(Fault("status", "DELETE /v3/spoken-terms/{spoken_terms_id}", status=400))
    with pytest.raises(errors.BadRequest):
        delete(COLLECTIONS, client, "Names", backups=copies)
    running.faults.clear()
    assert copies.history()["action"].tolist() == ["create"]


def test_a_deletion_that_never_came_to_be_is_forgotten(running, client, push, back, copies):
    push(TERMS)
    running.faults.add(Fault("status", "DELETE /v3/spoken-terms/{spoken_terms_id}", status=503))
    with pytest.raises(errors.Unavailable):
        delete(COLLECTIONS, client, "Names", backups=copies)
    running.faults.clear()
    assert "Nothing to undo" in back().said
    assert kept(client)["Names"] == lists_of(rows_of(TERMS))
    back()
    assert kept(client) == {}


def test_without_a_change_there_is_nothing_to_undo(back, copies):
    with pytest.raises(ValueError, match="nothing to undo"):
        back()
    with pytest.raises(ValueError, match="'Names' was not changed from here"):
        back("Names")
    assert "nothing has been changed" in copies.history().said


def test_an_undo_that_is_only_tried_changes_nothing(client, push, back):
    push(TERMS)
    assert back(dry_run=True)["done"].tolist() == [False, False]
    assert list(kept(client)) == ["Names"]


terms = st.lists(st.tuples(st.sampled_from(["de", "en", "fr"]), st.sampled_from("abcd")), min_size=1, unique=True)


@pytest.mark.long
@given(first=terms, second=terms, prune=st.booleans())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_a_push_the_difference_is_none_and_after_an_undo_all_is_as_before(
    client, push, back, first, second, prune
):
    old, new = (made([lang for lang, _ in rows], [term for _, term in rows]) for rows in (first, second))
    push(old, prune=True)
    before = {lang: set(each) for lang, each in kept(client)["Names"].items()}
    changed = len(sync.compare(client, new, "Names", prune=prune))
    push(new, prune=prune)
    assert len(sync.compare(client, new, "Names", prune=prune)) == 0
    if changed:
        back("Names")
        assert {lang: set(each) for lang, each in kept(client)["Names"].items()} == before
