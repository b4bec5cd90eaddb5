"""The pictures of the README and the guides: `python -m tests.pictures` takes all anew, or those that are named.

Each shows JupyterLab with invented data, in the light and in the dark theme: docs/NAME.png and docs/NAME-dark.png.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, expect, sync_playwright

from tests.browser import chromium, pages
from tests.browser.servers import Place, Servers
from tests.browser.watch import Watch
from tests.small_png import small_png

DOCS = Path(__file__).parents[1] / "docs"
MARGIN = 10
PANEL = ".svc-panel"
EXECUTE = "([command, args]) => { window.jupyterapp.commands.execute(command, args) }"
BLURRED = "() => document.activeElement?.blur()"

GLOSSARY = """
import svc_nb
svc_nb.connect(store=":memory:")
terms = svc_nb.glossaries.read(svc_nb.samples.terms_file()).query("target_lang == 'DE'")
svc_nb.glossaries.push(terms.svc.fix(), "Outdoor")
panel = svc_nb.panels.Glossary("Outdoor")
panel.wait()
panel.choose_pair("en", "de")
panel.write(4, target="Tourenrucksack")
panel.add("trail map 1:25", "Wanderkarte 1:50")
panel.add("rain cover", "Regenhülle ")
panel.wait()
panel
"""
DOCUMENTS = """
import shutil
from pathlib import Path
import svc_nb
svc_nb.connect(store=":memory:")
shutil.copytree(svc_nb.samples.documents(), "shop", dirs_exist_ok=True)
Path("shop/empty.txt").touch()
panel = svc_nb.panels.Documents("shop", "ES", source_lang="EN")
panel.wait()
panel.translate().wait()
panel
"""
USAGE = """
import svc_nb
svc_nb.connect(sample=True, store=":memory:")
panel = svc_nb.panels.Usage("90 days")
panel.wait()
panel
"""
TRANSLATE = """
import svc_nb
svc_nb.connect(store=":memory:")
reviews = svc_nb.samples.reviews().query("language == 'ES'")
panel = svc_nb.panels.Translate(reviews, "review", "EN-US", price=20)
panel.wait()
panel.run().wait()
panel
"""
WORDS = "# Reviews of the shop\n\nWhat customers wrote, and the same in English."
CONNECT = "import svc_nb\n\nsvc_nb.connect()"
COLUMN = """reviews = svc_nb.samples.reviews()
spanish = reviews.query("language == 'ES'").head(6)
spanish[["review"]].assign(
    english=spanish["review"].svc.translate("EN-US", progress=False)
)"""
SHELF = """
terms = svc_nb.glossaries.read(svc_nb.samples.terms_file()).svc.fix()
svc_nb.glossaries.push(terms, "Outdoor")
svc_nb.glossaries.push(terms.query("target_lang == 'FR'").head(4), "Boutique")
"""


def of_panel(cell: str, width: int) -> Callable[[pages.Screen], Locator]:
    """What shows the panel that *cell* ends with, in a window of *width* pixels."""

    def show(screen: pages.Screen) -> Locator:
        name = pages.notebook(cell, folder=screen.server.place.root, code=False)
        screen.open(name, theme="light")
        screen.page.set_viewport_size({"width": width, "height": 1300})
        output = screen.page.locator(pages.OUTPUTS).filter(has=screen.page.locator(PANEL)).first
        expect(output).to_be_visible()
        screen.page.wait_for_function(pages.IDLE)
        return output

    return show


def lab(screen: pages.Screen) -> Locator:
    """Show a notebook between the sidebar and a glossary."""
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(WORDS), *map(nbformat.v4.new_code_cell, (CONNECT, COLUMN))]
    )
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, screen.server.place.root / "Reviews.ipynb")
    screen.open("Reviews.ipynb", theme="light")
    screen.python(SHELF)
    page = screen.page
    page.evaluate(EXECUTE, ["svc-nb:show-sidebar", {}])
    page.locator(".svc-lab-sidebar").get_by_role("button", name=re.compile("^Outdoor")).click()
    expect(page.locator(".svc-lab-tab").get_by_role("gridcell", name="tent", exact=True).first).to_be_visible()
    page.set_viewport_size({"width": 1600, "height": 820})
    return page.locator("#main")


PICTURES: dict[str, Callable[[pages.Screen], Locator]] = {
    "glossary-panel": of_panel(GLOSSARY, 1240),
    "documents-panel": of_panel(DOCUMENTS, 1160),
    "usage-panel": of_panel(USAGE, 1440),
    "translate-panel": of_panel(TRANSLATE, 1240),
    "lab": lab,
}


def take(screen: pages.Screen, name: str, folder: Path = DOCS) -> None:
    """Save one picture in both themes."""
    shown = PICTURES[name](screen)
    for theme, ending in (("light", ""), ("dark", "-dark")):
        screen.theme(theme)
        screen.page.evaluate(BLURRED)
        screen.page.mouse.move(0, 0)
        screen.settle()
        path = folder / f"{name}{ending}.png"
        whole = screen.page.screenshot(clip=framed(shown), animations="disabled", caret="hide")
        path.write_bytes(small_png(whole))
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def framed(shown: Locator) -> dict[str, float]:
    """Where *shown* is in the window, with a margin where there is room; above it is the notebook's cell."""
    box, window = shown.bounding_box(), shown.page.viewport_size
    left = max(box["x"] - MARGIN, 0)
    right = min(box["x"] + box["width"] + MARGIN, window["width"])
    bottom = min(box["y"] + box["height"] + MARGIN, window["height"])
    return {"x": left, "y": box["y"], "width": right - left, "height": bottom - box["y"]}


def main(names: list[str]) -> None:
    """Take the pictures called *names*, each in a JupyterLab of its own."""
    path = chromium.find()
    if path is None:
        sys.exit(chromium.HOW)
    for name in names:
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            place = Place(Path(folder))
            servers = Servers(place)
            browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS, env=place.environ())
            try:
                context = browser.new_context(service_workers="block", viewport=pages.VIEW)
                screen = pages.Screen(context, Watch(context), servers["lab"])
                screen.load()
                take(screen, name)
                screen.clear()
                screen.check()
            finally:
                browser.close()
                servers.end()


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(PICTURES)
    if unknown:
        sys.exit(f"no picture is called {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    main(sys.argv[1:] or list(PICTURES))
