"""The glossary panel in a real browser: typed, judged, undone, pasted, filtered, pushed, found on the service."""

from __future__ import annotations

import os
import re
import signal

import pytest
from playwright.sync_api import expect

from svc_nb import glossaries
from tests.browser.pages import IDLE, RUN
from tests.panels.glossary.terms import couples, terms

CONNECT = """
import pandas as pd
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
corpus = pd.Series({corpus!r})
"""
PANEL = "panel = panels.Glossary({glossary_id!r}, corpus=corpus)\npanel"
CUT = "tabs => tabs.filter(tab => tab.scrollWidth > tab.clientWidth).map(tab => tab.textContent)"
HOSTILE = "<img src=x onerror=alert(1)>"
CORPUS = [
    "The heat pump hums.",
    "A heat pump needs care.",
    "Every heat pump is tested.",
    "The control unit of the heat pump.",
    "A control unit.",
    "The control unit is new.",
]
TERMS = [
    ("dog", "Hund"),
    ("cat", "Katze"),
    (HOSTILE, "=cmd()"),
    *((f"term {n}", f"Begriff {n}") for n in range(4, 41)),
]


class Desk:
    """A glossary panel on the screen."""

    def __init__(self, screen) -> None:
        self.screen, self.page = screen, screen.page
        self.grid = screen.get("grid", "Terms")
        expect(self.row(1)).to_be_visible()

    def row(self, number: int):
        header = self.page.get_by_role("rowheader", name=re.compile(rf"^Row {number}(,|$)"))
        return self.grid.get_by_role("row").filter(has=header)

    def cell(self, number: int, column: int):
        return self.row(number).get_by_role("gridcell").nth(column)

    def write(self, number: int, column: int, text: str) -> None:
        self.cell(number, column).click()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def paste(self, block: list[tuple[str, str]]) -> None:
        """Paste *block* where the keyboard is, as a spreadsheet gives it."""
        text = "".join("\t".join(cells) + "\r\n" for cells in block)
        self.page.evaluate(
            """text => {
                const put = event => {
                    event.clipboardData.setData('text/plain', text);
                    event.preventDefault();
                    event.stopPropagation();
                };
                window.addEventListener('copy', put, { capture: true, once: true });
                document.execCommand('copy');
            }""",
            text,
        )
        self.page.keyboard.press("Control+v")

    def turn_to(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab).click()

    def press(self, name: str) -> None:
        self.screen.get("button", name, exact=True).click()


@pytest.fixture
def products(connected) -> str:
    """The id of a glossary of forty terms, two of them hostile."""
    found = glossaries.push(terms(*TERMS), "Products").glossary_id
    assert found
    return found


@pytest.fixture
def cells(running, tmp_path):
    """The cells that show a glossary: `cells(glossary_id)`."""
    own = {"api_key": running.api_key, "base_url": running.base_url, "store": str(tmp_path / "kernel.sqlite")}

    def make(glossary_id: str) -> list[str]:
        return [CONNECT.format(**own, corpus=CORPUS), PANEL.format(glossary_id=glossary_id)]

    return make


def test_terms_are_typed_judged_undone_pasted_filtered_and_pushed(show_in, cells, products):
    screen = show_in("lab", *cells(products), code=False)
    on = Desk(screen)
    expect(on.cell(3, 0)).to_have_text(HOSTILE)
    expect(on.cell(3, 1)).to_have_text("=cmd()")
    on.write(1, 1, " Hund")
    expect(on.row(1)).to_have_class(re.compile("svc-error"))
    screen.expect_text("the target has space at its beginning or end")
    on.page.keyboard.press("Control+z")
    expect(on.row(1)).to_have_class("svc-row")
    on.write(1, 1, " Köter")
    on.press("Fix all that is safe")
    expect(on.cell(1, 1)).to_have_text("Köter")
    expect(on.row(1)).to_have_class("svc-row svc-changed")

    on.cell(2, 0).click()
    block = [(f"pasted {n}", f"eingefügt {n}") for n in range(500)]
    block[7] = (f"{HOSTILE} & more", "=1+1")
    on.paste(block)
    screen.expect_text("501 rows")
    search = screen.get("searchbox", "Search")
    search.fill("eingefügt 49")
    screen.expect_text("11 of 501 rows")
    search.fill("")

    screen.width(700)
    names = on.page.locator(".svc-panel .lm-TabBar-tabLabel")
    assert names.evaluate_all(CUT) == [], "no name of a tab is cut"
    screen.width(1600)
    on.turn_to("Changes")
    expect(screen.get("grid", "Changes")).to_contain_text(f"{HOSTILE} & more")
    on.turn_to("Suggestions")
    suggested = screen.get("grid", "Suggestions")
    suggested.get_by_role("gridcell", name="heat pump", exact=True).click()
    on.page.keyboard.press("a")
    screen.expect_text("Row 502 was added")
    expect(suggested.get_by_role("gridcell", name="heat pump", exact=True)).to_have_count(0)
    suggested.get_by_role("gridcell", name="control unit", exact=True).click()
    on.page.keyboard.press("x")
    screen.expect_text("No new suggestions.")
    on.cell(1, 0).click()
    on.page.keyboard.press("Control+End")
    on.write(502, 1, "Wärmepumpe")
    on.press("Push …")
    screen.expect_text("In EN → DE: 501 added, 1 changed, 39 removed.")
    on.press("Yes, push")
    screen.expect_text("Pushed to “Products”")
    wanted = [("dog", "Köter"), *block, ("heat pump", "Wärmepumpe")]
    assert sorted(couples(glossaries.pull(products))) == sorted(wanted)
    assert screen.violations() == []


