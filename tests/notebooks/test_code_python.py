"""Which texts of a Python cell are sent, and how answers are written."""

from __future__ import annotations

import textwrap

import pytest

from svc_nb.notebooks import code
from svc_nb.notebooks.segments import Refused
from tests.notebooks.code_edits import edited, put, shouted, texts

COMMENTS = frozenset(("comments",))
STRINGS = frozenset(("strings",))


def cell(source: str) -> str:
    return textwrap.dedent(source).strip("\n")


def only(source: str):
    (segment,) = code.segments(source, language="python", what=code.ALL)
    return segment


# ---- comments


def test_lines_of_one_paragraph_are_one_text_and_are_wrapped_at_the_same_width():
    source = cell("""
        if x:
            # Read the prices of the last year and drop
            # the rows without any, since they would
            # make the average wrong.
            y = 1
    """)
    (text,) = texts(source)
    assert text == (
        "Read the prices of the last year and drop the rows without any, since they would make the average wrong."
    )
    assert edited(source) == cell("""
        if x:
            # READß THEß PRICESß OFß THEß LASTß YEARß
            # ANDß DROPß THEß ROWSß WITHOUTß ANYß,
            # SINCEß THEYß WOULDß MAKEß THEß AVERAGEß
            # WRONGß.
            y = 1
    """)


def test_lines_that_are_sentences_of_their_own_stay_apart():
    assert texts("# Load the data\n# Clean it\n# - one thing\n#   and more of it\n# - another\n#\n# The end") == [
        "Load the data",
        "Clean it",
        "one thing and more of it",
        "another",
        "The end",
    ]


def test_a_comment_behind_code_stays_on_its_line():
    result = edited("x = 1  # " + "many words " * 12)
    assert "\n" not in result


def test_a_long_answer_to_a_short_comment_is_wrapped_under_its_marker():
    result = edited("# - short text", lambda text: "long words " * 12)
    first, second = result.split("\n")
    assert first.startswith("# - long")
    assert second.startswith("#   words")
    assert max(len(first), len(second)) <= 79


def test_scripts_without_spaces_are_wrapped_by_columns():
    result = edited("# some text", lambda text: "日本語の文章です。" * 8)
    assert [len(line) <= 40 for line in result.split("\n")] == [True] * 2
    assert not any(line.startswith("# 。") for line in result.split("\n"))


def test_a_wrapped_answer_keeps_every_character_of_a_word_in_two_scripts():
    answer = "これはpandas3の表です。" * 6
    lines = edited("# some text", lambda text: answer).splitlines()
    assert len(lines) > 1
    assert "".join(line.removeprefix("# ") for line in lines) == answer
    assert not any(line.startswith("# 。") for line in lines)


@pytest.mark.parametrize(
    "comment",
    [
        "#!/usr/bin/env python", "# -*- coding: utf-8 -*-", "# noqa: F401", "# type: ignore[import]",
        "# pragma: no cover", "# fmt: off", "# ruff: noqa", "# pylint: disable=all", "# %% the next cell",
        "#%%", "#| label: fig-one",
        "# isort: skip", "# In[3]:", "#region Some name", "# mypy: ignore-errors", "# SPDX-License-Identifier: MIT",
        "# x = f(y)", "# import numpy as np", "# for x in range(3):\n#     print(x)", "# df.head()", "# %timeit f(x)",
        "# !pip install this", "# call(\n#     a,\n#     b)", "# -----", "# 3.14", "# @param {type: 'string'}",
        '# /// script\n# dependencies = ["pandas"]\n# some words here\n# ///',
        "# Name    Amount    Price", "# >>> f(1)",
    ],
)  # fmt: skip
def test_what_speaks_to_tools_and_what_is_commented_out_stays(comment: str):
    assert texts(f"x = 1\n{comment}" if not comment.startswith("#!") else comment) == []


@pytest.mark.parametrize(
    "comment",
    [
        "Note: this is slow", "data (raw)", "read-only values", "this and that", "returns nothing",
        "for example: a test", "type of the column", "if needed", "region of interest", "input/output",
        "data in memory", "What is this?",
    ],
)  # fmt: skip
def test_words_that_could_be_code_by_chance_are_words(comment: str):
    assert texts(f"x = 1  # {comment}") == [comment]


@pytest.mark.parametrize("bit", ["a-", "a.", "a:", "-"])
def test_data_in_a_comment_or_string_are_not_looked_into(bit: str):
    assert texts(f"# some {bit * 20_000}\nx = 'some words {bit * 20_000}'") == []


def test_what_speaks_to_a_tool_behind_a_text_stays():
    assert edited("import x  # used by others  # noqa: F401") == "import x  # USEDß BYß OTHERSß  # noqa: F401"


@pytest.mark.parametrize("answer", ["noqa", "type: ignore", "some words # noqa", "%% x", "pragma: no cover"])
def test_an_answer_that_speaks_to_a_tool_is_refused(answer: str):
    with pytest.raises(Refused, match="tool"):
        only("x = 1\ny = 2\n# some words").put(answer)


