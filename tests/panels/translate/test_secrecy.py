"""No text of a row, and no key, is in what a notebook may keep of the translate panel."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved
from tests.panels.translate.conftest import done

CONNECTED = """
import pandas as pd
import pytest
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store=":memory:")
"""
SECRET = "Zwetschgendatschi 4711 is red"


def test_no_text_of_a_row_is_in_the_state_of_a_widget(panel):
    long = f"{'The garden is large. ' * 40}{SECRET} again."
    shown = done(panel(pd.DataFrame({"text": [SECRET, long]}), None, "DE"))
    shown.listing.grid.hear({"kind": "hello"})
    shown.listing.choose(1)
    shown.show_problems()
    assert_kept_out(shown, SECRET, "garden is large")


@pytest.mark.long
def test_a_saved_notebook_has_counts_but_no_text(running):
    connect = CONNECTED.format(api_key=running.api_key, base_url=running.base_url)
    made = f"panel = panels.Translate(pd.DataFrame({{'text': [{SECRET!r}]}}), target_lang='JA')"
    run = "panel.run().wait(60)\nlen(panel.table)"
    shown = saved(connect, f"{made}\npanel", run, "panel", "panel.close()")
    assert_not_saved(shown, SECRET, running.api_key)
    assert "<td>Translated</td><td>1</td>" in str(shown.cells[3].outputs)
