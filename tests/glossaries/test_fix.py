"""Fix mends what is safe to mend, says what it did, and leaves the rest alone."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.fix import fix, fixes, suspects
from svc_nb.glossaries.lint import lint
from svc_nb.tabular.cells import cleaned, evened
from svc_nb.tabular.terms import made
from tests.glossaries.drawn import cells, tables

SAFE = {"edge_space", "control", "decomposed", "region", "duplicate"}


@given(tables())
def test_safe_fixes_are_applied_and_fixing_again_changes_nothing(table):
    mended = fix(table)
    assert not SAFE & set(lint(mended)["code"])
    pd.testing.assert_frame_equal(pd.DataFrame(fix(mended)), pd.DataFrame(mended))


def test_a_language_that_is_written_as_its_name_becomes_its_code():
    fixed = fix(
        made(["English", "EN", "Klingon"], ["Deutsch", "German (Austria)", "DE"], ["a", "b", "c"], ["d", "e", "f"])
    )
    assert fixed["source_lang"].tolist() == ["EN", "EN", "Klingon"]
    assert fixed["target_lang"].tolist() == ["DE", "DE", "DE"]


@given(tables())
def test_keeping_the_first_leaves_no_term_twice(table):
    for keep in ("first", "last"):
        assert not {"duplicate", "conflict"} & set(lint(fix(table, keep=keep))["code"])


@given(tables())
def test_rows_that_stay_keep_their_labels_and_other_columns(table):
    noted = table.assign(note=[f"note {row}" for row in range(len(table))])
    noted.index = pd.Index([f"row {row}" for row in range(len(table))])
    mended = fix(noted)
    assert [label.removeprefix("row ") for label in mended.index] == [
        note.removeprefix("note ") for note in mended["note"]
    ]
    assert list(mended.columns) == list(noted.columns)
    assert len(noted) == len(table)


def test_the_fixed_table_and_the_changes_are_reported():
    table = made(
        ["DE", "de", "de"],
        ["EN-GB", "en", "en"],
        ["\ufeffHaus", "Haus", " Zelt\n"],
        ["house", "house", "tent"],
    )
    mended = fix(table)
    assert mended.to_numpy().tolist() == [["DE", "EN", "Haus", "house"], ["DE", "EN", "Zelt", "tent"]]
    assert mended.said == (
        "Fixed 1 target_lang, 2 sources; dropped 1 duplicate. The service will accept the table. "
        "Next: svc_nb.glossaries.push(table, name)."
    )
    changes = fixes(table)
    assert changes["row"].tolist() == [0, 0, 2, 1]
    assert changes["after"].fillna("-").tolist() == ["EN", "Haus", "Zelt", "-"]


def test_conflicts_are_left_unless_keep_says_which_target_stays():
    table = made("de", "en", ["a", "a", "a", "b"], ["x", "y", "x", "z"])
    assert "1 error left for you to fix" in fix(table).said
    assert fix(table)["target"].tolist() == ["x", "y", "z"]
    assert fix(table, keep="first")["target"].tolist() == ["x", "z"]
    assert fix(table, keep="last")["target"].tolist() == ["x", "z"]
    assert fix(table[:2], keep="last")["target"].tolist() == ["y"]


def test_half_empty_rows_stay_and_empty_ones_go():
    table = made("de", "en", ["a", "", " "], ["", "", "\n"])
    assert fix(table).to_numpy().tolist() == [["DE", "EN", "a", ""]]


def test_a_clean_table_is_given_back_as_it_is():
    table = made("de", "en", ["a"], ["b"])
    assert fix(table).said.startswith("Nothing to fix. The service will accept the table")
    pd.testing.assert_frame_equal(pd.DataFrame(fix(table)), table)
    assert fixes(table).said == "Nothing to fix."
    assert fix(made([], [], [], [])).empty


def test_the_table_given_is_never_changed():
    table = made("de", "EN-GB", [" a"], ["b"])
    fix(table)
    assert table.iloc[0].tolist() == ["DE", "EN-GB", " a", "b"]


def test_signs_that_mean_something_are_not_taken_away():
    table = made("fa-IR", "en", ["می\u200cخواهم"], ["I\u202a want"])
    assert fix(table)["source"].tolist() == ["می\u200cخواهم"]
    assert fix(table)["target"].tolist() == ["I\u202a want"]


def test_an_unknown_way_to_keep_is_refused():
    with pytest.raises(ValueError, match='expected "first" or "last"'):
        fix(made("de", "en", ["a"], ["b"]), keep="best")


def test_categories_are_fixed_too():
    table = made("de", "en", [" a"], ["b"]).astype("category")
    assert fix(table)["source"].tolist() == ["a"]


def test_spaces_within_a_source_become_plain_and_those_of_a_target_stay():
    table = made("en", "fr", ["tent\u00a0peg  bag"], ["sac\u00a0: rouge"])
    assert fix(table)[["source", "target"]].iloc[0].tolist() == ["tent peg bag", "sac\u00a0: rouge"]


@given(st.lists(cells, max_size=6))
def test_no_text_that_cleaning_would_change_is_passed_over(texts):
    suspected = suspects(TextArray(texts)).tolist()
    assert all(mark or evened(cleaned(text)) == text for mark, text in zip(suspected, texts, strict=True))
