"""The view of the detect panel: its controls, the languages with a bar for the share of each, and rows."""

from typing import Any

import pandas as pd

from svc_nb.panels.detect.results import (
    ALL,
    LOOK_AT,
    LOW_CONFIDENCE,
    NO_LANGUAGE,
    RELABELLED,
    DetectResults,
    Places,
    RowChoice,
    group_name,
    language_title,
    language_titles,
)
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.column_select import ColumnSelect
from svc_nb.panels.parts.figures import Figure, Figures, figure
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, Meter, Notice, button, classed, field, row
from svc_nb.plots.text import percent

FORMS = ("csv", "xlsx")
COSTS_NOTHING = "This costs nothing; saved answers are reused"
CHOOSE = "Click a language, or press Enter on it, to see its rows."
SHOWN = "The rows below are in this language."
HEIGHT = 400
NOTHING_THERE = "Empty, a number, an address or emoji, or labelled by hand as having no language"
TO_CHECK = f"Not known, confidence below {percent(LOW_CONFIDENCE)}, or short and unlike the rows around it"

MIX = (
    Field("name", "Language", written_text, kind="text", wide=16),
    Field("rows", "Rows", "{:,}".format),
    Field("share", "Share", percent, kind="share", wide=16),
)
OWN = Field("relabelled", "By hand", lambda count: f"{count:,}" if count else "", spare=1)


class DetectControls:
    """The widgets by name; the panel decides what the buttons do. `box` contains them all."""

    def __init__(self, line: Line, mix: Grid, rows: Grid) -> None:
        self.column = ColumnSelect("Column", adds="Choose a column …", single=True)
        self.detect = button("Detect languages", style="primary", help=COSTS_NOTHING)
        self.stop = button("Cancel", help="Finished rows are kept")
        self.name = field(widgets.Text(description="New column", continuous_update=True), "180px")
        self.add = button("Add to the frame", style="primary", help="Add the languages to the frame as a column")
        self.remove = button("Undo: remove the column", help="Remove the last added column from the frame")
        self.replace = button("Replace 1 column", style="warning")
        self.keep = button("Cancel", help="Change nothing")
        self.question = Notice(self.replace, self.keep)
        self.facts = Figures(name="Result")
        self.shown = classed(widgets.Label(), "svc-detect-shown")
        self.label = field(widgets.Dropdown(description="Correct language"), "190px")
        self.relabel = button("Relabel selected rows", help="Give the selected rows this language")
        self.confirm = button("Confirm selected rows", help="Mark the languages of the selected rows as correct")
        self.saves = {form: button(form.upper(), help=f"Save all rows as {form.upper()}") for form in FORMS}
        self.meter = Meter(name="Rows whose language is known")
        mix.height = rows.height = HEIGHT
        self.adding = row(self.name, self.add, self.remove)
        top = classed(row(self.column, row(self.detect, self.stop), self.adding), "svc-detect-top")
        labelling = row(self.label, self.relabel, self.confirm)
        looking = classed(widgets.VBox([self.shown, labelling, rows]), "svc-detect-rows")
        beside = classed(widgets.Box([classed(mix, "svc-detect-mix"), looking]), "svc-beside")
        saving = classed(row(widgets.Label("Save all rows as"), *self.saves.values()), "svc-exports")
        self.found = classed(widgets.VBox([self.facts, beside, saving]), "svc-detect-found")
        parts = [top, self.question.box, self.meter, line, self.found]
        self.box = classed(widgets.UndoBox(parts), "svc-panel", "svc-detect")


def facts(results: DetectResults) -> list[Figure]:
    """The result in counts; pressing a count shows its rows."""
    languages = int(results.mix["language"].notna().sum())
    look, own = len(results.to_look_at), len(results.relabelled)
    found = [figure("All rows", len(results.texts), kind=ALL), figure("Languages", languages)]
    if look:
        found.append(figure("To check", look, "not known or uncertain", kind=LOOK_AT, key="warning", help=TO_CHECK))
    if own:
        found.append(figure("By hand", own, "relabelled or confirmed", kind=RELABELLED))
    if nothing := len(results.of(NO_LANGUAGE)):
        found.append(figure("No language", nothing, "nothing to detect", kind=NO_LANGUAGE, help=NOTHING_THERE))
    return found


def show_mix(grid: Grid, results: DetectResults, chosen: RowChoice, *, steady: bool) -> None:
    """The languages as rows, by their codes or `NO_LANGUAGE`; the *chosen* one, if any, is marked.

    It stays even if all its rows were given another language, because they are still shown. If only labels have
    changed, *steady* leaves the rows where they are.
    """
    mix = results.mix
    fields = (*MIX, OWN) if mix["relabelled"].any() else MIX
    groups = results.mix_groups
    if chosen.is_language and chosen.name not in groups:
        gone = {"language": chosen.name, "name": group_name(chosen.name), "rows": 0, "share": 0.0, "relabelled": 0}
        mix, groups = pd.concat([mix, pd.DataFrame([gone])]), [*groups, chosen.name]
    table = mix.set_index(pd.Index(groups, dtype=object))
    looks: Any = {"marks": {chosen.name: "shown"}, "notes": {chosen.name: SHOWN}} if chosen.is_language else {}
    grid.show(table, fields, said=CHOOSE if len(mix) else "", steady=steady, **looks)
    at = grid.table["name"].tolist().index(group_name(chosen.name)) if chosen.is_language else None
    grid.send({"kind": "change", "go": [None, at, None]})


def show_rows(grid: Grid, results: DetectResults, places: Places, *, said: str, steady: bool) -> None:
    """The rows at *places*, with a language to choose for each; relabelled rows are marked, and doubts are shown.

    If only labels have changed, *steady* leaves the rows and columns where they are.
    """
    table = results.shown(places).assign(language=results.groups[places])
    there = grid.table.columns if steady else ()
    titles = language_titles(results.codes)
    fields = [
        Field("row", str(results.texts.index.name or "Row"), written_text, kind="text"),
        Field("text", "Text", written_text, kind="text", wide=60, least=24),
        Field("language", "Language", language_title, kind="text", editable=True, options=titles, wide=20),
    ]
    if not results.texts.index.is_unique:
        table["position"] = table.index
        fields.insert(1, Field("position", "Position", str, kind="text"))
    if "confidence" in there or table["confidence"].notna().any():
        fields.append(Field("confidence", "Confidence", _confidence, lowest_first=True, spare=2))
    if "why" in there or any(table["why"]):
        fields.append(Field("why", "Reason", written_text, kind="text", wide=36, least=18, spare=1))
    near = results.doubts.reindex([place for place in places if place in results.doubts.index])
    marks = {place: mark for place, mark in near["mark"].items() if mark}
    notes = {place: note for place, note in near["note"].items() if note}
    for place in set(results.labels.own).intersection(int(place) for place in places):
        code = results.labels.found[place]
        marks[place] = "changed"
        before = "no language" if code is None else language_title(code)
        notes[place] = f"{results.labels.word(place)} by hand; {before} had been detected."
    looks: Any = {"marks": marks, "notes": notes, "turns": results.labels.turns, "steady": steady}
    grid.show(table, fields, said=said, **looks)


def _confidence(share: Any) -> str:
    return "" if pd.isna(share) else percent(round(share, 3))  # nearly 100 % is written as 100 %
