"""What a page must not do while a test looks at it: complain on the console, or ask anyone outside loopback."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

LOOPBACK = ("127.0.0.1", "localhost", "::1")
INWARD = ("data", "blob", "about", "chrome-error")  # no host is asked

# What the front ends say of themselves, whatever the notebook holds.
NOISE = (
    re.compile(r"reading 'schema'"),  # Notebook 7, of a plugin that only JupyterLab has
    # JupyterLab, when a kernel or a page ends while it asks for a tooltip, completions or the kernel's comms.
    re.compile(r"Canceled future for (inspect|complete|comm_info|kernel_info|create_subshell)_request"),
    re.compile(r"Kernel info reply errored"),  # JupyterLab, when a kernel ends that was just asked what it is
    re.compile(r'"stream\.stderr" is not valid JSON'),  # JupyterLab, of a message that a kernel that ends breaks off
    re.compile(r"Error registering service worker"),  # marimo, because the tests block them
    re.compile(r"RUNTIME-012.*/@jupyter-notebook/lab-extension/", re.DOTALL),  # Voila, of Notebook 7's extension
)


class Watch:
    """Collects the troubles of all pages of one browser context."""

    def __init__(self, context: BrowserContext) -> None:
        self.troubles: list[str] = []
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", self._said)
        context.on("weberror", lambda error: self._add(f"uncaught: {error.error}"))
        context.on("page", self._opened)

    def check(self) -> None:
        """Raise AssertionError with all troubles so far, and forget them."""
        troubles, self.troubles = self.troubles, []
        assert not troubles, "the browser met trouble:\n" + "\n".join(troubles)

    def _opened(self, page: Page) -> None:
        page.on("websocket", lambda socket: self._asked(socket.url))

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in INWARD and parts.hostname not in LOOPBACK:
            self.troubles.append(f"outside request: {url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._add(f"console: {message.text} ({message.location.get('url', '')})")

    def _add(self, trouble: str) -> None:
        if not any(noise.search(trouble) for noise in NOISE):
            self.troubles.append(trouble)
