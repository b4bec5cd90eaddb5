"""A place to drop a file on, or to choose one: it comes in pieces, so that no limit of the connection cuts it short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

import anywidget
from traitlets import Int, List, Unicode

from svc_nb.panels.line import FRONT

MOST_BYTES = 20_000_000


class Drop(anywidget.AnyWidget):
    """Files that a person drops or chooses, whose names end in one of *suffixes*, of at most `most` bytes.

    `received` is called with the name and the bytes of each; `refused` with a sentence where one cannot be taken.
    """

    _esm = FRONT / "drop.js"
    _css = FRONT / "drop.css"
    title = Unicode("Drop a file here, or choose one").tag(sync=True)
    suffixes = List(Unicode()).tag(sync=True)
    most = Int(MOST_BYTES).tag(sync=True)

    def __init__(
        self,
        received: Callable[[str, bytes], None],
        *,
        refused: Callable[[str], None],
        suffixes: Sequence[str],
        title: str = "Drop a file here, or choose one",
    ) -> None:
        super().__init__(suffixes=list(suffixes), title=title)
        self._received = received
        self._refused = refused
        self._number: Any = None
        self._pieces = bytearray()
        self._told = ""
        self.on_msg(lambda widget, message, buffers: self.hear(message, buffers))

    def tell(self, text: str) -> None:
        """Show a line below, such as why a file cannot be read; it may quote the file, and is not kept."""
        self._told = text
        self.send({"kind": "told", "text": text})

    def hear(self, message: dict[str, Any], buffers: Sequence[Any] = ()) -> None:
        """Take a piece of a file and ask for the next one; a new file takes the place of one that was not finished."""
        if message.get("kind") == "ready":
            self.tell(self._told)
        if message.get("kind") == "several":
            self._refused("One file at a time: several were dropped.")
        if message.get("kind") != "piece":
            return
        name, size, at = _plain(message.get("name")), int(message["size"]), int(message["at"])
        if problem := self._problem(name, size):
            self.send({"kind": "done"})
            self._refused(problem)
            return
        if at == 0:
            self._number, self._pieces = message.get("number"), bytearray()
        if message.get("number") != self._number or at != len(self._pieces):
            return
        self._pieces += b"".join(bytes(buffer) for buffer in buffers)
        if len(self._pieces) < size:
            self.send({"kind": "more", "number": self._number, "at": len(self._pieces)})
            return
        whole, self._pieces, self._number = bytes(self._pieces), bytearray(), None
        self.send({"kind": "done"})
        self._received(name, whole)

    def _problem(self, name: str, size: int) -> str:
        suffix = PurePath(name).suffix.lower()
        if suffix not in self.suffixes:
            return f"A file that ends in {suffix or 'nothing'} is not read here: expected {', '.join(self.suffixes)}."
        if size > self.most:
            return (
                f"The file has {size:,} bytes, and at most {self.most:,} come through the browser: "
                "read it with .read(path) instead."
            )
        return "" if size else "The file is empty."


def _plain(name: Any) -> str:
    """The last part of a name: it is shown, and never used as a path."""
    return PurePath(str(name).replace("\\", "/")).name
