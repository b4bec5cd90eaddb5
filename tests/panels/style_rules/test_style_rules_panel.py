"""The style rule panel, driven as code drives it: what it shows, what it sends, and what it never loses."""

from __future__ import annotations

import json
import threading

import pytest
from ipywidgets.widgets.widget import _instances

from svc_nb import errors, service, style_rules
from svc_nb.panels import StyleRules
from svc_nb.panels.parts.widgets import is_shown
from svc_nb.service.faults import Fault
from svc_nb.style_rules.catalogue import Choice, languages_of
from svc_nb.style_rules.labels import search
from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved
from tests.panels.style_rules.conftest import RULES, pushed

TIME = "use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours"
SECRET = "Zwetschgendatschi 4711"
LONG = "A" * 120 + "Quittengelee 0815" + "B" * 120


def rule(panel: StyleRules, category: str, name: str) -> dict:
    """A rule as the board shows it."""
    found = {each["id"]: each for each in panel.board.content["categories"]}[category]["rules"]
    return {each["id"]: each for each in found}[name]


def items(panel: StyleRules) -> list[tuple[str, str]]:
    return [(each["label"], each["prompt"]) for each in panel.instructions.content["items"]]


def unknown(running: service.Service, style_id: str, rules: dict) -> None:
    """What a newer service would hold."""
    with running.state.database.write() as connection:
        connection.execute(
            "UPDATE style_rules SET configured_rules = ?, version = version + 1 WHERE style_id = ?",
            (json.dumps(rules), style_id),
        )


# ---- what is shown


def test_a_list_is_opened_by_name_with_its_language_and_version(opened, house):
    panel = opened("House")
    assert (panel.style_id, panel.version, panel.style) == (house.style_id, house.version, house)
    assert panel.line.text.startswith(f"House · English · version {house.version}: 2 of 50 rules set, 1 instruction.")
    assert [title for title, _ in panel.parts.lists.options] == [f"House · English · version {house.version}"]
    assert len(panel.changes) == 0


def test_the_board_offers_only_what_the_language_offers(panel):
    shown = [
        (category["id"], each["id"], option["id"])
        for category in panel.board.content["categories"]
        for each in category["rules"]
        for option in each["options"]
    ]
    assert len(shown) == len(style_rules.catalogue("en"))
    assert all("EN" in languages_of(Choice(*names)) for names in shown)


def test_what_the_catalogue_lacks_is_shown_as_it_is_and_kept(opened, house, running, connected):
    newer = {
        **RULES,
        "novelties": {"<b>rule</b>": "new_option"},
        "punctuation": {"serial_comma": "often", "apostrophe": "use_curly_apostrophes"},
    }
    unknown(running, house.style_id, newer)
    panel = opened(house.style_id)
    new = rule(panel, "novelties", "<b>rule</b>")
    assert (new["label"], new["odd"]) == ("<b>rule</b>", "not in the catalogue")
    comma = rule(panel, "punctuation", "serial_comma")
    assert [option["odd"] for option in comma["options"]] == ["", "", "not in the catalogue"]
    apostrophe = rule(panel, "punctuation", "apostrophe")
    assert [option["odd"] for option in apostrophe["options"]] == ["not offered for English"]
    assert "3 warnings" in panel.line.text
    panel.rename("Haus")
    pushed(panel)
    assert connected.client.style_rules.get(house.style_id).configured_rules == newer


def test_a_search_finds_options_by_their_labels_and_tells_of_other_languages(panel):
    found = panel.search("OXFORD comma")
    assert found["rule"].unique().tolist() == ["serial_comma"]
    assert found["option_label"].tolist() == ["Do not use", "Use"]
    assert panel.board.content["filter"] == "OXFORD comma"
    panel.search("eszett")
    assert panel.board.content["elsewhere"]["found"] == [["Eszett (ß)", "Replace ß with ss", "German"]]
    panel.search("use")
    elsewhere = panel.board.content["elsewhere"]
    assert len(elsewhere["found"]) < elsewhere["count"] == len(search("use")) - len(search("use", language="en"))