def test_names_addresses_and_code_in_a_comment_are_protected():
    (text,) = texts("# Use `a b` or pd.read_csv with my_name, see https://example.com/a?b=c.")
    assert text == "Use <x1/> or <x2/> with <x3/>, see <x4/>."


def test_a_comment_never_hides_the_direction_of_code():
    assert edited("# some words", lambda text: "a\u202eb\u2066c\u2028d") == "# abc d"


def test_line_ends_of_windows_stay():
    source = "# some words that are broken here, since they\r\n# go on\r\nx = 1\r\n"
    assert "\n" not in edited(source).replace("\r\n", "")
    assert edited(source).endswith("\r\nx = 1\r\n")


# ---- docstrings

DOCUMENTED = '''
def f(a, b):
    """Add two numbers that are given.

    A longer text that says more about it, over
    two lines, with ``code`` in it::

        f(1, 2) is here

    Parameters
    ----------
    a : int
        The first number.
    b
        The second number.

    See Also
    --------
    g : Does another thing.

    Args:
        c (int): the third number

    :param d: the fourth number
    .. note:: a directive

    >>> f(1, 2)
    Some output of it
    """
'''


def test_prose_of_a_docstring_is_sent_and_its_form_is_not():
    assert texts(DOCUMENTED) == [
        "Add two numbers that are given.",
        "A longer text that says more about it, over two lines, with <x1/> in it",
        "The first number.",
        "The second number.",
        "Does another thing.",
        "the third number",
        "the fourth number",
    ]


def test_a_docstring_keeps_its_form():
    result = edited(DOCUMENTED)
    kept = (
        "Parameters\n    ----------\n    a : int\n",
        "See Also\n",
        "    Args:\n        c (int): THE",
        ":param d: THE",
    )
    assert all(part in result for part in (*kept, ">>> f(1, 2)\n    Some output of it\n", "        f(1, 2) is here\n"))
    assert max(map(len, result.split("\n"))) <= 60


def test_a_docstring_that_is_read_by_a_program_stays():
    assert texts('"""Some tool.\n\nUsage:\n  tool run <name>\n"""') == []


def test_docstrings_go_with_comments_and_other_strings_by_themselves():
    source = '"""Some words here"""\n# more words here\nx = "yet more words"'
    assert texts(source, what=COMMENTS) == ["Some words here", "more words here"]
    assert texts(source, what=STRINGS) == ["yet more words"]
    assert texts(source, what=frozenset()) == []


# ---- strings


@pytest.mark.parametrize(
    "source",
    [
        'd["unit price"]', 'df[["unit price", "the name"]]', '{"some key": 1}', 'x == "some words"',
        '"some words" in x',
        'b"some words"', r'r"some \d words"', '"word"', '"snake_case"', '"/home/some one/file name"', '"my data.csv"',
        '"SELECT name FROM people"', '"select a, b from some_table"', '"git commit now"', 're.match("some words", x)',
        '"^[a-z]+ some words$"', 'open("some words")', 'x: "Some | None" = 1', '__all__ = ["some words"]',
        '"one two".split()',
        'df.query("price > 3 and name < 2")', '"x = f(y)"', "'{\"some\": \"json here\"}'", 'x.strftime("%d of %B %Y")',
        'match x:\n    case "some words":\n        pass', 'f(sep=" and ")', 'f"{x=} some words"', '"%d %s"', '"{} {}"',
        'df.plot(x="unit price")', '"color: red; margin: 0 auto"',
    ],
)  # fmt: skip
def test_strings_that_are_no_prose_stay(source: str):
    assert texts(f"x = {source}" if source[0] in "\"'" else source) == []


def test_a_name_that_is_used_as_a_key_is_no_text_elsewhere():
    assert texts('columns = {"a": "unit price"}\ndf["unit price"]') == []
    source = 'columns = {"a": "unit price"}'
    keys = code.keys('df["unit price"]', language="python")
    assert code.segments(source, language="python", what=code.ALL, keys=keys) == []
    assert texts(source) == ["unit price"]


@pytest.mark.parametrize(
    ("source", "sent", "result"),
    [
        ('print("Good day to you")', "Good day to you", 'print("GOODß DAYß TOß YOUß")'),
        ("print('It\\'s a day')", "It's a day", "print('ITß\\'Sß Aß DAYß')"),
        ('f("The mean of {} is %s")', "The mean of <x1/> is <x2/>", 'f("THEß MEANß OFß {} ISß %s")'),
        ('f"All {n:,} rows {{net}}"', "All <x1/> rows <x2/>", 'f"ALLß {n:,} ROWSß {{net}}"'),
        ("f'''All {d['a']} rows'''", "All <x1/> rows", "f'''ALLß {d['a']} ROWSß'''"),
        ('HTML("<h1>The result</h1>")', "<x1/>The result<x2/>", 'HTML("<h1>THEß RESULTß</h1>")'),
        (
            'x = ("some words "\n     f"and {y} too")',
            "some words and <x1/> too",
            'x = ("SOMEß "\n     f"WORDSß ANDß {y} TOOß")',
        ),
        ('plt.title("价格和数量")', "价格和数量", 'plt.title("价格和数量ß")'),
    ],
)  # fmt: skip
def test_strings_for_people_are_sent_and_written_in_their_own_quotes(source: str, sent: str, result: str):
    assert texts(source) == [sent]
    assert edited(source) == result


