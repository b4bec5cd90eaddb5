"""The style rule panel in a real browser: what a person chooses and writes, and what the service then has."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from svc_nb.client import Client
from svc_nb.session import Session

CONNECT = """
import tempfile, svc_nb
from svc_nb import panels
session = svc_nb.connect({api_key!r}, base_url={base_url!r}, store=tempfile.mkdtemp() + "/answers.sqlite")
"""
PANEL = "panel = panels.StyleRules({given})\npanel"
HOSTILE = "<img src=x onerror=alert(1)> $x_1^2$ =cmd()"
RULES = {"punctuation": {"serial_comma": "use"}, "style_and_tone": {"instructions_style": "use_imperative"}}


@pytest.fixture
def client(running) -> Client:
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


def test_what_is_chosen_and_written_is_what_the_service_has_after_a_push(show, running, client):
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    screen = show(*cells(running), code=False)
    page = screen.page
    screen.get("combobox", "Style rule list").select_option(label="House style · English · version 1")
    screen.expect_text("2 of 50 rules set")

    page.get_by_role("searchbox", name="Search rules and options").fill("oxford comma")
    comma = screen.get("radiogroup", "Serial comma")
    expect(page.get_by_role("radiogroup")).to_have_count(1)
    comma.get_by_role("radio", name="Use", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    expect(comma.get_by_role("radio", name="Do not use")).to_be_checked()
    screen.expect_text("Changed; it was: Use")
    page.get_by_role("searchbox", name="Search rules and options").fill("")

    screen.get("tab", "Instructions").click()
    screen.get("button", "Add an instruction").click()
    expect(page.get_by_role("textbox", name="Label")).to_be_focused()
    page.keyboard.type(HOSTILE)
    page.get_by_role("textbox", name="Prompt").fill("x" * 305)
    screen.expect_text("5 too many: 305 of 300")
    screen.expect_text("1 error")
    page.get_by_role("textbox", name="Prompt").fill("Use short sentences.")
    screen.expect_text("20 of 300")
    screen.expect_text("1 of 200 instructions")

    screen.get("tab", "Changes (2)").click()
    screen.expect_text(HOSTILE)
    screen.get("tab", "Try out").click()
    page.get_by_role("textbox", name="A sentence to try").fill("Rojo, verde y azul.")
    screen.get("button", "Try out", exact=True).click()
    screen.expect_text("Billed for both")

    screen.get("button", "Push 2 changes").click()
    screen.expect_text("Punctuation › Serial comma: Do not use (now Use)")
    assert client.style_rules.get(made.style_id).version == 1
    screen.get("button", "Yes, push 2 changes").click()
    screen.expect_text("Pushed: House style · English · version")
    there = client.style_rules.get(made.style_id)
    assert there.configured_rules["punctuation"]["serial_comma"] == "do_not_use"
    assert there.configured_rules["style_and_tone"] == RULES["style_and_tone"]
    assert [(each.label, each.prompt) for each in there.custom_instructions] == [
        (HOSTILE, "Use short sentences.")
    ]
    assert page.locator(".svc-panel img, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0

    screen.get("button", "Undo the push").click()
    screen.expect_text("Undone on the service.")
    back = client.style_rules.get(made.style_id)
    assert back.configured_rules == RULES
    assert back.custom_instructions == ()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_a_pleasure_wide_and_narrow(show, running, client, theme):
    newer = {
        **RULES,
        "novelties": {"new_rule": "new_option"},
        "punctuation": {"ellipsis": "use_ellipsis_character"},
    }
    made = client.style_rules.create("House style", "en", configured_rules=RULES)
    for label in ("Tone", "Length", "Names", "Brand"):
        client.style_rules.add_instruction(made.style_id, label, "Keep it short, and say what to do first.")
    screen = show(*cells(running, repr(made.style_id)), code=False, theme=theme)
    if screen.front != "voila":
        screen.theme(theme)
    page = screen.page
    comma = screen.get("radiogroup", "Serial comma")
    comma.get_by_role("radio", name="Do not use").check()
    screen.expect_text("Changed; it was")
    assert screen.violations() == []
    screen.screenshot(f"style-rules-{theme}")
    page.get_by_role("searchbox", name="Search rules and options").fill("date")
    page.wait_for_timeout(600)
    screen.screenshot(f"style-rules-search-{theme}")
    page.get_by_role("searchbox", name="Search rules and options").fill("")
    screen.get("tab", "Instructions (4)").click()
    page.get_by_role("textbox", name="Prompt").nth(1).fill("word " * 70)
    screen.get("button", "Add an instruction").click()
    screen.expect_text("5 of 200 instructions")
    assert screen.violations() == []
    screen.screenshot(f"style-instructions-{theme}")
    screen.get("button", "Undo", exact=True).click()
    screen.get("button", "Undo", exact=True).click()
    screen.get("tab", "Changes").click()
    assert screen.violations() == []
    screen.screenshot(f"style-changes-{theme}")
    screen.get("tab", "More").click()
    screen.get("button", "See what carries over").click()
    screen.expect_text("carry over. Make it?")
    assert screen.violations() == []
    screen.screenshot(f"style-copy-{theme}")
    screen.get("button", "No, not now").click()
    screen.get("tab", "Try out").click()
    page.get_by_role("textbox", name="A sentence to try").fill("Rojo, verde y azul.")
    screen.get("button", "Try out", exact=True).click()
    screen.expect_text("Billed for both")
    assert screen.violations() == []
    screen.screenshot(f"style-try-{theme}")
    unknown(running, made.style_id, newer)
    screen.get("button", "Push 1 change").click()
    screen.expect_text("Nothing was sent. Choose for each:")
    assert screen.violations() == []
    screen.screenshot(f"style-conflict-{theme}")
    screen.get("button", "All theirs").click()
    screen.get("button", "Go on with these").click()
    screen.get("tab", "Rules").click()
    screen.expect_text("not in the catalogue")
    screen.screenshot(f"style-unknown-{theme}")