def test_findings_stand_where_they_belong(panel):
    number = panel.add_instruction("Tone", "p" * 301)
    told = dict(panel.instructions.content["findings"])
    assert {code for _, code, _ in told[number]} == {"too_long", "repeated_label"}
    assert "1 error and 1 warning" in panel.line.text
    assert panel.findings["code"].tolist() == ["too_long", "repeated_label"]
    with pytest.raises(ValueError, match="1 error in the instructions"):
        panel.push()


# ---- edits


def test_edits_are_steps_that_go_back_and_forth(panel):
    panel.set_rule("punctuation", "serial_comma", None)
    number = panel.add_instruction("New", "Say new things.")
    panel.write_instruction(number, prompt="Say old things.")
    panel.drop_instruction(1)
    assert items(panel) == [("New", "Say old things.")]
    assert len(panel.changes) == 3
    panel.undo()
    panel.undo()
    assert items(panel) == [("Tone", "Be brief."), ("New", "Say new things.")]
    panel.redo()
    panel.discard()
    assert len(panel.changes) == 0
    panel.undo()
    assert items(panel) == [("Tone", "Be brief."), ("New", "Say old things.")]
    assert "3 changes" not in panel.line.text
    assert "2 changes not pushed" in panel.line.text


def test_undo_and_redo_say_what_they_did_and_discarding_how_to_bring_it_back(panel):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    panel.set_rule("punctuation", "serial_comma", None)
    assert panel.undo() == "“Serial comma”"
    assert panel.line.text.startswith("Undone: “Serial comma”. House ")
    assert panel.style.rules["option"].tolist() == ["do_not_use", "use_imperative"]
    panel.redo()
    assert panel.line.text.startswith("Redone: “Serial comma”. House ")
    panel.discard()
    assert panel.line.text.startswith("Your edits are discarded. Undo brings them back. ")


def test_a_name_that_is_being_written_is_no_longer_asked_for(panel):
    panel.parts.name.heard({"kind": "submit"}, [])
    assert "needs a name" in panel.line.text
    panel.parts.name.value = "N"
    assert panel.line.text.startswith("House ")
    panel.parts.new_name.value = "Haus"
    panel.parts.new_name.heard({"kind": "submit"}, [])
    assert panel.style.name == "Haus"


def test_a_list_with_edits_and_its_new_name_are_seen_in_the_choice_of_lists(panel, house):
    panel.rename("Haus")
    assert panel.parts.lists.label == f"Haus · English · version {house.version} · edited"
    panel.create("Other", "German")
    assert f"Haus · English · version {house.version} · edited" in [title for title, _ in panel.parts.lists.options]


def test_what_the_browser_says_is_what_the_methods_do(panel):
    panel.board.hear({"kind": "set", "category": "punctuation", "rule": "serial_comma", "option": "do_not_use"})
    panel.instructions.hear({"kind": "add"})
    panel.instructions.hear({"kind": "write", "number": 2, "field": "label", "text": "half \ud83d pair"})
    panel.instructions.hear({"kind": "write", "number": 2, "field": "source_language", "text": "de"})
    panel.instructions.hear({"kind": "drop", "number": 1})
    assert panel.style.to_noun().configured_rules["punctuation"] == {"serial_comma": "do_not_use"}
    panel.box.heard({"kind": "undo"}, [])
    assert items(panel)[0] == ("Tone", "Be brief.")
    panel.box.heard({"kind": "redo"}, [])
    assert items(panel) == [("half \ufffd pair", "")]
    assert panel.style.instructions["source_language"].tolist() == ["DE"]
    panel.box.heard({"kind": "undo"}, [])
    panel.instructions.hear({"kind": "write", "number": 1, "field": "label", "text": "Other"})
    panel.instructions.hear({"kind": "write", "number": 1, "field": "prompt", "text": "Other"})
    panel.instructions.hear({"kind": "reset", "number": 1})
    assert items(panel)[0] == ("Tone", "Be brief.")
    panel.instructions.hear({"kind": "drop", "number": 1})
    panel.instructions.hear({"kind": "write", "number": 1, "field": "label", "text": "gone"})
    assert "no instruction number 1" in panel.line.text


