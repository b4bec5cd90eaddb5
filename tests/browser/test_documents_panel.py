"""The documents panel in a real browser: files are dropped, looked at, sent, watched and saved."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser.pages import WIDTHS
from tests.panels.documents.samples import SECRET, docx
from tests.toy import TRANSLATORS

CONNECT = """
import os, svc_nb
from svc_nb import documents, panels
os.chdir({place!r})
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
"""
PANEL = "panel = panels.Documents()\npanel"
TEXT = "text/plain"
FILES = [
    {"name": "letter.txt", "mimeType": TEXT, "buffer": SECRET.encode()},
    {"name": "letter.txt", "mimeType": TEXT, "buffer": b"Another letter."},
    {"name": "<b>report<b> $x_1^2$.docx", "mimeType": TEXT, "buffer": docx()},
    {"name": "song.mp3", "mimeType": "audio/mpeg", "buffer": b"la la"},
    {"name": "scan.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n"},
]
SENDS_AND_DIES = """
import signal, time
documents.start("in", target_lang="FR", out="out")
while len(documents.pending()) < 3: time.sleep(0.05)
os.kill(os.getpid(), signal.SIGKILL)
"""
# Every node of a row, so that one that was made anew can be told from one that was there.
WATCH = """grid => {
    window.made = 0;
    const isRow = node => node.className?.includes?.("svc-row");
    new MutationObserver(changes => {
        window.made += changes.flatMap(({ addedNodes }) => [...addedNodes]).filter(isRow).length;
    }).observe(grid, { childList: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def running() -> Iterator[service.Service]:
    account = service.Account(document_seconds=2)
    with service.start(memory=True, account=account, translators=TRANSLATORS) as started:
        yield started


def cells(running, place, *more: str) -> list[str]:
    own = {"api_key": running.api_key, "base_url": running.base_url, "place": str(place)}
    return [CONNECT.format(store=str(place / "kept" / "answers.sqlite"), **own), *more]


def photograph(screen, name: str) -> None:
    for width in WIDTHS:
        screen.width(width)
        screen.page.wait_for_timeout(300)
        screen.screenshot(name, widths=[width])


def test_files_are_dropped_checked_sent_watched_and_saved(show_in, running, tmp_path):
    screen = show_in("lab", *cells(running, tmp_path, PANEL), code=False)
    screen.expect_text("Drop documents here")
    screen.page.locator(".svc-documents input[type=file]").set_input_files(FILES)
    grid = screen.get("grid", "Files")
    expect(grid.get_by_role("gridcell", name="letter (2).txt")).to_be_visible()
    expect(grid.get_by_role("gridcell", name="_b_report_b_ $x_1^2$.docx")).to_be_visible()
    expect(grid.get_by_role("gridcell", name="scan.png", exact=True)).to_be_visible()
    screen.expect_text("song.mp3: files that end in .mp3 are not supported here")
    screen.get("combobox", "To").select_option("German (DE)")
    screen.expect_text("3 files can be sent")
    screen.get("button", "Translate 3 files to German").click()
    screen.expect_text("You are billed about 50,044 characters or more: at least 50,000 for each docx.")
    expect(screen.get("group", "Question")).to_be_focused()
    screen.look("documents-asked")

    screen.press("Translate 3 files")
    cell = grid.get_by_role("gridcell", name="letter (2).txt", exact=True)
    expect(screen.get("button", "Translating …")).to_be_visible()  # so the columns of a run are there
    cell.click()
    grid.evaluate(WATCH)
    expect(grid.get_by_role("gridcell", name="Translating").first).to_be_visible()
    screen.expect_text("3 of 3 files translated; 1 cannot be sent.")
    assert screen.page.evaluate("window.made") == 0, "rows were made anew"
    expect(cell).to_be_focused()
    results = screen.get("list", "Results")
    for text in ("3 of 3 files", "50,044 characters", "translated/DE"):
        expect(results.get_by_text(text)).to_be_visible()
    chosen = screen.get("group", "The chosen file")
    expect(chosen.get_by_text("translated/DE/letter (2).txt")).to_be_visible()
    with screen.page.expect_download() as download:
        screen.get("button", "Save selected").click()
    assert download.value.suggested_filename == "letter (2).DE.txt"
    photograph(screen, "documents-done")
    with screen.page.expect_download() as download:
        screen.get("button", "Save all 3 as zip").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        assert sorted(archive.namelist()) == ["_b_report_b_ $x_1^2$.DE.docx", "letter (2).DE.txt", "letter.DE.txt"]


def test_what_a_killed_kernel_has_sent_is_resumed_by_the_next_panel(show_in, running, tmp_path):
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / "in" / f"chapter {number}.txt").write_text(f"This is chapter {number}.", "utf-8")
    (tmp_path / "in" / "book.docx").write_bytes(docx())
    killed = "".join(cells(running, tmp_path, SENDS_AND_DIES))
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9

    screen = show_in("lab", *cells(running, tmp_path, PANEL), code=False)
    before = screen.get("grid", "In progress from an earlier session")
    expect(before.get_by_role("gridcell", name="no notebook")).to_have_count(3)
    screen.look("documents-before")
    screen.get("button", "Resume 3 documents …").click()
    screen.press("Resume 3 documents")
    screen.expect_text("3 of 3 files translated")
    expect(before).to_be_hidden()
    assert len(list((tmp_path / "out").iterdir())) == 3


SCROLLS = """() => {
    const panel = [...document.querySelectorAll('.svc-panel')].at(-1);
    return panel.scrollWidth - panel.clientWidth;
}"""
# Where what has the focus is, and whether it is a control of the panel.
FOCUS = """() => {
    const { top, bottom, left } = document.activeElement.getBoundingClientRect();
    return { top, bottom, left, inside: Boolean(document.activeElement.closest(".svc-panel")) };
}"""


def test_a_stranger_translates_a_folder_with_the_keyboard_alone(show_in, running, tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for number in (1, 2):
        (tmp_path / "in" / f"chapter {number}.txt").write_text(f"This is chapter {number}.", "utf-8")
    (tmp_path / "in" / "deep" / "book.docx").write_bytes(docx())
    (tmp_path / "in" / "song.mp3").write_bytes(b"la")
    screen = show_in("lab", *cells(running, tmp_path, PANEL), code=False)
    page = screen.page
    screen.expect_text("Drop files above, or type the path of a folder")
    assert not page.get_by_label("Files", exact=True).is_visible()
    screen.look("documents-empty")
    path = page.get_by_role("combobox", name="Folder or file on the notebook's machine")
    path.fill("nope")
    path.press("Enter")
    screen.expect_text("There is no file or folder")
    assert page.evaluate(SCROLLS) == 0, "what is said is wider than the panel"
    path.fill("")
    path.press_sequentially("in")
    screen.expect_text("3 documents: 2 txt, 1 docx. 1 left out: .mp3 (not a document).")
    expect(screen.get("button", "Add 3 files")).to_be_enabled()
    path.press("Enter")
    screen.expect_text("3 files added.")
    expect(path).to_be_focused()
    screen.get("combobox", "To").select_option("French (FR)")
    expect(page.get_by_role("columnheader", name="Translation")).to_have_count(0)
    screen.press("Translate 3 files to French")
    expect(screen.get("group", "Question")).to_be_focused()
    screen.press("Cancel")
    expect(screen.get("button", "Translate 3 files to French")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("Enter")
        expect(screen.get("group", "Question")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("group", name="Question")).to_be_hidden()
        screen.settle()
        expect(screen.get("button", "Translate 3 files to French")).to_be_focused()
    photograph(screen, "documents-folder")

    before = None
    path.focus()
    for _ in range(9):
        now = page.evaluate(FOCUS)
        assert now["inside"]
        assert before is None or now["top"] >= before["bottom"] - 8 or now["left"] > before["left"], (before, now)
        page.keyboard.press("Tab")
        before = now
    screen.press("Translate 3 files to French")
    screen.press("Translate 3 files")
    expect(screen.get("button", "Translating …")).to_be_focused()
    screen.expect_text("3 of 3 files translated.")
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    assert page.evaluate(FOCUS)["inside"], "the button to cancel is gone, and the focus with it"
    assert len(list((tmp_path / "translated" / "FR").rglob("*.*"))) == 3
    screen.look("documents-folder-done")


def test_a_failure_is_not_a_green_bar_and_one_file_is_retried(show_in, running, tmp_path):
    for number in (1, 2):
        (tmp_path / f"chapter {number}.txt").write_text(f"This is chapter {number}.", "utf-8")
    shown = "panel = panels.Documents(['chapter 1.txt', 'chapter 2.txt'], target_lang='IT')\npanel"
    screen = show_in("lab", *cells(running, tmp_path, shown), code=False)
    screen.press("Translate 2 files to Italian")
    running.faults.add("status", operation="POST /v2/document", status=456)
    try:
        screen.press("Translate 2 files")
        screen.expect_text("Paused: 0 of 2 files translated")
    finally:
        running.faults.clear()
    expect(screen.get("grid", "Files").get_by_role("gridcell", name="Paused")).to_have_count(2)
    expect(screen.page.locator(".svc-meter[data-state=paused]")).to_be_visible()
    screen.look("documents-paused")
    screen.get("grid", "Files").get_by_role("gridcell", name="chapter 1.txt", exact=True).click()
    facts = screen.page.locator(".svc-file-facts")
    expect(facts.locator("dt").first).to_be_visible()
    left = facts.locator("dt").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().left)")
    assert len(set(left)) == 1, "titles are not below each other"
    tops = "nodes => nodes.map(node => node.getBoundingClientRect().top)"
    assert facts.locator("dt").evaluate_all(tops) == facts.locator("dd").evaluate_all(tops)
    assert max(left) < facts.locator("dd").first.bounding_box()["x"], "titles are not before their texts"
    screen.get("button", "Retry chapter 1.txt").press("Enter")
    screen.get("group", "Question").get_by_role("button", name="Retry 1 file").press("Enter")
    screen.expect_text("1 of 2 files")
    assert screen.page.evaluate(FOCUS)["inside"]
    screen.press("Retry 1 file")
    screen.get("group", "Question").get_by_role("button", name="Retry 1 file").press("Enter")
    expect(screen.get("grid", "Files").get_by_role("gridcell", name="Ready")).to_have_count(2)
