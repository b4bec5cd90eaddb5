"""How far something has come: a bar with its counts in words below it."""

from __future__ import annotations

import anywidget
from traitlets import Int, Unicode

from svc_nb.panels.line import FRONT


class Meter(anywidget.AnyWidget):
    """`done` and `failed` of `total`; `text` says it in words. `state` is "", "running", "paused" or "ended".

    With the state "" there is nothing to see.
    """

    _esm = FRONT / "meter.js"
    name = Unicode().tag(sync=True)
    total = Int(0).tag(sync=True)
    done = Int(0).tag(sync=True)
    failed = Int(0).tag(sync=True)
    text = Unicode().tag(sync=True)
    state = Unicode().tag(sync=True)

    def show(self, *, total: int, done: int, failed: int, text: str, state: str) -> None:
        """Show how it stands, in one step."""
        with self.hold_sync():
            self.total, self.done, self.failed = total, done, failed
            self.text, self.state = text, state
