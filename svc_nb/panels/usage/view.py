"""The view of the usage panel: its controls and, for a choice, the picture, its legend, and a summary line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from svc_nb import plots
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.files import KINDS as FORMS
from svc_nb.panels.parts.widgets import Checklist, button, classed, field, offer_titles, row, show
from svc_nb.plots.axes import DARK, LIGHT
from svc_nb.plots.text import day_in_words, largest, percent, unit
from svc_nb.plots.usage import TOP, outliers_in_words, told_of
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.days import PRESETS
from svc_nb.usage.display_names import NO_TAG, coded
from svc_nb.usage.forecast import CAPPED, FIELD
from svc_nb.usage.table import summed as total_of
from svc_nb.usage.totals import FIELDS as AMOUNTS
from svc_nb.usage.totals import amounts, by_key, dates_of, in_unit, is_minutes

KINDS = {
    "by_day": "Over time",
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
# Which charts make sense for a grouping.
OFFERED: dict[str, Sequence[str]] = {
    "key": tuple(KINDS),
    "tag": ("by_day", "by_key", "by_product", "share", "heat_map"),
    "nothing": ("by_day", "by_product"),
}
PERIODS = {"auto": "Auto", "day": "Day", "week": "Week", "month": "Month"}
RANGES = {name: name.capitalize() for name in PRESETS[:3]} | {"365 days": "12 months"}
RANGES |= {name: name.capitalize() for name in PRESETS[3:]}
MOST_DAYS, MOST_WEEKS = 45, 245  # days of a range shown by day, or by week
TIMED = ("by_day", "by_product", "heat_map")
TOPS = [("as fits", 0), *((str(count), count) for count in (1, 3, 5, 8, 12, 20, 30))]


class UsageControls:
    """The widgets by name; `box` has them in rows that wrap if there is little room."""

    def __init__(self) -> None:
        self.presets = widgets.ToggleButtons(options=[(title, name) for name, title in RANGES.items()], value=None)
        self.start = field(widgets.DatePicker(description="From (UTC)"), "140px")
        self.end = field(widgets.DatePicker(description="To"), "140px")
        self.refresh = button("Refresh", help="Ask the service again")
        self.kind = field(widgets.Dropdown(description="Chart", options=_turned(KINDS)))
        self.group = field(widgets.Dropdown(description="Group by", options=_turned(GROUPS)), "110px")
        self.every = field(widgets.Dropdown(description="By", options=_turned(PERIODS)), "90px")
        self.field = field(widgets.Dropdown(description="Product", options=_turned(FIELDS)), "190px")
        self.top = field(widgets.Dropdown(description="Largest", options=TOPS), "90px")
        self.who = field(Checklist("Keys"), "130px")
        saved = {form: "picture" if form in ("png", "svg") else "rows" for form in FORMS}
        self.exports = {
            form: button(form.upper(), help=f"Save the {what} as {form.upper()}") for form, what in saved.items()
        }
        self.export_row = classed(row(widgets.Label("Save as"), *self.exports.values()), "svc-exports")
        dates = classed(row(self.start, self.end, self.refresh), "svc-together")
        first = row(classed(self.presets, "svc-presets"), dates)
        second = row(self.kind, self.every, self.group, self.field, self.who, self.top)
        self.box = classed(widgets.VBox([first, second]), "svc-controls")

    def allow_exports(self, allowed: bool) -> None:
        """Enable the save buttons, or disable them if there is nothing to save."""
        for each in self.exports.values():
            each.disabled = not allowed

    def offer_kinds(self, group: str) -> None:
        """Offer the charts that make sense for *group*; the current one stays chosen if possible."""
        offer_titles(self.kind, {name: KINDS[name].replace("key", group) for name in OFFERED[group]})

    def show_useful(self) -> None:
        """Hide the controls that have no effect on the chart."""
        show(self.every, self.kind.value in TIMED)
        show(self.top, self.kind.value != "by_product" and self.group.value != "nothing")

    def offer_fields(self, known: Sequence[str]) -> None:
        """Offer the products in the usage data."""
        offer_titles(self.field, {name: title for name, title in FIELDS.items() if name in known})


def _turned(titles: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in titles.items()]


WHO = ["api_key", "api_key_label"]
RANKED = ("by_key", "share", "heat_map")
MOST_RANKED = 30
MOST_CAPS = 12
OTHER_DATES = "Choose other dates."


@dataclass(frozen=True)
class UsageChoice:
    """A user's choices: the chart, the grouping, the product, how many to show separately, the period, and the days."""

    kind: str
    group: str
    field: str
    top: int
    period: str
    start: date
    end: date
    today: date

    @property
    def asked(self) -> str:
        """The grouping to request from the service."""
        return "tag_and_day" if self.group == "tag" else "key_and_day"

    @property
    def noun(self) -> str:
        """What rows represent."""
        return "tag" if self.group == "tag" else "key"

    @property
    def things(self) -> str:
        """The title of the choice among them."""
        return f"{self.noun.capitalize()}s"

    @property
    def every(self) -> str:
        """The period of a bar: the chosen one, or one that suits the number of days."""
        if self.period != "auto":
            return self.period
        count = (self.end - self.start).days + 1
        return "day" if count <= MOST_DAYS else "week" if count <= MOST_WEEKS else "month"

    @property
    def capped(self) -> str:
        """The amount that caps are about: minutes of speech if chosen, otherwise all characters."""
        return self.field if self.field in CAPPED else FIELD


