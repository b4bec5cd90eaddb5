"""The usage panel where there is little room: tables fit, what is left out can be had, and speech has its caps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser.pages import WIDTHS
from tests.browser.test_usage_panel import cells, photograph, settle, texts

# How far each table that is seen reaches beyond its frame.
BEYOND = """() => [...document.querySelectorAll('.svc-scroller')].filter(node => node.clientWidth)
    .map(node => node.scrollWidth - node.clientWidth)"""


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


def fits(screen) -> None:
    """No table that is seen must be scrolled sideways."""
    screen.page.wait_for_function(f"() => ({BEYOND})().every(beyond => beyond <= 0)")


def test_tables_fit_and_a_cap_of_speech_is_shown_in_minutes(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day")).to_be_visible()
    for width in WIDTHS:
        screen.width(width)
        settle(screen)
        fits(screen)
    screen.get("combobox", "Chart").select_option(label="Caps and forecast")
    expect(screen.get("img", "Use and caps")).to_be_visible()
    screen.expect_text("choose the product Speech to text")
    assert not [text for text in texts(screen) if text.startswith("no cap")]
    screen.get("combobox", "Product").select_option(label="Speech to text (minutes)")
    expect(screen.get("img", "of 1 speech cap")).to_be_visible()
    photograph(screen, "usage-speech-caps")
    assert "6,000" in texts(screen)
    fits(screen)


# What is wider than the place where it is: a button's words, a date, the name of a key.
CUT = """() => [...document.querySelectorAll(
        '.svc-panel :is(.svc-button, input[type=date], .svc-caps .svc-row > .svc-text)')]
    .filter(node => node.clientWidth && node.scrollWidth > node.clientWidth + 1)
    .map(node => node.textContent || node.value || node.className)"""
DATES = "() => [...document.querySelectorAll('input[type=date]')].map(node => node.clientWidth)"


@pytest.mark.parametrize("width", [750, 480])
def test_dates_buttons_and_the_names_of_keys_are_whole(show_in, running, width):
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day")).to_be_visible()
    screen.width(width)
    settle(screen)
    assert screen.page.evaluate(CUT) == []
    assert min(screen.page.evaluate(DATES)) > 110
    screen.screenshot(f"usage-narrow-{width}", widths=[width])
    screen.get("tab", "Caps").click()
    screen.expect_text("same label")
    fits(screen)
    screen.screenshot(f"usage-caps-narrow-{width}", widths=[width])
    long = [text for text in screen.page.evaluate(CUT) if not text.startswith("(no label)")]
    assert long == []


def test_the_caps_tab_leaves_out_what_has_no_room_until_it_is_asked_for(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day")).to_be_visible()
    screen.get("tab", "Caps").click()
    screen.expect_text("same label")
    created = screen.get("grid", "Caps of the keys").get_by_role("columnheader", name="Created")
    expect(created).to_be_visible()
    screen.width(700)
    fits(screen)
    screen.screenshot("usage-caps-tab", widths=[700])
    expect(created).to_have_count(0)
    screen.get("button", "Also show: ").click()
    expect(created).to_be_visible()
    screen.get("button", "Show only the columns that fit").click()
    expect(created).to_have_count(0)
