"""The book behind an editor: numbers that stay, steps that are undone, and what it tells."""

from __future__ import annotations

import contextlib
import json
import threading

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.panels.parts.texts import text_of
from tests.growth import LINEAR, growth

COLUMNS = ("source", "target")


def table(*rows, numbers=None) -> pd.DataFrame:
    index = pd.RangeIndex(len(rows)) if numbers is None else pd.Index(numbers, name="row")
    return pd.DataFrame(list(rows), columns=list(COLUMNS), index=index)


def book(count=3) -> EditTable:
    return EditTable(table(*((f"s{n}", f"t{n}") for n in range(1, count + 1))), COLUMNS)


def content(shown: EditTable) -> list[tuple]:
    return [(row, *shown[row]) for row in shown.rows]


def test_rows_are_numbered_from_one_and_keep_their_numbers():
    shown = book()
    assert shown.add([("new", "neu")], after=1) == [4]
    shown.drop([2])
    assert content(shown) == [(1, "s1", "t1"), (4, "new", "neu"), (3, "s3", "t3")]
    assert shown.table.index.tolist() == [1, 4, 3]
    assert shown.table.index.name == "row"
    assert shown.table["source"].tolist() == ["s1", "new", "s3"]
    assert (len(shown), 2 in shown, 4 in shown) == (3, False, True)


def test_a_row_can_go_to_the_top_and_to_the_end():
    shown = book(1)
    shown.add([("a", ""), ("b", "")], after=0)
    shown.add([("c", "")])
    assert [row[1] for row in content(shown)] == ["a", "b", "s1", "c"]


def test_an_index_called_row_numbers_the_rows():
    shown = EditTable(table(("a", ""), ("b", ""), numbers=[7, 3]), COLUMNS)
    assert shown.rows == [7, 3]
    assert shown.add([("c", "")]) == [8]
    assert EditTable(shown.table, COLUMNS).rows == [7, 3, 8]
    with pytest.raises(ValueError, match="duplicate numbers"):
        EditTable(table(("a", ""), ("b", ""), numbers=[3, 3]), COLUMNS)


def test_what_is_new_changed_and_dropped_is_told_from_the_base():
    shown = book()
    shown.write({(1, "target"): "other"})
    (new,) = shown.add([("x", "y")])
    shown.drop([3])
    assert [shown.state(row) for row in (1, 2, new)] == ["changed", "", "new"]
    assert shown.changes == {"new": 1, "changed": 1, "dropped": 1}
    assert shown.dropped == [3]
    assert shown.touched == {1, new}
    shown.write({(1, "target"): "t1"})
    assert shown.state(1) == ""
    assert shown.base["target"].tolist() == ["t1", "t2", "t3"]
    shown.settle()
    assert shown.changes == {"new": 0, "changed": 0, "dropped": 0}
    assert shown.base.index.tolist() == [1, 2, new]
    assert shown.undoable


def test_another_table_can_be_the_base():
    shown = book()
    shown.write({(1, "target"): "mine"})
    shown.settle(table(("s1", "theirs"), ("s2", "t2"), numbers=[1, 2]))
    assert [shown.state(row) for row in (1, 2, 3)] == ["changed", "", "new"]


def test_several_changes_are_one_step():
    shown, heard = book(), []
    shown.listen(heard.append)
    with shown.step("Fix all"):
        shown.write({(1, "source"): "a"})
        shown.write({(1, "source"): "b", (2, "target"): "c"})
        shown.drop([3])
        new = shown.add([("n", "n")], after=2)[0]
        shown.write({(new, "target"): "m"})
    assert shown.undoable == "Fix all"
    assert heard == [TableChange("Fix all", {1: ("b", "t1"), 2: ("s2", "c"), new: ("n", "m")}, {new: 2}, (3,))]
    after = content(shown)
    assert shown.undo() == "Fix all"
    assert content(shown) == content(book())
    assert (shown.undoable, shown.redoable) == ("", "Fix all")
    assert shown.redo() == "Fix all"
    assert content(shown) == after


def test_a_step_that_fails_is_undone_and_not_reported():
    shown, heard = book(), []
    shown.listen(heard.append)
    with pytest.raises(ValueError, match="row 99 is no longer there"):
        shown.write({(1, "source"): "a", (99, "source"): "b"})
    with contextlib.suppress(ZeroDivisionError), shown.step("Break"):
        shown.drop([1, 2])
        shown.add([("x", "y")], after=0)
        raise ZeroDivisionError
    assert content(shown) == content(book())
    assert (heard, shown.undoable) == ([], "")
    assert shown.changes == {"new": 0, "changed": 0, "dropped": 0}


def test_an_edit_that_changes_nothing_is_not_a_step():
    shown, heard = book(), []
    shown.listen(heard.append)
    shown.write({(1, "source"): "s1"})
    shown.drop([99])
    assert shown.add([]) == []
    with shown.step("Back and forth"):
        shown.write({(1, "source"): "a"})
        shown.write({(1, "source"): "s1"})
        shown.drop(shown.add([("x", "y")]))
    assert (heard, shown.undoable) == ([], "")


def test_a_new_step_ends_what_could_be_done_again():
    shown = book()
    shown.write({(1, "source"): "a"})
    shown.undo()
    shown.write({(2, "source"): "b"})
    assert (shown.redoable, shown.redo()) == ("", "")


def test_who_no_longer_listens_is_not_told_and_who_fails_keeps_nobody_from_hearing():
    shown, heard = book(), []
    stop = shown.listen(lambda change: heard.append("first"))
    stop()
    stop()
    shown.listen(lambda change: 1 / 0)
    shown.listen(lambda change: heard.append("last"))
    with pytest.raises(ZeroDivisionError):
        shown.write({(1, "source"): "a"})
    assert heard == ["last"]
    assert (shown[1][0], shown.undoable) == ("a", "Edit")


