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


REPAIRED = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=":memory:")
reviews = [f"The garden number {{n}} is large." for n in range(40)]
panel = panels.Translate(pd.DataFrame({{"id": range(40), "review": reviews}}))
panel
"""
BREAK = """
for place in range(5, 35, 3):
    panel.edit(place, "El jardín es grande 999.")
print(panel.wait(60))
"""


def test_a_stranger_translates_a_column_and_repairs_the_ten_worst_rows(show_in, running):
    screen = show_in("lab", REPAIRED.format(api_key=running.api_key, base_url=running.base_url), code=False)
    page = screen.page
    screen.get("button", "Into: Add a language").press("Enter")
    panel = page.locator(".svc-translate")
    grown = panel.evaluate("panel => panel.style.paddingBottom")
    assert grown, "the list hangs out of the panel"
    page.evaluate("dispatchEvent(new Event('resize'))")
    assert panel.evaluate("panel => panel.style.paddingBottom") == grown
    page.keyboard.type("Spanish")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    screen.get("button", re.compile("^Translate 40 rows, ")).press("Enter")
    screen.expect_text("No problems found.")
    table = screen.get("grid", "Translations")
    assert screen.python(BREAK).strip() == "True"  # the translator of these tests makes no mistakes
    screen.get("button", "Problems 10 rows").press("Enter")
    screen.get("button", "Worst first").press("Enter")
    screen.expect_text("10 of 40 rows.")
    table.get_by_role("row").nth(1).get_by_role("gridcell", name="El jardín es grande 999.").click()
    for _ in range(10):
        number = table.locator(":focus").or_(table.locator(".svc-cell:has(> .svc-pen:focus)")).first
        row = number.evaluate("node => node.closest('[role=row]').querySelector('[role=gridcell]').textContent")
        page.keyboard.press("F2")
        page.keyboard.press("Control+A")
        page.keyboard.type(f"El número de jardín {row} es grande.")
        page.keyboard.press("Enter")  # saves, and goes on to the next row
    expect(screen.get("button", "Problems 0 rows")).to_be_visible()  # the rows stay in sight until others are asked for
    expect(screen.get("button", "Edited by you 10")).to_be_visible()
    screen.look("translate-repaired")
    assert screen.python("print(panel.wait(60), panel.table['findings'].ne('').sum())").split() == ["True", "0"]


def test_sort_and_filter_by_score_edit_by_keyboard_and_undo(show_in, running):
    connect = CONNECT.format(api_key=running.api_key, base_url=running.base_url)
    screen = show_in("lab", connect, "panel", code=False)
    page, table = screen.page, screen.get("grid", "Translations")
    before = screen.python("print(panel.table['text'].iloc[0])").strip()
    house = table.get_by_role("gridcell", name=before, exact=True)
    expect(house).to_have_count(2)
    screen.get("button", "Worst first").press("Enter")
    expect(screen.get("columnheader", "Score")).to_have_attribute("aria-sort", "ascending")
    expect(table.get_by_role("row").nth(1)).to_contain_text("Tienen 21 piezas.")
    screen.expect_text("Use the score to decide what to review first; it does not measure quality.")
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
    screen.expect_text("2 rows have this text and use your wording.")
    assert page.locator(".svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0
    assert screen.python("print(panel.result['title_ES'].iloc[3])").strip() == HOSTILE
    expect(screen.get("button", re.compile("^Undo: edit of row"))).to_be_enabled()
    assert screen.violations() == []

    page.keyboard.press("Control+Z")
    expect(house).to_have_count(2)
    screen.expect_text("The wording from before your edit is restored")
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
    expect(table.get_by_role("textbox")).to_be_focused()  # it stays open
    page.keyboard.press("Escape")
    expect(house).to_have_count(2)

    house.first.click()
    chosen = screen.get("region", "Chosen row")
    chosen.get_by_role("button", name="Edit").press("Enter")
    pen = chosen.get_by_role("textbox", name="Your translation")
    expect(pen).to_be_focused()
    expect(pen).to_have_attribute("dir", "auto")
    pen.fill(LINES)
    screen.look("translate-edit-below")
    pen.press("Enter")
    expect(chosen.get_by_role("textbox", name="Your translation")).to_have_count(0)
    expect(chosen).to_contain_text("edited by you")
    page.keyboard.press("Control+Z")  # the focus is on the button
    expect(chosen).not_to_contain_text("edited by you")
    expect(limit).to_have_value("")
    page.keyboard.press("Control+Y")
    expect(chosen).to_contain_text("edited by you")
    assert screen.python("print(panel.table['text'].iloc[0] == panel.table['text'].iloc[3])").strip() == "True"
    assert screen.python("print(repr(panel.table['text'].iloc[3]))").strip() == repr(LINES)
    chosen.get_by_role("button", name="Edit").click()
    pen.press("Control+End")
    page.keyboard.type("  ")
    pen.press("Enter")  # which changes nothing in the kernel
    expect(pen).to_have_count(0)
    chosen.get_by_role("button", name="Edit").click()
    pen.fill("something else")
    node = pen.element_handle()
    pen.evaluate("pen => pen.setSelectionRange(3, 3)")
    screen.python("panel.edit(0, 'La casa 999 es roja.\\nMuy roja.').wait(60)")  # which brings findings
    expect(chosen.get_by_role("listitem").first).to_be_visible()
    assert node.evaluate("pen => pen.isConnected && pen.matches(':focus') && pen.selectionStart === 3")
    expect(pen).to_have_value("something else")
    pen.press("Escape")
    expect(chosen).to_contain_text("Muy roja.")


REFUSED = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=":memory:")
links = [f"See https://example.com/{{n}} for the house." for n in range(10, 16)]
panel = panels.Translate(pd.DataFrame({{"text": links}}), "text", "ES")
panel.run().wait(60)
panel
"""


