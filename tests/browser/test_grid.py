"""The grid in a real browser: all by the keyboard, nothing lost, texts as texts, and the kernel's truth shown."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.waiting import until

EDITOR = """
import time
import pandas as pd
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor, Verdict
from svc_nb.panels.parts.grid import Field

def terms(count):
    numbers = range(1, count + 1)
    return pd.DataFrame({{"source": [f"term {{n}}" for n in numbers], "target": [f"Begriff {{n}}" for n in numbers],
                          "lang": "en"}})

def verdict(cells):
    if not cells[1]:
        return Verdict("error", "the target is empty")
    return Verdict("warning", "source and target are the same") if cells[0] == cells[1] else None

def lint(change):
    editor.judge({{row: verdict(cells) for row, cells in change.cells.items()}})

book = EditTable({table}, ("source", "target", "lang"))
shown = lambda cell: cell
fields = [
    Field("source", "Source", shown, kind="text", editable=True),
    Field("target", "Target", shown, kind="text", editable=True),
    Field("lang", "Language", shown, kind="text", editable=True, options=("de", "en", "fr")),
]
editor = Editor("Terms", book, fields, row=lambda: ("", "", "en"))
book.listen(lint)
editor.judge({{row: verdict(book[row]) for row in book.rows}})
editor
"""
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "=cmd()",
    "$x$",
    "</script>",
    "nul\0 ",
    "\u05e9\u05dc\u05d5\u05dd world",
]


def cell_of(count: int) -> str:
    return EDITOR.format(table=f"terms({count})")


def as_a_spreadsheet(block) -> str:
    """A block of cells as spreadsheets put it into the clipboard."""

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if re.search("[\n\t]", cell) else cell

    return "".join("\t".join(map(quoted, cells)) + "\r\n" for cells in block)


class Desk:
    """An editor on the screen."""

    def __init__(self, screen, view: int = 0) -> None:
        self.screen, self.page = screen, screen.page
        self.grid = screen.page.get_by_role("grid", name="Terms").nth(view)
        expect(self.row(1)).to_be_visible()

    def row(self, number: int):
        """The row with this number."""
        header = self.page.get_by_role("rowheader", name=re.compile(rf"^Row {number}(,|$)"))
        return self.grid.get_by_role("row").filter(has=header)

    def cell(self, number: int, column: int):
        return self.row(number).get_by_role("gridcell").nth(column)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def foot(self, text: str) -> None:
        expect(self.screen.page.locator(".svc-grid-said")).to_contain_text(text)

    def clipboard(self, text: str) -> None:
        """Put *text* into the clipboard, as another program would."""
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

    def book(self, code: str):
        """The value of *code* in the kernel."""
        return json.loads(self.screen.python(f"import json; print(json.dumps(({code})))"))


def test_terms_are_written_judged_undone_pasted_and_filtered_by_the_keyboard(show_in):
    screen = show_in("lab", cell_of(1000), code=False)
    on = Desk(screen)
    on.cell(2, 0).click()
    on.type("same")
    on.press("Tab")
    on.type("same")
    on.press("Enter")
    expect(on.row(2)).to_have_class(re.compile("svc-warning"))
    expect(on.cell(2, 1)).to_have_attribute("aria-description", "source and target are the same")
    on.press("ArrowUp", "ArrowRight")
    expect(screen.page.locator(".svc-note")).to_have_text("Row 2, warning: source and target are the same")
    on.press("Delete")
    expect(on.row(2)).to_have_class(re.compile("svc-error"))
    expect(on.cell(2, 1)).to_have_attribute("aria-invalid", "true")
    on.foot("1,000 rows; 1 row with errors; 1 changed")
    on.press("Control+z")
    expect(on.cell(2, 1)).to_have_text("same")
    on.press("Control+z", "Control+z")
    expect(on.row(2)).to_have_class("svc-row")
    on.press("Control+y")
    expect(on.cell(2, 0)).to_have_text("same")
    on.press("Control+z")
    expect(screen.get("button", "Undo")).to_be_disabled()

    block = [[f"pasted {n}", f"eingefügt {n}"] for n in range(500)]
    block[1] = ['two\nlines and a "quote"', "tab\there"]
    on.clipboard(as_a_spreadsheet(block))
    on.cell(4, 0).click()
    on.press("Control+v")
    on.foot("1,000 rows; 500 changed")
    expect(on.cell(4, 0)).to_have_text("pasted 0")
    expect(on.cell(5, 0)).to_have_text('two↵lines and a "quote"')
    expect(on.cell(5, 1)).to_have_text("tab\there")
    on.press("Control+f")
    on.type("PASTED 49")
    on.foot("11 of 1,000 rows")
    expect(on.cell(503, 1)).to_have_text("eingefügt 499")
    on.press("Escape", "Escape")
    on.foot("1,000 rows; 500 changed")
    screen.get("button", "Changed 500").click()
    on.foot("500 of 1,000 rows")
    screen.get("button", "All", exact=True).click()
    on.press("Control+z")
    expect(on.cell(5, 0)).to_have_text("term 5")
    expect(screen.get("button", "Undo")).to_be_disabled()
    assert on.book("book.redoable, len(book), book.changes['changed']") == ["Paste", 1000, 0]


def test_what_is_deleted_is_the_row_that_was_chosen_whatever_is_in_sight_by_then(show_in):
    screen = show_in("lab", cell_of(300), code=False)
    on = Desk(screen)
    for count, chosen in enumerate((200, 2), 1):  # where rows are not here yet, and among the first ones
        screen.get("searchbox", "Search rows").fill(f"term {chosen}")
        on.cell(chosen, 1).click()
        screen.get("searchbox", "Search rows").fill("")
        expect(screen.page.locator(".svc-grid-said")).to_have_text(re.compile(rf"^{301 - count} rows"))  # all of them
        expect(on.cell(chosen, 1)).to_have_class(re.compile("svc-selected"))
        expect(on.cell(chosen, 1)).to_be_in_viewport()
        screen.get("button", "Delete rows").click()
        on.foot(f"{count} removed")
        assert chosen in on.book("book.dropped")
    screen.get("searchbox", "Search rows").fill("term 7")
    on.foot("of 298 rows")
    expect(screen.page.locator(".svc-room .svc-selected")).to_have_count(0)
    screen.get("button", "Delete rows").click()
    assert len(on.book("book.dropped")) == 2


def test_rows_are_added_dropped_filled_cut_and_sorted_and_every_view_follows(show_in):
    screen = show_in("lab", cell_of(30), "editor", code=False)
    on, other = Desk(screen), Desk(screen, view=1)
    first, second = on.grid, other.grid

    # faster than the kernel: each change takes it a while, and nothing typed meanwhile is lost or out of order
    screen.python("stop = book.listen(lambda change: time.sleep(0.3))")
    on.cell(1, 0).click()
    on.press("Control+End", "ArrowDown")
    for number in range(3):
        on.press("Home")
        on.type(f"new {number}")
        on.press("Tab")
        on.type(f"neu {number}")
        on.press("Enter")
    on.press("Control+Home", "Control+Enter")
    on.type("between")
    on.press("Tab")
    on.type("dazwischen")
    on.press("Enter")
    expect(other.cell(2, 1)).to_have_text("dazwischen")
    assert on.book("[book[row] for row in book.rows[-3:]]") == [[f"new {n}", f"neu {n}", "en"] for n in range(3)]
    assert on.book("[book.rows[:3], book[34]]") == [[1, 34, 2], ["between", "dazwischen", "en"]]
    assert on.book("len(book._undo)") == 9
    screen.python("stop()")
    for _ in range(9):
        on.press("Control+z")
    expect(other.cell(2, 1)).to_have_text("Begriff 2")
    expect(screen.page.get_by_role("button", name="Undo").first).to_be_disabled()
    assert on.book("book.table.equals(book.base)")

    # an answer that comes late does not call back who has gone elsewhere
    on.press("Control+Home", "Delete")
    expect(other.row(1)).to_have_class(re.compile("svc-changed"))
    screen.python("stop = book.listen(lambda change: time.sleep(0.7))")
    on.press("Control+z")
    on.cell(6, 0).click()
    expect(other.cell(1, 0)).to_have_text("term 1")
    expect(on.cell(6, 0).locator("textarea")).to_be_focused()
    screen.python("stop()")

    # blocks: with Shift, by dragging, cut and pasted, filled down
    on.cell(2, 0).click()
    on.press("Shift+ArrowDown", "Shift+ArrowRight")
    expect(first.locator('[aria-selected="true"]')).to_have_count(4)
    on.press("Control+x")
    expect(other.row(3)).to_have_class(re.compile("svc-error"))
    on.cell(5, 0).click()
    on.press("Control+v")
    expect(other.cell(6, 1)).to_have_text("Begriff 3")
    on.cell(5, 0).hover()
    screen.page.mouse.down()
    on.cell(8, 1).hover()
    screen.page.mouse.up()
    expect(first.locator('[aria-selected="true"]')).to_have_count(8)
    on.press("Control+d")
    expect(other.cell(8, 1)).to_have_text("Begriff 2")
    until(lambda: on.book("editor.selected") == [5, 6, 7, 8])
    on.press("Control+c")
    on.cell(10, 1).click()
    on.press("Control+v")
    expect(other.cell(13, 1)).to_have_text("term 2")
    expect(first.get_by_role("gridcell", name="Begriff 2", exact=True)).to_have_count(8)

    # whole rows, a choice from a list, Escape
    on.row(9).get_by_role("rowheader").click()
    on.row(12).get_by_role("rowheader").click(modifiers=["Shift"])
    on.press("Control+-")
    expect(other.cell(9, 0)).to_have_text("term 13")
    assert on.book("book.dropped") == [9, 10, 11, 12]
    on.cell(9, 2).click()
    on.press("f", "Enter")
    expect(other.cell(9, 2)).to_have_text("fr")
    on.cell(10, 0).dblclick()
    on.type(" more")
    on.press("Escape")
    expect(on.cell(10, 0)).to_have_text("term 14")
    on.press("F2")
    on.type(' "more"')
    on.press("Alt+Enter")
    on.type("below")
    on.press("Enter")
    assert on.book("book[14][0]") == 'term 14 "more"\nbelow'
    expect(other.cell(10, 0)).to_have_text('term 14 "more"↵below')
    on.cell(10, 0).click()
    on.press("Control+c", "ArrowRight", "Control+v")
    expect(other.cell(10, 1)).to_have_text('term 14 "more"↵below')

    # a button that changes rows closes the cell that is open first
    on.cell(9, 0).dblclick()
    on.type("lost with its row")
    first.locator("xpath=ancestor::*[contains(@class, 'svc-grid')]").get_by_role("button", name="Delete rows").click()
    expect(other.cell(9, 0)).to_have_text('term 14 "more"↵below')
    on.cell(9, 0).dblclick()
    on.type("undone")
    first.locator("xpath=ancestor::*[contains(@class, 'svc-grid')]").get_by_role("button", name="Undo").click()
    expect(on.cell(9, 0)).to_have_text('term 14 "more"↵below')
    on.press("Control+z")
    expect(other.cell(9, 0)).to_have_text("term 13")
    expect(screen.page.get_by_text("no longer there")).to_have_count(0)

    # headings sort and have widths
    heading = first.get_by_role("columnheader", name="Source")
    heading.click()
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(second.get_by_role("row").nth(1)).to_contain_text("term 4")
    width = heading.bounding_box()["width"]
    on.press("Shift+ArrowRight")
    assert heading.bounding_box()["width"] == pytest.approx(width + 16, abs=1)
    edge = heading.locator(".svc-edge").bounding_box()
    screen.page.mouse.move(edge["x"] + 3, edge["y"] + 5)
    screen.page.mouse.down()
    screen.page.mouse.move(edge["x"] - 97, edge["y"] + 5)
    screen.page.mouse.up()
    assert heading.bounding_box()["width"] == pytest.approx(width - 84, abs=2)
    heading.locator(".svc-edge").dblclick()
    assert heading.bounding_box()["width"] < width - 84
    heading.click()
    expect(first.get_by_role("row").nth(1)).to_contain_text("term 1")
    screen.python("editor.go_to(30)")
    last = first.get_by_role("gridcell", name="term 30", exact=True)
    expect(last).to_be_in_viewport()

    # leaving by the keyboard
    last.click()
    on.press("Escape", "Tab")
    assert not first.evaluate("node => node.contains(document.activeElement)")

    # a second page, freshly loaded, shows the same
    screen.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    path = screen.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    page = screen.page.context.new_page()
    page.goto(screen.server.url(f"lab/workspaces/second/tree/{path}"))
    again = page.get_by_role("grid", name="Terms").first
    expect(again.get_by_role("gridcell", name='term 14 "more"↵below', exact=True)).to_have_count(2)
    page.close()


def test_an_input_method_is_not_cut_and_texts_stay_texts(show_in):
    table = f"pd.DataFrame({{'source': {HOSTILE!r} + ['x' * 1_000_000], 'target': 'ok', 'lang': 'en'}})"
    screen = show_in("lab", EDITOR.format(table=table), code=False)
    on = Desk(screen)
    for number, text in enumerate(HOSTILE, start=1):
        expect(on.cell(number, 0)).to_be_visible()
        assert on.cell(number, 0).text_content() == text
    assert on.grid.locator("img, script, mjx-container, .MathJax").count() == 0
    assert on.cell(6, 0).evaluate("node => getComputedStyle(node).direction") == "rtl"
    input_method = screen.page.context.new_cdp_session(screen.page)

    def key_of_the_input_method(name: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            input_method.send(
                "Input.dispatchKeyEvent",
                {"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": 229},
            )

    on.cell(2, 1).click()
    for text in ("k", "か", "かn", "かん"):
        input_method.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        )
    for key in ("Enter", "Escape", "Tab", "ArrowDown"):
        key_of_the_input_method(key)
    assert on.book("book[2][1]") == "ok"
    expect(screen.page.locator(".svc-pen")).to_have_value("かん")
    input_method.send("Input.insertText", {"text": "漢字"})
    on.type("!")
    on.press("Enter")
    expect(on.cell(2, 1)).to_have_text("漢字!")
    assert on.book("book[2][1]") == "漢字!"
    input_method.send("Input.imeSetComposition", {"text": "かな", "selectionStart": 2, "selectionEnd": 2})
    on.cell(5, 1).click()
    expect(on.cell(3, 1)).to_have_text("かな")
    assert on.book("book[3][1]") == "かな"

    # a long text is shown in part, and edited whole
    assert len(on.cell(7, 0).inner_text()) == 300
    on.cell(7, 0).click()
    on.press("F2")
    expect(screen.page.locator(".svc-pen.svc-open")).to_be_visible()
    on.type("end")
    on.press("Enter")
    until(lambda: on.book("[len(book[7][0]), book[7][0][-4:]]") == [1_000_003, "xend"])
    on.cell(1, 1).click()
    on.type("=cmd() <b>")
    on.press("Enter")
    expect(on.cell(1, 1)).to_have_text("=cmd() <b>")
    screen.python("book.write({(4, 'target'): 'half \\ud800'})")
    expect(on.cell(4, 1)).to_have_text("half \ufffd")


def test_it_is_legible_and_has_no_grave_fault_for_those_who_see_otherwise(show_in):
    screen = show_in("lab", cell_of(1000), code=False)
    on = Desk(screen)
    on.cell(2, 1).click()
    on.press("Delete")
    on.cell(4, 0).click()
    on.type("Begriff 4")
    on.press("Enter")
    on.type("changed")
    on.press("Enter", "Control+Enter")
    on.type("new")
    on.press("Tab")
    on.type("מילון חדש")
    on.press("Enter")
    expect(on.row(7)).to_have_class(re.compile("svc-new"))
    expect(on.row(5)).to_have_class(re.compile("svc-changed"))
    on.cell(2, 0).click()
    on.press("Shift+ArrowDown", "Shift+ArrowRight")
    screen.look("grid")
    on.cell(1, 0).dblclick()
    screen.get("button", "Shortcuts").click()
    expect(screen.page.get_by_text("fill down", exact=False).first).to_be_visible()
    assert screen.violations() == []
    screen.screenshot("grid-keys")


def test_a_hundred_thousand_rows_are_in_reach_and_an_edit_there_is_quick(show_in):
    screen = show_in("lab", cell_of(100_000), code=False)
    on = Desk(screen)
    expect(on.grid).to_have_attribute("aria-rowcount", "100002")
    on.cell(1, 0).click()
    on.press("Control+End")
    expect(on.row(100_000)).to_be_in_viewport()
    on.press("Control+Home", "Control+ArrowDown")
    on.type("last")
    on.press("Enter")
    expect(on.cell(100_000, 0)).to_have_text("last")
    on.foot("100,000 rows; 1 changed")
    on.type("newest")
    on.press("Enter")
    expect(on.cell(100_001, 0)).to_have_text("newest")
    on.press("Control+a", "Control+c")
    expect(screen.page.locator(".svc-told")).to_contain_text(re.compile("copied|Ctrl-C again"))


PLAIN = """
import pandas as pd
from svc_nb.panels.parts.grid import Field, Grid
table = pd.DataFrame({"name": [f"thing {n}" for n in range(40)], "size": range(40)})
table = table.assign(more="takes some room", much="as much as that", last="as much again ...")
text = {"written": str, "kind": "text"}
fields = [Field("name", "Name", **text), Field("size", "Size", str), Field("more", "More", spare=1, **text),
          Field("much", "Much", spare=2, **text), Field("last", "Last", spare=3, **text),
          Field("name", "Again", **text)]
