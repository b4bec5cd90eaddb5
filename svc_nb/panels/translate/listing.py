"""The result in a grid: all rows or those to look at, and the chosen one with its whole texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.grid import Grid
from svc_nb.panels.translate.detail import Detail
from svc_nb.panels.translate.results import ALL, FOUND, PROBLEMS, SHOWN, Results

TITLES = {
    ALL: "All",
    PROBLEMS: "Problems",
    "marked": "Not translated",
    "failed": "Failed",
    "unsent": "Not sent",
    FOUND: "Findings",
}


class Listing:
    """`grid` shows the rows of a kind, `kinds` chooses it, `detail` has the row that was chosen in the grid."""

    def __init__(self, *, clicked: Callable[..., None]) -> None:
        """*clicked* does what a click asks for."""
        self.kinds = widgets.ToggleButtons(options=[("All", ALL)], tooltips=["All rows"])
        self.kinds.style.button_width = "auto"
        self.kinds.add_class("svc-presets")
        self.grid = Grid(
            "Translations", chosen=lambda label: clicked(self.choose, int(label)), searchable=True
        )
        self.grid.height = 380
        self.detail = Detail()
        self.results: Results | None = None
        self.place: int | None = None
        self.box = widgets.VBox([self.kinds, self.grid, self.detail])
        self.box.add_class("svc-listing")

    @property
    def kind(self) -> str:
        """Which rows are shown."""
        return str(self.kinds.value)

    @property
    def rows(self) -> pd.DataFrame:
        """The rows that are shown, with all columns."""
        return pd.DataFrame() if self.results is None else self.results.only(self.kind)

    def show(self, results: Results, kind: str | None = None) -> None:
        """Show *results*: the rows of a *kind*, or of the one that was shown before, while there are any."""
        self.results = results
        self._count(kind or (self.kind if results.count(self.kind) else ALL))
        rows = self.rows
        self.grid.show(rows, results.fields, marks=results.marks, notes=results.notes)
        self.choose(self.place if self.place in rows.index else None)

    def choose(self, place: int | None) -> None:
        """Show a row of the table, by its place, with its whole texts; None shows none."""
        self.place = place
        self.detail.show(None if place is None or self.results is None else self.results.detail(place))

    def _count(self, kind: str) -> None:
        """Say how many rows there are of each kind, with *kind* pressed."""
        if self.results is None or kind not in SHOWN:
            raise ValueError(f"kind: expected one of {', '.join(SHOWN)}, found {kind!r}")
        counts = {each: self.results.count(each) for each in SHOWN}
        wanted = [each for each in SHOWN if counts[each] or each in (ALL, PROBLEMS, kind)]
        options: list[tuple[str, Any]] = [(f"{TITLES[each]} {counts[each]:,}", each) for each in wanted]
        if list(self.kinds.options) != options:
            self.kinds.options = options  # this chooses the first one
        if self.kinds.value != kind:
            self.kinds.value = kind
