"""Two tables of terms compared: what is told is all that differs, whatever the order, the labels and the types."""

from __future__ import annotations

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import given

from svc_nb.errors import InvalidRows
from svc_nb.glossaries.diff import diff, within
from svc_nb.tabular.terms import made
from tests.growth import LINEAR, growth

HOSTILE = [
    "<script>alert(1)</script>",
    "{0}",
    "%s",
    "$x$",
    "=1+1",
    "مرحبا",
    "👍🏽",
    "a\x00b",
    "x" * 5000,
    " ",
    "",
]
COLUMNS = ["change", "source_lang", "target_lang", "source", "target_before", "target"]

languages = st.sampled_from(["EN", "DE", "FR"])
words = st.sampled_from(["a", "b", "c", "A", "ä", "<b>", "{0}", "日本"])
glossaries = st.dictionaries(st.tuples(languages, languages, words), words, max_size=12)


def table_of(terms, index=None):
    rows = [(source_lang, target_lang, source) for source_lang, target_lang, source in terms]
    columns = [list(each) for each in zip(*rows, strict=True)] if rows else [[], [], []]
    return made(*columns, list(terms.values()), index=index)


def terms_of(table):
    return {(row.source_lang, row.target_lang, row.source): row.target for row in table.itertuples(index=False)}


def told(found):
    """The rows of a diff, with None for gaps."""
    return [[None if pd.isna(cell) else cell for cell in row] for row in found.itertuples(index=False)]


def test_what_was_added_changed_and_removed_is_reported_with_the_target_before():
    old = made("en", "de", ["house", "tree", "cat"], ["Haus", "Baum", "Katze"])
    new = made("en", "de", ["dog", "tree", "house"], ["Hund", "Bäume", "Haus"])
    found = diff(old, new)
    assert list(found.columns) == COLUMNS
    assert told(found) == [
        ["added", "EN", "DE", "dog", None, "Hund"],
        ["changed", "EN", "DE", "tree", "Baum", "Bäume"],
        ["removed", "EN", "DE", "cat", "Katze", None],
    ]
    assert found.said == "1 added, 1 changed, 1 removed in 1 pair. Next: svc_nb.glossaries.push(...)"
    assert found.counts() == {("EN", "DE"): {"added": 1, "changed": 1, "removed": 1}}


def test_rows_stand_pair_by_pair():
    old = made("en", ["de", "fr"], ["a", "a"], ["x", "x"])
    new = made("en", ["fr", "de", "fr", "de"], ["b", "b", "a", "a"], ["y", "y", "z", "x"])
    assert [(row[0], row[2], row[3]) for row in told(diff(old, new))] == [
        ("added", "DE", "b"),
        ("added", "FR", "b"),
        ("changed", "FR", "a"),
    ]


@given(glossaries, glossaries)
def test_the_older_table_with_the_differences_applied_is_the_newer_one(old, new):
    patched = dict(old)
    for change, *term, before, target in told(diff(table_of(old), table_of(new))):
        assert patched.get(tuple(term)) == before
        if change == "removed":
            del patched[tuple(term)]
        else:
            patched[tuple(term)] = target
    assert patched == new


@given(glossaries, glossaries)
def test_the_other_way_round_added_is_removed_and_before_is_now(old, new):
    swapped = {"added": "removed", "removed": "added", "changed": "changed"}
    there = {tuple(row) for row in told(diff(table_of(old), table_of(new)))}
    back = {
        (swapped[change], *term, target, before)
        for change, *term, before, target in map(tuple, told(diff(table_of(new), table_of(old))))
    }
    assert there == back


@given(glossaries, st.randoms())
def test_neither_order_nor_labels_nor_further_columns_make_a_difference(terms, random):
    table = table_of(terms, index=pd.Index(["same"] * len(terms)))
    order = list(range(len(table)))
    random.shuffle(order)
    assert diff(table.assign(note="x"), table.iloc[order]).empty


def test_equal_tables_say_so():
    table = made("en", "de", ["a", "b"], ["A", "B"])
    assert repr(diff(table, table)) == "No difference in 2 terms."


