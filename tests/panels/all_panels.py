"""A notebook with every panel in it, each with something to show."""

from __future__ import annotations

from svc_nb.service import Service
from svc_nb.session import Session
from svc_nb.wire.models import Dictionary

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
    "panels.Documents(target_lang='DE')": ("combobox", "Folder or file on the notebook's machine"),
    "panels.Detect(df)": ("button", "Detect languages"),
}


def cells(running: Service) -> list[str]:
    """One cell that connects with *running*, and one for each panel."""
    opened = Session.embedded(running)
    made = opened.client.glossaries.create("Products", [Dictionary("en", "de", "backpack\tRucksack")])
    style = opened.client.style_rules.create("House", "en")
    opened.close()
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    known = {"glossary_id": made.glossary_id, "style_id": style.style_id}
    return [CONNECT.format(**own), *(panel.format(**known) for panel in PANELS)]
