"""A host that shows a panel as VS Code and Colab do: in an iframe of another origin, with a policy of its own.

The frame has neither JupyterLab's variables nor its widget manager. What the panel's module and Python say to each
other goes through the outside page, as it does there; all else is the real panel, in this process.
"""

from __future__ import annotations

import base64
from collections import deque
from html import escape
from typing import Any

from playwright.sync_api import BrowserContext, FrameLocator, Page

from svc_nb.panels.parts.controls import PanelWidget
from svc_nb.panels.parts.panel import Panel

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:"
)
# What anywidget does in the browser, as far as a panel's module uses it.
INSIDE = """
const listeners = {};
const state = {};
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)).buffer);
const emit = (name, ...rest) => (listeners[name] || []).forEach((callback) => callback(...rest));
const model = {
    get: (name) => state[name],
    set: () => { throw new Error('a panel says all in messages'); },
    save_changes() {},
    send: (content) => parent.postMessage({ content }, '*'),
    on: (names, callback) => names.split(' ').forEach((name) => (listeners[name] ||= []).push(callback)),
    off: (names, callback) => names.split(' ').forEach((name) => {
        listeners[name] = (listeners[name] || []).filter((each) => each !== callback);
    }),
};
addEventListener('message', async ({ data }) => {
    if (data.kind === 'custom') emit('msg:custom', data.content, data.buffers.map(bytes));
    if (data.kind === 'update') {
        Object.assign(state, data.state);
        Object.keys(data.state).forEach((name) => emit(`change:${name}`));
    }
    if (data.kind === 'open') {
        Object.assign(state, data.state);
        const style = document.createElement('style');
        style.textContent = state._css;
        document.head.append(style);
        const module = await import(URL.createObjectURL(new Blob([state._esm], { type: 'text/javascript' })));
        module.default.render({ model, el: document.getElementById('output') });
    }
});
parent.postMessage({ ready: true }, '*');
"""
OUTSIDE = """
addEventListener('message', async ({ data, source, origin }) => {
    if (source !== frames[0] || origin !== 'null') throw new Error(`from ${origin}`);
    if (data.content) return void (await panelHears(data.content));
    source.postMessage(await panelOpens(), '*');
    setInterval(async () => {
        for (const message of await panelSays()) source.postMessage(message, '*');
    }, 20);
});
"""


class Comm:
    """What a widget speaks through where there is a kernel: here, what it says is fetched by the page."""

    comm_id = "framed"

    def __init__(self) -> None:
        self.said: deque[dict[str, Any]] = deque()

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
        coded = [base64.b64encode(each).decode() for each in buffers or ()]
        self.said.append(
            {"kind": data["method"], "content": data.get("content"), "state": data.get("state"), "buffers": coded}
        )

    def on_msg(self, callback: Any) -> None:
        """Messages are handed to the panel itself."""

    def on_close(self, callback: Any) -> None:
        """It is not closed from the page."""

    def close(self, *ignored: Any, **also: Any) -> None:
        """Nobody has to be told."""


def show(context: BrowserContext, panel: Panel, *, style: str, classes: str = "") -> tuple[Page, FrameLocator]:
    """Show *panel* in a frame of another origin, with this *style* in its page; the page and its frame."""
    widget: PanelWidget = panel.widget
    comm = widget.comm = Comm()
    page = context.new_page()
    names = ("_esm", "_css", "account", "kept")

    def opened(*_: Any) -> dict[str, Any]:
        comm.said.clear()  # what was said before is in the state, or is asked for
        return {"kind": "open", "state": {**{name: getattr(widget, name) for name in names}, "tree": widget.snapshot()}}

    def said(*_: Any) -> list[dict[str, Any]]:
        return [comm.said.popleft() for _ in range(len(comm.said))]

    page.expose_function("panelOpens", opened)
    page.expose_function("panelSays", said)
    page.expose_function("panelHears", lambda message: widget.hear(message, []))
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{style}</style>'
    body = f"<body class='{classes}'><div id='output'></div><script>{INSIDE}</script></body>"
    inner = escape(f"<!doctype html><html><head>{head}</head>{body}</html>")
    frame = f'<iframe sandbox="allow-scripts" title="Output" width="1200" height="700" srcdoc="{inner}"></iframe>'
    outer = f"<body><script>{OUTSIDE}</script>{frame}</body>"
    page.set_content(f"<!doctype html><html lang='en'><title>Host</title>{outer}</html>")
    return page, page.frame_locator("iframe")
