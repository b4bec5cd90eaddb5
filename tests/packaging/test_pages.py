"""`make docs`: strict, with all that is public and every notebook, and pages that load nothing from elsewhere."""

import html
import importlib
import inspect
import os
import re
import subprocess
import sys
import zlib

import pytest

import svc_nb
from svc_nb.checks.findings import CHECKS
from svc_nb.cli.command import build_parser
from svc_nb.columns.options import Fields
from svc_nb.magics.commands import COMMANDS
from svc_nb.settings import CHECKS as SETTINGS
from svc_nb.settings import ENVIRONMENT
from tests.browser import chromium
from tests.documentation import tables
from tests.packaging.machine import ROOT

LOADED = re.compile(
    r"<(?:script|link|img|iframe|source|video)\b[^>]*?\b(?:src|href|srcset)=[\"']?((?:https?:)?//[^\"' >]+)"
)
STYLED = re.compile(r"(?:url\(|@import\s)\s*[\"']?((?:https?:)?//[^\"')]+)")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-c", "docs"]
    ended = subprocess.run(
        [*command, "-d", folder / "trees", ".", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=280,
    )
    assert ended.returncode == 0, ended.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def told(pages):
    """Every Python name that has a place in the pages."""
    inventory = (pages / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(inventory).decode().splitlines()
    return {line.split()[0] for line in lines if " py:" in line}


def public():
    """What `svc_nb` and its public modules offer: the name, and the name that it has at home."""
    for name in svc_nb.PUBLIC:
        thing = getattr(svc_nb, name)
        inner = getattr(thing, "__all__", ()) if inspect.ismodule(thing) else ()
        for path, what in [(name, thing), *((f"{name}.{each}", getattr(thing, each)) for each in inner)]:
            home = getattr(what, "__module__", "svc_nb"), getattr(what, "__qualname__", path)
            yield f"svc_nb.{path}", what.__name__ if inspect.ismodule(what) else ".".join(home)


def test_all_that_is_public_is_told(told):
    assert not [name for name, home in public() if not {name, home} & told]


@pytest.mark.parametrize("home", ["accessor.column.ColumnTexts", "accessor.frame.FrameTexts", "accessor.frame.Tables"])
def test_all_methods_of_svc_are_told(told, home):
    module, _, name = f"svc_nb.{home}".rpartition(".")
    methods = [method for method in vars(getattr(importlib.import_module(module), name)) if method[0] != "_"]
    assert methods
    assert not [method for method in methods if f"svc_nb.{home}.{method}" not in told]


def test_every_word_of_the_reference_is_in_the_pages(pages):
    text = "".join(page.read_text("utf-8") for page in pages.glob("docs/**/*.html"))
    reference = tables()
    shown = {html.unescape(each) for each in re.findall(r'<span class="pre">([^<]*)</span>', text)}
    words = {*reference.STATUSES, *reference.REASONS, *reference.DETECTION, *reference.DOCUMENTS}
    words |= {*CHECKS, *SETTINGS, *ENVIRONMENT, *Fields.__annotations__, *reference.EXIT_CODES}
    assert not words - shown
    titles = re.sub(r"<[^>]*>", "", " ".join(re.findall(r"<h2>(.*?)</h2>", text)))
    assert not [
        each.prog for each in reference.all_commands(build_parser()) if not each.commands and each.prog not in titles
    ]
    assert not [name for name in COMMANDS if f"%svc {name}" not in titles]
    assert not [line for line in text.splitlines() if "&lt;!-- table:" in line]


def test_every_notebook_and_every_guide_is_there(pages):
    for source in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]:
        assert (pages / source.relative_to(ROOT)).with_suffix(".html").is_file()


def test_pages_load_nothing_from_elsewhere(pages):
    found = {
        (path.name, address)
        for path in pages.rglob("*")
        for pattern in ({".html": LOADED, ".css": STYLED}.get(path.suffix),)
        if pattern
        for address in pattern.findall(path.read_text(encoding="utf-8"))
    }
    assert not found


def test_a_browser_shows_them_without_asking_anybody_else(pages):
    """Neither in the light nor in the dark theme, and with no error; a page is found by a word in it."""
    from playwright.sync_api import sync_playwright

    path = chromium.find()
    if path is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(chromium.HOW)
    seen, wrong = [], []
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=chromium.FLAGS) as browser,
    ):
        for theme in ("light", "dark"):
            page = browser.new_context(color_scheme=theme).new_page()
            page.on("request", lambda request: seen.append(request.url))
            page.on("requestfailed", lambda request: wrong.append(request.url))
            page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
            page.goto((pages / "index.html").as_uri())
            page.wait_for_url("**/docs/index.html")
            for name in ("docs/api/columns.html", "docs/tutorial.html", "notebooks/04_usage_by_key_and_day.html"):
                page.goto((pages / name).as_uri())
            page.goto((pages / "search.html").as_uri() + "?q=glossary")
            page.locator("#search-results li").first.wait_for()
    assert wrong == []
    assert [address for address in seen if not address.startswith(("file:", "data:"))] == []
