"""How much of each cap will be used when the month ends, from the weekly rhythm of the last weeks: arithmetic only.

A day of the week is expected to be like the same day in up to eight weeks before, on average; a key that is younger
counts from its first use. The band holds what comes in about four of five months: it has the scatter of single days,
or of whole weeks where that is larger, and how little is known of a mean of few days. Nothing here knows of the cap but
the dates of exhaustion: what is expected is what people want to use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.errors import one_line
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.usage.days import Day, day_of
from svc_nb.usage.display_names import called_by_id, coded, distinct, texts_of
from svc_nb.usage.totals import MILLISECONDS, amounts, dates_of, in_unit, is_minutes

Array = npt.NDArray[Any]

WEEKS = 8
# Four of five: what a normal law leaves out is one in ten on each side.
WIDTH = 1.2816
LEAST_WEEKS = 4
BANDS = ("expected", "low", "high")
FIELD = "total_characters"
# The amounts that have caps, and where the table of keys has those: in the unit of `totals.amounts`.
CAPPED = {FIELD: "characters", "speech_to_text_minutes": "speech_to_text_milliseconds"}


def forecast(table: pd.DataFrame, keys: pd.DataFrame | None = None, *, on: Day, field: str = FIELD) -> Report:
    """One row for each key that has a cap or was used in the month of *on*, the first to be exhausted on top.

    *table* is usage by key and day, best from eight weeks before; *keys* is the table of `svc_nb.keys.list`. `used` is
    up to *on*, `expected`, `low` and `high` are at the end of the month, all in the unit of *field*: characters, or
    minutes of speech to text. `exhausted_on` is when the expected use reaches the cap, `earliest` and `latest` are by
    `high` and `low`; missing is not this month. One table names keys by mask and label, the other by id and label, so
    caps are found by label; where keys of one label have different caps, none is, and `attrs["unclear"]` has the label.
    """
    course = _course(table, day_of(on), field)
    caps = _Caps(keys, field)
    ended = np.array([caps.is_ended(label) for label in course.labels], dtype=np.bool_)
    course = course.without_rest(ended)
    limits = [caps.of(label) for label in course.labels]
    rows = _rows(course, limits)
    idle = caps.idle(course.labels)
    if idle:
        rows = (
            pd.concat([rows, _idle_rows(idle, course)], ignore_index=True)
            if len(rows)
            else _idle_rows(idle, course)
        )
    rows = rows[(rows["used"] > 0) | rows["cap"].notna()]
    found = rows.sort_values(["exhausted_on", "expected"], ascending=[True, False], kind="stable")
    unclear = caps.unclear(course.labels)
    told = Report(found.reset_index(drop=True), _told(found, unclear, day_of(on), field))
    told.attrs["unclear"] = unclear
    return told


def paths(table: pd.DataFrame, name: str, *, on: Day, field: str = FIELD) -> pd.DataFrame:
    """One row for each day of the month of *on*: what the key called *name* has used by its end, and is expected to.

    `used` is missing after *on*; `expected`, `low` and `high` are missing before. An unknown name has used nothing.
    """
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
    """The course of a month for all keys at once, a column each; *used* goes to today, the others begin with today.

    Amounts are in the unit of `totals.amounts`.
    """

    field: str
    names: list[str]
    masks: list[str]
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
        """The same, but for keys that *ended* nothing more comes."""
        bands = {band: np.where(ended, self.used[-1], getattr(self, band)) for band in BANDS}
        return replace(self, **bands)

    def whole(self, band: str) -> Array:
        """The month from its first day to its last: used before today, then *band*."""
        return np.concatenate([self.used[:-1], getattr(self, band)])


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
    daily = _daily(dates - begins, codes, cells, shape=(int((today - begins).astype(int)) + 1, len(names)))
    rest = np.arange(today, after)
    known = _known(dates[cells > 0], codes[cells > 0], begins, shape=daily.shape)
    expected, deviation = _ahead(daily, known, rest)
    used = np.cumsum(daily[int((first - begins).astype(int)) :], axis=0)
    low = np.maximum.accumulate(np.maximum(expected - WIDTH * deviation, 0.0), axis=0)
    bands = (
        used[-1] + np.rint(band).astype(np.int64) for band in (expected, low, expected + WIDTH * deviation)
    )
    masks, labels = [mask for mask, _ in pairs], [label for _, label in pairs]
    return _Course(field, names, masks, labels, np.arange(first, after), used, *bands)


def _daily(places: Array, codes: Array, cells: Array, *, shape: tuple[int, int]) -> Array:
    """What each key used on each day; what is before and after is left out."""
    rows = places.astype(np.intp)
    within = (rows >= 0) & (rows < shape[0])
    sums = np.zeros(shape, dtype=np.int64)
    np.add.at(sums, (rows[within], codes[within]), cells[within])
    return sums


def _known(dates: Array, codes: Array, begins: Any, *, shape: tuple[int, int]) -> Array:
    """Which days before today say something of each key: those since its first use, within eight weeks.

    *dates* and *codes* are the days of use and the numbers of the keys that were used.
    """
    births = np.full(shape[1], np.datetime64("9999-12-31", "D"))
    np.minimum.at(births, codes, dates)
    days = begins + np.arange(shape[0])
    known: Array = (days[:, None] >= births) & (days[:, None] >= days[-1] - 7 * WEEKS)
    known[-1] = False  # today is not over
    return known


def _ahead(daily: Array, known: Array, rest: Array) -> tuple[Array, Array]:
    """What is still to come by the end of each day in *rest*, of which the first is today, and how sure that is."""
    means, counts = _means(daily, known, rest[0])
    weekdays = _weekday(rest)
    steps = means[weekdays]
    still = np.maximum(steps[0] - daily[-1], 0.0)
    part = np.divide(still, steps[0], out=np.zeros_like(still), where=steps[0] > 0)
    steps = np.concatenate([still[None], steps[1:]])
    weights = np.concatenate([part[None], np.ones((len(rest) - 1, daily.shape[1]))])
    per_weekday = np.stack(
        [np.where((weekdays == day)[:, None], weights, 0.0).cumsum(axis=0) for day in range(7)]
    )
    unsure = (per_weekday**2 / counts[:, None, :]).sum(axis=0)
    variance = _variance(daily, known, means, _weekday(rest[0] - np.arange(len(daily))[::-1]))
    return steps.cumsum(axis=0), np.sqrt(variance * (weights.cumsum(axis=0) + unsure))


def _means(daily: Array, known: Array, today: Any) -> tuple[Array, Array]:
    """For each day of the week and key the mean use, and how many days it is the mean of; else those of all days."""
    weekdays = _weekday(today - np.arange(len(daily))[::-1])
    cells = np.where(known, daily, 0)
    of_all = known.sum(axis=0)
    # Without a history today is all there is.
    overall = np.where(of_all > 0, cells.sum(axis=0) / np.maximum(of_all, 1), daily[-1])
    counts = np.stack([known[weekdays == day].sum(axis=0) for day in range(7)])
    sums = np.stack([cells[weekdays == day].sum(axis=0) for day in range(7)])
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    return means, np.where(counts > 0, counts, np.maximum(of_all, 1))


def _variance(daily: Array, known: Array, means: Array, weekdays: Array) -> Array:
    """How much days scatter around what was expected of them, for each key."""
    left = np.where(known, daily - means[weekdays], 0.0)
    count = known.sum(axis=0)
    weekly = np.minimum(count, 7)
    free = count - weekly
    of_days = (left**2).sum(axis=0) / np.maximum(free, 1)
    # Fewer than two weeks: around the mean of all days; and one day alone may be anything up to twice as much.
    cells = np.where(known, daily, 0)
    overall = np.where(count > 0, cells.sum(axis=0) / np.maximum(count, 1), daily[-1])
    around = np.where(known, daily - overall, 0.0)
    few = np.where(count > 1, (around**2).sum(axis=0) / np.maximum(count - 1, 1), overall**2)
    found: Array = np.maximum(np.where(free > 0, of_days, few), _weekly_variance(left, known))
    return found


def _weekly_variance(left: Array, known: Array) -> Array:
    """The scatter of whole weeks as that of a day, where there are enough of them: some rise and fall together."""
    weeks = (len(left) - 1) // 7
    shape = (weeks, 7, left.shape[1])
    sums = left[len(left) - 1 - 7 * weeks : -1].reshape(shape).sum(axis=1)
    full = known[len(left) - 1 - 7 * weeks : -1].reshape(shape).all(axis=1)
    count = full.sum(axis=0)
    scatter = np.where(full, sums**2, 0.0).sum(axis=0) / np.maximum(count - 1, 1) / 7
    return np.where(count >= LEAST_WEEKS, scatter, 0.0)


def _weekday(dates: Array) -> Array:
    weekdays: Array = (dates.astype("datetime64[D]").astype(np.int64) + 3) % 7
    return weekdays


# ---- caps


class _Caps:
    """The caps on an amount by label, as far as a label says which key is meant."""

    def __init__(self, keys: pd.DataFrame | None, field: str) -> None:
        self._caps: dict[str, list[int | None]] = {}
        self._ended: dict[str, list[bool]] = {}
        self._ids: dict[str, list[str]] = {}
        if keys is None:
            return
        if CAPPED[field] not in keys.columns:
            raise ValueError(f"the table of keys has no column {CAPPED[field]!r}; svc_nb.keys.list() has it")
        limits = [None if pd.isna(cap) else int(cap) for cap in keys[CAPPED[field]].tolist()]
        ended = keys["is_deactivated"].tolist() if "is_deactivated" in keys.columns else [False] * len(keys)
        codes, texts = texts_of(keys["label"])
        labels = [texts[code] for code in codes.tolist()]
        for key_id, label, cap, over in zip(keys["key_id"], labels, limits, ended, strict=True):
            self._caps.setdefault(label, []).append(cap)
            self._ended.setdefault(label, []).append(bool(over))
            self._ids.setdefault(label, []).append(key_id)

    def of(self, label: str) -> int | None:
        """The cap of the keys called *label*; None where there is none, or they differ."""
        found = {*self._caps.get(label, [None])}
        return None if len(found) > 1 else found.pop()

    def is_ended(self, label: str) -> bool:
        """Whether all keys called *label* are deactivated."""
        return label in self._ended and all(self._ended[label])

    def unclear(self, labels: list[str]) -> list[str]:
        """The *labels* whose keys have different caps."""
        return [label for label in dict.fromkeys(labels) if len({*self._caps.get(label, [])}) > 1]

    def idle(self, labels: list[str]) -> list[tuple[str, str, int]]:
        """The label, id and cap of each active key with a cap of whose label there is no use at all."""
        return [
            (label, key_id, cap)
            for label, caps in self._caps.items()
            if label not in labels
            for key_id, cap, over in zip(self._ids[label], caps, self._ended[label], strict=True)
            if cap is not None and not over
        ]


def _rows(course: _Course, limits: list[int | None]) -> pd.DataFrame:
    dates = {
        "exhausted_on": _reached(course, "expected", limits),
        "earliest": _reached(course, "high", limits),
        "latest": _reached(course, "low", limits),
    }
    caps = pd.array(limits, dtype="Int64")
    return pd.DataFrame(
        {
            "name": text_array(course.names),
            "api_key": text_array(course.masks),
            "api_key_label": text_array(course.labels),
            "cap": pd.Series(caps) / MILLISECONDS if is_minutes(course.field) else caps,
            "used": in_unit(course.used[-1], course.field),
            **{band: in_unit(getattr(course, band)[-1], course.field) for band in BANDS},
            **dates,
        }
    )


def _reached(course: _Course, band: str, limits: list[int | None]) -> Array:
    """For each key the day by whose end the cap is used up; missing where it is not."""
    caps = np.array([np.inf if cap is None else float(cap) for cap in limits])
    over = course.whole(band) >= caps
    found = np.where(over.any(axis=0), course.days[over.argmax(axis=0)], np.datetime64("NaT"))
    return found.astype("datetime64[s]")


def _idle_rows(idle: list[tuple[str, str, int]], course: _Course) -> pd.DataFrame:
    """Keys with a cap that were never used: nothing is expected of them."""
    count = len(idle)
    nothing = np.zeros((course.past, count), dtype=np.int64)
    rest = np.zeros((len(course.days) - course.past + 1, count), dtype=np.int64)
    labels = [label for label, _, _ in idle]
    names = called_by_id([key_id for _, key_id, _ in idle], labels)
    blank = _Course(course.field, names, [""] * count, labels, course.days, nothing, rest, rest, rest)
    rows = _rows(blank, [cap for _, _, cap in idle])
    rows["api_key"] = text_array([None] * count)
    return rows


def _told(rows: pd.DataFrame, unclear: list[str], on: date, field: str) -> str:
    due = rows[rows["exhausted_on"].notna()]
    capped = int(rows["cap"].notna().sum())
    named = ", ".join(map(repr, unclear[:3]))
    which = f"Keys with the same label have different caps, and which is whose is not known: {named}."
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
