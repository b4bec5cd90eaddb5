"""The JupyterLab extension: tiles, panels in tabs, the sidebar, cells translated in place, the count of characters."""

from __future__ import annotations

import json
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.secret import Secret
from svc_nb.service import Account, Fault
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary
from svc_nb.wire.transport import Transport
from tests.browser import pages
from tests.browser.servers import OTHER
from tests.waiting import until

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
CONTAINED = "button => { button.style.width = '120px'; return button.scrollHeight <= button.clientHeight; }"
FOCUSED = "selector => document.activeElement.matches(selector)"
CHOSEN = "select => select.selectedOptions[0].label"
RESTART = "() => window.jupyterapp.shell.currentWidget.content.session.restartKernel()"
NO_SESSION = "() => [...window.jupyterapp.serviceManager.sessions.running()].length === 0"
CHANGE_KERNEL = "name => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({ name })"
HIDE = "import pathlib, sys; hidden = [p for p in sys.path if pathlib.Path(p, 'svc_nb').exists()]"
UNINSTALL = """sys.path[:] = [path for path in sys.path if path not in hidden]
modules = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split('.')[0] == 'svc_nb'}"""
INSTALL = "sys.path += hidden; sys.modules.update(modules)"


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
    expect(tiles.filter(has_text="Documents")).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()
    tiles.filter(has_text="Usage").click()
    tab = page.locator(TAB)
    last_week = tab.get_by_role("button", name="7 days")
    expect(last_week).to_be_visible()
    start = tab.get_by_label("From (UTC)")
    before = start.input_value()
    lab.settle()
    last_week.click()
    expect(start).not_to_have_value(before)
    assert "svc_nb" in kernels(servers["lab"])
    page.get_by_role("tab", name="Usage").first.locator(".lm-TabBar-tabCloseIcon").click()
    expect(tab).to_have_count(0)
    page.wait_for_function(NO_SESSION)
    assert "svc_nb" not in kernels(servers["lab"])
    tiles.filter(has_text="Glossary").click()  # what a new kernel sends first must not get lost
    expect(tab.get_by_role("button", name="Create")).to_be_visible()


def test_the_palette_opens_a_panel_beside_the_notebook_in_its_kernel_and_a_restart_draws_it_again(opened, connecting):
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


def test_after_a_restart_a_tab_asks_before_it_shows_another_account_and_comes_back_with_its_own(opened, connecting):
    screen = opened(connecting, "1 + 1")
    page = screen.page
    execute(screen, "open-panel", panel="documents")
    tab = page.locator(TAB)
    into = tab.get_by_role("combobox", name="To")
    expect(into).to_be_visible()
    screen.settle()
    page.evaluate(RESTART)
    asks = tab.get_by_text("This tab showed another account: 127.0.0.1:")
    expect(asks).to_contain_text("Run your connect cell, or show the embedded service.")
    expect(into).to_have_count(0)
    assert graves(page, TAB) == []
    screen.screenshot("lab-tab-asks")
    assert tab.get_by_role("button", name="Show the embedded service").evaluate(CONTAINED)
    tab.get_by_role("button", name="Try again").press("Enter")
    expect(asks).to_contain_text("Tried again: the kernel would connect to the embedded service.")
    expect(tab.get_by_role("button", name="Try again")).to_be_focused()

    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(SELECT, 0)
    page.keyboard.press("Shift+Enter")  # the cell that connects
    expect(into).to_be_visible()
    expect(asks).to_have_count(0)
    screen.settle()

    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    tab.get_by_role("button", name="Show the embedded service").press("Enter")
    expect(into).to_be_visible()
    page.get_by_role("tab", name=".ipynb").first.click()
    assert "embedded" in screen.python("import svc_nb; print(svc_nb.session.known())")
    screen.settle()
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    expect(into).to_have_count(0)
    expect(into).to_be_visible()  # the embedded service again: there is nothing to ask


SAMPLE = "import svc_nb\nsvc_nb.connect(sample=True);"
CLOSE = """async () => {
    const { commands } = window.jupyterapp;
    await commands.execute('docmanager:save');
    await commands.execute('application:close');
}"""
DUPLICATE = """async () => {
    const { commands, shell, serviceManager } = window.jupyterapp;
    const { context } = shell.currentWidget;
    const copy = await serviceManager.contents.copy(context.path, context.path.replace(/[^/]*$/, ''));
    await commands.execute('docmanager:open', { path: copy.path });
}"""
OTHER_NOTEBOOK = """first => {
    const { currentWidget } = window.jupyterapp.shell;
    window.other = currentWidget.id;
    return currentWidget.id !== first && currentWidget.sessionContext?.session?.kernel?.status === 'idle';
}"""
RESTART_NOTEBOOK = "() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()"
FITS = """() => {
    const frame = document.querySelector('.svc-lab-tab .svc-picture');
    const drawn = frame?.querySelector('svg')?.viewBox.baseVal.width * 96 / 72;
    return Boolean(drawn) && Math.abs(drawn - frame.clientWidth) < 40;
}"""


