"""Usage against the embedded service: the table is the report, whole and exact, however the range is cut."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from svc_nb import errors
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage import report
from svc_nb.usage.days import cut
from svc_nb.usage.table import AMOUNTS, GROUPS, Usage, filled, from_report, summed, to_report
from svc_nb.usage.totals import by_day, by_key
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import KeyDayUsage, KeyUsage, UsageAmounts, UsageReport
from tests.conftest import Raw
from tests.usage.conftest import FIRST, TODAY

PRODUCTS = ("text_translation", "document_translation", "text_improvement", "speech_to_text")
BOOKING = st.tuples(
    st.integers(0, 4),
    st.sampled_from(PRODUCTS),
    st.integers(1, 10**7),
    st.integers(0, 800),
    st.integers(0, 86_399),
    st.sampled_from([None, "a", "b", "Ä $x$", "z"]),
)
BOOKINGS = st.lists(BOOKING, min_size=1, max_size=8)
LAW = settings(max_examples=20)
RANGES = st.tuples(st.integers(0, 820), st.integers(0, 365)).map(
    lambda pair: (FIRST + timedelta(days=pair[0]), FIRST + timedelta(days=pair[0] + pair[1]))
)


def book(books, bookings):
    for key, product, units, day, second, tag in bookings:
        books.book(key, product, units, day, second=second, tag=tag)


def sent(raw, start, end, group_by):
    """The JSON that the service sends, all pages of it."""
    query = f"start_date={start}&end_date={end}"
    if group_by in ("tag", "tag_and_day"):
        by = "day" if group_by == "tag_and_day" else "period"
        page, whole = 0, None
        while page is not None:
            answer = raw.admin("GET", f"/v2/admin/analytics/custom-tags?{query}&aggregate_by={by}&page={page}")
            part = answer.json()["custom_tag_usage_report"]
            whole = whole or {**part, "usage": []}
            whole["usage"] += part["usage"]
            whole["next_page"] = page = part["next_page"]
        return {"custom_tag_usage_report": whole}
    grouped = f"&group_by={group_by}" if group_by else ""
    return raw.admin("GET", f"/v2/admin/analytics?{query}{grouped}").json()


@pytest.fixture(scope="module")
def http(lasting):
    caller = Raw(lasting)
    yield caller
    caller.session.close()


@LAW
@given(BOOKINGS, RANGES, st.sampled_from(GROUPS))
def test_the_report_comes_back_as_it_was_sent(books, http, bookings, span, group_by):
    book(books, bookings)
    wire = sent(http, *span, group_by)
    asked = report.usage(books.asked, *span, group_by=group_by, today=TODAY)
    assert to_report(asked) == wire
    assert to_report(from_report(wire, today=TODAY)) == wire
    assert_frame_equal(pd.DataFrame(from_report(wire, today=TODAY)), pd.DataFrame(asked))
    assert to_report(pickle.loads(pickle.dumps(asked))) == wire


@LAW
@given(BOOKINGS, RANGES)
def test_sums_by_key_and_day_are_the_total_exactly(books, bookings, span):
    book(books, bookings)
    asked = report.usage(books.asked, *span, group_by="key_and_day", today=TODAY)
    by_keys = report.usage(books.asked, *span, group_by="key", today=TODAY)
    assert asked.total == by_keys.total == summed(asked) == summed(by_keys)
    for field in AMOUNTS:
        total = getattr(asked.total, field)
        assert milliseconds(by_day(asked, field=field).to_numpy().ravel(), field) == milliseconds([total], field)
        daily, keyed = by_key(asked, field=field), by_key(by_keys, field=field)
        assert daily.to_dict() == keyed.to_dict()
        assert asked[field].dtype == (np.float64 if "minutes" in field else np.int64)


def milliseconds(cells, field):
    """The exact sum; of minutes, each to its millisecond."""
    if "minutes" in field:
        return sum(round(Fraction(float(cell)) * 60_000) for cell in cells)
    return sum(int(cell) for cell in cells)


@LAW
@given(BOOKINGS, st.integers(1, 400), st.sampled_from(GROUPS), st.booleans())
def test_cutting_a_range_anywhere_gives_the_same_table(books, bookings, most, group_by, fill):
    book(books, bookings)
    span = FIRST, FIRST + timedelta(days=365)
    fill = fill and group_by in ("key_and_day", "tag_and_day")
    whole = report.usage(books.asked, *span, group_by=group_by, fill=fill, today=TODAY)
    parted = report.usage(books.asked, *span, group_by=group_by, fill=fill, today=TODAY, most=max(most, 20))
    assert (parted.total, parted.start, parted.end) == (whole.total, whole.start, whole.end)
    if group_by in (
        "key",
        "tag",
    ):  # who was not used in a part is not listed there, so that the order is not known
        who = [name for name in ("api_key", "custom_tag") if name in whole]
        assert_frame_equal(
            pd.DataFrame(parted.sort_values(who, ignore_index=True)),
            pd.DataFrame(whole.sort_values(who, ignore_index=True)),
        )
    else:
        assert_frame_equal(pd.DataFrame(parted), pd.DataFrame(whole))
    assert parted.said == whole.said


def test_a_range_of_years_is_cut_and_joined(books):
    books.book(0, "text_translation", 5, 0)
    books.book(0, "text_translation", 7, 365)  # the last day of the first part
    books.book(0, "text_translation", 7, 366)
    books.book(0, "text_translation", 11, 800)
    asked = report.usage(books.asked, FIRST, FIRST + timedelta(days=800), group_by="key_and_day", today=TODAY)
    assert asked.total == summed(asked)
    days = asked["usage_date"]
    assert (days.min(), days.max()) == (pd.Timestamp(FIRST), pd.Timestamp(FIRST + timedelta(days=800)))
    assert days.is_monotonic_increasing
    assert not asked.duplicated(["usage_date", "api_key"]).any()
    assert len(cut(asked.start, asked.end)) == 3


def test_moments_are_asked_for_and_kept_as_moments(books, http):
    books.book(4, "text_translation", 3, 820, second=3600)
    start, end = FIRST + timedelta(days=820), FIRST + timedelta(days=820)
    asked = report.usage(
        books.asked,
        pd.Timestamp(start, tz="Europe/Berlin") + pd.Timedelta(hours=2),
        f"{end}T01:00:00",
        group_by="key_and_day",
        today=TODAY,
    )
    assert (asked.start.tzinfo, asked.end) == (UTC, datetime(end.year, end.month, end.day, 1, tzinfo=UTC))
    assert asked["total_characters"].tolist() == [3]
    told = to_report(asked)["usage_report"]
    assert told["end_date"] == f"{end}T01:00:00"
    assert told == sent(http, told["start_date"], told["end_date"], "key_and_day")["usage_report"]
    assert to_report(from_report({"usage_report": told}))["usage_report"] == told


def test_tags_over_pages_are_all_there(books, http):
    for number in range(230):
        books.book(0, "text_translation", 1 + number, 830, tag=f"tag {number:03d}")
    day = FIRST + timedelta(days=830)
    for group_by in ("tag", "tag_and_day"):
        asked = report.usage(books.asked, day, day, group_by=group_by, today=TODAY)
        assert len(asked) == 230
        assert asked["total_characters"].sum() == sum(range(1, 231))
        assert to_report(asked) == sent(http, day, day, group_by)
        assert asked.total is None
        assert "document_translation_characters" not in asked


COLUMNS = {
    None: [],
    "key": ["api_key", "api_key_label"],
    "key_and_day": ["usage_date", "api_key", "api_key_label"],
    "tag": ["custom_tag"],
    "tag_and_day": ["usage_date", "custom_tag"],
}


@pytest.mark.parametrize("group_by", GROUPS)
def test_columns_are_those_of_the_grouping_also_where_nothing_was_used(books, group_by):
    empty = report.usage(books.asked, "2003-01-01", "2003-01-31", group_by=group_by, today=TODAY)
    number = 840 + GROUPS.index(group_by)  # a day of its own
    books.book(1, "speech_to_text", 90_000, number, tag="t")
    day = FIRST + timedelta(days=number)
    full = report.usage(books.asked, day, day, group_by=group_by, today=TODAY)
    tail = ["incomplete"] if group_by and "day" in group_by else []
    amounts = [name for name in AMOUNTS if not (group_by or "").startswith("tag") or "document" not in name]
    assert [*empty] == COLUMNS[group_by] + amounts + tail
    assert [name for name in full if name != "speech_to_speech_minutes"] == [*empty]
    assert (full[[*empty]].dtypes == empty.dtypes).all()
    assert full["speech_to_text_minutes"].tolist() == [1.5]
    if "usage_date" in full:
        assert full["usage_date"].dtype == np.dtype("datetime64[s]")
        assert full["incomplete"].dtype == np.bool_
    if "api_key" in full:
        assert full["api_key"].dtype == full["api_key_label"].dtype == pd.array(["x"], dtype=TEXT).dtype
    assert len(empty) == (1 if group_by is None else 0)
    assert "2003-01-01 to 2003-01-31 (UTC)" in repr(empty)
    assert to_report(from_report(to_report(empty))) == to_report(empty)


def test_today_is_incomplete_and_yesterday_is_not(books):
    for day in (850, 851):
        books.book(0, "text_translation", 1, day)
    span = FIRST + timedelta(days=850), FIRST + timedelta(days=851)
    asked = report.usage(books.asked, *span, group_by="key_and_day", today=span[1])
    assert asked["incomplete"].tolist() == [False, True]
    assert "not over" in asked.said
    later = report.usage(books.asked, *span, group_by="key_and_day", today=span[1] + timedelta(days=1))
    assert not later["incomplete"].any()
    assert "not over" not in later.said


@LAW
@given(BOOKINGS, RANGES, st.sampled_from(["key_and_day", "tag_and_day"]))
def test_filling_adds_zeros_for_every_key_and_day_and_nothing_else(books, bookings, span, group_by):
    book(books, bookings)
    plain = report.usage(books.asked, *span, group_by=group_by, today=TODAY)
    full = report.usage(books.asked, *span, group_by=group_by, fill=True, today=TODAY)
    who = "custom_tag" if group_by == "tag_and_day" else "api_key"
    days = (min(span[1], TODAY) - span[0]).days + 1
    assert len(full) == plain[who].nunique() * days
    assert full["usage_date"].is_monotonic_increasing
    assert (full.dtypes == plain.dtypes).all()
    used = full[[name for name in full if "_characters" in name or "_minutes" in name]].sum(axis=1) > 0
    order = ["usage_date", who]
    assert_frame_equal(
        pd.DataFrame(full[used].sort_values(order, ignore_index=True)),
        pd.DataFrame(plain.sort_values(order, ignore_index=True)),
    )
    assert full.total == plain.total


def test_days_to_come_are_not_filled(books):
    books.book(0, "text_translation", 1, 860)
    start = FIRST + timedelta(days=860)
    full = report.usage(
        books.asked,
        start,
        start + timedelta(days=30),
        group_by="key_and_day",
        fill=True,
        today=start + timedelta(days=2),
    )
    assert full["usage_date"].max() == pd.Timestamp(start + timedelta(days=2))
    assert full["incomplete"].tolist() == [False, False, True]


class Nobody(Admin):
    """Nothing may be asked."""

    def __init__(self):
        pass

    def __getattribute__(self, name):
        raise AssertionError(f"{name} was asked for")


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"start": "2026-02-02", "end": "2026-02-01"}, "before start"),
        ({"start": "2027-02-02"}, "is before start|future"),
        ({"start": "yesterday"}, "expected a day"),
        ({"start": "2026-01-01", "group_by": "month"}, "group_by: expected one of None, 'key'"),
        ({"start": "2026-01-01", "group_by": "key", "fill": True}, "fill=True needs rows by day"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_sent(asked, complaint):
    start, end = asked.pop("start"), asked.pop("end", None)
    with pytest.raises(ValueError, match=complaint):
        report.usage(Nobody(), start, end, **{"group_by": "key_and_day", "today": TODAY, **asked})


def test_a_key_that_is_no_administrator_is_told_what_to_set(lasting, books):
    from svc_nb.secret import Secret
    from svc_nb.session import Session
    from svc_nb.settings import Settings

    opened = Session(
        Settings(base_url=lasting.base_url, api_key=Secret(books.keys[0]), admin_key=Secret(books.keys[0]))
    )
    for call in (
        lambda: report.usage(opened.admin, "7 days", group_by=None, today=TODAY),
        lambda: report.usage(opened.admin, "7 days", group_by="tag", today=TODAY),
        opened.admin.keys,
    ):
        with pytest.raises(errors.Forbidden, match="set admin_key= or SVC_ADMIN_KEY") as found:
            call()
        assert "\n" not in str(found.value)
        assert (found.value.status, found.value.__cause__) == (403, None)
        assert books.keys[0] not in str(found.value)
    opened.close()


# ---- keys that look the same


def amounts(count):
    return UsageAmounts(count, count, 0, 0, count / 60_000)


def test_two_keys_that_look_the_same_stay_two_over_all_parts():
    def part(day, *counts):
        rows = tuple(KeyUsage("aaaa********bbbb", "team", amounts(count)) for count in counts)
        return UsageReport(amounts(sum(counts)), day, day, "key", key_usages=rows)

    first, second = date(2026, 1, 1), date(2026, 1, 2)
    whole = report.joined([part(first, 1, 10), part(second, 100, 1000)])
    assert [row.usage.total_characters for row in whole.key_usages] == [101, 1010]
    assert [row.usage.speech_to_text_minutes for row in whole.key_usages] == [101 / 60_000, 1010 / 60_000]
    assert whole.total_usage == amounts(1111)


def test_two_keys_that_look_the_same_are_filled_as_two():
    days = [date(2026, 1, 1), date(2026, 1, 1), date(2026, 1, 2)]
    rows = tuple(
        KeyDayUsage("aaaa********bbbb", "team", day, amounts(count)) for day, count in zip(days, (1, 2, 4), strict=True)
    )
    table = from_report(
        UsageReport(amounts(7), days[0], date(2026, 1, 3), "key_and_day", key_and_day_usages=rows),
        today=TODAY,
    )
    assert len(table) == 3
    assert filled(table, today=TODAY)["total_characters"].tolist() == [1, 2, 4, 0, 0, 0]


# ---- plain tables


def test_a_plain_table_needs_its_range_to_become_a_report(books):
    books.book(0, "text_translation", 3, 870)
    day = FIRST + timedelta(days=870)
    asked = report.usage(books.asked, day, day, group_by="key_and_day", today=TODAY)
    plain = pd.DataFrame(asked)
    with pytest.raises(ValueError, match="Give start= and end="):
        to_report(plain)
    assert to_report(plain, start=day, end=str(day)) == to_report(asked)
    half = asked[asked["api_key_label"] == "nobody"]
    assert to_report(half, start=day, end=day)["usage_report"]["total_usage"]["total_characters"] == 0


def test_a_table_from_a_csv_file_is_the_same_report(books, tmp_path):
    books.book(2, "text_translation", 3, 880)
    books.book(3, "speech_to_text", 1, 880)
    day = FIRST + timedelta(days=880)
    asked = report.usage(books.asked, day, day, group_by="key_and_day", today=TODAY)
    asked.to_csv(tmp_path / "u.csv", index=False)
    back = pd.read_csv(tmp_path / "u.csv", parse_dates=["usage_date"])
    assert to_report(back, start=day, end=day) == to_report(asked)


def test_what_is_made_from_usage_is_a_plain_table(books):
    asked = report.usage(books.asked, "2024-01-01", "2024-01-31", group_by="key_and_day", today=TODAY)
    assert isinstance(asked, Usage)
    assert type(asked.head(1)) is type(asked.copy()) is pd.DataFrame


@pytest.mark.long
@LAW
@given(BOOKINGS, RANGES, st.sampled_from(["key", "key_and_day", None]), st.data())
def test_the_total_of_a_table_that_was_changed_is_the_sum_of_its_rows(books, bookings, span, group_by, data):
    book(books, bookings)
    used = report.usage(books.asked, *span, group_by=group_by, today=TODAY)
    own = used.total
    field = data.draw(st.sampled_from(AMOUNTS))
    for place in range(len(used)):
        used.iloc[place, used.columns.get_loc(field)] = data.draw(st.integers(0, 10**6), label=field)
    told = to_report(used)["usage_report"]
    assert told["total_usage"] == summed(used).to_wire()
    if group_by:
        rows = told[f"{group_by}_usages"]
        assert told["total_usage"][field] == sum(row["usage"][field] for row in rows)
    assert used.total == own
    assert to_report(pickle.loads(pickle.dumps(used))) == {"usage_report": told}


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_rows_removed_or_sorted_in_place_are_reported_as_they_are():
    used = told_by(row("2026-10-03", 4), row("2026-10-02", 3))
    assert days_told(used) == ["2026-10-03", "2026-10-02"]  # as the service has them
    used.sort_values("total_characters", ascending=False, inplace=True)
    assert days_told(used) == ["2026-10-03", "2026-10-02"]
    assert to_report(used)["usage_report"]["total_usage"]["total_characters"] == 7
    used.drop(index=used.index[0], inplace=True)
    assert days_told(used) == ["2026-10-02"]
    assert to_report(used)["usage_report"]["total_usage"]["total_characters"] == 3


def days_told(used):
    return [each["usage_date"][:10] for each in to_report(used)["usage_report"]["key_and_day_usages"]]


# ---- services that do not keep to the contract


class Telling(Admin):
    """Answers with the same report, as it came over the wire, whatever is asked."""

    def __init__(self, **members):
        self._members = members

    def analytics(self, start_date, end_date, *, group_by=None):
        return UsageReport.from_wire(
            {"total_usage": amounts(7).to_wire(), "start_date": "2026-10-01", "end_date": "2026-10-05"} | self._members
        )


def row(day, count, **members):
    told = {"api_key": "aaaa********bbbb", "api_key_label": "team", "usage_date": f"{day}T00:00:00Z"}
    return told | {"usage": amounts(count).to_wire()} | members


def told_by(*rows, **asked):
    admin = Telling(group_by="key_and_day", key_and_day_usages=[*rows])
    return report.usage(admin, "2026-10-01", "2026-10-05", **{"group_by": "key_and_day", "today": TODAY, **asked})


def test_days_outside_of_the_range_stay_what_they_are_also_when_filled():
    rows = [row("2026-09-28", 1), row("2026-10-02", 2), row("2026-10-09", 4)]
    plain, full = told_by(*rows), told_by(*rows, fill=True)
    assert full["usage_date"].dt.day.tolist() == [28, 1, 2, 3, 4, 5, 9]
    assert_frame_equal(pd.DataFrame(full[full["total_characters"] > 0].reset_index(drop=True)), pd.DataFrame(plain))


def test_rows_that_do_not_add_up_to_the_total_are_said():
    assert "add up" not in told_by(row("2026-10-02", 3), row("2026-10-03", 4)).said
    short = told_by(row("2026-10-02", 3))
    assert (short["total_characters"].sum(), short.total.total_characters) == (3, 7)
    assert "The rows add up to 3 characters" in short.said
    assert "add up to 3" in told_by(row("2026-10-02", 3), fill=True).said
    assert "The rows add up to 0 characters" in told_by().said
    assert to_report(short)["usage_report"]["total_usage"]["total_characters"] == 7  # as it was sent
    short.loc[0, "total_characters"] = 4
    assert to_report(short)["usage_report"]["total_usage"]["total_characters"] == 4


def test_minutes_that_were_rounded_are_no_contradiction():
    rounded = amounts(7).to_wire() | {"speech_to_text_minutes": 0.01}
    assert "add up" not in told_by(row("2026-10-02", 7, usage=rounded)).said
    wrong = amounts(7).to_wire() | {"speech_to_text_minutes": 3.5}
    assert (
        "The rows add up to 7 characters and 3.5 minutes of speech, which differs from"
        in told_by(row("2026-10-02", 7, usage=wrong)).said
    )


@pytest.mark.parametrize("group_by", ["key", "key_and_day"])
def test_a_report_without_the_rows_that_were_asked_for_is_an_empty_table(group_by):
    asked = report.usage(
        Telling(total_usage=amounts(0).to_wire()), "2026-10-01", "2026-10-05", group_by=group_by, today=TODAY
    )
    assert (len(asked), asked.group_by, "api_key" in asked) == (0, group_by, True)
    assert "Nothing was used" in asked.said


@pytest.mark.parametrize("missing", [{"api_key_label": None}, {}])
def test_a_key_without_a_label_has_an_empty_one(missing):
    told = {name: cell for name, cell in row("2026-10-02", 7).items() if name != "api_key_label"} | missing
    assert told_by(told)["api_key_label"].tolist() == [""]
    without_day = {name: cell for name, cell in told.items() if name != "usage_date"}
    asked = report.usage(Telling(key_usages=[without_day]), "2026-10-01", "2026-10-05", group_by="key", today=TODAY)
    assert asked["api_key_label"].tolist() == [""]


@pytest.mark.parametrize("speech", [{}, {"speech_to_text_minutes": None}])
def test_minutes_that_the_service_leaves_out_are_none(speech):
    used = {name: cell for name, cell in amounts(7).to_wire().items() if "minutes" not in name} | speech
    found = told_by(row("2026-10-02", 7, usage=used))
    assert found["speech_to_text_minutes"].tolist() == [0.0]
    assert to_report(from_report(to_report(found))) == to_report(found)


@pytest.mark.parametrize("day", [{}, {"usage_date": None}, {"usage_date": "0001-01-01T00:00:00Z"}])
def test_rows_by_day_without_a_day_of_use_make_no_table(day):
    used = {"total_characters": 1, "text_translation_characters": 1, "text_improvement_characters": 0}
    wire = {"aggregate_by": "day", "start_date": "2026-10-01", "end_date": "2026-10-05", "next_page": None}
    with pytest.raises(ValueError, match=r"Expected a day.* - at `\$.usage\[0\].usage_date`"):
        from_report(wire | {"usage": [{"custom_tag": "a", "breakdown": used, **day}]})


@given(st.dates() | st.dates(date(2000, 1, 1), date(2199, 12, 31)))
def test_a_day_is_kept_exactly_or_refused(day):
    if not 2000 <= day.year <= 2199:
        with pytest.raises(ValueError, match="a day from 2000-01-01 to 2199-12-31"):
            told_by(row(day, 7))
        return
    found = told_by(row(day, 7))
    assert found["usage_date"].dt.date.tolist() == [day]
    assert days_told(found) == [str(day)]
