"""Raised and lowered letters through a translation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats.scripts import Scripts
from svc_nb.service.formats.tagged_text import Lone, TaggedText, base, flat, joined

PLAIN, RAISED, BOLD = 0, 1, 2


def through(runs, translate=lambda text: text):
    """What is sent, and the runs that come back."""
    scripts = Scripts(runs, lambda look: look == RAISED)
    style = base(scripts.pieces)
    line = TaggedText(joined(scripts.pieces, style))
    found = flat(line.read(translate(line.text)), style)
    back = [part.thing if isinstance(part, Lone) else (part, around.thing if around else 0) for part, around in found]
    return line.text, list(scripts.restored(back))


@pytest.mark.parametrize(
    ("runs", "sent"),
    [
        ([("The water is H", PLAIN), ("2", RAISED), ("O.", PLAIN)], "The water is H2O."),
        ([("It has 50 m", PLAIN), ("2 ", RAISED), ("of room", PLAIN)], "It has 50 m2 of room"),
        ([("The castle", PLAIN), ("1", RAISED), (", the king", PLAIN)], "The castle<x1/>, the king"),
        ([("It ends.", PLAIN), ("2 ", RAISED), ("And begins", PLAIN)], "It ends.<x1/> And begins"),
        ([("1 ", RAISED), ("See there", PLAIN)], " See there"),
        ([("A", PLAIN), ("*", RAISED), (" and b", PLAIN)], "A<x1/> and b"),
    ],
)
def test_formulas_are_plain_and_footnote_marks_are_tags(runs, sent):
    told, back = through(runs)
    assert told == sent
    assert "".join(text for text, _ in back) == "".join(text for text, _ in runs)
    assert [text for text, look in back if look == RAISED] == [text.strip() for text, look in runs if look == RAISED]


def test_a_formula_is_found_where_it_has_gone():
    runs = [("Water is H", PLAIN), ("2", RAISED), ("O", PLAIN)]
    _, back = through(runs, lambda text: "H2O heißt Wasser")
    assert back == [("H", PLAIN), ("2", RAISED), ("O", PLAIN), (" heißt Wasser", PLAIN)]


TEXTS = st.text("ab1. \n", min_size=1, max_size=6)


@given(st.lists(st.tuples(TEXTS, st.sampled_from([PLAIN, RAISED, BOLD])), min_size=1, max_size=6))
def test_no_letter_is_lost(runs):
    _, back = through(runs)
    assert "".join("".join(text for text, _ in back).split()) == "".join("".join(text for text, _ in runs).split())