def test_edits_of_one_list_stay_while_another_is_open(panel, house):
    panel.rename("Haus")
    panel.create("Other", "German")
    assert panel.style.name == "Other"
    panel.open(house.style_id)
    assert panel.style.name == "Haus"


# ---- pushing


def test_a_push_asks_in_words_and_sends_exactly_what_is_shown(panel, house):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    panel.add_instruction(SECRET, LONG)
    panel.push()
    assert panel.wait(60)
    assert "• Punctuation › Serial comma: Do not use (on the service: Use)" in panel.parts.question.line.text
    assert SECRET not in panel.parts.question.line.text
    assert style_rules.pull(house.style_id) == house
    panel.confirm()
    assert panel.wait(60)
    there = style_rules.pull(house.style_id)
    assert there == panel.style
    assert there.instructions["label"].tolist() == ["Tone", SECRET]
    assert panel.version == there.version > house.version
    assert len(panel.changes) == 0


def test_a_push_is_undone_and_its_edits_stay_not_pushed(panel, house):
    panel.set_rule("punctuation", "serial_comma", None)
    panel.add_instruction("New", "Say new things.")
    pushed(panel).undo_push()
    assert panel.wait(60)
    assert panel.problem is None
    assert not len(style_rules.diff(house.style_id, house))
    assert panel.line.text.startswith("The push was undone on the service. Your edits are still here, not pushed.")
    assert len(panel.changes) == 2
    pushed(panel)
    assert style_rules.pull(house.style_id).instructions["label"].tolist() == ["Tone", "New"]


def test_a_push_is_undone_only_while_its_list_is_open(panel, house):
    panel.rename("Haus")
    pushed(panel)
    assert is_shown(panel.buttons["undo_push"])
    panel.create("Other", "German")
    assert not is_shown(panel.buttons["undo_push"])
    with pytest.raises(ValueError, match="no push of this list"):
        panel.undo_push()
    panel.open(house.style_id)
    assert is_shown(panel.buttons["undo_push"])
    panel.undo_push()
    assert panel.wait(60)
    assert style_rules.pull(house.style_id).name == "House"


def test_a_push_that_was_followed_by_anothers_is_not_undone(panel, house):
    panel.rename("Haus")
    pushed(panel)
    style_rules.push(style_rules.pull(house.style_id).replace(name="Maison"))
    panel.undo_push()
    assert panel.wait(60)
    assert "changed again since the push" in panel.line.text
    assert style_rules.pull(house.style_id).name == "Maison"


def test_a_new_list_is_made_by_its_push_and_gone_after_the_undo(opened):
    panel = opened()
    panel.create("New", "German")
    panel.set_rule("punctuation", "ellipsis", "use_ellipsis_character")
    assert (panel.style_id, panel.version) == (None, None)
    assert len(style_rules.list()) == 0
    pushed(panel)
    assert style_rules.pull("New") == panel.style
    panel.undo_push()
    assert panel.wait(60)
    assert len(style_rules.list()) == 0
    assert panel.style_id is None
    assert len(panel.changes) == 1  # still here, to be pushed again


def test_a_name_that_is_taken_is_not_pushed_over(panel, opened):
    with pytest.raises(ValueError, match="already"):
        panel.create("House", "English")
    fresh = opened()
    fresh.create("Late", "en")
    style_rules.push(style_rules.Style({}, name="Late", language="en"))
    fresh.set_rule("punctuation", "serial_comma", "use")
    fresh.push()
    assert fresh.wait(60)
    assert "already" in fresh.line.text
    with pytest.raises(ValueError, match="nothing to confirm"):
        fresh.confirm()


# ---- others


