"""The style rule panel in a real browser: what a person chooses and writes, and what the service then has."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb.service.faults import Fault
from svc_nb.session import Session
from svc_nb.wire.client import Client

CONNECT = """
import tempfile, svc_nb
from svc_nb import panels
session = svc_nb.connect({api_key!r}, base_url={base_url!r}, store=tempfile.mkdtemp() + "/answers.sqlite")
"""
PANEL = "panel = panels.StyleRules({given})\npanel"
HOSTILE = "<img src=x onerror=alert(1)> $x_1^2$ =cmd()"
RULES = {"punctuation": {"serial_comma": "use"}, "style_and_tone": {"instructions_style": "use_imperative"}}
NEWER = {
    **RULES,
    "novelties": {"new_rule": "new_option"},
    "punctuation": {"ellipsis": "use_ellipsis_character"},
}

# Where what has the focus is, and whether it is a control of the panel.
FOCUS = """() => {
    const { top, bottom, left } = document.activeElement.getBoundingClientRect();
    return { top, bottom, left, inside: Boolean(document.activeElement.closest(".svc-panel")) };
}"""

# What a field shows in the next two seconds.
SHOWN = """async node => {
    const shown = new Set();
    for (const end = Date.now() + 2000; Date.now() < end; await new Promise(done => setTimeout(done, 20)))
        shown.add(node.value);
    return [...shown];
}"""
CHOSEN = "node => node.selectedOptions[0].text"


@pytest.fixture
def client(running) -> Iterator[Client]:
    with_session = Session.embedded(running)
    yield with_session.client
    with_session.close()


def cells(running, given="") -> list[str]:
    own = {"api_key": running.api_key, "base_url": running.base_url}
    return [CONNECT.format(**own), PANEL.format(given=given)]


def unknown(running, style_id: str, rules: dict) -> None:
    """What a newer service would hold."""
    with running.state.database.write() as connection:
        connection.execute(
            "UPDATE style_rules SET configured_rules = ?, version = version + 1 WHERE style_id = ?",
            (json.dumps(rules), style_id),
        )


def go_to(screen, tab: str, *keys: str) -> None:
    """A tab by the keyboard, from the one that is shown."""
    screen.page.locator(".svc-style [role=tab][aria-selected=true]").focus()
    for key in keys:
        screen.page.keyboard.press(key)
    expect(screen.page.locator(".svc-style [role=tab][aria-selected=true]")).to_have_text(tab)


def test_what_is_chosen_and_written_by_keyboard_is_what_the_service_has_after_a_push(show_in, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    screen = show_in("lab", *cells(running), code=False)
    page = screen.page
    screen.get("combobox", "Style rule list").select_option(label="House style · English · version 1")
    screen.expect_text("2 of 50 rules set")

    search = page.get_by_role("searchbox", name="Search rules and options")
    search.press_sequentially("oxford comma")
    comma = screen.get("radiogroup", "Serial comma")
    expect(page.get_by_role("radiogroup")).to_have_count(1)
    comma.get_by_role("radio", name="Use", exact=True).press("ArrowLeft")
    expect(comma.get_by_role("radio", name="Do not use")).to_be_checked()
    screen.expect_text("Changed here. On the service: Use")
    page.keyboard.press("Control+z")
    expect(comma.get_by_role("radio", name="Use", exact=True)).to_be_checked()
    page.keyboard.press("Control+y")
    screen.expect_text("Changed here. On the service: Use")
    search.press("ControlOrMeta+a")
    search.press("Delete")

    go_to(screen, "Instructions", "ArrowRight", "Enter")
    screen.press("Add an instruction")
    expect(page.get_by_role("textbox", name="Label")).to_be_focused()
    expect(page.get_by_text("Error:").first).to_be_hidden()
    page.keyboard.type(HOSTILE)
    prompt = page.get_by_role("textbox", name="Prompt")
    prompt.fill("x" * 305)
    screen.expect_text("5 too many: 305 of 300")
    screen.expect_text("1 error")
    prompt.fill("😀" * 300)
    screen.expect_text("300 of 300")
    prompt.fill("")
    go_to(screen, "Rules", "ArrowLeft", "Enter")
    screen.press("Push 2 changes …")
    expect(prompt, "what the push is refused for").to_be_focused()
    prompt.press_sequentially("Use short sentences.")
    screen.expect_text("20 of 300")
    screen.expect_text("1 of 200 instructions")

    # answers that come late do not write over what was typed since
    screen.python("import time; panel._hear = lambda message, hear=panel._hear: (time.sleep(0.8), hear(message))")
    for words in (" Be", " brief."):
        prompt.press_sequentially(words)
        page.wait_for_timeout(500)
    assert prompt.evaluate(SHOWN) == ["Use short sentences. Be brief."]
    screen.python("del panel._hear")

    go_to(screen, "Try out", "ArrowRight", "Enter")
    page.get_by_role("textbox", name="A sentence to try").fill("Rojo, verde y azul.")
    screen.press("Try out")
    screen.expect_text("Billed for both")
    expect(screen.get("button", "Try out", exact=True)).to_be_focused()
    go_to(screen, "Changes (2)", "ArrowRight", "Enter")
    screen.expect_text(HOSTILE)

    screen.press("Push 2 changes …")
    screen.expect_text("Punctuation › Serial comma: Do not use (on the service: Use)")
    assert client.style_rules.get(made.style_id).version == 1
    expect(screen.get("group", "Question")).to_be_focused()
    screen.press("Push 2 changes", "Space")
    screen.expect_text("Pushed 2 changes. House style · English · version")
    there = client.style_rules.get(made.style_id)
    assert there.configured_rules["punctuation"]["serial_comma"] == "do_not_use"
    assert there.configured_rules["style_and_tone"] == RULES["style_and_tone"]
    assert [(each.label, each.prompt) for each in there.custom_instructions] == [
        (HOSTILE, "Use short sentences. Be brief.")
    ]
    assert page.locator(".svc-panel img, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0

    assert page.evaluate(FOCUS)["inside"]
    screen.press("Undo the push")
    screen.expect_text("The push was undone on the service. Your edits are still here, not pushed.")
    expect(screen.get("combobox", "Style rule list")).to_be_focused()
    back = client.style_rules.get(made.style_id)
    assert back.configured_rules == RULES
    assert back.custom_instructions == ()


def test_control_z_undoes_a_step_wherever_the_focus_is_but_leaves_typing_to_the_browser(show_in, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    client.style_rules.add_instruction(made.style_id, "Tone", "Be brief.")
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    screen.get("tab", "Instructions (1)").click()
    prompt = page.get_by_role("textbox", name="Prompt")
    prompt.press("End")
    page.keyboard.type(" Mistake!")
    screen.expect_text("1 change not pushed")
    expect(screen.get("button", "Revert: instruction 1")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Control+z")
    expect(prompt, "the whole edit, from another field").to_have_value("Be brief.")
    page.keyboard.press("Control+Shift+z")
    expect(prompt).to_have_value("Be brief. Mistake!")
    prompt.focus()
    page.keyboard.press("Control+z")
    expect(prompt, "nothing was typed since").to_have_value("Be brief.")
    page.keyboard.type("x")
    page.keyboard.press("Control+z")
    expect(prompt, "as the browser does it").to_have_value("Be brief.")

    screen.get("button", "Delete instruction 1").click()
    expect(screen.get("button", "Add an instruction")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(prompt).to_have_value("Be brief.")
    screen.get("tab", "Try out").click()
    screen.press("Try out")
    screen.expect_text("Enter some text first.")


def test_what_is_undone_is_named_and_brought_into_view_and_the_focus_goes_back_to_the_button_that_asked(
    show_in, running, client
):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    comma = screen.get("radiogroup", "Serial comma")
    comma.get_by_role("radio", name="Do not use", exact=True).check()
    expect(comma.locator(".svc-rule-note span")).to_have_text("Changed here. On the service: Use")
    shelf = page.locator(".svc-shelf")
    shelf.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    before = comma.bounding_box()["y"]
    screen.press("Undo")
    screen.expect_text("Undone: “Serial comma”.")
    expect(comma.get_by_role("radio", name="Use", exact=True)).to_be_checked()
    frame = shelf.bounding_box()
    assert (
        before + comma.bounding_box()["height"] < frame["y"] <= comma.bounding_box()["y"] < frame["y"] + frame["height"]
    )

    screen.press("Redo")
    for _ in range(3):
        screen.press("Push 1 change …")
        expect(screen.get("group", "Question")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(screen.get("button", "Push 1 change …")).to_be_focused()

    running.faults.add(Fault("status", status=403))
    screen.press("Reload")
    retry = screen.get("button", "Retry")
    retry.focus()
    page.keyboard.press("Enter")
    expect(retry).to_be_focused()
    running.faults.clear()
    page.keyboard.press("Enter")
    screen.expect_text("1 change not pushed")
    expect(
        page.locator(".svc-style > .svc-line, .svc-line [role=status]").filter(has_text="1 change not pushed")
    ).to_be_focused()


def test_edits_are_forgotten_only_after_a_question(show_in, running, client):
    client.style_rules.create("House style", "en", configured_rules=RULES)
    shown = "for name in ('A', 'B'):\n    other = panels.StyleRules()\n    other.create(name, 'de')\n    "
    shown += "other.add_instruction('a', 'b')\n    other.close()\npanel = panels.StyleRules()\npanel"
    own = {"api_key": running.api_key, "base_url": running.base_url}
    screen = show_in("lab", CONNECT.format(**own), shown, code=False)
    screen.expect_text("Edits of “B” (German) from")
    question = screen.page.get_by_role("group", name="Question").filter(
        has_text="You will not be able to restore them."
    )
    for _ in range(2):
        screen.press("Forget …")
        expect(question).to_be_focused()
        screen.page.keyboard.press("Escape")
        expect(screen.get("button", "Forget …")).to_be_focused()
    screen.press("Forget …")
    screen.press("Forget the edits")
    screen.expect_text("Edits of “A” (German) from")


def test_it_is_a_pleasure_wide_and_narrow_light_and_dark(show_in, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    for label in ("Tone", "Length", "Names", "Brand"):
        client.style_rules.add_instruction(made.style_id, label, "Keep it short, and say what to do first.")
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    screen.get("radiogroup", "Serial comma").get_by_role("radio", name="Do not use").check()
    screen.expect_text("Changed here. On the service")
    page.get_by_role("searchbox", name="Search rules and options").fill("comma")
    screen.expect_text("options in other languages")
    screen.look("style-rules")

    page.get_by_role("searchbox", name="Search rules and options").fill("")
    screen.get("tab", "Instructions (4)").click()
    page.get_by_role("textbox", name="Prompt").nth(1).fill("word " * 70)
    screen.get("button", "Add an instruction").click()
    screen.expect_text("5 of 200 instructions")
    screen.look("style-instructions")

    screen.press("Undo")
    screen.press("Undo")
    screen.get("tab", "More").click()
    screen.get("button", "Copy …").click()
    screen.expect_text("carry over. The copy is only here")
    screen.look("style-copy")

    screen.press("Cancel")
    unknown(running, made.style_id, NEWER)
    screen.press("Push 1 change …")
    screen.expect_text("Nothing was sent or overwritten.")
    screen.look("style-conflict")

    screen.press("Take all from the service")
    screen.press("Continue")
    screen.get("tab", "Rules").click()
    screen.expect_text("not in the catalogue")


def test_examples_stand_beside_options_and_what_a_try_out_changed_is_marked_also_without_colours(
    show_in, running, client
):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    screen.expect_text("In sync with the service. No problems found.")
    page.get_by_role("searchbox", name="Search rules and options").fill("12-hour")
    time = screen.get("radiogroup", "Time format")
    option = time.locator("label", has_text="lowercase a.m. or p.m., with periods").first
    expect(option.locator(".svc-option-example")).to_have_text("3:00 p.m.")
    page.get_by_role("searchbox", name="Search rules and options").fill("oxford")
    comma = screen.get("radiogroup", "Serial comma").get_by_role("radio", name="Do not use", exact=True)
    expect(comma).to_have_accessible_description("red, green and blue")
    comma.check()
    expect(page.get_by_role("button", name="Changed (1)")).to_be_visible()
    screen.expect_text("1 change not pushed. The service does not use it yet.")
    screen.look("style-examples")

    screen.get("tab", "Changes (1)").click()
    expect(screen.get("columnheader", "As loaded")).to_be_visible()
    screen.get("tab", "Try out").click()
    screen.python(
        "panel.parts.trial.show([('With the edited list', [('red, green', False), (',', True), "
        "(' and <b>blue</b>', False)]), ('Without a style', [('red, green and blue', False)])])"
    )
    added = page.locator(".svc-result mark")
    expect(added.first).to_have_text(",")
    assert page.locator(".svc-result b").count() == 0
    page.emulate_media(forced_colors="active")
    assert added.first.evaluate("node => getComputedStyle(node).textDecorationLine") == "underline"
    screen.screenshot("style-tried-forced")
    page.emulate_media(forced_colors="none")
    screen.look("style-tried")


def test_tab_goes_from_top_to_bottom_and_no_click_leaves_the_keyboard_to_the_notebook(show_in, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    screen.get("radiogroup", "Serial comma").get_by_role("radio", name="Do not use", exact=True).check()
    screen.press("Push 1 change …")
    expect(screen.get("group", "Question")).to_be_focused()
    screen.get("combobox", "Style rule list").focus()
    before = page.evaluate(FOCUS)
    for _ in range(14):
        page.keyboard.press("Tab")
        now = page.evaluate(FOCUS)
        assert now["inside"]
        assert now["top"] >= before["bottom"] - 8 or now["left"] > before["left"], (before, now)
        before = now
    screen.press("Cancel")
    expect(screen.get("button", "Push 1 change …")).to_be_focused()
    screen.press("New list")
    expect(page.get_by_role("textbox", name="Name of a new list")).to_be_focused()
    page.keyboard.type("Zweite")
    page.keyboard.press("Enter")
    expect(screen.get("combobox", "Style rule list")).to_be_focused()
    screen.get("combobox", "Style rule list").select_option(label="House style · English · version 1 · edited")
    screen.press("Undo")
    expect(screen.get("button", "Redo")).to_be_enabled()
    assert page.evaluate(FOCUS)["inside"]
    screen.get("tab", "More").click()
    screen.press("Copy …")
    screen.press(f"Copy to {page.get_by_role('combobox', name='Copy for').evaluate(CHOSEN)}")
    screen.expect_text("Push it to use it in translations.")
    assert page.evaluate(FOCUS)["inside"]
