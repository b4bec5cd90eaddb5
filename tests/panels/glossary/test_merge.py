"""What was edited here and what was changed on the service, brought together."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb.errors import InvalidRows
from svc_nb.panels.glossary.edits import aligned, filled, meet
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.tabular.terms import COLUMNS
from tests.panels.glossary.terms import booked, couples, terms

BASE = terms(("dog", "Hund"), ("cat", "Katze"), ("cow", "Kuh"))


def taken(meeting, mine) -> list[tuple[str, str]]:
    """The terms of *mine* after a meeting."""
    book = EditTable(mine, COLUMNS)
    meeting.edits.apply(book, "Meeting")
    return couples(book.table)


def test_what_others_changed_is_brought_in_and_what_was_edited_stays():
    mine = booked(terms(("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh"), ("hen", "Huhn")))
    theirs = terms(("dog", "Hund"), ("cat", "Kater"), ("pig", "Schwein"))
    meeting = meet(BASE, mine, theirs)
    assert taken(meeting, mine) == [("dog", "Köter"), ("cat", "Kater"), ("hen", "Huhn"), ("pig", "Schwein")]
    assert meeting.elsewhere == (1, 1, 1)
    assert meeting.counts == {("EN", "DE"): {"added": 1, "changed": 1, "removed": 0}}
    assert "1 added, 1 changed, 1 removed" in meeting.told_elsewhere


def test_what_both_changed_is_a_conflict_and_nothing_is_brought_in():
    mine = booked(terms(("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh")))
    meeting = meet(BASE, mine, terms(("dog", "Dackel"), ("cat", "Kater"), ("cow", "Kuh")))
    (conflict,) = meeting.conflicts.to_dict("records")
    assert (conflict["source"], conflict["base"], conflict["mine"], conflict["theirs"]) == (
        "dog",
        "Hund",
        "Köter",
        "Dackel",
    )
    assert not meeting.edits


@pytest.mark.parametrize(("side", "target"), [("mine", "Köter"), ("theirs", "Dackel")])
def test_a_choice_settles_a_conflict(side, target):
    mine = booked(terms(("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh")))
    theirs = terms(("dog", "Dackel"), ("cat", "Kater"), ("cow", "Kuh"))
    meeting = meet(BASE, mine, theirs, choices={("EN", "DE", "dog"): side})
    assert taken(meeting, mine) == [("dog", target), ("cat", "Kater"), ("cow", "Kuh")]
    assert meeting.counts == ({} if side == "theirs" else {("EN", "DE"): {"added": 0, "changed": 1, "removed": 0}})


def test_a_term_deleted_on_one_side_and_changed_on_the_other_can_go_or_stay():
    mine = booked(terms(("cat", "Katze"), ("cow", "Rind")))
    theirs = terms(("dog", "Dackel"), ("cat", "Katze"))
    assert len(meet(BASE, mine, theirs).conflicts) == 2
    keys = [("EN", "DE", "dog"), ("EN", "DE", "cow")]
    gone = meet(BASE, mine, theirs, choices=dict(zip(keys, ("theirs", "theirs"), strict=True)))
    assert sorted(taken(gone, mine)) == [("cat", "Katze"), ("dog", "Dackel")]
    stays = meet(BASE, mine, theirs, choices=dict.fromkeys(keys, "mine"))
    assert sorted(taken(stays, mine)) == [("cat", "Katze"), ("cow", "Rind")]


def test_a_pair_without_rows_is_told_as_deleted():
    both = pd.concat([BASE, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    meeting = meet(both, booked(BASE), both)
    assert meeting.deleted == (("EN", "FR"),)


def test_empty_rows_are_not_terms():
    mine = booked(pd.concat([BASE, terms(("", ""), (" ", ""))], ignore_index=True))
    assert len(filled(mine)) == 3
    assert not meet(BASE, mine, BASE).counts


def test_a_duplicate_term_is_refused():
    with pytest.raises(InvalidRows):
        meet(BASE, booked(terms(("dog", "Hund"), ("dog", "Köter"))), BASE)


def test_the_base_keeps_the_numbers_of_the_rows():
    mine = pd.concat([BASE.iloc[[2, 0]], terms(("hen", "Huhn"))]).set_axis(pd.Index([3, 1, 9], name="row"))
    theirs = terms(("dog", "Dackel"), ("cat", "Katze"), ("cow", "Kuh"), ("pig", "Schwein"))
    found = aligned(booked(BASE), mine, theirs)
    assert dict(zip(found["source"], found.index, strict=True)) == {"dog": 1, "cat": 2, "cow": 3, "pig": 10}
    assert found.index.is_unique
