"""Laws of edited code: it compiles, its tree is the same but for texts, and all else is the same byte by byte."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.notebooks import code
from tests.notebooks.code_edits import (
    HOSTILE,
    Translator,
    assert_rest_is_the_same,
    edited,
    nasty,
    shouted,
    signs,
    skeleton,
    texts,
)

MODULES = ["argparse", "csv", "textwrap", "json", "json.decoder", "json.encoder", "json.tool", "string"]


def source_of(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found
    assert found.origin
    return Path(found.origin).read_text("utf-8")


def assert_same_code(source: str, result: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(result, "<result>", "exec", dont_inherit=True)
    assert skeleton(result) == skeleton(source)
    assert signs(result) == signs(source)
    assert_rest_is_the_same(source, result)


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "translate"),
    [*((module, nasty(module)) for module in MODULES), *((module, shouted) for module in MODULES[1:])],
    ids=[*MODULES, *(f"{module} in capitals" for module in MODULES[1:])],
)
def test_the_standard_library_does_the_same_in_another_language(module: str, translate: Translator):
    source = source_of(module)
    result = edited(source, translate)
    assert result != source
    assert_same_code(source, result)


@pytest.mark.parametrize("module", ["csv", "json.decoder"])
def test_a_translator_that_says_the_same_changes_only_where_lines_are_broken(module: str):
    source = source_of(module)
    result = edited(source, lambda text: text)
    assert_same_code(source, result)
    assert [word for word in result.split() if word != "#"] == [word for word in source.split() if word != "#"]


def test_a_patient_translator_is_heard_nearly_everywhere():
    source = source_of("csv")
    found = texts(source)
    assert len(found) > 30
    result = edited(source)
    assert sum(shouted(text)[:9] in result for text in found) > 0.9 * len(found)


ANSWERS = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5), st.just("words")), max_size=6)
PLACES = [
    'x = 1  # {}', '# {}', 'x = "{}"', "x = '{}'", 'x = """{}"""', "def f():\n    '''{}'''",
    'x = ("{}"\n     "and more")',
    'x = f"{} {{y}} of {{z!r:>{{w}}}} rows"', 'x = f\'\'\'{} {{y["a"]}} end\'\'\'', 'print("{} %s of %d" % (a, b))',
    'x = r"{}"', 'x = "{}\\nand a second line"', '%time f()\n# {}\n!ls', 'x = u"{}" f"{{y}} more " r"raw text"',
]  # fmt: skip


@given(place=st.sampled_from(PLACES), answer=ANSWERS.map(" ".join))
def test_no_answer_breaks_the_code_around_it(place: str, answer: str):
    source = place.format("Some words here") if "{{" in place else place.replace("{}", "Some words here")
    assert texts(source)
    result = edited(source, lambda text: answer + text)
    assert code.same_code(source, result, language="python")
    if "%time" not in source:
        assert_same_code(source, result)


WORDS = st.text(alphabet="abz .,'\"\\{}%#\n\té日", min_size=1, max_size=30)


@given(
    value=WORDS,
    quote=st.sampled_from(['"', "'", '"""', "'''"]),
    prefix=st.sampled_from(["", "u", "f", "rf", "r"]),
)
def test_any_literal_is_read_as_python_reads_it_or_left_alone(value: str, quote: str, prefix: str):
    source = f"x = {prefix}{quote}Good {value} words{quote}\ny = {value!r} + f'a {{x}} b'\n"
    result = edited(source, shouted)
    if result != source:
        assert_same_code(source, result)


@given(st.text(alphabet="ab#'\"\\{}()[]:=%!?\n \t", max_size=60))
def test_any_characters_at_all_are_read_or_left_alone(source: str):
    for language in ("python", "R", "julia", "javascript"):
        result = edited(source, nasty(source), language=language)
        assert code.same_code(source, result, language=language)
        if result != source:
            assert code.unread(source, language=language) is None
