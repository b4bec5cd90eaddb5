"""What axe-core, which knows the rules for those who see or move otherwise, finds in panels: nothing grave."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser.pages import LOOKS
from tests.browser.test_usage_panel import cells

NAMELESS = """
import ipywidgets
ipywidgets.HTML('<img src="data:,"><button></button><p style="color: #bbb; background: #fff">pale</p>')
"""


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


def test_what_has_no_name_or_is_too_pale_is_found(show):
    screen = show(NAMELESS)
    expect(screen.get("button")).to_be_visible()
    rules = {line.split(" ")[0] for line in screen.violations()}
    assert {"image-alt", "button-name", "color-contrast"} <= rules


@pytest.mark.parametrize(("front", "theme"), LOOKS)
def test_the_usage_panel_has_no_grave_violation(show_in, running, front, theme):
    screen = show_in(front, *cells(running), code=False, theme=theme)
    expect(screen.get("img", "Characters by day and key")).to_be_visible()
    expect(screen.get("grid", "Usage")).to_be_visible()
    assert screen.violations() == []
    screen.get("button", "Keys: All").click()
    assert screen.violations() == []
    screen.page.keyboard.press("Escape")
    screen.get("tab", "Caps").click()
    screen.expect_text("Nothing is sent before you confirm")
    screen.page.get_by_role("row", name="Web shop").get_by_role("gridcell").nth(1).click()
    assert screen.violations() == []
