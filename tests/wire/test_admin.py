from datetime import UTC, date, datetime

import pytest

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.wire.models import UsageAmounts, UsageLimits

OCTOBER = ("2026-10-01", "2026-10-31")


@pytest.fixture
def used(running):
    """Use of two keys on three days of October."""
    other = running.create_key("other")
    booked = [
        (running.api_key, "text_translation", 100, 1, None),
        (running.api_key, "text_translation", 20, 2, "team-a"),
        (running.api_key, "text_improvement", 3, 2, "team-a"),
        (other, "text_translation", 7, 3, "team-b"),
    ]
    for key, product, units, day, tag in booked:
        running.record_usage(key, product, units, moment=datetime(2026, 10, day, 12, tzinfo=UTC), tag=tag)
    return other


def test_a_report_without_groups_is_one_total(client, used):
    report = client.admin.analytics(*OCTOBER)
    assert report.total_usage == UsageAmounts(130, 127, 0, 3, 0.0)
    assert (report.start_date, report.end_date) == (date(2026, 10, 1), date(2026, 10, 31))
    assert (report.group_by, report.key_usages, report.key_and_day_usages) == (None, None, None)


def test_a_report_over_moments_keeps_them(client, used):
    span = datetime(2026, 10, 1, 12, tzinfo=UTC), datetime(2026, 10, 2, 11, 59, 59, tzinfo=UTC)
    report = client.admin.analytics(*span)
    assert (report.start_date, report.end_date, report.total_usage.total_characters) == (*span, 100)
    by_tag = client.admin.tag_analytics("2026-10-02T12:00:00", "2026-10-03")
    assert by_tag.start_date == datetime(2026, 10, 2, 12, tzinfo=UTC)
    assert (by_tag.end_date, len(by_tag.usage)) == (date(2026, 10, 3), 2)


def test_a_report_by_key_has_a_total_per_key(client, used):
    report = client.admin.analytics(*OCTOBER, group_by="key")
    assert report.group_by == "key"
    assert report.key_and_day_usages is None
    assert {each.api_key_label: each.usage.total_characters for each in report.key_usages}["other"] == 7
    assert all(used not in each.api_key for each in report.key_usages)


def test_a_report_by_key_and_day_has_utc_days(client, used):
    report = client.admin.analytics(date(2026, 10, 1), date(2026, 10, 2), group_by="key_and_day")
    days = {each.usage_date: each.usage.total_characters for each in report.key_and_day_usages}
    assert days == {date(2026, 10, 1): 100, date(2026, 10, 2): 23}


WRONG_REPORTS = [
    lambda admin: admin.analytics("soon", "2026-10-31"),
    lambda admin: admin.analytics("2025-01-01", "2026-12-31"),
    lambda admin: admin.analytics(*OCTOBER, group_by="month"),
    lambda admin: admin.tag_analytics(*OCTOBER, aggregate_by="month"),
    lambda admin: admin.tag_analytics(*OCTOBER, page=-1),
]


def test_wrong_reports_are_bad_requests(client):
    for call in WRONG_REPORTS:
        with pytest.raises(errors.BadRequest):
            call(client.admin)


def test_tags_are_reported_by_period_and_by_day(client, used):
    report = client.admin.tag_analytics(*OCTOBER)
    assert (report.aggregate_by, report.next_page) == ("period", None)
    assert {each.custom_tag: each.breakdown.total_characters for each in report.usage} == {
        "team-a": 23,
        "team-b": 7,
    }
    by_day = list(client.admin.iterate_tags(*OCTOBER, aggregate_by="day"))
    assert {(each.custom_tag, each.usage_date) for each in by_day} == {
        ("team-a", date(2026, 10, 2)),
        ("team-b", date(2026, 10, 3)),
    }


def test_all_pages_of_tags_are_walked_while_tags_are_added(client, running):
    def book(tag):
        moment = datetime(2026, 10, 5, tzinfo=UTC)
        running.record_usage(running.api_key, "text_translation", 1, moment=moment, tag=tag)

    names = [f"tag-{number:03d}" for number in range(250)]
    for name in names:
        book(name)
    found = []
    for usage in client.admin.iterate_tags(*OCTOBER):
        found.append(usage.custom_tag)
        if len(found) in (50, 150):
            book(f"a-new-one-{len(found)}")
    assert [name for name in found if name in set(names)] == names
    assert len(found) == len(set(found))


def test_a_new_key_works_and_is_told_once(client, connect):
    made = client.admin.create_key("new")
    assert (made.label, made.is_deactivated, made.usage_limits) == ("new", False, UsageLimits())
    assert connect(api_key=made.api_key).account.usage().character_count == 0
    (listed,) = [key for key in client.admin.keys() if key.key_id == made.key_id]  # noqa: SIM118
    assert listed == made
    assert listed.api_key is None
    assert client.admin.create_key().label


