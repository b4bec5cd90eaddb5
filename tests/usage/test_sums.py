"""What charts draw: names that tell keys apart, and sums that lose nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.usage.display_names import names
from svc_nb.usage.totals import by_day, by_key, by_product, grid, is_minutes, share

LABELS = st.sampled_from(
    ["", " ", "a", "b", "a (m1)", "(no label)", "(no label) (m1)", "2 others", "a\nb", "a b", "$x$"]
)
MASKS = st.sampled_from(["m1", "m2", "m3", ""])
ROWS = st.lists(st.tuples(st.integers(0, 40), MASKS, LABELS, st.integers(0, 2**40), st.integers(0, 10**9)), max_size=30)


def table(rows):
    days, masks, labels, characters, milliseconds = zip(*rows, strict=True) if rows else ((),) * 5
    return pd.DataFrame(
        {
            "usage_date": (np.datetime64("2026-01-01") + np.array(days, dtype=int)).astype("datetime64[s]"),
            "api_key": pd.Series(masks, dtype="object"),
            "api_key_label": pd.Series(labels, dtype="object"),
            "total_characters": np.array(characters, dtype=np.int64),
            "text_translation_characters": np.array(characters, dtype=np.int64),
            "speech_to_text_minutes": np.array(milliseconds, dtype=float) / 60_000,
        }
    )


def test_a_key_is_called_by_its_label_and_its_mask_where_that_is_not_enough():
    rows = [(0, "m1", "team", 1, 0), (0, "m2", "team", 1, 0), (0, "m3", " ", 1, 0), (0, "m4", "shop", 1, 0)]
    given = table(rows)
    given.index = [7, 7, 8, 9]
    found = names(given)
    assert found.tolist() == ["team (m1)", "team (m2)", "(no label) (m3)", "shop"]
    assert found.index.tolist() == [7, 7, 8, 9]


@given(ROWS)
def test_two_keys_never_have_the_same_name_and_one_never_has_two(rows):
    given = table(rows)
    pairs = list(zip(given["api_key"], given["api_key_label"], strict=True))
    found = names(given).tolist()
    assert len({*pairs}) == len({*found}) == len({*zip(pairs, found, strict=True)})
    assert all(name.strip() and "\n" not in name for name in found)


def test_names_take_what_a_csv_file_makes_of_labels():
    given = table([(0, "m1", "", 1, 0), (0, "m2", "x", 1, 0)])
    given["api_key_label"] = [np.nan, "x"]
    assert names(given).tolist() == ["(no label) (m1)", "x"]
    given["api_key_label"] = [np.nan, 2026.0]
    assert names(given).tolist() == ["(no label) (m1)", "2026.0"]
    given["api_key_label"] = [2026, 2027]
    assert names(given).tolist() == ["2026", "2027"]
    assert names(given.drop(columns="api_key")).tolist() == ["2026", "2027"]
    assert names(given[["usage_date", "total_characters"]]).tolist() == ["all keys"] * 2
    tags = pd.DataFrame({"custom_tag": ["a", "b\n", "a"], "total_characters": [1, 2, 3]})
    assert by_key(tags).to_dict() == {"a": 4, "b": 2}


@given(ROWS, st.sampled_from(["total_characters", "speech_to_text_minutes"]), st.none() | st.integers(1, 5))
def test_sums_are_those_of_a_pivot_table_and_lose_nothing(rows, field, top):
    given = table(rows)
    exact = given.assign(name=names(given).astype(object), units=[row[4 if is_minutes(field) else 3] for row in rows])
    daily, keyed = by_day(given, field=field, top=top), by_key(given, field=field, top=top)
    unit = 60_000 if is_minutes(field) else 1
    sums = exact.groupby("name")["units"].sum().to_dict()
    assert int(np.rint(keyed.to_numpy() * unit).sum()) == sum(sums.values())
    assert [*daily] == [*keyed.index] == [*grid(given, field=field, top=top).index]
    beyond = daily.attrs["others"]
    rest = max(len(sums) - (top or len(sums)), 0)
    assert beyond == (rest if rest > 1 else 0)  # one alone is named
    for name, cell in list(keyed.items())[: len(keyed) - bool(beyond)]:
        assert cell == sums[name] / unit
    largest = sorted(sums.values(), reverse=True)[: top if beyond else len(sums)]
    assert np.rint(keyed.to_numpy()[: len(largest)] * unit).tolist() == largest
    if rows:
        assert daily.index.tolist() == pd.date_range(daily.index[0], daily.index[-1]).tolist()
        assert (daily.index[0], daily.index[-1]) == (given["usage_date"].min(), given["usage_date"].max())
        shown = daily.iloc[:, : daily.shape[1] - bool(beyond)]
        for (day, name), units in exact.groupby(["usage_date", "name"])["units"].sum().items():
            assert name not in shown or shown.loc[day, name] == units / unit


def test_the_rest_stands_together_at_the_end():
    given = table([(0, f"m{number}", f"key {number}", number, 0) for number in range(1, 13)])
    keyed = by_key(given, top=10)
    assert keyed.index.tolist()[:2] == ["key 12", "key 11"]
    assert (keyed.index[-1], keyed.iloc[-1], len(keyed)) == ("2 others", 3, 11)
    assert by_key(given, top=10, named=["key 1"]).index.tolist()[-2:] == ["key 2", "key 1"]
    assert by_key(given, top=9, named=["key 1"]).to_dict() == by_key(given, top=9).drop("3 others").to_dict() | {
        "key 1": 1,
        "2 others": 5,
    }
    for top in (11, 12):  # one alone stands there by its name
        assert (by_key(given, top=top).index[-1], by_key(given, top=top).attrs["others"]) == ("key 1", 0)
    assert share(given).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="top: expected 1 or more"):
        by_day(given, top=0)


def test_a_key_called_like_the_rest_is_no_part_of_it():
    given = table([(0, f"m{number}", label, 9 - number, 0) for number, label in enumerate(["2 others", *"abc"])])
    assert by_key(given, top=2).to_dict() == {"2 others": 9, "a": 8, "2 others #2": 13}
    assert by_day(given, top=2).columns.is_unique


def test_shares_of_nothing_are_nothing():
    given = table([(0, "m1", "a", 0, 0)])
    assert share(given).tolist() == [0.0]
    assert len(share(given.head(0))) == 0
    assert by_day(given.head(0)).shape == (0, 0)


def test_products_are_summed_by_day_or_by_key():
    given = table([(0, "m1", "a", 5, 0), (2, "m2", "b", 7, 0)])
    daily = by_product(given)
    assert daily["text_translation_characters"].tolist() == [5, 0, 7]
    keyed = by_product(given.drop(columns="usage_date"))
    assert keyed["text_translation_characters"].to_dict() == {"b": 7, "a": 5}
    assert by_product(given.head(0)).shape == (0, 1)


def test_missing_cells_count_as_nothing_and_other_forms_of_days_are_read():
    given = table([(0, "m1", "a", 5, 0), (1, "m1", "a", 7, 0)]).astype({"total_characters": "Int64"})
    given.loc[0, "total_characters"] = pd.NA
    for days in (["2026-01-01", "2026-01-02"], pd.to_datetime(["2026-01-01T00:00Z", "2026-01-02T00:00Z"])):
        assert by_day(given.assign(usage_date=days))["a"].tolist() == [0, 7]
    with pytest.raises(ValueError, match="no column 'document_translation_characters'; its amounts are total_ch"):
        by_day(given, field="document_translation_characters")
    with pytest.raises(ValueError, match=r"has no days\. Request it with group_by="):
        by_day(given.drop(columns="usage_date"))
    with pytest.raises(ValueError, match="a row has no day"):
        by_day(given.assign(usage_date=pd.to_datetime(["2026-01-01", None])))
