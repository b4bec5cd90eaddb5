"""A question in a panel: a line and the buttons that answer it, there only while it waits for an answer."""

from __future__ import annotations

import ipywidgets as widgets

from svc_nb.panels.line import Line
from svc_nb.panels.panel import row


class Notice:
    """What is asked, in a line, with *answers* below and maybe something to look at between; hidden until `ask`."""

    def __init__(self, *answers: widgets.Widget, shown: tuple[widgets.Widget, ...] = ()) -> None:
        self.line = Line()
        self.box = widgets.VBox([self.line, *shown, row(*answers)])
        self.box.add_class("svc-notice")
        self.drop()

    def ask(self, text: str) -> None:
        """Ask *text*."""
        self.line.say(text, "change")
        self.box.layout.display = ""

    def drop(self) -> None:
        """Ask nothing."""
        self.box.layout.display = "none"
        self.line.say("")

    @property
    def waits(self) -> bool:
        """Whether it is asked."""
        return str(self.box.layout.display) != "none"
