"""Some of many things, picked by a person: those picked stand there with their names, the others are searched for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import anywidget
from traitlets import Bool, Dict, List, Unicode

from svc_nb.panels.line import FRONT


class Picks(anywidget.AnyWidget):
    """`value` has the keys of what is picked, in the order of picking; with none picked it is none.

    `options` are what there is to pick: a key, a title and a note for each.
    """

    _esm = FRONT / "picks.js"
    _css = FRONT / "picks.css"
    name = Unicode().tag(sync=True)
    adds = Unicode("Add …").tag(sync=True)
    options: List[dict[str, str]] = List(Dict()).tag(sync=True)
    value: List[str] = List(Unicode()).tag(sync=True)
    disabled = Bool(False).tag(sync=True)

    def __init__(self, name: str, *, adds: str, **looks: Any) -> None:
        super().__init__(name=name, adds=adds, **looks)

    def offer(self, options: Iterable[tuple[str, str, str]], value: Sequence[str]) -> None:
        """Offer what is in *options*, each with key, title and note, with *value* picked, in one step."""
        offered = [{"key": key, "title": title, "note": note} for key, title, note in options]
        known = {each["key"] for each in offered}
        with self.hold_sync():
            if offered != self.options:
                self.options = offered
            self.value = [key for key in value if key in known]
