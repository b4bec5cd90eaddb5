"""The glossary panel in a real browser: typed, judged, undone, pasted, filtered, pushed, found on the service."""

from __future__ import annotations

import json
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
ONE_LINE = """tabs => {
    const [list] = tabs.map(tab => tab.parentElement);
    return new Set(tabs.map(tab => tab.offsetTop)).size === 1 && list.scrollWidth <= list.clientWidth;
}"""
PUSH = re.compile("^Push .*…$")
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

    def push(self) -> None:
        self.page.get_by_role("button", name=PUSH).click()

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
    screen.expect_text("the translation has space at its beginning or end")
    on.page.keyboard.press("Control+z")
    expect(on.row(1)).to_have_class("svc-row")
    on.write(1, 1, " Köter")
    on.press("Apply all safe fixes")
    expect(on.cell(1, 1)).to_have_text("Köter")
    on.page.keyboard.press("Control+z")  # from the button, or what has the focus after it
    screen.expect_text("Undone: Fix.")
    on.page.get_by_role("tab", name="Files").press("Control+y")
    screen.expect_text("Redone: Fix.")
    expect(on.cell(1, 1)).to_have_text("Köter")
    expect(on.row(1)).to_have_class("svc-row svc-changed")
    on.cell(1, 1).dblclick()
    on.page.keyboard.type(" und Hund")
    on.press("Discard")  # what is being written is a part of what is discarded
    screen.expect_text("Your edits are discarded. Undo brings them back.")
    expect(on.cell(1, 1)).to_have_text("Hund")
    on.page.keyboard.press("Control+z")
    expect(on.cell(1, 1)).to_have_text("Köter und Hund")
    on.page.keyboard.press("Control+z")
    expect(on.cell(1, 1)).to_have_text("Köter")

    on.cell(2, 0).click()
    block = [(f"pasted {n}", f"eingefügt {n}") for n in range(500)]
    block[7] = (f"{HOSTILE} & more", "=1+1")
    on.paste(block)
    screen.expect_text("501 rows")
    search = screen.get("searchbox", "Search")
    search.fill("eingefügt 49")
    screen.expect_text("11 of 501 rows")
    search.fill("")

    for width in (620, 1000, 1500):
        screen.width(width)
        assert on.page.locator(".svc-panel .svc-tab").evaluate_all(ONE_LINE), f"the tabs stay on one line at {width}"
    screen.width(1600)
    on.turn_to("Changes")
    expect(screen.get("grid", "Changes")).to_contain_text(f"{HOSTILE} & more")
    on.turn_to("Suggestions")
    suggested = screen.get("grid", "Suggestions")
    on.page.get_by_role("tab", name="Suggestions").press("Tab")
    expect(suggested.get_by_role("gridcell", name="heat pump", exact=True)).to_be_focused()
    on.page.keyboard.press("Enter")
    screen.expect_text("Row 502 was added")
    on.page.keyboard.type("Wärmepumpe")
    on.page.keyboard.press("Enter")
    on.page.wait_for_function(AT_NEW_ROW)
    for _ in range(2):
        on.page.keyboard.press("Control+z")
    screen.expect_text("501 terms.")
    expect(on.grid.locator(":focus")).to_have_count(1)
    on.press("Search again")
    suggested.get_by_role("gridcell", name="heat pump", exact=True).click()
    on.page.keyboard.press("a")
    screen.expect_text("Row 502 was added")
    expect(suggested.get_by_role("gridcell", name="heat pump", exact=True)).to_have_count(0)
    suggested.get_by_role("gridcell", name="control unit", exact=True).click()
    on.page.keyboard.press("x")
    screen.expect_text("No new suggestions: a candidate must occur at least 3 times")
    on.cell(501, 0).click()
    on.page.keyboard.press("Control+End")
    on.write(502, 1, "Wärmepumpe")
    screen.screenshot("glossary-edited", widths=(700, 1000, 1500))
    on.push()
    screen.expect_text("In EN → DE: 462 added, 40 changed.")
    on.press("Push 502 changes")
    screen.expect_text("Pushed to “Products”")
    wanted = [("dog", "Köter"), *block, ("heat pump", "Wärmepumpe")]
    assert sorted(couples(glossaries.pull(products))) == sorted(wanted)
    screen.look("glossary-pushed")


