"""Words of a corpus that may deserve a term: accepted as a new row, or dismissed, from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import ipywidgets as widgets
import pandas as pd
from traitlets import List, Unicode

from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.line import FRONT, Line
from svc_nb.panels.parts.panel import button, row
from svc_nb.panels.parts.rows import written_text
from svc_nb.tabular.report import plural

MOST = 300
ACCEPT, DISMISS = ("Enter", "a"), ("x",)
NO_CORPUS = 'Words of your texts that may deserve a term: panels.Glossary(…, corpus=df["text"]) finds them.'
HOW = "Enter or “a” makes one a term, “x” dismisses it."
FIELDS = (
    Field("candidate", "Candidate", written_text, kind="text"),
    Field("count", "Count", lambda number: f"{number:,}"),
    Field("example", "Example", written_text, kind="text"),
)


class RowKeys(anywidget.AnyWidget):
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


class Suggestions:
    """Candidates from *corpus*; *pressed* hears the key that was pressed in the list, and the place of its row."""

    def __init__(self, corpus: pd.Series[Any] | None, pressed: Callable[[str, int], None]) -> None:
        self.line = Line()
        self.grid = Grid("Suggestions")
        self.letters = RowKeys((*ACCEPT, *DISMISS), pressed, within="svc-suggestions")
        self.find = button("Look again", help="Look through the texts with the terms as they are now")
        self.accept = button("Add as a term")
        self.dismiss = button("Dismiss")
        buttons = row(self.accept, self.dismiss, self.find)
        self.box = widgets.VBox([self.line, self.grid, buttons, self.letters])
        self.box.add_class("svc-suggestions")
        self.dismissed: set[str] = set()
        self.found: pd.DataFrame | None = None
        self.corpus = corpus
        self._show()

    def show(self, found: pd.DataFrame) -> None:
        """Show what was *found*, without what was dismissed before."""
        self.found = found[~found["candidate"].isin(list(self.dismissed))]
        self._show()

    def label_at(self, place: int) -> Any:
        """The label of the row at a place of the list as it stands; None where there is none."""
        shown = self.grid.table["candidate"].tolist() if self.found is not None else []
        if self.found is None or place >= len(shown):
            return None
        return self.found.index[self.found["candidate"] == shown[place]][0]

    def take(self, label: Any) -> str:
        """Take a candidate out of the list; a ValueError where it is not there."""
        if self.found is None or label not in self.found.index:
            raise ValueError(f"there is no suggestion {label!r}")
        text = str(self.found.at[label, "candidate"])
        self.found = self.found.drop(index=label)
        self._show()
        return text

    def _show(self) -> None:
        found = self.found
        self.accept.disabled = self.dismiss.disabled = found is None or not len(found)
        self.find.disabled = self.corpus is None
        if found is not None:
            self.grid.show(found, FIELDS)
        if self.corpus is None:
            self.line.say(NO_CORPUS)
        elif found is not None:
            count = f"{plural(len(found), 'suggestion')}. {HOW}"
            self.line.say(count if len(found) else "Nothing that is no term yet.")
