"""Comments of R, Julia, JavaScript and TypeScript; what is unsure is left alone."""

from __future__ import annotations

import pytest

from svc_nb.notebooks import code
from tests.notebooks.code_edits import assert_rest_is_the_same, edited, nasty, shouted, texts

R = """# Load the data, which are
# many rows
x <- "a # in a string"  # the first value
y <- 'it\\'s # too'
z <- r"(raw " # string)" # a raw one
`a # name` <- x %#% y
# x <- f(y)
#' @param x roxygen stays
# nolint start
#!shebang
"""
JULIA = '''# Load the data of the year
x = "a # $(f("b # c")) # d"  # the first value
c = '#'; t = A' # a transposed one
#= a block # with text
#= nested =# =#
s = """
# not a comment
"""
r"a # pattern"
'''
SCRIPT = """// Load the data of the year
const url = "https://example.com"; // where it is
const t = `a // ${f(`b // ${c}`)} // d`;
const r = /[/]"\\/\\// // a pattern here
const d = (a + b) / 2; // half of it
/* a block // stays */
// eslint-disable-next-line
// const x = f(y);
/// <reference path="x" />
"""


@pytest.mark.parametrize(
    ("language", "source", "found"),
    [
        ("R", R, ["Load the data, which are many rows", "the first value", "a raw one"]),
        ("julia", JULIA, ["Load the data of the year", "the first value", "a transposed one"]),
        ("javascript", SCRIPT, ["Load the data of the year", "where it is", "a pattern here", "half of it"]),
        ("TypeScript", SCRIPT, ["Load the data of the year", "where it is", "a pattern here", "half of it"]),
    ],
)
def test_comments_are_found_and_strings_are_not(language: str, source: str, found: list[str]):
    assert texts(source, language=language) == found
    for translate in (shouted, nasty(language, 0.05)):
        result = edited(source, translate, language=language)
        assert result != source or translate is not shouted
        assert_rest_is_the_same(source, result, language=language)
        assert code.same_code(source, result, language=language)


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("R", 'x <- "open\n# some words'),
        ("julia", '"open $( # some words'),
        ("julia", "#= open\n# some words"),
        ("julia", ";ls # some words"),
        ("javascript", "const a = <b>// some words</b>"),
        ("javascript", "`open\n// some words"),
        ("javascript", "if (x) /a'b/.test(y) // some words"),
        ("javascript", "%%html\n// some words"),
    ],
)
def test_what_is_unsure_is_left_alone_and_says_why(language: str, source: str):
    assert texts(source, language=language) == []
    assert code.unread(source, language=language)


@pytest.mark.parametrize("language", ["rust", "sql", "", "c++"])
def test_other_languages_are_left_alone(language: str):
    source = "# some words\n// more words"
    assert texts(source, language=language) == []
    assert "left alone" in (code.unread(source, language=language) or "")
    assert not code.same_code(source, source + "x", language=language)


def test_strings_of_other_languages_are_no_texts():
    assert texts('print("some words here")', language="R", what=frozenset(("strings",))) == []
