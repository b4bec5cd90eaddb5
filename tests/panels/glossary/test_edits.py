"""What makes one table of terms another."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.glossary.edits import adding, cells_of, toward
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.tabular.terms import COLUMNS, made
from tests.panels.glossary.terms import booked, couples, terms

TEXTS = st.sampled_from(["a", "b", "c", "<b>", ""])
ROWS = st.lists(st.tuples(st.sampled_from(["EN", "FR"]), st.just("DE"), TEXTS, TEXTS), max_size=8)


def table(rows) -> pd.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return made(*map(list, columns))


@given(ROWS, ROWS)
def test_a_book_becomes_the_table_that_is_wanted_in_one_step(mine, wanted):
    book = EditTable(table(mine), COLUMNS)
    before = cells_of(book.table)
    toward(book.table, table(wanted)).apply(book, "Merge")
    assert sorted(cells_of(book.table)) == sorted(cells_of(table(wanted)))
    if book.undoable:
        book.undo()
    assert cells_of(book.table) == before
    assert not book.undoable


@given(ROWS)
def test_a_table_needs_nothing_to_become_itself(rows):
    assert not toward(booked(table(rows)), table(rows))


def test_a_term_whose_target_changes_keeps_its_row():
    edits = toward(booked(terms(("dog", "Hund"), ("cat", "Katze"))), terms(("cat", "Kater"), ("dog", "Hund")))
    assert edits.writes == {(2, "target"): "Kater"}
    assert not edits.added
    assert not edits.dropped


def test_regions_do_not_make_another_pair():
    mine = booked(terms(("dog", "Hund"), source_lang="EN-GB"))
    assert not toward(mine, terms(("dog", "Hund")))


@given(ROWS, ROWS)
def test_adding_keeps_every_term_that_was_there(mine, more):
    book = EditTable(table(mine), COLUMNS)
    adding(book.table, table(more)).apply(book, "Import")
    keys = {cells[:3] for cells in cells_of(book.table)}
    assert {cells[:3] for cells in mine} | {cells[:3] for cells in more} == keys
    assert len(book) >= len(mine)


def test_a_term_that_is_there_gets_the_target_of_the_file():
    book = EditTable(terms(("dog", "Hund"), ("cat", "Katze")), COLUMNS)
    adding(book.table, terms(("dog", "Köter"), ("cow", "Kuh"), ("cow", "Kuh"))).apply(book, "Import")
    assert couples(book.table) == [("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh")]


def test_two_targets_for_one_term_are_two_rows_for_a_person_to_choose():
    book = EditTable(terms(("dog", "Hund")), COLUMNS)
    adding(book.table, terms(("dog", "Köter"), ("dog", "Dackel"))).apply(book, "Import")
    assert couples(book.table) == [("dog", "Köter"), ("dog", "Dackel")]


@pytest.mark.parametrize("targets", [("Hund", "Köter"), ("Köter", "Hund")])
def test_a_target_that_is_there_stays_where_the_file_has_it_among_others(targets):
    book = EditTable(terms(("dog", "Hund")), COLUMNS)
    adding(book.table, terms(*(("dog", target) for target in targets))).apply(book, "Import")
    assert couples(book.table) == [("dog", "Hund"), ("dog", "Köter")]


@given(ROWS, ROWS)
def test_adding_brings_in_every_target_of_the_file(mine, more):
    book = EditTable(table(mine), COLUMNS)
    adding(book.table, table(more)).apply(book, "Import")
    assert set(more) <= set(cells_of(book.table))
    assert not adding(book.table, table(more))
