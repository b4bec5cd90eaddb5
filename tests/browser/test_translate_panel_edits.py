"""Translations edited in a real browser: sorted and filtered by score, written by keyboard, undone; long ones below."""

from __future__ import annotations

import re

from playwright.sync_api import expect

CONNECT = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=":memory:")
titles = ["The house is red.", "Order {{name}} has 12 pieces.", "The garden is large.", "The house is red."]
panel = panels.Translate(pd.DataFrame({{"title": titles}}), "title", "ES")
panel.run().wait(60)
panel.edit(1, "Tienen 21 piezas.")
panel.wait(60)
"""
HOSTILE = "<b>La casa</b> es roja. مرحبا $x$"
LINES = "La casa es roja.\nMuy roja."


def test_sort_and_filter_by_score_edit_by_keyboard_and_undo(show_in, running):
    connect = CONNECT.format(api_key=running.api_key, base_url=running.base_url)
    screen = show_in("lab", connect, "panel", code=False)
    page, table = screen.page, screen.get("grid", "Translations")
    before = screen.python("print(panel.table['text'].iloc[0])").strip()
    house = table.get_by_role("gridcell", name=before, exact=True)
    expect(house).to_have_count(2)
    screen.get("columnheader", "Score").click()  # the lowest first
    expect(screen.get("columnheader", "Score")).to_have_attribute("aria-sort", "ascending")
    expect(table.get_by_role("row").nth(1)).to_contain_text("Tienen 21 piezas.")
    screen.expect_text("4 rows. The score is an order in which to look, not a mark of quality.")
    screen.look("translate-scores")

    limit = screen.get("textbox", "Score at most")
    limit.fill("50")
    limit.press("Enter")
    screen.expect_text("1 of 4 rows.")
    expect(house).to_have_count(0)
    limit.fill("")
    limit.press("Enter")
    expect(house).to_have_count(2)

    house.first.click()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type(HOSTILE)
    expect(page.locator(".svc-pen")).to_have_attribute("dir", "auto")
    screen.look("translate-edit")
    page.keyboard.press("Enter")
    expect(table.get_by_role("gridcell", name=HOSTILE)).to_have_count(2)
    screen.expect_text("2 rows have this text, and your wording.")
    assert page.locator(".svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0
    assert screen.python("print(panel.result['title_ES'].iloc[3])").strip() == HOSTILE
    expect(screen.get("button", re.compile("^Undo: edit of row"))).to_be_enabled()
    assert screen.violations() == []

    page.keyboard.press("Control+Z")
    expect(house).to_have_count(2)
    screen.expect_text("The wording before your edit is back")
    page.keyboard.press("Control+Y")
    expect(table.get_by_role("gridcell", name=HOSTILE)).to_have_count(2)
    screen.get("button", re.compile("^Undo: edit of row")).click()
    expect(house).to_have_count(2)

    house.first.click()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    screen.expect_text("Write a translation before saving")
    expect(house).to_have_count(2)

    house.first.click()
    chosen = screen.get("region", "Chosen row")
    chosen.get_by_role("button", name="Edit").press("Enter")
    pen = chosen.get_by_role("textbox", name="Your translation")
    expect(pen).to_be_focused()
    expect(pen).to_have_attribute("dir", "auto")
    pen.fill(LINES)
    screen.look("translate-edit-below")
    pen.press("Control+Enter")
    expect(chosen.get_by_role("textbox", name="Your translation")).to_have_count(0)
    expect(chosen).to_contain_text("edited by you")
    assert screen.python("print(panel.table['text'].iloc[0] == panel.table['text'].iloc[3])").strip() == "True"
    assert screen.python("print(repr(panel.table['text'].iloc[3]))").strip() == repr(LINES)
    chosen.get_by_role("button", name="Edit").click()
    pen.fill("something else")
    pen.press("Escape")
    expect(chosen).to_contain_text("Muy roja.")
