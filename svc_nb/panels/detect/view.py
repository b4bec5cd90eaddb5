"""What the detect panel shows: its controls, the picture of the languages, the languages, and rows."""

import ipywidgets as widgets
import pandas as pd
from matplotlib.figure import Figure

from svc_nb.panels.detect.results import DetectResults, Places, language_title, language_titles
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.picture import Picture
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, Meter, button, classed, field, row, show
from svc_nb.plots.axes import alt_text
from svc_nb.plots.languages import height, languages
from svc_nb.plots.text import percent

FORMS = ("csv", "xlsx")
COSTS_NOTHING = "This costs nothing; what is known already is not asked"
POINTS = 96 / 72
CHOOSE = "Choose a language to see its texts."

MIX = (
    Field("name", "Language", written_text, kind="text"),
    Field("rows", "Rows", "{:,}".format),
    Field("share", "Share", percent),
)
OWN = Field("relabelled", "By hand", lambda count: f"{count:,}" if count else "")


class DetectControls:
    """The widgets by name; the panel says what the buttons do. `box` has all of them around what is shown."""

    def __init__(self, line: Line, picture: Picture, mix: Grid, rows: Grid) -> None:
        self.column = field(widgets.Dropdown(description="Column"), "220px")
        self.detect = button("Detect languages", style="primary", help=COSTS_NOTHING)
        self.stop = button("Stop", help="What is done is kept")
        self.view = field(widgets.Dropdown(description="Rows"), "240px")
        self.more = button("More samples")
        self.label = field(widgets.Dropdown(description="Right language"), "190px")
        self.relabel = button("Relabel selected rows", help="Give the selected rows this language")
        self.undo = button("Undo relabelling")
        self.name = field(widgets.Text(description="New column", continuous_update=True), "220px")
        self.add = button("Add to the frame")
        self.replace = button("Yes, replace it", style="warning")
        self.keep = button("Leave it")
        self.remove = button("Take it out again")
        self.saves = {form: button(form.upper(), help=f"Save all rows as {form.upper()}") for form in FORMS}
        self.meter = Meter(name="Rows whose language is known")
        classed(picture, "svc-picture-side")
        classed(mix, "svc-grid-side", "svc-detect-mix")
        beside = classed(widgets.Box([picture, mix]), "svc-beside")
        looking = row(row(self.view, self.more), row(self.label, self.relabel, self.undo))
        self.adding = row(self.name, self.add, self.replace, self.keep, self.remove)
        saving = classed(row(widgets.Label("Save as"), *self.saves.values()), "svc-exports")
        foot = classed(row(self.adding, saving), "svc-detect-foot")
        found = widgets.VBox([beside, classed(looking, "svc-detect-rows"), rows, foot])
        self.found = classed(found, "svc-detect-found")
        top = classed(row(self.column, self.detect, self.stop), "svc-detect-top")
        self.box = classed(widgets.VBox([top, line, self.meter, self.found]), "svc-panel", "svc-detect")

    def ask_to_replace(self, asking: bool) -> None:
        """Show the answers to whether a column shall be replaced, or the button that adds one."""
        show(self.replace, asking)
        show(self.keep, asking)
        show(self.add, not asking)

    @property
    def asking(self) -> bool:
        """Whether it is asked if a column shall be replaced."""
        return self.replace.layout.display is None


def draw_mix(picture: Picture, results: DetectResults) -> None:
    """The bar plot of the languages."""
    codes = pd.Series(results.labels.codes, dtype=object)

    def paint(figure: Figure) -> str:
        ax = figure.add_subplot()
        languages(codes, ax=ax, theme="light")
        return alt_text(ax)

    picture.draw(paint, height=round(height(len(results.mix)) * POINTS))


def show_mix(grid: Grid, results: DetectResults) -> None:
    """The languages as rows, by their codes; "" is what was not detected."""
    mix = results.mix
    fields = (*MIX, OWN) if mix["relabelled"].any() else MIX
    codes = ["" if pd.isna(code) else str(code) for code in mix["language"]]
    grid.height = max(200, round(height(len(mix)) * POINTS) - 40)
    grid.show(mix.set_index(pd.Index(codes, dtype=object)), fields, said=CHOOSE if len(mix) else "")


def show_rows(grid: Grid, results: DetectResults, places: Places, *, said: str) -> None:
    """The rows at *places*, with a language to choose for each; those relabelled are marked, and doubts are told."""
    table = results.shown(places)
    known = [code for code in results.mix["language"].tolist() if isinstance(code, str)]
    fields = [
        Field("row", str(results.texts.index.name or "Row"), written_text, kind="text"),
        Field("text", "Text", written_text, kind="text"),
        Field("language", "Language", language_title, kind="text", editable=True, options=language_titles(known)),
    ]
    if table["confidence"].notna().any():
        fields.append(Field("confidence", "Confidence", lambda share: "" if pd.isna(share) else percent(share)))
    if any(table["why"]):
        fields.append(Field("why", "Why to look at it", written_text, kind="text"))
    near = results.doubts.reindex([place for place in places if place in results.doubts.index])
    marks = {place: mark for place, mark in near["mark"].items() if mark}
    notes = {place: note for place, note in near["note"].items() if note}
    for place in set(results.labels.own).intersection(int(place) for place in places):
        code = results.labels.found[place]
        marks[place] = "changed"
        notes[place] = f"Detected: {'no language' if code is None else language_title(code)}"
    grid.show(table, fields, said=said, marks=marks, notes=notes)
