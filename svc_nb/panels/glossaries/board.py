"""The parts of the glossary panel and where they stand: the bar, what is asked, the grid, and tabs beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.book import Book
from svc_nb.panels.editor import Editor
from svc_nb.panels.glossaries.bar import Bar
from svc_nb.panels.glossaries.changes import Changes
from svc_nb.panels.glossaries.checks import Checks, Judged
from svc_nb.panels.glossaries.files import Files
from svc_nb.panels.glossaries.notice import Notice
from svc_nb.panels.glossaries.suggestions import Suggestions
from svc_nb.panels.glossaries.tryout import TryOut
from svc_nb.panels.grid import Field
from svc_nb.panels.line import Line
from svc_nb.panels.panel import button, close_all

TABS = ("Checks", "Suggestions", "Try out", "Changes", "Files")
GRID_HEIGHT = 520
LIST_HEIGHT = 360


@dataclass(frozen=True)
class Actions:
    """What a click does, by name; `do` does what is asked and tells a slip, `taken` takes what a thread found."""

    do: Callable[..., None]
    taken: Callable[[Any, Callable[[Any], None]], None]
    named: dict[str, Callable[..., Any]]

    def __getitem__(self, name: str) -> Callable[..., None]:
        return lambda *rest: self.do(self.named[name], *rest)


class Board:
    """The parts by name; `box` has them all."""

    def __init__(
        self, line: Line, asked: widgets.Widget, actions: Actions, *, corpus: pd.Series[Any] | None
    ) -> None:
        self.bar = Bar(
            {name: actions[name] for name in ("push", "discard", "reload", "undo_push", "add_pair")}
        )
        self.draft = Notice(
            button("Restore", actions["restore"], style="primary"), button("Forget", actions["forget"])
        )
        self.checks = Checks(
            judge=self._judge,
            told=actions.named["checked"],
            fix=actions["fix"],
            fix_all=actions["fix_all"],
            go_to=actions["go_to"],
        )
        self.suggestions = Suggestions(
            corpus,
            accept=actions.named["accepted"],
            ask=actions["suggest"],
            clicked=actions.do,
            taken=actions.taken,
        )
        self.trial = TryOut(tried=actions["try_out"], taken=actions.taken)
        self.changes = Changes(revert=actions["revert"], go_to=actions["go_to"])
        self.files = Files(
            received=actions["received"],
            refused=actions["refused"],
            bring_in=actions["bring_in"],
            leave=actions["leave_file"],
            save=actions["download"],
        )
        self.editor: Editor | None = None
        self.box = self._laid_out(line, asked)

    def edit(self, book: Book, fields: tuple[Field, ...], row: Callable[[], Any]) -> Editor:
        """Show another book in the grid."""
        before, self.editor = self.editor, Editor("Terms", book, fields, row=row)
        self.editor.height = GRID_HEIGHT
        self._grid_side.children = (self.editor,)
        if before is not None:
            close_all(before)
        return self.editor

    def _judge(self, judged: Judged) -> None:
        if self.editor is not None:
            self.editor.judge(judged)

    def _laid_out(self, line: Line, asked: widgets.Widget) -> widgets.Box:
        parts = (self.checks, self.suggestions, self.trial, self.changes, self.files)
        for part in parts:
            part.box.add_class("svc-glossary-tab")
        for part in (self.checks, self.suggestions, self.changes):
            part.grid.height = LIST_HEIGHT
        self.tabs = widgets.Tab([part.box for part in parts], titles=list(TABS), selected_index=0)
        self.tabs.add_class("svc-glossary-tabs")
        self._grid_side = widgets.Box([])
        self._grid_side.add_class("svc-glossary-grid")
        beside = widgets.Box([self._grid_side, self.tabs])
        beside.add_class("svc-beside")
        box = widgets.VBox([self.bar.box, line, self.draft.box, asked, beside])
        box.add_class("svc-panel")
        box.add_class("svc-glossary")
        return box