def write_cap(tab, key: str, text: str) -> None:
    """Write a cap into the table, as a person does."""
    tab.get_by_role("tab", name="Caps").click()
    tab.locator(".svc-caps").get_by_role("row").filter(has_text=key).get_by_role("gridcell").nth(1).dblclick()
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type(text)
    tab.page.keyboard.press("Enter")


def test_caps_that_are_not_sent_are_asked_about_and_survive_a_restart(opened):
    screen = opened(SAMPLE)
    page = screen.page
    execute(screen, "open-panel", panel="usage")
    tab = page.locator(TAB)
    expect(tab.locator(".svc-picture svg")).to_be_visible()
    screen.settle()
    write_cap(tab, "Web shop", "1.5M")
    unsent = tab.get_by_text("• Web shop: 1,500,000 characters a month")
    expect(unsent).to_be_visible()
    title = page.locator(".lm-TabBar-tab", has_text="Usage")
    expect(title).to_have_class(re.compile("jp-mod-dirty"))
    screen.screenshot("lab-tab-unsent")

    title.locator(".lm-TabBar-tabCloseIcon").click()
    asks = page.get_by_role("dialog")
    expect(asks).to_contain_text("1 cap has not been sent. Close anyway?")
    asks.get_by_role("button", name="Cancel").click()
    expect(unsent).to_be_visible()

    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(RESTART_NOTEBOOK)
    expect(tab.get_by_text("This tab showed another account")).to_be_visible()
    page.evaluate(SELECT, 0)
    page.keyboard.press("Shift+Enter")  # the cell that connects
    expect(unsent).to_be_visible()  # on the page where it was

    screen.settle()
    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(CLOSE)
    expect(tab.get_by_text("1 cap has not been sent. Open the notebook to show the panel again.")).to_be_visible()
    tab.get_by_role("button", name="Open the notebook").click()
    expect(unsent).to_be_visible()
    assert page.evaluate(SPLIT, [".jp-NotebookPanel", TAB])
    screen.settle()
    title.locator(".lm-TabBar-tabCloseIcon").click()
    asks.get_by_role("button", name="Close anyway").click()
    expect(tab).to_have_count(0)


def test_caps_that_are_not_sent_wait_for_their_account_while_another_one_is_shown(opened):
    screen = opened(SAMPLE)
    page = screen.page
    execute(screen, "open-panel", panel="usage")
    tab = page.locator(TAB)
    expect(tab.locator(".svc-picture svg")).to_be_visible()
    screen.settle()
    write_cap(tab, "Web shop", "1.5M")
    unsent = tab.get_by_text("• Web shop: 1,500,000 characters a month")
    expect(unsent).to_be_visible()
    title = page.locator(".lm-TabBar-tab", has_text="Usage")
    expect(title).to_have_class(re.compile("jp-mod-dirty"))

    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(RESTART_NOTEBOOK)
    expect(tab.get_by_text("1 cap has not been sent. Unsent changes are kept here for that account.")).to_be_visible()
    tab.get_by_role("button", name="Show the embedded service").click()
    expect(tab.get_by_role("tab", name="Caps", exact=True)).to_be_visible()
    expect(unsent).to_have_count(0)
    expect(title).to_have_class(re.compile("jp-mod-dirty"))
    screen.settle()
    title.locator(".lm-TabBar-tabCloseIcon").click()
    asks = page.get_by_role("dialog")
    expect(asks).to_contain_text("For the embedded service with the sample: 1 cap has not been sent. Close anyway?")
    asks.get_by_role("button", name="Cancel").click()

    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(SELECT, 0)
    page.keyboard.press("Shift+Enter")  # the cell that connects
    expect(unsent).to_be_visible()
    screen.settle()


