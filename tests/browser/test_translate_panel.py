"""The translate panel in a real browser: what a person chooses, sees, runs, looks at and takes over."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.focus import focused

CONNECT = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=":memory:")
"""
HOSTILE = "<img src=x onerror=alert(1)> costs $x_1^2$"
FRAME = f"""
titles = ["The house is red.", "Order {{name}} has 12 pieces.", None, "https://shop.example/a", {HOSTILE!r}]
df = pd.DataFrame({{"title": titles, "body": [f"The garden number {{n}} is large." for n in range(5)], "n": range(5)}})
"""
LARGE = 'df = pd.DataFrame({"text": [f"The garden number {n} is large and green." for n in range(3000)]})'
COLUMN = "<b>title</b> $x^2$"
NAMES = f"""
df = pd.DataFrame({{{COLUMN!r}: [f"The garden number {{n}} is large and green." for n in range(100)]}},
                  index=[f"row <i>{{n}}</i>" for n in range(100)])
"""
NAMED = """
panel = panels.Translate(df, target_lang=["ES", "FR", "IT", "DE", "JA", "PT-BR", "ZH-HANS"], price=20)
panel
"""
PANEL = "panel = panels.Translate(df, price=20)\npanel"


def cells(running, frame=FRAME, panel=PANEL) -> list[str]:
    return [CONNECT.format(api_key=running.api_key, base_url=running.base_url) + frame, panel]


def pick(screen, name: str, *wanted: str) -> None:
    """Pick from one of the lists that one can search in."""
    screen.get("button", f"{name}: Add").click()
    for each in wanted:
        screen.page.get_by_role("searchbox", name=f"Search {name.lower()}").fill(each)
        screen.page.get_by_role("checkbox", name=each).first.check()
    screen.page.keyboard.press("Escape")
    expect(screen.page.get_by_role("searchbox", name=f"Search {name.lower()}")).to_be_hidden()


