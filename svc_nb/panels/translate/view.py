"""What the translate panel shows: its plan, the meter of a run, its result in a grid, and its buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import ipywidgets as widgets
import pandas as pd
from traitlets import Bool, Dict, List, Unicode

from svc_nb.columns.summary import PlanSummary
from svc_nb.panels.parts import snapshot
from svc_nb.panels.parts.choices import classed, show
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.job_panel import JobView
from svc_nb.panels.parts.line import FRONT, Line
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.controls import Controls
from svc_nb.panels.translate.results import ALL, FOUND, PROBLEMS, SHOWN, Results
from svc_nb.panels.translate.run import TranslateRun
from svc_nb.tabular.report import plural

OVER = "Translate again, nothing to pay"
TITLES = {
    ALL: "All",
    PROBLEMS: "Problems",
    "marked": "Not translated",
    "failed": "Failed",
    "unsent": "Not sent",
    FOUND: "Findings",
}


class Figures(anywidget.AnyWidget):
    """`figures` are counts: each has a name, a value, a note, and a key that says how it looks; `busy` fades them."""

    _esm = FRONT / "figures.js"
    name = Unicode().tag(sync=True)
    figures: List[dict[str, str]] = List(Dict()).tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def show(self, figures: Sequence[dict[str, str]]) -> None:
        """Show these and no others."""
        with self.hold_sync():
            self.figures, self.busy = list(figures), False


class Detail(anywidget.AnyWidget):
    """One row of the result with its whole texts. They travel as messages, so that no saved notebook has them.

    `shown` is what stands there: `head`, `source`, `text`, `languages`, `facts` and `findings`; None is nothing.
    """

    _esm = FRONT / "detail.js"

    def __init__(self) -> None:
        super().__init__()
        self.shown: Mapping[str, Any] | None = None
        self.on_msg(lambda widget, message, buffers: self._hear(message))

    def show(self, shown: Mapping[str, Any] | None) -> None:
        """Show a row, or nothing."""
        self.shown = shown
        self.send({"kind": "shown", "shown": shown})

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message.get("kind") == "ready":
            self.show(self.shown)


class Listing:
    """The result: `grid` shows the rows of a kind, `kinds` chooses it, `detail` has the row chosen in the grid."""

    def __init__(self, *, clicked: Callable[..., None]) -> None:
        """*clicked* does what a click asks for."""
        self.kinds = widgets.ToggleButtons(options=[("All", ALL)], tooltips=["All rows"])
        self.kinds.style.button_width = "auto"
        self.kinds.add_class("svc-presets")
        self.grid = Grid("Translations", chosen=lambda label: clicked(self.choose, int(label)), searchable=True)
        self.grid.height = 380
        self.detail = Detail()
        self.results: Results | None = None
        self.place: int | None = None
        self.box = classed(widgets.VBox([self.kinds, self.grid, self.detail]), "svc-listing")

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
        kind = kind or (self.kind if results.count(self.kind) else ALL)
        if kind not in SHOWN:
            raise ValueError(f"kind: expected one of {', '.join(SHOWN)}, found {kind!r}")
        counts = {each: results.count(each) for each in SHOWN}
        wanted = [each for each in SHOWN if counts[each] or each in (ALL, PROBLEMS, kind)]
        options: list[tuple[str, Any]] = [(f"{TITLES[each]} {counts[each]:,}", each) for each in wanted]
        if list(self.kinds.options) != options:
            self.kinds.options = options  # this chooses the first one
        if self.kinds.value != kind:
            self.kinds.value = kind
        rows = self.rows
        self.grid.show(rows, results.fields, marks=results.marks, notes=results.notes)
        self.choose(self.place if self.place in rows.index else None)

    def choose(self, place: int | None) -> None:
        """Show a row of the table, by its place, with its whole texts; None shows none."""
        self.place = place
        self.detail.show(None if place is None or self.results is None else self.results.detail(place))


class TranslateView(JobView):
    """The widgets by name, and `box` with all of them around *line*."""

    def __init__(self, line: Line, *, clicked: Callable[..., None]) -> None:
        super().__init__(line, "Translation")
        self.controls = Controls()
        self.figures = Figures(name="Plan")
        self.listing = Listing(clicked=clicked)
        buttons = self.buttons
        buttons.add("go", "Translate", style="primary", help="Translate what is chosen")
        buttons.add("refresh", "Refresh", help="Look at the frame and ask the service again")
        buttons.add("pause", "Pause", help="Send nothing new for now")
        buttons.add("resume", "Resume", help="Go on", style="primary")
        buttons.add("cancel", "Cancel", help="End it; what is done is kept")
        buttons.add("retry", "Try again", help="What is done is not paid for again")
        buttons.add("add", "Add to the frame", style="primary")
        buttons.add("keep", "Leave them")
        buttons.add("remove", "Take out again", help="Take out what was added")
        buttons.add("csv", "CSV", help="Save the rows as CSV")
        buttons.add("xlsx", "XLSX", help="Save the rows as XLSX")
        buttons["go"].add_class("svc-go")
        below = buttons.row("retry", "add", "keep", "remove", "csv", "xlsx")
        self.output = widgets.VBox([self.listing.box, below], layout={"display": "none"})
        going = buttons.row("go", "pause", "resume", "cancel", "refresh")
        parts = [self.controls.box, self.hints, self.figures, going, self.meter, line, self.output]
        self.box = classed(widgets.VBox(parts), "svc-panel", "svc-translate")

    def show_progress(self, run: TranslateRun) -> None:
        """Show how far *run* has come."""
        report = run.report
        words = messages.moving(report, run.pace, paused=run.paused) if run.going else messages.over(report)
        self.meter.show(
            total=report.rows,
            done=report.done + report.skipped.total(),
            failed=report.failed + report.marked,
            text=words,
            state=("paused" if run.paused else "running") if run.going else "ended",
        )

    def show_buttons(
        self, run: TranslateRun | None, *, starting: bool, replacing: bool, can_add: bool, added: bool
    ) -> None:
        """Show the buttons that have something to do, with what they will do."""
        live = run if run is not None and run.going else None
        again = run.again if run is not None and live is None and not starting else 0
        self.buttons["retry"].description = f"Try {plural(again, 'row')} again"
        self.buttons["add"].description = "Yes, replace them" if replacing else "Add to the frame"
        self.buttons["add"].button_style = "warning" if replacing else "primary"
        self.buttons["cancel"].disabled = live is not None and live.cancelled
        self.buttons.show(
            pause=live is not None and not live.paused and not live.cancelled,
            resume=live is not None and live.paused,
            cancel=live is not None,
            retry=bool(again),
            add=can_add and live is None,
            keep=replacing and live is None,
            remove=added and live is None,
        )
        show(self.output, self.listing.results is not None)

    def show_go(self, plan: PlanSummary | None, *, busy: bool, current: bool) -> None:
        """The button that begins says what it costs, and stands back where nothing is left to do.

        *current* says whether what was run is what is chosen now.
        """
        go = self.buttons["go"]
        over = current and plan is not None and not messages.to_send(plan) and bool(plan.stored)
        go.button_style = "" if over else "primary"
        go.disabled = busy or plan is None or not messages.pressed(plan)
        if busy:
            go.description = "Translating …"
        elif plan is None:
            go.description = "Planning …" if self.figures.busy else "Translate"
        else:
            go.description = OVER if over else messages.pressed(plan) or "Nothing to translate"

    def snapshot(self, *, keep_texts: bool) -> str:
        """What a saved notebook keeps: the counts, or the first rows of the result where texts may stay."""
        results = self.listing.results
        if not keep_texts or results is None or not len(results.table):
            counts = [[each["name"], each["value"], each["note"]] for each in self.figures.figures]
            return snapshot.page(name=self.line.still, said=self.line.text, rows=counts)
        some = results.shown.head(snapshot.MOST_ROWS)
        columns = []
        for field in results.fields:
            gaps = some[field.name].isna().tolist()
            cells = zip(some[field.name].tolist(), gaps, strict=True)
            columns.append([field.written(None if gap else cell) for cell, gap in cells])
        heading = [field.title for field in results.fields]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return snapshot.page(name=self.line.still, said=self.line.text, heading=heading, rows=rows)
