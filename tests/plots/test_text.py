"""Labels as text: no mathematics, no missing letters, no overlong lines."""

from __future__ import annotations

import matplotlib
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from svc_nb.plots.text import MISSING, labels, plain, shortened, width, written
from tests.plots.example import HOSTILE


def test_letters_that_no_font_has_become_squares():
    assert written("a\ue000b") == f"a{MISSING}b"
    assert written("Größe Ωμέγα שלום") == "Größe Ωμέγα שלום"


def test_marks_that_turn_or_break_a_line_are_gone():
    assert written("a\nb\tc\u202e\u200bd") == "a b cd"


@given(st.text())
def test_what_is_written_is_one_line_that_stays_as_it_is(text):
    once = written(text)
    assert written(once) == once
    assert "\n" not in once


@given(st.text(min_size=1, max_size=300), st.floats(60, 300))
def test_a_shortened_text_fits(text, points):
    short = shortened(text, points)
    assert width(short) <= points
    assert short == text or "…" in short


def test_both_ends_of_a_long_label_are_kept():
    short = shortened("Marketing and communication (abcd********wxyz)", 150)
    assert short.startswith("Marketing")
    assert short.endswith("wxyz)")


def test_labels_stay_apart_when_they_are_shortened():
    alike = ["a" * 100 + "1" + "b" * 100, "a" * 100 + "2" + "b" * 100]
    first, second = labels(alike, 100)
    assert first != second


def test_a_name_that_cannot_be_drawn_has_its_mask():
    name = "\U000f0000\U000f0001"
    assert labels([name, "plain"], 300, masks={name: "abcd****wxyz", "plain": "efgh****stuv"}) == [
        f"{MISSING * 2} (abcd****wxyz)",
        "plain",
    ]


def test_every_label_is_drawn_without_a_warning():
    figure = Figure()
    for label in HOSTILE:
        figure.text(0, 0, written(label), **plain())
    figure.draw_without_rendering()


def test_where_texts_stay_texts_the_letters_are_left_to_whoever_shows_them():
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        assert written("倉庫 🏕") == "倉庫 🏕"
