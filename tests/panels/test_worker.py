"""Deeds, one after the other; and what a panel does with their answers."""

from __future__ import annotations

import threading

import pytest

from svc_nb.errors import BadRequest
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.panel import Panel
from svc_nb.panels.parts.worker import Worker

PATIENCE = 20.0


@pytest.fixture
def turns():
    made = Worker()
    yield made
    assert made.close(PATIENCE)


def test_every_deed_is_done_and_answered_in_order(turns):
    held, heard = threading.Event(), []
    turns.ask(lambda: held.wait(PATIENCE), heard.append)
    for number in range(5):
        turns.ask(lambda number=number: number, heard.append)
    assert turns.busy
    held.set()
    assert turns.wait(PATIENCE)
    assert heard == [True, 0, 1, 2, 3, 4]
    assert not turns.busy


def test_an_error_is_an_answer_too_and_the_next_request_continues(turns):
    heard = []
    turns.ask(lambda: 1 / 0, heard.append)
    turns.ask(lambda: "next", heard.append)
    assert turns.wait(PATIENCE)
    assert isinstance(heard[0], ZeroDivisionError)
    assert heard[1:] == ["next"]


def test_no_thread_stays_where_there_is_nothing_to_do(turns):
    before = set(threading.enumerate())
    turns.ask(lambda: None, lambda answer: None)
    assert turns.wait(PATIENCE)
    turns._thread.join(PATIENCE)
    assert {each for each in threading.enumerate() if each.name == "svc_nb panel"} <= before


def test_closing_finishes_what_has_begun_and_begins_nothing_more():
    turns, began, held, heard = Worker(), threading.Event(), threading.Event(), []

    def work():
        began.set()
        held.wait(PATIENCE)
        return "first"

    turns.ask(work, heard.append)
    assert began.wait(PATIENCE)
    turns.ask(lambda: "second", heard.append)
    threading.Timer(0.05, held.set).start()
    assert turns.close(PATIENCE)
    turns.ask(lambda: "third", heard.append)
    assert heard == ["first"]


class Bare(Panel):
    """A panel with nothing but its line."""

    def __init__(self) -> None:
        super().__init__()
        self.box = widgets.VBox([self.line])


def test_what_went_wrong_in_a_thread_is_one_line_with_its_trace():
    with Bare() as panel:

        def work():
            raise BadRequest("no such list", status=400, trace_id="t-123")

        panel._do(work, lambda answer: None)
        assert panel.wait()
        assert panel.line.kind == "error"
        assert "no such list" in panel.line.text
        assert "t-123" in panel.line.text
        assert isinstance(panel.problem, BadRequest)


def test_what_the_taker_of_an_answer_gets_wrong_is_told_and_the_panel_goes_on():
    with Bare() as panel:
        panel._find(dict, lambda answer: answer["missing"])
        assert panel.wait()
        assert panel.line.kind == "error"
        panel._find(lambda: "fine", panel._say)
        assert panel.wait()
        assert (panel.line.text, panel.line.kind, panel.problem) == ("fine", "info", None)


def test_a_saved_notebook_keeps_what_the_line_says_as_text():
    with Bare() as panel:
        panel._say("<b>bold</b>")
        kept = panel._repr_mimebundle_()
        assert "&lt;b&gt;bold" in kept["text/html"]
        assert panel.line.still in kept["text/html"]


def test_closing_closes_every_widget():
    panel = Bare()
    widget = panel.widget
    assert widget.comm is not None
    panel.close()
    assert widget.comm is None
    assert panel.line.root is None
