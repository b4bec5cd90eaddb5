import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.columns.changes import MOST_TOKENS, Edit, edits, tokens
from tests.growth import LINEAR, growth

WORDS = st.lists(
    st.sampled_from(["a", "teh", "the", " ", "  ", "\n", "世", "界", ",", "e\u0301", "स्", "ते", "شكرا"]),
    max_size=20,
)


def changed(before, after):
    return [tuple(edit) for edit in edits(before, after) if not edit.same]


@given(st.one_of(st.text(max_size=40), WORDS.map("".join)), st.one_of(st.text(max_size=40), WORDS.map("".join)))
def test_the_sides_joined_are_the_two_texts(before, after):
    found = edits(before, after)
    assert "".join(edit.before for edit in found) == before
    assert "".join(edit.after for edit in found) == after
    assert all(edit.before or edit.after for edit in found)


@given(st.one_of(st.text(max_size=40), WORDS.map("".join)))
def test_tokens_joined_are_the_text_and_the_same_text_has_no_change(text):
    assert "".join(tokens(text)) == text
    assert changed(text, text) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("I recieve it", "I receive it", [("recieve", "receive")]),
        ("teh qick  fox", "the quick fox", [("teh", "the"), ("qick", "quick"), ("  ", " ")]),
        ("it is is good", "it is good", [("is ", "")]),
        ("and teh teh adress now", "and the address now", [("teh teh adress", "the address")]),
        ("good", "It is good", [("", "It is ")]),
        ("We saw it", "Our team saw it", [("We", "Our team")]),
        ("We can go", "Let us leave", [("We can go", "Let us leave")]),
        ("Don't stop", "Do not stop", [("Don't", "Do not")]),
        ("東京都に行った", "京都に行った", [("東", "")]),
        ("한국 사람이다", "한국 사람입니다", [("사람이다", "사람입니다")]),
        ("नमस्ते दुनिया", "नमस्ते संसार", [("दुनिया", "संसार")]),
        ("cafe\u0301 noir", "cafe noir", [("cafe\u0301", "cafe")]),
        ("👩‍👩‍👧 ok", "👩‍👩‍👦 ok", [("👩‍👩‍👧", "👩‍👩‍👦")]),
    ],
)
def test_words_change_whole_and_scripts_without_spaces_by_character(before, after, expected):
    assert changed(before, after) == expected


def test_an_emptied_and_a_new_text_are_one_change():
    assert edits("", "") == []
    assert edits("a b", "") == [Edit("a b", "")]
    assert edits("", "a b") == [Edit("", "a b")]


def test_of_a_giant_text_only_what_lies_around_a_change_is_looked_at():
    words = [f"w{place}" for place in range(MOST_TOKENS * 3)]
    assert changed(" ".join(words), " ".join([*words[:900], "x", *words[901:]])) == [("w900", "x")]


def test_changes_too_far_apart_are_one_and_cost_no_more_than_their_length():
    def compare(count):
        between = " ".join(f"w{place}" for place in range(count))
        assert len(changed(f"a {between} b", f"y {between} z")) == 1

    assert growth(compare, 6_000, 24_000) < LINEAR


def test_texts_with_hardly_a_word_in_its_place_are_compared():
    size = MOST_TOKENS // 2
    before, after = ([f"w{place * step % (size - 1)}" for place in range(size)] for step in (1, 7))
    assert changed(" ".join(before), " ".join(after))
