"""What a person chooses from in a panel: dropdowns, names that are picked, and a list to tick."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import anywidget
import ipywidgets as widgets
from traitlets import Bool, Dict, List, Unicode

from svc_nb.panels.parts.line import FRONT

GIVEN = object()  # what was given in code and has no name to choose it by
AS_GIVEN = "as given in code"
FORMALITIES = {"prefer_more": "More formal", "prefer_less": "Less formal"}


class Picks(anywidget.AnyWidget):
    """Some of many things: those picked stand there with their names, the others are searched for.

    `value` has the keys of what is picked, in the order of picking. `options` are what there is to pick: a key, a title
    and a note for each.
    """

    _esm = FRONT / "picks.js"
    _css = FRONT / "picks.css"
    name = Unicode().tag(sync=True)
    adds = Unicode("Add …").tag(sync=True)
    options: List[dict[str, str]] = List(Dict()).tag(sync=True)
    value: List[str] = List(Unicode()).tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str) -> None:
        super().__init__(name=name, adds=adds)
        self.add_class("svc-picks-field")

    def offer(self, options: Iterable[tuple[str, str, str]], value: Sequence[str]) -> None:
        """Offer what is in *options*, each with key, title and note, with *value* picked, in one step."""
        offered = [{"key": key, "title": title, "note": note} for key, title, note in options]
        known = {each["key"] for each in offered}
        with self.hold_sync():
            if offered != self.options:
                self.options = offered
            self.value = [key for key in value if key in known]


class Checklist(anywidget.AnyWidget):
    """Some of many texts, with a search box: a list that copes with thousands.

    `value` has those of `options` that are ticked, in their order; an empty one means all of them.
    """

    _esm = FRONT / "checklist.js"
    _css = FRONT / "checklist.css"
    options = List(Unicode()).tag(sync=True)
    value = List(Unicode()).tag(sync=True)
    noun = Unicode("key").tag(sync=True)
    nouns = Unicode("keys").tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, **looks: Any) -> None:
        super().__init__(**looks)
        self._kept: dict[str, list[str]] = {}

    def turn_to(self, noun: str, nouns: str) -> None:
        """Be about *nouns* from now on, with what was ticked when it was last about them."""
        if noun == self.noun:
            return
        self._kept[self.noun] = list(self.value)
        with self.hold_sync():
            self.noun, self.nouns = noun, nouns
            self.value = self._kept.get(noun, [])
            self.options = list(self.value)

    def offer(self, options: Sequence[str], *, noun: str, nouns: str) -> None:
        """Offer *options* from now on; of what was ticked, that which they lack is dropped."""
        there = set(options)
        with self.hold_sync():
            self.noun, self.nouns = noun, nouns
            self.options = list(options)
            self.value = [name for name in self.value if name in there]


def names_by_id(things: Sequence[Any]) -> dict[Any, str]:
    """Each thing's name by its id; where two have one name, a piece of the id stands with it."""
    names = [thing.name for thing in things]
    return {
        thing.id: thing.name if names.count(thing.name) == 1 else f"{thing.name} ({thing.id[:8]})" for thing in things
    }


def offer_titles(control: widgets.Dropdown, titles: Mapping[Any, str]) -> None:
    """Offer *titles* by value; what was chosen stays where it is among them, else the first one is."""
    options = [(title, value) for value, title in titles.items()]
    if list(control.options) != options:
        chosen = control.value
        control.options = options  # this chooses the first one
        if chosen in titles:
            control.value = chosen


def offer_choices(control: widgets.Dropdown, titles: Mapping[Any, str], chosen: Any) -> None:
    """Offer *titles* by value with *chosen* chosen, "" for None; what has no title is there as given in code."""
    chosen = "" if chosen is None else chosen
    options = [(title, value) for value, title in titles.items()]
    value = chosen if isinstance(chosen, Hashable) and chosen in titles else GIVEN
    if isinstance(chosen, str) and value is GIVEN:
        value = next((each for each in titles if isinstance(each, str) and each.upper() == chosen.upper()), GIVEN)
    if value is GIVEN:
        options.append((AS_GIVEN, GIVEN))
    if list(control.options) != options:
        control.options = options  # this chooses the first one
    if control.value != value:
        control.value = value


def classed(widget: widgets.Widget, *names: str) -> widgets.Widget:
    """*widget* with the classes that its looks come from."""
    for name in names:
        widget.add_class(name)
    return widget


def show(widget: widgets.Widget, wanted: bool) -> None:
    """Show *widget*, or hide it."""
    display = None if wanted else "none"
    if widget.layout.display != display:
        widget.layout.display = display