def elsewhere(house, rules=RULES, **changes) -> None:
    there = style_rules.pull(house.style_id)
    style_rules.push(there.replace(rules=rules, **changes))


def test_what_others_changed_elsewhere_is_taken_over_and_told(panel, house):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    elsewhere(
        house,
        {**RULES, "numbers": {"decimal_numbers_less_than_one": "always_use_0_before_decimal_separator"}},
    )
    panel.push()
    assert panel.wait(60)
    assert "Merged 1 change made there: “Decimal numbers below one”." in panel.line.text
    assert panel.conflicts.empty
    pushed(panel)
    there = style_rules.pull(house.style_id).to_noun().configured_rules
    assert there["punctuation"] == {"serial_comma": "do_not_use"}
    assert "numbers" in there


@pytest.mark.parametrize(("whose", "option"), [("mine", "do_not_use"), ("theirs", None)])
def test_what_collides_is_shown_and_never_overwritten(panel, house, whose, option):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    panel.write_instruction(1, prompt="Be very brief.")
    elsewhere(house, {"style_and_tone": RULES["style_and_tone"]})
    before = style_rules.pull(house.style_id)
    panel.push()
    assert panel.wait(60)
    assert panel.conflicts.values.tolist() == [["Punctuation › Serial comma", "Use", "Do not use", None]]
    shown = panel.parts.collisions.content["rows"][0]
    assert (shown["mine"][0], shown["theirs"][0]) == ("Do not use", "Not set")
    with pytest.raises(ValueError, match="Choose which version to keep"):
        panel.push()
    panel.buttons["settle"].click()
    assert "every row" in panel.line.text
    assert style_rules.pull(house.style_id) == before
    panel.parts.collisions.hear({"kind": "choose", "place": 0, "whose": whose})
    panel.buttons["settle"].click()
    assert panel.conflicts.empty
    assert ("Merged 1 change made there: “Serial comma”." in panel.line.text) == (whose == "theirs")
    assert panel.parts.question.waits, "the push goes on"
    panel.confirm()
    assert panel.wait(60)
    there = style_rules.pull(house.style_id)
    assert there.to_noun().configured_rules.get("punctuation", {}).get("serial_comma") == option
    assert there.instructions["prompt"].tolist() == ["Be very brief."]


def test_a_change_between_the_question_and_the_answer_is_found_too(panel, house):
    panel.set_rule("punctuation", "serial_comma", "do_not_use")
    panel.push()
    assert panel.wait(60)
    elsewhere(house, {"style_and_tone": RULES["style_and_tone"]})
    panel.confirm()
    assert panel.wait(60)
    assert len(panel.conflicts) == 1
    assert "punctuation" not in style_rules.pull(house.style_id).to_noun().configured_rules


@pytest.mark.long
def test_a_list_that_was_deleted_elsewhere_can_be_made_again(panel, house):
    panel.rename("Haus")
    style_rules.delete(house.style_id)
    panel.push()
    assert panel.wait(60)
    assert "deleted elsewhere" in panel.line.text
    pushed(panel)
    assert style_rules.pull("Haus").instructions["label"].tolist() == ["Tone"]


def test_a_reload_brings_what_others_did_and_keeps_edits(panel, house):
    panel.rename("Haus")
    elsewhere(house, {})
    panel.reload()
    assert panel.wait(60)
    assert len(panel.style.rules) == 0
    assert panel.changes["item"].isna().all()
    assert panel.style.name == "Haus"


# ---- trying, copying, deleting


def test_a_try_out_shows_both_with_what_was_billed_and_leaves_no_list_behind(panel, unwarned):
    panel.set_rule("punctuation", "serial_comma", None)
    panel.try_out("Rojo, verde y azul.", source_lang="es", before="service")
    assert panel.wait(60)
    assert panel.problem is None
    assert [title for title, _ in panel.parts.trial.results] == ["With the edited list", "As on the service"]
    assert "Billed for both: 38 characters." in panel.parts.tried.text
    assert "This service ignores “Form of instructions”, instructions." in panel.parts.tried.text
    (marked,) = [told for *rule, told in panel.board.content["findings"] if rule[1] == "instructions_style"]
    assert marked == [["warning", "this service cannot apply this rule"]]
    assert len(style_rules.list()) == 1
    assert panel.parts.trial.busy is False