def test_panels_of_two_notebooks_share_a_column_and_have_names_of_their_own(opened):
    screen = opened(SAMPLE)
    page = screen.page
    tab = page.locator(TAB)
    execute(screen, "show-sidebar")
    execute(screen, "open-panel", panel="usage")
    expect(tab.locator(".svc-picture svg")).to_be_visible()
    screen.settle()
    first = page.locator(".jp-NotebookPanel").evaluate("node => node.id")
    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(DUPLICATE)
    page.wait_for_function(OTHER_NOTEBOOK, arg=first)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(pages.IDLE)
    expect(page.locator(SIDEBAR).get_by_text("sample data")).to_be_visible()
    execute(screen, "open-panel", panel="usage")
    expect(page.locator(f"{TAB}:visible .svc-picture svg")).to_be_visible()
    expect(page.locator(".lm-DockPanel-tabBar")).to_have_count(2)
    names = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text="Usage – sample – ")
    expect(names).to_have_count(2)
    assert len({*names.all_inner_texts()}) == 2
    screen.screenshot("lab-two-panels")
    screen.settle()

    page.evaluate("() => window.jupyterapp.shell.activateById(window.other)")
    page.evaluate(CLOSE)
    expect(names).to_have_count(0)
    expect(page.locator(SIDEBAR).get_by_text("sample data")).to_be_visible()  # of the notebook that is left
    screen.settle()


def test_after_a_reload_and_a_restart_nothing_waits_and_the_chart_fits(opened):
    screen = opened(SAMPLE)
    page = screen.page
    execute(screen, "open-panel", panel="usage")
    tab = page.locator(TAB)
    picture = tab.locator(".svc-picture svg")
    expect(picture).to_be_visible()
    screen.settle()
    reload(screen)
    expect(picture).to_be_visible()
    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(RESTART_NOTEBOOK)
    tab.get_by_role("button", name="Try again").click()
    expect(tab.get_by_text("Tried again:")).to_be_visible()
    page.get_by_role("tab", name=".ipynb").first.click()
    page.evaluate(SELECT, 0)
    page.keyboard.press("Shift+Enter")
    expect(picture).to_be_visible()
    page.wait_for_function(FITS)
    page.wait_for_timeout(1000)  # longer than a click waits before it is said
    expect(tab.get_by_text("Waiting for the kernel")).to_have_count(0)
    assert page.evaluate(FITS)
    screen.screenshot("lab-tab-restarted")


def reload(screen) -> None:
    """Load the page again, as soon as JupyterLab has kept the place and the content of the tab."""
    page = screen.page
    tab = page.locator(".jp-MainAreaWidget", has=page.locator(TAB)).get_attribute("id")
    workspace = "lab/api/workspaces/" + urlsplit(page.url).path.rsplit("/", 1)[1]

    def kept() -> bool:
        data = json.loads(screen.server.ask("GET", workspace))["data"]
        place, content = data.get("layout-restorer:data"), data.get(f"svc-nb:{tab}", {"data": {}})["data"]
        return tab in json.dumps(place) and bool(content.get("account"))

    until(kept)
    page.reload()
    page.wait_for_function(pages.LOADED)


def test_after_a_reload_a_tab_is_back_beside_its_notebook_as_it_was(opened, connecting):
    screen = opened(connecting)
    page = screen.page
    execute(screen, "show-sidebar")
    execute(screen, "open-panel", panel="documents")
    into = page.locator(TAB).get_by_role("combobox", name="To")
    expect(into).to_be_visible()
    into.select_option(index=3)
    chosen = into.evaluate(CHOSEN)
    screen.settle()
    reload(screen)
    expect(into).to_be_visible()
    assert into.evaluate(CHOSEN) == chosen
    assert page.evaluate(SPLIT, [".jp-NotebookPanel", TAB])
    expect(page.locator(SIDEBAR)).to_be_visible()
    screen.screenshot("lab-tab-reloaded")


def test_after_a_reload_a_tab_with_a_kernel_of_its_own_is_back_and_says_if_that_has_ended(lab, servers):
    page = lab.page
    page.locator(".jp-LauncherCard").filter(has_text="Glossary").click()
    tab = page.locator(TAB)
    tab.get_by_role("textbox", name="Name").fill("Tools")
    tab.get_by_role("button", name="Create").click()
    add = tab.get_by_role("button", name="Add row", exact=True)
    expect(add).to_be_visible()
    add.click()
    undo = tab.get_by_role("button", name="Undo: add row")
    expect(undo).to_be_visible()
    lab.settle()
    reload(lab)
    expect(undo).to_be_visible()
    assert kernels(servers["lab"]) == ["svc_nb"]

    [kernel] = [each["kernel"]["id"] for each in json.loads(servers["lab"].ask("GET", "api/sessions"))]
    page.goto("about:blank")
    servers["lab"].end_kernel(kernel)
    page.go_back()
    expect(tab.get_by_text("The kernel of this panel has ended.")).to_be_visible()
    spec = servers.place.home / "data" / "kernels" / "python3" / "kernel.json"
    before = spec.read_text()
    spec.write_text(before.replace(sys.executable, "/no/python"))
    try:
        tab.get_by_role("button", name="Start a kernel").click()
        page.get_by_role("dialog").get_by_role("button", name="Ok").click()
        expect(tab.get_by_text("The kernel of the panels did not start.")).to_be_visible()
    finally:
        spec.write_text(before)
    with pytest.raises(AssertionError, match="500"):
        lab.watch.check()
    tab.get_by_role("button", name="Try again").click()
    expect(tab.get_by_role("button", name="Create")).to_be_visible()


