"""What the usage panel shows of a choice: the picture, how high it is, the rows beside it, and a line about both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from svc_nb import plots
from svc_nb.panels.parts import rows
from svc_nb.panels.parts.grid import Field
from svc_nb.tabular.report import plural
from svc_nb.usage.display_names import coded
from svc_nb.usage.forecast import CAPPED, FIELD, forecast
from svc_nb.usage.table import summed as total_of
from svc_nb.usage.totals import amounts, dates_of, is_minutes

WHO = ["api_key", "api_key_label"]
RANKED = ("by_key", "share", "heat_map")
MOST_RANKED = 30
MOST_CAPS = 12


@dataclass(frozen=True)
class Choice:
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


def paint(figure: Figure, choice: Choice, table: pd.DataFrame, *, keys: pd.DataFrame | None, theme: str) -> str:
    """Draw *table* on *figure*, and say what there is to see."""
    options: dict[str, Any] = {"field": choice.field}
    if choice.kind == "caps":
        options = {"keys": keys, "on": choice.today, "field": choice.capped}
    if choice.top and choice.kind != "by_product":
        options["top"] = choice.top
    drawn = table.drop(columns=WHO) if choice.group == "nothing" else _with_use(choice, table)
    return plots.alt_text(plots.draw(choice.kind, drawn, ax=figure.add_subplot(), theme=theme, **options))


def _with_use(choice: Choice, table: pd.DataFrame) -> pd.DataFrame:
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


def height(choice: Choice, table: pd.DataFrame, *, width: int) -> int:
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


def listed(choice: Choice, table: pd.DataFrame, *, keys: pd.DataFrame | None) -> tuple[pd.DataFrame, list[Field]]:
    """The rows beside the picture, summed as it sums them, and what to show of them."""
    if choice.kind == "caps":
        found = pd.DataFrame(forecast(table, keys, on=choice.today, field=choice.capped))
        written, unit = rows.written_amount(choice.capped), " min" if is_minutes(choice.capped) else ""
        return found, [
            Field("name", "Key", rows.written_text, kind="text"),
            Field("cap", f"Cap{unit}", written),
            Field("used", f"Used{unit}", written),
            Field("expected", f"Expected{unit}", written, spare=1),
            Field("exhausted_on", "Reached on", rows.written_day, kind="text"),
        ]
    by_name = choice.group != "nothing" and choice.kind != "by_product"
    by_day = choice.kind not in ("by_key", "share")
    found = rows.summed(table, by_name=by_name, by_day=by_day, first=choice.field)
    return found, rows.fields_of(found, who=choice.noun.capitalize(), first=choice.field)


def said(choice: Choice, table: pd.DataFrame, *, keys: pd.DataFrame | None = None, ticked: int = 0) -> str:
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