def test_lines_of_a_string_are_texts_of_their_own():
    source = r'print("Hello to all\n\tand good bye\n")'
    assert texts(source) == ["Hello to all", "and good bye"]
    assert edited(source) == r'print("HELLOß TOß ALLß\n\tANDß GOODß BYEß\n")'


@pytest.mark.parametrize(
    ("source", "answer", "written"),
    [
        ('"some words"', 'a "b" \\ c', r'"a \"b\" \\ c"'),
        ("'some words'", "l'été", r"'l\'été'"),
        ('"""some words"""', 'a "b"', '"""a "b\\""""'),
        ('"some words"', "a\u202eb\x1bc", r'"a\u202eb\x1bc"'),
    ],
)  # fmt: skip
def test_an_answer_is_escaped_as_its_literal_needs_it(source: str, answer: str, written: str):
    segment = only(f"x = {source}")
    source = f"x = {source}"
    assert source[: segment.start] + segment.put(answer) + source[segment.end :] == f"x = {written}" or "{a}" in answer


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ('"some words"', "some {words}"), ('"%d of the rows" % x', "100% <x1/>"), ('"{} of {} rows"', "<x2/> <x1/>x"),
        ('f"{a} of {b} rows"', "<x2/> von <x1/>"), ('"some words"', ""), ('"some words"', "\ud800 a"),
        ('r"some words"', "a\\b"),
        ('"a {name} here"', "ein hier"), ('"a {name} here"', "<x1/> <x1/> hier"),
    ],
)  # fmt: skip
def test_an_answer_that_would_change_what_is_formatted_is_refused(source: str, answer: str):
    assert put(only(f"x = {source}"), lambda text: answer) is None


def test_named_placeholders_may_change_places():
    segment = only('x = "the {a} of {b} here"')
    assert segment.put("<x2/> und <x1/> hier") == "{b} und {a} hier"


def test_pieces_between_placeholders_can_be_answered_one_by_one():
    segment = only('x = f"some {a} of all {b}"')
    assert segment.runs == ["some", "of all"]
    assert segment.put_runs
    assert segment.put_runs(["einige", "von allen"]) == "einige {a} von allen {b}"


# ---- IPython

MAGICS = """%matplotlib inline
files = !ls *.csv  # not a comment
out = %timeit -o f(x)
if x:
    %time y = g(x)
!echo "a" \\
  # still the shell
df.head?
?df
# some words
x = (3
     % 2)  # more words
await g()
"""


def test_magics_stay_and_the_cell_around_them_is_read():
    assert texts(MAGICS) == ["some words", "more words"]
    assert edited(MAGICS) == MAGICS.replace("some words", "SOMEß WORDSß").replace("more words", "MOREß WORDSß")


def test_strings_that_look_like_magics_are_strings():
    source = "print('some words of x[1]=%s' % x)\nx['a] = %s'] = 1\n# more words"
    assert texts(source) == ["some words of x[1]=<x1/>", "more words"]


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile a.py", "%%R", "%%translate DE"])
def test_cells_of_other_languages_stay(magic: str):
    source = f"{magic}\n# some words"
    assert texts(source) == []
    assert (code.unread(source, language="python") or "").startswith("a cell of %%")


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%timeit -n 3"])
def test_cells_that_are_only_timed_or_caught_are_python(magic: str):
    assert edited(f"{magic}\n# some words") == f"{magic}\n# SOMEß WORDSß"


@pytest.mark.parametrize(
    "source", ["def f(:\n# some words", "ls here\n# some words", '"""some words', "x = \ud800 # some words"]
)
def test_a_cell_that_is_no_python_stays_and_says_why(source: str):
    assert texts(source) == []
    assert code.unread(source, language="python")


# ---- the same code


@pytest.mark.parametrize(
    "result",
    [
        "x = 2  # a\nd['k']", "x = 1  # a\nd['l']", "x = 1\nd['k']  # a\ny", "x = 1  # a\nd['k'",
        "x = 1  # noqa\nd['k']", "%time x = 1  # a\nd['k']",
    ],
)  # fmt: skip
def test_the_law_sees_any_other_change(result: str):
    source = "x = 1  # a\nd['k']"
    assert code.same_code(source, source, language="python")
    assert code.same_code(source, "x = 1  # b\nd['k']", language="python")
    assert not code.same_code(source, result, language="python")


def test_the_law_lets_only_texts_change_that_were_asked_for():
    source, result = 'x = "some words"', 'x = "other words"'
    assert code.same_code(source, result, language="python")
    assert not code.same_code(source, result, language="python", what=COMMENTS)


def test_a_cell_is_edited_in_place_so_that_the_second_edit_finds_the_first():
    once = edited(DOCUMENTED, lambda text: text.lower())
    assert edited(once, lambda text: text.lower()) == once
    assert shouted("a <x1/>") == "Aß <x1/>"
