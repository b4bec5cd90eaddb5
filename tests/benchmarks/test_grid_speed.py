"""The grid against ipydatagrid in one JupyterLab, by turns: seconds until rows show; and what an edit costs."""

from __future__ import annotations

import time
import timeit
from itertools import count
from pathlib import Path
from statistics import median

import pandas as pd
import pytest

from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor
from svc_nb.panels.parts.grid import Field
from tests.browser.conftest import browser, lab, place, servers, show_in, watched, window  # noqa: F401

HEAD = """# The grid

Written by `make bench`. In one JupyterLab, from running a cell until rows are painted, by turns with ipydatagrid and
the same table; each has been shown once before. For the long table: seconds in the browser, on two shared cores.

"""
LINES: list[str] = []
TURNS = 7
SET_UP = """
import pandas as pd
from ipydatagrid import DataGrid
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor
from svc_nb.panels.parts.grid import Field

COLUMNS = ("source", "target", "lang")

def terms(count):
    numbers = range(1, count + 1)
    return pd.DataFrame({"source": [f"term {n}" for n in numbers], "target": [f"Begriff {n}" for n in numbers],
                         "lang": "en"})

def ours():
    fields = [Field(name, name.title(), str, kind="text", editable=True) for name in COLUMNS]
    return Editor("Terms", EditTable(table, COLUMNS), fields)

def theirs():
    return DataGrid(table, editable=True)

table = terms(10_000)
what = None
"""
# A glossary with as many terms on a service of the same kernel: what a person opens who has no account.
GLOSSARY = """
import svc_nb
from svc_nb import panels, service
from svc_nb.session import Session, make_current
running = service.start(memory=True)
make_current(Session.embedded(running))

def keep(count):
    made = terms(count).assign(source_lang="en", target_lang="de")[["source_lang", "target_lang", "source", "target"]]
    svc_nb.glossaries.push(made, name=f"big {count}")

def glossary():
    return panels.Glossary(f"big {len(table)}")
"""
SHOWN = "what and what()"
# Text has been painted: in our rows, or below the heading of the canvas.
SHOW = """async () => {
    const panel = window.jupyterapp.shell.currentWidget.content;
    panel.activeCellIndex = 1;
    const output = panel.widgets[1].node;
    const inked = canvas => {
        const { data } = canvas.getContext('2d').getImageData(0, 30, Math.min(400, canvas.width), 120);
        let dark = 0;
        for (let at = 0; at < data.length; at += 4) dark += data[at + 3] > 200 && data[at] < 110 && data[at + 1] < 110;
        return dark > 100;
    };
    const there = () => [...output.querySelectorAll('.svc-row .svc-cell')].some(node => node.textContent === 'term 1')
        || [...output.querySelectorAll('.lm-DataGrid canvas')].some(canvas => canvas.width > 100 && inked(canvas));
    const start = performance.now();
    let first = 0;
    window.jupyterapp.commands.execute('notebook:run-cell');
    while (!there()) {
        if (performance.now() - start > 60000) throw Error('no rows');
        if (!first && output.querySelector('.svc-root')) first = performance.now();
        await new Promise(requestAnimationFrame);
    }
    window.firstPaint = ((first || performance.now()) - start) / 1000;
    return (performance.now() - start) / 1000;
}"""
CLEAR = "() => window.jupyterapp.commands.execute('notebook:clear-cell-output')"
# To the end by the scroll bar, until the last row is painted.
SCROLL = """async () => {
    const scroller = document.querySelector('.svc-scroller');
    const start = performance.now();
    scroller.scrollTop = scroller.scrollHeight;
    const there = () => [...scroller.querySelectorAll('.svc-cell')].some(node => node.textContent === 'term 100000');
    while (!there()) await new Promise(requestAnimationFrame);
    const time = (performance.now() - start) / 1000;
    scroller.scrollTop = 0;
    return time;
}"""
# From the Enter that ends an edit until the kernel's answer is painted: the count below the rows is its own.
WATCH = """() => {
    window.edits = [];
    let start = 0;
    window.addEventListener('keydown', event => { if (event.key === 'Enter') start = performance.now(); }, true);
    new MutationObserver(() => {
        if (start) window.edits.push((performance.now() - start) / 1000);
        start = 0;
    }).observe(document.querySelector('.svc-grid-said'), { childList: true, characterData: true, subtree: true });
}"""


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("grid.md").write_text(HEAD + "\n".join(LINES) + "\n")


def told(line: str) -> None:
    LINES.append(f"- {line}")
    print("\n" + LINES[-1])


@pytest.fixture
def screen(show_in):  # noqa: F811
    return show_in("lab", SET_UP, SHOWN)


