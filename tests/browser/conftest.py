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


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Place:
    """Where the front ends live."""
    return Place(tmp_path_factory.mktemp("jupyter"))


@pytest.fixture(scope="session")
def servers(place) -> Iterator[Servers]:
    """The front ends, started as they are needed; they stay, since files of other tests come in between."""
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


@pytest.fixture
def show_in(watched, servers, request) -> Iterator[Callable]:
    """Open and run a notebook: `show_in("lab", "first cell", "second cell", theme="dark", width=700)`.

    Instead of cells it takes the path of a notebook; `scale` is the density of the screen; with `code=False` the
    cells show only their outputs. Of a failed test a picture is kept.
    """
    from tests.browser import pages

    opened = []

    def show(front, *cells, theme="light", width=1600, scale=1, code=True):
        path = pages.notebook(*cells, folder=servers.place.root, code=code)
        view = {"viewport": {"width": width, "height": pages.HEIGHT}, "device_scale_factor": scale}
        screen = pages.Screen(*watched(**view), servers[front])
        opened.append(screen)
        screen.open(path, theme=theme)
        return screen

    yield show
    failed = request.node.stash.get(FAILED, False)
    for screen in opened:
        screen.close(picture="failed-" + re.sub(r"\W+", "-", request.node.name) if failed else None)