def test_a_try_out_is_no_longer_of_the_list_as_edited_when_it_is_edited_further(panel):
    panel.try_out("Hola.", source_lang="es")
    assert panel.wait(60)
    panel.set_rule("punctuation", "serial_comma", None)
    assert panel.parts.trial.results[0][0] == "With the list as it was when you tried it out"
    panel.undo()
    assert panel.parts.trial.results[0][0] == "With the edited list"


def test_a_try_out_of_a_text_in_the_language_of_the_list_says_so(panel):
    panel.try_out("The house is big, and the garden is small.")
    assert panel.wait(60)
    assert panel.parts.tried.text.startswith("The text is already in English, so it was not translated")


def test_a_copy_for_another_language_is_told_before_it_is_made(panel, house):
    panel.clone("de", "Haus")
    rows = panel.parts.left.content["rows"]
    assert [row["cells"][1][0] for row in rows] == ["Serial comma"]
    assert rows[0]["cells"][3][0] == "German does not offer the rule"
    assert panel.parts.question.line.text.endswith("Not carried over: “Serial comma”.")
    assert panel.style_id == house.style_id
    panel.confirm()
    assert (panel.style.name, panel.style.language, panel.style_id) == ("Haus", "DE", None)
    assert len(style_rules.list()) == 1
    pushed(panel)
    assert style_rules.pull("Haus").to_noun().configured_rules == {"style_and_tone": RULES["style_and_tone"]}


def test_a_copy_may_take_the_nearest_options_in_the_same_step(opened):
    rules = {"dates_and_times": {"time_format": TIME}}
    panel = opened(style_rules.push(style_rules.Style(rules, name="Haus", language="de")).after.style_id)
    panel.search("time")
    panel.clone("en")
    assert is_shown(panel.parts.nearest)
    assert panel.parts.question.line.text.endswith("\nNot carried over: “Time format”.")
    panel.parts.nearest.value = True
    assert panel.parts.question.line.text == (
        "Copy to English? 0 rules and 0 instructions carry over, 1 nearest option is used. The copy is only here "
        "until you push it."
    )
    panel.confirm()
    assert panel.style.rules["option"].tolist() == ["use_24_hour_clock"]
    assert panel.board.content["filter"] == "", "what was looked for was another list's"
    assert not is_shown(panel.parts.nearest)
    panel.undo()
    assert len(panel.style.rules) == 0


def test_a_list_that_is_only_here_is_created_by_enter_and_deleted_for_good(opened):
    panel = opened()
    panel.parts.name.value, panel.parts.language.value = "Neu", "DE"
    panel.parts.name.heard({"kind": "submit"}, [])
    assert panel.style.name == "Neu"
    panel.set_rule("punctuation", "ellipsis", "use_ellipsis_character")
    assert not panel.board.content["there"], "nothing is said of the service"
    panel.add_instruction("Tone", "Be brief.")
    panel.delete()
    question = panel.parts.question.line.text
    assert question.endswith(" with 1 rule and 1 instruction? It is only here, so you cannot undo this.")
    assert panel.buttons["confirm"].button_style == "danger"


def test_a_list_is_deleted_only_after_a_question_and_comes_back(panel, house):
    panel.delete()
    assert panel.parts.question.line.text == "Delete House · English · version 2 with 2 rules and 1 instruction?"
    assert len(style_rules.list()) == 1
    panel.confirm()
    assert panel.wait(60)
    assert len(style_rules.list()) == 0
    assert panel.style is None
    panel.undo_push()
    assert panel.wait(60)
    assert style_rules.pull("House").instructions["label"].tolist() == ["Tone"]
    assert panel.style_id != house.style_id
    assert panel.style.name == "House"
    assert f"The list has a new id: {panel.style_id}." in panel.line.text


