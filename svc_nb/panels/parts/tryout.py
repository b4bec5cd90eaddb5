"""A box to try a sentence in, with what becomes of it below; texts travel as messages, and no notebook keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anywidget
from traitlets import Bool, Unicode

from svc_nb.panels.parts.line import FRONT


class Trial(anywidget.AnyWidget):
    """A sentence and a button; `tried` is called with the sentence, and `show` puts the results below it."""

    _esm = FRONT / "trial.js"
    _css = FRONT / "trial.css"
    label = Unicode().tag(sync=True)
    action = Unicode().tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def __init__(
        self, tried: Callable[[str], None], *, label: str = "A sentence to try", action: str = "Translate"
    ) -> None:
        super().__init__(label=label, action=action)
        self.text = ""
        self.results: list[tuple[str, str]] = []
        self._tried = tried
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def write(self, text: str) -> None:
        """Put a sentence into the box, as a person does."""
        self.text = text
        self._tell()

    def show(self, results: Sequence[tuple[str, str]]) -> None:
        """Show *results*, a title and a text each, in the place of those before."""
        self.results = list(results)
        self._tell()

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser: with all there is where it has nothing yet, and by trying what was written."""
        if message.get("kind") == "ready":
            self._tell()
        elif message.get("kind") == "try":
            self.text = str(message.get("text", ""))
            self._tried(self.text)

    def _tell(self) -> None:
        self.send({"kind": "shown", "text": self.text, "results": self.results})
