"""Keys that act on a row of a list: a letter or Enter, pressed where the keyboard is in a grid beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anywidget
from traitlets import List, Unicode

from svc_nb.panels.line import FRONT


class Letters(anywidget.AnyWidget):
    """Listens in the grid of the nearest box around it that has the class *within*; shows nothing itself.

    `pressed` is called with the key and the place of the row among those that the grid shows, from 0.
    """

    _esm = FRONT / "letters.js"
    letters = List(Unicode()).tag(sync=True)
    within = Unicode().tag(sync=True)

    def __init__(self, letters: Sequence[str], pressed: Callable[[str, int], None], *, within: str) -> None:
        super().__init__(letters=list(letters), within=within)
        self._pressed = pressed
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Do what a key asks for; others are left alone."""
        if message.get("kind") == "key" and message.get("key") in self.letters:
            self._pressed(str(message["key"]), int(message["place"]))
