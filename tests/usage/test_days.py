"""Days and ranges, as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_nb.usage import days

TODAY = date(2026, 11, 15)
BERLIN = ZoneInfo("Europe/Berlin")
DAYS = st.dates(date(2001, 1, 1), date(2026, 11, 15))


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-05",
        " 2026-03-05 ",
        date(2026, 3, 5),
        datetime(2026, 3, 5),
        datetime(2026, 3, 5, tzinfo=UTC),
        pd.Timestamp("2026-03-05"),
        pd.Timestamp("2026-03-05", tz="UTC"),
        np.datetime64("2026-03-05"),
        np.datetime64("2026-03-05T00:00:00", "ns"),
    ],
)
def test_a_day_is_read_from_all_that_people_write(written):
    for name in ("start", "end"):
        found = days.read_day(name, written)
        assert (type(found), found) == (date, date(2026, 3, 5))


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-05T13:30:15",
        "2026-03-05 13:30:15",
        "2026-03-05T13:30:15.9",
        "2026-03-05T13:30:15Z",
        "2026-03-05T14:30:15+01:00",
        datetime(2026, 3, 5, 13, 30, 15, 999),
        datetime(2026, 3, 5, 14, 30, 15, tzinfo=BERLIN),
        pd.Timestamp("2026-03-05 13:30:15.000000001"),
        pd.Timestamp("2026-03-05 14:30:15", tz="Europe/Berlin"),
        np.datetime64("2026-03-05T13:30:15"),
    ],
)
def test_a_moment_is_in_utc_and_to_the_second(written):
    for name in ("start", "end"):
        assert days.read_day(name, written) == datetime(2026, 3, 5, 13, 30, 15, tzinfo=UTC)
        assert days.written(days.read_day(name, written)) == "2026-03-05T13:30:15"


@pytest.mark.parametrize("kind", [lambda moment: moment, pd.Timestamp])
def test_midnight_in_a_time_zone_means_the_whole_day_there(kind):
    midnight = kind(datetime(2026, 10, 25, tzinfo=BERLIN))  # a day of 25 hours
    assert days.written(days.read_day("start", midnight)) == "2026-10-24T22:00:00"
    assert days.written(days.read_day("end", midnight)) == "2026-10-25T22:59:59"


def test_a_text_means_what_it_says_even_at_midnight():
    assert days.written(days.read_day("end", "2026-10-25T00:00:00")) == "2026-10-25T00:00:00"


ZONES = ["Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Kolkata", "Pacific/Apia", "UTC"]


@given(DAYS, st.sampled_from(ZONES))
@example(date(2018, 11, 4), "America/Sao_Paulo")  # the clocks are put forward at midnight
@example(date(2024, 11, 3), "America/Havana")  # there are two midnights
def test_a_local_day_lasts_from_its_first_second_to_the_last_before_the_next_day(day, zone):
    def midnight(day):
        return pd.Timestamp(day).tz_localize(zone, ambiguous=True, nonexistent="shift_forward")

    local = midnight(day)
    following = midnight(local.date() + timedelta(days=1))
    assert pd.Timestamp(days.first_second(days.read_day("start", local))) == local
    end = pd.Timestamp(days.last_second(days.read_day("end", local)))
    assert end + pd.Timedelta(seconds=1) == following


@pytest.mark.parametrize("day", ["2024-03-10", "2024-11-03"])
def test_a_moment_of_a_day_whose_clocks_change_at_midnight_is_that_moment(day):
    noon = pd.Timestamp(f"{day} 12:00", tz="America/Havana")
    for name in ("start", "end"):
        assert days.read_day(name, noon) == days.read_day(name, noon.to_pydatetime()) == noon.to_pydatetime()


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "soon",
        "2026-02-30",
        "05.03.2026",
        "2026-3-5",
        "20260305",
        "2026-03-05T25:00:00",
        "2026-03-05T12",
        "２０２６-03-05",
    ],
)
def test_nonsense_is_refused_in_one_line(nonsense):
    for name in ("start", "end"):
        with pytest.raises(ValueError, match=f"^{name}: expected a day such as 2026-10-31.*found") as found:
            days.read_day(name, nonsense)
        assert "\n" not in str(found.value)


@pytest.mark.parametrize("nonsense", [None, 20260305, pd.NaT, np.datetime64("NaT"), ["2026-03-05"], float("nan")])
def test_what_is_no_day_at_all_is_refused(nonsense):
    with pytest.raises((TypeError, ValueError), match="start: expected a day"):
        days.read_day("start", nonsense)


@pytest.mark.parametrize(
    ("start", "end", "complaint"),
    [
        ("2026-03-06", "2026-03-05", r"end \(2026-03-05\) is before start \(2026-03-06\)"),
        ("2026-03-05T12:00:01", "2026-03-05T12:00:00", "is before start"),
        ("2126-01-01", "2126-01-02", r"start \(2126-01-01\) is in the future: today is 2026-11-15"),
        ("2126-01-01", None, r"start \(2126-01-01\) is in the future"),
        ("2026-11-01", "2062-11-01", r"end \(2062-11-01\) is in the future"),
        ("0001-01-01", "2026-01-01", "too early"),
        ("this month", "2026-11-15", "is already a range"),
        ("9999-12-31", "9999-12-31", "future"),
    ],
)
def test_a_range_that_means_nothing_is_refused(start, end, complaint):
    with pytest.raises(ValueError, match=complaint):
        days.bounds(start, end, today=TODAY)


def test_a_range_that_has_no_name_is_answered_with_those_that_have():
    with pytest.raises(ValueError, match=r"such as '14 days', 'this month' or 'last month', found 'last week'"):
        days.bounds("last week", today=TODAY)
    with pytest.raises(ValueError, match="expected a day") as found:
        days.bounds("2026-01-01", "last week", today=TODAY)
    assert "days'" not in str(found.value)


def test_any_number_of_days_is_a_range():
    assert days.bounds("14 days", today=TODAY) == (TODAY - timedelta(days=13), TODAY)
    assert days.bounds(" 1 Day ", today=TODAY) == (TODAY, TODAY)
    for wrong in ("0 days", "999999 days"):
        with pytest.raises(ValueError, match="expected 1 day or more"):
            days.bounds(wrong, today=TODAY)


def test_an_aware_moment_at_the_end_of_time_is_refused():
    with pytest.raises(ValueError, match="start"):
        days.bounds(datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), today=TODAY)


def test_a_range_without_an_end_is_up_to_today_and_without_a_start_is_30_days():
    assert days.bounds("2026-11-01", today=TODAY) == (date(2026, 11, 1), TODAY)
    assert days.bounds(today=TODAY) == days.preset("30 days", today=TODAY) == (date(2026, 10, 17), TODAY)
    assert days.bounds(end="2026-03-30", today=TODAY) == (date(2026, 3, 1), date(2026, 3, 30))
    assert days.bounds("2026-11-16", "2026-11-16", today=TODAY)  # it is tomorrow already somewhere


@given(DAYS)
def test_presets_end_today_or_with_the_last_month_and_have_their_length(today):
    for count in (7, 30, 90):
        start, end = days.bounds(f"{count} days", today=today)
        assert ((end - start).days + 1, end) == (count, today)
    this, last = (days.preset(name, today=today) for name in ("this month", "last month"))
    assert (this[0].day, this[1], last[0].day) == (1, today, 1)
    assert last[1] + timedelta(days=1) == this[0]
    with pytest.raises(ValueError, match="there is no range 'next month'"):
        days.preset("next month", today=today)


@given(DAYS, st.integers(0, 2000), st.integers(1, 366), st.booleans())
def test_the_parts_of_a_range_have_no_gap_no_overlap_and_the_same_ends(start, length, most, moments):
    end = start + timedelta(days=length)
    first = datetime(start.year, start.month, start.day, 12, tzinfo=UTC) if moments else start
    last = datetime(end.year, end.month, end.day, 13, tzinfo=UTC) if moments else end
    parts = days.cut(first, last, most=most)
    assert (parts[0][0], parts[-1][1]) == (first, last)
    for before, after in pairwise(parts):
        assert days.day_of(after[0]) - days.day_of(before[1]) == timedelta(days=1)
    assert all((days.day_of(b) - days.day_of(a)).days < most for a, b in parts)
    assert len(parts) == length // most + 1
