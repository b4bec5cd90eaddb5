"""A panel says how it is: a restarted, killed or busy kernel, a service that is gone, a wrong key, a spent quota."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.session import Session
from svc_nb.wire.models import Dictionary
from tests.waiting import until

CONNECT = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, admin_key={api_key!r}, base_url={base_url!r}, store=":memory:", tries=1, first_wait=0.01)
"""
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
BUSY = """seconds => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    kernel.requestExecute({ code: `import time; time.sleep(${seconds})` });
}"""
# What panels say gets lost on its way to the kernel, for a while.
LOSE = """() => {
    const send = WebSocket.prototype.send;
    Object.assign(window, { losing: true, lost: 0 });
    WebSocket.prototype.send = function (data) {
        const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
        if (window.losing && text.includes('comm_msg')) window.lost += 1;
        else send.call(this, data);
    };
}"""
# As an extension does that asks a kernel while it is busy.
ASK_ASIDE = """async code => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const { subshell_id } = (await kernel.requestCreateSubshell({}).done).content;
    const aside = kernel.clone({ handleComms: false });
    aside.subshellId = subshell_id;
    await aside.requestExecute({ code }).done;
    aside.dispose();
    await kernel.requestDeleteSubshell({ subshell_id }).done;
}"""
BROKEN_LINK = ".jupyter-widgets-disconnected"


@pytest.fixture
def running():
    with service.start(memory=True, sample=True) as started:
        opened = Session.embedded(started)
        opened.client.glossaries.create("Products", [Dictionary("en", "de", "backpack\tRucksack\ntent\tZelt")])
        opened.close()
        yield started


@pytest.fixture
def glossary(show_in, running):
    """The Glossary panel in JupyterLab, with a term that was just written and is kept in a draft."""
    screen = show_in("lab", connected(running), "panel = panels.Glossary('Products')\npanel")
    expect(screen.get("gridcell", "Rucksack")).to_be_visible()
    screen.python("panel.add('lamp', 'Lampe'); panel.wait()")
    expect(screen.get("gridcell", "Lampe")).to_be_visible()
    return screen


CAN_COPY = "node => !node.closest('[inert]') && getComputedStyle(node.querySelector('li')).userSelect !== 'none'"


def connected(running: service.Service, **given: str) -> str:
    return CONNECT.format(**{"api_key": running.api_key, "base_url": running.base_url} | given)


def kill(screen) -> None:
    """End the kernel at once, and close what JupyterLab says about it."""
    os.kill(int(screen.python("import os; print(os.getpid())")), signal.SIGKILL)
    close_dialog(screen.page)


def close_dialog(page) -> None:
    """What JupyterLab says of a kernel that died."""
    page.get_by_role("dialog", name="Kernel Restarting").wait_for()
    page.keyboard.press("Enter")


def expect_gone(screen, words: str) -> None:
    """One banner says what happened, the panel takes no more clicks, and what was shown is still there."""
    banner = screen.page.get_by_role("alert")
    expect(banner).to_have_count(1)
    expect(banner).to_contain_text(words)
    expect(banner).to_contain_text("Your draft of")
    assert screen.page.locator(".svc-body").evaluate("node => node.inert")
    expect(screen.page.get_by_text("Lampe")).to_be_visible()
    icon = screen.page.locator(BROKEN_LINK).evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node, '::before').display)"
    )
    assert set(icon) <= {"none"}, "a broken link is shown beside the words"


def test_a_restarted_kernel_is_told_with_the_draft_that_is_kept(glossary):
    glossary.page.evaluate(RESTART)
    expect_gone(glossary, "The kernel was restarted. Run the notebook again from the top to continue.")
    glossary.look("state-restarted")
    glossary.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
    )
    glossary.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    expect(glossary.get("button", "Restore")).to_be_visible()
    glossary.get("button", "Restore").click()
    expect(glossary.get("gridcell", "Lampe")).to_be_visible()


def test_a_killed_kernel_is_told_too(glossary):
    kill(glossary)
    expect_gone(glossary, "The kernel was restarted.")


def test_what_was_written_when_the_kernel_was_killed_is_not_swallowed(glossary):
    glossary.get("tab", "Try out").click()
    glossary.get("textbox", "A sentence to try").fill("My lamp is made of brass.")
    pid = int(glossary.python("import os; print(os.getpid())"))
    os.kill(pid, signal.SIGSTOP)
    cell = glossary.get("gridcell", "Lampe")
    cell.dblclick()
    glossary.page.keyboard.type(" aus Messing")
    glossary.page.keyboard.press("Enter")
    expect(glossary.page.get_by_text("Waiting for the kernel")).to_be_visible()
    os.kill(pid, signal.SIGKILL)
    close_dialog(glossary.page)
    expect(glossary.page.get_by_role("alert")).to_contain_text("Not saved:")
    expect(glossary.page.get_by_role("alert")).to_contain_text("Lampe aus Messing")
    expect(glossary.page.get_by_role("alert")).to_contain_text("My lamp is made of brass.")
    assert glossary.page.get_by_role("alert").evaluate(CAN_COPY), "it can be selected and copied"


