"""The JupyterLab extension: tiles, panels in tabs, the sidebar, cells translated in place, the count of characters."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.client import Client
from svc_nb.models import Dictionary
from svc_nb.secret import Secret
from svc_nb.service.state import Account
from svc_nb.settings import Settings
from svc_nb.transport import Transport
from tests.browser import pages

QUOTA = 20_000
MARKDOWN = "# The red house\n\nIt has a [big door](https://example.com/door) and `code`."
CODE = "# the house is red\nanswer = 42"
SIDEBAR = ".svc-lab-sidebar"
TAB = ".svc-lab-tab"
STATUS = ".svc-lab-status button"
TOAST = ".Toastify__toast"
BILLED = "from svc_nb.batch.bill import TALLY; print(TALLY.characters)"
SOURCES = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
EXECUTE = "([command, args]) => { window.jupyterapp.commands.execute(command, args) }"
SELECT = """index => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = index;
    notebook.deselectAll();
}"""
SPLIT = """([left, right]) => {
    const edges = selector => document.querySelector(selector).getBoundingClientRect();
    return edges(left).right <= edges(right).left;
}"""
WORK = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    window.working = true;
    kernel.requestExecute({ code: 'import time; time.sleep(600)' }).done.then(() => { window.working = false; });
}"""
RESTART = "() => window.jupyterapp.shell.currentWidget.content.session.restartKernel()"


@pytest.fixture(scope="module")
def shop() -> Iterator[service.Service]:
    """A service with a small quota and a glossary, whose name is no markup."""
    with service.start(memory=True, account=Account(quota=QUOTA)) as running:
        settings = Settings(base_url=running.base_url, api_key=Secret(running.api_key))
        client = Client(Transport(settings))
        terms = [Dictionary("en", target, "door\tx") for target in ("es", "de")]
        client.glossaries.create("Doors <b>& more</b>", terms)
        client.close()
        yield running


@pytest.fixture
def connecting(shop, tmp_path) -> str:
    """A cell that connects with the shop; the key is in a file."""
    path = tmp_path / "key"
    path.write_text(shop.api_key)
    return f"import svc_nb\nsvc_nb.connect(open({str(path)!r}).read(), base_url={shop.base_url!r});"


@pytest.fixture
def written(tmp_path) -> Callable:
    """Write a notebook of code cells, and of those with Markdown, which are given as `[text]`."""

    def write(*cells):
        made = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_markdown_cell(cell[0])
                if isinstance(cell, list)
                else nbformat.v4.new_code_cell(cell)
                for cell in cells
            ]
        )
        path = tmp_path / f"{secrets.token_hex(4)}.ipynb"
        nbformat.write(made, path)
        return path

    return write


@pytest.fixture
def lab(watched, servers) -> Callable:
    """Open JupyterLab with no notebook, and end all its kernels afterwards."""

    def opened():
        context, _ = watched(viewport={"width": 1600, "height": pages.HEIGHT})
        context.set_default_timeout(pages.PATIENCE)
        page = context.new_page()
        page.goto(servers["lab"].url(f"lab/workspaces/{secrets.token_hex(4)}"))
        return page

    return opened


def execute(screen, command, **args) -> None:
    screen.page.evaluate(EXECUTE, [f"svc-nb:{command}", args])


def kernels(server) -> list[str]:
    return [session["path"] for session in json.loads(server.ask("GET", "api/sessions"))]


def test_a_tile_opens_the_usage_panel_in_a_kernel_of_its_own_that_ends_with_the_tab(lab, servers):
    page = lab()
    tiles = page.locator(".jp-LauncherCard")
    expect(tiles.filter(has_text="Style Rules")).to_be_visible()
    expect(tiles.filter(has_text="Glossary")).to_be_visible()
    tiles.filter(has_text="Usage").click()
    tab = page.locator(TAB)
    last_week = tab.get_by_role("button", name="7 days")
    expect(last_week).to_be_visible()
    start = tab.get_by_label("From (UTC)")
    before = start.input_value()
    last_week.click()
    expect(start).not_to_have_value(before)
    assert "svc_nb" in kernels(servers["lab"])
    page.get_by_role("tab", name="Usage").first.locator(".lm-TabBar-tabCloseIcon").click()
    expect(tab).to_have_count(0)
    page.wait_for_function("() => [...window.jupyterapp.serviceManager.sessions.running()].length === 0")
    assert "svc_nb" not in kernels(servers["lab"])


