"""What stays as it was is told; and texts that nobody would write end soon all the same."""

from __future__ import annotations

import pytest

from svc_nb.notebooks.documents import Html, Markdown
from svc_nb.notebooks.markup.markdown import same_structure
from tests.notebooks.translators import answered, louder


@pytest.mark.parametrize(
    ("source", "kind", "line", "reason"),
    [
        ("---\ntitle: >\n  Some words\n---\n", "front matter", 2, "not a single-line text"),
        ("> [g]: /u 'a\n> title'", "title", 1, "where it stands"),
        ("so^[a ![map](m)] it is", "attribute", 1, "within a footnote"),
        ("*[HTML]: a language", "paragraph", 1, "abbreviations"),
        ("*a " * 60 + "b* " * 60, "paragraph", 1, "too deep"),
        (":Field name: Words\n:other: Words", "paragraph", 1, "field lists"),
        ("Words\n\n```{glossary}\nTerm\n  Words\n```", "directive", 3, "the directive glossary"),
        ("a nul \0 here", "paragraph", 1, "where it stands"),
    ],
)
def test_what_is_not_sent_is_reported(source, kind, line, reason):
    edited = answered(Markdown(source, ["title"]), louder)
    (left,) = edited.left
    assert (left.kind, left.line) == (kind, line)
    assert reason in left.reason


@pytest.mark.parametrize("cut", ["$x|y$", "`x|y`"])
def test_a_formula_and_code_with_a_bar_in_a_table_stay(cut):
    source = f"| a | b |\n|---|---|\n| so {cut} |\n| $5 | and $6 |"
    edited = answered(Markdown(source), louder)
    assert edited.text == f"| A | B |\n|---|---|\n| so {cut} |\n| $5 | AND $6 |"
    assert [left.line for left in edited.left] == [3, 3]


def test_what_cannot_be_told_apart_from_abbreviations_stays():
    source = "*[HTML]: Hyper Text\n*[CSS]: Style Sheets\n"
    assert answered(Markdown(source), louder).text == source


def test_a_document_is_checked_as_a_whole():
    source = "![one](x 'two') and [three](y)"
    answers = {"one": "{{", "two": "}}", "<x1/> and <b2>three</b2>": "<x1/> und <b2>drei</b2>"}
    edited = Markdown(source).edited(answers)  # each answer is fit alone; together they are a template
    assert same_structure(source, edited.text)
    assert edited.text.endswith("und [drei](y)")
    assert [left.reason for left in edited.left] == ["the structure would change"]


def test_a_word_of_50_000_letters_and_thousands_of_tags_that_do_not_end_take_no_time():
    for source in ("a" * 50_000, "a." * 25_000, "a-" * 25_000):
        assert answered(Markdown(f"word {source} word"), louder).text == f"word {source} word".upper()
    source = "<p>words " + "<b" * 25_000
    assert answered(Html(source), louder).segments == 1


HOSTILE = {
    "tags that are not closed": "<b>a " * 1000,
    "columns": "|" + "a|" * 800 + "\n|" + "-|" * 800,
    "emphasis in emphasis": "*a " * 1000 + "b* " * 1000,
    "tags in tags": "<b>" * 200 + "a" + "</b>" * 200,
    "quotations in quotations": "> " * 500 + "a",
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_end_and_obey_the_law(name):
    assert same_structure(HOSTILE[name], answered(Markdown(HOSTILE[name]), louder).text)