def test_the_focus_stays_in_a_cell_the_user_moved_to(glossary):
    glossary.get("button", "Push").click()
    expect(glossary.get("button", "Push 1 change", exact=True)).to_be_visible()
    cell = glossary.page.locator(".jp-CodeCell .cm-content").last
    cell.click()
    glossary.python("panel.confirm(); panel.wait()")
    glossary.expect_text("Pushed to “Products”")
    glossary.python("panel.editor.focus(); panel.tabs.focus()")
    glossary.page.wait_for_timeout(500)
    expect(cell).to_be_focused()


REBUILT = """
from svc_nb.panels.parts import controls
box = controls.VBox([controls.Label(value="before")])
shown = controls.PanelWidget(box)
box.children = [controls.VBox([controls.Label(value="after")])]
shown
"""


def test_parts_that_came_and_went_before_a_panel_is_shown_are_as_the_kernel_has_them(show_in):
    screen = show_in("lab", REBUILT)
    screen.expect_text("after")
    expect(screen.page.get_by_text("before", exact=True)).to_have_count(0)


def test_a_click_that_the_kernel_does_not_take_says_that_it_waits(glossary):
    waits = glossary.page.get_by_text("Waiting for the kernel")
    expect(waits).to_have_count(0)
    pid = int(glossary.python("import os; print(os.getpid())"))
    os.kill(pid, signal.SIGSTOP)
    glossary.get("button", "Reload").click()
    expect(waits).to_be_visible()
    glossary.look("state-waiting")
    os.kill(pid, signal.SIGCONT)
    expect(waits).to_have_count(0)
    glossary.expect_text("Nothing was changed elsewhere")


def test_what_gets_lost_on_the_way_is_said_again_once_and_in_order(glossary):
    glossary.page.evaluate(LOSE)
    glossary.get("gridcell", "Rucksack").click()
    for text in ("eins", "zwei", "drei"):
        glossary.page.keyboard.type(text)
        glossary.page.keyboard.press("Enter")
        glossary.page.keyboard.press("ArrowUp")
    assert glossary.page.evaluate("() => { window.losing = false; return window.lost }") >= 3
    until(lambda: "drei" in glossary.python("print(panel.table['target'].tolist())"))
    expect(glossary.page.get_by_text("Waiting for the kernel")).to_have_count(0)
    undone = glossary.python("print([panel.book.undo() and panel.table['target'].iloc[0] for _ in range(3)])")
    assert "['zwei', 'eins', 'Rucksack']" in undone


def test_a_panel_is_heard_after_it_was_told_something_in_a_subshell_that_has_ended(glossary):
    glossary.page.evaluate(ASK_ASIDE, "panel.line.say('Told aside.')")
    glossary.expect_text("Told aside.")
    glossary.get("gridcell", "Rucksack").click()
    glossary.page.keyboard.type("eins")
    glossary.page.keyboard.press("Enter")
    until(lambda: "eins" in glossary.python("print(panel.table['target'].tolist())"))
    expect(glossary.page.get_by_text("Waiting for the kernel")).to_have_count(0)


def test_a_panel_answers_while_a_cell_runs(glossary):
    glossary.page.evaluate(BUSY, 60)
    glossary.get("button", "Reload").click()
    glossary.expect_text("Nothing was changed elsewhere")


def test_a_service_that_is_gone_is_told_and_asked_again(show_in, running):
    cells = connected(running), "panel = panels.Glossary('Products')\npanel"
    running.stop()
    screen = show_in("lab", *cells)
    expect(screen.get("button", "Retry")).to_be_visible()
    told = screen.page.locator(".svc-root").get_by_role("status").filter(has_text="No answer from")
    expect(told).to_contain_text(running.base_url.removeprefix("http://"))
    screen.get("button", "Retry").click()
    expect(screen.get("button", "Retry")).to_be_visible()
    expect(screen.page.get_by_text("No problems found")).to_have_count(0)
    screen.look("state-no-service")
    assert running.api_key not in screen.page.locator(".svc-root").inner_html()


@pytest.mark.parametrize(
    "panel", ["Glossary('Products')", "StyleRules()", "Usage()", "Documents(target_lang='DE')", "Translate(df)"]
)
def test_a_wrong_key_is_told_in_one_sentence_with_a_way_to_retry(show_in, running, panel):
    cells = connected(running, api_key="wrong-key"), 'df = pd.DataFrame({"text": ["The house is red."]})'
    screen = show_in("lab", *cells, f"panel = panels.{panel}\npanel")
    expect(screen.page.get_by_text("401").first).to_be_visible()
    expect(screen.get("button", "Retry")).to_be_visible()
    screen.look(f"state-wrong-key-{panel.partition('(')[0]}")
    assert "wrong-key" not in screen.page.locator(".svc-root").inner_text()


def test_what_is_being_written_while_another_glossary_comes_can_be_copied(glossary):
    glossary.get("gridcell", "Lampe").dblclick()
    glossary.page.keyboard.type(" aus Messing")
    glossary.python("panel.open(None)")
    told = glossary.page.get_by_role("alert").filter(has_text="Not saved:")
    expect(told).to_contain_text("Lampe aus Messing")
    assert told.evaluate(CAN_COPY)
    glossary.look("state-not-saved")
    glossary.get("button", "Dismiss").click()
    expect(told).to_have_count(0)
    assert glossary.page.evaluate("document.activeElement !== document.body"), "the focus stays in the panel"