def paint(
    figure: Figure,
    choice: UsageChoice,
    table: pd.DataFrame,
    *,
    keys: pd.DataFrame | None,
    slots: Mapping[str, int],
    hidden: Sequence[str] = (),
    unusual: pd.DataFrame | None = None,
    dark: bool = False,
    legend: bool = True,
) -> str:
    """Draw *table* on *figure*, and return the alternative text; *slots* has the colours of names."""
    options: dict[str, Any] = {"field": choice.field}
    if choice.kind == "caps":
        options = {"keys": keys, "on": choice.today, "field": choice.capped}
    if choice.top and choice.kind != "by_product":
        options["top"] = choice.top
    if choice.kind in TIMED:
        options["every"] = choice.every
    drawn = table.drop(columns=WHO, errors="ignore") if choice.group == "nothing" else _with_use(choice, table)
    if choice.kind == "by_day":
        options |= {"hidden": hidden, "legend": legend, "unusual": unusual}
    theme = replace(DARK if dark else LIGHT, slots={**slots, NO_TAG: -2})
    return plots.alt_text(plots.draw(choice.kind, drawn, ax=figure.add_subplot(), theme=theme, **options))


def legend_of(
    choice: UsageChoice, table: pd.DataFrame, slots: Mapping[str, int], *, unusual: pd.DataFrame
) -> list[dict[str, Any]]:
    """Those shown separately in the chart over time, the largest first, with their colour numbers; -1 is all others."""
    if choice.kind != "by_day" or choice.group == "nothing" or not len(table):
        return []
    users = _with_use(choice, table)
    sums = by_key(users, field=choice.field, top=choice.top or TOP, named=told_of(unusual))
    last = len(sums) - 1 if sums.attrs["others"] else -1
    names = [str(name) for name in sums.index]
    beyond = [name for name in by_key(users, field=choice.field).index if name not in names[:last]]
    return [
        {"name": name, "slot": -1 if at == last else slots[name], "of": beyond if at == last else []}
        for at, name in enumerate(names)
    ]


