from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import requests

DAY = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
NEXT = datetime(2026, 3, 6, 0, 30, tzinfo=UTC)
MARCH = "start_date=2026-03-01&end_date=2026-03-31"


def report(raw, query):
    answer = raw.admin("GET", f"/v2/admin/analytics?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["usage_report"]


def tags(raw, query):
    answer = raw.admin("GET", f"/v2/admin/analytics/custom-tags?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["custom_tag_usage_report"]


@pytest.fixture
def busy(running):
    """Two keys with the same label that were used on two days."""
    keys = [running.create_key("team"), running.create_key("team")]
    for key, units in zip(keys, (10, 100), strict=True):
        running.record_usage(key, "text_translation", units, moment=DAY, tag="shop")
        running.record_usage(key, "text_improvement", 1, moment=NEXT)
        running.record_usage(key, "document_translation", 1000, moment=NEXT)
        running.record_usage(key, "speech_to_text", 90_000, moment=NEXT, tag="calls")
    return keys


def test_a_total_has_no_grouping(raw, busy):
    found = report(raw, MARCH)
    assert found == {
        "total_usage": {
            "total_characters": 2112,
            "text_translation_characters": 110,
            "document_translation_characters": 2000,
            "text_improvement_characters": 2,
            "speech_to_text_minutes": 3.0,
        },
        "start_date": "2026-03-01",
        "end_date": "2026-03-31",
    }


def test_keys_with_one_label_are_kept_apart_and_masked(raw, busy):
    found = report(raw, MARCH + "&group_by=key")
    assert found["group_by"] == "key"
    assert [each["usage"]["text_translation_characters"] for each in found["key_usages"]] == [10, 100]
    for key, usage in zip(busy, found["key_usages"], strict=True):
        assert usage["api_key_label"] == "team"
        assert usage["api_key"] == f"{key[:4]}********{key[-4:]}"


def test_days_are_utc_and_sum_up_to_the_total(raw, busy):
    found = report(raw, MARCH + "&group_by=key_and_day")
    days = [each["usage_date"] for each in found["key_and_day_usages"]]
    assert days == ["2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z"] * 2
    for name, total in found["total_usage"].items():
        assert sum(each["usage"][name] for each in found["key_and_day_usages"]) == total


@pytest.mark.parametrize(
    ("start", "end", "characters"),
    [
        ("2026-03-05", "2026-03-05", 110),
        ("2026-03-05T23:30:00", "2026-03-05T23:30:00", 110),
        ("2026-03-05T23:30:01", "2026-03-06T00:29:59", 0),
        ("2026-03-06", "2026-03-31", 2002),
        ("2026-03-05T23:00:00", "2026-03-05", 110),
    ],
)
def test_a_range_counts_to_the_end_of_its_last_day_or_second(raw, busy, start, end, characters):
    found = report(raw, f"start_date={start}&end_date={end}")
    assert found["total_usage"]["total_characters"] == characters


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("start_date=2026-03-01", "end_date"),
        ("start_date=2026-03-01&end_date=tomorrow", "end_date"),
        ("start_date=2026-02-30&end_date=2026-03-01", "start_date"),
        ("start_date=9999-12-31&end_date=9999-12-31", "start_date"),
        ("start_date=2026-03-02&end_date=2026-03-01", "before"),
        ("start_date=2025-01-01&end_date=2026-01-02", "366 days"),
        (MARCH + "&group_by=month", "Value for 'group_by' not supported. Allowed: '', 'key', 'key_and_day'."),
    ],
)
def test_a_range_that_means_nothing_is_400(raw, query, complaint):
    answer = raw.admin("GET", f"/v2/admin/analytics?{query}")
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]


def test_366_days_are_allowed(raw):
    assert report(raw, "start_date=2025-01-01&end_date=2026-01-01")["total_usage"]["total_characters"] == 0


def test_tags_are_reported_for_the_period_or_by_day(raw, busy):
    found = tags(raw, MARCH)
    assert [each["custom_tag"] for each in found["usage"]] == ["calls", "shop"]
    assert found["usage"][0]["breakdown"]["speech_to_text_minutes"] == 3.0
    assert found["usage"][1]["breakdown"]["total_characters"] == 110
    assert found["next_page"] is None
    assert "usage_date" not in found["usage"][0]
    by_day = tags(raw, MARCH + "&aggregate_by=day")
    assert [each["usage_date"][:10] for each in by_day["usage"]] == ["2026-03-06", "2026-03-05"]
    answer = raw.admin("GET", f"/v2/admin/analytics/custom-tags?{MARCH}&aggregate_by=week")
    assert answer.json()["message"] == "Value for 'aggregate_by' not supported. Allowed: '', 'period', 'day'."


