"""Days far above the usual."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from svc_nb.usage.outliers import outliers


def table(amounts: list[int], label: str = "a") -> pd.DataFrame:
    days = pd.date_range("2026-10-01", periods=len(amounts), unit="s")
    return pd.DataFrame(
        {"usage_date": days, "api_key": "k", "api_key_label": label, "total_characters": np.array(amounts)}
    )


def test_one_day_far_above_is_found_with_its_usual():
    found = outliers(table([100, 110, 90] * 5 + [5000] + [105] * 5))
    assert found["usage_date"].dt.strftime("%m-%d").tolist() == ["10-16"]
    assert (found["name"].tolist(), found["amount"].tolist(), found["usual"].tolist()) == (["a"], [5000.0], [102.5])


def test_a_rhythm_of_weeks_has_no_outliers():
    assert outliers(table([100, 120, 110, 130, 100, 5, 4] * 6)).empty


def test_a_key_with_many_large_days_is_used_so():
    assert outliers(table([100, 101, 102, 103, 104, 105, 5000] * 6)).empty


def test_a_day_is_judged_by_the_same_day_of_the_week():
    weeks = [100, 9000, 110, 8000, 90, 5, 4] * 12
    assert outliers(table(weeks)).empty
    weeks[36] = 60_000  # the same day of the week has 9000
    found = outliers(table(weeks))
    assert (found["amount"].tolist(), found["usual"].tolist()) == ([60_000.0], [9000.0])


@pytest.mark.parametrize(("first", "last"), [(40, 41), (35, 60), (0, 83), (41, 41)])
def test_a_day_is_judged_the_same_in_every_range(first, last):
    weeks = [100, 9000, 110, 8000, 90, 50, 40] * 12
    weeks[41] = 60_000
    whole = table(weeks)
    days = whole["usage_date"].dt.date
    found = outliers(whole, within=(days[first], days[last]))
    pd.testing.assert_frame_equal(found, outliers(whole))
    assert outliers(whole, within=(days[42], days[83])).empty
    assert outliers(whole, within=(date(2020, 1, 1), date(2020, 12, 31))).empty


def test_few_days_and_no_days_say_nothing():
    assert outliers(table([1, 1, 1, 9000])).empty
    assert outliers(table([])).empty


def test_what_is_small_beside_all_use_is_no_outlier():
    both = pd.concat([table([10] * 20 + [100]), table([100_000] * 21, "b")])
    assert outliers(both).empty


def test_days_as_high_as_one_another_do_not_hide_each_other():
    rare = [2000 + day % 5 if day % 3 else 0 for day in range(90)]
    for day in (20, 41, 62):  # on the same day of the week
        rare[day] = 40_000 + day
    daily = table([100_000] * 90, "b")
    assert sorted(outliers(pd.concat([table(rare), daily]))["amount"]) == [40_020, 40_041, 40_062]
