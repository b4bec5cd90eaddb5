"""The watch over texts and keys sees what it is there to see, and panels pass it."""

from __future__ import annotations

import pytest

from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.panel import Panel
from tests.panels import all_panels
from tests.panels.secrecy import assert_kept_out, assert_not_saved, saved

VIEW = "application/vnd.jupyter.widget-view+json"
SECRET = "the text of a row"


class Talkative(Panel):
    """A panel that tells everything."""

    def __init__(self) -> None:
        super().__init__()
        self.box = widgets.VBox([self.line, widgets.Dropdown(options=["a", f"b {SECRET}"])])


def test_a_text_deep_in_the_state_of_a_widget_is_seen():
    with Talkative() as panel:
        assert_kept_out(panel, "another text")
        with pytest.raises(AssertionError, match="PanelWidget"):
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


def test_every_panel_is_shown_in_a_kernel_and_no_key_is_saved(running):
    running.add_sample()
    seen = "panel = _2\npanel.tabs.selected_index = 1\npanel.caps.wait()"
    notebook = saved(*all_panels.cells(running), seen)
    for cell in notebook.cells[1:-1]:
        assert any(VIEW in output.get("data", ()) for output in cell.outputs), cell.source
    assert_not_saved(notebook, running.api_key, running.admin_key)
