"""The controls of the usage panel: what there is to choose, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from svc_nb.panels.checklist import Checklist
from svc_nb.panels.files import KINDS as FORMS
from svc_nb.panels.panel import field, row
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
        self.refresh = widgets.Button(
            description="Refresh", tooltip="Ask the service again", layout={"width": "auto"}
        )
        self.kind = field(widgets.Dropdown(description="Chart", options=_turned(KINDS)))
        self.group = field(widgets.Dropdown(description="Group by", options=_turned(GROUPS)), "110px")
        self.field = field(widgets.Dropdown(description="Product", options=_turned(FIELDS)), "190px")
        self.top = field(widgets.Dropdown(description="Largest", options=TOPS), "90px")
        self.who = Checklist(layout={"width": "130px", "overflow": "visible"})
        self.exports = {form: self._export(form) for form in FORMS}
        self.box = widgets.VBox([self._first_row(), self._second_row()], layout={"overflow": "visible"})
        self.box.add_class("svc-controls")

    def _first_row(self) -> widgets.Widget:
        self.presets.add_class("svc-presets")
        dates = row(self.start, self.end, self.refresh)
        dates.add_class("svc-together")
        return row(self.presets, dates)

    def _second_row(self) -> widgets.Widget:
        return row(self.kind, self.group, self.field, self.who, self.top)

    def export_row(self) -> widgets.Widget:
        """The buttons that save what is shown."""
        name = widgets.Label("Save as")
        saving = row(name, *self.exports.values())
        saving.add_class("svc-exports")
        return saving

    def allow_exports(self, allowed: bool) -> None:
        """Let the buttons save, or not, where there is nothing to save."""
        for button in self.exports.values():
            button.disabled = not allowed

    def offer_kinds(self, group: str) -> None:
        """Offer the charts that say something of *group*; the one chosen stays where it can."""
        names = {
            name: title if group == "key" else title.replace("key", group) for name, title in KINDS.items()
        }
        _offer(self.kind, {name: names[name] for name in OFFERED[group]})

    def offer_fields(self, known: Sequence[str]) -> None:
        """Offer the products that were told of."""
        _offer(self.field, {name: title for name, title in FIELDS.items() if name in known})

    def _export(self, form: str) -> widgets.Button:
        whats = {"csv": "rows", "xlsx": "rows", "png": "picture", "svg": "picture"}
        return widgets.Button(
            description=form.upper(),
            tooltip=f"Save the {whats[form]} as {form.upper()}",
            layout={"width": "auto"},
        )


def _turned(titles: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in titles.items()]


def _offer(control: widgets.Dropdown, titles: dict[str, str]) -> None:
    options = _turned(titles)
    if list(control.options) == options:
        return
    chosen = control.value if control.value in titles else next(iter(titles))
    control.options = options  # this chooses the first one
    control.value = chosen