def test_a_refused_wording_stays_open_with_what_it_lacks_and_the_card_follows_the_cursor(show_in, running):
    screen = show_in("lab", REFUSED.format(api_key=running.api_key, base_url=running.base_url), code=False)
    page, table = screen.page, screen.get("grid", "Translations")
    row = table.get_by_role("row").nth(2)
    cell = row.get_by_role("gridcell").nth(2)
    cell.click()
    chosen = screen.get("region", "Chosen row")
    expect(chosen).to_contain_text("Row 1,")
    page.keyboard.type("Mira la casa.")
    assert row.inner_text().count("example.com") == 1, "the text before runs on below the editor"
    page.keyboard.press("Enter")
    expect(table.get_by_role("alert")).to_have_text("Missing: https://example.com/11")
    screen.expect_text("Row 1: your wording must keep the protected text")
    pen = table.get_by_role("textbox")
    expect(pen).to_be_focused()
    expect(pen).to_have_value("Mira la casa.")
    page.keyboard.press("Enter")
    expect(pen).to_be_focused()
    screen.look("translate-refused")
    table.get_by_role("row").nth(6).get_by_role("gridcell").nth(1).click()  # it is not lost elsewhere either
    expect(cell).to_have_text("Mira la casa.")
    expect(cell).to_have_attribute("aria-invalid", "true")
    cell.dblclick()
    expect(pen).to_have_value("Mira la casa.")
    page.keyboard.type(" https://example.com/11")
    page.keyboard.press("Enter")
    screen.expect_text("Your wording is kept")
    expect(cell).to_have_text("Mira la casa. https://example.com/11")
    search = screen.get("searchbox", "Search rows")
    search.fill("Mira")
    screen.expect_text("6 of 6 rows.")  # they differ in what is protected alone, and have the wording too
    cell.click()
    page.keyboard.type("abc")
    for _ in range(3):
        page.keyboard.press("Control+Z")  # ends in the cell, whatever was written elsewhere before
    expect(pen).to_be_focused()
    expect(search).to_have_value("Mira")
    page.keyboard.type("Mira.")
    page.keyboard.press("Enter")
    expect(table.get_by_role("alert")).to_have_text("Missing: https://example.com/11")
    table.get_by_role("columnheader", name="Source").click()
    cell.click()
    page.keyboard.press("Escape")  # drops what was refused
    expect(cell).to_have_text("Mira la casa. https://example.com/11")
    search.fill("")
    cell = row.get_by_role("gridcell").nth(2)
    cell.dblclick()
    page.keyboard.type(" Sí")
    screen.python("panel.edit(4, 'Mira 999. https://example.com/14').wait(60)")  # which brings more columns
    screen.get("columnheader", "Findings")
    expect(pen).to_be_focused()
    expect(pen).to_have_value("Mira la casa. https://example.com/11 Sí")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Z")  # leads to the row that is as before
    expect(chosen).to_contain_text("Row 4,")
    cell.click()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Row 2,")  # where Enter went
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Row 3,")
    chosen.get_by_role("button", name="Edit").click()
    chosen.get_by_role("textbox", name="Your translation").fill("Mira.")
    page.keyboard.press("Enter")
    expect(chosen.get_by_role("alert")).to_have_text("Missing: https://example.com/13")
    expect(chosen.get_by_role("textbox", name="Your translation")).to_have_value("Mira.")
    assert screen.violations() == []
