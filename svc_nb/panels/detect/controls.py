"""The controls of the panel for languages: what there is to choose and to press, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ipywidgets as widgets

from svc_nb.panels.grid import Grid
from svc_nb.panels.line import Line
from svc_nb.panels.meter import Meter
from svc_nb.panels.panel import button, field, row
from svc_nb.panels.picture import Picture

Press = Callable[[str], Callable[[], None]]
FORMS = ("csv", "xlsx")


class Controls:
    """The widgets by name. *press* gives for the name of a deed what a button calls."""

    def __init__(self, press: Press) -> None:
        self.column = field(widgets.Dropdown(description="Column"), "220px")
        self.detect = button("Detect languages", press("detect"), style="primary", help=COSTS_NOTHING)
        self.stop = button("Stop", press("stop"), help="What is done is kept")
        self.view = field(widgets.Dropdown(description="Rows"), "240px")
        self.more = button("More samples", press("more"))
        self.label = field(widgets.Dropdown(description="Right language"), "190px")
        self.relabel = button(
            "Relabel selected rows", press("relabel"), help="Give the selected rows this language"
        )
        self.undo = button("Undo relabelling", press("undo"))
        self.name = field(widgets.Text(description="New column", continuous_update=True), "220px")
        self.add = button("Add to the frame", press("add"))
        self.replace = button("Yes, replace it", press("replace"), style="warning")
        self.keep = button("Leave it", press("keep"))
        self.remove = button("Take it out again", press("remove"))
        self.saves = {
            form: button(form.upper(), press(form), help=f"Save all rows as {form.upper()}") for form in FORMS
        }
        self.meter = Meter(name="Rows whose language is known")

    def laid_out(self, line: Line, picture: Picture, mix: Grid, rows: Grid) -> widgets.VBox:
        """Everything, from the top."""
        beside = widgets.Box([picture, mix])
        beside.add_class("svc-beside")
        picture.add_class("svc-picture-side")
        mix.add_class("svc-grid-side")
        mix.add_class("svc-detect-mix")
        self.found = widgets.VBox([beside, self._rows_row(), rows, self._foot_row()])
        self.found.add_class("svc-detect-found")
        top = row(self.column, self.detect, self.stop)
        top.add_class("svc-detect-top")
        box = widgets.VBox([top, line, self.meter, self.found])
        box.add_class("svc-panel")
        box.add_class("svc-detect")
        return box

    def _rows_row(self) -> widgets.Widget:
        looking = row(self.view, self.more)
        labelling = row(self.label, self.relabel, self.undo)
        both = row(looking, labelling)
        both.add_class("svc-detect-rows")
        return both

    def _foot_row(self) -> widgets.Widget:
        self.adding = row(self.name, self.add, self.replace, self.keep, self.remove)
        saving = row(widgets.Label("Save as"), *self.saves.values())
        saving.add_class("svc-exports")
        both = row(self.adding, saving)
        both.add_class("svc-detect-foot")
        return both


COSTS_NOTHING = "This costs nothing; what is known already is not asked"


def show(widget: widgets.Widget, wanted: bool) -> None:
    """Show *widget*, or hide it."""
    display = None if wanted else "none"
    if widget.layout.display != display:
        widget.layout.display = display


def offer(control: widgets.Dropdown, titles: Mapping[str, str] | Sequence[tuple[str, int]]) -> None:
    """Offer *titles*, by value; what was chosen stays where it is among them."""
    pairs = [(title, value) for value, title in titles.items()] if isinstance(titles, Mapping) else [*titles]
    if list(control.options) == pairs:
        return
    chosen = control.value
    control.options = pairs  # this chooses the first one
    if chosen in [value for _, value in pairs]:
        control.value = chosen
