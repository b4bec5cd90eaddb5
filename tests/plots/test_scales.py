"""The axis of days: ticks people expect, at any width."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pandas as pd
import pytest

from svc_nb.plots.axes import Amounts, day_at, day_numbers, set_days
from svc_nb.plots.text import span_in_words
from tests.plots.example import canvas


def ticks(days: int, *, width: float = 900, end: str = "2026-11-15"):
    ax = canvas(width)
    set_days(ax, pd.date_range(end=end, periods=days))
    ax.figure.draw_without_rendering()
    return [day_at(place) for place in ax.get_xticks()], [text.get_text() for text in ax.get_xticklabels()]


def test_a_week_has_a_tick_for_each_day():
    found, words = ticks(7)
    assert found == [date(2026, 11, 9) + timedelta(days=step) for step in range(7)]
    assert words == ["9\nNov", "10\n", "11\n", "12\n", "13\n", "14\n", "15\n"]


@pytest.mark.parametrize("days", [30, 90])
def test_a_month_or_a_quarter_has_ticks_on_mondays(days):
    found, words = ticks(days)
    assert {day.weekday() for day in found} == {0}
    assert {later - sooner for sooner, later in pairwise(found)} == {timedelta(days=7)}
    assert words[-1] == "9\n"


@pytest.mark.parametrize("width", [700, 1600])
def test_a_year_has_ticks_on_firsts_and_says_the_years(width):
    found, words = ticks(366, width=width)
    assert {day.day for day in found} == {1}
    assert len(found) >= 6
    assert [word for word in words if "2026" in word] == ["Jan\n2026"]


def test_twenty_years_are_said_by_year():
    found, words = ticks(7305)
    assert words == [str(day.year) for day in found]


def test_a_single_day_has_its_tick_and_no_other():
    assert ticks(1) == ([date(2026, 11, 15)], ["15\nNov"])


@pytest.mark.parametrize("width", [250, 700, 1600])
def test_there_are_ticks_at_every_width_and_range(width):
    ax = canvas(width)
    for days in (1, 2, 7, 14, 17, 30, 60, 180, 200, 366, 800, 4000):
        set_days(ax, pd.date_range(end="2026-11-15", periods=days))
        assert 1 <= len(ax.get_xticks()) <= 40


def test_days_stand_where_matplotlib_puts_them():
    from matplotlib.dates import date2num

    days = pd.date_range("2026-02-27", periods=3)
    assert day_numbers(days).tolist() == date2num(days.to_numpy()).tolist()


def test_ranges_say_nothing_twice():
    assert span_in_words(date(2026, 11, 5), date(2026, 11, 5)) == "5 November 2026"
    assert span_in_words(date(2026, 10, 5), date(2026, 11, 5)) == "5 October to 5 November 2026"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 250_000, 500_000], ["0", "250,000", "500,000"]),
        ([0, 500_000, 1_000_000, 1_500_000], ["0", "0.5 M", "1.0 M", "1.5 M"]),
        ([0, 2_000_000, 4_000_000], ["0", "2 M", "4 M"]),
        ([0, 0.5, 1.0], ["0", "0.5", "1.0"]),
        ([0, 2e9], ["0", "2 bn"]),
        ([], []),
    ],
)
def test_an_axis_has_one_unit_and_separators(values, words):
    assert Amounts().format_ticks(values) == words
