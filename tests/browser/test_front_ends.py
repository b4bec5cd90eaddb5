"""Every front end, in one theme or the other, shows all panels, and what is done to a widget comes back from Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.panels import all_panels


@pytest.fixture(scope="module")
def cells() -> Iterator[list[str]]:
    with service.start(memory=True, sample=True) as running:
        yield all_panels.cells(running)


@pytest.mark.parametrize(("front", "theme"), [("lab", "dark"), ("notebook", "light"), ("voila", "dark")])
def test_every_panel_is_shown_and_answers_a_click(show_in, cells, front, theme):
    screen = show_in(front, *cells, code=False, theme=theme)
    for role, name in all_panels.PANELS.values():
        expect(screen.page.get_by_role(role, name=name).first).to_be_visible()
    screen.get("button", "Detect languages").click()
    expect(screen.get("gridcell", "Spanish", exact=True).first).to_be_visible()
    screen.screenshot(f"panels-{theme}")
