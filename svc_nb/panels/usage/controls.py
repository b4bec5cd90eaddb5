"""The controls of the usage panel: what there is to choose, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from svc_nb.panels.parts.choices import Checklist, classed, offer_titles
from svc_nb.panels.parts.files import KINDS as FORMS
from svc_nb.panels.parts.panel import field, row
from svc_nb.usage.days import PRESETS

KINDS = {
    "by_day": "By day",
    "by_key": "By key",
    "by_product": "By product",
    "share": "Share of total",
    "heat_map": "Heat map",
    "caps": "Caps and forecast",
}
GROUPS = {"key": "Key", "tag": "Tag", "nothing": "Nothing"}
FIELDS = {
    "total_characters": "All characters",
    "text_translation_characters": "Text translation",
    "document_translation_characters": "Documents",
    "text_improvement_characters": "Text improvement",
    "speech_to_text_minutes": "Speech to text (minutes)",
    "speech_to_speech_minutes": "Speech to speech (minutes)",
}
# Which charts say something of a grouping.
OFFERED: dict[str, Sequence[str]] = {
    "key": tuple(KINDS),
    "tag": ("by_day", "by_key", "by_product", "share", "heat_map"),
    "nothing": ("by_day", "by_product"),
}
TOPS = [("as fits", 0), *((str(count), count) for count in (1, 3, 5, 8, 12, 20, 30))]


class Controls:
    """The widgets by name; `box` has them in rows that wrap where there is little room."""

    def __init__(self) -> None:
        self.presets = widgets.ToggleButtons(
            options=[(name[0].upper() + name[1:], name) for name in PRESETS], value=None
        )
        self.presets.style.button_width = "auto"
        self.start = field(widgets.DatePicker(description="From (UTC)"), "140px")
        self.end = field(widgets.DatePicker(description="To"), "140px")
        self.refresh = widgets.Button(description="Refresh", tooltip="Ask the service again", layout={"width": "auto"})
        self.kind = field(widgets.Dropdown(description="Chart", options=_turned(KINDS)))
        self.group = field(widgets.Dropdown(description="Group by", options=_turned(GROUPS)), "110px")
        self.field = field(widgets.Dropdown(description="Product", options=_turned(FIELDS)), "190px")
        self.top = field(widgets.Dropdown(description="Largest", options=TOPS), "90px")
        self.who = Checklist(layout={"width": "130px", "overflow": "visible"})
        self.exports = {
            form: widgets.Button(
                description=form.upper(),
                tooltip=f"Save the {'picture' if form in ('png', 'svg') else 'rows'} as {form.upper()}",
                layout={"width": "auto"},
            )
            for form in FORMS
        }
        self.export_row = classed(row(widgets.Label("Save as"), *self.exports.values()), "svc-exports")
        dates = classed(row(self.start, self.end, self.refresh), "svc-together")
        first = row(classed(self.presets, "svc-presets"), dates)
        second = row(self.kind, self.group, self.field, self.who, self.top)
        self.box = classed(widgets.VBox([first, second], layout={"overflow": "visible"}), "svc-controls")

    def allow_exports(self, allowed: bool) -> None:
        """Let the buttons save, or not, where there is nothing to save."""
        for button in self.exports.values():
            button.disabled = not allowed

    def offer_kinds(self, group: str) -> None:
        """Offer the charts that say something of *group*; the one chosen stays where it can."""
        offer_titles(self.kind, {name: KINDS[name].replace("key", group) for name in OFFERED[group]})

    def offer_fields(self, known: Sequence[str]) -> None:
        """Offer the products that were told of."""
        offer_titles(self.field, {name: title for name, title in FIELDS.items() if name in known})


def _turned(titles: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in titles.items()]
