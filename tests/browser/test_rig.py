"""The rig itself: it notices what it is there to notice, touches nobody's settings, and leaves nothing running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.servers import CHECKOUT, GUARD


@pytest.fixture
def blank(watched):
    """A page with nothing on it, and the watch over it."""
    context, watch = watched()
    return context.new_page(), watch


@pytest.fixture
def told(tmp_path):
    """Runs a test module of its own with this folder's fixtures, and returns what pytest said."""

    def run(module: str, **settings: str) -> str:
        (tmp_path / "test_own.py").write_text(module)
        environ = {name: value for name, value in os.environ.items() if name != "CI"} | settings
        environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        plugins = ["-p", "no:cacheprovider", "-p", "pytest_timeout", "-p", "tests.browser.conftest"]
        command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", *plugins, str(tmp_path)]
        return subprocess.run(
            command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=120, check=False
        ).stdout

    return run


def test_errors_on_the_console_are_noticed(blank):
    page, watch = blank
    with page.expect_event("pageerror"):
        page.evaluate("console.error('one'); setTimeout(() => { throw Error('two') })")
    with pytest.raises(AssertionError, match=r"(?s)console: one.*uncaught: .*two"):
        watch.check()
    watch.check()


@pytest.mark.parametrize("host", ["outside.example", "198.51.100.7", "[2001:db8::7]"])
def test_a_request_to_the_outside_is_noticed_and_goes_nowhere(blank, host):
    page, watch = blank
    with page.expect_console_message(), page.expect_event("requestfailed") as failed:
        page.evaluate(f"() => {{ new Image().src = 'https://{host}/x.png' }}")
    assert "ERR_NAME_NOT_RESOLVED" in failed.value.failure
    with pytest.raises(AssertionError, match="outside request: https://"):
        watch.check()


def test_a_socket_to_the_outside_is_noticed(blank):
    page, watch = blank
    page.evaluate("() => new Promise(done => { new WebSocket('wss://outside.example/').onerror = done })")
    with pytest.raises(AssertionError, match=r"outside request: wss://outside\.example/"):
        watch.check()


def test_trouble_fails_the_test_that_met_it(told):
    complaint = """watched()[0].new_page().evaluate("console.error('out of the blue')")"""
    said = told(f"def test_complaint(watched): {complaint}")
    assert "1 passed, 1 error" in said
    assert "console: out of the blue" in said


@pytest.mark.parametrize("front", ["lab", "voila"])
def test_a_cell_that_fails_is_not_taken_for_shown(show_in, front):
    with pytest.raises(AssertionError, match=r"(?s)a cell failed.*ZeroDivisionError"):
        show_in(front, "1 / 0")


def test_the_kernel_is_the_interpreter_of_the_tests_in_a_home_of_its_own(show_in, place):
    own = "[name for name in os.environ if name.startswith('SVC_')]"
    screen = show_in(
        "voila", f"import os, sys; print(sys.executable, os.path.expanduser('~'), {own}, sep='|')"
    )
    screen.expect_text(f"{sys.executable}|{place.home}|[]")


def test_each_window_has_its_own_theme(show_in):
    ground = "() => getComputedStyle(document.body).getPropertyValue('--jp-layout-color0').trim()"
    dark = show_in("lab", "1", theme="dark")
    dark.screenshot("theme-dark", widths=[700])
    light = show_in("lab", "1")
    assert dark.page.evaluate(ground) != light.page.evaluate(ground)
    assert not light.page.get_by_text("Jupyter news").count()


def test_voila_takes_its_theme_when_opened(show_in):
    screen = show_in("voila", "1", theme="dark")
    expect(screen.page.locator("body")).to_have_attribute("data-jp-theme-light", "false")


def test_a_front_end_that_died_is_started_again(show_in, servers):
    before = servers["voila"]
    os.kill(before.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(before.pid)], timeout=10)
    show_in("voila", "print('again')").expect_text("again")
    assert servers["voila"].pid != before.pid


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_server_ends_with_whoever_started_it(how):
    starting = f"""
import subprocess, sys, time
command = [sys.executable, {str(GUARD)!r}, "sleep", "600"]
guard = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", starting], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as starter:
        server = psutil.Process(int(starter.stdout.readline()))
        starter.send_signal(how)
        gone, _ = psutil.wait_procs([server], timeout=20)
    assert gone


def test_a_chromium_that_is_named_is_taken(monkeypatch):
    monkeypatch.setenv("SVC_CHROMIUM", sys.executable)
    assert chromium.find() == sys.executable


def test_without_any_chromium_the_script_says_how_to_get_one(tmp_path):
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    command = [sys.executable, "-m", "tests.browser.chromium"]
    ended = subprocess.run(
        command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout.strip()) == (1, chromium.HOW)


@pytest.mark.parametrize(("settings", "expected"), [({}, "1 skipped"), ({"CI": "true"}, "1 error")])
def test_without_any_chromium_tests_are_skipped_but_in_ci_they_fail(told, settings, expected):
    said = told("def test_nothing(browser): pass", SVC_CHROMIUM="/nowhere", **settings)
    assert expected in said
    assert chromium.HOW in said
