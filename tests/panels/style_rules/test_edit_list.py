"""A list under edit: every step goes back and forth, and can be done again from what a draft keeps."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.style_rules.lists import EditList
from svc_nb.style_rules.style import Content, Style
from svc_nb.wire.models import CustomInstruction

STYLE = Style(
    {"punctuation": {"serial_comma": "use"}},
    [
        CustomInstruction("Tone", "Be brief.", "de", "i1"),
        CustomInstruction("Names", "Keep them.", None, "i2"),
    ],
    name="House",
    language="en",
    style_id="s",
    version=3,
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
DEEDS = st.one_of(
    st.fixed_dictionaries(
        {
            "do": st.just("rule"),
            "category": st.sampled_from(["punctuation", "numbers"]),
            "rule": st.sampled_from(["serial_comma", "r"]),
            "option": st.sampled_from([None, "use", "do_not_use"]),
        }
    ),
    st.fixed_dictionaries({"do": st.just("name"), "name": st.sampled_from(["House", "Haus"])}),
    st.fixed_dictionaries(
        {
            "do": st.just("write"),
            "number": st.sampled_from([1, 2, 3]),
            "field": st.sampled_from(["label", "prompt"]),
            "text": TEXTS,
        }
    ),
    st.fixed_dictionaries(
        {
            "do": st.just("add"),
            "number": st.just(3),
            "label": TEXTS,
            "prompt": TEXTS,
            "source_language": st.sampled_from([None, "de"]),
        }
    ),
    st.fixed_dictionaries({"do": st.just("drop"), "number": st.sampled_from([1, 2, 3])}),
    st.sampled_from([{"do": "undo"}, {"do": "redo"}]),
)


def done(deeds) -> tuple[EditList, list[dict]]:
    """A sheet after *deeds*, and those that changed it."""
    sheet, kept = EditList(STYLE), []
    for deed in deeds:
        try:
            changed = sheet.do(deed)
        except ValueError:
            continue
        kept += [deed] if changed else []
    return sheet, kept


@given(st.lists(DEEDS, max_size=12))
def test_what_is_kept_as_json_makes_the_same_sheet_again(deeds):
    sheet, kept = done(deeds)
    again = EditList(STYLE)
    for deed in json.loads(json.dumps(kept)):
        again.do(deed)
    assert again.content == sheet.content
    assert (again.undoable, again.redoable) == (sheet.undoable, sheet.redoable)


@given(st.lists(DEEDS, max_size=12))
def test_undo_leads_back_to_the_beginning_and_redo_to_the_end(deeds):
    sheet, _ = done(deeds)
    end = sheet.content
    while sheet.undoable:
        assert sheet.do({"do": "undo"})
    assert sheet.content == sheet.began
    assert not sheet.is_changed
    while sheet.redoable:
        assert sheet.do({"do": "redo"})
    if end != sheet.content:  # something was undone before, and is done again now
        assert {"do": "undo"} in deeds


@given(st.lists(DEEDS, max_size=12))
def test_content_survives_json(deeds):
    content = done(deeds)[0].content
    assert Content.from_wire(json.loads(json.dumps(content.to_wire()))) == content


def test_a_style_is_what_its_content_says():
    assert Content.of(STYLE).to_style(STYLE) == STYLE


def test_what_is_typed_into_one_field_is_one_step():
    sheet = EditList(STYLE)
    for text in ("B", "Be", "Be short."):
        sheet.do({"do": "write", "number": 1, "field": "prompt", "text": text})
    sheet.do({"do": "write", "number": 1, "field": "label", "text": "Length"})
    sheet.do({"do": "undo"})
    assert sheet.content.numbers[1].prompt == "Be short."
    sheet.do({"do": "undo"})
    assert sheet.content == sheet.began
    assert sheet.undoable == ""


def test_every_option_that_was_chosen_is_a_step_with_the_name_of_its_rule():
    sheet = EditList(STYLE)
    for option in ("do_not_use", None):
        sheet.do({"do": "rule", "category": "punctuation", "rule": "serial_comma", "option": option})
    assert sheet.undoable == "“Serial comma”"
    sheet.do({"do": "undo"})
    assert sheet.content.rules == {("punctuation", "serial_comma"): "do_not_use"}
    sheet.do({"do": "undo"})
    assert sheet.content == sheet.began
    assert sheet.undoable == ""


def test_after_a_new_edit_what_was_undone_cannot_be_done_again():
    sheet = EditList(STYLE)
    sheet.do({"do": "name", "name": "Haus"})
    sheet.do({"do": "undo"})
    assert sheet.redoable == "the name"
    sheet.do({"do": "drop", "number": 1})
    assert sheet.redoable == ""
    assert not sheet.do({"do": "redo"})


def test_a_number_is_never_given_twice():
    sheet = EditList(STYLE)
    sheet.do({"do": "add", "number": 3, "label": "", "prompt": "", "source_language": None})
    sheet.do({"do": "drop", "number": 3})
    assert sheet.next_number == 4
    with pytest.raises(ValueError, match="no instruction number 3"):
        sheet.do({"do": "write", "number": 3, "field": "label", "text": "x"})


def test_an_edit_without_effect_is_not_a_change():
    sheet = EditList(STYLE)
    assert not sheet.do({"do": "rule", "category": "punctuation", "rule": "serial_comma", "option": "use"})
    assert not sheet.do({"do": "rule", "category": "numbers", "rule": "r", "option": None})
    sheet.do({"do": "write", "number": 2, "field": "source_language", "text": "en"})
    assert not sheet.is_changed  # that is the list's own, and was meant before