# ---- drafts


def test_edits_that_were_not_pushed_are_offered_again(panel, house, opened):
    panel.set_rule("punctuation", "serial_comma", None)
    number = panel.add_instruction("New", SECRET)
    panel.write_instruction(number, label="Newer")
    edited = panel.style
    panel.close()
    elsewhere(house, {**RULES, "style_and_tone": {}})
    again = opened(house.style_id)
    assert again.parts.offer.line.text.startswith("Edits of “House” (English) from ")
    assert len(again.changes) == 0
    again.restore()
    assert again.wait(60)
    assert again.problem is None
    assert items(again) == [("Tone", "Be brief."), ("Newer", SECRET)]
    assert again.style.to_noun().configured_rules == {}
    assert len(edited.rules) == 1  # the other rule was removed elsewhere
    assert not again.parts.offer.waits
    pushed(again)
    again.close()
    assert not opened(house.style_id).parts.offer.waits


def test_what_a_restarted_kernel_still_has_is_counted(panel):
    panel.rename("Haus")
    assert panel._survives.startswith("Your draft of ")
    panel.create("New", "German")
    panel.add_instruction("a", "b")
    assert panel._survives.startswith("Your 2 drafts are kept, the newest of ")


def test_edits_made_since_a_draft_was_offered_wait_when_it_is_restored(panel, house, opened):
    panel.rename("Haus")
    panel.close()
    again = opened(house.style_id)
    again.add_instruction("New", SECRET)
    again.restore()
    assert again.wait(60)
    assert (again.style.name, items(again)) == ("Haus", [("Tone", "Be brief.")])
    assert "Restore them?" in again.parts.offer.line.text
    again.restore()
    assert again.wait(60)
    assert (again.style.name, items(again)) == ("House", [("Tone", "Be brief."), ("New", SECRET)])


def test_edits_that_are_forgotten_are_offered_no_more(panel, house, opened):
    panel.rename("Haus")
    panel.close()
    again = opened(house.style_id)
    again.forget()
    assert again.parts.question.line.text.startswith("Forget the edits of “House” (English) from ")
    assert again.buttons["confirm"].button_style == "danger"
    again.cancel()
    assert again.parts.offer.waits
    again.forget().confirm()
    assert not again.parts.offer.waits
    assert not opened(house.style_id).parts.offer.waits


def test_a_list_that_was_never_pushed_comes_back_too(opened):
    panel = opened()
    panel.create("New", "German")
    panel.add_instruction("a", "b")
    panel.close()
    again = opened()
    again.restore()
    assert again.wait(60)
    assert (again.style.name, again.style_id, items(again)) == ("New", None, [("a", "b")])


def test_a_cell_that_is_run_again_offers_the_edits_of_the_panel_before(panel, house, opened):
    panel.rename("Haus")
    panel.create("New", "German")
    panel.add_instruction("a", "b")
    again = opened(house.style_id)
    assert "another panel" in again.parts.offer.line.text
    again.restore()
    assert again.wait(60)
    assert again.style.name == "Haus"
    assert again.parts.offer.line.text.startswith("Edits of “New” (German) are in another panel")
    panel.open(house.style_id)
    assert panel.wait(60)
    assert panel.style.name == "House"
    again.undo()  # the history came with them
    assert again.style.name == "House"
    third = opened()
    third.parts.show_making()
    third.restore()
    assert not is_shown(third.parts.making)
    assert (third.style.name, items(third)) == ("New", [("a", "b")])
    assert "Another panel has taken over" not in panel.line.text  # it has another list open by now


def test_a_cell_that_is_run_again_offers_the_edits_of_all_lists_one_after_the_other(panel, house, opened):
    panel.rename("Haus")
    for name in ("Gamma", "Delta"):
        panel.create(name, "German")
        panel.add_instruction("a", "b")
    again = opened()
    found = []
    for others in (" 2 other lists also have unpushed edits.", " 1 other list also has unpushed edits.", "?"):
        assert again.parts.offer.line.text.endswith(others)
        again.restore()
        assert again.wait(60)
        found.append(again.style.name)
    assert found == ["Haus", "Gamma", "Delta"]
    assert not again.parts.offer.waits


