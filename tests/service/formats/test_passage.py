"""Passages: whatever a translator answers, no word is lost and every piece that stays is there once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats.passage import Passage, Piece, is_code, pieces, plain
from tests.growth import LINEAR, growth

_TAG = re.compile(r"</?[gx]\d+/?>")


@st.composite
def passages(draw):
    """Pieces with tags that nest, numbered so that each can be told from the others."""
    found, opened = [], []
    kinds = draw(st.lists(st.sampled_from(["text", "open", "close", "lone"]), max_size=14))
    for number, kind in enumerate(kinds, 1):
        if kind == "text":
            found.append(plain(draw(st.sampled_from(["a", " b ", "c d", "  ", "&"]))))
        elif kind == "open":
            opened.append(number)
            found.append(Piece(f"[{number}:", "", "open", number))
        elif kind == "close" and opened:
            last = opened.pop()
            found.append(Piece(f":{last}]", "", "close", last))
        elif kind == "lone":
            found.append(Piece(f"(%{number})"))
    return found + [Piece(f":{last}]", "", "close", last) for last in reversed(opened)]


_answers = st.lists(
    st.sampled_from(["x", " y ", "&amp;", "<g1>", "</g1>", "<x1/>", "<g2>", "</g2>", "<x2/>", "<x3/>", "</g3>", "<"]),
    max_size=12,
).map("".join)


@given(passages())
def test_an_unchanged_answer_gives_the_source(found):
    raw = "".join(piece.raw for piece in found)
    assert str(Passage(found)) == raw
    assert Passage(found).put_back(Passage(found).sent) == raw


@given(passages(), _answers)
def test_every_piece_that_stays_is_there_once_and_tags_nest(found, answer):
    passage = Passage(found)
    after = passage.put_back(answer) if passage.sent else str(passage)
    for piece in found:
        if piece.role != "text":
            assert after.count(piece.raw) == 1
    opened = []
    for mark in re.findall(r"\[(\d+):|:(\d+)\]", after):
        if mark[0]:
            opened.append(mark[0])
        else:
            assert opened.pop() == mark[1]
    if passage.sent and answer != passage.sent:
        words = _TAG.sub("", answer).replace("&amp;", "&")
        assert all(after.count(each) == words.count(each) for each in "xy<")


def test_a_word_that_only_a_program_writes_is_code():
    code = ["user_id", "https://x.org", "camelCase", "v1.2", "foo.bar", "/usr/bin", "#fff", "a\\b", "me@x"]
    words = ["Hello.", "don't", "and/or", "well-known", "e.g.", "Straße", "two words_here", "你好"]
    assert [word for word in code if not is_code(word)] == []
    assert [word for word in words if is_code(word)] == []


@pytest.mark.long
def test_pieces_are_found_in_linear_time():
    hostile = [
        "{",
        "{{a",
        "{a,plural,one{#}}",
        "%1$",
        "$",
        "`",
        "{a,plural,",
        "a@",
        "a.-",
        "http://",
        "{a:",
        "www.",
        "[[",
        "<b>",
        "<a '",
    ]
    for text in hostile:
        assert growth(lambda size, text=text: list(pieces(text * size, tags=True)), 2_000, 8_000) < 2 * LINEAR, text


@pytest.mark.long
def test_runs_of_tags_without_words_are_joined_in_linear_time():
    for text in ("<br>", "<b></b>", "<b><i>", "x<br>"):
        assert growth(lambda size, text=text: Passage(pieces(text * size, tags=True)), 2_000, 8_000) < 2 * LINEAR, text
