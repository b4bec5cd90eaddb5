"""The usage panel in a real browser: what a person clicks, and what the chart and the table then show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

import nbformat
import pytest
from playwright.sync_api import expect

from svc_nb import service
from svc_nb.session import Session
from svc_nb.usage.days import today
from svc_nb.wire.client.admin import Admin
from tests.browser.pages import WIDTHS

CONNECT = """
import svc_nb
from svc_nb import panels
svc_nb.connect({api_key!r}, admin_key={admin_key!r}, base_url={base_url!r}, store=":memory:")
"""
PANEL = "panel = panels.Usage({options})\npanel"
TABLE = """
from tests.panels.tables import usage
from svc_nb import panels
panel = panels.Usage(table=usage({table}))
panel
"""
HOSTILE = ["<img src=x onerror=a()>", "$x_1^2$", "<b>bold</b>", "日本語"]
# The picture was drawn for the room that it has, and nothing is on its way.
SETTLED = """() => {
    const frame = [...document.querySelectorAll('.svc-picture')].find(node => node.clientWidth);
    const svg = frame?.querySelector('svg');
    return svg && !frame.classList.contains('svc-busy')
        && Math.abs(svg.viewBox.baseVal.width * 4 / 3 - frame.clientWidth) < 17;
}"""
FRAMES = """() => {
    const frame = document.querySelector('.svc-picture');
    window.seen = { all: 0, blank: 0 };
    const look = () => {
        window.seen.all += 1;
        window.seen.blank += frame.querySelector('svg path') ? 0 : 1;
        requestAnimationFrame(look);
    };
    look();
}"""
OVERLAPS = """() => {
    const texts = [...document.querySelectorAll('.svc-picture svg text')]
        .filter(node => node.textContent.trim()).map(node => [node.textContent, node.getBoundingClientRect()]);
    const frame = document.querySelector('.svc-picture').getBoundingClientRect();
    const found = [];
    texts.forEach(([text, a], place) => {
        if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(`${text} is cut`);
        for (const [other, b] of texts.slice(place + 1))
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) found.push(`${text} over ${other}`);
    });
    return found;
}"""


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    with service.start(memory=True, sample=True) as started:
        yield started


@pytest.fixture
def admin(running) -> Iterator[Admin]:
    opened = Session.embedded(running)
    yield opened.admin
    opened.close()


def cells(running, options="") -> list[str]:
    own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
    return [CONNECT.format(**own), PANEL.format(options=options)]


def texts(screen) -> list[str]:
    """What is written in the picture."""
    return screen.page.locator(".svc-picture svg text").all_text_contents()


def settle(screen) -> None:
    screen.page.wait_for_timeout(250)
    screen.page.wait_for_function(SETTLED)


def photograph(screen, name: str) -> None:
    """Take a picture at each width, when the chart has been drawn for it, and look whether words lie over words."""
    for width in WIDTHS:
        screen.width(width)
        settle(screen)
        screen.page.wait_for_timeout(400)
        screen.screenshot(name, widths=[width])
        assert screen.page.evaluate(OVERLAPS) == [], f"{name} at {width}"


def cap(admin, label: str) -> int | None:
    found = {key.label: key.usage_limits.characters for key in admin.keys()}  # noqa: SIM118
    return found[label]


def test_what_is_clicked_is_what_the_chart_shows(show_in, running, admin):
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day and key")).to_be_visible()

    screen.get("button", "7 days").click()
    screen.expect_text(f"from {today() - timedelta(days=6)} to {today()} (UTC)")
    screen.get("combobox", "Chart").select_option(label="By key")
    expect(screen.get("img", "Characters by key")).to_be_visible()
    settle(screen)
    assert "Web shop" in texts(screen)
    table = screen.get("grid", "Usage")
    first = table.get_by_role("row").nth(1).get_by_role("gridcell")
    name, amount = first.nth(0).inner_text(), first.nth(1).inner_text()
    assert re.fullmatch(r"[\d,]+", amount)
    assert {name, amount} <= set(texts(screen))

    screen.get("combobox", "Product").select_option(label="Speech to text (minutes)")
    expect(screen.get("img", "Minutes of speech")).to_be_visible()
    screen.get("combobox", "Product").select_option(label="All characters")
    screen.get("button", "Keys: All").click()
    screen.page.get_by_role("searchbox", name="Search keys").fill("WEB")
    screen.page.get_by_role("checkbox", name="Web shop").click()
    expect(screen.get("button", "Keys: 1 of")).to_be_visible()
    screen.expect_text("1 key used")
    clear = screen.get("button", "Clear")
    clear.press("Enter")
    expect(screen.get("button", "Keys: All")).to_be_visible()
    expect(clear).to_be_focused()
    screen.page.get_by_role("checkbox", name="Web shop").click()
    screen.expect_text("1 key used")
    screen.page.keyboard.press("Escape")
    expect(screen.page.get_by_role("searchbox")).to_be_hidden()
    assert "Newsletter" not in texts(screen)

    screen.get("tab", "Caps").click()
    screen.expect_text("Nothing is sent before you confirm")
    before = cap(admin, "Web shop")
    row = screen.page.get_by_role("row", name="Web shop")
    row.get_by_role("gridcell").nth(1).click()
    screen.page.keyboard.type("1,234,567")
    screen.page.keyboard.press("Enter")
    screen.expect_text(f"Web shop: 1,234,567 characters a month (now {before:,} characters a month)")
    screen.get("button", "Change 1 cap …").click()
    assert cap(admin, "Web shop") == before
    screen.get("button", "Change 1 cap", exact=True).click()
    screen.expect_text("Changed: Web shop: 1,234,567 characters a month")
    assert cap(admin, "Web shop") == 1_234_567
    screen.get("button", "Undo 1 cap change").click()
    screen.expect_text("Undone")
    assert cap(admin, "Web shop") == before


def test_it_is_legible_wide_and_narrow(show_in, running):
    screen = show_in("lab", *cells(running, '"90 days"'), code=False)
    expect(screen.get("img", "Characters by week")).to_be_visible()
    photograph(screen, "usage-by-week")
    kinds = {
        "Heat map": "by key and week",
        "By product": "Use by product",
        "Caps and forecast": "Use and caps",
    }
    for kind, name in kinds.items():
        screen.get("combobox", "Chart").select_option(label=kind)
        expect(screen.get("img", name)).to_be_visible()
        photograph(screen, f"usage-{kind.lower().replace(' ', '-')}")


def test_those_who_see_or_move_otherwise_can_use_it_in_both_themes(show_in, running):
    """The rules of axe-core: nothing grave."""
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day and key")).to_be_visible()
    expect(screen.get("grid", "Usage")).to_be_visible()
    screen.look("usage")
    screen.get("button", "Keys: All").click()
    assert screen.violations() == []
    screen.page.keyboard.press("Escape")
    screen.get("tab", "Caps").click()
    screen.expect_text("Nothing is sent before you confirm")
    screen.page.get_by_role("row", name="Web shop").get_by_role("gridcell").nth(1).click()
    screen.look("usage-caps-tab")


def test_a_year_of_200_keys_is_legible_and_every_row_is_in_reach(show_in):
    screen = show_in("lab", TABLE.format(table="200, 366"), code=False)
    expect(screen.get("img", "Characters by month and key")).to_be_visible()
    photograph(screen, "usage-200-keys")
    for kind in ("By key", "Heat map", "Share of total"):
        screen.get("combobox", "Chart").select_option(label=kind)
        expect(screen.get("img", "by key" if kind != "Share of total" else "Share of")).to_be_visible()
        photograph(screen, f"usage-200-keys-{kind.lower().replace(' ', '-')}")
    screen.get("combobox", "Chart").select_option(label="Over time")
    screen.get("combobox", "By", exact=True).select_option(label="Day")
    expect(screen.get("img", "Characters by day and key")).to_be_visible()
    table = screen.get("grid", "Usage")
    expect(table).to_have_attribute("aria-rowcount", "73202")
    table.get_by_role("columnheader", name="Key").focus()
    screen.page.keyboard.press("Control+End")
    expect(table.locator('[aria-rowindex="73201"]')).to_contain_text("Team 164")  # least of the last day
    expect(table.locator('[aria-rowindex="73202"]')).to_contain_text("Total")
    screen.page.keyboard.press("Control+Home")
    screen.page.keyboard.press("ArrowUp")
    for _ in range(2):
        screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Enter")
    expect(table.get_by_role("columnheader", name="Characters")).to_have_attribute("aria-sort", "descending")
    screen.get("button", "Keys: All 200").click()
    screen.screenshot("usage-200-keys-search", widths=[1600])


def test_labels_stay_texts_and_the_picture_never_blanks(show_in):
    screen = show_in("lab", TABLE.format(table=f"{HOSTILE!r}, 20"), code=False)
    expect(screen.get("img", "Characters by day and key")).to_be_visible()
    settle(screen)
    assert set(screen.page.locator(".svc-legend-entry").all_inner_texts()) == set(HOSTILE)
    for label in HOSTILE:
        expect(screen.page.get_by_role("gridcell", name=label, exact=True).first).to_be_visible()
    assert (
        screen.page.locator(".svc-panel img, .svc-panel b, .svc-panel .MathJax, .svc-panel mjx-container").count() == 0
    )
    screen.page.evaluate(FRAMES)
    for kind, name in [
        ("By key", "by key"),
        ("Share of total", "Share"),
        ("Over time", "by day"),
    ]:
        screen.get("combobox", "Chart").select_option(label=kind)
        expect(screen.get("img", name)).to_be_visible()
        settle(screen)
    seen = screen.page.evaluate("() => window.seen")
    assert seen["all"] > 5
    assert seen["blank"] == 0
    photograph(screen, "usage-hostile")
    with screen.page.expect_download() as download:
        screen.get("button", "CSV").click()
    assert download.value.suggested_filename.startswith("usage-")
    assert "'" not in download.value.path().read_text("utf-8").splitlines()[0]
    assert "日本語" in download.value.path().read_text("utf-8")
    with screen.page.expect_download() as download:
        screen.get("button", "PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_theme_is_followed_without_a_redraw(show_in, running):
    screen = show_in("lab", *cells(running), code=False)
    expect(screen.get("img", "Characters by day")).to_be_visible()
    settle(screen)
    screen.theme("light")
    title = screen.page.locator(".svc-picture svg text", has_text="Characters by day and key")
    colour = "node => getComputedStyle(node).fill"
    drawn, light = screen.python("print(panel.picture.drawn)"), title.evaluate(colour)
    screen.theme("dark")
    expect(screen.page.locator(".svc-picture.svc-dark")).to_be_visible()
    assert title.evaluate(colour) != light
    assert screen.python("print(panel.picture.drawn)") == drawn
    screen.theme("light")


def test_a_key_that_is_no_administrators_is_told_in_one_line(show_in, running):
    own = {"api_key": running.api_key, "admin_key": running.api_key, "base_url": running.base_url}
    screen = show_in("lab", CONNECT.format(**own), PANEL.format(options=""), code=False)
    screen.expect_text("Connect with an administrator key")
    assert "Traceback" not in " ".join(screen.outputs())
    screen.screenshot("usage-403")


def test_an_exported_notebook_shows_the_picture_without_a_kernel_and_without_the_net(browser, tmp_path):
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    code = TABLE.format(table="3, 10")
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code), nbformat.v4.new_code_cell("panel.close()")]
    )
    done = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": "."}}).execute()
    page, _ = HTMLExporter().from_notebook_node(done)
    (tmp_path / "usage.html").write_text(page, "utf-8")
    with browser.new_context(offline=True) as context:
        shown = context.new_page()
        shown.goto((tmp_path / "usage.html").as_uri(), wait_until="commit")
        picture = shown.get_by_role("img", name="Characters by day and key")
        expect(picture).to_be_visible()
        assert picture.evaluate("node => node.naturalWidth") > 500
        expect(shown.get_by_role("cell", name="Team 1").first).to_be_visible()


def test_after_taking_over_the_focus_is_on_the_cap_that_was_written(show_in, running):
    connect, panel = cells(running)
    first = """
first = panels.Usage()
first.caps.open()
first.caps.wait()
first.caps.set(next(key_id for key_id, name in first.caps.names.items() if name == "Web shop"), characters=5);
"""
    screen = show_in("lab", connect, first, panel, code=False)
    screen.get("button", "Take over").click()
    screen.expect_text("• Web shop: 5 characters a month")
    screen.page.wait_for_function(
        "() => document.activeElement.closest('.svc-caps .svc-row')?.textContent.includes('Web shop')"
    )
