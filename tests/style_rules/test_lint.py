from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given

from svc_nb.style_rules import lint
from svc_nb.style_rules.style import Style
from svc_nb.wire.models import CustomInstruction
from tests.style_rules.drawn import HOSTILE, RULES, right_styles, styles

COLUMNS = ["table", "row", "severity", "code", "message", "suggestion"]


def rules(*rows, index=None):
    return pd.DataFrame(rows, columns=["category", "rule", "option"], index=index, dtype=object)


def told(*rows, index=None):
    return pd.DataFrame(rows, columns=["label", "prompt"], index=index, dtype=object)


def found(style, **members):
    """Every finding as table, row, severity and code."""
    return [tuple(row) for row in lint(style, **members)[COLUMNS[:4]].itertuples(index=False)]


def test_a_right_style_has_no_findings():
    style = Style(RULES, [CustomInstruction("tone", "Be kind.", "DE")], name="house", language="EN")
    report = style.lint()
    assert list(report.columns) == COLUMNS
    assert len(report) == 0
    assert repr(report) == "No problems found. Next: svc_nb.style_rules.push()"
    assert found(Style()) == []


ONE = ("punctuation", "serial_comma", "use")
WRONG_RULES = {
    "empty": (rules(("punctuation", "", None)), "error"),
    "repeated_rule": (rules(ONE, ONE), "error"),
    "unsendable": (rules(("punctuation", "serial_comma", "\ud800")), "error"),
    "unknown_category": (rules(("Punctuations", "serial_comma", "use")), "warning"),
    "unknown_rule": (rules(("punctuation", "serial_coma", "use")), "warning"),
    "unknown_option": (rules(("punctuation", "serial_comma", "Do Not Use")), "warning"),
    "option_not_offered": (
        rules(("dates_and_times", "date_format", "use_dd_slash_mm_slash_yyyy")),
        "warning",
    ),
    "rule_not_offered": (rules(("dates_and_times", "centuries", "spell_out")), "warning"),
}
SUGGESTIONS = {
    "repeated_rule": "remove one of the two rows",
    "unknown_category": "punctuation",
    "unknown_rule": "serial_comma",
    "unknown_option": "do_not_use",
    "option_not_offered": "use_dd_slash_mm_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months",
    "rule_not_offered": "remove the row",
}


@pytest.mark.parametrize("code", WRONG_RULES)
def test_each_thing_wrong_with_a_rule_is_found_alone(code):
    table, severity = WRONG_RULES[code]
    report = lint(table, language="en")
    assert found(table, language="en") == [("rules", len(table) - 1, severity, code)]
    assert report["suggestion"].tolist() == [SUGGESTIONS.get(code, "")]


WRONG_INSTRUCTIONS = {
    "empty": (told(("", "p")), "error"),
    "blank": (told(("l", " \n")), "warning"),
    "too_long": (told(("l" * 101, "p")), "error"),
    "too_many": (told(*((f"l{number}", "p") for number in range(201))), "error"),
    "unsendable": (told(("l", "\udc00")), "error"),
    "repeated_label": (told(("l", "p"), ("l", "q")), "warning"),
    "repeated_id": (told(("l", "p"), ("m", "q")).assign(id="i"), "error"),
    "source_language": (told(("l", "p")).assign(source_language="EN-us"), "error"),
}


@pytest.mark.parametrize("code", WRONG_INSTRUCTIONS)
def test_each_thing_wrong_with_an_instruction_is_found_alone(code):
    table, severity = WRONG_INSTRUCTIONS[code]
    assert found(table) == [("instructions", len(table) - 1, severity, code)]


@pytest.mark.parametrize(
    ("members", "row", "code"),
    [
        ({"name": " \t"}, "name", "empty"),
        ({"name": "n" * 1025}, "name", "too_long"),
        ({"name": "\ud800"}, "name", "unsendable"),
        ({"language": "pl"}, "language", "language"),
        ({"language": "en-GB"}, "language", "language"),
    ],
)
def test_each_thing_wrong_with_the_list_itself_is_found_alone(members, row, code):
    assert found(Style(**members)) == [("list", row, "error", code)]


def test_what_is_just_short_enough_is_right():
    table = told(*(("l" * 97 + f"{number:03}", "👍" * 300) for number in range(200)))
    assert found(Style(None, table, name="n" * 1024)) == []


def test_suggestions_are_ready_values():
    assert lint(Style(language="EN-GB"))["suggestion"].tolist() == ["EN"]
    assert lint(Style(language="German"))["suggestion"].tolist() == ["DE"]
    assert lint(told(("l", "p")).assign(source_language="pt_BR"))["suggestion"].tolist() == ["PT"]
    assert lint(told(("l", "p")).assign(source_language="??"))["suggestion"].tolist() == [""]


def test_rows_are_named_by_their_labels_which_may_be_anything():
    table = rules(("punctuation", "", "x"), ONE, ONE, index=["a", None, "a"])
    assert [row[1] for row in found(table)] == ["a", "a"]
    again = told(("", "p"), ("l", ""), index=pd.MultiIndex.from_tuples([(1, "x"), (1, "x")]))
    assert [row[1] for row in found(again)] == [(1, "x"), (1, "x")]


def test_a_language_written_as_people_do_is_still_the_one_meant():
    table = WRONG_RULES["rule_not_offered"][0]
    assert [code for *_, code in found(Style(table, language="EN-GB"))] == ["language", "rule_not_offered"]


def test_without_a_language_nothing_is_said_about_languages():
    assert found(WRONG_RULES["rule_not_offered"][0]) == []


@pytest.mark.parametrize("thing", [None, "house", [1], pd.DataFrame({"a": [1]})])
def test_what_is_neither_a_style_nor_a_table_of_one_is_a_clear_error(thing):
    with pytest.raises((TypeError, ValueError), match="rules"):
        lint(thing)


@given(styles())
def test_any_style_can_be_linted_and_shown(style):
    report = style.lint()
    assert set(report["severity"]) <= {"error", "warning"}
    assert "<script>" not in report._repr_html_()
    assert report.said
    assert (report["message"].str.len() < 400).all()


@given(right_styles())
def test_a_right_style_has_no_errors(style):
    report = style.lint()
    assert "error" not in set(report["severity"])


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 100_000])
def test_hostile_names_are_only_quoted(text):
    report = lint(rules((text, text, text), ("punctuation", text, text), (*ONE[:2], text)))
    codes = [code for code in report["code"] if code.startswith("unknown")]
    assert codes == ["unknown_category", "unknown_rule", "unknown_option"]
    assert len(repr(report)) < 5000
