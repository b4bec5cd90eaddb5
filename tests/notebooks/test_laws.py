"""The law for any Markdown and any translator: nothing but the words changes, and no document is broken."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from svc_nb.notebooks.documents import Html, Markdown
from svc_nb.notebooks.markup import html
from svc_nb.notebooks.markup.markdown import same_structure
from tests.notebooks.strategies import ANYTHING, ODD, PLAIN, RAW, inline, markdown
from tests.notebooks.translators import answered, longer, louder, marked, nasty, rendered_tags

TEMPLATES = ["{% if a > b %}", "{% endif %}", "{{ a b }}", "<%= a b %>", "[[a page|a label]]", "[[a page]]"]
MARKDOWN = markdown(f"{PLAIN} {ODD}", [*RAW, *TEMPLATES, "${a b}", "[^1]", "^[a note]"])
# What every parser knows: no footnotes, definitions or formulas.
COMMON = markdown(" ".join(word for word in f"{PLAIN} {ODD}".split() if word not in ("~", ":", "$5")), RAW)


@pytest.mark.long
@given(MARKDOWN | ANYTHING, st.randoms(use_true_random=False))
def test_no_translator_breaks_a_document(source, dice):
    edited = answered(Markdown(source), nasty(dice))
    assert same_structure(source, edited.text)


@given(COMMON, st.sampled_from([louder, marked, longer]))
@example("<div class='a b'>\n<b don't\n</div>\n", louder)  # a quote that is none
def test_an_honest_answer_leaves_the_tags_of_the_page_as_they_were_for_another_parser(source, translate):
    edited = answered(Markdown(source), translate)
    assert same_structure(source, edited.text)
    assert rendered_tags(edited.text) == rendered_tags(source)


@given(markdown(PLAIN, [*RAW, *TEMPLATES, "[^1]"]))
def test_an_honest_answer_is_put_back_as_a_whole(source):
    assert answered(Markdown(source), louder).left == []


@given(MARKDOWN, st.sampled_from(["\r\n", "\r"]))
@settings(max_examples=25)
def test_line_ends_stay_what_they_were(source, end):
    edited = answered(Markdown(source.replace("\n", end)), louder)
    assert edited.text == answered(Markdown(source), louder).text.replace("\n", end)


@given(MARKDOWN | ANYTHING)
@settings(max_examples=25)
def test_what_has_no_answer_stays_byte_for_byte(source):
    assert Markdown(source).edited({}).text == source
    assert Markdown(source).edited({text: text for text in Markdown(source).texts()}).text == source


@given(inline(f"{PLAIN} {ODD}", RAW) | ANYTHING, st.randoms(use_true_random=False))
def test_no_translator_breaks_html(source, dice):
    assert html.same_structure(source, answered(Html(source), nasty(dice)).text)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_refused_is_sent_in_pieces_and_saved(seed):
    source = "Some **bold** words, a [link](/u) and `code` in one line."
    lost = random.Random(seed)

    def loses(text: str) -> str:
        return louder(text).replace(lost.choice(["<b1>", "</b2>", "<x3/>"]), "")

    edited = answered(Markdown(source), loses)
    assert edited.text == "SOME **BOLD** WORDS, A [LINK](/u) AND `code` IN ONE LINE."
    assert not edited.left
