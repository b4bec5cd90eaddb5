"""The panel for languages in a real browser: what a person clicks, and what the chart and the rows then show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser.test_usage_panel import CONNECT, OVERLAPS, settle, texts

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
        settle(screen)
        screen.page.wait_for_timeout(400)
        screen.screenshot(name, widths=[width])
        assert screen.page.evaluate(OVERLAPS) == [], f"{name} at {width}"


def test_languages_are_detected_looked_at_and_relabelled(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.expect_text("207 rows in text")
    assert screen.violations() == []
    screen.get("button", "Detect languages").click()
    expect(screen.get("img", "Languages of 207 rows: 3 languages")).to_be_visible()
    photograph(screen, "detect-light")
    assert {"English", "German", "French", "Not detected"} <= set(texts(screen))

    screen.get("grid", "Languages").get_by_role("gridcell", name="German").click()
    rows = screen.get("grid", "Rows")
    expect(rows.get_by_role("gridcell", name="Bitte geben Sie").first).to_be_visible()
    screen.expect_text("20 samples of 60 rows in German")
    screen.get("button", "More samples").click()
    screen.expect_text("60 samples of 60 rows in German")
    assert screen.violations() == []

    screen.get("combobox", "Rows").select_option(index=0)
    expect(rows.get_by_role("gridcell", name="qwxz grmpf")).to_be_visible()
    cell = rows.get_by_role("row", name="qwxz grmpf").get_by_role("gridcell").nth(2)
    cell.dblclick()
    chooser = rows.get_by_role("combobox")
    expect(chooser).to_be_visible()
    chooser.select_option("Thai (TH)")
    screen.page.keyboard.press("Enter")
    screen.expect_text("1 row relabelled by hand")
    expect(screen.get("img", "4 languages")).to_be_visible()
    assert screen.violations() == []
    screen.get("button", "Undo relabelling").click()
    screen.expect_text("Taken back for 1 row")


def test_texts_stay_texts_and_columns_go_into_the_frame(show_in, running):
    screen = show_in("lab", *cells(running), code=False, theme="dark")
    screen.press("Detect languages")
    expect(screen.get("img", "Languages of 207 rows")).to_be_visible()
    photograph(screen, "detect-dark")
    assert screen.violations() == []
    rows = screen.get("grid", "Rows")
    rows.get_by_role("row", name="qwxz grmpf").get_by_role("gridcell").first.click()
    screen.page.keyboard.press("Shift+ArrowDown")
    screen.page.wait_for_timeout(300)  # a person needs longer to get to the button
    screen.get("button", "Relabel selected rows").click()
    screen.expect_text("Choose the right language first.")
    screen.get("combobox", "Right language").select_option("Thai (TH)")
    screen.get("button", "Relabel selected rows").click()
    screen.expect_text("Relabelled 2 rows.")
    screen.screenshot("detect-relabelled", widths=[1600])
    screen.get("button", "Undo relabelling").click()
    screen.expect_text("Taken back for 2 rows.")
    screen.python("panel.relabel({205: 'de', 206: 'de'}); panel.show_relabelled()")
    for text in HOSTILE:
        expect(screen.page.get_by_role("gridcell", name=text, exact=True).first).to_be_visible()
    found = ".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container"
    assert screen.page.locator(found).count() == 0
    screen.screenshot("detect-hostile")

    screen.get("textbox", "New column").fill("number")
    screen.get("button", "Add to the frame").click()
    screen.expect_text("Really replace")
    assert screen.violations() == []
    screen.screenshot("detect-replace", widths=[700])
    screen.get("button", "Leave it").click()
    expect(screen.page.get_by_role("button", name="Leave it")).to_be_hidden()
    screen.get("textbox", "New column").fill("lang")
    screen.get("button", "Add to the frame").click()
    screen.expect_text("Added to the frame: lang")
    assert screen.python("print(df['lang'][0], df['lang'][206])").split() == ["EN", "DE"]
    screen.get("button", "Take it out again").click()
    screen.expect_text("Taken out of the frame again")
    assert screen.python("print(list(df.columns))").strip() == "['text', 'number']"
    with screen.page.expect_download() as download:
        screen.get("button", "CSV").click()
    assert download.value.suggested_filename == "languages.csv"
    assert "relabelled" in download.value.path().read_text("utf-8").splitlines()[0]


def test_an_error_in_the_middle_is_one_line_and_many_languages_are_legible(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.get("button", "Detect languages").click()
    expect(screen.get("img", "Languages of 207 rows")).to_be_visible()
    running.faults.add(service.Fault("status", operation="POST /v3/detect/language", status=403))
    try:
        screen.python("df.loc[100:, 'text'] = [f'Der Satz {row} ist neu und ganz anders.' for row in range(107)]")
        screen.get("button", "Detect languages").click()
        screen.expect_text("trace")
        screen.expect_text("100 of 207 rows known and kept")
        assert screen.violations() == []
        screen.screenshot("detect-error")
    finally:
        running.faults.clear()
    running.faults.add(service.Fault("latency", operation="POST /v3/detect/language", seconds=6))
    screen.get("button", "Go on with").click()
    expect(screen.get("progressbar", "Rows whose language is known")).to_be_visible()
    screen.expect_text("of 207 rows")
    screen.screenshot("detect-running", widths=[700])
    assert screen.violations() == []
    running.faults.clear()
    screen.expect_text("no rows to look at")
    codes = [f"{a}{b}" for a in "qxyz" for b in "abcdefghijklmno"]
    screen.python(f"panel.relabel({{row: {codes!r}[row % 60] for row in range(150)}})")
    expect(screen.get("img", "61 languages")).to_be_visible()
    photograph(screen, "detect-many")
