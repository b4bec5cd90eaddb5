"""One line of text in a panel, shown as it is: never markup, never mathematics."""

from __future__ import annotations

from pathlib import Path

import anywidget
from traitlets import Enum, Unicode

FRONT = Path(__file__).parent / "front"


class Line(anywidget.AnyWidget):
    """*text* for a person to read; `kind` says whether it is an "error", a "change" to come, or plain "info"."""

    _esm = FRONT / "line.js"
    _css = FRONT / "line.css"
    text = Unicode().tag(sync=True)
    kind = Enum(("info", "error", "change"), "info").tag(sync=True)

    def say(self, text: str, kind: str = "info") -> None:
        """Show *text* in the place of what stood there, in one step."""
        with self.hold_sync():
            self.text, self.kind = text, kind