def test_edits_outlive_the_kernel_and_conflicts_are_not_overwritten(show_in, cells, products):
    screen = show_in("lab", *cells(products), code=False)
    on = Desk(screen)
    on.write(1, 1, "Köter")
    on.write(2, 0, f"{HOSTILE} 2")
    screen.expect_text("2 changed, not sent yet")
    os.kill(int(screen.python("import os; print(os.getpid())")), signal.SIGKILL)
    died = on.page.get_by_role("dialog", name="Kernel Restarting")
    died.wait_for()
    on.page.keyboard.press("Enter")
    on.page.add_locator_handler(died, lambda: on.page.keyboard.press("Enter"))  # it may be said twice
    on.page.wait_for_timeout(2000)
    on.page.wait_for_function(IDLE)
    glossaries.push(terms(("dog", "Dackel"), *TERMS[1:]), glossary_id=products)
    on.page.evaluate(RUN)
    on.press("Restore")
    on = Desk(screen)
    expect(on.cell(1, 1)).to_have_text("Köter")
    expect(on.cell(2, 0)).to_have_text(f"{HOSTILE} 2")
    assert screen.violations() == []

    on.press("Push …")
    conflicts = screen.get("grid", "Conflicts")
    expect(conflicts).to_contain_text("Dackel")
    screen.screenshot("glossary-conflicts")
    assert screen.violations() == []
    assert dict(couples(glossaries.pull(products)))["dog"] == "Dackel"
    on.press("All as on the service")
    on.press("Go on")
    on.press("Yes, push")
    screen.expect_text("Pushed to “Products”")
    found = dict(couples(glossaries.pull(products)))
    assert (found["dog"], found[f"{HOSTILE} 2"]) == ("Dackel", "Katze")
    screen.check()


FILE = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    return data;
}"""


def test_files_are_dropped_and_saved_sentences_tried_and_glossaries_begun(show_in, cells, products):
    screen = show_in("lab", *cells(products), code=False, theme="dark")
    on = Desk(screen)
    on.turn_to("Try out")
    field = screen.get("textbox", "A sentence to try")
    field.fill("The dog sleeps.")
    field.press("Enter")
    screen.expect_text("characters billed")
    expect(on.page.locator(".svc-result-text").first).to_contain_text("Hund")
    assert screen.violations() == []
    screen.screenshot("glossary-tried")

    on.turn_to("Files")
    dropped = on.page.evaluate_handle(FILE, ["more.tsv", f"dog\tKöter\ten\tde\n{HOSTILE} 2\t=1+1\ten\tde\n"])
    on.page.locator(".svc-drop").dispatch_event("drop", {"dataTransfer": dropped})
    screen.expect_text("Adding it: 1 new, 1 with another target.")
    assert screen.violations() == []
    screen.screenshot("glossary-file")
    on.press("Add to the table")
    expect(on.cell(1, 1)).to_have_text("Köter")
    with on.page.expect_download() as saved:
        on.press("CSV")
    text = saved.value.path().read_text("utf-8-sig")
    assert (saved.value.suggested_filename, "'=1+1" in text) == ("Products.csv", True)

    screen.get("combobox", "Glossary").select_option(label="New glossary …")
    screen.get("textbox", "Name of the new glossary").fill("Plants")
    screen.get("combobox", "Languages").select_option(label="Add a pair …")
    screen.get("combobox", "To").select_option(label="French (FR)")
    on.press("Add pair")
    screen.get("combobox", "Languages")
    screen.screenshot("glossary-new")
    assert screen.violations() == []
    on.press("Add row")
    on.page.keyboard.type("tree")
    on.page.keyboard.press("Tab")
    on.page.keyboard.type("arbre")
    on.page.keyboard.press("Enter")
    screen.expect_text("1 added, not sent yet")
    on.press("Push …")
    screen.expect_text("In EN → FR: 1 added, 0 changed, 0 removed.")
    screen.screenshot("glossary-push")
    on.press("Yes, push")
    screen.expect_text("Pushed to “Plants”")
    assert couples(glossaries.pull("Plants")) == [("tree", "arbre")]
