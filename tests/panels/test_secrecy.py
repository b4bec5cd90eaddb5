"""The watch over texts and keys sees what it is there to see, and panels pass it."""

from __future__ import annotations

import ipywidgets as widgets
import pytest

from svc_nb.panels.panel import Panel
from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved

CONNECTED = """
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, admin_key={admin_key!r}, base_url={base_url!r}, store=":memory:")
"""
SECRET = "the text of a row"


class Talkative(Panel):
    """A panel that tells everything."""

    def __init__(self) -> None:
        super().__init__()
        self.box = widgets.VBox([self.line, widgets.Dropdown(options=["a", f"b {SECRET}"])])


def test_a_text_deep_in_the_state_of_a_widget_is_seen():
    with Talkative() as panel:
        assert_kept_out(panel, "another text")
        with pytest.raises(AssertionError, match="Dropdown"):
            assert_kept_out(panel, SECRET)


def test_a_text_in_what_stays_is_seen():
    with Talkative() as panel:
        panel.line.say("row of nobody")
        with pytest.raises(AssertionError, match="what stays"):
            assert_kept_out(panel, "row of nobody")


@pytest.mark.long
def test_a_text_saved_with_a_notebook_is_seen():
    notebook = saved(f"import ipywidgets\nipywidgets.Text(value='<' + {SECRET!r} + '>')")
    assert_not_saved(notebook, "another text")
    with pytest.raises(AssertionError, match="the state of TextModel"):
        assert_not_saved(notebook, SECRET)


def test_the_usage_panel_keeps_no_key(running):
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    shown = "panel = panels.Usage()\npanel.tabs.selected_index = 1\npanel.caps.wait()\npanel"
    notebook = saved(CONNECTED.format(**own), shown, "panel.close()")
    assert_not_saved(notebook, running.api_key, running.admin_key)
