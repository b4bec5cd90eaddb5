"""A panel in every host and look: it is shown, a click does something, and axe-core finds nothing above minor.

VS Code is a page of marimo with VS Code's dark colours, for neither has those of JupyterLab, and a frame of another
origin with these colours alone (`framed.py`). They show that the panel works and can be read there, not that VS Code's
own widget manager loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from svc_nb import panels, service
from svc_nb.session import Session
from svc_nb.settings import Settings
from tests.browser import framed, pages
from tests.panels import all_panels
from tests.panels.all_panels import CONNECT
from tests.sessions import current

PANEL = "panels.Detect(df)"
ZOOMED = {"width": 800, "height": 500}  # a window of 1600 x 1000 at 200 %
PLAIN = {"forced_colors": "none", "reduced_motion": "no-preference"}
LOOKS = {
    "light": lambda screen: screen.theme("light"),
    "dark": lambda screen: screen.theme("dark"),
    "forced-colours": lambda screen: screen.page.emulate_media(forced_colors="active"),
    "reduced-motion": lambda screen: screen.page.emulate_media(reduced_motion="reduce"),
    "zoom-200": lambda screen: screen.page.set_viewport_size(ZOOMED),
}
VSCODE = {
    "editor-background": "#1e1e1e",
    "editor-foreground": "#d4d4d4",
    "foreground": "#cccccc",
    "descriptionForeground": "#9d9d9d",
    "errorForeground": "#f48771",
    "focusBorder": "#007fd4",
    "editorWidget-background": "#252526",
    "editorWarning-foreground": "#cca700",
    "input-border": "#8a8a8a",
    "editorError-foreground": "#f48771",
    "textLink-foreground": "#3794ff",
    "button-background": "#0e639c",
    "button-foreground": "#ffffff",
    "button-secondaryBackground": "#3a3d41",
    "button-secondaryForeground": "#ffffff",
    "input-background": "#3c3c3c",
    "input-foreground": "#cccccc",
    "dropdown-background": "#3c3c3c",
    "dropdown-foreground": "#f0f0f0",
    "panel-border": "#80808059",
    "list-hoverBackground": "#2a2d2e",
    "list-activeSelectionBackground": "#094771",
}
DRESS = """colours => {
    for (const [name, colour] of Object.entries(colours))
        document.documentElement.style.setProperty(`--vscode-${name}`, colour);
    document.body.style.background = '#1e1e1e';
    document.body.classList.add('vscode-dark');
}"""


@pytest.fixture(scope="module")
def connect() -> Iterator[str]:
    with service.start(memory=True) as running:
        own = {"api_key": running.api_key, "admin_key": running.admin_key, "base_url": running.base_url}
        yield CONNECT.format(**own)


def see(screen, name: str, *, place: int = 0, within: str = pages.OUTPUTS) -> None:
    """The panel at *place* is shown, a click does something, it fits into its place and can be read by all."""
    panel = screen.page.locator(".svc-panel").nth(place)
    panel.get_by_role("button", name="Detect languages").click()
    expect(panel.get_by_role("gridcell", name="Spanish", exact=True).first).to_be_visible()
    screen.settle()
    screen.picture(f"host-{name}")
    assert screen.violations(within=within) == [], name
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth + 1"), f"{name}: wider than its place"


@pytest.mark.parametrize(("front", "looks"), [("lab", tuple(LOOKS)), ("notebook", ("light", "dark"))])
def test_a_panel_can_be_used_in_jupyter_in_every_look(show_in, connect, front, looks):
    screen = show_in(front, connect, *[PANEL] * len(looks), code=False)
    for place, look in reversed(list(enumerate(looks))):  # what is above stays where it is
        LOOKS[look](screen)
        see(screen, f"{front}-{look}", place=place)
        screen.page.set_viewport_size(pages.VIEW)
        screen.page.emulate_media(**PLAIN)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_panel_can_be_used_in_voila(show_in, connect, theme):
    see(show_in("voila", connect, PANEL, theme=theme), f"voila-{theme}")


@pytest.fixture
def marimo(watched, servers, connect) -> Iterator[Callable]:
    """Open the panel in marimo, in one theme or the other."""
    opened = []

    def show(theme: str) -> pages.Screen:
        for each in ("light", "dark"):  # marimo knows the files that are there when it starts
            path = servers.place.root / "marimo" / f"{each}.py"
            pages.marimo_app(connect, PANEL, path=path, theme=each)
        screen = pages.Screen(*watched(viewport=pages.VIEW), servers["marimo"])
        opened.append(screen)
        screen.page.goto(screen.server.url("", file=f"{theme}.py"))
        return screen

    yield show
    for screen in opened:
        screen.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_panel_can_be_used_in_marimo(marimo, theme):
    see(marimo(theme), f"marimo-{theme}", within="marimo-anywidget")


def test_a_panel_takes_the_dark_colours_of_vs_code(marimo):
    screen = marimo("dark")
    root = screen.page.locator(".svc-root")
    expect(root).to_be_visible()
    screen.page.evaluate(DRESS, VSCODE)
    see(screen, "vscode-dark", within="marimo-anywidget")
    expect(root).to_have_css("background-color", "rgb(30, 30, 30)")


@pytest.mark.parametrize(("look", "background"), [("vscode-dark", "rgb(30, 30, 30)"), ("none", "rgb(255, 255, 255)")])
def test_a_panel_works_in_a_frame_of_another_origin(watched, tmp_path, look, background):
    colours = "; ".join(f"--vscode-{name}: {colour}" for name, colour in VSCODE.items())
    style = f":root {{ {colours} }} body {{ background: #1e1e1e }}" if look != "none" else ""
    with service.start(memory=True) as running:
        settings = Settings(store=str(tmp_path / "answers.sqlite"))
        table = pd.DataFrame({"text": ["The house is red.", "Das Haus ist rot.", "La casa es roja."]})
        with current(Session.embedded(running, settings)), panels.Detect(table) as panel:
            context, _ = watched(viewport=pages.VIEW)
            page, frame = framed.show(context, panel, style=style, classes=look)
            root = frame.locator(".svc-root")
            expect(root).to_have_css("background-color", background)
            frame.get_by_role("button", name="Detect languages").click()
            expect(frame.get_by_role("gridcell", name="Spanish", exact=True).first).to_be_visible()
            inside = page.frames[1]
            inside.evaluate(Axe().axe_script)
            found = inside.evaluate(pages.VIOLATIONS, [".svc-root", None])
            assert [each["id"] for each in found if each["impact"] in pages.ABOVE_MINOR] == []
            page.close()


def test_every_panel_is_shown_in_a_frame_of_another_origin(watched, tmp_path):
    table = pd.DataFrame({"text": ["The house is red."]})
    with service.start(memory=True, sample=True) as running:
        _, *cells = all_panels.cells(running)
        opened = Session.embedded(running, Settings(store=str(tmp_path / "answers.sqlite")))
        context, _ = watched(viewport=pages.VIEW)
        with current(opened):
            for cell, (role, name) in zip(cells, all_panels.PANELS.values(), strict=True):
                with eval(cell, {"panels": panels, "df": table}) as panel:
                    page, frame = framed.show(context, panel, style="")
                    expect(frame.get_by_role(role, name=name).first).to_be_visible()
                    page.close()
