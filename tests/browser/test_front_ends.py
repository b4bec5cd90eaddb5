"""Every front end, in one theme or the other, shows all panels, and what is done to a widget comes back from Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.models import Dictionary
from svc_nb.session import Session

CONNECT = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, admin_key={admin_key!r}, base_url={base_url!r}, store=":memory:")
df = pd.DataFrame({{"text": ["The house is red.", "Das Haus ist rot.", "La casa es roja."]}})
"""
# What shows each panel, and a part of it that a person finds by its role and name.
PANELS = {
    "panels.Usage()": ("img", "Characters by day and key"),
    "panels.Glossary({glossary_id!r})": ("gridcell", "Rucksack"),
    "panels.StyleRules({style_id!r})": ("tab", "Instructions"),
    "panels.Translate(df, target_lang='DE')": ("button", "Translate"),
    "panels.Documents(target_lang='DE')": ("combobox", "Into"),
    "panels.Detect(df)": ("button", "Detect languages"),
}


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


@pytest.fixture(scope="module")
def cells(running) -> list[str]:
    """A notebook with a panel a cell, each with something to show."""
    opened = Session.embedded(running)
    made = opened.client.glossaries.create("Products", [Dictionary("en", "de", "backpack\tRucksack")])
    style = opened.client.style_rules.create("House", "en")
    opened.close()
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    known = {"glossary_id": made.glossary_id, "style_id": style.style_id}
    return [CONNECT.format(**own), *(panel.format(**known) for panel in PANELS)]


@pytest.mark.parametrize(("front", "theme"), [("lab", "dark"), ("notebook", "light"), ("voila", "dark")])
def test_every_panel_is_shown_and_answers_a_click(show_in, cells, front, theme):
    screen = show_in(front, *cells, code=False, theme=theme)
    for role, name in PANELS.values():
        expect(screen.page.get_by_role(role, name=name).first).to_be_visible()
    screen.get("button", "Detect languages").click()
    screen.expect_text("3 languages")
    screen.screenshot(f"panels-{theme}")