def test_choose_see_the_cost_run_look_and_take_over(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.expect_text("Choose a language to translate into.")
    expect(screen.get("button", "Remove body")).to_contain_text("29 characters on average")  # the longest texts
    assert screen.page.locator(".svc-panel :is([role=grid], [role=progressbar], .svc-figure):visible").count() == 0
    screen.get("button", "Columns: Add").click()
    expect(screen.page.get_by_role("checkbox", name="“The garden number 0 is large.”")).to_be_checked()
    screen.look("translate-columns")
    screen.page.get_by_role("checkbox", name="The house is red.").check()
    screen.page.keyboard.press("Escape")
    pick(screen, "Into", "Spanish", "French")
    go = screen.get("button", re.compile("^Translate 16 cells, "))
    expect(go).to_be_enabled()
    figures = screen.get("list", "Plan")
    expect(figures).to_contain_text("Characters to pay")
    screen.look("translate-plan")

    go.press("Enter")
    screen.expect_text("problems. Check the worst first.")
    assert focused(screen), "the button is disabled while it runs, and its focus is gone"
    expect(screen.get("progressbar", "Translation")).to_have_attribute("aria-valuenow", "20")
    expect(screen.page.get_by_role("list", name="Plan")).to_be_hidden()
    table = screen.get("grid", "Translations")
    expect(table.get_by_role("gridcell", name="La casa es roja.").first).to_be_visible()
    expect(table.get_by_role("gridcell", name=HOSTILE).first).to_be_visible()
    expect(screen.get("button", "Translated 16")).to_have_attribute("aria-pressed", "false")
    screen.get("button", "Skipped 4, 2 empty, 2 web address only").press("Enter")
    expect(screen.get("button", "Skipped 4")).to_be_focused()
    screen.expect_text("4 of 20 rows")
    screen.get("button", re.compile("^Problems")).click()
    expect(table.get_by_role("gridcell", name="La casa es roja.")).to_have_count(0)
    table.get_by_role("gridcell", name=HOSTILE).first.click()
    chosen = screen.get("region", "Chosen row")
    expect(chosen).to_contain_text(HOSTILE)
    screen.page.keyboard.press("ArrowUp")
    screen.page.keyboard.press("Enter")
    expect(chosen).to_contain_text("Order {name} has 12 pieces.")
    screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press("Enter")
    expect(chosen).to_contain_text(HOSTILE)
    hostile = ".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container"
    assert screen.page.locator(hostile).count() == 0
    screen.look("translate-problems")
    screen.get("button", re.compile("^Problems")).click()  # once more shows all rows again
    expect(screen.get("button", "All cells 20")).to_have_attribute("aria-pressed", "true")
    screen.screenshot("translate-result")

    screen.python("df['title_ES'] = 'mine'")
    screen.press("Add to the frame")
    screen.expect_text("The frame already has a column “title_ES”. Replace it?")
    screen.get("button", "Replace 1 column")
    screen.look("translate-replace")
    screen.press("Cancel")
    screen.expect_text("Nothing was changed.")
    assert focused(screen), "the question is hidden, and the focus of its answer is gone"
    screen.python("del df['title_ES']")
    screen.press("Add to the frame")
    screen.expect_text("Added to the frame: body_ES, body_FR, title_ES, title_FR.")
    assert screen.python("print(df['title_ES'].iloc[0])").strip() == "La casa es roja."
    screen.press("Undo: remove 4 columns")
    screen.expect_text("Removed from the frame")
    assert focused(screen), "the button is hidden, and its focus is gone"
    with screen.page.expect_download() as download:
        screen.get("button", "CSV").click()
    assert "La casa es roja." in download.value.path().read_text("utf-8")


def test_after_the_last_hint_the_focus_is_on_the_button_that_translates(show_in, running):
    panel = 'panel = panels.Translate(df, "title", "ES")\npanel'
    screen = show_in("lab", *cells(running, panel=panel), code=False)
    screen.get("button", "Keep placeholders").press("Enter")
    expect(screen.get("button", "Keep placeholders")).to_have_count(0)
    expect(screen.get("button", "Keep tags")).to_be_focused()
    screen.page.keyboard.press("Enter")
    expect(screen.get("button", "Keep tags")).to_have_count(0)
    expect(screen.get("button", re.compile("^Translate 3 rows"))).to_be_focused()


def test_a_skipped_row_refuses_to_be_edited_before_anything_is_typed(show_in, running):
    panel = 'panel = panels.Translate(df, "title", "ES")\npanel.run().wait(60)\npanel'
    screen = show_in("lab", *cells(running, panel=panel), code=False)
    cell = screen.get("grid", "Translations").get_by_role("row").nth(4).get_by_role("gridcell").nth(2)
    cell.click()
    screen.page.keyboard.press("F2")
    screen.expect_text("This row was not sent, so it has no answer to edit: web address only")
    cell.dblclick()
    expect(screen.page.locator(".svc-pen.svc-open")).to_have_count(0)
    expect(screen.get("region", "Chosen row").get_by_role("button", name="Edit")).to_have_count(0)


def test_a_long_run_is_watched_paused_and_cancelled(show_in, running):
    running.faults.add("latency", operation="POST /v2/translate", seconds=0.4)
    running.faults.add("capacity", operation="POST /v2/translate", limit=2)
    screen = show_in("lab", *cells(running, LARGE, 'panel = panels.Translate(df, "text", ["ES", "DE"])\npanel'),
                     code=False, theme="dark")  # fmt: skip
    screen.get("button", "Translate 6,000 cells, 249,780 characters").press("Enter")
    bar = screen.get("progressbar", "Translation")
    screen.expect_text("cells a second")
    screen.expect_text("characters billed")
    screen.get("grid", "Translations")
    screen.screenshot("translate-running-dark")
    assert screen.python("print(6 * 7)").strip() == "42"  # the kernel is free meanwhile
    screen.get("button", "Pause").press("Enter")
    screen.expect_text("Paused: nothing new is sent. Press Continue to resume.")
    assert focused(screen) == "Continue"
    expect(bar).to_have_attribute("aria-valuetext", re.compile("^Paused · "))
    expect(screen.page.locator(".svc-meter")).to_have_attribute("data-state", "paused")
    screen.look("translate-paused")
    screen.page.wait_for_timeout(800)
    before = bar.get_attribute("aria-valuenow")
    screen.page.wait_for_timeout(800)
    assert bar.get_attribute("aria-valuenow") == before
    screen.get("button", "More options").click()
    screen.get("button", "Continue").press("Enter")
    expect(bar).not_to_have_attribute("aria-valuenow", before)
    screen.get("button", "Cancel").press("Enter")
    screen.expect_text("Cancelled. Finished rows are kept")
    screen.get("button", re.compile(r"^(Retry|Continue with) .* cells"))
    assert focused(screen), "the button is hidden, and its focus is gone"
    expect(screen.page.locator(".svc-meter")).to_have_attribute("data-state", "stopped")
    screen.expect_text("No problems found.")
    head = screen.get("columnheader", "Translation").bounding_box()
    cell = screen.page.get_by_role("gridcell", name="El número de jardín 0 es grande y verde.").bounding_box()
    assert abs(head["x"] - cell["x"]) < 3, "the rows do not stand below their headings"
    screen.look("translate-cancelled")


def test_many_languages_hostile_names_and_a_spent_quota(show_in, running):
    running.faults.add("quota", operation="POST /v2/translate", characters=3000)
    screen = show_in("lab", *cells(running, NAMES, NAMED), theme="dark")
    screen.get("button", "Into: Add").click()
    search = screen.page.get_by_role("searchbox", name="Search into")
    search.fill("port")
    expect(screen.page.get_by_role("checkbox")).to_have_count(3)
    screen.page.keyboard.press("Enter")  # takes the first
    search.fill("")
    last = screen.page.get_by_role("checkbox", name="Vietnamese")
    last.scroll_into_view_if_needed()
    screen.screenshot("translate-languages")
    last.click()  # nothing cuts the list off
    popup, opener = screen.page.locator(".svc-picks-popup:visible"), screen.get("button", "Into: Add")
    screen.get("button", "Remove Vietnamese")
    above = opener.bounding_box()
    assert popup.bounding_box()["y"] >= above["y"] + above["height"], "the list covers its button"
    assert screen.violations() == []
    screen.get("button", "Remove Vietnamese").click()
    screen.page.keyboard.press("Escape")
    expect(screen.get("button", "Remove Portuguese", exact=True)).to_be_visible()
    expect(screen.get("button", f"Remove {COLUMN}")).to_be_visible()
    expect(screen.get("combobox", "Formality")).to_be_disabled()  # no translator here knows it
    screen.get("textbox", "Budget").fill("much")
    screen.page.keyboard.press("Enter")
    screen.expect_text("budget: expected a number of characters")
    screen.screenshot("translate-slip")
    screen.get("textbox", "Budget").fill("1 M")
    screen.page.keyboard.press("Enter")
    screen.get("button", re.compile("^Translate ")).click()
    screen.expect_text("456 Quota for")
    screen.expect_text("(trace ")
    expect(screen.page.locator(".svc-meter")).to_have_attribute("data-state", "failed")
    screen.get("button", re.compile("^Not sent")).click()
    grid = screen.get("grid", "Translations")
    grid.get_by_role("gridcell", name="not sent", exact=True).first.click()
    expect(screen.get("region", "Chosen row")).to_contain_text("quota exhausted")
    screen.look("translate-quota")
    hostile = ".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container"
    assert screen.page.locator(hostile).count() == 0
    running.faults.clear()
    screen.get("button", re.compile("^(Retry|Continue with) .* cells")).click()
    screen.expect_text("800 of 800 cells")
    screen.get("button", "CSV").scroll_into_view_if_needed()
    screen.screenshot("translate-bottom")