def test_the_palette_opens_a_panel_beside_the_notebook_in_its_kernel_and_a_restart_draws_it_anew(
    show_in, connecting
):
    screen = show_in("lab", connecting)
    page = screen.page
    page.keyboard.press("Control+Shift+C")
    palette = page.locator("#modal-command-palette")
    expect(palette.get_by_text("Open the Usage Panel")).to_be_visible()
    page.keyboard.type("style rules panel")
    palette.get_by_text("Open the Style Rules Panel").click()
    tab = page.locator(TAB)
    expect(tab.get_by_role("button").first).to_be_visible()
    assert page.evaluate(SPLIT, [".jp-NotebookPanel", TAB])
    assert screen.server.ask("GET", "api/kernels").count(b'"id"') == 1
    before = tab.get_by_role("button").first.element_handle()
    page.evaluate(RESTART)
    before.wait_for_element_state("hidden")
    expect(tab.get_by_role("button").first).to_be_visible()


def test_a_cell_is_translated_in_place_and_one_undo_brings_it_back(show_in, written, connecting):
    screen = show_in("lab", written(connecting, [MARKDOWN], CODE))
    page = screen.page
    sources = lambda: page.evaluate(SOURCES)  # noqa: E731
    start = sources()
    expect(page.locator(STATUS)).to_have_text("0 characters")

    page.locator(".jp-MarkdownCell").click(button="right")
    page.locator(".lm-Menu-item", has_text="Translate Cell to").hover()
    page.locator(".lm-Menu-item", has_text="Spanish").click()
    told = page.locator(TOAST, has_text="Translated 1 cell into Spanish")
    expect(told).to_contain_text("characters billed")
    translated = sources()[1]
    assert translated != MARKDOWN
    assert "](https://example.com/door)" in translated
    assert "`code`" in translated
    expect(page.locator(STATUS)).not_to_have_text("0 characters")
    count = page.locator(STATUS).inner_text()
    assert (
        count
        == f"{screen.python('from svc_nb.batch.bill import TALLY; print(TALLY.characters)').strip()} characters"
    )
    screen.screenshot("lab-translated")
    told.get_by_role("button", name="Hide notification").click()
    expect(told).to_have_count(0)

    page.locator(".jp-MarkdownCell").dblclick()
    page.keyboard.press("Control+z")
    assert sources() == start
    page.keyboard.press("Control+Shift+z")
    assert sources()[1] == translated
    page.keyboard.press("Escape")

    page.evaluate(SELECT, 2)
    page.keyboard.press("Control+Alt+T")  # into the language of the settings
    expect(page.locator(TOAST, has_text="Translated 1 cell into American English")).to_be_visible()
    page.locator(".jp-Cell.jp-mod-active [data-command='svc-nb:choose-language']").click()
    expect(page.locator(".lm-Menu-item").first).to_have_text("American English")  # the latest first
    page.locator(".lm-Menu-item", has_text="Spanish").click()
    expect(told).to_be_visible()
    assert sources()[2] != CODE
    assert sources()[2].endswith("\nanswer = 42")
    told.get_by_role("button", name="Undo").click()
    assert sources()[2] == CODE

    page.evaluate(WORK)
    page.wait_for_function(pages.IDLE.replace("idle", "busy"))
    execute(screen, "translate-cell", target="FR")
    expect(page.locator(TOAST, has_text="Translated 1 cell into French")).to_be_visible()
    assert page.evaluate("() => window.working"), "a translation waited for a cell that runs"
    page.evaluate("() => window.jupyterapp.commands.execute('kernelmenu:interrupt')")


