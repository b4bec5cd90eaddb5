"""The translate panel in a real browser: what a person chooses, sees, runs, looks at and takes over."""

from __future__ import annotations

import re

from playwright.sync_api import expect

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
    screen.expect_text("Choose a column and a language to translate into.")
    pick(screen, "Columns", "title", "body")
    pick(screen, "Into", "Spanish", "French")
    go = screen.get("button", re.compile("^Translate 1"))
    expect(go).to_be_enabled()
    assert screen.violations() == []
    figures = screen.get("list", "Plan")
    expect(figures).to_contain_text("Characters to pay")
    screen.screenshot("translate-plan")

    go.press("Enter")
    screen.expect_text("Checks:")
    expect(screen.get("progressbar", "Translation")).to_have_attribute("aria-valuenow", "20")
    table = screen.get("grid", "Translations")
    expect(table.get_by_role("gridcell", name="La casa es roja.").first).to_be_visible()
    expect(table.get_by_role("gridcell", name=HOSTILE).first).to_be_visible()
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
    assert screen.violations() == []
    screen.get("button", re.compile("^All")).click()
    screen.screenshot("translate-result")

    screen.python("df['title_ES'] = 'mine'")
    screen.press("Add to the frame")
    screen.expect_text("Really replace what stands there?")
    screen.get("button", "Yes, replace them")
    screen.screenshot("translate-replace")
    screen.press("Leave them")
    screen.expect_text("Nothing was replaced.")
    screen.python("del df['title_ES']")
    screen.get("button", "Add to the frame").click()
    screen.expect_text("Added to the frame: title_ES, title_FR, body_ES, body_FR.")
    assert screen.python("print(df['title_ES'].iloc[0])").strip() == "La casa es roja."
    screen.get("button", "Take out again").click()
    screen.expect_text("Taken out of the frame again")
    with screen.page.expect_download() as download:
        screen.get("button", "CSV").click()
    assert "La casa es roja." in download.value.path().read_text("utf-8")


def test_a_long_run_is_watched_paused_and_cancelled(show_in, running):
    running.faults.add("latency", operation="POST /v2/translate", seconds=0.4)
    running.faults.add("capacity", operation="POST /v2/translate", limit=2)
    screen = show_in("lab", *cells(running, LARGE, 'panel = panels.Translate(df, "text", ["ES", "DE"])\npanel'),
                     code=False, theme="dark")  # fmt: skip
    screen.get("button", "Translate 6,000 texts, 249,780 characters").click()
    bar = screen.get("progressbar", "Translation")
    screen.expect_text("rows a second")
    screen.expect_text("characters billed")
    screen.get("grid", "Translations")
    screen.screenshot("translate-running-dark")
    assert screen.python("print(6 * 7)").strip() == "42"  # the kernel is free meanwhile
    screen.get("button", "Pause").click()
    screen.expect_text("paused")
    screen.page.wait_for_timeout(800)
    before = bar.get_attribute("aria-valuenow")
    screen.page.wait_for_timeout(800)
    assert bar.get_attribute("aria-valuenow") == before
    screen.get("button", "More options").click()
    screen.get("button", "Resume").click()
    expect(bar).not_to_have_attribute("aria-valuenow", before)
    screen.get("button", "Cancel").click()
    screen.expect_text("What is done is kept")
    screen.get("button", re.compile(r"^Try .* rows again"))
    screen.expect_text("The checks found nothing.")
    head = screen.get("columnheader", "Translation").bounding_box()
    cell = screen.page.get_by_role("gridcell", name="El número de jardín 0 es grande y verde.").bounding_box()
    assert abs(head["x"] - cell["x"]) < 3, "the rows do not stand below their headings"
    assert screen.violations() == []
    screen.screenshot("translate-cancelled-dark")


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
    screen.expect_text("The checks found nothing.")
    screen.get("button", re.compile("^Not sent")).click()
    grid = screen.get("grid", "Translations")
    grid.get_by_role("gridcell", name="not sent", exact=True).first.click()
    expect(screen.get("region", "Chosen row")).to_contain_text("when the quota was spent")
    assert screen.violations() == []
    screen.screenshot("translate-quota")
    hostile = ".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container"
    assert screen.page.locator(hostile).count() == 0
    running.faults.clear()
    screen.get("button", re.compile("rows again")).click()
    screen.expect_text("800 of 800 rows done")
    screen.get("button", "Add to the frame").scroll_into_view_if_needed()
    screen.screenshot("translate-bottom")