def test_edits_of_another_panel_that_are_not_wanted_stay_there_and_those_of_a_later_one_are_not_offered(
    panel, house, opened
):
    panel.rename("Haus")
    later = opened()
    assert later.buttons["forget"].description == "Not now"
    later.forget()
    assert not later.parts.offer.waits
    assert len(panel.changes) == 1
    later.create("New", "German")
    later.add_instruction("a", "b")
    panel.undo()
    assert not panel.parts.offer.waits


# ---- errors, secrets, ends


def test_a_refusal_is_one_line_with_its_trace_and_nothing_is_lost(panel, house, running):
    running.faults.add(Fault("status", operation="PATCH /v3/style_rules/{style_id}", status=400))
    panel.rename("Haus")
    panel.push()
    assert panel.wait(60)
    panel.confirm()
    assert panel.wait(60)
    assert panel.line.kind == "error"
    assert "(trace " in panel.line.text
    assert "\n" not in panel.line.text
    assert isinstance(panel.problem, errors.BadRequest)
    running.faults.clear()
    assert len(panel.changes) == 1
    pushed(panel)
    assert style_rules.pull(house.style_id).name == "Haus"


def test_without_the_service_editing_continues_and_the_line_says_why(panel, running):
    panel.open("no such list")
    assert panel.wait(60)
    assert isinstance(panel.problem, errors.NotFound)
    running.stop()
    panel.rename("Haus")
    panel.push()
    assert panel.wait(60)
    assert panel.line.kind == "error"
    assert panel.buttons["push"].disabled is False
    assert panel.style.name == "Haus"


def test_texts_stay_out_of_widget_state_and_of_what_stays(panel):
    panel.add_instruction(SECRET, LONG)
    panel.parts.trial.write(SECRET)
    panel.push()
    assert panel.wait(60)
    assert_kept_out(panel, SECRET, LONG, "Quittengelee 0815", "Be brief.")


def test_texts_are_kept_when_asked(opened, house):
    panel = opened(house.style_id, keep_texts=True)
    assert "Be brief." in panel._stays()["text/html"]
    assert "Serial comma" in panel._stays()["text/html"]


CELLS = """
import tempfile, svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=tempfile.mkdtemp() + "/answers.sqlite")
"""


@pytest.mark.long
def test_a_saved_notebook_holds_no_key_and_no_instruction(running, house, connected):
    connected.client.style_rules.add_instruction(house.style_id, SECRET, LONG)
    own = {"api_key": running.api_key, "base_url": running.base_url}
    shown = f"panel = panels.StyleRules({house.style_id!r})\npanel"
    notebook = saved(CELLS.format(**own), shown, "panel.add_instruction('Label 77123', 'x'); panel.close()")
    assert_not_saved(notebook, running.api_key, SECRET, "Quittengelee 0815", "Label 77123")


def test_a_closed_panel_leaves_no_widget_and_no_thread(connected, house):
    before = set(_instances)
    with StyleRules(house.style_id) as panel:
        assert panel.wait(60)
        panel.try_out("Hola.")
    assert set(_instances) <= before
    assert [each for each in threading.enumerate() if each.name == "svc_nb panel"] == []


def test_a_confirmed_push_reads_the_list_once_before_it_writes_and_once_after(connected, panel, monkeypatch):
    panel.set_rule("punctuation", "serial_comma", None)
    panel.push()
    assert panel.wait(60)
    reads, get = [], type(connected.client.style_rules).get

    def counted(self, style_id):
        reads.append(style_id)
        return get(self, style_id)

    monkeypatch.setattr(type(connected.client.style_rules), "get", counted)
    panel.confirm()
    assert panel.wait(60)
    assert panel.problem is None
    assert reads == [panel.style_id] * 2
