"""Some of many texts, ticked by a person: a search box and a list that copes with thousands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
from traitlets import Bool, List, Unicode

from svc_nb.panels.line import FRONT


class Checklist(anywidget.AnyWidget):
    """`value` has those of `options` that are ticked, in their order; an empty one means all of them."""

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