def test_a_region_or_capitals_make_no_other_pair():
    old = made("en", "pt", ["a"], ["A"])
    new = made("EN-GB", "pt_BR", ["a"], ["B"])
    assert told(diff(old, new)) == [["changed", "EN", "PT", "a", "A", "B"]]


def test_a_language_that_the_service_does_not_have_is_compared_as_it_is_written():
    found = diff(made("en", "tlh", ["a"], ["A"]), made("EN", " TLH", ["a", "b"], ["A", "B"]))
    assert told(found) == [["added", "EN", "TLH", "b", None, "B"]]


@pytest.mark.parametrize("dtype", [object, "category", "string"])
def test_columns_of_any_kind_of_text_are_compared(dtype):
    old = made("en", "de", ["a", "b"], ["A", None])
    new = made("en", "de", ["b", "a"], [None, "B"]).astype(dtype)
    assert told(diff(old, new)) == [["changed", "EN", "DE", "a", "A", "B"]]


def test_a_gap_is_a_target_like_any_other():
    found = diff(made("en", "de", ["a"], [None]), made("en", "de", ["a"], ["A"]))
    assert told(found) == [["changed", "EN", "DE", "a", None, "A"]]


@pytest.mark.parametrize("text", [*HOSTILE, "half \ud800"])
def test_any_text_is_compared_and_shown_as_it_is(text):
    table = pd.DataFrame(
        {"source_lang": ["en"], "target_lang": ["de"], "source": ["a"], "target": [text]}, dtype=object
    )
    found = diff(made("en", "de", ["a"], ["A"]), table)
    assert found["target"].tolist() == [text]
    assert diff(table, table).empty


def test_html_is_coloured_and_shows_markup_as_text():
    old = made("en", "de", ["a", "b"], ["A", "B"])
    new = made("en", "de", ["a", "<script>"], ["Z", "C"])
    html = diff(old, new)._repr_html_()
    assert html.count("style='background") == 3
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_term_that_appears_twice_is_refused_with_its_rows():
    twice = made("en", ["de", "fr", "DE"], ["a", "a", "a"], ["A", "A", "B"], index=pd.Index(["x", "y", "z"]))
    fine = made("en", "de", ["a"], ["A"])
    with pytest.raises(InvalidRows, match=r"the table has 'a' more than once for EN → DE .*\.svc\.lint") as caught:
        diff(fine, twice)
    assert caught.value.rows == ["x", "z"]
    with pytest.raises(InvalidRows, match="the older table"):
        diff(twice, fine)


def test_what_is_no_table_of_terms_is_refused():
    with pytest.raises(ValueError, match="has no target_lang"):
        diff(made("en", "de", ["a"], ["A"]), pd.DataFrame({"source_lang": [], "source": [], "target": []}))
    with pytest.raises(TypeError, match="expected text, found int"):
        diff(made("en", "de", ["a"], ["A"]), made("en", "de", ["a"], ["A"]).assign(source=[5]))


def test_the_cost_of_a_comparison_grows_with_the_rows_and_no_faster():
    def versions(count):
        terms, targets = ([f"{word} {row}" for row in range(count)] for word in ("term", "Begriff"))
        old = made("en", "de", terms, targets)
        return old, old.iloc[::-1].assign(target=old["target"].where(old.index % 100 > 0, "anders"))

    small, large = versions(4_000), versions(16_000)
    assert diff(*large).counts()[("EN", "DE")]["changed"] == 160
    assert growth(lambda both: diff(*both), small, large) < LINEAR


def test_the_rows_of_some_pairs_are_taken_as_the_pairs_are_meant():
    table = made(["EN-GB", "en", "en"], ["de", "fr", "DE"], ["a", "b", "c"], ["A", "B", "C"])
    assert within(table, {("EN", "DE")})["source"].tolist() == ["a", "c"]
    assert within(table, set()).empty
    assert within(table.iloc[:0], {("en", "de")}).empty