def test_edits_outlive_the_kernel_and_conflicts_are_not_overwritten(show_in, cells, products):
    screen = show_in("lab", *cells(products), code=False)
    on = Desk(screen)
    on.write(1, 1, "Köter")
    on.write(2, 0, f"{HOSTILE} 2")
    screen.expect_text("2 changed, not pushed yet")
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
    on.page.remove_locator_handler(died)  # the next test has the same page
    expect(on.cell(1, 0).locator(".svc-pen"), "letters are no commands of the notebook").to_be_focused()
    expect(on.cell(2, 0)).to_have_text(f"{HOSTILE} 2")
    screen.look("glossary-restored")

    on.push()
    conflicts = screen.get("region", "Conflicts")
    expect(conflicts).to_contain_text("Dackel")
    screen.look("glossary-conflicts")
    assert dict(couples(glossaries.pull(products)))["dog"] == "Dackel"
    on.press("Take all from the service")
    on.press("Continue")
    on.press("Push 1 change")
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
    results = on.page.locator(".svc-result-text")
    expect(results.first).to_contain_text("Hund")
    marks = [results.nth(at).locator("mark").all_text_contents() for at in (0, 1)]
    texts = results.all_text_contents()
    assert (marks[0] != []) == (texts[0] != texts[1])
    screen.look("glossary-tried")

    on.turn_to("Files")
    file = f"# from {HOSTILE}\ndog\tKöter\ten\tde\n{HOSTILE} 2\t=1+1\ten\tde\ndog\tKöter\ten\tde\n"
    dropped = on.page.evaluate_handle(FILE, ["more.tsv", file])
    on.page.locator(".svc-drop:visible").dispatch_event("drop", {"dataTransfer": dropped})
    screen.expect_text("Add: 1 new, 1 changed.")
    left_out = screen.get("grid", "Left out")
    expect(left_out.get_by_role("columnheader")).to_have_text(["Line", "Text", "Reason"])
    expect(left_out.get_by_role("row").nth(1)).to_have_text(f"1# from {HOSTILE}Comment")
    expect(left_out.get_by_role("row").nth(2)).to_have_text("4dog · KöterSame as line 2")
    expect(on.cell(1, 1)).to_have_text("Hund")
    screen.look("glossary-file")
    on.press("Add to the glossary")
    expect(on.cell(1, 1)).to_have_text("Köter")
    with on.page.expect_download() as saved:
        on.press("CSV")
    text = saved.value.path().read_text("utf-8-sig")
    assert (saved.value.suggested_filename, "'=1+1" in text) == ("Products.csv", True)

    screen.get("combobox", "Glossary").select_option(label="New glossary …")
    screen.get("textbox", "Name", exact=True).fill("Plants")
    screen.get("combobox", "To").select_option(label="French (FR)")
    screen.look("glossary-new")
    on.press("Create")
    on.page.wait_for_function(AT_NEW_ROW)
    on.page.keyboard.type("tree")
    on.page.keyboard.press("Tab")
    on.page.keyboard.type("arbre")
    on.page.keyboard.press("Enter")
    screen.expect_text("1 added, not pushed yet")
    on.push()
    screen.expect_text("In EN → FR: 1 added.")
    screen.look("glossary-push")
    on.press("Create glossary")
    screen.expect_text("Pushed to “Plants”")
    assert couples(glossaries.pull("Plants")) == [("tree", "arbre")]


CHOSEN = "node => node.selectedOptions[0].text.replaceAll('\u00a0', ' ')"
AT_NEW_ROW = """() => {
    const row = document.activeElement?.closest?.('.svc-row');
    const column = document.activeElement?.closest?.('[data-column]')?.dataset.column;
    return row?.classList.contains('svc-new-line') && column === '0';
}"""


def test_a_stranger_names_a_glossary_and_types_or_pastes_its_first_terms(show_in, cells, connected):
    screen = show_in("lab", *cells(None), code=False)
    page, grid = screen.page, screen.page.locator(".svc-editor")
    name = screen.get("textbox", "Name", exact=True)
    expect(grid).to_be_hidden()
    expect(screen.page.get_by_role("button", name=PUSH)).to_be_hidden()
    screen.look("glossary-form")
    name.press("Enter")
    screen.expect_text("Enter a name first.")
    name.fill("Travel")
    name.press("Enter")
    page.wait_for_function(AT_NEW_ROW)
    assert len(glossaries.list()) == 0, "nothing is sent by that"
    expect(grid.get_by_role("columnheader")).to_have_text(["", "Term", "Translation"])
    assert screen.get("combobox", "Languages").evaluate(CHOSEN) == "EN → DE (0)"
    expect(grid.get_by_role("gridcell").first).to_have_text("Type a term here, or paste two columns from a spreadsheet")
    screen.expect_text("Or drop a glossary file here, or choose one")
    screen.look("glossary-empty")

    grid.get_by_role("gridcell").first.click()  # other widths and themes may have taken the focus
    page.wait_for_function(AT_NEW_ROW)
    page.keyboard.type("backpack")
    page.keyboard.press("Tab")
    page.keyboard.type("Rucksack")
    page.keyboard.press("Enter")
    page.wait_for_function(AT_NEW_ROW)
    on = Desk(screen)
    expect(on.cell(1, 1)).to_have_text("Rucksack")
    page.keyboard.type("tent")
    page.keyboard.press("Tab")
    page.keyboard.type("Zelt")
    page.keyboard.press("Enter")
    screen.expect_text("2 added, not pushed yet.")
    page.wait_for_function(AT_NEW_ROW)
    assert told(screen) == [["EN", "DE", "backpack", "Rucksack"], ["EN", "DE", "tent", "Zelt"]]
    expect(page.locator(".svc-glossary-first")).to_be_hidden()
    on.paste([("stove", "Kocher"), ("map", "Karte")])
    screen.expect_text("4 added, not pushed yet.")
    expect(on.cell(4, 0)).to_have_text("map")
    on.push()
    screen.expect_text("In EN → DE: 4 added.")
    on.press("Create glossary")
    screen.expect_text("Pushed to “Travel”: 4 added.")
    wanted = [("backpack", "Rucksack"), ("tent", "Zelt"), ("stove", "Kocher"), ("map", "Karte")]
    assert couples(glossaries.pull("Travel")) == wanted


