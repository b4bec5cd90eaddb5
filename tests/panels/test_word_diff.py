"""The word diff: its segments are the texts, and what is the same in one is so in the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.parts.word_diff import MOST_WORDS, word_diff

TEXTS = st.lists(st.sampled_from(["red", " ", ",", "grün", "和", "は", "🎉", "\n", "<b>"]), max_size=30).map("".join)


@given(before=TEXTS, after=TEXTS)
def test_the_segments_of_both_texts_are_the_texts_and_what_is_the_same_in_one_is_so_in_the_other(before, after):
    one, other = word_diff(before, after)
    assert "".join(text for text, _ in one) == before
    assert "".join(text for text, _ in other) == after
    assert [text for text, differs in one if not differs] == [text for text, differs in other if not differs]
    assert (before == after) == (not any(differs for _, differs in [*one, *other]))


def test_what_differs_is_marked_by_words_and_by_letters_where_there_are_no_spaces():
    assert word_diff("at 3:00 PM", "at 15:00")[1] == [("at ", False), ("15", True), (":00", False)]
    assert word_diff("下午3点", "下午三点")[0] == [("下午", False), ("3", True), ("点", False)]
    assert [
        text for text, differs in word_diff("水は冷たい。 <b>New</b>", "水は暖かい。 <b>Old</b>")[0] if differs
    ] == [
        "冷た",
        "New",
    ]
    long = "word " * MOST_WORDS
    assert word_diff(long, long + "more") == ([(long, True)], [(long + "more", True)])
