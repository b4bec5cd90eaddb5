"""The browser, the front ends, and notebooks open in them."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator

import pytest

from tests.browser import chromium
from tests.browser.servers import Place, Servers

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Remember what failed, for a last picture of it."""
    report = yield
    item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="package")
def place(tmp_path_factory) -> Place:
    """Where the front ends live."""
    return Place(tmp_path_factory.mktemp("jupyter"))


@pytest.fixture(scope="package")
def servers(place) -> Iterator[Servers]:
    """The front ends, started as they are needed."""
    running = Servers(place)
    yield running
    running.end()


@pytest.fixture(scope="package")
def browser(place):
    """A headless Chromium with a fresh profile; without one the test is skipped, and in CI it fails.

    It ends with this folder's tests: Playwright has a loop running as long as it is there.
    """
    path = chromium.find()
    if path is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(chromium.HOW)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        environ = {**place.environ(), "TMPDIR": tempfile.gettempdir()}
        with playwright.chromium.launch(executable_path=path, args=chromium.FLAGS, env=environ) as launched:
            yield launched


@pytest.fixture
def watched(browser) -> Iterator[Callable]:
    """Open a window of its own: `watched(viewport=...)` gives Playwright's context and the `Watch` over it.

    A console error or a request to the outside fails the test in the end.
    """
    from tests.browser.watch import Watch

    opened = []

    def window(**options):
        context = browser.new_context(service_workers="block", **options)
        opened.append((context, Watch(context)))
        return opened[-1]

    yield window
    for context, _ in opened:
        context.close()
    for _, watch in opened:
        watch.check()


@pytest.fixture(scope="package")
def window(browser, servers):
    """JupyterLab, loaded once for all tests: that takes longer than most of them."""
    from tests.browser import pages
    from tests.browser.watch import Watch

    context = browser.new_context(service_workers="block", viewport=pages.VIEW)
    screen = pages.Screen(context, Watch(context), servers["lab"])
    screen.load()
    yield screen
    context.close()


@pytest.fixture
def lab(window, request) -> Iterator:
    """JupyterLab with its launcher; afterwards all that was opened is closed, and no trouble may have come of it."""
    yield window
    failed = request.node.stash.get(FAILED, False)
    if failed:
        window.picture(_name(request))
    window.clear()
    if failed:
        window.load()
    window.check()


@pytest.fixture
def show_in(watched, servers, request) -> Iterator[Callable]:
    """Open and run a notebook: `show_in("lab", "first cell", "second cell", theme="dark")`.

    Instead of cells it takes the path of a notebook; with `code=False` the cells show only their outputs. Of a failed
    test a picture is kept.
    """
    from tests.browser import pages

    opened = []

    def show(front, *cells, theme="light", code=True):
        path = pages.notebook(*cells, folder=servers.place.root, code=code)
        if front == "lab":
            screen = request.getfixturevalue("lab")
        else:
            screen = pages.Screen(*watched(viewport=pages.VIEW), servers[front])
            opened.append(screen)
        screen.open(path, theme=theme)
        return screen

    yield show
    for screen in opened:
        if request.node.stash.get(FAILED, False):
            screen.picture(_name(request))
        screen.close()


def _name(request) -> str:
    return "failed-" + re.sub(r"\W+", "-", request.node.name)