def test_a_cell_is_translated_in_place_and_one_undo_brings_it_back(opened, connecting):
    screen = opened(connecting, [MARKDOWN], CODE)
    page = screen.page
    sources = lambda: page.evaluate(SOURCES)  # noqa: E731
    start = sources()
    expect(page.locator(STATUS)).to_have_text("0 characters")

    page.locator(".jp-MarkdownCell .jp-InputPrompt").click()
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
    assert page.evaluate(FOCUSED, ".jp-MarkdownCell")
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

    page.evaluate(SELECT, 1)
    page.locator(".jp-CodeCell .cm-content").last.click(button="right")  # the active cell is another one
    page.locator(".lm-Menu-item", has_text="Translate Cell to").hover()
    page.locator(".lm-Menu-item", has_text="Spanish").click()
    expect(told).to_be_visible()
    assert sources()[1] == translated
    assert sources()[2] != CODE
    told.get_by_role("button", name="Undo").click()
    assert sources()[2] == CODE
    expect(told).to_have_count(0)

    page.evaluate(SELECT, 2)
    page.locator(".jp-Cell.jp-mod-active [data-command='svc-nb:choose-language']").click()
    expect(page.locator(".lm-Menu-item").first).to_have_text("Spanish")  # the latest first
    page.locator(".lm-Menu-item").first.click()
    expect(told).to_be_visible()
    assert sources()[2] != CODE
    assert sources()[2].endswith("\nanswer = 42")
    assert page.evaluate(FOCUSED, ".jp-CodeCell")
    told.get_by_role("button", name="Undo").click()
    assert sources()[2] == CODE
    expect(told).to_have_count(0)
    assert page.evaluate(FOCUSED, ".jp-CodeCell")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(FOCUSED, ".jp-MarkdownCell"), "the keys of the notebook do nothing"

    page.evaluate(SELECT, 2)
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
    execute(screen, "translate-cell", target="EN-US")
    told("Already in English: nothing translated, nothing billed.")
    execute(screen, "translate-cell", target="xx")
    told("Unknown language “xx”. Change it in Settings › Translation.")
    execute(screen, "translate-cell", target="KO")
    told("Not translated: no translator for English → Korean. Nothing was billed.")
    execute(screen, "translate-cell", target="ES")
    told("456")
    expect(page.locator(TOAST, has_text="Unknown language")).to_have_count(0)  # the latest failure takes its place
    page.locator(TOAST).get_by_role("button", name="Details").click()
    expect(page.locator(".jp-Dialog").get_by_text("Raise the quota or the key's cap")).to_be_visible()
    page.keyboard.press("Escape")
    assert page.evaluate(SOURCES) == start
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    execute(screen, "translate-cell-into")
    told("The notebook has no kernel")
    execute(screen, "show-sidebar")
    expect(page.locator(SIDEBAR).get_by_text("This notebook has no kernel")).to_be_visible()
    expect(page.locator(STATUS)).to_be_hidden()


def test_cells_that_are_in_the_language_already_are_told_of(opened, connecting):
    screen = opened(connecting, ["The door of the house is open today."], ["La puerta de la casa está abierta hoy."])
    page = screen.page
    page.evaluate(SELECT, 1)
    page.keyboard.press("Shift+ArrowDown")
    execute(screen, "translate-cell", target="ES")
    expect(page.locator(TOAST, has_text="1 cell is already in Spanish.")).to_contain_text("Translated 1 cell into")


