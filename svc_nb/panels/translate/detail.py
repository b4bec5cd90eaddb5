"""One row of the result with its whole texts. They travel as messages, so that no saved notebook has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget

from svc_nb.panels.line import FRONT

Shown = Mapping[str, Any]


class Detail(anywidget.AnyWidget):
    """`shown` is what stands there: `head`, `source`, `text`, `languages`, `facts` and `findings`; None is nothing."""

    _esm = FRONT / "detail.js"

    def __init__(self) -> None:
        super().__init__()
        self.shown: Shown | None = None
        self.on_msg(lambda widget, message, buffers: self._hear(message))

    def show(self, shown: Shown | None) -> None:
        """Show a row, or nothing."""
        self.shown = shown
        self._tell()

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message.get("kind") == "ready":
            self._tell()

    def _tell(self) -> None:
        self.send({"kind": "shown", "shown": self.shown})
