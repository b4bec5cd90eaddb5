"""The magics in JupyterLab: what a cell looks like once it is translated, that nothing in it runs, and the tab key."""

from __future__ import annotations

from playwright.sync_api import expect

START = """
import os, tempfile
import pandas as pd
from svc_nb import service
from svc_nb.session import Session, make_current
from svc_nb.settings import Settings
running = service.start(memory=True, translators=["pseudo"], account=service.Account(quota=1000))
make_current(Session.embedded(running, Settings(store=tempfile.mkdtemp() + "/answers.sqlite")))
df = pd.DataFrame({"review": ["The tent is light.", None], "my words": ["a", "b"]})
%load_ext svc_nb
%config SvcMagics.target_lang = "DE"
"""
ATTACK = """%%translate --from EN
<script>window.ran = true</script> <img src="data:," onerror="window.ran = true">

<script>window.ran = true</script>

## The tents

A **light** tent, `df.head()` and $x^2$: [manual](https://example.com).

| Name | Price |
|------|------:|
| Tent | 5 |
"""
HEBREW = "%%translate HE --from EN --text\nשלום עולם, זה אוהל קל\n"


def test_a_cell_is_shown_as_it_looks_nothing_in_it_runs_and_the_tab_key_names_languages(show_in):
    screen = show_in("lab", START, ATTACK, HEBREW, "%svc translate df.review --as df['german']\ndf", "%svc status")
    expect(screen.get("heading", "[DE] The tents")).to_be_visible()
    assert screen.page.evaluate("window.ran") is None
    screen.screenshot("magics")
    screen.expect_text("[HE] שלום")
    screen.expect_text("[DE] The tent is light.")
    screen.expect_text("of 1,000 characters used")

    last = screen.page.locator(".jp-Notebook .cm-content").last
    last.click()
    screen.screenshot("magics-status")
    screen.theme("dark")
    screen.screenshot("magics-status-dark")
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.type("%svc translate df.review --to ")
    screen.page.keyboard.press("Tab")
    offered = screen.page.locator(".jp-Completer")
    expect(offered).to_contain_text("german")
    screen.screenshot("magics-completion")
    screen.page.keyboard.type("DE")
    screen.page.keyboard.press("Enter")
    expect(last).to_have_text("%svc translate df.review --to DE")