def test_a_table_is_taken_as_one_step_by_the_numbers_of_its_rows():
    shown, heard = book(), []
    shown.listen(heard.append)
    shown.take(table(("s1", "better"), ("n", "n"), ("s3", "t3"), numbers=[1, 0, 3]))
    assert content(shown) == [(1, "s1", "better"), (4, "n", "n"), (3, "s3", "t3")]
    assert heard == [TableChange("Change", {1: ("s1", "better"), 4: ("n", "n")}, {4: 1}, (2,))]
    shown.take(shown.table.iloc[::-1])
    assert shown.rows == [3, 4, 1]
    assert shown.changes == {"new": 1, "changed": 1, "dropped": 1}
    shown.undo()
    shown.undo()
    assert content(shown) == content(book())
    shown.take(table(("a", "b")))
    assert content(shown) == [(5, "a", "b")]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (7, "7"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("nul\0", "nul\0"),
        ("<b>", "<b>"),
    ],
)
def test_a_cell_is_a_text_that_can_be_sent(cell, text):
    assert text_of(cell) == text
    shown = EditTable(pd.DataFrame({"source": pd.Series([cell], dtype=object), "target": ["x"]}), COLUMNS)
    assert shown[1] == (text, "x")
    shown.write({(1, "target"): cell})
    assert shown[1] == (text, text)
    assert shown.table["target"].tolist() == [text]


def test_an_empty_book_has_its_columns():
    shown = EditTable(pd.DataFrame(columns=list(COLUMNS)), COLUMNS)
    assert shown.table.columns.tolist() == list(COLUMNS)
    assert shown.add([("a", "b")]) == [1]
    shown.drop([1])
    assert (len(shown), len(shown.table)) == (0, 0)


def test_rows_of_another_width_and_columns_that_are_not_there_are_refused():
    shown = book()
    with pytest.raises(ValueError, match="expected 2 cells for a row, found 1"):
        shown.add([("a",)])
    with pytest.raises(ValueError, match="expected a column of source, target"):
        shown.write({(1, "nothing"): "a"})
    with pytest.raises(ValueError, match="row 9 is no longer there"):
        shown.add([("a", "b")], after=9)


TEXTS = st.sampled_from(["", "a", "b", "ü\n\t"])
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(1, 12), st.sampled_from(COLUMNS), TEXTS),
        st.tuples(st.just("add"), st.integers(0, 12), st.integers(1, 7), TEXTS),
        st.tuples(st.just("drop"), st.lists(st.integers(1, 12), max_size=8)),
        st.tuples(st.just("take"), st.permutations(range(1, 7)), st.integers(0, 6), TEXTS),
        st.tuples(st.just("undo")),
        st.tuples(st.just("redo")),
    ),
    max_size=14,
)


def do(shown: EditTable, deed: tuple) -> None:
    match deed:
        case ("write", row, column, text) if row in shown:
            shown.write({(row, column): text})
        case ("add", after, count, text) if after == 0 or after in shown:
            shown.add([(text, text)] * count, after=after)
        case ("drop", rows):
            shown.drop(rows)
        case ("take", rows, count, text):
            shown.take(table(*[(text, f"{row}") for row in rows[:count]], numbers=list(rows[:count])))
        case ("undo",) | ("redo",):
            getattr(shown, deed[0])()


@given(deeds=DEEDS)
def test_whatever_is_done_can_be_undone_and_replayed(deeds):
    shown, other = book(6), book(6)
    shown.listen(lambda change: other.replay(TableChange.from_wire(json.loads(json.dumps(change.to_wire())))))
    for deed in deeds:
        do(shown, deed)
        assert content(other) == content(shown)
        base = {row: cells for row, *cells in content(book(6))}
        now = {row: cells for row, *cells in content(shown)}
        assert shown.new == now.keys() - base.keys()
        assert shown.changed == {row for row in base.keys() & now.keys() if base[row] != now[row]}
        assert shown.dropped == sorted(base.keys() - now.keys())
    after, steps = content(shown), 0
    while shown.undo():
        steps += 1
    assert content(shown) == content(book(6))
    while shown.redo():
        steps -= 1
    # what had been undone before is done again as well
    for _ in range(-steps):
        shown.undo()
    assert content(shown) == after


@pytest.mark.parametrize(
    "change",
    [
        TableChange("x", {99: ("a", "b")}),
        TableChange("x", {}, {5: 1}),
        TableChange("x", {1: ("a", "b")}, {1: 0}),
        TableChange("x", {1: ("a",)}),
    ],
)
def test_a_change_that_does_not_fit_is_refused_whole(change):
    shown = book()
    with pytest.raises(ValueError, match=r"rows that this table does not|expected 2 cells"):
        shown.replay(change)
    assert content(shown) == content(book())


@pytest.mark.parametrize("wire", [{}, {"step": "", "cells": 1, "added": [], "dropped": []}, []])
def test_an_invalid_change_is_a_value_error(wire):
    with pytest.raises(ValueError, match="expected a change"):
        TableChange.from_wire(wire)


def test_steps_of_several_threads_come_one_after_the_other():
    shown, other = book(1), book(1)
    shown.listen(other.replay)

    def work():
        for number in range(50):
            shown.write({(1, "source"): f"{threading.get_ident()} {number}"})
            shown.drop(shown.add([("a", "b")]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert content(other) == content(shown)


@pytest.mark.long
def test_many_scattered_rows_come_back_to_their_places_in_one_pass():
    def work(count):
        shown = book(count)
        before = shown.rows
        shown.drop(range(1, count, 2))
        shown.undo()
        assert shown.rows == before

    assert growth(work, 4_000, 16_000) < LINEAR
