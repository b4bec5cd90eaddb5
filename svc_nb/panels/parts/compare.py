"""A table of before and after, and the question which side to keep of changes made here and on the service."""

from collections.abc import Sequence
from typing import Any

from svc_nb.panels.parts.edit_panel import Conflicts
from svc_nb.panels.parts.widgets import Heard, MessageWidget, Notice, button

Cell = list[Any]  # the text, or its parts with the kind of each; the tooltip; and the style


class Compare(MessageWidget):
    """A table with a caption; if there is a choice, mine or theirs in each row."""

    front = "compare"

    def __init__(self, title: str, heard: Heard = lambda message: None) -> None:
        super().__init__(heard)
        self.show(title=title, columns=[], rows=[], said="", choosing=False, choices=[])

    def display(self, columns: Sequence[str], rows: list[dict[str, Any]], *, said: str) -> None:
        """Show *rows* of `cells`, each a text, a tooltip and a style."""
        self.show(columns=list(columns), rows=rows, said=said, choosing=False, choices=[])


class ConflictList(Notice):
    """Asks which side to keep for each conflict; *heard* gets the position of a row and the chosen side."""

    def __init__(self, heard: Heard) -> None:
        self.table = Compare("Conflicts", heard)
        self.go_on = button("Continue", style="primary", help="Keep the version chosen in each row")
        self.all_mine = button("Keep all of mine")
        self.all_theirs = button("Take all from the service")
        self.not_now = button("Cancel")
        super().__init__(self.go_on, self.all_mine, self.all_theirs, self.not_now, shown=(self.table,))

    def show(self, conflicts: Conflicts | None) -> None:
        """Ask for a side in each row; None closes the question."""
        if conflicts is None:
            if self.waits:
                self.drop()
            return
        labels = range(len(conflicts.table))
        self.table.show(columns=conflicts.columns, rows=conflicts.rows, choosing=True)
        self.table.show(choices=[conflicts.sides.get(label) for label in labels])
        self.go_on.disabled = not conflicts.is_settled
        count, left = len(labels), len(labels) - len(conflicts.sides)
        more = "." if left == count else f": {left:,} left." if left else ". All are chosen. Press Continue."
        self.ask(f"{conflicts.said} Nothing was sent or overwritten. Choose which version to keep{more}")


def conflict(what: Sequence[Cell], mine: Cell, theirs: Cell) -> dict[str, Any]:
    """A row with a choice: *what* it is about, and the cells of both sides."""
    return {"kind": "clash", "cells": list(what), "mine": mine, "theirs": theirs}
