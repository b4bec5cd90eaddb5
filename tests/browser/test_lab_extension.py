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
from svc_nb.secret import Secret
from svc_nb.service import Account
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary
from svc_nb.wire.transport import Transport
from tests.browser import pages

QUOTA = 2_000
MARKDOWN = "# The red house\n\nIt has a [big door](https://example.com/door) and `code`."
CODE = "# the house is red\nanswer = 42"
LONG = "The house of the long street is red. " * 60
SIDEBAR = ".svc-lab-sidebar"
TAB = ".svc-lab-tab"
STATUS = ".svc-lab-status button"
TOAST = ".Toastify__toast"
BILLED = "from svc_nb.engine.billing import PROCESS_BILLED; print(PROCESS_BILLED.characters)"
SOURCES = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel.getSource())"
DIRTY = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
EXECUTE = "([command, args]) => { window.jupyterapp.commands.execute(command, args) }"
SELECT = """index => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    notebook.activate();
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
NO_SESSION = "() => [...window.jupyterapp.serviceManager.sessions.running()].length === 0"
HIDE = "import pathlib, sys; hidden = [p for p in sys.path if pathlib.Path(p, 'svc_nb').exists()]"


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
                nbformat.v4.new_markdown_cell(cell[0]) if isinstance(cell, list) else nbformat.v4.new_code_cell(cell)
                for cell in cells
            ]
        )
        path = tmp_path / f"{secrets.token_hex(4)}.ipynb"
        nbformat.write(made, path)
        return path

    return write


@pytest.fixture
def opened(lab, servers, written) -> Callable:
    """Open a notebook, and run it: `opened("a cell with code", ["one with Markdown"])`."""

    def open_notebook(*cells):
        lab.open(pages.notebook(written(*cells), folder=servers.place.root), theme="light")
        return lab

    return open_notebook


def execute(screen, command, **args) -> None:
    screen.page.evaluate(EXECUTE, [f"svc-nb:{command}", args])


def kernels(server) -> list[str]:
    return [session["path"] for session in json.loads(server.ask("GET", "api/sessions"))]


def test_a_tile_opens_the_usage_panel_in_a_kernel_of_its_own_that_ends_with_the_tab(lab, servers):
    page = lab.page
    tiles = page.locator(".jp-LauncherCard")
    expect(tiles.filter(has_text="Style Rules")).to_be_visible()
    expect(tiles.filter(has_text="Glossary")).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()
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
    page.wait_for_function(NO_SESSION)
    assert "svc_nb" not in kernels(servers["lab"])
    tiles.filter(has_text="Glossary").click()  # what a new kernel sends first must not get lost
    expect(tab.get_by_role("button", name="Add row")).to_be_visible()


def test_the_palette_opens_a_panel_beside_the_notebook_in_its_kernel_and_a_restart_draws_it_anew(opened, connecting):
    screen = opened(connecting)
    page = screen.page
    page.keyboard.press("Control+Shift+C")
    palette = page.locator("#modal-command-palette")
    expect(palette.get_by_text("Open the Usage Panel")).to_be_visible()
    page.keyboard.type("style rules panel")
    palette.get_by_text("Open the Style Rules Panel").click()
    tab = page.locator(TAB)
    expect(tab.get_by_role("button").first).to_be_visible()
    assert page.evaluate(SPLIT, [".jp-NotebookPanel", TAB])
    assert len(kernels(screen.server)) == 1
    screen.settle()  # ipywidgets fails on what is taken away while it is drawn
    before = tab.get_by_role("button").first.element_handle()
    page.evaluate(RESTART)
    before.wait_for_element_state("hidden")
    expect(tab.get_by_role("button").first).to_be_visible()
    screen.settle()


def test_a_cell_is_translated_in_place_and_one_undo_brings_it_back(opened, connecting):
    screen = opened(connecting, [MARKDOWN], CODE)
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
    assert page.locator(STATUS).inner_text() == f"{screen.python(BILLED).strip()} characters"
    screen.screenshot("lab-translated")
    told.get_by_role("button", name="Hide notification").click()
    expect(told).to_have_count(0)

    page.locator(".jp-MarkdownCell").dblclick()
    page.keyboard.press("Control+z")
    assert sources() == start
    page.keyboard.press("Control+Shift+z")
    assert sources()[1] == translated
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    assert sources()[1] == translated, "what Ctrl-Z and z both undo loses the text"

    page.evaluate(SELECT, 2)
    page.locator(".jp-Cell.jp-mod-active [data-command='svc-nb:choose-language']").click()
    expect(page.locator(".lm-Menu-item").first).to_have_text("Spanish")  # the latest first
    page.locator(".lm-Menu-item").first.click()
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
    page.wait_for_function("() => !window.working")


def test_what_cannot_be_translated_is_told_of(opened, connecting):
    screen = opened(connecting, "  ", [LONG], "answer = 42")
    page = screen.page
    start = page.evaluate(SOURCES)
    told = lambda words: expect(page.locator(TOAST, has_text=words)).to_be_visible()  # noqa: E731
    page.evaluate(SELECT, 1)
    page.keyboard.press("Control+Alt+T")  # into the language of the settings
    told("choose a Markdown or code cell")
    page.evaluate(SELECT, 3)
    execute(screen, "translate-cell", target="ES")
    told("Nothing to translate into Spanish: nothing was billed.")
    page.evaluate(SELECT, 2)
    execute(screen, "translate-cell", target="ES")
    told("456")
    page.locator(TOAST).get_by_role("button", name="Details").click()
    expect(page.locator(".jp-Dialog").get_by_text("Nothing more is answered until")).to_be_visible()
    page.keyboard.press("Escape")
    assert page.evaluate(SOURCES) == start
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    execute(screen, "translate-cell-into")
    told("The notebook has no kernel")
    execute(screen, "show-sidebar")
    expect(page.locator(SIDEBAR).get_by_text("This notebook has no kernel")).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()


def test_the_sidebar_shows_connection_quota_and_glossaries_and_no_key_is_anywhere(
    lab, opened, servers, shop, connecting
):
    frames: list[bytes] = []
    keep = lambda data: frames.append(data if isinstance(data, bytes) else data.encode())  # noqa: E731
    for event in ("framesent", "framereceived"):
        lab.page.on("websocket", lambda socket, event=event: socket.on(event, keep))
    opened(connecting, [MARKDOWN])
    path = lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    see_the_sidebar(lab, shop)
    lab.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    lab.page.wait_for_function(f"!({DIRTY})()")
    key = shop.api_key
    assert any(b"glossaries" in frame for frame in frames)
    assert not any(key.encode() in frame for frame in frames)
    assert key not in lab.page.content()
    assert key not in (servers.place.root / path).read_text()


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


def test_a_kernel_without_svc_nb_is_told_of_and_one_that_does_not_use_it_is_left_alone_until_it_is_to_connect(
    opened,
):
    screen = opened(HIDE, "sys.path[:] = [path for path in sys.path if path not in hidden]", "1 + 1")
    page = screen.page
    sidebar = page.locator(SIDEBAR)
    execute(screen, "show-sidebar")
    expect(sidebar.get_by_text("has no svc_nb")).to_be_visible()
    execute(screen, "translate-cell")
    expect(page.locator(TOAST, has_text="The kernel has no svc_nb")).to_be_visible()

    state = "print('svc_nb' in sys.modules, len(In), _, dir())"
    before = screen.python("sys.path += hidden; " + state)
    connect = sidebar.get_by_role("button", name="Connect")
    expect(connect).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()
    assert screen.python(state) == before
    assert before.split()[:3] == ["False", "4", "2"]
    connect.press("Enter")
    expect(sidebar.get_by_text("Embedded service")).to_be_visible()
    expect(sidebar.get_by_text("no limit")).to_be_visible()
    expect(page.locator(STATUS)).to_have_text("0 characters")
    screen.screenshot("lab-connected")


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
