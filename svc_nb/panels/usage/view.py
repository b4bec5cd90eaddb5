"""What the usage panel shows: its controls, and of a choice the picture, the rows beside it, and a line about both."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import ipywidgets as widgets
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from svc_nb import plots
from svc_nb.panels.parts.files import KINDS as FORMS
from svc_nb.panels.parts.grid import Field
from svc_nb.panels.parts.texts import written_day, written_text
from svc_nb.panels.parts.widgets import Checklist, button, classed, field, offer_titles, row
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.days import PRESETS
from svc_nb.usage.display_names import coded
from svc_nb.usage.forecast import CAPPED, FIELD, forecast
from svc_nb.usage.table import summed as total_of
from svc_nb.usage.totals import FIELDS as AMOUNTS
from svc_nb.usage.totals import amounts, dates_of, in_unit, is_minutes

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


class UsageControls:
    """The widgets by name; `box` has them in rows that wrap where there is little room."""

    def __init__(self) -> None:
        self.presets = widgets.ToggleButtons(
            options=[(name[0].upper() + name[1:], name) for name in PRESETS], value=None
        )
        self.presets.style.button_width = "auto"
        self.start = field(widgets.DatePicker(description="From (UTC)"), "140px")
        self.end = field(widgets.DatePicker(description="To"), "140px")
        self.refresh = button("Refresh", help="Ask the service again")
        self.kind = field(widgets.Dropdown(description="Chart", options=_turned(KINDS)))
        self.group = field(widgets.Dropdown(description="Group by", options=_turned(GROUPS)), "110px")
        self.field = field(widgets.Dropdown(description="Product", options=_turned(FIELDS)), "190px")
        self.top = field(widgets.Dropdown(description="Largest", options=TOPS), "90px")
        self.who = Checklist(layout={"width": "130px", "overflow": "visible"})
        saved = {form: "picture" if form in ("png", "svg") else "rows" for form in FORMS}
        self.exports = {
            form: button(form.upper(), help=f"Save the {what} as {form.upper()}") for form, what in saved.items()
        }
        self.export_row = classed(row(widgets.Label("Save as"), *self.exports.values()), "svc-exports")
        dates = classed(row(self.start, self.end, self.refresh), "svc-together")
        first = row(classed(self.presets, "svc-presets"), dates)
        second = row(self.kind, self.group, self.field, self.who, self.top)
        self.box = classed(widgets.VBox([first, second], layout={"overflow": "visible"}), "svc-controls")

    def allow_exports(self, allowed: bool) -> None:
        """Let the buttons save, or not, where there is nothing to save."""
        for each in self.exports.values():
            each.disabled = not allowed

    def offer_kinds(self, group: str) -> None:
        """Offer the charts that say something of *group*; the one chosen stays where it can."""
        offer_titles(self.kind, {name: KINDS[name].replace("key", group) for name in OFFERED[group]})

    def offer_fields(self, known: Sequence[str]) -> None:
        """Offer the products that were told of."""
        offer_titles(self.field, {name: title for name, title in FIELDS.items() if name in known})


def _turned(titles: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in titles.items()]


WHO = ["api_key", "api_key_label"]
RANKED = ("by_key", "share", "heat_map")
MOST_RANKED = 30
MOST_CAPS = 12


@dataclass(frozen=True)
class UsageChoice:
    """What a person chose: the chart, the grouping, the product, how many stand apart, and the days."""

    kind: str
    group: str
    field: str
    top: int
    start: date
    end: date
    today: date

    @property
    def asked(self) -> str:
        """The grouping that the service is asked for."""
        return "tag_and_day" if self.group == "tag" else "key_and_day"

    @property
    def noun(self) -> str:
        """What rows are about."""
        return "tag" if self.group == "tag" else "key"

    @property
    def capped(self) -> str:
        """What caps are about: minutes of speech where they are chosen, else all characters."""
        return self.field if self.field in CAPPED else FIELD


def paint(figure: Figure, choice: UsageChoice, table: pd.DataFrame, *, keys: pd.DataFrame | None, theme: str) -> str:
    """Draw *table* on *figure*, and say what there is to see."""
    options: dict[str, Any] = {"field": choice.field}
    if choice.kind == "caps":
        options = {"keys": keys, "on": choice.today, "field": choice.capped}
    if choice.top and choice.kind != "by_product":
        options["top"] = choice.top
    drawn = table.drop(columns=WHO) if choice.group == "nothing" else _with_use(choice, table)
    return plots.alt_text(plots.draw(choice.kind, drawn, ax=figure.add_subplot(), theme=theme, **options))


def _with_use(choice: UsageChoice, table: pd.DataFrame) -> pd.DataFrame:
    """*table* without those who have none of the product, for a legend has no room for them; the days stay the same."""
    if choice.kind != "by_day" or not len(table):
        return table
    kept: npt.NDArray[np.bool_] = _users(table, choice.field)[coded(table)[0]]
    dates = dates_of(table)
    if not kept.any() or dates[kept].min() != dates.min() or dates[kept].max() != dates.max():
        return table
    return table[kept]


def _users(table: pd.DataFrame, field: str) -> npt.NDArray[np.bool_]:
    """For each key, or tag, whether it has used some of *field*."""
    codes, names = coded(table)
    used: npt.NDArray[np.bool_] = np.bincount(codes, amounts(table, field), minlength=len(names)) > 0
    return used


def height(choice: UsageChoice, table: pd.DataFrame, *, width: int) -> int:
    """In pixels: room for each key where keys have rows or charts of their own, else as suits the *width*."""
    usual = int(np.clip(width * 0.45, 320, 440))
    if choice.kind in RANKED:
        count = min((choice.top or MOST_RANKED) + 1, len(coded(table)[1]))
        return max(220, round(count * 21.5) + 105)
    if choice.kind == "caps":
        across = int(np.clip((width * 0.75 - 10) // 154, 1, 4))
        count = int(_users(table, choice.capped).sum()) if len(table) else 0
        lines = -(-min(choice.top or MOST_CAPS, count) // across)
        return max(usual, lines * 150 + 70)
    return usual


def listed(choice: UsageChoice, table: pd.DataFrame, *, keys: pd.DataFrame | None) -> tuple[pd.DataFrame, list[Field]]:
    """The rows beside the picture, summed as it sums them, and what to show of them."""
    if choice.kind == "caps":
        found = pd.DataFrame(forecast(table, keys, on=choice.today, field=choice.capped))
        written, unit = written_amount(choice.capped), " min" if is_minutes(choice.capped) else ""
        return found, [
            Field("name", "Key", written_text, kind="text"),
            Field("cap", f"Cap{unit}", written),
            Field("used", f"Used{unit}", written),
            Field("expected", f"Expected{unit}", written, spare=1),
            Field("exhausted_on", "Reached on", written_day, kind="text"),
        ]
    by_name = choice.group != "nothing" and choice.kind != "by_product"
    by_day = choice.kind not in ("by_key", "share")
    found = summed(table, by_name=by_name, by_day=by_day, first=choice.field)
    return found, fields_of(found, who=choice.noun.capitalize(), first=choice.field)


def said(choice: UsageChoice, table: pd.DataFrame, *, keys: pd.DataFrame | None = None, ticked: int = 0) -> str:
    """What *table* adds up to, in a line; *ticked* says how many keys, or tags, were chosen of those that used some."""
    span = f"from {choice.start} to {choice.end} (UTC)"
    if choice.kind == "caps":
        span = f"this month to {choice.today} (UTC) or shortly before"
    if ticked and not len(table):
        who = choice.noun if ticked == 1 else f"{choice.noun}s"
        again = f"To see all again, open {choice.noun.capitalize()}s and press Clear."
        return f"The chosen {who} used nothing {span}. {again}"
    if choice.kind == "caps":
        ahead = "and what to expect of the rest. The dates above do not count here."
        spoken = keys is not None and keys[CAPPED["speech_to_text_minutes"]].notna().any()
        also = " Speech has caps of its own: choose the product Speech to text."
        other = also if spoken and choice.capped == FIELD else ""
        return f"This month to {choice.today} (UTC), {ahead}{other}"
    if not len(table):
        return f"Nothing was used {span}. Choose other dates."
    total = total_of(table)
    minutes = total.speech_to_text_minutes
    speech = f" and {minutes:,.1f} minutes of speech" if minutes else ""
    late = "incomplete" in table.columns and bool(table["incomplete"].any())
    grows = " Today is not over: its numbers still grow." if late else ""
    who = plural(len(coded(table)[1]), choice.noun)
    return f"{who} used {plural(total.total_characters, 'character')}{speech} {span}.{grows}"


TITLES = {
    "total_characters": "Characters",
    "text_translation_characters": "Text",
    "document_translation_characters": "Documents",
    "text_improvement_characters": "Improvement",
    "speech_to_text_minutes": "Speech min",
    "speech_to_speech_minutes": "Voice min",
}


def summed(table: pd.DataFrame, *, by_name: bool, by_day: bool, first: str | None = None) -> pd.DataFrame:
    """The amounts of *table*, added up exactly, for each `name`, each `usage_date`, both or all together.

    Days stand in their order, and the names of one day as they stand in *table*; without days the largest come
    first: those with most of the amount *first*, or of the first amount that there is.
    """
    fields = [field for field in AMOUNTS if field in table.columns]
    nobody = np.zeros(len(table), dtype=np.intp)
    names, found = coded(table) if by_name else (nobody, [])
    days = dates_of(table).astype("datetime64[s]") if by_day else nobody
    each = pd.DataFrame({"usage_date": days, "name": names, **{field: amounts(table, field) for field in fields}})
    sums = each.groupby(["usage_date", "name"], sort=False, as_index=False).sum()
    rows = sums[["usage_date"] if by_day else []].copy()
    if by_name:
        rows["name"] = pd.array(found, dtype=TEXT).take(sums["name"].to_numpy())
    for name in fields:
        rows[name] = in_unit(sums[name].to_numpy(), name)
    if by_day or not len(rows):
        return rows
    largest = first if first in fields else fields[0]
    return rows.iloc[np.argsort(-amounts(rows, largest), kind="stable")].reset_index(drop=True)


def fields_of(rows: pd.DataFrame, *, who: str, first: str) -> list[Field]:
    """The columns to show of *rows*: the day, the name, the amount *first*, and the other amounts."""
    found = [Field("usage_date", "Day (UTC)", written_day, kind="text")] if "usage_date" in rows else []
    if "name" in rows:
        found.append(Field("name", who, written_text, kind="text"))
    known: Sequence[str] = [field for field in AMOUNTS if field in rows]
    ordered = sorted(known, key=lambda field: field != first)
    amounts = enumerate(ordered)  # the later ones can be spared where there is little room
    return [*found, *(Field(name, TITLES[name], written_amount(name), spare=at) for at, name in amounts)]


def written_amount(field: str) -> Any:
    """How an amount of *field* is written: with separators for thousands, minutes with one decimal."""
    digits = 1 if is_minutes(field) else 0
    return lambda count: "–" if count is None else f"{count:,.{digits}f}"
