"""Notebooks as a person has them on the screen, in any of the three front ends."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import indent

import nbformat
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.servers import CHECKOUT, Server
from tests.browser.watch import Watch

PATIENCE = 60_000  # milliseconds: a busy machine is no reason to fail
HEIGHT = 1000
WIDTHS = (700, 1600)
VIEW = {"width": 1600, "height": HEIGHT}
ASKED = os.environ.get("SVC_SCREENSHOTS")  # pictures for people to look at are taken where this says
SCREENSHOTS = Path(ASKED or CHECKOUT / ".screenshots")

expect.set_options(timeout=PATIENCE // 2)

# The parts of the page that the notebook's own code made.
OUTPUTS = ".jp-OutputArea-output"
ERRORS = OUTPUTS + '[data-mime-type="application/vnd.jupyter.stderr"]'
OF_COLOURS = ("color-contrast", "link-in-text-block")  # what a theme can break; the rest is the same in both
ABOVE_MINOR = ("moderate", "serious", "critical")
LONGEST_HTML = 200
HIGHEST = 4000
# JupyterLab's body has no height of its own; axe-core takes all that is in it for hidden, and its colours for good.
UNCLIPPED = "html, body { height: 100%; }"
# What is drawn anew for another width moves what stands below it, and a click in that moment goes astray.
STEADY = """async selector => {
    const places = () => JSON.stringify([...document.querySelectorAll(selector)].map(
        node => Object.values(node.getBoundingClientRect().toJSON())));
    const end = performance.now() + 10_000;
    let [before, since] = [places(), performance.now()];
    while (performance.now() - since < 400 && performance.now() < end) {
        await new Promise(done => setTimeout(done, 50));
        const now = places();
        if (now !== before) [before, since] = [now, performance.now()];
    }
}"""
# All that axe-core has to say takes longer to bring here than to find.
VIOLATIONS = """async ([selector, rules]) => {
    const asked = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
    const { violations } = await axe.run({ include: [[selector]] }, asked);
    return violations;
}"""
CLICKABLE = f":is({OUTPUTS}, .svc-panel) :is(button, input, select, svg)"
SEEN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
FAILURE = re.compile(r"Cell In ?\[\d+\], line|Traceback \(most recent call last\)")

LOADED = "() => window.jupyterapp?.restored.then(() => true)"
OPEN = "path => { window.jupyterapp.commands.execute('docmanager:open', { path }) }"
READY = """path => {
    const panel = window.jupyterapp?.shell?.currentWidget;
    return panel?.context?.path === path && panel.context.isReady
        && panel.sessionContext.session?.kernel?.status === 'idle';
}"""
RUN = """async () => {
    const { commands, shell } = window.jupyterapp;
    await shell.currentWidget.revealed;
    return await commands.execute('notebook:run-all-cells');
}"""
KERNEL = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"
VOILA_KERNEL = "() => JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId"
IDLE = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"
COLLAPSE = "() => window.jupyterapp.shell.collapseLeft?.()"
CLEAR = """async () => {
    const { commands, serviceManager, shell } = window.jupyterapp;
    [...shell.widgets('main')].forEach(widget => widget.dispose());
    shell.collapseLeft();
    await commands.execute('apputils:dismiss-notification').catch(() => undefined);
    await serviceManager.sessions.shutdownAll();
}"""
THEME = "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
TELL = """async code => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code, store_history: false, stop_on_error: false });
    let told = '';
    future.onIOPub = ({ header, content }) => {
        if (header.msg_type === 'stream') told += content.text;
        if (header.msg_type === 'error') told += content.traceback.join('\\n');
    };
    const reply = await future.done;
    return [reply.content.status === 'ok', told];
}"""


def notebook(*cells: str | Path, folder: Path, code: bool = True) -> str:
    """Write a notebook of code *cells* into *folder*, or a copy of one from its path; return its name there.

    Without *code* the cells show only their outputs, as Voila does.
    """
    name = f"{secrets.token_hex(4)}.ipynb"
    if isinstance(cells[0], Path):
        made = nbformat.read(cells[0], as_version=4)
    else:
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata.kernelspec = {
        "name": "python3",
        "display_name": "Python of the tests",
        "language": "python",
    }
    for cell in made.cells:
        cell.metadata.jupyter = {"source_hidden": not code}
    nbformat.write(made, folder / name)
    return name


def marimo_app(*cells: str, path: Path, theme: str) -> None:
    """Write *cells* as one cell of a marimo notebook to *path*, with its *theme*."""
    body = indent("\n".join(cell.strip() for cell in cells), "    ")
    path.write_text(
        f'# /// script\n# [tool.marimo.display]\n# theme = "{theme}"\n# ///\n\nimport marimo\n\n'
        f"app = marimo.App()\n\n\n@app.cell\ndef _():\n{body}\n    return\n"
    )


class Screen:
    """One notebook, open and run in one front end; *page* is Playwright's, for all that is not here."""

    def __init__(self, context: BrowserContext, watch: Watch, server: Server) -> None:
        self.server = server
        self.front = server.front
        self.watch = watch
        self.kernel: str | None = None
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()

    # Opening

    def open(self, path: str, *, theme: str) -> None:
        """Show the notebook, run all its cells, and wait until the kernel has nothing to do."""
        if self.front == "voila":
            self._open_voila(path, theme)
        else:
            self._open_jupyter(path, theme)
        failure = self.page.locator(ERRORS, has_text=FAILURE)
        assert not failure.count(), f"a cell failed in {self.front}:\n{failure.first.inner_text()}"

    def _open_voila(self, path: str, theme: str) -> None:
        self.page.goto(self.server.url(f"voila/render/{path}", theme=theme))
        self.kernel = self.page.evaluate(VOILA_KERNEL)
        self.page.locator("#rendered_cells").wait_for()

    def _open_jupyter(self, path: str, theme: str) -> None:
        if self.front == "lab":
            self.page.set_viewport_size(VIEW)
            self.page.evaluate(OPEN, path)
        else:
            self.page.goto(self.server.url(f"notebooks/{path}"))
        self.page.wait_for_function(READY, arg=path)
        self.kernel = self.page.evaluate(KERNEL)
        self.page.evaluate(COLLAPSE)
        self.theme(theme)  # the server keeps what was chosen before
        self.page.evaluate(RUN)
        self.page.wait_for_function(IDLE)

    def load(self) -> None:
        """Show JupyterLab with its launcher, in a workspace of its own."""
        self.page.goto(self.server.url(f"lab/workspaces/{secrets.token_hex(4)}"))
        self.page.wait_for_function(LOADED)

    def clear(self) -> None:
        """Close all that is open in JupyterLab, and end its kernels."""
        self.page.evaluate(CLEAR)

    # Looking

    def get(self, role: str, name: str | None = None, **options) -> Locator:
        """The visible part of the outputs with this accessible *role* and *name*, once it is there."""
        found = self.page.locator(OUTPUTS).get_by_role(role, name=name, **options)
        expect(found).to_be_visible()
        return found

    def outputs(self) -> list[str]:
        """The text of each output, from the top."""
        return self.page.locator(OUTPUTS).all_inner_texts()

    def expect_text(self, text: str) -> None:
        """Wait until the outputs show *text*."""
        expect(self.page.locator(OUTPUTS).get_by_text(text).first).to_be_visible()

    def violations(self, rules: Sequence[str] | None = None, *, within: str = OUTPUTS) -> list[str]:
        """What axe-core finds above minor in the outputs as they are shown now: the rule, what it asks for, and where.

        It tries all its rules, or only *rules*. The rest of the page is the front end's own, and is not looked at.
        """
        assert self.page.locator(within).count(), "there is no output to look at"
        return [
            f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['html'][:LONGEST_HTML]}: {_why(node)}"
            for rule in self._violated(rules, within)
            if rule["impact"] in ABOVE_MINOR
            for node in rule["nodes"]
        ]

    def look(self, name: str) -> None:
        """Nothing is above minor in either theme and in forced colours, with pictures for people; not in Voila."""
        for look, rules in (("dark", None), ("light", OF_COLOURS), ("forced", OF_COLOURS)):
            self.theme("light" if look == "forced" else look)
            self.page.emulate_media(forced_colors="active" if look == "forced" else "none")
            found = self.violations(rules)
            assert not found, "\n".join([f"in {look}:", *found])
            self.screenshot(f"{name}-{look}")
        self.page.emulate_media(forced_colors="none")

    def _violated(self, rules: Sequence[str] | None, within: str) -> list[dict]:
        """The rules that axe-core finds broken, in a window that is high enough for it to see everything."""
        before = self.page.viewport_size
        self.page.set_viewport_size({**before, "height": HIGHEST})
        style = self.page.add_style_tag(content=UNCLIPPED)
        try:
            self.page.evaluate(SEEN)
            self.page.evaluate(Axe().axe_script)
            return self.page.evaluate(VIOLATIONS, [within, rules])
        finally:
            style.evaluate("node => node.remove()")
            self.page.set_viewport_size(before)
            self.settle()

    def screenshot(self, name: str, *, widths: Iterable[int] = WIDTHS) -> list[Path]:
        """Save what the window shows at each of *widths*, and return the files; the window keeps its own width.

        Nothing is done unless SVC_SCREENSHOTS says where to.
        """
        if not ASKED:
            return []
        before = self.page.viewport_size["width"]
        paths = [self._picture(name, width) for width in widths]
        self.width(before)
        self.settle()
        return paths

    def _picture(self, name: str, width: int) -> Path:
        self.width(width)
        return self.picture(f"{name}-{self.front}-{width}")

    def picture(self, name: str) -> Path:
        """Save what the window shows now, and return the file."""
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path

    # Doing

    def width(self, pixels: int) -> None:
        """Make the window so wide."""
        self.page.set_viewport_size({"width": pixels, "height": HEIGHT})
        self.page.evaluate(SEEN)

    def press(self, name: str, key: str = "Enter") -> None:
        """Press *key* on the button called *name*, once it can be pressed."""
        button = self.get("button", name, exact=True)
        expect(button).to_be_enabled()
        button.press(key)

    def settle(self) -> None:
        """Wait until what can be clicked has stopped moving."""
        self.page.evaluate(STEADY, CLICKABLE)

    def theme(self, name: str) -> None:
        """Switch to the "light" or the "dark" theme; Voila's is chosen when the notebook is opened."""
        assert self.front != "voila", "Voila has no switch: open the notebook with theme="
        self.page.evaluate(THEME, f"JupyterLab {name.title()}")
        light = str(name == "light").lower()
        expect(self.page.locator(f'body[data-jp-theme-light="{light}"]')).to_be_attached()
        # If the theme changes again while the splash screen is up, JupyterLab fails when it removes the screen twice.
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)

    def python(self, code: str) -> str:
        """What *code* prints when the notebook's kernel runs it now; not in Voila, where nobody can type."""
        done, told = self.page.evaluate(TELL, code)
        assert done, told
        return told

    def check(self) -> None:
        """Raise AssertionError if the console had errors, or anyone outside loopback was asked, since last time."""
        self.watch.check()

    def close(self) -> None:
        """Close the page, and end its kernel."""
        self.page.close()
        if self.kernel and self.server.alive:
            self.server.end_kernel(self.kernel)


def _why(node: dict) -> str:
    """What axe-core says about one element."""
    return "; ".join(check["message"] for kind in ("any", "all", "none") for check in node[kind])