def with_untagged(tagged: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Usage by tag and day including untagged usage: what *every* key used on a day less what is *tagged*, at least 0.

    Usage that the service does not report by tag, such as documents, counts as untagged.
    """
    known = [name for name in AMOUNTS if name in every.columns]
    if not known or not len(every):
        return tagged
    tagged = pd.DataFrame(tagged).assign(**{name: 0 for name in known if name not in tagged.columns})
    days, places = np.unique(dates_of(every), return_inverse=True)
    inside = np.isin(dates_of(tagged), days)
    own = np.searchsorted(days, dates_of(tagged)[inside])
    columns: dict[str, Any] = {
        "usage_date": days.astype("datetime64[s]"),
        "custom_tag": pd.array([""] * len(days), TEXT),
    }
    for name in known:
        left = np.zeros(len(days), dtype=np.int64)
        np.add.at(left, places, amounts(every, name))
        np.subtract.at(left, own, amounts(tagged, name)[inside])
        columns[name] = in_unit(np.maximum(left, 0), name)
    if "incomplete" in every.columns:
        columns["incomplete"] = np.isin(days, dates_of(every)[every["incomplete"].to_numpy(dtype=bool)])
    rest = pd.DataFrame(columns)
    rest = rest[(rest[known] > 0).any(axis=1)]
    found = pd.concat([part for part in (pd.DataFrame(tagged), rest) if len(part)] or [tagged], ignore_index=True)
    return found.iloc[np.argsort(dates_of(found), kind="stable")]


def _with_use(choice: UsageChoice, table: pd.DataFrame) -> pd.DataFrame:
    """*table* without those that have not used the product, because the legend has no room for them; the days stay."""
    if choice.kind != "by_day" or not len(table):
        return table
    kept: npt.NDArray[np.bool_] = _users(table, choice.field)[coded(table)[0]]
    dates = dates_of(table)
    if not kept.any() or dates[kept].min() != dates.min() or dates[kept].max() != dates.max():
        return table
    return table[kept]


def _users(table: pd.DataFrame, field: str) -> npt.NDArray[np.bool_]:
    """For each key, or tag, whether it has used any of *field*."""
    codes, names = coded(table)
    used: npt.NDArray[np.bool_] = np.bincount(codes, amounts(table, field), minlength=len(names)) > 0
    return used


def height(choice: UsageChoice, table: pd.DataFrame, *, width: int) -> int:
    """The height in pixels: room for each key if keys have their own rows or charts, otherwise depending on *width*."""
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


def said(
    choice: UsageChoice,
    table: pd.DataFrame,
    *,
    keys: pd.DataFrame | None = None,
    ticked: int = 0,
    unusual: pd.DataFrame,
) -> str:
    """A summary of *table* in a line; *ticked* is the number of keys, or tags, that were chosen.

    *unusual* days are named even if hidden in the chart, so that the height above the chart does not change.
    """
    span = f"from {choice.start} to {choice.end} (UTC)"
    if choice.kind == "caps":
        span = f"this month to {choice.today} (UTC) or shortly before"
    if ticked and not len(table):
        who = choice.noun if ticked == 1 else f"{choice.noun}s"
        again = f"To see all again, open {choice.things} and press Clear."
        return f"No usage for the selected {who} {span}. {again}"
    if choice.kind == "caps":
        ahead = "and a forecast for the rest. The dates above do not apply here."
        spoken = keys is not None and keys[CAPPED["speech_to_text_minutes"]].notna().any()
        also = " Speech has its own caps. To see them, choose the product Speech to text."
        other = also if spoken and choice.capped == FIELD else ""
        return f"This month to {choice.today} (UTC), {ahead}{other}"
    if not len(table):
        return f"Nothing was used {span}. {OTHER_DATES}"
    total = total_of(table)
    minutes = total.speech_to_text_minutes
    speech = f" and {minutes:,.1f} minutes of speech" if minutes else ""
    late = "incomplete" in table.columns and bool(table["incomplete"].any())
    begins = dates_of(table).min().item()
    since = f" No usage before {day_in_words(begins, year=True)}." if (begins - choice.start).days > 14 else ""
    grows = " Today's numbers are not final." if late else ""
    names = coded(table)[1]
    used = f"{plural(total.total_characters, 'character')}{speech}"
    tagged = [name for name in names if name != NO_TAG]
    who = plural(len(tagged), choice.noun) if tagged else "Untagged requests"
    both = tagged and len(tagged) < len(names)
    untagged = f" {_untagged(choice, table)}" if choice.group == "tag" and tagged else ""
    amount = f"{used} across {who} and untagged requests," if both else f"{who} used {used}"
    first = f"{amount} {span}.{since}{untagged}{grows}"
    most = "" if choice.group == "nothing" else largest(by_key(table, field=choice.field))
    far = outliers_in_words(unusual)
    far += " Each one shown is marked ▼ in the chart." if far and choice.kind == "by_day" else ""
    return "\n".join(filter(None, [first, most, far]))


def _untagged(choice: UsageChoice, table: pd.DataFrame) -> str:
    """How much usage has no tag, in a sentence."""
    sums = by_key(table, field=choice.field)
    without, total = sums.get(NO_TAG, 0), sums.sum()
    digits = 1 if is_minutes(choice.field) else 0
    part = f"{without:,.{digits}f} of {total:,.{digits}f} {unit(choice.field)}"
    return f"Without a tag: {percent(without / total)} ({part})." if total else ""
