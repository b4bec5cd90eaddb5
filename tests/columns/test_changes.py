import html
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.changes import Changes, changes, changes_of_columns, edits, marked, plain
from tests.growth import growth

BEFORE = pd.Series(["teh shoes", "fine", None, "it  is"], index=["a", "b", "b", "c"])
AFTER = pd.Series(["the shoes", "fine", None, "it is"], index=["a", "b", "b", "c"])


def test_only_rows_that_changed_are_there_under_their_labels():
    found = changes(BEFORE, AFTER)
    assert found.index.tolist() == ["a", "c"]
    assert found["before"].tolist() == ["teh shoes", "it  is"]
    assert found["after"].tolist() == ["the shoes", "it is"]
    assert found.said == "2 of 4 texts changed; 1 row had nothing to compare."


def test_plain_text_marks_what_was_removed_and_added():
    assert repr(changes(BEFORE, AFTER)).splitlines() == [
        "a: [-teh-]{+the+} shoes",
        "c: it[-··-]{+·+}is",
        "",
        "2 of 4 texts changed; 1 row had nothing to compare.",
    ]


def test_html_marks_by_line_as_well_as_by_colour():
    shown = changes(BEFORE, AFTER)._repr_html_()
    assert re.search(r"<del [^>]*line-through[^>]*>teh</del><ins [^>]*underline[^>]*>the</ins> shoes", shown)
    assert shown.endswith("<p>2 of 4 texts changed; 1 row had nothing to compare.</p></div>")


def test_where_nothing_changed_a_line_says_so():
    found = changes(AFTER, AFTER)
    assert len(found) == 0
    assert repr(found) == found.said == "0 of 4 texts changed; 1 row had nothing to compare."
    assert found._repr_html_() == f"<p>{found.said}</p>"
    assert len(found.words()) == 0


def test_an_index_and_empty_columns_are_compared_too():
    assert repr(changes(pd.Index(["teh"]), pd.Index(["the"]))).startswith("0: [-teh-]{+the+}")
    assert changes(pd.Series([], dtype=object), pd.Series([], dtype=object)).said == "0 of 0 texts changed."


def test_columns_of_a_frame_are_named():
    before = pd.DataFrame({"title": ["teh"], "text": ["fine"], "rating": [5]})
    after = pd.DataFrame({"title": ["the"], "text": ["good"]})
    found = before.svc.changes(after)
    assert list(found.columns) == ["column", "before", "after"]
    assert repr(found).splitlines()[:2] == ["0 title: [-teh-]{+the+}", "0 text: [-fine-]{+good+}"]
    assert found._repr_html_().count("<td") == 6


@pytest.mark.parametrize(
    ("before", "after", "error", "said"),
    [
        (["a", "b"], ["a"], ValueError, "as many texts in both"),
        (pd.Series(["a"], index=[1]), pd.Series(["b"], index=[2]), ValueError, "different row labels"),
        (pd.Series([1]), pd.Series(["b"]), TypeError, "before, row 0"),
        (pd.Series(["b"]), "b", TypeError, "after: expected a column"),
    ],
)
def test_columns_that_do_not_fit_are_refused(before, after, error, said):
    with pytest.raises(error, match=said):
        changes(before, after)


def test_a_frame_with_another_column_is_refused():
    with pytest.raises(KeyError, match="other"):
        changes_of_columns(pd.DataFrame({"a": ["x"]}), pd.DataFrame({"other": ["x"]}))
    with pytest.raises(TypeError, match="frame"):
        changes_of_columns(pd.DataFrame({"a": ["x"]}), pd.Series(["x"]))


def test_the_words_are_counted():
    found = changes(["teh a", "teh b", "it  is"], ["the a", "the b", "it is"]).words()
    assert found[["before", "after", "count", "row"]].values.tolist() == [
        ["teh", "the", 2, 0],
        ["  ", " ", 1, 2],
    ]
    assert found.said == "3 changes."


def test_texts_are_never_html_nor_obeyed_by_a_terminal():
    hostile = "<script>alert(1)</script> & \x1b[31m \u202e x"
    found = changes(pd.Series([hostile], index=["<b>"]), pd.Series([hostile + " <img src=x onerror=y>"], index=["<b>"]))
    shown = found._repr_html_()
    assert {*re.findall(r"<(\w+)", shown)} <= {
        "div",
        "table",
        "thead",
        "tr",
        "th",
        "tbody",
        "td",
        "ins",
        "del",
        "p",
    }
    assert not re.search("[\x1b\u202e]", shown + repr(found))
    assert "⟨U+001B⟩" in repr(found)


@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=30))
def test_any_two_texts_are_shown_in_html_that_says_no_more(before, after):
    shown = marked(edits(before, after))
    shown.encode()
    tags = re.findall(r"</?(\w+)[^>]*>", shown)
    assert {*tags} <= {"ins", "del"}
    plain(edits(before, after)).encode()
    kept = html.unescape(re.sub(r"<(ins|del) .*?</\1>", "", shown, flags=re.DOTALL))
    assert all(letter in before + after or letter in "…⟨⟩U+0123456789ABCDEF" for letter in kept)


def test_a_word_from_right_to_left_keeps_its_marks_at_its_ends():
    assert plain(edits("شكرا لكم", "شكراً لكم")) == "[-\u2068شكرا\u2069-]{+\u2068شكراً\u2069+} لكم"
    assert "<td dir='auto'" in changes(["شكرا"], ["شكراً"])._repr_html_()


@pytest.mark.long
def test_long_texts_and_many_rows_are_shown_in_part():
    long = "word " * 10_000
    few, many = (changes([f"{long}teh {long}"] * rows, [f"{long}the {long}"] * rows) for rows in (125, 500))
    shown, plainly = many._repr_html_(), repr(many)
    assert shown.count("<tr>") == 1 + 60 + 1
    assert len(shown) < 60_000
    assert max(map(len, plainly.splitlines())) < 200
    assert "…" in plainly
    assert "⋮" in plainly
    assert "[-teh-]{+the+}" in plainly
    assert growth(lambda found: (found._repr_html_(), repr(found)), few, many) < 2  # the others cost nothing


def test_it_is_a_table_in_all_other_respects():
    found = changes(BEFORE, AFTER)
    assert isinstance(found, Changes)
    assert type(found[found["after"] == "it is"]) is pd.DataFrame


def test_a_row_is_one_line_in_plain_text():
    found = changes(pd.Series(["a\nb teh\r\nc"], index=["x\ny"]), pd.Series(["a\nb the\r\nc\u2028"], index=["x\ny"]))
    assert len(repr(found).splitlines()) == 3
    assert "a↵b [-teh-]{+the+}" in repr(found)


def test_half_of_a_surrogate_pair_is_shown_by_its_number():
    before, after = (pd.Series([f"{word} \ud83d end"], dtype=object) for word in ("teh", "the"))
    found = changes(before, after)
    assert repr(found).splitlines()[0] == "0: [-teh-]{+the+} ⟨U+D83D⟩ end"
    assert found.words()["count"].tolist() == [1]


@pytest.mark.parametrize("wrong", [None, 3, "text"])
def test_what_is_not_a_column_is_refused(wrong):
    with pytest.raises(TypeError, match="after: expected a column of texts"):
        changes(BEFORE, wrong)
