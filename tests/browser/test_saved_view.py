"""A notebook that was saved with a panel and is opened again shows the saved view, until its cell is run."""

from __future__ import annotations

import re

import nbformat
import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser import pages
from tests.panels.all_panels import CONNECT
from tests.panels.secrecy import STATE

SAVED = r"Saved view of \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d\. Run this cell to work with it\."
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"
CLOSE = """async () => {
    const { shell, serviceManager } = window.jupyterapp;
    shell.currentWidget.dispose();
    await serviceManager.sessions.shutdownAll();
}"""
# What a reader without the extension has.
EXTENSION_OFF = """off => [...document.styleSheets].forEach(sheet => {
    if (sheet.ownerNode.textContent.startsWith('.svc-lab-tab')) sheet.disabled = off;
})"""


@pytest.fixture(scope="module")
def connect():
    with service.start(memory=True, sample=True) as running:
        own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
        yield CONNECT.format(**own)


@pytest.mark.parametrize(("front", "trusted"), [("lab", True), ("lab", False), ("notebook", True)])
def test_a_notebook_that_is_opened_again_shows_the_saved_view_until_its_cell_is_run(
    show_in, servers, connect, front, trusted
):
    screen = show_in(front, connect, "panels.Usage()")
    page = screen.page
    path = page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    live = page.locator(".jp-OutputArea-output").get_by_role("button", name="7 days")
    expect(live).to_be_visible()
    expect(page.locator(".svc-still")).to_be_hidden()
    screen.settle()
    page.evaluate(SAVE)
    saved_once(servers.place.root / path)

    reopen(screen, servers.place.root / path, trusted)
    saved = page.locator(".svc-still")
    expect(saved).to_contain_text(re.compile(SAVED))
    expect(saved.get_by_role("img", name="Characters by day and key")).to_be_visible()
    page.evaluate(EXTENSION_OFF, trusted)
    above = page.get_by_text("Error displaying widget" if trusted else "<Usage panel")
    expect(above).to_be_attached()
    expect(above).to_be_hidden()
    screen.look(f"saved-view-{'trusted' if trusted else 'untrusted'}")

    # What ipywidgets says on the console of a view without its model.
    screen.watch.troubles = [each for each in screen.watch.troubles if "widget model not found" not in each]

    page.evaluate(EXTENSION_OFF, False)
    page.evaluate(pages.RUN)
    expect(live).to_be_visible()
    expect(saved).to_be_hidden()


def test_what_a_person_writes_is_in_no_notebook_that_is_saved_with_its_widgets(show_in, servers, connect):
    """JupyterLab saves the state that the page has, not that of the kernel."""
    screen = show_in("lab", connect, "panel = panels.Glossary()\npanel.create('Products', 'en', 'de')\npanel")
    page = screen.page
    path = servers.place.root / page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    page.get_by_role("tab", name="More").click()
    name = page.get_by_role("textbox", name="New name")
    name.fill("Zwetschgendatschi")
    name.press("Tab")
    screen.settle()
    assert "Zwetschgendatschi" in screen.python("print(panel.more.name.value)")
    toggle = "() => window.jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
    page.evaluate(toggle)
    with page.expect_response(lambda answer: answer.request.method == "PUT" and path.name in answer.url):
        name.press("Control+s")  # the keys of the host work in a panel, too
    page.evaluate(toggle)
    states = nbformat.read(path, as_version=4).metadata["widgets"][STATE]["state"]
    assert any("tree" in each["state"] for each in states.values())
    assert "Zwetschgendatschi" not in path.read_text()


def saved_once(path) -> None:
    """The file has the picture once, in its HTML."""
    text = path.read_text()
    assert text.count("iVBORw0KGgo") == 1
    assert '"image/png"' not in text


def reopen(screen, path, trusted) -> None:
    """Close the notebook, end its kernel, and open it again, as one that somebody else has saved if not *trusted*."""
    page = screen.page
    if screen.front == "lab":
        page.evaluate(CLOSE)
    else:
        screen.server.end_kernel(screen.kernel)
    if not trusted:
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.append(nbformat.v4.new_markdown_cell("Changed elsewhere."))
        nbformat.write(notebook, path)
    if screen.front == "lab":
        page.evaluate(pages.OPEN, path.name)
    else:
        page.reload()
    page.wait_for_function(pages.READY, arg=path.name)
    screen.kernel = page.evaluate(pages.KERNEL)
