"""What the style rule panel puts before a person: examples, counts, differences, questions, and the focus."""

from __future__ import annotations

from svc_nb import style_rules
from svc_nb.panels.parts.widgets import is_shown
from svc_nb.service.faults import Fault


def press(panel, name: str) -> None:
    assert not panel.buttons[name].disabled, name
    panel.buttons[name].click()
    assert panel.wait(60)


def test_an_option_has_an_example_beside_it_in_the_language_of_the_list(panel, opened):
    def example(shown, rule: str, option: str) -> str:
        rules = [each for category in shown.board.content["categories"] for each in category["rules"]]
        options = next(each["options"] for each in rules if each["id"] == rule)
        return next(each["example"] for each in options if each["id"] == option)

    assert example(panel, "time_format", "use_12_hour_clock_and_lowercase_am_or_pm_with_periods") == "3:00 p.m."
    assert example(panel, "serial_comma", "use") == "red, green, and blue"
    assert example(panel, "spelling_out_units", "always_spell_out_units_of_measure") == "5 kilograms"
    panel.create("Haus", "DE")
    assert example(panel, "spelling_out_units", "always_spell_out_units_of_measure") == "5 Kilogramm"
    assert {category["language"] for category in panel.board.content["categories"]} == {"de"}


def test_the_line_says_in_plain_words_what_is_here_and_what_is_on_the_service(panel):
    assert panel.line.text.endswith("1 instruction. In sync with the service. No problems found.")
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    assert "1 change not pushed. The service does not use it yet. No problems found." in panel.line.text
    panel.rename("Casa")
    assert "2 changes not pushed. The service does not use them yet." in panel.line.text
    assert panel.buttons["push"].description == "Push 2 changes …"
    assert panel.parts.tabs.titles[3] == "Changes (2)"
    assert panel.parts.differences.content["said"] == "2 changes not pushed"
    panel.add_instruction()
    assert panel.line.text.endswith("No problems found."), "not before something is written in it"
    panel.write_instruction(2, label="Length", source_language="fr")
    assert panel.line.text.endswith("1 error: see Instructions.")
    assert panel.buttons["push"].description == "Push 3 changes …", "an instruction is one change"
    panel.create("Neu", "DE")
    assert "Push it to use it in translations." in panel.line.text


def test_the_question_counts_what_the_button_counts_also_where_lines_are_the_same(panel):
    for label in ("One", "Two", "Three"):
        panel.add_instruction(label, "Be brief.")
    press(panel, "push")
    question = panel.parts.question.line.text
    assert question.startswith("Push 3 changes to “House” (English)?")
    assert question.count("•") == 1
    assert "• 3 instructions added" in question
    assert panel.buttons["confirm"].description == "Push 3 changes"
    assert panel.buttons["cancel"].description == "Cancel"
    assert panel.line.kind == "info", "a question is asked in its own place only"
    assert (panel.buttons["push"].button_style, panel.buttons["confirm"].button_style) == ("", "primary")


def test_the_choice_of_lists_names_the_version_that_is_open(panel, house):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    style_rules.push(style_rules.pull(house.style_id).replace(name="Casa"))
    panel.push()
    assert panel.wait(60)
    assert panel.version > house.version
    assert panel.parts.lists.label == f"Casa · English · version {panel.version} · edited"
    assert panel.parts.question.waits, "what others did is merged, and the push goes on"


def test_a_push_that_is_refused_leads_to_the_instruction_that_lacks_a_prompt(panel):
    panel.add_instruction("Length", "")
    press(panel, "push")
    assert "1 error in the instructions" in panel.line.text
    assert panel.parts.tabs.selected_index == 1


def test_a_new_list_is_asked_about_by_its_name_and_without_what_the_service_has(opened):
    panel = opened()
    panel.create("House", "EN")
    panel.set_rule("punctuation", "serial_comma", "use")
    panel.add_instruction("Tone", "Be brief.")
    press(panel, "push")
    told = "Create the list “House” (English)?\n• Punctuation › Serial comma: Use\n• Instruction added"
    assert panel.parts.question.line.text == told
    press(panel, "confirm")
    assert panel.line.text.startswith("Created. House · English · version 1: ")


def test_what_a_try_out_changed_is_marked_and_what_it_cost_is_said(panel):
    assert panel.parts.tried.text.startswith("Translates twice, with and without the list; both are billed.")
    panel.try_out("Rojo, verde y azul.", source_lang="es")
    assert panel.wait(60)
    results = [pieces for _, pieces in panel.parts.trial.results]
    texts = ["".join(text for text, _ in pieces) for pieces in results]
    assert all(texts)
    same = texts[0] == texts[1]
    assert ("Both translations are the same." in panel.parts.tried.text) == same
    assert ("Differences are marked." in panel.parts.tried.text) == (not same)
    assert any(differs for pieces in results for _, differs in pieces) == (not same)


def test_a_try_out_that_fails_leaves_no_results_of_the_one_before(panel, running):
    panel.try_out("Rojo, verde y azul.", source_lang="es")
    assert panel.wait(60)
    running.faults.add(Fault("status", operation="POST /v2/translate", status=403))
    panel.try_out("Rojo, verde y azul.", source_lang="es")
    assert panel.wait(60)
    assert panel.line.kind == "error"
    assert panel.parts.trial.results == []


def test_the_first_list_is_asked_for_where_there_is_none(connected, opened):
    panel = opened()
    assert panel.line.text == "There are no style rule lists yet. Enter a name and a language to create one."
    assert is_shown(panel.parts.making)
    assert not is_shown(panel.parts.tabs)
    panel.parts.name.value = "House"
    panel.parts.language.value = "DE"
    press(panel, "create")
    assert not is_shown(panel.parts.making)
    panel.parts.show_making()
    panel.create("Second", "DE")
    assert not is_shown(panel.parts.making)
    assert is_shown(panel.parts.tabs)
    style_rules.push(style_rules.Style(name="Other", language="en"))
    second = opened()
    assert second.line.text == "Choose a style rule list, or create a new one."
    assert not is_shown(second.parts.making)
    press(second, "new")
    assert is_shown(second.parts.making)
    press(second, "close_new")
    assert not is_shown(second.parts.making)