def test_the_sidebar_shows_connection_quota_and_glossaries_and_no_key_is_anywhere(
    watched, servers, shop, written, connecting
):
    screen = pages.Screen(*watched(viewport={"width": 1600, "height": pages.HEIGHT}), servers["lab"])
    frames: list[bytes] = []
    keep = lambda data: frames.append(data if isinstance(data, bytes) else data.encode())  # noqa: E731
    for event in ("framesent", "framereceived"):
        screen.page.on("websocket", lambda socket, event=event: socket.on(event, keep))
    path = pages.notebook(written(connecting, [MARKDOWN]), folder=servers.place.root)
    try:
        screen.open(path, theme="light")
        see_the_sidebar(screen, shop)
        screen.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        screen.page.wait_for_function(f"!({DIRTY})()")
        key = shop.api_key
        assert any(b"glossaries" in frame for frame in frames)
        assert not any(key.encode() in frame for frame in frames)
        assert key not in screen.page.content()
        assert key not in (servers.place.root / path).read_text()
    finally:
        screen.close()


def see_the_sidebar(screen, shop) -> None:
    page = screen.page
    execute(screen, "show-sidebar")
    sidebar = page.locator(SIDEBAR)
    expect(sidebar.get_by_text(shop.base_url.removeprefix("http://"))).to_be_visible()
    expect(sidebar.get_by_text(f"characters left of {QUOTA:,}")).to_be_visible()
    expect(sidebar.get_by_role("meter", name="Quota left")).to_be_visible()
    glossary = sidebar.get_by_role("button", name="Doors <b>& more</b> EN → ES, DE · 2 terms")
    expect(glossary).to_be_visible()
    for theme in ("dark", "light"):
        screen.theme(theme)
        screen.screenshot(f"lab-sidebar-{theme}")
        assert graves(page, SIDEBAR) == []
    glossary.click()
    tab = page.locator(TAB)
    expect(tab.get_by_role("button", name="Add row")).to_be_visible()
    expect(page.get_by_role("tab", name="Doors <b>& more</b>").first).to_be_visible()
    screen.screenshot("lab-glossary")
    page.get_by_role("tab", name=".ipynb").first.click()


def graves(page, selector) -> list[str]:
    """What axe-core finds grave in a part of the page."""
    style = page.add_style_tag(content=pages.UNCLIPPED)
    found = Axe().run(page, context={"include": [selector]}).response["violations"]
    style.evaluate("node => node.remove()")
    return [f"{rule['id']}: {rule['help']}" for rule in found if rule["impact"] in pages.GRAVE]


def test_a_kernel_that_does_not_use_svc_nb_is_left_alone_until_it_is_asked_to_connect(show_in):
    screen = show_in("lab", "import sys", "1 + 1")
    page = screen.page
    state = "print('svc_nb' in sys.modules, len(In), _, dir())"
    before = screen.python(state)
    execute(screen, "show-sidebar")
    connect = page.locator(SIDEBAR).get_by_role("button", name="Connect")
    expect(connect).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()
    assert screen.python(state) == before
    assert before.split()[:3] == ["False", "3", "2"]
    connect.press("Enter")
    expect(page.locator(SIDEBAR).get_by_text("Embedded service")).to_be_visible()
    expect(page.locator(SIDEBAR).get_by_text("no limit")).to_be_visible()
    expect(page.locator(STATUS)).to_have_text("0 characters")
    screen.screenshot("lab-connected")


def test_a_kernel_without_svc_nb_is_told_of(show_in):
    screen = show_in(
        "lab",
        "import pathlib, sys",
        "sys.path[:] = [path for path in sys.path if not pathlib.Path(path, 'svc_nb').exists()]",
    )
    execute(screen, "show-sidebar")
    expect(screen.page.locator(SIDEBAR).get_by_text("has no svc_nb")).to_be_visible()
    execute(screen, "translate-cell")
    expect(screen.page.locator(TOAST, has_text="The kernel has no svc_nb")).to_be_visible()


def test_notebook_7_has_the_menu_and_the_panels_too(show_in, written, connecting):
    screen = show_in("notebook", written(connecting, [MARKDOWN]))
    page = screen.page
    page.evaluate(SELECT, 1)
    execute(screen, "translate-cell", target="ES")
    expect(page.locator(TOAST, has_text="Translated 1 cell into Spanish")).to_be_visible()
    assert page.evaluate(SOURCES)[1] != MARKDOWN
    execute(screen, "open-panel", panel="glossary")
    expect(page.locator(TAB).get_by_role("button", name="Add row")).to_be_visible()
    screen.screenshot("notebook-panel")
