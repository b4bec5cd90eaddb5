"""Where the Tab key goes in each panel, from its first control to its last, as it opens and with rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from svc_nb import service
from tests.browser.focus import tab_stops

CONNECT = """
import os, pandas as pd, svc_nb
from svc_nb import glossaries, panels, style_rules
os.chdir({place!r})
svc_nb.connect({api_key!r}, admin_key={admin_key!r}, base_url={base_url!r}, store=":memory:")
df = pd.DataFrame({{"text": ["The house is red.", "The dog sleeps.", "La casa es roja y el perro duerme."]}})
"""
GLOSSARY = """
terms = pd.DataFrame({"source": ["dog", "cat"], "target": ["Hund", "Katze"], "source_lang": "EN", "target_lang": "DE"})
panel = panels.Glossary(glossaries.push(terms, "Products").glossary_id)
panel
"""
STYLE_RULES = """
panel = panels.StyleRules()
panel.create("House", "en")
panel.add_instruction("Tone", "Be brief.")
panel
"""
DOCUMENTS = """
from pathlib import Path
Path("letter.txt").write_text("The house is red.")
panel = panels.Documents()
panel.add("letter.txt")
panel.choose("ES").plan()
panel
"""
LEGEND = [
    *("Product catalogue", "Web shop", "Support desk", "Warehouse & returns", "Chat assistant", "Customer reviews"),
    *("Newsletter", "Phone line", "2 others"),
]
# The code that shows a panel, the name of its table, and the names of its controls.
PANELS = {
    "Usage": (
        "panel = panels.Usage()\npanel",
        "Usage",
        [
            *("Usage", "7 days", "30 days", "90 days", "12 months", "This month", "Last month", "From (UTC)", "To"),
            *("Refresh", "Chart", "By", "Group by", "Product", "Keys: All 10", "Largest", *LEGEND, "in Usage"),
            *("Also show: Documents, Improvement, Speech min", "CSV", "XLSX", "PNG", "SVG"),
        ],
    ),
    "Glossary": (
        GLOSSARY,
        "Terms",
        [
            *("Glossary", "Languages", "Reload", "Search rows", "All", "Errors 0", "Warnings 0", "Changed 0"),
            *("Added 0", "Add row", "Delete rows", "Fill down", "Shortcuts", "in Terms", "Checks"),
        ],
    ),
    "StyleRules": (
        STYLE_RULES,
        "",
        [
            *("Style rule list", "Push 1 change …", "New list", "Reload", "Discard", "Undo", "Rules"),
            *("Search rules and options", "All (50)", "Set (0)", "Changed (0)", "Dates and times", "Not set"),
            *("Formatting", "Numbers", "Punctuation", "Spelling and grammar", "Style and tone"),
        ],
    ),
    "Documents": (
        DOCUMENTS,
        "Files",
        [
            *("Drop documents here, or choose them", "Folder or file on the notebook's machine", "Add", "From", "To"),
            *("Folder for translations", "Translate 1 file to Spanish", "Refresh", "in Files", "Remove selected"),
        ],
    ),
    "Translate": (
        'panel = panels.Translate(df, "text", "ES")\npanel.run().wait(60)\npanel',
        "Translations",
        [
            *("Remove text", "Columns: Add a column", "Remove Spanish", "Into: Add a language", "From", "Glossary"),
            *("Price per million", "Budget (characters)", "More options", "Translate again, no cost"),
            *("Add to the frame", "Refresh", "All rows 3", "Translated 2", "Skipped 1, 1 in that language already"),
            *("Worst first", "Score at most", "Search rows", "in Translations", "CSV", "XLSX"),
        ],
    ),
    "Detect": (
        'panel = panels.Detect(df, "text")\npanel.detect().wait(60)\npanel',
        "Languages",
        [
            *("Column: text, 22 characters on average", "Detect again", "New column", "Add to the frame"),
            *(
                "All rows 3",
                "in Languages",
                "Correct language",
                "Relabel selected rows",
                "Confirm selected rows",
                "Search rows",
                "in Rows",
            ),
            *("CSV", "XLSX"),
        ],
    ),
}


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


@pytest.mark.parametrize("panel", PANELS)
def test_the_keys_go_from_the_top_to_the_bottom(panel, show_in, running, tmp_path):
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    code, grid, expected = PANELS[panel]
    screen = show_in("lab", CONNECT.format(place=str(tmp_path), **own), code, code=False)
    if grid:
        screen.get("grid", grid)
    screen.settle()
    assert tab_stops(screen) == expected
