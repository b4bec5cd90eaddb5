from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.errors import InvalidRows
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.table import is_part
from svc_nb.wire.models import CustomInstruction, StyleRuleList
from tests.style_rules.drawn import HOSTILE, RULES, TEXT, instructions, mapping, styles

MOMENT = datetime(2026, 11, 15, 0, 12, 20, 483000, UTC)
NONEMPTY = TEXT.filter(bool)


def noun(**changes):
    members = {
        "style_id": "s-1",
        "name": "house",
        "creation_time": MOMENT,
        "updated_time": MOMENT,
        "language": "en",
        "version": 3,
        "configured_rules": RULES,
        "custom_instructions": (CustomInstruction("tone", "Be kind.", "de", "i-1"),),
    }
    return StyleRuleList(**{**members, **changes})


@given(
    rules=st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=6).map(mapping),
    told=instructions(ids=st.none() | NONEMPTY, languages=st.none() | NONEMPTY),
    name=NONEMPTY,
)
def test_a_list_of_the_service_comes_back_from_its_tables_as_it_was(rules, told, name):
    given_ = noun(configured_rules=rules, custom_instructions=tuple(told), name=name)
    assert Style.from_noun(given_).to_noun() == given_


@given(styles())
def test_a_style_is_what_its_tables_say(style):
    members = {name: getattr(style, name) for name in ("name", "language", "style_id", "version")}
    times = {name: getattr(style, name) for name in ("creation_time", "updated_time")}
    assert Style(style.rules, style.instructions, **members, **times) == style
    assert style.replace() == style
    assert pickle.loads(pickle.dumps(style)) == style
    assert copy.deepcopy(style) == style


def test_rules_the_catalogue_does_not_know_are_kept():
    rules = {"new_category": {"new_rule": "new_option"}, "punctuation": {"serial_comma": "brand_new"}}
    style = Style.from_noun(noun(configured_rules=rules))
    assert style.to_noun().configured_rules == rules
    assert style.rules["category"].tolist() == ["new_category", "punctuation"]


def test_the_order_of_rules_and_the_labels_of_rows_say_nothing():
    style = Style(RULES)
    turned = Style(style.rules.iloc[::-1].set_axis(["x", "x"]))
    assert turned == style
    assert turned.rules.index.tolist() == ["x", "x"]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"language": "de"},
        {"version": 4},
        {"style_id": None},
        {"rules": {}},
        {"instructions": None},
        {"creation_time": None},
    ],
)
def test_a_style_that_says_something_else_is_another_one(changes):
    style = Style.from_noun(noun())
    assert style.replace(**changes) != style
    assert style != "house"


def test_the_given_table_stays_as_it_is_and_other_columns_are_left_out():
    table = pd.DataFrame({"note": [1], "option": ["use"], "rule": ["serial_comma"], "category": ["punctuation"]})
    before = table.copy()
    style = Style(table)
    assert list(style.rules.columns) == ["category", "rule", "option"]
    style.rules.loc[0, "option"] = "changed"
    pd.testing.assert_frame_equal(table, before)
    assert style.rules["option"].tolist() == ["changed"]


def test_gaps_are_empty_where_a_text_must_be_and_gaps_where_one_may_be():
    table = pd.DataFrame({"label": ["a", None], "prompt": [float("nan"), "p"], "id": ["", pd.NA]})
    style = Style(None, table)
    assert style.instructions["label"].tolist() == ["a", ""]
    assert style.instructions["prompt"].tolist() == ["", "p"]
    assert style.instructions[["id", "source_language"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"category": ["a"], "rule": ["b"]}), "has no option"),
        (pd.DataFrame({"category": ["a"], "rule": [5], "option": ["c"]}), "'rule', row 0: expected text"),
        (
            pd.DataFrame([["a", "b", "c", "d"]], columns=["category", "rule", "option", "rule"]),
            "two columns called 'rule'",
        ),
        ([["a", "b", "c"]], "expected a table"),
        ({"punctuation": "use"}, "expected a dict of rule to option"),
        ({"punctuation": {"serial_comma": ["use"]}}, "expected text, found list"),
    ],
)
def test_what_is_no_table_of_rules_is_a_clear_error(table, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Style(table)


@pytest.mark.parametrize("member", [{"name": 5}, {"language": b"de"}, {"version": "3"}, {"version": True}])
def test_a_member_of_another_kind_is_a_clear_error(member):
    with pytest.raises(TypeError, match=next(iter(member))):
        Style(**member)


def test_a_part_of_a_list_is_known_by_its_columns():
    style = Style.from_noun(noun())
    assert is_part(style.rules)
    assert is_part(style.instructions[["prompt", "label"]])
    assert not is_part(pd.DataFrame({"source": ["a"], "label": ["b"]}))


def test_a_list_without_its_rules_is_not_taken_for_one_that_has_none():
    with pytest.raises(ValueError, match="pull"):
        Style.from_noun(noun(configured_rules=None))


def test_only_what_was_on_the_service_is_a_noun_of_it():
    with pytest.raises(ValueError, match="style_id, version, creation_time, updated_time"):
        Style(RULES, name="house", language="en").to_noun()


def test_a_rule_that_appears_twice_is_no_noun():
    style = Style.from_noun(noun())
    twice = pd.concat([style.rules, style.rules.head(1)]).set_axis(["a", "b", "c"])
    with pytest.raises(InvalidRows) as caught:
        style.replace(rules=twice).to_noun()
    assert caught.value.rows == ["a", "c"]


def test_a_time_without_a_zone_is_meant_as_utc():
    style = Style(creation_time=MOMENT.replace(tzinfo=None))
    assert style.creation_time == MOMENT


def test_tables_can_be_assigned_and_for_all_else_it_is_said_what_to_do():
    style = Style(RULES)
    style.rules = style.rules.head(0)
    style.instructions = [CustomInstruction("Kind", "Be kind.")]
    assert style == Style(None, [CustomInstruction("Kind", "Be kind.")])
    given = pd.DataFrame({"label": ["a"], "prompt": ["b"]})
    style.instructions = given
    given.loc[0, "label"] = "changed later"
    assert style.instructions["label"].tolist() == ["a"]
    with pytest.raises(ValueError, match="rule"):
        style.rules = pd.DataFrame({"nothing": [1]})
    with pytest.raises(
        AttributeError, match=r"a style's name cannot be assigned: use style = style\.replace\(name=\.\.\.\)"
    ):
        style.name = "x"
    with pytest.raises(AttributeError, match="only rules and instructions can"):
        style.rule = style.rules


def test_a_style_has_no_hash():
    style = Style(RULES)
    with pytest.raises(TypeError, match="unhashable"):
        hash(style)


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800", "x" * 100_000, "\0"])
def test_texts_are_shown_as_texts(text):
    style = Style({text: {text: text}}, [CustomInstruction(text, text)], name=text, language=text)
    html = style._repr_html_()
    assert "<script>" not in html
    assert "mathjax_ignore" in html
    assert len(html) < 5000
    assert len(repr(style)) < 5000
    assert repr(style).startswith("Style rule list ")
    assert "1 rule, 1 instruction" in html


def test_an_empty_style_says_that_it_is_empty():
    assert repr(Style()) == "Style rule list without a name: 0 rules, 0 instructions"
