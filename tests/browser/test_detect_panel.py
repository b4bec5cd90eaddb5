"""The panel for languages in a real browser: what a person clicks, and what the chart and the rows then show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.language_codes import NAMES
from tests.browser.focus import focused
from tests.browser.test_usage_panel import CONNECT

HOSTILE = ["<img src=x onerror=alert(1)>", "=cmd() $x_1^2$ <b>bold</b>"]
FRAME = """
import pandas as pd
from tests.panels.detect.conftest import mixed
df = mixed({rows})
df = pd.concat([df, pd.DataFrame({{"text": {more!r}}})], ignore_index=True)
df["number"] = range(len(df))
panel = panels.Detect(df)
panel
"""


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True) as started:
        yield started


def cells(running, rows: str = "120, 60, 20", more: list[str] | None = None) -> list[str]:
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    return [CONNECT.format(**own), FRAME.format(rows=rows, more=HOSTILE if more is None else more)]


def photograph(screen, name: str) -> None:
    for width in (700, 1600):
        screen.width(width)
        screen.settle()
        screen.screenshot(name, widths=[width])


def bars(screen) -> list[float]:
    """How long the bar of each language is, as a part of the longest there could be."""
    cells = screen.get("grid", "Languages").locator(".svc-room .svc-cell.svc-share")
    return [
        float(share)
        for share in cells.evaluate_all("nodes => nodes.map(node => node.style.getPropertyValue('--svc-share'))")
    ]


def test_languages_are_detected_looked_at_and_relabelled(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.expect_text("Press the button to detect the languages of this column.")
    expect(screen.page.get_by_role("grid")).to_have_count(0)  # nothing is there before there is something to see
    screen.look("detect-empty")
    screen.press("Detect languages in 207 rows")
    mix = screen.get("grid", "Languages")
    names = ["English", "German", "French", "Not known", "No language"]
    for name in names:
        expect(mix.get_by_role("gridcell", name=name, exact=True)).to_be_visible()
    assert bars(screen) == pytest.approx([0.585, 0.29, 0.097, 0.01, 0.019], abs=0.001)
    photograph(screen, "detect-light")
    assert focused(screen) == "Detect again", "the focus is lost when the button is disabled for a moment"

    mix.get_by_role("gridcell", name="German").click()
    rows = screen.get("grid", "Rows")
    expect(rows.get_by_role("gridcell", name="Bitte geben Sie").first).to_be_visible()
    expect(rows).to_have_attribute("aria-rowcount", "61")  # all of them, and the heading
    screen.expect_text("German (DE)")
    screen.look("detect-rows")

    screen.get("button", "All rows 207").press("Enter")
    expect(rows).to_have_attribute("aria-rowcount", "208")
    screen.get("button", "To check 2").press("Enter")
    expect(screen.get("button", "To check 2")).to_have_attribute("aria-pressed", "true")
    expect(screen.get("button", "To check 2")).to_be_focused()
    expect(rows.get_by_role("gridcell", name="qwxz grmpf")).to_be_visible()
    cell = rows.get_by_role("row", name="qwxz grmpf").get_by_role("gridcell").nth(2)
    cell.dblclick()
    chooser = rows.get_by_role("combobox")
    expect(chooser).to_be_visible()
    chooser.select_option("Thai (TH)")
    screen.page.keyboard.press("Enter")
    screen.expect_text("Relabelled 1 row. 1 row to check.")
    expect(mix.get_by_role("gridcell", name="Thai", exact=True)).to_be_visible()
    assert screen.violations() == []
    screen.page.keyboard.press("Control+Z")
    screen.expect_text("Undone for 1 row.")
    screen.get("button", "Redo: relabelling of 1 row").click()
    screen.expect_text("Redone for 1 row.")
    assert focused(screen), "the button is disabled now, and its focus is gone"


def test_every_letter_counts_and_an_unknown_name_is_refused(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.press("Detect languages in 207 rows")
    rows, page = screen.get("grid", "Rows"), screen.page
    cell = rows.get_by_role("row", name="qwxz grmpf").get_by_role("gridcell").nth(2)
    cell.click()
    page.keyboard.type("sp", delay=1500)  # a browser forgets the first letter meanwhile
    expect(rows.get_by_role("alert")).to_have_text("“sp”: Spanish (ES)")
    screen.look("detect-letters")
    page.keyboard.press("Enter")
    screen.expect_text("Relabelled 1 row. 1 row to check.")
    expect(cell).to_have_text("Spanish (ES)")
    cell.click()
    page.keyboard.type("polka")
    expect(rows.get_by_role("alert")).to_contain_text("No match for “polka”.")
    page.keyboard.press("Enter")
    expect(rows.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Tab")
    screen.settle()
    expect(cell).to_have_text("Spanish (ES)")


def test_a_column_is_chosen_by_its_sample_and_its_length(show_in, running):
    frame = """
