"""Use against caps: what was used, what is expected, and when the cap is reached."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from svc_nb.plots import alt_text, draw
from svc_nb.plots.caps import outcomes
from svc_nb.usage.forecast import forecast, paths
from tests.plots.example import HOSTILE, canvas, keys, usage, words

ON = date(2026, 11, 15)


def line(pane, label: str) -> np.ndarray:
    return next(line.get_ydata() for line in pane.lines if line.get_label() == label)


def test_the_lines_are_use_forecast_and_cap():
    table = usage(75, 1)
    limit = int(table["total_characters"].sum())
    ax = draw("caps", table, keys=keys(table, [limit]), ax=canvas())
    (pane,) = ax.child_axes
    path = paths(table, "Website", on=ON)
    np.testing.assert_array_equal(line(pane, "used"), path["used"])
    np.testing.assert_array_equal(line(pane, "expected"), path["expected"])
    assert set(line(pane, "cap")) == {limit}
    assert pane.get_ylim()[1] >= max(limit, path["high"].max())


def test_the_day_on_which_a_cap_is_reached_is_marked_and_said():
    table = usage(75, 1)
    used = table.loc[table["usage_date"] >= "2026-11-01", "total_characters"].sum()
    limits = keys(table, [int(used * 1.2)])
    row = forecast(table, limits, on=ON).iloc[0]
    ax = draw("caps", table, keys=limits, ax=canvas())
    (pane,) = ax.child_axes
    assert line(pane, "exhausted").tolist() == [row["cap"]]
    assert f"cap reached about {row['exhausted_on'].day} November" in alt_text(ax)
    assert any(f"about {row['exhausted_on'].day} November" in text for text in words(ax))
    assert "1 of 1 character cap reached by the end of the month" in alt_text(ax)


def test_the_keys_nearest_to_their_caps_come_first():
    table = usage(75, 5)
    ax = draw("caps", table, keys=keys(table, [10**9, 1, None, 0, 10**7]), ax=canvas())
    said = alt_text(ax)
    order = sorted(["Website", "App", "Support", "Marketing", "Data"], key=lambda name: said.index(f" {name}: "))
    assert order == ["App", "Data", "Website", "Marketing", "Support"]
    assert "App: cap reached on 1 November." in said
    assert "Marketing: blocked." in said
    assert "Support: no character cap; " in said


@pytest.mark.long
def test_twelve_keys_fit_and_more_are_said_to_be_left_out():
    table = usage(75, 12)
    ax = draw("caps", table, keys=keys(table, [10**6] * 12), ax=canvas())
    assert len([pane for pane in ax.child_axes if pane.axison]) == 12
    table = usage(75, 30)
    ax = draw("caps", table, keys=keys(table, [10**6] * 30), ax=canvas())
    assert any("12 of 30 keys" in text for text in words(ax))


def test_without_caps_the_forecast_is_drawn_alone():
    table = usage(75, 2)
    ax = draw("caps", table, keys=keys(table, []), ax=canvas())
    assert "no character caps" in alt_text(ax)
    assert all(line.get_label() != "cap" for pane in ax.child_axes for line in pane.lines)


def test_a_month_that_is_over_has_no_forecast_in_words():
    table = usage(31, 1, end="2026-10-31", incomplete=False)
    ax = draw("caps", table, keys=keys(table, [10**9]), ax=canvas())
    assert "used of 1,000,000,000" in alt_text(ax)
    assert " by 31 October" not in alt_text(ax)


def test_the_day_to_look_from_can_be_given():
    ax = draw("caps", usage(75, 1), on=date(2026, 11, 10), ax=canvas())
    assert "seen on 10 November" in alt_text(ax)
    assert int(np.isfinite(line(ax.child_axes[0], "used")).sum()) == 10


@pytest.mark.long
def test_labels_are_text_in_small_charts_too():
    ax = draw("caps", usage(75, HOSTILE), ax=canvas(1600, 800))
    assert {"$x_1$", "<b>bold</b>", "_private"} <= set(words(ax))


def test_where_the_keys_are_not_given_nothing_is_said_of_their_caps():
    ax = draw("caps", usage(75, 2), ax=canvas())
    assert "caps not known" in alt_text(ax)
    assert "no cap" not in alt_text(ax)
    assert "no character cap" not in alt_text(ax)


def test_speech_stands_against_its_own_cap_in_minutes():
    table = usage(75, 2)
    both = keys(table, [None, 10**6], minutes=[60, None])
    ax = draw("caps", table, keys=both, field="speech_to_text_minutes", ax=canvas())
    pane = ax.child_axes[0]
    month = table[(table["usage_date"] >= "2026-11-01") & (table["api_key_label"] == "Website")]
    assert set(line(pane, "cap")) == {60.0}
    assert np.nanmax(line(pane, "used")) == pytest.approx(month["speech_to_text_minutes"].sum())
    said = alt_text(ax)
    assert "Minutes of speech and caps in November 2026" in said
    assert "of 1 speech cap " in said
    assert "minutes used" in said
    assert "App: no speech cap; " in said


def test_a_key_with_a_cap_of_speech_alone_is_not_said_to_have_no_cap():
    table = usage(75, 1)
    ax = draw("caps", table, keys=keys(table, [None], minutes=[60]), ax=canvas())
    assert "Website: no character cap; " in alt_text(ax)
    assert not any(text.startswith("no cap") for text in words(ax))


def test_where_keys_of_one_label_have_different_caps_the_cap_is_not_known():
    table = usage(75, ["Test", "Shop"])
    two = keys(table, [0, None]).assign(label="Test", key_id=["a", "b"])
    said = alt_text(draw("caps", table, keys=two, ax=canvas()))
    assert "Test: cap not known; " in said
    assert "Shop: no character cap; " in said


def test_other_amounts_have_no_caps():
    with pytest.raises(ValueError, match="caps count total_characters or speech_to_text_minutes"):
        draw("caps", usage(30, 1), field="text_translation_characters", ax=canvas())


def test_outcomes_go_from_all_that_is_known_to_the_least():
    row = pd.Series(
        {
            "cap": 1000,
            "used": 400,
            "expected": 900,
            "low": 800,
            "high": 950,
            "exhausted_on": pd.NaT,
            "earliest": pd.NaT,
            "latest": pd.NaT,
        }
    )
    assert outcomes(row, ON) == [
        "40.0 % used, 80 to 95 % by 30 November",
        "80 to 95 % by 30 November",
        "40.0 % used",
    ]
    row["earliest"] = pd.Timestamp("2026-11-29")
    assert outcomes(row, ON)[0] == "40.0 % used, may be full by 29 November"
    row["exhausted_on"] = pd.Timestamp("2026-11-30")
    assert outcomes(row, ON)[0] == "cap reached about 30 November (29 November at the earliest)"
