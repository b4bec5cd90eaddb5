"""The watch over pages notices what it is there to notice."""

from __future__ import annotations

import pytest

NAMELESS = """
import ipywidgets
ipywidgets.HTML('<img src="data:,"><button></button><p style="color: #bbb; background: #fff">pale</p>')
"""


@pytest.fixture
def blank(watched):
    """A page with nothing on it, and the watch over it."""
    context, watch = watched()
    return context.new_page(), watch


def test_errors_on_the_console_are_noticed(blank):
    page, watch = blank
    with page.expect_event("pageerror"):
        page.evaluate("console.error('one'); setTimeout(() => { throw Error('two') })")
    with pytest.raises(AssertionError, match=r"(?s)console: one.*uncaught: .*two"):
        watch.check()
    watch.check()


def test_a_request_to_the_outside_is_noticed_and_goes_nowhere(blank):
    page, watch = blank
    with page.expect_console_message(), page.expect_event("requestfailed") as failed:
        page.evaluate("() => { new Image().src = 'https://outside.example/x.png' }")
    assert "ERR_NAME_NOT_RESOLVED" in failed.value.failure
    with pytest.raises(AssertionError, match="outside request: https://"):
        watch.check()


def test_a_socket_to_the_outside_is_noticed(blank):
    page, watch = blank
    page.evaluate("() => new Promise(done => { new WebSocket('wss://outside.example/').onerror = done })")
    with pytest.raises(AssertionError, match=r"outside request: wss://outside\.example/"):
        watch.check()


def test_a_cell_that_fails_is_not_taken_for_shown(show_in):
    with pytest.raises(AssertionError, match=r"(?s)a cell failed.*ZeroDivisionError"):
        show_in("lab", "1 / 0")


def test_what_has_no_name_or_is_too_pale_is_found(show_in):
    screen = show_in("lab", NAMELESS)
    screen.get("button")
    rules = {line.split(" ")[0] for line in screen.violations()}
    assert {"image-alt", "button-name", "color-contrast"} <= rules