import pandas as pd
df = pd.DataFrame({"id": ["A-1", "A-2"], "title": ["Bag", "Hat"],
                   "review": ["The zip broke after a week of use.", "<b>Good</b> hat, I like it a lot."]})
panel = panels.Detect(df)
panel
"""
    screen = show_in("lab", cells(running)[0], frame, code=False)
    opener = screen.get("button", "Column: review, 34 characters on average")
    opener.press("Enter")
    page = screen.page
    expect(page.get_by_role("radio")).to_have_count(3)
    names = page.locator(".svc-picks-list label").all_inner_texts()
    assert [" ".join(name.split()) for name in names] == [
        "review 34 characters on average “The zip broke after a week of use.”",
        "title 3 characters on average “Bag”",
        "id 3 characters on average “A-1”",
    ]
    screen.look("detect-columns")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(screen.get("button", "Column: title, 3 characters on average")).to_be_focused()
    assert screen.python("print(panel.languages.name)").strip() == "title_lang"
    screen.get("button", "Column: title").click()
    page.get_by_role("radio", name="review").click()
    expect(screen.get("button", "Column: review")).to_be_focused()
    assert screen.python("print(panel.languages.name)").strip() == "review_lang"
    assert page.locator(".svc-panel b").count() == 0


def test_texts_stay_texts_and_columns_go_into_the_frame(show_in, running):
    screen = show_in("lab", *cells(running), code=False, theme="dark")
    screen.press("Detect languages in 207 rows")
    screen.get("grid", "Languages")
    photograph(screen, "detect-dark")
    rows = screen.get("grid", "Rows")
    rows.get_by_role("row", name="qwxz grmpf").get_by_role("gridcell").first.click()
    screen.page.keyboard.press("Shift+ArrowDown")
    screen.page.wait_for_timeout(300)  # a person needs longer to get to the button
    screen.get("button", "Relabel selected rows").click()
    screen.expect_text("Choose the correct language first.")
    screen.get("combobox", "Correct language").select_option("Thai (TH)")
    screen.get("button", "Relabel selected rows").click()
    screen.expect_text("Relabelled 2 rows.")
    screen.screenshot("detect-relabelled", widths=[1600])
    screen.get("button", "Undo: relabelling of 2 rows").click()
    screen.expect_text("Undone for 2 rows.")
    screen.python("panel.relabel({205: 'de', 206: 'de'}); panel.show_relabelled()")
    for text in HOSTILE:
        expect(screen.page.get_by_role("gridcell", name=text, exact=True).first).to_be_visible()
    found = ".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container"
    assert screen.page.locator(found).count() == 0
    screen.screenshot("detect-hostile")

    screen.get("textbox", "New column").fill("number")
    screen.get("button", "Add to the frame").click()
    screen.expect_text("The frame already has a column “number”. Replace it?")
    screen.look("detect-replace")
    screen.press("Cancel")
    screen.expect_text("Nothing was changed.")
    assert focused(screen), "the question is hidden, and the focus of its answer is gone"
    screen.get("textbox", "New column").fill("lang")
    screen.get("button", "Add to the frame").click()
    screen.expect_text("Added to the frame: lang")
    assert screen.python("print(df['lang'][0], df['lang'][206])").split() == ["EN", "DE"]
    screen.get("button", "Undo: remove the column").click()
    screen.expect_text("Removed from the frame: lang")
    assert focused(screen), "the button is hidden, and its focus is gone"
    assert screen.python("print(list(df.columns))").strip() == "['text', 'number']"
    with screen.page.expect_download() as download:
        screen.get("button", "CSV").click()
    assert download.value.suggested_filename == "languages.csv"
    assert "relabelled" in download.value.path().read_text("utf-8").splitlines()[0]


def test_an_error_in_the_middle_is_one_line_and_many_languages_are_legible(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.press("Detect languages in 207 rows")
    screen.get("grid", "Languages")
    running.faults.add(service.Fault("status", operation="POST /v3/detect/language", status=403))
    try:
        screen.python("df.loc[100:, 'text'] = [f'Der Satz {row} ist neu und ganz anders.' for row in range(107)]")
        screen.get("button", "Detect again").click()
        screen.expect_text("trace")
        screen.expect_text("100 of 207 rows finished and kept")
        screen.look("detect-error")
    finally:
        running.faults.clear()
    running.faults.add(service.Fault("latency", operation="POST /v3/detect/language", seconds=6))
    screen.get("button", "Continue with").click()
    expect(screen.get("progressbar", "Rows whose language is known")).to_be_visible()
    screen.expect_text("of 207 rows")
    screen.screenshot("detect-running", widths=[700])
    assert screen.violations() == []
    running.faults.clear()
    screen.expect_text("No rows to check.")
    screen.python(f"panel.relabel({{row: {[*NAMES][:60]!r}[row % 60] for row in range(150)}})")
    mix = screen.get("grid", "Languages")
    expect(mix).to_have_attribute("aria-rowcount", "61")  # every language has a row, and there are no others
    photograph(screen, "detect-many")
    shares = bars(screen)
    assert shares == sorted(shares, reverse=True)


def highlighted(screen) -> list[str]:
    """The labels of the rows that are highlighted in the list of rows."""
    nodes = screen.get("grid", "Rows").locator(".svc-room .svc-row:has(.svc-selected) > .svc-cell:first-of-type")
    return nodes.all_inner_texts()


def test_the_rows_that_are_highlighted_are_those_that_change(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    page = screen.page
    screen.press("Detect languages in 207 rows")
    screen.get("button", "No language").click()
    rows = screen.get("grid", "Rows")
    screen.expect_text("Only a web address")
    relabel, undone = screen.get("button", "Relabel selected rows"), "panel.table['relabelled'].sum()"

    def texts(at: int):
        return rows.get_by_role("row").nth(at + 1).get_by_role("gridcell").nth(1)

    texts(0).click()
    texts(2).click(modifiers=["Shift"])
    screen.get("combobox", "Correct language").select_option("Ukrainian (UK)")
    for language in ("Ukrainian (UK)", "Slovak (SK)"):
        screen.get("combobox", "Correct language").select_option(language)
        relabel.click()
        screen.expect_text("Relabelled 3 rows.")
        expect(rows.get_by_role("gridcell", name=language)).to_have_count(3)
        assert len(highlighted(screen)) == 3, "what was changed is what is highlighted"
    relabel.click()
    screen.expect_text("Choose the correct language first.")  # the last one was meant for the rows before
    assert len(highlighted(screen)) == 3

    page.keyboard.press("Control+z")  # the focus is on the button
    screen.expect_text("Undone for 3 rows.")
    search = screen.get("searchbox", "Search rows")
    search.press_sequentially("12345")
    expect(rows).to_have_attribute("aria-rowcount", "2")
    screen.settle()
    assert highlighted(screen) == [], "nothing is selected among other rows"
    relabel.click()
    screen.expect_text("No rows are selected")
    assert screen.python(f"print({undone})").strip() == "3"


def test_the_language_that_was_detected_is_confirmed_by_enter(show_in, running):
    screen = show_in("lab", *cells(running, more=["Nokia Lumia 950"]), code=False)
    screen.press("Detect languages in 206 rows")
    rows, page = screen.get("grid", "Rows"), screen.page
    rows.get_by_role("row", name="Nokia").get_by_role("gridcell").nth(2).click()
    page.keyboard.press("Enter")
    expect(rows.get_by_role("combobox")).to_be_visible()
    page.keyboard.press("Tab")
    screen.settle()
    expect(rows.get_by_role("combobox")).to_have_count(0)
    assert screen.python("print(panel.table['relabelled'].sum())").strip() == "0", "to look at the list is no answer"
    rows.get_by_role("row", name="Nokia").get_by_role("gridcell").nth(2).click()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    screen.expect_text("Confirmed 1 row as Lithuanian (LT). 1 row to check.")
    screen.screenshot("detect-confirmed", widths=[1600])


def test_a_long_text_is_read_with_the_keyboard(show_in, running):
    long = "Der Zug nach Hamburg fährt heute leider nicht. " * 40
    screen = show_in("lab", *cells(running, more=[long]), code=False)
    screen.press("Detect languages in 206 rows")
    screen.get("grid", "Languages").get_by_role("gridcell", name="German").click()
    rows, page = screen.get("grid", "Rows"), screen.page
    rows.get_by_role("gridcell", name="Der Zug nach Hamburg").first.click()
    page.keyboard.press("Control+End")
    expect(rows.get_by_role("row").last).to_contain_text("leider nicht. Der Zug")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    told = page.locator(".svc-detect-rows .svc-told")
    expect(told).to_have_text(long)
    screen.screenshot("detect-long", widths=[1600])
    page.keyboard.press("ArrowUp")
    expect(told).to_be_empty()
