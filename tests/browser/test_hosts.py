"""A panel in every host and look: it is shown, a click does something, and axe-core finds nothing above minor.

VS Code is a page of marimo with VS Code's dark colours: neither has those of JupyterLab. It shows that the panel can be
read there, not that VS Code's own widget manager loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from svc_nb import service
from tests.browser import pages
from tests.panels.all_panels import CONNECT

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
VSCODE = """() => {
    const colours = {
        'editor-background': '#1e1e1e', 'editor-foreground': '#d4d4d4', 'foreground': '#cccccc',
        'descriptionForeground': '#9d9d9d', 'errorForeground': '#f48771', 'focusBorder': '#007fd4',
        'editorWidget-background': '#252526', 'editorWarning-foreground': '#cca700', 'input-border': '#8a8a8a',
        'editorError-foreground': '#f48771', 'textLink-foreground': '#3794ff',
        'button-background': '#0e639c', 'button-foreground': '#ffffff', 'button-secondaryBackground': '#3a3d41',
        'button-secondaryForeground': '#ffffff', 'input-background': '#3c3c3c', 'input-foreground': '#cccccc',
        'dropdown-background': '#3c3c3c', 'dropdown-foreground': '#f0f0f0', 'panel-border': '#80808059',
        'list-hoverBackground': '#2a2d2e', 'list-activeSelectionBackground': '#094771',
    };
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
    screen.page.evaluate(VSCODE)
    see(screen, "vscode-dark", within="marimo-anywidget")
    expect(root).to_have_css("background-color", "rgb(30, 30, 30)")