def seconds(screen, name: str) -> float:
    """How long it takes until rows show."""
    screen.page.evaluate(CLEAR)
    screen.python(f"from ipywidgets import Widget; Widget.close_all(); what = {name}")
    screen.page.wait_for_timeout(300)
    return screen.page.evaluate(SHOW)


def test_ten_thousand_rows_show_sooner_than_with_ipydatagrid(screen):
    for name in ("ours", "theirs"):
        seconds(screen, name)
    runs = [(seconds(screen, "ours"), seconds(screen, "theirs")) for _ in range(TURNS)]
    ours, theirs = (median(times) for times in zip(*runs, strict=True))
    told(
        f"10,000 rows until they show: {ours / theirs:.2f} x ipydatagrid (bound 0.6); {ours:.2f} s and {theirs:.2f} s, "
        f"medians of {TURNS}"
    )
    assert ours / theirs <= 0.6


@pytest.mark.parametrize("count", [10_000, 100_000])
def test_a_glossary_shows_no_later_than_ipydatagrid(screen, count):
    screen.python(f"{GLOSSARY}\ntable = terms({count})\nkeep({count})")
    for name in ("glossary", "theirs"):
        seconds(screen, name)
    runs, paints = [], []
    for _ in range(TURNS):
        ours = seconds(screen, "glossary")
        paints.append(screen.page.evaluate("() => window.firstPaint"))
        runs.append((ours, seconds(screen, "theirs")))
    ours, theirs = (median(times) for times in zip(*runs, strict=True))
    told(
        f"a glossary of {count:,} terms from the service until its rows show: {ours / theirs:.2f} x ipydatagrid with "
        f"the same rows in a table (bound 1); {ours:.2f} s and {theirs:.2f} s, medians of {TURNS}"
    )
    told(f"a glossary of {count:,} terms until the panel is there: {median(paints):.2f} s, at best {min(paints):.2f} s")
    assert ours / theirs <= 1


def test_a_hundred_thousand_rows_are_scrolled_and_edited_without_waiting(screen):
    screen.python("table = terms(100_000)")
    first = seconds(screen, "ours")
    scrolled = screen.page.evaluate(SCROLL)
    screen.page.evaluate(WATCH)
    screen.page.get_by_role("gridcell", name="term 2", exact=True).click()
    for number in range(12):
        screen.page.keyboard.type(f"edit {number}")
        screen.page.keyboard.press("Enter")
        screen.page.wait_for_function("count => window.edits.length === count", arg=number + 1)
    edits = screen.page.evaluate("() => window.edits")
    told(f"100,000 rows until they show: {first:.2f} s")
    told(f"100,000 rows, scrolled to the end until the last row is painted: {scrolled:.2f} s (bound 1)")
    told(
        "100,000 rows, an edit to the kernel and back on the screen: "
        f"{median(edits) * 1000:.0f} ms (bound 100), median of {len(edits)}"
    )
    assert scrolled < 1
    assert min(edits) < 0.1


def editor(count: int) -> Editor:
    numbers = range(1, count + 1)
    table = pd.DataFrame({"source": [f"term {n}" for n in numbers], "target": [f"Begriff {n}" for n in numbers]})
    fields = [Field(name, name, str, kind="text", editable=True) for name in ("source", "target")]
    made = Editor("Terms", EditTable(table, ("source", "target")), fields)
    made.hear({"kind": "hello", "view": "a"})
    return made


def cost(shown: Editor, kind: str, **message) -> float:
    """Processor seconds of a hundred deeds."""
    numbers = count(1)

    def deed() -> None:
        number = next(numbers)
        text = {"cells": [[7, "target", f"text {number}"]]} if kind == "write" else {}
        shown.hear({"kind": kind, "view": "a", "n": number, "version": shown._version, **message, **text})

    return min(timeit.repeat(deed, number=100, repeat=5, timer=time.process_time))


def test_the_kernel_s_part_of_an_edit_does_not_grow_with_the_table():
    short, long = editor(1_000), editor(100_000)
    edits = cost(long, "write"), cost(short, "write")
    told(f"the kernel's part of an edit, 100,000 rows against 1,000: {edits[0] / edits[1]:.2f} x (bound 2)")
    adds = cost(long, "add", after=500), cost(short, "add", after=500)
    told(f"a new row in the middle, 100,000 rows against 1,000: {adds[0] / adds[1]:.2f} x")
    looks = timeit.timeit(lambda: long.look_for("term 99"), number=1, timer=time.process_time)
    again = timeit.timeit(lambda: long.look_for("term 98"), number=1, timer=time.process_time)
    long.look_for("")
    sorts = timeit.timeit(lambda: long.sort_by("target"), number=1, timer=time.process_time)
    told(f"100,000 rows in the kernel: first search {looks:.2f} s, the next {again:.2f} s, sort {sorts:.2f} s")
    assert edits[0] / edits[1] < 2
