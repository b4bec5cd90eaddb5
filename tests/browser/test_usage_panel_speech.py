"""Caps of speech in the usage panel: in minutes, on a chart of their own, and legible wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser.test_usage_panel import cells, photograph, texts


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_cap_of_speech_is_shown_in_minutes(show, running, theme):
    screen = show(*cells(running), code=False, theme=theme)
    if screen.front != "voila":
        screen.theme(theme)
    screen.get("combobox", "Chart").select_option(label="Caps and forecast")
    expect(screen.get("img", "Use and caps")).to_be_visible()
    screen.expect_text("choose the product Speech to text")
    photograph(screen, f"usage-character-caps-{theme}")
    assert not [text for text in texts(screen) if text.startswith("no cap")]
    screen.get("combobox", "Product").select_option(label="Speech to text (minutes)")
    expect(screen.get("img", "of 1 speech cap")).to_be_visible()
    photograph(screen, f"usage-speech-caps-{theme}")
    assert "6,000" in texts(screen)
