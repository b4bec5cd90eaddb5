"""One line of text in a panel, shown as it is: never markup, never mathematics. It brings the looks of all panels."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import anywidget
from traitlets import Enum, Unicode

FRONT = Path(__file__).parent.parent / "front"


def joined(folder: str, suffix: str) -> str:
    """The files of a folder of the front end as one, in the order of their names."""
    return "\n".join(path.read_text("utf-8") for path in sorted((FRONT / folder).glob(f"*.{suffix}")))


class Line(anywidget.AnyWidget):
    """*text* for a person to read; `kind` says whether it is an "error", a "change" to come, or plain "info".

    `still` is the name of what stands for the panel in a saved notebook, and is hidden where the panel itself is there.
    """

    _esm = FRONT / "line.js"
    _css = joined("panel", "css")
    text = Unicode().tag(sync=True)
    kind = Enum(("info", "error", "change"), "info").tag(sync=True)
    still = Unicode().tag(sync=True)

    def __init__(self) -> None:
        super().__init__(still=uuid4().hex)

    def say(self, text: str, kind: str = "info") -> None:
        """Show *text* in the place of what stood there, in one step."""
        with self.hold_sync():
            self.text, self.kind = text, kind

    def download(self, name: str, data: bytes, *, kind: str) -> None:
        """Have the browser save *data*, of the MIME type *kind*, as a file called *name*."""
        self.send({"kind": "download", "name": name, "type": kind}, buffers=[data])