def test_the_best_match_of_what_is_typed_is_the_language(opened, connecting):
    screen = opened(connecting, [MARKDOWN])
    page = screen.page
    page.evaluate(SELECT, 1)
    execute(screen, "translate-cell-into")
    dialog = page.locator(".jp-Dialog")
    choice, translate = dialog.get_by_label("Language", exact=True), dialog.get_by_role("button", name="Translate")
    expect(translate).to_be_disabled()
    assert page.locator(".svc-lab-choice option").first.inner_text() == "Acehnese (ACE)"
    choice.fill("Klingon")
    expect(dialog.get_by_text("Unknown language “Klingon”.")).to_be_visible()
    choice.press("Enter")
    expect(translate).to_be_disabled()
    choice.fill("cata")
    expect(dialog.get_by_role("option", name="Catalan (CA)", selected=True)).to_have_count(1)
    expect(translate).to_be_enabled()
    choice.fill("latin am")
    expect(dialog.get_by_role("option", name="Latin American Spanish", selected=True)).to_have_count(1)
    choice.fill("")
    expect(translate).to_be_disabled()
    choice.fill("span")
    expect(dialog.get_by_role("option", name="Latin American Spanish")).to_have_count(1)
    screen.screenshot("lab-language")
    choice.press("Enter")
    expect(page.locator(TOAST, has_text="Translated 1 cell into Spanish")).to_be_visible()
    execute(screen, "translate-cell-into")
    choice.fill("s")  # Samoan is first
    expect(dialog.get_by_role("option", name="Spanish (ES)", selected=True)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_the_sidebar_never_shows_the_figures_of_another_session(opened, connecting, shop):
    screen = opened(connecting)
    sidebar = screen.page.locator(SIDEBAR)
    execute(screen, "show-sidebar")
    expect(sidebar.get_by_text(f"characters left of {QUOTA:,}")).to_be_visible()
    screen.python(f"svc_nb.connect('wrong-key', base_url={shop.base_url!r})")
    expect(sidebar.get_by_role("alert")).to_contain_text("401 Not authenticated")
    expect(sidebar.get_by_text("Not available.")).to_have_count(2)
    expect(sidebar.get_by_text("characters left")).to_have_count(0)
    screen.python("svc_nb.connect(sample=True)")
    expect(sidebar.get_by_text("Embedded service · sample data")).to_be_visible()
    expect(sidebar.get_by_text("no limit")).to_be_visible()


def test_a_slow_service_does_not_keep_the_sidebar_from_another_notebook(opened, connecting):
    with service.start(memory=True, faults=[Fault("latency", "/v2/usage", seconds=20)]) as slow:
        screen = opened(f"import svc_nb\nsvc_nb.connect({slow.api_key!r}, base_url={slow.base_url!r});")
        sidebar = screen.page.locator(SIDEBAR)
        execute(screen, "show-sidebar")
        expect(sidebar.get_by_text("Asking the service …")).to_have_count(2)
        opened(connecting)
        execute(screen, "show-sidebar")
        expect(sidebar.get_by_text(f"characters left of {QUOTA:,}")).to_be_visible(timeout=8000)


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
    return [f"{rule['id']}: {rule['help']}" for rule in found if rule["impact"] in pages.ABOVE_MINOR]


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
    assert page.evaluate(FOCUSED, SIDEBAR)
    screen.screenshot("lab-connected")

    execute(screen, "open-panel", panel="glossary")
    tab, create = page.locator(TAB), page.locator(TAB).get_by_role("button", name="Create")
    expect(create).to_be_visible()
    screen.settle()
    show_notebook = page.get_by_role("tab", name=".ipynb").first.click
    show_notebook()
    screen.python(UNINSTALL)
    tab.click()
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.run()")
    expect(tab.get_by_text("svc_nb is not installed in the environment of this kernel.")).to_be_visible()
    expect(tab.get_by_role("button", name="Try again")).to_be_visible()
    show_notebook()
    screen.python(INSTALL)
    expect(create).to_be_visible()
    screen.settle()

    page.evaluate(CHANGE_KERNEL, OTHER)
    expect(tab.get_by_text("svc_nb needs a Python kernel. This notebook uses another language.")).to_be_visible()
    page.evaluate(CHANGE_KERNEL, "python3")
    expect(create).to_be_visible()
    screen.settle()


def test_notebook_7_has_the_menu_and_the_panels_too(show_in, written, connecting):
    screen = show_in("notebook", written(connecting, [MARKDOWN]))
    page = screen.page
    page.evaluate(SELECT, 1)
    execute(screen, "translate-cell", target="ES")
    expect(page.locator(TOAST, has_text="Translated 1 cell into Spanish")).to_be_visible()
    assert page.evaluate(SOURCES)[1] != MARKDOWN
    execute(screen, "open-panel", panel="glossary")
    expect(page.locator(TAB).get_by_role("button", name="Create")).to_be_visible()
    screen.screenshot("notebook-panel")
