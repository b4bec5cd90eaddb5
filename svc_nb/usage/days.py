"""Ranges of UTC days: parsed from user input, named, checked before any request, and split into parts.

A day is a `date`; a moment within one is a `datetime` in UTC, to the second. A range goes from the beginning of its
first day or moment to the end of its last day or second.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.tabular.report import plural
from svc_nb.wire.models.admin import EARLIEST

Day = date | datetime
Range = tuple[Day, Day]

MOST_DAYS = 366
PRESETS = ("7 days", "30 days", "90 days", "this month", "last month")

DAYS = re.compile(r"\d{1,6} days?", re.ASCII)
ONE_DAY = timedelta(days=1)
ONE_SECOND = timedelta(seconds=1)
WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
EXPECTED = "a day such as 2026-10-31, or a moment such as 2026-10-31T12:00:00, in UTC or with its offset"


def today() -> date:
    """The current UTC day."""
    return datetime.now(UTC).date()


def bounds(start: Any = None, end: Any = None, *, today: date) -> Range:
    """The range, or a ValueError; without *start* it has 30 days, without *end* it ends *today*."""
    if is_range(start):
        if end is not None:
            raise ValueError(f"{start!r} is already a range. Leave end= out")
        return preset(start, today=today)
    last = today if end is None else read_day("end", end)
    first = day_of(last) - 29 * ONE_DAY if start is None else read_day("start", start)
    if day_of(first) < EARLIEST:
        raise ValueError(f"start ({written(first)}) is too early: expected {EARLIEST} or later")
    # Somewhere on Earth tomorrow has already begun.
    for name, day, allowed in (("start", first, ONE_DAY), ("end", last, MOST_DAYS * ONE_DAY)):
        if day_of(day) > today + allowed:
            raise ValueError(f"{name} ({written(day)}) is in the future: today is {today} (UTC)")
    if first_second(first) > last_second(last):
        raise ValueError(f"end ({written(last)}) is before start ({written(first)}): swap them")
    return first, last


def is_range(name: object) -> bool:
    """Whether *name* names a range: one of `PRESETS`, or any number of days.

    >>> is_range("14 days"), is_range("Last month"), is_range("2026-10-31")
    (True, True, False)
    """
    return isinstance(name, str) and bool(name.strip().lower() in PRESETS or DAYS.fullmatch(name.strip().lower()))


def preset(name: str, *, today: date) -> tuple[date, date]:
    """The first and the last day of the range called *name*, which ends *today* or earlier; see `is_range`.

    >>> preset("last month", today=date(2026, 3, 5))
    (datetime.date(2026, 2, 1), datetime.date(2026, 2, 28))
    """
    name, month = name.strip().lower(), today.replace(day=1)
    if not is_range(name):
        raise ValueError(f"there is no range {name!r}. Use one of {', '.join(map(repr, PRESETS))}")
    if name == "this month":
        return month, today
    if name == "last month":
        return (month - ONE_DAY).replace(day=1), month - ONE_DAY
    number = int(name.split()[0])
    if not 0 < number <= (today - EARLIEST).days:
        raise ValueError(f"{name!r}: expected 1 day or more, up to {plural((today - EARLIEST).days, 'day')}")
    return today - (number - 1) * ONE_DAY, today


def cut(start: Day, end: Day, *, most: int = MOST_DAYS) -> list[Range]:
    """Split the range into parts of at most *most* days, in order; all but perhaps the last end with a day.

    >>> cut(date(2025, 1, 1), date(2025, 1, 5), most=3) == [
    ...     (date(2025, 1, 1), date(2025, 1, 3)), (date(2025, 1, 4), date(2025, 1, 5))]
    True
    """
    parts: list[Range] = []
    while day_of(start) + (most - 1) * ONE_DAY < day_of(end):
        last = day_of(start) + (most - 1) * ONE_DAY
        parts.append((start, last))
        start = last + ONE_DAY
    return [*parts, (start, end)]


def day_of(day: Day) -> date:
    """The UTC day of a day or moment."""
    return day.astimezone(UTC).date() if isinstance(day, datetime) else day


def written(day: Day) -> str:
    """A day or moment as the service writes it.

    >>> written(date(2026, 3, 5)), written(datetime(2026, 3, 5, 12, tzinfo=UTC))
    ('2026-03-05', '2026-03-05T12:00:00')
    """
    if isinstance(day, datetime):
        return day.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    return day.isoformat()


def first_second(day: Day) -> datetime:
    """When a range that starts with *day* begins."""
    return day if isinstance(day, datetime) else datetime.combine(day, time(), UTC)


def last_second(day: Day) -> datetime:
    """The last second of a range that ends with *day*."""
    return day if isinstance(day, datetime) else datetime.combine(day, time(23, 59, 59), UTC)


def read_day(name: str, value: Any) -> Day:
    """The day or moment, in UTC, of the "start" or the "end" of a range; midnight means the whole day."""
    try:
        if isinstance(value, str):
            text = value.strip()
            if not WRITTEN.fullmatch(text):
                raise ValueError
            if len(text) == len("2026-10-31"):
                return date.fromisoformat(text)
            moment = datetime.fromisoformat(text)
            return _in_utc(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
        if isinstance(value, np.datetime64):
            value = pd.Timestamp(value)
        if isinstance(value, datetime) and value is not pd.NaT:
            return _from_moment(pd.Timestamp(value), ends=name == "end")
    except (ValueError, OverflowError):
        named = ", a number of days such as '14 days', 'this month' or 'last month'" if name == "start" else ""
        raise ValueError(f"{name}: expected {EXPECTED}{named}, found {str(value)[:40]!r}") from None
    if isinstance(value, date) and value is not pd.NaT:
        return value
    found = "None" if value is None else type(value).__name__
    raise TypeError(f"{name}: expected {EXPECTED}, or a date, datetime or Timestamp, found {found}")


def _from_moment(stamp: pd.Timestamp, *, ends: bool) -> Day:
    if stamp.time() == time():
        is_midnight = stamp.nanosecond == 0
    else:  # a day may begin later if a clock change skips midnight
        is_midnight = stamp.tz is not None and _midnight(stamp.date(), stamp.tz) == stamp
    if not is_midnight:
        return _in_utc((stamp if stamp.tz else stamp.tz_localize(UTC)).to_pydatetime(warn=False))
    day = stamp.date()
    if not ends:
        first = _midnight(day, stamp.tz)
        return first.date() if first.time() == time() else first
    last = _midnight(day + ONE_DAY, stamp.tz) - ONE_SECOND
    return last.date() if last.time() == time(23, 59, 59) else last


def _midnight(day: date, zone: Any) -> datetime:
    """When *day* begins in *zone*, in UTC, even if its clocks change at midnight."""
    local = pd.Timestamp(day).tz_localize(zone or UTC, ambiguous=True, nonexistent="shift_forward")
    return _in_utc(local.to_pydatetime())


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)