chosen = []
grid = Grid("Things", chosen=chosen.append, searchable=True)
grid.show(table, fields)
grid
"""


def test_a_list_to_choose_from_keeps_its_place_and_leaves_out_what_has_no_room(show_in):
    screen = show_in("lab", PLAIN, code=False)
    grid = screen.get("grid", "Things")

    def cell(number, column):
        return grid.locator(f'[aria-rowindex="{number + 2}"]').get_by_role("gridcell").nth(column)

    cell(1, 0).click()
    screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press("Enter")
    screen.page.keyboard.press("ArrowDown")
    screen.page.wait_for_timeout(300)
    assert json.loads(screen.python("print(chosen)")) == [1, 2]
    assert json.loads(screen.python("print(grid.selected)")) == [3]
    screen.python("grid.show(table.iloc[1:], fields, marks={4: 'error', 5: 'warning'}, notes={4: 'wrong <b>'})")
    expect(grid.get_by_role("rowheader", name="error")).to_be_visible()
    expect(cell(3, 0)).to_be_focused()
    expect(screen.page.locator(".svc-note")).to_have_text("Error: wrong <b>")
    heading, first = grid.get_by_role("columnheader", name="Name"), cell(0, 0)
    assert heading.bounding_box()["x"] == pytest.approx(first.bounding_box()["x"], abs=1)
    assert screen.violations() == []
    screen.screenshot("grid-plain")

    screen.width(700)
    last = grid.get_by_role("columnheader", name="Last")
    expect(last).to_be_hidden()
    assert grid.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    cell(3, 0).click()
    keys = {"ArrowRight": "Size", "End": "Again", "ArrowLeft": "Much", "Home": "Name"}
    for key, title in keys.items():
        screen.page.keyboard.press(key)
        number = grid.get_by_role("columnheader", name=title).get_attribute("data-column")
        assert screen.page.evaluate("() => document.activeElement.dataset.column") == number
    screen.get("button", "Also show: Last").click()
    expect(last).to_be_visible()
    screen.get("button", "Show only the columns that fit").click()
    expect(last).to_be_hidden()
    screen.get("searchbox", "Search rows").fill("THING 1")
    expect(screen.page.locator(".svc-grid-said")).to_have_text("11 of 39 rows.")


WRITTEN = """
import pandas as pd
from svc_nb.panels.parts.grid import Field, Grid
table = pd.DataFrame({"name": [f"thing {n}" for n in range(5)], "size": "small"}, index=list("abcde"))
fields = [Field("name", "Name", str, kind="text"), Field("size", "Size", str, kind="text", editable=True)]
edited = []
grid = Grid("Things", edited=lambda *cell: edited.append(cell))
grid.show(table, fields)
grid
"""


def test_what_is_being_written_stays_with_its_row_when_others_come_or_is_told(show_in):
    screen = show_in("lab", WRITTEN, code=False)
    grid, pen = screen.get("grid", "Things"), screen.page.locator(".svc-pen.svc-open")
    grid.get_by_role("row").nth(3).get_by_role("gridcell").nth(1).dblclick()
    screen.page.keyboard.type("er")
    screen.python("grid.show(table.iloc[1:], fields)")
    expect(pen).to_have_value("smaller")
    expect(grid.get_by_role("row").nth(2)).to_contain_text("thing 2")
    screen.page.keyboard.press("Enter")
    until(lambda: screen.python("print(edited)").strip() == "[('c', 'size', 'smaller')]")
    grid.get_by_role("row").nth(2).get_by_role("gridcell").nth(1).dblclick()
    screen.page.keyboard.type("est")
    screen.python("grid.show(table.iloc[3:], fields)")
    expect(screen.page.locator(".svc-told")).to_have_text("Not saved: “smallest”. The rows have changed.")
