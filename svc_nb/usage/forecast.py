"""How much of each cap will be used by the end of the month, from the weekly rhythm of the last weeks: arithmetic only.

The forecast for a weekday is the mean of the same weekday over up to eight earlier weeks; a newer key counts from its
first use. The band covers about four of five months: it combines the scatter of single days, or of whole weeks if that
is larger, with the uncertainty of a mean of few days. Only the dates of exhaustion depend on the cap: the forecast is
what people want to use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.errors import one_line
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.usage.days import Day, day_of
from svc_nb.usage.display_names import called_by_id, coded, distinct, texts_of
from svc_nb.usage.totals import MILLISECONDS, amounts, dates_of, in_unit, is_minutes

Array = npt.NDArray[Any]

WEEKS = 8
# Four of five: a normal distribution leaves out one in ten on each side.
WIDTH = 1.2816
LEAST_WEEKS = 4
BANDS = ("expected", "low", "high")
FIELD = "total_characters"
# The amounts that have caps, and their columns in the table of keys, in the unit of `totals.amounts`.
CAPPED = {FIELD: "characters", "speech_to_text_minutes": "speech_to_text_milliseconds"}


def forecast(table: pd.DataFrame, keys: pd.DataFrame | None = None, *, on: Day, field: str = FIELD) -> Report:
    """One row for each key that has a cap or was used in the month of *on*; the first to be exhausted comes first.

    *table* is usage by key and day, ideally from eight weeks before; *keys* is the table of `svc_nb.keys.list`. `used`
    is up to *on*; `expected`, `low` and `high` are for the end of the month, all in the unit of *field*: characters, or
    minutes of speech to text. `exhausted_on` is when the expected use reaches the cap, `earliest` and `latest` are
    according to `high` and `low`; a missing date means not this month. One table names keys by mask and label, the
    other by id and label, so caps are found by label; if keys with the same label have different caps, none is used,
    and `attrs["unclear"]` has the label.
    """
    course = _course(table, day_of(on), field)
    listed = keys_by_label(keys, field)
    ended = [label in listed and all(over for _, _, over in listed[label]) for label in course.labels]
    caps = {label: {cap for _, cap, _ in found} for label, found in listed.items()}
    unclear = [label for label in dict.fromkeys(course.labels) if len(caps.get(label, ())) > 1]
    limits = [None if label in unclear else next(iter(caps.get(label, {None}))) for label in course.labels]
    idle = [
        (label, key_id, cap)
        for label, found in listed.items()
        if label not in course.labels
        for key_id, cap, over in found
        if cap is not None and not over
    ]
    course = course.without_rest(np.array(ended, dtype=np.bool_)).with_idle(idle)
    rows = course.rows([*limits, *(cap for _, _, cap in idle)])
    rows = rows[(rows["used"] > 0) | rows["cap"].notna()]
    found = rows.sort_values(["exhausted_on", "expected"], ascending=[True, False], kind="stable")
    told = Report(found.reset_index(drop=True), _told(found, unclear, day_of(on), field))
    told.attrs["unclear"] = unclear
    return told


def paths(table: pd.DataFrame, name: str, *, on: Day, field: str = FIELD) -> pd.DataFrame:
    """What the key called *name* has used, or is expected to use, by the end of each day of the month of *on*."""
    course = _course(table, day_of(on), field)
    number = course.names.index(name) if name in course.names else None
    count, past = len(course.days), course.past
    used = np.zeros(past) if number is None else course.used[:, number].astype(float)
    columns: dict[str, Any] = {
        "usage_date": course.days.astype("datetime64[s]"),
        "used": np.concatenate([in_unit(used, field), np.full(count - past, np.nan)]),
    }
    for band in BANDS:
        ahead = np.zeros(count - past + 1) if number is None else getattr(course, band)[:, number]
        columns[band] = np.concatenate([np.full(past - 1, np.nan), in_unit(ahead, field)])
    return pd.DataFrame(columns)


# ---- the arithmetic


@dataclass(frozen=True)
class _Course:
    """The course of a month for all keys, one column each, in the unit of `amounts`; bands begin today."""

    field: str
    names: list[str]
    masks: list[str | None]
    labels: list[str]
    days: Array
    used: Array
    expected: Array
    low: Array
    high: Array

    @property
    def past(self) -> int:
        """How many days of the month have begun."""
        return len(self.used)

    def without_rest(self, ended: Array) -> _Course:
        """The same, but keys that have *ended* use nothing more."""
        bands = {band: np.where(ended, self.used[-1], getattr(self, band)) for band in BANDS}
        return replace(self, **bands)

    def with_idle(self, keys: list[tuple[str, str, int]]) -> _Course:
        """The same, plus keys that were never used, as (label, id, cap): no use is expected."""
        labels = [label for label, _, _ in keys]
        names = called_by_id([key_id for _, key_id, _ in keys], labels)
        told = {"names": [*self.names, *names], "labels": [*self.labels, *labels]}
        sums = {name: np.pad(getattr(self, name), ((0, 0), (0, len(keys)))) for name in ("used", *BANDS)}
        return replace(self, masks=[*self.masks, *(None for _ in keys)], **told, **sums)  # type: ignore[arg-type]

    def rows(self, limits: list[int | None]) -> pd.DataFrame:
        """One row for each key; the dates are the days by whose end a band reaches the cap, missing if it does not."""
        caps = pd.array(limits, dtype="Int64")
        highest = np.array([np.inf if cap is None else float(cap) for cap in limits])
        dates = {}
        for name, band in (("exhausted_on", "expected"), ("earliest", "high"), ("latest", "low")):
            over = np.concatenate([self.used[:-1], getattr(self, band)]) >= highest
            reached = np.where(over.any(axis=0), self.days[over.argmax(axis=0)], np.datetime64("NaT"))
            dates[name] = reached.astype("datetime64[s]")
        return pd.DataFrame(
            {
                "name": text_array(self.names),
                "api_key": text_array(self.masks),
                "api_key_label": text_array(self.labels),
                "cap": pd.Series(caps) / MILLISECONDS if is_minutes(self.field) else caps,
                "used": in_unit(self.used[-1], self.field),
                **{band: in_unit(getattr(self, band)[-1], self.field) for band in BANDS},
                **dates,
            }
        )


def _course(table: pd.DataFrame, on: date, field: str) -> _Course:
    if field not in CAPPED:
        raise ValueError(f"field: caps count {' or '.join(CAPPED)}, found {field!r}")
    codes, names = coded(table)
    pairs = distinct(table)[1] if "api_key" in table.columns else [("", name) for name in names]
    today = np.datetime64(on, "D")
    first = today.astype("datetime64[M]").astype("datetime64[D]")
    after = (today.astype("datetime64[M]") + 1).astype("datetime64[D]")
    dates, cells = dates_of(table), amounts(table, field)
    begins = min(first, today - 7 * WEEKS)
    past = np.arange(begins, today + 1)
    daily = np.zeros((len(past), len(names)), dtype=np.int64)
    within = (dates >= begins) & (dates <= today)
    np.add.at(daily, ((dates - begins).astype(np.intp)[within], codes[within]), cells[within])
    # The days before today that count for each key: those since its first use, within eight weeks.
    births = np.full(len(names), np.datetime64("9999-12-31", "D"))
    np.minimum.at(births, codes[cells > 0], dates[cells > 0])
    known: Array = (past[:, None] >= births) & (past[:, None] >= today - 7 * WEEKS)
    known[-1] = False  # today is not over
    expected, deviation = _ahead(daily, known, np.arange(today, after))
    used = np.cumsum(daily[int((first - begins).astype(int)) :], axis=0)
    low = np.maximum.accumulate(np.maximum(expected - WIDTH * deviation, 0.0), axis=0)
    bands = (used[-1] + np.rint(band).astype(np.int64) for band in (expected, low, expected + WIDTH * deviation))
    masks: list[str | None] = [mask for mask, _ in pairs]
    labels = [label for _, label in pairs]
    return _Course(field, names, masks, labels, np.arange(first, after), used, *bands)


def _ahead(daily: Array, known: Array, rest: Array) -> tuple[Array, Array]:
    """The expected use by the end of each day in *rest*, which starts today, and its uncertainty."""
    before = _weekday(rest[0] - np.arange(len(daily))[::-1])
    cells = np.where(known, daily, 0)
    of_all = known.sum(axis=0)
    # The mean use for each weekday and key, and the number of days behind it; otherwise those of all days, and without
    # a history only today counts.
    overall = np.where(of_all > 0, cells.sum(axis=0) / np.maximum(of_all, 1), daily[-1])
    counts = np.stack([known[before == day].sum(axis=0) for day in range(7)])
    sums = np.stack([cells[before == day].sum(axis=0) for day in range(7)])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    counts = np.where(counts > 0, counts, np.maximum(of_all, 1))
    weekdays = _weekday(rest)
    steps = means[weekdays]
    still = np.maximum(steps[0] - daily[-1], 0.0)
    part = np.divide(still, steps[0], out=np.zeros_like(still), where=steps[0] > 0)
    steps = np.concatenate([still[None], steps[1:]])
    weights = np.concatenate([part[None], np.ones((len(rest) - 1, daily.shape[1]))])
    per_weekday = np.stack([np.where((weekdays == day)[:, None], weights, 0.0).cumsum(axis=0) for day in range(7)])
    unsure = (per_weekday**2 / counts[:, None, :]).sum(axis=0)
    scatter = variance(daily, known, means[before], overall)
    return steps.cumsum(axis=0), np.sqrt(scatter * (weights.cumsum(axis=0) + unsure))


def variance(daily: Array, known: Array, means: Array, overall: Array) -> Array:
    """How much days scatter around their expected use, for each key."""
    left = np.where(known, daily - means, 0.0)
    count = known.sum(axis=0)
    free = count - np.minimum(count, 7)
    of_days = (left**2).sum(axis=0) / np.maximum(free, 1)
    # With fewer than two weeks: around the mean of all days; a single day may be anything up to twice as much.
    around = np.where(known, daily - overall, 0.0)
    few = np.where(count > 1, (around**2).sum(axis=0) / np.maximum(count - 1, 1), overall**2)
    # The scatter of whole weeks, scaled to a day, if there are enough: days of a week may rise and fall together.
    weeks = (len(left) - 1) // 7
    shape = (weeks, 7, left.shape[1])
    sums = left[len(left) - 1 - 7 * weeks : -1].reshape(shape).sum(axis=1)
    full = known[len(left) - 1 - 7 * weeks : -1].reshape(shape).all(axis=1)
    count = full.sum(axis=0)
    weekly = np.where(full, sums**2, 0.0).sum(axis=0) / np.maximum(count - 1, 1) / 7
    found: Array = np.maximum(np.where(free > 0, of_days, few), np.where(count >= LEAST_WEEKS, weekly, 0.0))
    return found


def _weekday(dates: Array) -> Array:
    weekdays: Array = (dates.astype("datetime64[D]").astype(np.int64) + 3) % 7
    return weekdays


# ---- caps


def keys_by_label(keys: pd.DataFrame | None, field: str) -> dict[str, list[tuple[str, int | None, bool]]]:
    """The keys of each label: the id, the cap on *field*, and whether the key is deactivated."""
    found: dict[str, list[tuple[str, int | None, bool]]] = {}
    if keys is None:
        return found
    if CAPPED[field] not in keys.columns:
        raise ValueError(f"the table of keys has no column {CAPPED[field]!r}. Use the table of svc_nb.keys.list()")
    limits = [None if pd.isna(cap) else int(cap) for cap in keys[CAPPED[field]].tolist()]
    ended = keys["is_deactivated"].tolist() if "is_deactivated" in keys.columns else [False] * len(keys)
    codes, texts = texts_of(keys["label"])
    for key_id, code, cap, over in zip(keys["key_id"], codes.tolist(), limits, ended, strict=True):
        found.setdefault(texts[code], []).append((key_id, cap, bool(over)))
    return found


def _told(rows: pd.DataFrame, unclear: list[str], on: date, field: str) -> str:
    due = rows[rows["exhausted_on"].notna()]
    capped = int(rows["cap"].notna().sum())
    named = ", ".join(map(repr, unclear[:3]))
    which = f"Keys with the same label have different caps, so it is unclear which cap is whose: {named}."
    note = f" {one_line(which)}" if unclear else ""
    what = f"cap on {'minutes of speech' if is_minutes(field) else 'characters'}"
    if not capped:
        return f"No key has a {what}.{note} Next: svc_nb.keys.set_limits sets caps."
    if not len(due):
        return f"None of {plural(capped, 'cap')} is expected to be used up by the end of {on:%B %Y}.{note}"
    return (
        f"{len(due):,} of {plural(capped, 'cap')} {'is' if len(due) == 1 else 'are'} used up, or expected to be, by "
        f"the end of {on:%B %Y}.{note} Next: svc_nb.keys.set_limits changes caps."
    )
