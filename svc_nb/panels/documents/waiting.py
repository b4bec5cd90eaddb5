"""The part of the panel that shows what is under way from before: documents to be resumed, or forgotten."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.documents import board
from svc_nb.panels.glossaries.notice import Notice
from svc_nb.panels.grid import Grid
from svc_nb.panels.panel import button, row
from svc_nb.tabular.report import plural

HEADING = "Under way from before, or from another notebook"
HEIGHT = 190
UNSELECTED = "No document is selected: click on one, and drag or press Shift and an arrow for more."
AT_WORK = "A notebook is at work on what is selected: cancel it there, or wait."

ELSEWHERE = "What is selected was sent to another service: connect to that one to resume it."


class Waiting:
    """A grid with buttons, hidden where nothing is under way. *click* makes of a deed what a button calls."""

    def __init__(
        self,
        click: Callable[[Callable[..., Any]], Callable[[], None]],
        *,
        resume: Callable[[list[str] | None], None],
        forget: Callable[[list[str]], None],
        look: Callable[[], None],
    ) -> None:
        self.table = pd.DataFrame()
        self._address = ""  # of the service that is connected
        self._ids: list[str] = []  # what is to be forgotten
        self.grid = Grid(HEADING)
        self.grid.height = HEIGHT
        self.resume_all = button("Resume", click(lambda: resume(None)), style="primary")
        self.resume = button("Resume selected", click(lambda: resume(self._chosen(self.resumable))))
        self.forget = button("Forget selected …", click(lambda: self._ask(self._chosen(self.free))))
        self.look = button("Look again", look, help="See what is under way now")
        self.question = Notice(
            button("Yes, forget for good", click(lambda: forget(self._ids)), style="warning"),
            button("Keep", click(self.keep)),
        )
        self.box = self._laid_out()
        self.box.layout.display = "none"

    def _laid_out(self) -> widgets.VBox:
        heading = widgets.Label(HEADING)
        heading.add_class("svc-documents-heading")
        buttons = row(self.resume_all, self.resume, self.forget, self.look)
        box = widgets.VBox([heading, self.grid, buttons, self.question.box])
        box.add_class("svc-documents-waiting")
        return box

    def show(
        self, pending: pd.DataFrame, *, without: Collection[str], address: str, busy: bool, home: Path
    ) -> None:
        """Show what is under way but for the documents *without*; while *busy* nothing can be resumed.

        Only what was sent to the service at *address* can be. Paths below *home* are told from there.
        """
        self._address = address
        self.table = pending[~pending["document_id"].isin(list(without))].reset_index(drop=True)
        self.box.layout.display = None if len(self.table) else "none"
        board.show_waiting(self.grid, self.table, address=address, home=home)
        free, resumable = self.free, self.resumable
        here = plural(len(resumable), "document") if resumable else ""
        self.resume_all.description = f"Resume {here}".strip()
        self.resume_all.disabled = self.resume.disabled = busy or not resumable
        self.forget.disabled = busy or not free
        if not set(self._ids) <= set(free):
            self.keep()

    def lock(self) -> None:
        """Let nothing be resumed or forgotten, until it is shown anew."""
        for each in (self.resume_all, self.resume, self.forget):
            each.disabled = True
        self.keep()

    @property
    def free(self) -> list[str]:
        """The documents that nobody is at."""
        if not len(self.table):
            return []
        return [str(each) for each in self.table["document_id"][~self.table["at_work"]]]

    @property
    def resumable(self) -> list[str]:
        """Those of them that were sent to the service that is connected."""
        if not len(self.table):
            return []
        here = set(self.table["document_id"][self.table["address"] == self._address])
        return [each for each in self.free if each in here]

    def keep(self) -> None:
        """Forget nothing."""
        self._ids = []
        self.question.drop()

    def _chosen(self, can: Collection[str]) -> list[str]:
        """Those that are selected, of which something *can* be done."""
        selected = [str(each) for each in self.grid.selected]
        if not selected:
            raise ValueError(UNSELECTED)
        if not set(can).intersection(selected):
            raise ValueError(ELSEWHERE if set(self.free).intersection(selected) else AT_WORK)
        return [each for each in selected if each in can]

    def _ask(self, ids: list[str]) -> None:
        self._ids = ids
        it = "its translation" if len(ids) == 1 else "their translations"
        documents = plural(len(ids), "document")
        self.question.ask(f"Forget {documents} for good? Then {it} can never be fetched. Nothing is billed.")
