"""Terms that were changed here and on the service, differently: a person chooses, row by row or all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.panel import Notice, button
from svc_nb.panels.parts.rows import written_text
from svc_nb.panels.parts.workbench import Conflicts
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT

TITLES = {"mine": "as here", "theirs": "as on the service"}
SIDES = {title: side for side, title in TITLES.items()}


def _written_side(text: Any) -> str:
    return "(deleted)" if text is None else str(text)


def _written_choice(text: Any) -> str:
    return str(text) or "choose …"


FIELDS = (
    Field("source", "Source", written_text, kind="text"),
    Field("choice", "Take it", _written_choice, kind="text", editable=True, options=tuple(TITLES.values())),
    Field("base", "As loaded", _written_side, kind="text"),
    Field("mine", "Here", _written_side, kind="text"),
    Field("theirs", "On the service", _written_side, kind="text"),
    Field("pair", "Pair", written_text, kind="text"),
)


class ConflictList(Notice):
    """The question what to take of each conflict; *edited* hears the label of a row and the side, or None."""

    def __init__(self, edited: Callable[[int, str | None], Any]) -> None:
        self.grid = Grid("Conflicts", edited=lambda label, column, text: edited(int(label), SIDES.get(text)))
        self.go_on = button("Go on", style="primary", help="Take what was chosen for each term")
        self.all_mine = button("All as here")
        self.all_theirs = button("All as on the service")
        self.not_now = button("Not now")
        super().__init__(self.all_mine, self.all_theirs, self.go_on, self.not_now, shown=(self.grid,))

    def show(self, conflicts: Conflicts | None) -> None:
        """Ask for a side in each row; None asks nothing."""
        if conflicts is None:
            self.drop()
            return
        table, sides = conflicts.table, conflicts.sides
        languages = zip(table["source_lang"], table["target_lang"], strict=True)
        shown = table.assign(
            pair=pd.array([arrow(pair) for pair in languages], dtype=TEXT),
            choice=pd.array([TITLES.get(sides.get(label, ""), "") for label in table.index], dtype=TEXT),
        )
        marks = {label: "changed" if label in sides else "warning" for label in table.index}
        fields = [field for field in FIELDS if field.name != "pair" or shown["pair"].nunique() > 1]
        self.grid.show(shown, fields, marks=marks)
        self.go_on.disabled = not conflicts.is_settled
        count, left = len(table), len(table) - len(sides)
        more = "." if left == count else f": {left:,} are left." if left else ": all are chosen, go on."
        self.ask(
            f"{plural(count, 'term was', 'terms were')} changed here and on the service, differently. "
            f"Nothing is overwritten. Choose what to take{more}"
        )
