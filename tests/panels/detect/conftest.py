"""Texts in several languages, and panels for them that are closed in the end."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import panels

SENTENCES = {
    "EN": ["The train to London does not run today.", "Please send us your feedback as soon as you can."],
    "DE": ["Der Zug nach Hamburg fährt heute leider nicht.", "Bitte geben Sie uns eine kurze Rückmeldung."],
    "FR": ["Le train pour Paris ne circule pas aujourd'hui.", "Merci de nous envoyer votre réponse."],
}
NO_TEXTS = [None, "", "12345", "https://example.org/a"]


def mixed(en: int = 6, de: int = 4, fr: int = 2, *, rest: bool = True) -> pd.DataFrame:
    """So many rows in each language, one after the other, then rows without a text and one of no language."""
    counts = {"EN": en, "DE": de, "FR": fr}
    texts = [SENTENCES[code][number % 2] for code, count in counts.items() for number in range(count)]
    return pd.DataFrame({"text": pd.Series([*texts, *([*NO_TEXTS, "qwxz grmpf"] if rest else [])], dtype=object)})


@pytest.fixture
def detect(connected):
    """Open a panel that is closed when the test ends: `detect(df)`; it has detected, unless `go=False` is said."""
    opened = []

    def make(table, *args, go: bool = True, **options) -> panels.Detect:
        panel = panels.Detect(table, *args, **options)
        opened.append(panel)
        if go:
            panel.detect()
            assert panel.wait(60)
        return panel

    yield make
    for panel in opened:
        panel.close()
