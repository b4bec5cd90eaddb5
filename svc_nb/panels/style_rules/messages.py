"""Widgets whose content travels as messages only: what people wrote never stands in the state that notebooks keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget

from svc_nb.panels.line import FRONT

PARTS = FRONT / "style_rules"


def module(name: str) -> str:
    """The front end called *name*, after the parts that all of them share."""
    return "\n".join(Path(PARTS / f"{each}.js").read_text("utf-8") for each in ("parts", name))


class Messaged(anywidget.AnyWidget):
    """Shows what `show` is given; a browser that has nothing yet gets all of it, and says the rest to *heard*."""

    def __init__(self, heard: Callable[[dict[str, Any]], None] = lambda message: None) -> None:
        super().__init__()
        self.content: dict[str, Any] = {}
        self._heard = heard
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def show(self, **content: Any) -> None:
        """Show *content*, values of JSON, in the place of what had these names; the rest stays."""
        changed = {name: value for name, value in content.items() if self.content.get(name, self) != value}
        self.content |= changed
        if changed:
            self.send({"kind": "shown", **changed})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser, or pass on what a person did there."""
        if message.get("kind") == "ready":
            self.send({"kind": "shown", **self.content})
        else:
            self._heard(message)