def test_two_columns_are_pasted_into_an_empty_glossary_and_a_finding_leads_to_its_cell(show_in, cells, connected):
    screen = show_in("lab", *cells(None), code=False)
    page = screen.page
    screen.get("textbox", "Name", exact=True).fill("Travel")
    page.keyboard.press("Enter")
    page.wait_for_function(AT_NEW_ROW)
    Desk.paste(Paster(page), [("backpack", "Rucksack"), ("tent", "Zelt "), ("map  pin", "Nadel"), ("map", "")])
    on = Desk(screen)
    expect(on.cell(1, 0)).to_have_text("backpack")
    assert len(told(screen)) == 4
    counts = "2 rows with errors, 1 row with warnings"
    expect(page.locator(".svc-line").filter(has_text=f"{counts}.")).to_have_count(2)  # of the panel, and of Checks
    expect(page.locator(".svc-editor .svc-grid-said")).to_have_text(f"4 rows; {counts}; 4 added")
    expect(page.get_by_role("tab", name="Checks (3)")).to_be_visible()
    expect(screen.get("button", "Errors 2")).to_be_visible()
    findings = screen.get("grid", "Findings")
    for row, column, message in ((2, 1, "space at its beginning"), (3, 0, "unusual space"), (4, 1, "is empty")):
        findings.get_by_role("gridcell").filter(has_text=message).click()
        expect(on.cell(row, column).locator(".svc-pen")).to_be_focused()
        expect(on.cell(row, column)).to_have_class(re.compile("svc-wrong"))
        expect(on.cell(row, 1 - column)).not_to_have_class(re.compile("svc-wrong"))
    screen.width(700)  # the checks are below the grid
    screen.page.get_by_role("button", name="Apply all safe fixes").scroll_into_view_if_needed()
    findings.get_by_role("gridcell").filter(has_text="is empty").click()
    expect(on.cell(4, 1)).to_be_in_viewport()
    screen.width(1600)
    screen.look("glossary-findings")
    on.push()
    screen.expect_text("2 rows with errors cannot be sent (rows 2, 4)")
    screen.python("panel.book.add([('EN', 'FR', 'tent', 'tente')]); panel.choose_pair()")
    screen.get("button", "Add row").click()
    page.keyboard.type("lamp")
    page.keyboard.press("Tab")
    page.keyboard.type("Lampe")
    page.keyboard.press("Enter")
    screen.expect_text("6 added")
    assert ["EN", "DE", "lamp", "Lampe"] in told(screen)
    screen.width(420)
    screen.screenshot("glossary-narrow")


NOT_CHECKED = "from svc_nb.panels.glossary import checks\nchecks.LATEST = checks.MOMENT = 600"


def test_a_hundred_thousand_rows_show_before_they_are_checked(show_in, cells, connected):
    found = glossaries.push(terms(*((f"term {n}", f"Begriff {n}") for n in range(1, 100_001))), "Large").glossary_id
    connect, panel = cells(found)
    screen = show_in("lab", connect, NOT_CHECKED, panel, code=False)
    on = Desk(screen)
    expect(on.cell(1, 1)).to_have_text("Begriff 1")
    screen.expect_text("Checking …")
    assert screen.get("combobox", "Languages").evaluate(CHOSEN) == "EN → DE (100,000)"
    screen.screenshot("glossary-checking")
    assert screen.python("print(panel.wait(60))").strip() == "True"
    screen.expect_text("No problems found.")


class Paster:
    """As much of a desk as pasting needs, where no row is there yet."""

    def __init__(self, page) -> None:
        self.page = page


def told(screen) -> list[list[str]]:
    """The rows that the panel has in the kernel."""
    return json.loads(screen.python("import json; print(json.dumps(panel.table.values.tolist()))"))
