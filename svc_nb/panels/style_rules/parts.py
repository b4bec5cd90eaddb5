"""The named widgets of the style rule panel, and where each of them stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ipywidgets as widgets

from svc_nb.language_codes import name_of
from svc_nb.panels.line import Line
from svc_nb.panels.panel import button, field, row
from svc_nb.panels.style_rules.board import Board
from svc_nb.panels.style_rules.compare import Compare
from svc_nb.panels.style_rules.instructions import Instructions, sources
from svc_nb.panels.trial import Trial
from svc_nb.style_rules.languages import STYLE_LANGUAGES

LANGUAGES = [(name_of(code), code) for code in STYLE_LANGUAGES]
NOBODY = ("Choose a list …", "")
WITHOUT = ("Without a style", "")
BUTTONS = {
    "undo": ("Undo", ""),
    "redo": ("Redo", ""),
    "discard": ("Discard", ""),
    "push": ("Push …", "primary"),
    "confirm": ("Yes", "warning"),
    "cancel": ("Not now", ""),
    "undo_push": ("Undo the push", ""),
    "reload": ("Reload", ""),
    "create": ("Create", ""),
    "restore": ("Restore", "primary"),
    "forget": ("Forget", ""),
    "all_mine": ("All as here", ""),
    "all_theirs": ("All as on the service", ""),
    "settle": ("Go on", "primary"),
    "rename": ("Rename", ""),
    "clone": ("See what carries over …", ""),
    "delete": ("Delete this list …", ""),
}
Pressed = Callable[[str], None]
Heard = Callable[[dict[str, Any]], None]


class Parts:
    """All widgets by name; *pressed* is told the name of a button, *heard* what happens in the own widgets."""

    def __init__(self, line: Line, *, pressed: Pressed, heard: Heard, tried: Callable[[str], None]) -> None:
        self.line = line
        self.buttons = {
            name: button(text, partial(pressed, name), style=style) for name, (text, style) in BUTTONS.items()
        }
        self.board = Board(heard)
        self.instructions = Instructions(heard)
        self.trial = Trial(tried, label="A sentence to try", action="Try out")
        self.differences = Compare("Changes")
        self.collisions = Compare("Conflicts", heard)
        self.left = Compare("What does not carry over")
        self.offer, self.tried = Line(), Line()
        self._make_fields()
        self._lay_out()

    def _make_fields(self) -> None:
        self.lists = _choice("Style rule list", [NOBODY], "380px")
        self.name = _text("Name of a new list", "220px")
        self.language = _choice("Its language", LANGUAGES, "130px")
        self.source = _choice("Translate from", [("Detected", ""), *sources()], "190px")
        self.before = _choice("Compare with", [WITHOUT], "220px")
        self.new_name = _text("New name", "260px")
        self.other = _choice("Copy for", LANGUAGES, "130px")
        self.other_name = _text("Name of the copy", "220px", placeholder="the same")

    def _lay_out(self) -> None:
        on = self.buttons
        self.shelf = row(self.lists, on["reload"], self.name, self.language, on["create"])
        self.shelf.add_class("svc-style-shelf")
        self.offer_box = widgets.VBox([self.offer, row(on["restore"], on["forget"])])
        choices = row(on["all_mine"], on["all_theirs"], on["settle"])
        self.conflict_box = widgets.VBox([self.collisions, choices])
        self.conflict_box.add_class("svc-style-conflicts")
        trial = widgets.VBox([row(self.source, self.before), self.trial, self.tried])
        copy = widgets.VBox([row(self.other, self.other_name, on["clone"]), self.left])
        more = widgets.VBox([copy, row(self.new_name, on["rename"]), row(on["delete"])])
        more.add_class("svc-style-more")
        pages = [self.board, self.instructions, trial, self.differences, more]
        self.tabs = widgets.Tab(pages, titles=titles(0, 0), selected_index=0)
        deeds = ("confirm", "cancel", "push", "undo_push", "undo", "redo", "discard")
        self.deeds = row(*(on[name] for name in deeds))
        self.box = widgets.VBox(
            [self.shelf, self.offer_box, self.line, self.deeds, self.conflict_box, self.tabs]
        )
        self.box.add_class("svc-panel")
        self.box.add_class("svc-style")

    def offer_lists(self, options: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these lists, titles and keys, and have one chosen; nothing is "" and can be chosen only by nobody."""
        offered = [*options] if chosen else [NOBODY, *options]
        if [*self.lists.options] != offered:
            self.lists.options = offered
        self.lists.value = chosen

    def offer_befores(self, known: bool) -> None:
        """Compare with the list on the service only where it is there."""
        options = [WITHOUT, *([("The list as on the service", "service")] if known else [])]
        if [*self.before.options] != options:
            self.before.options = options

    def show(self, **wanted: bool) -> None:
        """Show those buttons and no others of the names that are given."""
        for name, visible in wanted.items():
            self.buttons[name].layout.display = None if visible else "none"


def titles(instructions: int, changes: int) -> list[str]:
    """What stands on the tabs."""
    return [
        "Rules",
        f"Instructions ({instructions:,})" if instructions else "Instructions",
        "Try out",
        f"Changes ({changes:,})" if changes else "Changes",
        "More",
    ]


def visible(box: widgets.Widget, wanted: bool) -> None:
    """Show *box*, or take no room for it."""
    box.layout.display = None if wanted else "none"


def _choice(name: str, options: Sequence[tuple[str, str]], width: str) -> Any:
    return field(widgets.Dropdown(options=options, description=name), width)


def _text(name: str, width: str, *, placeholder: str = "") -> Any:
    return field(widgets.Text(description=name, placeholder=placeholder, continuous_update=False), width)
