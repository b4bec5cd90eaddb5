"""JSON: string values change, everything else stays byte by byte."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.formats import Unreadable
from tests.service.formats.renderings import echo, rendered, texts_of, upper

FILE = """{
  "title":  "The house",  "n": 1.50e+3, "big": 123456789012345678901234567890, "e": 1E400, "id": "abc_def",
\t"list": ["One", "Two <b>red</b> & {name}", "https://x.org/y", true, null, -0.0, "", "v1.2", "and/or"],
  "nested": {"title": "A \\"big\\" \\\\ one\\nSecond", "title": "again"}
}
"""


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_echo_changes_no_byte(codec):
    assert rendered("json", FILE.encode(codec), echo) == FILE.encode(codec)


def test_only_values_with_words_are_sent():
    assert texts_of("json", FILE) == [
        "The house",
        "One",
        "Two <g1>red</g1> &amp;",
        "and/or",
        'A "big" \\ one\nSecond',
        "again",
    ]


def test_keys_numbers_order_and_indentation_stay():
    after = rendered("json", FILE, upper).decode()
    expected = FILE
    for value in ("The house", "One", "Two ", ">red<", 'A \\"big\\"', "one", "Second", "again", "and/or"):
        expected = expected.replace(value, value.upper())
    assert after == expected.replace("\\NSECOND", "\\nSECOND")


_texts = st.text(st.characters(exclude_categories=["Cs"])) | st.text('aAb<>/&{}%\\" ')
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _texts,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(_texts, inside, max_size=4),
    max_leaves=12,
)


@given(_values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_the_shape_of_any_value_survives(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    after = rendered("json", text, lambda texts, tagged: [each.replace("b", "B") for each in texts]).decode()
    assert after.replace("B", "b") == text.replace("B", "b")


def test_escapes_are_written_as_the_file_writes_them():
    words = lambda texts, tagged: ["größer / €" for _ in texts]  # noqa: E731
    assert rendered("json", '["caf\\u00e9"]', words) == b'["gr\\u00f6\\u00dfer / \\u20ac"]'
    assert rendered("json", '["caf\u00e9 a\\/b"]', words) == '["größer \\/ €"]'.encode()


def test_half_a_surrogate_pair_survives():
    assert rendered("json", '["one \\ud800 two"]', upper) == b'["ONE \\ud800 TWO"]'


@pytest.mark.parametrize("text", ["", "{", '{"a": "b"', '["a" "b"]', '{"a": "b}', "word", '{"a": 1} {"b": 2}'])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(Unreadable, match="not JSON"):
        rendered("json", text, echo)


def test_deep_nesting_is_refused():
    with pytest.raises(Unreadable, match="nested more than 500 deep"):
        rendered("json", "[" * 100_000, echo)
    assert re.match(rb"\[+", rendered("json", "[" * 400 + '"a"' + "]" * 400, upper))


def test_html_in_a_value_is_sent_block_by_block_and_a_plural_case_by_case():
    assert texts_of("json", '["<p>The <b>red</b> house</p><p>The dog</p>"]') == ["The <g1>red</g1> house\n<x2/>The dog"]
    assert texts_of("json", '["See <0>this</0> page", "car | cars"]') == [
        "See <x1/>this<x2/> page",
        "car \n<x1/> cars",
    ]
    plural = '["{n, plural, one {# file} other {# files}}"]'
    assert rendered("json", plural, upper).decode() == '["{n, plural, one {# FILE} other {# FILES}}"]'


def test_codes_of_languages_are_no_words():
    assert texts_of("json", '["en-US", "zh-CN", "pt-BR"]') == []
