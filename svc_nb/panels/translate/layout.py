"""How the translate panel is laid out, and which of its buttons can be pressed when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from svc_nb.columns.summary import PlanSummary
from svc_nb.panels.line import Line
from svc_nb.panels.meter import Meter
from svc_nb.panels.panel import button, row
from svc_nb.panels.translate import speech
from svc_nb.panels.translate.controls import Controls
from svc_nb.panels.translate.figures import Figures
from svc_nb.panels.translate.listing import Listing
from svc_nb.panels.translate.run import Run
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    from svc_nb.panels.translate.desk import Translate

OVER = "Translate again, nothing to pay"


@dataclass(frozen=True)
class State:
    """What the buttons follow: *current* says whether what was run is what is chosen now."""

    plan: PlanSummary | None
    run: Run | None
    starting: bool
    replacing: bool
    can_add: bool
    added: bool
    current: bool


class Layout:
    """The widgets of *panel* by name, and `box` with all of them."""

    def __init__(self, panel: Translate) -> None:
        self.controls = Controls()
        self.hints = Line()
        self.figures = Figures(name="Plan")
        self.meter = Meter(name="Translation")
        self.listing = Listing(clicked=panel._clicked)
        self.buttons = self._buttons(panel)
        self.output = widgets.VBox(
            [self.listing.box, self._row("retry", "add", "keep", "remove", "csv", "xlsx")]
        )
        self.output.layout.display = "none"
        self.box = self._laid_out(panel)

    def _buttons(self, panel: Translate) -> dict[str, widgets.Button]:
        def click(deed: Any, *rest: Any) -> Any:
            return lambda: panel._clicked(deed, *rest)

        go = button("Translate", click(panel._go_clicked), style="primary", help="Translate what is chosen")
        go.add_class("svc-go")
        return {
            "go": go,
            "refresh": button(
                "Refresh", click(panel.refresh), help="Look at the frame and ask the service again"
            ),
            "pause": button("Pause", click(panel.pause), help="Send nothing new for now"),
            "resume": button("Resume", click(panel.resume), help="Go on", style="primary"),
            "cancel": button("Cancel", click(panel.cancel), help="End it; what is done is kept"),
            "retry": button(
                "Try again", click(panel.retry_failed), help="What is done is not paid for again"
            ),
            "add": button("Add to the frame", click(panel._add_clicked), style="primary"),
            "keep": button("Leave them", click(panel._keep_clicked)),
            "remove": button("Take out again", click(panel.remove_columns), help="Take out what was added"),
            "csv": button("CSV", click(panel.download, "csv"), help="Save the rows as CSV"),
            "xlsx": button("XLSX", click(panel.download, "xlsx"), help="Save the rows as XLSX"),
        }

    def _row(self, *names: str) -> widgets.HBox:
        made = row(*(self.buttons[name] for name in names))
        made.add_class("svc-buttons")
        return made

    def _laid_out(self, panel: Translate) -> widgets.VBox:
        self.hints.add_class("svc-hints")
        going = self._row("go", "pause", "resume", "cancel", "refresh")
        parts = [self.controls.box, self.hints, self.figures, going, self.meter, panel.line, self.output]
        box = widgets.VBox(parts)
        box.add_class("svc-panel")
        box.add_class("svc-translate")
        return box

    def show_run(self, run: Run) -> None:
        """Show how far *run* has come."""
        report = run.report
        state = ("paused" if run.paused else "running") if run.going else "ended"
        done = report.done + report.skipped.total()
        words = speech.moving(report, run.pace, paused=run.paused) if run.going else speech.over(report)
        self.meter.show(
            total=report.rows, done=done, failed=report.failed + report.marked, text=words, state=state
        )

    def show_state(self, state: State) -> None:
        """Show the buttons that have something to do, with what they will do."""
        run = state.run if state.run is not None and state.run.going else None
        free = run is None and not state.starting
        self._show_go(state.plan, busy=not free, current=state.current)
        again = state.run.again if free and state.run is not None else 0
        self.buttons["retry"].description = f"Try {plural(again, 'row')} again"
        self.buttons["add"].description = "Yes, replace them" if state.replacing else "Add to the frame"
        self.buttons["add"].button_style = "warning" if state.replacing else "primary"
        self.buttons["cancel"].disabled = run is not None and run.cancelled
        shown = {
            "pause": run is not None and not run.paused and not run.cancelled,
            "resume": run is not None and run.paused,
            "cancel": run is not None,
            "retry": bool(again),
            "add": state.can_add and run is None,
            "keep": state.replacing and run is None,
            "remove": state.added and run is None,
        }
        for name, wanted in shown.items():
            self.buttons[name].layout.display = None if wanted else "none"
        self.output.layout.display = None if self.listing.results is not None else "none"

    def _show_go(self, plan: PlanSummary | None, *, busy: bool, current: bool) -> None:
        """The button that begins says what it costs, and stands back where nothing is left to do."""
        go = self.buttons["go"]
        over = current and plan is not None and not speech.to_send(plan) and bool(plan.stored)
        go.button_style = "" if over else "primary"
        go.disabled = busy or plan is None or not speech.pressed(plan)
        if busy:
            go.description = "Translating …"
        elif plan is None:
            go.description = "Planning …" if self.figures.busy else "Translate"
        else:
            go.description = OVER if over else speech.pressed(plan) or "Nothing to translate"
