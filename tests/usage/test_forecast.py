"""A forecast that keeps the weekly rhythm, says how sure it is, and works with little."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from svc_nb.usage.forecast import forecast, paths

ON = date(2026, 6, 17)  # a Wednesday; the month ends on a Tuesday
WORKING, WEEKEND = 1000, 100


def usage(counts, *, last=ON, label="shop", mask="aaaa********bbbb"):
    """Use of one key on the days up to *last*, the last count on the last day."""
    days = np.datetime64(last) - np.arange(len(counts))[::-1]
    return pd.DataFrame(
        {
            "usage_date": days.astype("datetime64[s]"),
            "api_key": mask,
            "api_key_label": label,
            "total_characters": np.array(counts, dtype=np.int64),
        }
    )


def rhythm(days, *, last=ON):
    """Days of work and weekends, without any scatter."""
    dates = np.datetime64(last) - np.arange(days)[::-1]
    return np.where((dates.astype(int) + 3) % 7 < 5, WORKING, WEEKEND)


def keys(**caps):
    return pd.DataFrame(
        {
            "key_id": [f"id-{label}" for label in caps],
            "label": [*caps],
            "is_deactivated": False,
            "characters": pd.array([*caps.values()], dtype="Int64"),
        }
    )


def test_a_steady_week_continues_exactly():
    found = forecast(usage(rhythm(60)), None, on=ON)
    month = rhythm(30, last=date(2026, 6, 30)).sum()
    assert found[["used", "expected", "low", "high"]].iloc[0].tolist() == [
        rhythm(17).sum(),
        month,
        month,
        month,
    ]
    assert pd.isna(found["cap"].iloc[0])
    assert found["exhausted_on"].isna().all()


def test_the_day_of_exhaustion_is_that_on_which_the_sum_reaches_the_cap():
    whole = np.cumsum(rhythm(30, last=date(2026, 6, 30)))
    for day in (17, 18, 22, 30):
        cap = int(whole[day - 1])
        found = forecast(usage(rhythm(60)), keys(shop=cap), on=ON).iloc[0]
        assert found["exhausted_on"] == found["earliest"] == found["latest"] == pd.Timestamp(2026, 6, day)
    beyond = forecast(usage(rhythm(60)), keys(shop=int(whole[-1]) + 1), on=ON)
    assert beyond["exhausted_on"].isna().all()
    assert "None of 1 cap" in beyond.said


def test_a_cap_that_is_reached_says_when_and_a_block_is_from_the_first_day():
    used = np.cumsum(rhythm(17))
    reached = forecast(usage(rhythm(60)), keys(shop=int(used[4])), on=ON).iloc[0]
    assert reached["exhausted_on"] == pd.Timestamp(2026, 6, 5)
    blocked = forecast(usage(rhythm(60)), keys(shop=0), on=ON).iloc[0]
    assert blocked["exhausted_on"] == pd.Timestamp(2026, 6, 1)


def test_what_today_has_already_is_not_expected_again():
    counts = rhythm(60)
    counts[-1] = 400
    half = forecast(usage(counts), None, on=ON).iloc[0]
    assert half["expected"] == rhythm(30, last=date(2026, 6, 30)).sum()
    counts[-1] = 5000
    busy = forecast(usage(counts), None, on=ON).iloc[0]
    assert busy["expected"] == rhythm(30, last=date(2026, 6, 30)).sum() + 4000


def test_the_band_holds_about_four_of_five_months():
    dice = np.random.default_rng(7)
    end = date(2026, 6, 30)
    counts = np.rint(rhythm(90, last=end)[:, None] * dice.lognormal(-0.08, 0.4, (90, 400))).astype(int)
    seen = pd.concat(
        [usage(counts[:-13, n], label=f"key {n}", mask=f"m{n}") for n in range(counts.shape[1])],
        ignore_index=True,
    )
    found = forecast(seen, None, on=ON)
    truth = counts[-30:].sum(axis=0)[[int(name.split()[1]) for name in found["name"]]]
    inside = (truth >= found["low"]) & (truth <= found["high"])
    assert 0.7 < inside.mean() < 0.9
    assert (found["low"] <= found["expected"]).all()
    assert (found["expected"] <= found["high"]).all()
    assert (found["used"] <= found["low"]).all()


@pytest.mark.parametrize("days", [0, 1, 2, 5, 8, 20])
def test_it_works_with_little_or_no_history(days):
    found = forecast(usage([50] * days), keys(shop=1000), on=ON)
    row = found.iloc[0]
    assert row["used"] == min(days, 17) * 50
    if days:
        assert row["expected"] == row["used"] + 13 * 50
    assert row["low"] <= row["expected"] <= row["high"]
    assert (days in (1, 2)) == (row["high"] > row["expected"])  # of one day it is not known how much it says


def test_a_new_key_is_not_taken_for_one_that_rested():
    young = usage(rhythm(14), label="new", mask="m2")
    found = forecast(pd.concat([usage(rhythm(60)), young]), None, on=ON).set_index("name")
    month = rhythm(30, last=date(2026, 6, 30))
    assert found.loc["new", "expected"] == month[-27:].sum()
    assert found.loc["shop", "expected"] == month.sum()


def test_a_deactivated_key_uses_nothing_more():
    ended = keys(shop=10**6).assign(is_deactivated=True)
    row = forecast(usage(rhythm(60)), ended, on=ON).iloc[0]
    assert row["used"] == row["expected"] == row["low"] == row["high"]


def test_rows_are_for_keys_with_a_cap_or_use_this_month_the_most_urgent_first():
    whole = rhythm(30, last=date(2026, 6, 30)).sum()
    table = pd.concat(
        [
            usage(rhythm(60), label="calm", mask="m1"),
            usage(rhythm(60), label="late", mask="m2"),
            usage(rhythm(60), label="soon", mask="m3"),
            usage(rhythm(10, last=date(2026, 5, 20)), last=date(2026, 5, 20), label="past", mask="m4"),
        ],
        ignore_index=True,
    )
    found = forecast(table, keys(calm=None, late=int(whole) - 1, soon=int(whole) // 2, idle=5, free=None), on=ON)
    assert found["name"].tolist() == ["soon", "late", "calm", "idle"]
    assert found["api_key"].isna().tolist() == [False, False, False, True]
    assert found["cap"].isna().tolist() == [False, False, True, False]
    assert [*found] == [
        "name", "api_key", "api_key_label", "cap", "used", "expected", "low", "high",
        "exhausted_on", "earliest", "latest",
    ]  # fmt: skip
    assert (found["cap"].dtype, found["used"].dtype, found["exhausted_on"].dtype) == (
        "Int64",
        "int64",
        "datetime64[s]",
    )
    assert found.said.startswith("2 of 3 caps are used up, or expected to be, by the end of June 2026.")


def test_caps_of_keys_with_one_label_are_taken_only_where_they_agree():
    table = pd.concat([usage(rhythm(60), mask="m1"), usage(rhythm(60), mask="m2")], ignore_index=True)
    two = pd.concat([keys(shop=100), keys(shop=100)], ignore_index=True)
    assert forecast(table, two, on=ON)["cap"].tolist() == [100, 100]
    two.loc[0, "characters"] = 200
    unclear = forecast(table, two, on=ON)
    assert unclear["cap"].isna().all()
    assert "Keys with the same label have different caps, so it is unclear which cap is whose: 'shop'." in unclear.said


def test_paths_go_from_the_first_day_to_the_last_and_meet_the_forecast():
    dice = np.random.default_rng(1)
    table = usage(np.rint(rhythm(60) * dice.lognormal(0, 0.3, 60)).astype(int))
    row, path = forecast(table, None, on=ON).iloc[0], paths(table, "shop", on=ON)
    assert path["usage_date"].tolist() == pd.date_range("2026-06-01", "2026-06-30").tolist()
    assert path["used"].notna().tolist() == [True] * 17 + [False] * 13
    assert path["expected"].notna().tolist() == [False] * 16 + [True] * 14
    assert path["used"].dropna().iloc[-1] == row["used"]
    assert path[["expected", "low", "high"]].iloc[-1].tolist() == row[["expected", "low", "high"]].tolist()
    for name in ("used", "expected", "low", "high"):
        assert path[name].dropna().is_monotonic_increasing
    nobody = paths(table, "nobody", on=ON)
    assert nobody["used"].dropna().tolist() == [0] * 17
    assert nobody["high"].dropna().tolist() == [0] * 14


@pytest.mark.parametrize("on", [date(2026, 6, 1), date(2026, 6, 30), date(2024, 2, 29), date(2026, 12, 31)])
def test_the_edges_of_a_month_are_no_edge_cases(on):
    table = usage(rhythm(100, last=on), last=on)
    path = paths(table, "shop", on=on)
    row = forecast(table, keys(shop=1), on=on).iloc[0]
    assert row["used"] == path["used"].max() == rhythm(on.day, last=on).sum()
    assert row["exhausted_on"] == pd.Timestamp(on).replace(day=1)


@pytest.mark.parametrize(("written", "meant"), [(np.nan, ""), (2026, "2026")])
def test_labels_of_keys_may_be_what_a_csv_file_makes_of_them(written, meant):
    table = usage(rhythm(60), label=meant)
    assert forecast(table, keys(shop=100).assign(label=[written]), on=ON)["cap"].tolist() == [100]
    idle = forecast(table.head(0), keys(shop=100).assign(label=[written]), on=ON)
    assert idle["api_key_label"].tolist() == [meant]


def test_speech_is_held_against_its_own_cap_in_minutes():
    table = usage([7] * 60).assign(speech_to_text_minutes=0.1)
    listed = keys(shop=10**6).assign(speech_to_text_milliseconds=pd.array([120_000], dtype="Int64"))
    found = forecast(table, listed, on=ON, field="speech_to_text_minutes")
    row = found.iloc[0]
    assert (row["cap"], row["used"], row["expected"]) == (2.0, 1.7, 3.0)
    assert row["exhausted_on"] == pd.Timestamp(2026, 6, 20)  # twenty tenths, without rounding
    path = paths(table, "shop", on=ON, field="speech_to_text_minutes")
    assert (path["used"].max(), path["expected"].max()) == (1.7, 3.0)
    free = forecast(table, listed.assign(speech_to_text_milliseconds=pd.NA), on=ON, field="speech_to_text_minutes")
    assert free.said.startswith("No key has a cap on minutes of speech.")


def test_a_table_of_keys_without_caps_of_speech_is_refused():
    table = usage([7] * 60).assign(speech_to_text_minutes=0.1)
    with pytest.raises(ValueError, match="no column 'speech_to_text_milliseconds'"):
        forecast(table, keys(shop=1), on=ON, field="speech_to_text_minutes")


def test_keys_that_share_a_label_and_rest_are_called_by_their_ids():
    two = pd.concat([keys(Test=5), keys(Test=6)], ignore_index=True)
    two["key_id"] = ["7f3a90c1-aa:1", "88be12d4-aa:2"]
    found = forecast(usage(rhythm(60)), two, on=ON)
    assert {"Test (id 7f3a90c1)", "Test (id 88be12d4)"} <= {*found["name"]}
