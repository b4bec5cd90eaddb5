from __future__ import annotations

import pandas as pd
from hypothesis import given

from svc_nb.style_rules.diff import diff, instructions_of, paired
from svc_nb.style_rules.style import Style
from svc_nb.wire.models import CustomInstruction
from tests.style_rules.drawn import RULES, styles

COLUMNS = ["change", "what", "category", "item", "field", "before", "after"]


def rows(report):
    return [tuple(None if pd.isna(cell) else cell for cell in row) for row in report[COLUMNS].itertuples(index=False)]


def test_every_kind_of_difference_is_a_row():
    old = Style(
        RULES,
        [CustomInstruction("tone", "Be kind.", None, "1"), CustomInstruction("old", "Go.", "fr", "2")],
        name="house",
        language="en",
    )
    new = Style(
        {"punctuation": {"serial_comma": "do_not_use"}, "numbers": {"new": "x"}},
        [CustomInstruction("Tone", "Be brief.", "DE", "1"), CustomInstruction("new", "Come.")],
        name="home",
        language="EN",
    )
    report = diff(old, new)
    assert list(report.columns) == COLUMNS
    assert rows(report) == [
        ("changed", "list", None, None, "name", "house", "home"),
        ("removed", "rule", "dates_and_times", "calendar_era", "option", "use_bc_and_ad", None),
        ("changed", "rule", "punctuation", "serial_comma", "option", "use", "do_not_use"),
        ("added", "rule", "numbers", "new", "option", None, "x"),
        ("removed", "instruction", None, "old", "prompt", "Go.", None),
        ("removed", "instruction", None, "old", "source_language", "FR", None),
        ("changed", "instruction", None, "Tone", "label", "tone", "Tone"),
        ("changed", "instruction", None, "Tone", "prompt", "Be kind.", "Be brief."),
        ("changed", "instruction", None, "Tone", "source_language", "EN", "DE"),
        ("added", "instruction", None, "new", "prompt", None, "Come."),
    ]
    assert report.said.startswith("2 added, 5 changed, 3 removed: 1 field of the list, 3 rules, 3 instructions.")
    assert "push" in report.said
    assert "rgba" in report._repr_html_()


@given(styles())
def test_a_style_does_not_differ_from_itself_in_any_order(style):
    turned = style.replace(rules=style.rules.iloc[::-1], instructions=style.instructions.iloc[::-1])
    report = diff(style, turned)
    assert len(report) == 0
    assert repr(report) == "No difference."


@given(styles(), styles())
def test_the_other_way_round_added_is_removed_and_before_is_after(old, new):
    there, back = diff(old, new), diff(new, old)
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    kept = [0, 1, 2, 4]
    expected = sorted(
        repr((turned[row[0]], *(row[place] for place in kept[1:]), row[6], row[5])) for row in rows(there)
    )
    assert sorted(repr((*(row[place] for place in kept), row[5], row[6])) for row in rows(back)) == expected


def test_an_instruction_is_known_by_id_then_content_then_label_then_prompt():
    old = Style(
        None,
        [
            CustomInstruction("a", "p", None, "1"),
            CustomInstruction("b", "q", None, "2"),
            CustomInstruction("b", "r", None, "3"),
            CustomInstruction("d", "s", None, "4"),
            CustomInstruction("e", "t", None, "5"),
        ],
    )
    new = Style(
        None,
        [
            CustomInstruction("z", "s"),
            CustomInstruction("b", "r"),
            CustomInstruction("b", "new"),
            CustomInstruction("b", "r", None, "1"),
            CustomInstruction("nothing", "like it"),
        ],
    )
    pairs = paired(instructions_of(old), instructions_of(new))
    assert [each and each.id for each in pairs] == ["4", "3", "2", "1", None]


def test_a_source_language_that_is_not_given_is_the_lists():
    given_, left_out = (
        Style(None, [CustomInstruction("a", "p", language)], language="de") for language in ("DE", None)
    )
    assert len(diff(given_, left_out)) == 0
