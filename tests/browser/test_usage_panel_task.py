"""What a stranger does with the usage panel: find who used most, look closer, and cap them, by pointer or keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.session import Session
from svc_nb.usage.days import today
from tests.browser.test_usage_panel import cap, cells, settle

FOCUSED = (
    "() => { let at = document.activeElement; while (at?.shadowRoot) at = at.shadowRoot.activeElement; return at; }"
)
SWATCH = "node => getComputedStyle(node).backgroundColor"


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


def focused(screen) -> str:
    """The words of what has the focus."""
    return screen.page.evaluate(f"() => ({FOCUSED})()?.innerText || ''")


def test_who_used_most_last_month_is_found_and_capped(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    preset = screen.get("button", "Last month")
    expect(preset).to_have_attribute("aria-pressed", "false")
    preset.click()
    expect(preset).to_have_attribute("aria-pressed", "true")
    expect(screen.get("button", "30 days")).to_have_attribute("aria-pressed", "false")
    screen.expect_text("Largest: ")
    settle(screen)
    most = screen.page.locator(".svc-legend-entry").first.inner_text()
    screen.expect_text(f"Largest: {most}")

    screen.get("tab", "Caps").click()
    screen.expect_text("Nothing is sent before you confirm")
    row = screen.page.get_by_role("row", name=most)
    row.get_by_role("gridcell").nth(1).click()
    screen.page.keyboard.type("5,000")
    screen.page.keyboard.press("Enter")
    expect(row).to_contain_text("%, over")
    expect(row.locator(".svc-over")).to_have_attribute("style", re.compile("--svc-share: 1;"))
    row.get_by_role("gridcell").nth(0).click()
    screen.page.keyboard.type("5")
    screen.expect_text("“Key” cannot be edited.")
    row.get_by_role("gridcell").nth(1).click()
    screen.page.keyboard.press("Delete")
    expect(row).not_to_contain_text("%")
    screen.page.keyboard.type("5,000")
    screen.page.keyboard.press("Enter")
    expect(row).to_contain_text("%, over")
    screen.screenshot("usage-caps-over")
    asks = screen.get("button", "Change 1 cap …")
    place = asks.bounding_box()
    asks.click()
    screen.expect_text("Change 1 cap on the service?")
    screen.expect_text("it will be refused at once, until 1 ")
    answer = screen.get("button", "Change 1 cap", exact=True)
    assert answer.bounding_box()["y"] > place["y"] + place["height"]
    screen.page.wait_for_function(f"() => ({FOCUSED})()?.innerText?.includes('on the service?')")
    screen.page.keyboard.press("Escape")
    expect(answer).to_be_hidden()
    screen.page.wait_for_function(f"() => ({FOCUSED})()?.innerText === 'Change 1 cap …'")
    screen.page.keyboard.press("Enter")
    screen.page.wait_for_function(f"() => ({FOCUSED})()?.innerText?.includes('on the service?')")
    screen.page.keyboard.press("Tab")
    assert focused(screen) == "Change 1 cap"
    screen.page.keyboard.press("Enter")
    screen.expect_text(f"Changed: {most}: 5,000 characters a month")
    screen.page.wait_for_function(f"() => ({FOCUSED})()?.innerText?.startsWith('Change cap')")
    opened = Session.embedded(running)
    assert cap(opened.admin, most) == 5000
    opened.close()
    screen.get("button", "Undo 1 cap change").click()
    screen.expect_text("Undone")


def test_a_pointer_a_legend_and_colours_say_whose_a_bar_is(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    settle(screen)
    screen.page.wait_for_timeout(500)
    entry = screen.page.locator(".svc-legend-entry").first
    name = entry.inner_text()
    legend = {
        each.inner_text(): each.locator(".svc-swatch").evaluate(SWATCH)
        for each in screen.page.locator(".svc-legend-entry").all()
    }
    assert len({*legend.values()}) >= 6
    row = screen.get("grid", "Usage").get_by_role("row", name=name).first
    assert row.locator(".svc-sign").evaluate(SWATCH) == legend[name]

    spot = eval(screen.python(f"print(max(s for s in panel.picture.spots if s[5].startswith({name!r})))"))
    box = screen.page.locator(".svc-picture svg").bounding_box()
    middle = [(spot[0] + spot[2]) / 2 * box["width"], (spot[1] + spot[3]) / 2 * box["height"]]
    screen.page.mouse.move(box["x"] + middle[0], box["y"] + middle[1])
    expect(screen.page.locator(".svc-tip")).to_have_text(f"{spot[4]}{spot[5]}")
    screen.page.mouse.move(box["x"] + 2, box["y"] + 2)
    expect(screen.page.locator(".svc-tip")).to_be_hidden()

    expect(entry).to_have_attribute("aria-pressed", "true")
    entry.focus()
    screen.page.keyboard.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    screen.expect_text(f"Hidden in the chart: {name}.")
    assert focused(screen) == name
    screen.page.keyboard.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "true")

    shown = screen.page.locator(".svc-legend-entry[aria-pressed=true]")
    count = shown.count()
    for only in (lambda: entry.click(modifiers=["Alt"]), entry.dblclick):
        only()
        expect(shown).to_have_text([name])
        screen.expect_text("Hidden in the chart: ")
        entry.click(modifiers=["Alt"])
        expect(shown).to_have_count(count)
    settle(screen)
    screen.page.mouse.move(0, 0)
    screen.page.evaluate("() => document.activeElement.blur()")
    faint = screen.page.locator(".svc-picture [id*='-svc-bars-'][style*='opacity: 0.2']")
    expect(faint).to_have_count(0)
    entry.hover()
    expect(faint).to_have_count(count - 1)
    screen.page.mouse.move(0, 0)
    expect(faint).to_have_count(0)

    screen.get("combobox", "By", exact=True).select_option(label="Week")
    expect(screen.get("img", "Characters by week and key")).to_be_visible()
    screen.get("button", "7 days").click()
    screen.expect_text(f"from {today() - timedelta(days=6)} to {today()} (UTC)")
    settle(screen)
    for each in screen.page.locator(".svc-legend-entry").all():
        swatch = each.locator(".svc-swatch").evaluate(SWATCH)
        assert legend.get(each.inner_text(), swatch) == swatch
    screen.page.emulate_media(forced_colors="active", color_scheme="dark")
    expect(screen.page.locator(".svc-picture.svc-dark")).to_be_visible()
    screen.screenshot("usage-forced-colours")
    screen.page.emulate_media(forced_colors="none", color_scheme="light")
    screen.look("usage-legend")


def test_a_future_end_is_refused_and_an_empty_range_says_so(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    settle(screen)
    later = today() + timedelta(days=3)
    ending = screen.page.get_by_label("To", exact=True)
    ending.fill(str(later))
    ending.press("Tab")
    screen.expect_text(f"The end date {later} is in the future")
    starting = screen.page.get_by_label("From (UTC)", exact=True)
    screen.python("asked = []; panel.controls.start.observe(lambda change: asked.append(change.new), 'value')")
    starting.focus()
    screen.page.keyboard.type("01022026")
    screen.page.wait_for_timeout(1500)
    typed = screen.python("print([str(each) for each in asked])").strip()
    assert typed in ("['2026-01-02']", "['2026-02-01']"), "as the browser writes dates, and no year of one digit"
    screen.python("panel.set_range('2015-01-01', '2015-01-31')")
    screen.expect_text("Nothing was used from 2015-01-01 to 2015-01-31")
    expect(screen.page.locator(".svc-legend-entry")).to_have_count(0)


def test_a_column_of_caps_is_pasted_into_the_cells_below(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    screen.get("tab", "Caps").click()
    screen.expect_text("Nothing is sent before you confirm")
    grid = screen.get("grid", "Caps of the keys")
    names = [row.get_by_role("gridcell").nth(0).inner_text() for row in grid.get_by_role("row").all()[1:4]]
    first = grid.get_by_role("row").nth(1).get_by_role("gridcell").nth(1)
    first.click()
    screen.page.evaluate(
        f"""() => {{
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "1001\\r\\nno idea\\r\\n1003\\r\\n");
            const how = {{ clipboardData, bubbles: true, composed: true, cancelable: true }};
            ({FOCUSED})().dispatchEvent(new ClipboardEvent("paste", how));
        }}"""
    )
    screen.expect_text(f"{names[0]}: 1,001 characters a month")
    screen.expect_text(f"{names[2]}: 1,003 characters a month")
    screen.expect_text(f"Not sent: {names[1]}: “no idea” is not a cap.")
    expect(screen.get("tab", "Caps (2 not sent)")).to_be_visible()
    screen.get("button", "Change 2 caps …").click()
    screen.expect_text("Change 2 caps on the service?")
    screen.get("button", "Cancel").click()
    screen.get("button", "Discard").click()
