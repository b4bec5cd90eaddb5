"""The style rule panel in a real browser: what a person chooses and writes, and what the service then has."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

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
    screen.expect_text("Changed; it was: Use")
    search.press("ControlOrMeta+a")
    search.press("Delete")

    go_to(screen, "Instructions", "ArrowRight", "Enter")
    screen.press("Add an instruction")
    expect(page.get_by_role("textbox", name="Label")).to_be_focused()
    page.keyboard.type(HOSTILE)
    prompt = page.get_by_role("textbox", name="Prompt")
    prompt.fill("x" * 305)
    screen.expect_text("5 too many: 305 of 300")
    screen.expect_text("1 error")
    prompt.fill("😀" * 300)
    screen.expect_text("300 of 300")
    prompt.fill("")
    prompt.press_sequentially("Use short sentences.")
    screen.expect_text("20 of 300")
    screen.expect_text("1 of 200 instructions")

    go_to(screen, "Try out", "ArrowRight", "Enter")
    page.get_by_role("textbox", name="A sentence to try").fill("Rojo, verde y azul.")
    screen.press("Try out")
    screen.expect_text("Billed for both")
    go_to(screen, "Changes (2)", "ArrowRight", "Enter")
    screen.expect_text(HOSTILE)

    screen.press("Push 2 changes …")
    screen.expect_text("Punctuation › Serial comma: Do not use (now Use)")
    assert client.style_rules.get(made.style_id).version == 1
    screen.press("Yes, push 2 changes", "Space")
    screen.expect_text("Pushed: House style · English · version")
    there = client.style_rules.get(made.style_id)
    assert there.configured_rules["punctuation"]["serial_comma"] == "do_not_use"
    assert there.configured_rules["style_and_tone"] == RULES["style_and_tone"]
    assert [(each.label, each.prompt) for each in there.custom_instructions] == [(HOSTILE, "Use short sentences.")]
    assert page.locator(".svc-panel img, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0

    screen.press("Undo the push")
    screen.expect_text("The push was taken back; Redo brings the edits back.")
    back = client.style_rules.get(made.style_id)
    assert back.configured_rules == RULES
    assert back.custom_instructions == ()


def test_it_is_a_pleasure_wide_and_narrow_light_and_dark(show_in, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    for label in ("Tone", "Length", "Names", "Brand"):
        client.style_rules.add_instruction(made.style_id, label, "Keep it short, and say what to do first.")
    screen = show_in("lab", *cells(running, repr(made.style_id)), code=False)
    page = screen.page
    screen.get("radiogroup", "Serial comma").get_by_role("radio", name="Do not use").check()
    screen.expect_text("Changed; it was")
    page.get_by_role("searchbox", name="Search rules and options").fill("comma")
    screen.expect_text("options of other languages")
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
    screen.get("button", "See what carries over").click()
    screen.expect_text("carry over. Make it?")
    screen.look("style-copy")

    screen.press("Not now")
    unknown(running, made.style_id, NEWER)
    screen.get("button", "Push 1 change").click()
    screen.expect_text("Nothing was sent, nothing is overwritten.")
    screen.look("style-conflict")

    screen.press("All as on the service")
    screen.press("Go on")
    screen.get("tab", "Rules").click()
    screen.expect_text("not in the catalogue")
