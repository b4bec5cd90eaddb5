"""Where the parts of the documents panel stand, and which buttons have something to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import ipywidgets as widgets

from svc_nb.documents.files import KINDS
from svc_nb.panels.documents.controls import Controls
from svc_nb.panels.documents.waiting import Waiting
from svc_nb.panels.drop import Drop, Keep
from svc_nb.panels.glossaries.notice import Notice
from svc_nb.panels.grid import Grid
from svc_nb.panels.line import Line
from svc_nb.panels.meter import Meter
from svc_nb.panels.panel import button, row

HEIGHT = 300
TITLE = "Drop documents here, or choose them"
Deed = Callable[..., Any]


class Deeds(Protocol):
    """What the buttons do."""

    line: Line

    def click(self, deed: str, *rest: Any) -> Callable[[], None]:
        """What a button calls for a deed by its name."""

    def resume_chosen(self, ids: list[str] | None) -> None:
        """Go on with documents; None is all."""

    def forget_chosen(self, ids: list[str]) -> None:
        """Forget documents."""


@dataclass(frozen=True)
class State:
    """What there is to do: *go* is what the button says that begins."""

    go: str = ""
    busy: bool = False
    cancelled: bool = False
    files: int = 0
    written: int = 0
    lost: int = 0


class Layout:
    """The widgets by name, and the box with all of them."""

    def __init__(
        self,
        deeds: Deeds,
        *,
        received: Callable[[str, Any], None],
        refused: Callable[[str], None],
        keep: Callable[[str], Keep],
        limit: Callable[[str], int],
    ) -> None:
        suffixes = [f".{kind}" for kind in KINDS]
        most = max(kind.pro for kind in KINDS.values())
        self.drop = Drop(
            received,
            refused=refused,
            suffixes=suffixes,
            title=TITLE,
            most=most,
            several=True,
            keep=keep,
            limit=limit,
        )
        self.drop.advice = "the service takes no larger one of this kind."
        self.controls = Controls()
        self.hints = Line()
        self.grid = Grid("Files", signed=True)
        self.grid.height = HEIGHT
        self.meter = Meter(name="Documents on their way")
        self.buttons = _buttons(deeds.click)
        self.question = Notice(self.buttons["yes"], self.buttons["no"])
        self.waiting = Waiting(
            lambda deed: deeds.click("deed", deed),
            resume=deeds.resume_chosen,
            forget=deeds.forget_chosen,
            look=deeds.click("refresh"),
        )
        self.box = self._laid_out(deeds.line)

    def _row(self, *names: str) -> widgets.HBox:
        made = row(*(self.buttons[name] for name in names))
        made.add_class("svc-buttons")
        return made

    def _laid_out(self, line: Line) -> widgets.VBox:
        self.hints.add_class("svc-hints")
        below = row(self._row("go", "cancel", "again"), self._row("save", "save_all", "remove", "refresh"))
        below.add_class("svc-documents-below")
        self.files = widgets.VBox([self.grid, below])
        self.files.add_class("svc-documents-files")
        parts = [
            *(self.drop, self.controls.box, self.hints, self.files, self.question.box),
            *(self.meter, line, self.waiting.box),
        ]
        box = widgets.VBox(parts)
        box.add_class("svc-panel")
        box.add_class("svc-documents")
        return box

    def hint(self, text: str) -> None:
        """Say below the options what of them is left out."""
        self.hints.say(text, "change" if text else "info")
        self.hints.layout.display = None if text else "none"

    def show_state(self, state: State) -> None:
        """Show the buttons that have something to do, with what they will do."""
        go = self.buttons["go"]
        go.description = "Translating …" if state.busy else state.go or "Translate"
        go.disabled = state.busy or not state.go
        self.buttons["cancel"].disabled = state.cancelled
        self.buttons["again"].description = f"Translate {state.lost:,} again …"
        self.buttons["save_all"].description = (
            f"Save all {state.written:,} as zip" if state.written > 1 else "Save the file"
        )
        shown = {
            "cancel": state.busy,
            "again": bool(state.lost) and not state.busy,
            "save": state.written > 1,
            "save_all": bool(state.written),
            "remove": bool(state.files) and not state.busy,
        }
        for name, wanted in shown.items():
            self.buttons[name].layout.display = None if wanted else "none"
        self.files.layout.display = None if state.files else "none"
        self.controls.lock(state.busy)
        if state.busy or not state.files:
            self.question.drop()


def _buttons(click: Deed) -> dict[str, widgets.Button]:
    go = button("Translate", click("ask"), style="primary", help="Translate the files that can be sent")
    go.add_class("svc-go")
    return {
        "go": go,
        "cancel": button("Cancel", click("cancel"), help="Send nothing more; what was sent can be resumed"),
        "again": button("Translate again …", click("ask_again"), help="Their translations are gone"),
        "yes": button("Yes, translate", click("agree"), style="primary"),
        "no": button("Not now", click("decline")),
        "save": button("Save selected", click("save_selected"), help="Save them in the browser"),
        "save_all": button("Save all", click("save"), help="Save in the browser"),
        "remove": button("Remove selected", click("remove_selected"), help="Take files out of this list"),
        "refresh": button("Refresh", click("refresh"), help="Look at the files and ask the service again"),
    }
