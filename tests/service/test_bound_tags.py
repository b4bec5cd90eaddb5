"""Pairs of tags bound to words: they move with them, and what is lost is seen to be lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translators.apertium import bound_parts, decode, encode, joined

A, Z, B, Y = "\uf000", "\uf400", "\uf001", "\uf401"


def test_each_word_of_a_pair_carries_its_number() -> None:
    assert encode(f"The {A}red car{Z}.", 1, bound=True) == b"The [[0]]red[[/]] [[0]]car[[/]].[][=1]"


def test_a_pair_goes_where_its_words_go() -> None:
    assert decode(b"La casa [[0]]roja[[/]].[][=1]", 1) == f"La casa {A}roja{Z}."
    assert decode(b"[[0; 1]]No[[/]] [[0]]lo[[/]] quiere[][=1]", 1) == f"{A}{B}No{Y} lo{Z} quiere"


def test_a_pair_whose_words_were_parted_keeps_the_longer_row() -> None:
    assert decode(b"[[0]]no[[/]] quiere [[0]]nunca mas[[/]][][=1]", 1) == f"no quiere {A}nunca mas{Z}"


def test_a_pair_whose_words_are_gone_is_left_out() -> None:
    assert decode(b"Te gusta?[][=1]", 1) == "Te gusta?"


def test_a_pair_within_a_word_is_around_the_whole_of_it() -> None:
    assert joined(bound_parts(f"un{A}believ{Z}able")) == f"{A}unbelievable{Z}"


def test_without_a_word_a_pair_stays_where_it_is() -> None:
    assert encode(f"a {A}\ue000{Z} b", 1, bound=True).decode() == f"a [{A}][\ue000][{Z}] b.[][+1]"


@given(st.text(st.sampled_from(f"aB .,!{A}{Z}{B}{Y}\ue000[]\\"), max_size=30))
def test_no_text_is_lost_and_no_pair_doubled(text: str) -> None:
    out = decode(encode(text + ".", 1, bound=True), 1)
    unmarked = str.maketrans("", "", A + Z + B + Y)
    assert out.translate(unmarked) == text.translate(unmarked) + "."
    assert all(out.count(sign) <= max(1, text.count(sign)) for sign in A + Z + B + Y)
