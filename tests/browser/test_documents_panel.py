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
    screen.expect_text("song.mp3: a file that ends in .mp3 is not read here")
    screen.get("combobox", "Into").select_option("German (DE)")
    screen.expect_text("3 files can be sent")
    screen.get("button", "Translate 3 files, at least 50,000 characters").click()
    screen.expect_text("at least 50,000 for the docx file")
    photograph(screen, "documents-asked")
    assert screen.violations() == []

    screen.press("Yes, translate")
    expect(screen.get("button", "Cancel")).to_be_focused()
    cell = grid.get_by_role("gridcell", name="letter (2).txt", exact=True)
    cell.click()
    grid.evaluate(WATCH)
    expect(grid.get_by_role("gridcell", name="Translating").first).to_be_visible()
    screen.expect_text("3 of 3 files translated; 50,044 characters billed")
    assert screen.page.evaluate("window.made") == 0, "rows were made anew"
    expect(cell).to_be_focused()
    screen.expect_text("enrolled in the beta")
    photograph(screen, "documents-done")
    with screen.page.expect_download() as download:
        screen.get("button", "Save all 3 as zip").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        assert sorted(archive.namelist()) == ["_b_report_b_ $x_1^2$.docx", "letter (2).txt", "letter.txt"]


def test_what_a_killed_kernel_has_sent_is_resumed_by_the_next_panel(show_in, running, tmp_path):
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / "in" / f"chapter {number}.txt").write_text(f"This is chapter {number}.", "utf-8")
    (tmp_path / "in" / "book.docx").write_bytes(docx())
    killed = "".join(cells(running, tmp_path, SENDS_AND_DIES))
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9

    screen = show_in("lab", *cells(running, tmp_path, PANEL), code=False)
    before = screen.get("grid", "Under way from before")
    expect(before.get_by_role("gridcell", name="nobody")).to_have_count(3)
    photograph(screen, "documents-before")
    assert screen.violations() == []
    screen.get("button", "Resume 3 documents").click()
    screen.expect_text("3 of 3 files translated")
    expect(before).to_be_hidden()
    assert len(list((tmp_path / "out").iterdir())) == 3
