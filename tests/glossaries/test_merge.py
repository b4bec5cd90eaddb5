"""Three-way merges: what one side changed is taken over, what both changed differently is told and left alone."""

from __future__ import annotations

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import given, settings

from svc_nb.errors import InvalidRows
from svc_nb.glossaries.diff import merge
from svc_nb.tabular.terms import COLUMNS, made

words = st.sampled_from(["a", "b", "c", "d"])
glossaries = st.dictionaries(st.tuples(st.sampled_from(["DE", "FR"]), words), words, max_size=8)


def table_of(terms):
    return made("en", [pair for pair, _ in terms], [source for _, source in terms], list(terms.values()))


def terms_of(table):
    return {(row.target_lang, row.source): row.target for row in table.itertuples(index=False)}


def merged(base, mine, theirs, **rest):
    return merge(table_of(base), table_of(mine), table_of(theirs), **rest)


def clashes(found):
    """The conflicts as a dictionary from term to the three targets, with None for an absent one."""
    rows = [[None if pd.isna(cell) else cell for cell in row] for row in found.conflicts.itertuples(index=False)]
    return {(row[1], row[2]): tuple(row[3:]) for row in rows}


@pytest.mark.long
@given(glossaries, glossaries)
@settings(max_examples=20)
def test_what_only_one_side_changed_is_taken_over(base, changed):
    for found in (merged(base, base, changed), merged(base, changed, base), merged(base, changed, changed)):
        assert terms_of(found.table) == changed
        assert found.conflicts.empty


@given(glossaries, glossaries)
@settings(max_examples=20)
def test_my_rows_stay_in_my_order_where_no_one_else_changed_any(base, mine):
    assert list(terms_of(merged(base, mine, base).table).items()) == list(mine.items())


@pytest.mark.long
@given(glossaries, glossaries, glossaries)
@settings(max_examples=20)
def test_the_sides_can_be_exchanged(base, mine, theirs):
    found, other = merged(base, mine, theirs), merged(base, theirs, mine)
    assert terms_of(found.table) == terms_of(other.table)
    assert clashes(found) == {term: (old, b, a) for term, (old, a, b) in clashes(other).items()}
    assert terms_of(merged(base, mine, theirs, prefer="mine").table) == terms_of(
        merged(base, theirs, mine, prefer="theirs").table
    )


@given(glossaries, glossaries, glossaries)
@settings(max_examples=20)
def test_every_term_is_right_or_in_conflict(base, mine, theirs):
    found = merged(base, mine, theirs)
    conflicts = clashes(found)
    table = terms_of(found.table)
    for term in {*base, *mine, *theirs}:
        old, ours, other = (side.get(term) for side in (base, mine, theirs))
        if ours == other or other == old:
            assert table.get(term) == ours
        elif ours == old:
            assert table.get(term) == other
        else:
            assert conflicts.pop(term) == (old, ours, other)
            assert table.get(term) == old
    assert conflicts == {}


@pytest.mark.long
@given(glossaries, glossaries, glossaries)
@settings(max_examples=20)
def test_a_preference_leaves_no_conflict(base, mine, theirs):
    open_ones = clashes(merged(base, mine, theirs))
    for prefer, place in (("mine", 1), ("theirs", 2)):
        found = merged(base, mine, theirs, prefer=prefer)
        assert found.conflicts.empty
        assert {term: terms_of(found.table).get(term) for term in open_ones} == {
            term: targets[place] for term, targets in open_ones.items()
        }


def test_a_conflict_is_a_row_with_the_targets_of_all_three():
    base = made("en", "de", ["a", "b"], ["A", "B"])
    mine = made("en", "de", ["a"], ["mine"], index=pd.Index(["my label"]))
    theirs = made("en", "de", ["a", "b"], ["theirs", "other"])
    found = merge(base, mine, theirs)
    assert list(found.conflicts.columns) == ["source_lang", "target_lang", "source", "base", "mine", "theirs"]
    assert clashes(found) == {("DE", "a"): ("A", "mine", "theirs"), ("DE", "b"): ("B", None, "other")}
    assert found.rows == ["my label"]
    assert found.said.startswith("2 terms merged; 2 conflicts, left as in the base. Next: resolve them")
    assert "theirs" in repr(found)
    assert "<td" in found._repr_html_()


def test_a_merge_without_conflicts_shows_its_table():
    table = made("en", "de", ["<b>"], ["B"])
    found = merge(table, table, table)
    assert "no conflicts. Next: svc_nb.glossaries.push" in repr(found)
    assert "&lt;b&gt;" in found._repr_html_()


def test_further_columns_stay_with_their_rows_and_mine_win():
    base = made("en", "de", ["a", "b"], ["A", "B"])
    mine = base.assign(note=["my a", "my b"], number=[1, 2])
    theirs = made("en", "de", ["a", "b", "c"], ["A", "B", "C"]).assign(
        note=["their a", "their b", "their c"], owner=["x", "y", "z"]
    )
    table = merge(base, mine, theirs).table
    assert list(table.columns) == [*COLUMNS, "note", "number", "owner"]
    assert table["note"].tolist() == ["my a", "my b", "their c"]
    assert table["number"].tolist()[:2] == [1, 2]
    assert pd.isna(table["number"].iloc[2])
    assert table["owner"].tolist() == ["x", "y", "z"]


def test_columns_keep_their_types_where_no_row_came_from_elsewhere():
    base = made("en", "de", ["a", "b"], ["A", "B"])
    mine = base.assign(count=[1, 2], when=pd.to_datetime(["2026-01-01", "2026-01-02"]))
    theirs = made("en", "de", ["a", "b"], ["A", "Z"]).assign(count=["one", "two"])
    table = merge(base, mine, theirs).table
    assert table["count"].dtype == mine["count"].dtype
    assert table["when"].dtype == mine["when"].dtype
    assert table["target"].tolist() == ["A", "Z"]
    assert table.index.equals(pd.RangeIndex(2))


def test_a_column_of_two_types_holds_both():
    base = made("en", "de", [], [])
    mine = made("en", "de", ["a"], ["A"]).assign(note=[1])
    theirs = made("en", "de", ["b"], ["B"]).assign(note=["text"])
    assert merge(base, mine, theirs).table["note"].tolist() == [1, "text"]


def test_a_region_stays_as_it_was_written():
    base = made("en", "de", ["a"], ["A"])
    mine = made("EN-GB", "de", ["a"], ["B"])
    assert merge(base, mine, base).table["source_lang"].tolist() == ["EN-GB"]


def test_wrong_arguments_say_what_is_expected():
    table = made("en", "de", ["a"], ["A"])
    with pytest.raises(ValueError, match='prefer: expected "mine", "theirs" or None, found \'base\''):
        merge(table, table, table, prefer="base")
    with pytest.raises(InvalidRows, match="the table 'theirs' has 'a' more than once"):
        merge(table, table, made("en", "de", ["a", "a"], ["A", "B"]))
    doubled = pd.concat(
        [table, table[["source"]].set_axis(["n"], axis=1), table[["source"]].set_axis(["n"], axis=1)], axis=1
    )
    with pytest.raises(ValueError, match="two columns called 'n'"):
        merge(table, doubled, table)
