"""The rows beside the picture: with the same sums, shares, the colours of the keys, and a total at the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.panels.parts.files import SHARE
from svc_nb.panels.parts.grid import WIDEST, Field, Grid
from svc_nb.panels.parts.texts import written_day, written_text
from svc_nb.panels.usage.view import UsageChoice
from svc_nb.plots.text import MONTHS, outlier_in_words, percent, period_in_words
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.display_names import coded
from svc_nb.usage.forecast import forecast
from svc_nb.usage.totals import FIELDS as AMOUNTS
from svc_nb.usage.totals import amounts, dates_of, in_unit, is_minutes, period_starts

TITLES = {
    "total_characters": "Characters",
    "text_translation_characters": "Text",
    "document_translation_characters": "Documents",
    "text_improvement_characters": "Improvement",
    "speech_to_text_minutes": "Speech min",
    "speech_to_speech_minutes": "Voice min",
}
TOTAL = "Total"
NEAR = "svc-of-caps"  # the class of grids with shares of caps, which warn before a cap is reached
MONTH = re.compile("|".join(MONTHS))


class UsageGrid(Grid):
    """A grid whose last row may be a total, which stays last however the rows are sorted and is not in `table`."""

    def __init__(self, title: str) -> None:
        super().__init__(title, signed=True)

    def show_rows(
        self,
        rows: pd.DataFrame,
        fields: Sequence[Field],
        total: pd.DataFrame,
        slots: Mapping[str, int],
        *,
        notes: Mapping[Any, str],
        said: str = "",
    ) -> None:
        """Show *rows* with the colours of their names and *notes* by number, *total*, and the text *said* below."""
        marks: dict[Any, str] = {}
        if "name" in rows and slots:
            classes = {name: f"key-{'rest' if slot < 0 else slot}" for name, slot in slots.items()}
            marks = {at: classes[name] for at, name in enumerate(rows["name"]) if name in classes}
        if len(total):
            marks[TOTAL] = "total"
            rows = pd.concat([rows, total.set_axis([TOTAL]).astype(rows.dtypes)])
        self.show(rows, fields, said=said, marks=marks, notes=dict(notes))

    @property
    def table(self) -> pd.DataFrame:
        """All rows except the total, in the order shown, with their original values."""
        shown = super().table
        return shown.iloc[:-1] if TOTAL in self._marks else shown

    def _width(self, field: Field) -> int:
        width = super()._width(field)
        return width + 1 if TOTAL in self._marks and field.kind == "number" else width  # a total is bold

    def _told_page(self) -> None:
        if TOTAL in self._marks:
            last = len(self._table) - 1
            self._sight = np.append(self._sight[self._sight != last], last)
        super()._told_page()


def listed(
    choice: UsageChoice, table: pd.DataFrame, *, keys: pd.DataFrame | None
) -> tuple[pd.DataFrame, list[Field], pd.DataFrame]:
    """The rows beside the picture, the columns to show, and their total, which is empty if nothing adds up."""
    if choice.kind == "caps":
        found = pd.DataFrame(forecast(table, keys, on=choice.today, field=choice.capped))
        caps = found["cap"].astype("Float64")
        found[SHARE] = (found["used"] / caps.where(caps > 0)).astype("Float64")
        written, unit = written_amount(choice.capped), " min" if is_minutes(choice.capped) else ""
        fields = [
            Field("name", "Key", written_text, kind="text"),
            Field("cap", f"Cap{unit}", written),
            Field("used", f"Used{unit}", written, spare=1),
            Field(SHARE, "Of cap", written_share, kind="share", wide=14, spare=3),
            Field("expected", f"Expected{unit}", written, spare=4),
            Field("exhausted_on", "Reached on", written_day, kind="text", spare=2),
        ]
        return found, fields, found.iloc[:0]
    by_name = choice.group != "nothing" and choice.kind != "by_product"
    every = choice.every if choice.kind not in ("by_key", "share") else ""
    found = summed(table, by_name=by_name, every=every, first=choice.field)
    if "usage_date" in found:  # a week or month cut off by the range begins with the range
        found["usage_date"] = np.maximum(dates_of(found), np.datetime64(choice.start)).astype("datetime64[s]")
    fields = fields_of(found, choice)
    return found, fields, total_of(found)


def summed(table: pd.DataFrame, *, by_name: bool, every: str, first: str) -> pd.DataFrame:
    """The exact sums of the amounts in *table*, for each `name`, each `usage_date`, both, or all together.

    *every* is "day", "week" or "month", with the first day in `usage_date`, or "" for all days together. Days are in
    order, and within a day the largest come first: by the amount *first*, or the first amount available. `share` is the
    share of the whole of that amount.
    """
    fields = [field for field in AMOUNTS if field in table.columns]
    nobody = np.zeros(len(table), dtype=np.intp)
    names, found = coded(table) if by_name else (nobody, [])
    days = period_starts(dates_of(table), every).astype("datetime64[s]") if every else nobody
    each = pd.DataFrame({"usage_date": days, "name": names, **{field: amounts(table, field) for field in fields}})
    sums = each.groupby(["usage_date", "name"], sort=False, as_index=False).sum()
    rows = sums[["usage_date"] if every else []].copy()
    if by_name:
        rows["name"] = pd.array(found, dtype=TEXT).take(sums["name"].to_numpy())
    for name in fields:
        rows[name] = in_unit(sums[name].to_numpy(), name)
    largest = first if first in fields else fields[0] if fields else ""
    if largest:
        cells = sums[largest].to_numpy(dtype=np.float64)
        rows[SHARE] = cells / (cells.sum() or 1.0)
    if not len(rows) or not largest:
        return rows
    order = np.lexsort((-sums[largest].to_numpy(), sums["usage_date"].to_numpy()))
    return rows.iloc[order].reset_index(drop=True)


def notes_of(rows: pd.DataFrame, unusual: pd.DataFrame, *, every: str) -> dict[int, str]:
    """Notes on *rows* with an unusually high day, by number."""
    notes: dict[int, list[str]] = {}
    starts = period_starts(dates_of(unusual), every)
    begins = period_starts(dates_of(rows), every) if "usage_date" in rows else None
    for start, (day, name, amount, usual) in zip(starts, unusual.itertuples(index=False), strict=True):
        own = rows["name"] == name if "name" in rows else pd.Series(True, rows.index)
        if "usage_date" in rows:
            own &= begins == start
        for number in np.flatnonzero(own)[:1]:
            notes.setdefault(int(number), []).append(outlier_in_words(day.date(), name, amount, usual))
    return {number: f"Unusually high: {'; '.join(told)}." for number, told in notes.items()}


def total_of(rows: pd.DataFrame) -> pd.DataFrame:
    """One row with the exact sums of *rows*; no row if there are none."""
    if not len(rows):
        return rows
    total: dict[str, Any] = {name: in_unit(amounts(rows, name).sum(), name) for name in AMOUNTS if name in rows}
    total |= {"usage_date": pd.NaT, "name": TOTAL, SHARE: min(1.0, round(float(rows[SHARE].sum()), 9))}
    return pd.DataFrame([{name: total[name] for name in rows.columns}])


def fields_of(rows: pd.DataFrame, choice: UsageChoice) -> list[Field]:
    """The columns of *rows* to show: the day, the name, the chosen amount, its share, and the other amounts."""
    found, within = [], (choice.start, choice.end)
    if "usage_date" in rows:
        gap = "" if "name" in rows else TOTAL

        def written(day: Any) -> str:
            if day is None:
                return gap
            if choice.every == "day":
                return written_day(day)
            words = period_in_words(day.date(), choice.every, within).replace(" to ", " – ")
            return MONTH.sub(lambda name: name[0][:3], words)

        found.append(Field("usage_date", f"{choice.every.capitalize()} (UTC)", written, kind="text", least=WIDEST))
    if "name" in rows:
        found.append(Field("name", choice.noun.capitalize(), written_text, kind="text"))
    known = [field for field in AMOUNTS if field in rows and (field == choice.field or rows[field].any())]
    ordered = sorted(known, key=lambda field: field != choice.field)
    columns = [Field(name, TITLES[name], written_amount(name), spare=at and at + 1) for at, name in enumerate(ordered)]
    share = [Field(SHARE, "Share", written_share, kind="share", wide=12, spare=1)] if SHARE in rows else []
    return [*found, *columns[:1], *share, *columns[1:]]


def written_amount(field: str) -> Any:
    """The format of an amount of *field*: with thousands separators, minutes with one decimal."""
    digits = 1 if is_minutes(field) else 0
    return lambda count: "–" if count is None else f"{count:,.{digits}f}"


def written_share(part: float | None) -> str:
    """A share in percent."""
    return "–" if part is None else percent(float(part))
