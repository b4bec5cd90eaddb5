"""What the panel for languages shows of its findings: the picture, the languages, and rows."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from svc_nb.panels.detect.findings import Findings, Places
from svc_nb.panels.detect.labels import offered, written
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.picture import Picture
from svc_nb.panels.rows import written_text
from svc_nb.plots.axes import alt_text
from svc_nb.plots.languages import height, languages
from svc_nb.plots.text import percent

POINTS = 96 / 72
CHOOSE = "Choose a language to see its texts."


def _count(count: Any) -> str:
    return f"{count:,}"


def _share(share: Any) -> str:
    return percent(share)


MIX = (
    Field("name", "Language", written_text, kind="text"),
    Field("rows", "Rows", _count),
    Field("share", "Share", _share),
)
OWN = Field("relabelled", "By hand", lambda count: f"{count:,}" if count else "")


def draw_mix(picture: Picture, findings: Findings) -> None:
    """The bar plot of the languages."""
    codes = pd.Series(findings.labels.codes, dtype=object)

    def paint(figure: Figure) -> str:
        ax = figure.add_subplot()
        languages(codes, ax=ax, theme="light")
        return alt_text(ax)

    count = len(findings.mix)
    picture.draw(paint, height=round(height(count) * POINTS))


def show_mix(grid: Grid, findings: Findings) -> None:
    """The languages as rows, by their codes; "" is what was not detected."""
    mix = findings.mix
    fields = (*MIX, OWN) if mix["relabelled"].any() else MIX
    codes = ["" if pd.isna(code) else str(code) for code in mix["language"]]
    grid.height = max(200, round(height(len(mix)) * POINTS) - 40)
    grid.show(mix.set_index(pd.Index(codes, dtype=object)), fields, said=CHOOSE if len(mix) else "")


def show_rows(grid: Grid, findings: Findings, places: Places, *, said: str) -> None:
    """The rows at *places*, with a language to choose for each; those relabelled are marked, and doubts are told."""
    table = findings.shown(places)
    known = [code for code in findings.mix["language"].tolist() if isinstance(code, str)]
    fields = [
        Field("row", str(findings.texts.index.name or "Row"), written_text, kind="text"),
        Field("text", "Text", written_text, kind="text"),
        Field("language", "Language", written, kind="text", editable=True, options=offered(known)),
    ]
    if table["confidence"].notna().any():
        fields.append(
            Field("confidence", "Confidence", lambda share: "" if pd.isna(share) else percent(share))
        )
    if any(table["why"]):
        fields.append(Field("why", "Why to look at it", written_text, kind="text"))
    near = findings.doubts.reindex([place for place in places if place in findings.doubts.index])
    marks = {place: mark for place, mark in near["mark"].items() if mark}
    notes = {place: note for place, note in near["note"].items() if note}
    for place in set(findings.labels.own).intersection(int(place) for place in places):
        marks[place], notes[place] = "changed", f"Detected: {_found(findings.labels.found[place])}"
    grid.show(table, fields, said=said, marks=marks, notes=notes)


def _found(code: str | None) -> str:
    return "no language" if code is None else written(code)