def test_a_cap_is_set_kept_and_removed(client, connect):
    made = client.admin.create_key("capped")
    capped = connect(api_key=made.api_key)
    assert client.admin.set_limits(made.key_id, characters=0).usage_limits == UsageLimits(characters=0)
    with pytest.raises(errors.QuotaExceeded):
        capped.text.correct(["Hello."])
    both = client.admin.set_limits(made.key_id, speech_to_text_milliseconds=5)
    assert both.usage_limits == UsageLimits(0, 5)
    assert client.admin.set_limits(made.key_id, characters=None).usage_limits == UsageLimits(None, 5)
    assert capped.text.correct(["Hello."])[0].text


def test_a_key_is_renamed_and_deactivated_for_good(client, connect):
    made = client.admin.create_key("old")
    assert client.admin.rename_key(made.key_id, "renamed").label == "renamed"
    gone = client.admin.deactivate_key(made.key_id)
    assert gone.is_deactivated
    assert gone.deactivated_time >= gone.creation_time
    with pytest.raises(errors.Forbidden):
        connect(api_key=made.api_key).account.usage()


ON_AN_UNKNOWN_KEY = [
    lambda admin: admin.set_limits("no:key", characters=1),
    lambda admin: admin.rename_key("no:key", "x"),
    lambda admin: admin.deactivate_key("no:key"),
]


def test_an_unknown_key_is_not_found(client):
    for call in ON_AN_UNKNOWN_KEY:
        with pytest.raises(errors.NotFound):
            call(client.admin)


def test_wrong_caps_and_labels_are_bad_requests(client):
    made = client.admin.create_key("mine")
    with pytest.raises(errors.BadRequest):
        client.admin.set_limits(made.key_id, characters=-1)
    with pytest.raises(errors.BadRequest):
        client.admin.rename_key(made.key_id, "")


def test_a_developers_key_is_forbidden_to_administrate(connect, running):
    with pytest.raises(errors.Forbidden, match="administrator"):
        connect(admin_key=Secret(running.api_key)).admin.keys()


def test_without_an_administrators_key_nothing_is_sent(connect):
    with pytest.raises(errors.SettingsError, match="SVC_ADMIN_KEY"):
        connect(admin_key=None).admin.keys()


# ---- services that do not keep to the contract

USED = UsageAmounts(1, 1, 0, 0, 0.0).to_wire()


def tags(*rows, by="day"):
    span = {"start_date": "2026-10-01", "end_date": "2026-10-31", "next_page": None}
    usage = [{"custom_tag": "a", "breakdown": USED, **row} for row in rows]
    return {"custom_tag_usage_report": {"aggregate_by": by, **span, "usage": usage}}


@pytest.mark.parametrize("by", ["day", "period", ""])
@pytest.mark.parametrize("missing", [{}, {"usage_date": None}])
def test_a_row_by_day_without_a_day_is_a_bad_reply_whatever_the_report_calls_itself(told, by, missing):
    client = told(tags({"usage_date": "2026-10-01"}, missing, by=by))
    with pytest.raises(errors.BadReply, match=r"Expected a day - at `\$.usage\[1\].usage_date`") as found:
        client.admin.tag_analytics(*OCTOBER, aggregate_by="day")
    assert found.value.trace_id == "trace-1"
    with pytest.raises(errors.BadReply, match="Expected a day"):
        list(client.admin.iterate_tags(*OCTOBER, aggregate_by="day"))


def test_a_row_over_the_period_needs_no_day(told):
    report = told(tags({}, {"usage_date": None}, by="period")).admin.tag_analytics(*OCTOBER)
    assert [row.usage_date for row in report.usage] == [None, None]


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "0001-01-01", "1999-12-31", "2200-01-01", "9999-12-31"])
def test_a_day_that_no_use_can_be_on_is_a_bad_reply(told, day):
    row = {"api_key": "a", "api_key_label": "b", "usage": USED}
    days = [{**row, "usage_date": "2026-10-01"}, {**row, "usage_date": day}]
    span = {"start_date": "2026-10-01", "end_date": "2026-10-31", "group_by": "key_and_day"}
    client = told(
        {"usage_report": {"total_usage": USED, **span, "key_and_day_usages": days}}, tags({"usage_date": day})
    )
    with pytest.raises(errors.BadReply, match=r"a day from 2000-01-01 to 2199-12-31 - at .*usages\[1\]"):
        client.admin.analytics(*OCTOBER, group_by="key_and_day")
    with pytest.raises(errors.BadReply, match=r"a day from 2000-01-01 to 2199-12-31 - at .*usage\[0\]"):
        client.admin.tag_analytics(*OCTOBER, aggregate_by="day")


def test_a_key_without_a_label_is_listed(told):
    key = {"key_id": "a:b", "creation_time": "2026-10-01T00:00:00Z"}
    listed = told([{**key, "label": None}, key, {**key, "label": ""}]).admin.keys()
    assert [each.label for each in listed] == [None, None, ""]


def test_a_moment_of_any_year_is_asked_for_with_all_its_digits(told, scripted):
    client = told({"usage_report": {"total_usage": USED, "start_date": "0999-01-01", "end_date": "0999-01-02"}})
    client.admin.analytics(datetime(999, 1, 1, 5), datetime(999, 1, 2, tzinfo=UTC))
    assert "start_date=0999-01-01T05%3A00%3A00&end_date=0999-01-02T00%3A00%3A00" in scripted.asked[0].target
