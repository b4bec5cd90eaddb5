"""The findings of a table that is edited are at any time those of its lint."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks.service_terms import MOST_GLOSSARY_BYTES
from svc_nb.checks.term_arrays import TermArrays
from svc_nb.glossaries.lint import findings
from svc_nb.glossaries.live_lint import Live, RowSums, TermFinding
from svc_nb.tabular.terms import COLUMNS, made

LANGUAGES = ["de", "en", "DE", "en-GB", "pt_BR", "xx", "English", ""]
# So few that sources repeat, differ in case only, and are each other's targets.
TERMS = [
    "a", "b", "A", "ａ", "é", "e\u0301", "É", "ab", "a b", "a  b", "a\u00a0b", " a", "a ", "", "a\tb", "\u200b",
    "a\u200b", "a\nb", "=a", "a 1", "a 2", "{a}", "\u0130", "ß", "ss", "x" * 1025, "a\ud800", "\u2028",
]  # fmt: skip
terms = st.one_of(st.sampled_from(["a", "b", "A", "c"]), st.sampled_from(TERMS), st.text("ab", max_size=2))
pairs = st.one_of(
    st.sampled_from([("de", "en"), ("en", "de"), ("DE", "en-GB")]),
    st.tuples(st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES)),
)
cells = st.builds(lambda pair, source, target: (*pair, source, target), pairs, terms, terms)
numbers = st.integers(1, 12)
tables = st.dictionaries(numbers, cells, max_size=10)
edits = st.tuples(st.dictionaries(numbers, cells, max_size=4), st.sets(numbers, max_size=3))


def table_of(rows: dict[int, tuple[str, ...]]) -> pd.DataFrame:
    columns = [list(column) for column in zip(*rows.values(), strict=True)] or [[], [], [], []]
    return made(*columns, index=pd.Index(list(rows), dtype="int64"))


def linted(rows: dict[int, tuple[str, ...]]) -> dict[int, list[TermFinding]]:
    """What lint finds about each row, but for its notes."""
    found: dict[int, list[TermFinding]] = {row: [] for row in rows}
    table = table_of(rows).sort_index()
    for row, _, column, *told in findings(TermArrays(table)).table(table.index, places=True).itertuples(index=False):
        if told[0] != "info":
            found[row].append(TermFinding(*told, column))
    return found


def agrees(live: Live, rows: dict[int, tuple[str, ...]]) -> dict[int, list[TermFinding]]:
    expected = linted(rows)
    assert {row: live.of(row) for row in rows} == expected
    assert {row: live.of(row) for row in range(1, 13) if row not in rows} == {
        row: [] for row in range(1, 13) if row not in rows
    }
    for severity in ("error", "warning"):
        having = {row for row, found in expected.items() if any(each.severity == severity for each in found)}
        assert live.rows(severity) == having
        assert live.counts[severity] == sum(each.severity == severity for found in expected.values() for each in found)
    return expected


def word(number: int) -> str:
    """Four letters for a number: digits on one side only would be a finding."""
    return "".join(chr(ord("a") + number // 26**place % 26) for place in range(4))


def without_places(found: list[TermFinding]) -> list[tuple[str, ...]]:
    return [(*each[:2], each.message.partition(": the service would say")[0], each.suggestion) for each in found]


@pytest.mark.long
@given(tables, st.lists(edits, max_size=6))
def test_after_any_edits_the_findings_are_those_of_lint(rows, edits):
    live = Live(table_of(rows))
    before = agrees(live, rows)
    for written, dropped in edits:
        changed = live.change(written, dropped)
        rows = {row: texts for row, texts in {**rows, **written}.items() if row not in dropped}
        after = agrees(live, rows)
        assert changed == {row for row in rows if without_places(before.get(row, [])) != without_places(after[row])}
        before = after


def test_an_edit_tells_which_other_rows_it_touched():
    live = Live(table_of({1: ("de", "en", "Haus", "house"), 2: ("de", "en", "Zelt", "tent")}))
    assert live.change({3: ("de", "en", "Haus", "home")}) == {3}
    assert [found.code for found in live.of(3)] == ["conflict"]
    assert live.change({1: ("de", "en", "Heim", "house")}) == {3}
    assert live.of(3) == []
    assert live.change({1: ("de", "en", "Heim", "Zelt")}) == {1}
    assert live.change({}, dropped=[2]) == {1}
    assert not live.counts


def test_the_places_that_a_message_names_follow_every_edit_above():
    live = Live(table_of({row: ("de", "en", source, "x") for row, source in enumerate(["a", "b", "c", "b"], start=1)}))
    assert "index 3 (starting at position 12) duplicates key with the index 1" in live.of(4)[0].message
    assert live.change({1: ("de", "en", "aaa", "x")}) == set()
    assert "index 3 (starting at position 14) duplicates key with the index 1" in live.of(4)[0].message
    assert live.change({}, dropped=[1]) == set()
    assert "index 2 (starting at position 8) duplicates key with the index 0" in live.of(4)[0].message


def test_a_second_language_pair_is_named_by_all_duplicates():
    rows = {1: ("de", "en", "a", "x"), 2: ("de", "en", "a", "x"), 3: ("de", "en", "b", "y")}
    live = Live(table_of(rows))
    assert live.change({3: ("de", "fr", "b", "y")}) == {2}
    assert "already in row 1 for DE to EN" in live.of(2)[0].message
    assert live.change({3: ("de", "en", "b", "y")}) == {2}
    agrees(live, rows)


@pytest.mark.long
def test_a_glossary_that_becomes_too_large_is_reported_at_the_row_where_it_does():
    term = "é" * 500
    rows = {row: ("de", "en", f"{word(row)}{term}", term) for row in range(1, MOST_GLOSSARY_BYTES // 2006)}
    live = Live(table_of(rows))
    assert not live.counts
    new = {len(rows) + number: ("de", "en", f"new {word(number)} {term}", term) for number in range(1, 20)}
    (first,) = live.change(new)
    rows |= new
    assert live.of(first) == linted(rows)[first]
    assert live.of(first)[0].code == "too_large"
    longer = {1: ("de", "en", f"{word(1)}{term}!!{'x' * 10}", term)}
    assert first in live.change(longer)
    rows |= longer
    assert {row for row, found in linted(rows).items() if found} == live.rows("error")
    assert live.of(first) == linted(rows)[first]
    assert live.change({}, dropped=list(new)) == set()
    assert not live.counts


def test_one_source_in_thousands_of_rows_is_linted_as_a_whole_only_when_its_first_row_changes():
    rows = {row: ("de", "en", "a", word(row)) for row in range(1, 2001)}
    live = Live(table_of(rows))
    assert live.change({1500: ("de", "en", "a", "other")}) == set()
    assert live.change({2000: ("de", "en", "A", "other")}) == {2000}
    assert len(live.change({1: ("de", "en", "a", "first")})) == 1998
    assert len(live.change({}, dropped=range(1, 1501))) == 500
    assert live.counts == {"error": 498, "warning": 1}


def test_rows_need_numbers_of_their_own():
    with pytest.raises(ValueError, match="duplicates"):
        Live(made("de", "en", ["a", "b"], ["x", "y"], index=pd.Index([1, 1])))
    with pytest.raises(ValueError, match="has no target"):
        Live(made("de", "en", ["a"], ["x"])[list(COLUMNS[:3])])


def test_gaps_are_empty_texts():
    live = Live(made("de", "en", ["a", None], ["x", "y"], index=pd.Index([1, 2])))
    assert [found.code for found in live.of(2)] == ["empty"]
    assert live.change({2: ("de", "en", "", "y")}) == set()


@given(
    st.dictionaries(st.integers(0, 2000), st.integers(0, 50)),
    st.sets(st.integers(0, 2000)),
    st.integers(0, 2000),
)
def test_sums_are_those_of_the_rows_that_are_left(values, gone, row):
    sums = RowSums()
    for other, value in values.items():
        sums.put(other, value)
    for other in gone & values.keys():
        sums.drop(other)
    left = {other: value for other, value in values.items() if other not in gone}
    before = [value for other, value in left.items() if other < row]
    assert (sums.total, sums.before(row)) == (sum(left.values()), (len(before), sum(before)))
    if left.get(row):
        assert sums.reaching(sum(before) + left[row]) == row