def test_pages_of_tags_are_complete_and_not_doubled(running, raw):
    for number in range(250):
        running.record_usage(running.api_key, "text_translation", 1, moment=DAY, tag=f"tag{number:03d}")
    seen, page = [], 0
    while page is not None:
        found = tags(raw, f"{MARCH}&page={page}")
        seen += [each["custom_tag"] for each in found["usage"]]
        page = found["next_page"]
    assert seen == [f"tag{number:03d}" for number in range(250)]


def test_translations_are_booked_by_key_day_product_and_tag(raw):
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    body = {"text": ["good morning"], "target_lang": "DE"}
    raw("POST", "/v2/translate", json=body, headers={"X-Service-Reporting-Tag": "Team-A"})
    raw("POST", "/v2/write/correct", json={"text": ["hello"]})
    found = report(raw, f"start_date={today}&end_date={today}&group_by=key_and_day")
    (row,) = found["key_and_day_usages"]
    assert row["usage"]["text_translation_characters"] == 12
    assert row["usage"]["text_improvement_characters"] == 5
    (tag,) = tags(raw, f"start_date={today}&end_date={today}")["usage"]
    assert (tag["custom_tag"], tag["breakdown"]["total_characters"]) == ("team-a", 12)


@pytest.mark.parametrize("tag", ["two words", "x" * 101, "tab\there"])
def test_a_bad_reporting_tag_is_400_and_not_billed(raw, tag):
    body = {"text": ["good morning"], "target_lang": "DE"}
    answer = raw("POST", "/v2/translate", json=body, headers={"X-Service-Reporting-Tag": tag})
    assert answer.status_code == 400
    assert raw("GET", "/v2/usage").json()["character_count"] == 0


def test_a_cap_left_out_stays_as_it_is(raw):
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    path = "/v2/admin/developer-keys/limits"
    first = raw.admin("PUT", path, json={"key_id": key_id, "characters": 5}).json()
    assert first["usage_limits"] == {"characters": 5, "speech_to_text_milliseconds": None}
    second = raw.admin("PUT", path, json={"key_id": key_id, "speech_to_text_milliseconds": 0}).json()
    assert second["usage_limits"] == {"characters": 5, "speech_to_text_milliseconds": 0}
    assert raw.admin("PUT", path, json={"key_id": "nobody", "characters": 5}).status_code == 404


def test_a_key_is_renamed(raw):
    key_id = raw.admin("GET", "/v2/admin/developer-keys").json()[0]["key_id"]
    assert len(key_id.split(":")) == 2
    body = {"key_id": key_id, "label": "<b>{0}</b>"}
    assert raw.admin("PUT", "/v2/admin/developer-keys/label", json=body).json()["label"] == "<b>{0}</b>"


def test_usage_tells_the_account_and_the_key_apart(running, raw):
    other = running.create_key("other")
    body = {"text": ["good morning"], "target_lang": "DE"}
    raw("POST", "/v2/translate", json=body)
    raw("POST", "/v2/translate", json=body, key=other)
    found = raw("GET", "/v2/usage", key=other).json()
    assert (found["character_count"], found["api_key_character_count"]) == (24, 12)
    assert found["products"][0]["product_type"] == "translate"
    assert found["start_time"] < found["end_time"]


def test_usage_agrees_with_itself_while_others_translate(running, raw):
    body = {"text": ["good morning"], "target_lang": "DE", "source_lang": "EN"}
    headers = {"Authorization": f"Service-Auth-Key {running.api_key}"}

    def spend(_):
        requests.post(running.base_url + "/v2/translate", json=body, headers=headers, timeout=30).close()

    with ThreadPoolExecutor(4) as pool:
        pending = [pool.submit(spend, number) for number in range(60)]
        while not all(each.done() for each in pending):
            found = raw("GET", "/v2/usage").json()
            assert found["character_count"] == sum(each["character_count"] for each in found["products"])
