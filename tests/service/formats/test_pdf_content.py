"""Content streams: what is taken out of them, and that every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats.pages import bidi
from svc_nb.service.formats.pages.content import edited, operations, parsed

PIECES = st.sampled_from(
    [
        *b"BT ET (a(b)\\)c) Tj [(x)] TJ q Q ( ) << >> [ ] <4 <41> /F1 12 Tf ' \" \\ \x80 cm m l S".split(b" "),
        *(b"%c\n", b"BI /W 1 ID \x00\xffEI EI", b"/X Do", b"0 0 m 1 1 l S"),
    ]
)


@given(st.lists(PIECES, max_size=30).map(b" ".join))
def test_a_stream_of_which_nothing_is_taken_keeps_its_bytes(data):
    stream = parsed(data)
    if not stream.surplus:
        assert edited(stream, shows=()) == data + b"\nQ" * stream.left_open


@given(st.binary(max_size=200))
def test_any_bytes_can_be_taken_apart(data):
    stream = parsed(data)
    edited(stream, shows=range(len(stream.shows)), paints=range(len(stream.paints)))


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b"BT (one) Tj (two) Tj ET", b"BT   ET"),
        (b"BT (a) ' 3 5 (b) \" ET", b"BT T* 3 Tw 5 Tc T* ET"),
        (b"BT [(a) -20 <62>] TJ ET", b"BT  ET"),
        (b"BT ((a) \\( Tj) Tj ET", b"BT  ET"),
        (b"% (no) Tj\nBT (a)Tj ET", b"% (no) Tj\nBT  ET"),
        (b"q (a) Tj", b"q \nQ"),
        (b"Q q (a) Tj Q", b" q  Q"),
    ],
)
def test_shown_texts_go_and_what_they_do_besides_stays(data, left):
    stream = parsed(data)
    assert edited(stream, shows=range(len(stream.shows))) == left


def test_letters_inside_a_picture_are_no_operators():
    data = b"BI /W 4 /H 1 ID (a) Tj EI\xff\x00 Tj\nEI BT (b) Tj ET"
    assert [operation.name for operation in operations(data)][-3:] == [b"BT", b"Tj", b"ET"]
    assert len(parsed(data).shows) == 1


def test_texts_that_begin_where_another_ended_are_known():
    stream = parsed(b"BT (a) Tj (b) Tj 1 0 Td (c) Tj ET BT (d) Tj ET")
    assert stream.chains == [[0, 1]]


def test_a_text_set_aside_for_readers_goes_too():
    assert b"old" not in edited(parsed(b"/Span <</ActualText (old)>> BDC (x) Tj EMC"), shows=[0])


def test_arabic_letters_are_joined():
    assert bidi.joined("سلام") == "ﺳﻼﻡ"
    assert bidi.joined("باب 12") == "ﺑﺎﺏ 12"
    assert bidi.joined("Latin") == "Latin"


@pytest.mark.parametrize(
    ("line", "drawn"),
    [
        ("שלום (עולם)", "(םלוע) םולש"),
        ("מחיר 12.50 EUR", "EUR 12.50 ריחמ"),
        ("abc שלום", "abc םולש"),
    ],
)
def test_a_line_is_put_into_the_order_it_is_drawn_in(line, drawn):
    letters = [(char, None) for char in line]
    turned = bidi.runs_right_to_left(line)
    assert "".join(char for char, _ in bidi.drawn_order(letters, right_to_left=turned)) == drawn
