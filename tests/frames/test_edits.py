import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.frames.edits import MOST_TOKENS, Edit, edits, tokens

WORDS = st.lists(
    st.sampled_from(["a", "teh", "the", " ", "  ", "\n", "世", "界", ",", "e\u0301", "स्", "ते", "شكرا"]),
    max_size=20,
)


def changed(before, after):
    return [tuple(edit) for edit in edits(before, after) if not edit.same]


@given(
    st.one_of(st.text(max_size=40), WORDS.map("".join)), st.one_of(st.text(max_size=40), WORDS.map("".join))
)
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


def test_giant_texts_are_compared_in_bounded_time():
    words = [f"w{place}" for place in range(MOST_TOKENS * 3)]
    before, one_word = " ".join(words), " ".join([*words[:900], "x", *words[901:]])
    start = time.process_time()
    assert changed(before, one_word) == [("w900", "x")]
    assert len(changed(before, " ".join(["y", *words[1:-1], "z"]))) == 1  # too far apart to look between
    other = [f"w{place * 7 % 4999}" for place in range(MOST_TOKENS // 2)]
    assert changed(" ".join(words[: MOST_TOKENS // 2]), " ".join(other))
    assert time.process_time() - start < 20
