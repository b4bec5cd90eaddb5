import hashlib
import re
import sqlite3
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from svc_nb import service
from svc_nb.service import __main__ as command
from svc_nb.service.database import Database
from svc_nb.service.keys import Keys
from svc_nb.service.ledger import CHARACTER_PRODUCTS, PRODUCTS, SPEECH, Ledger
from svc_nb.service.problems import Problem
from svc_nb.service.sample import DAYS, HABITS, SampleKey, Year, add, year
from tests import forked

UNTIL = date(2026, 11, 15)
FIRST = UNTIL - timedelta(days=365)
RANGE = f"start_date={FIRST}&end_date={UNTIL}"
any_day = st.dates(date(2001, 1, 1), date(2099, 12, 31))
few = settings(max_examples=12)


@pytest.fixture(scope="module")
def made() -> Year:
    return year(UNTIL)


def labelled(made: Year, label: str) -> SampleKey:
    (key,) = (key for key in made.keys if key.label == label)
    return key


def by_day(made: Year, *keys: SampleKey) -> dict[date, int]:
    """Characters of each day, of some keys or of all; days without use are absent."""
    wanted = {key.key_id for key in keys or made.keys}
    days = Counter[date]()
    for each in made.bookings:
        if each.key_id in wanted and each.product != SPEECH:
            days[date.fromisoformat(each.at[:10])] += each.units
    return days


def spent(made: Year, key: SampleKey, until: date) -> int:
    """Characters of the month of *until*."""
    return sum(units for day, units in by_day(made, key).items() if f"{day:%Y-%m}" == f"{until:%Y-%m}")


def typical(days: dict[date, int], *weekdays: int) -> float:
    return statistics.median(units for day, units in days.items() if day.weekday() in weekdays)


def report(raw, path):
    answer = raw.admin("GET", path)
    assert answer.status_code == 200, answer.text
    return answer.json()


# What is in it


def test_there_are_twelve_keys_of_which_two_share_a_label_and_one_looks_unlabelled(made):
    labels = [key.label for key in made.keys]
    assert len(made.keys) == len({key.key_id for key in made.keys}) == len({key.masked for key in made.keys}) == 12
    assert [label for label, count in Counter(labels).items() if count > 1] == ["Test"]
    assert [label for label in labels if not label.strip()] == [" "]


@pytest.mark.long
@few
@given(any_day)
def test_a_year_ends_on_its_last_day_and_is_as_long_as_one_report(until):
    days = by_day(year(until))
    assert min(days) == until - timedelta(days=DAYS - 1)
    assert max(days) == until
    assert len(days) == DAYS == 366


def test_week_ends_are_quiet_but_for_those_who_write_then(made):
    total, shop, reviews = (
        by_day(made),
        by_day(made, labelled(made, "Web shop")),
        by_day(made, labelled(made, "Customer reviews")),
    )
    assert typical(total, 0, 1, 2, 3, 4) > 3 * typical(total, 5, 6)
    assert typical(shop, 0, 1, 2, 3) > 5 * typical(shop, 5, 6)
    assert typical(reviews, 5, 6) > 2 * typical(reviews, 0, 1, 2, 3)
    newsletter = by_day(made, labelled(made, "Newsletter"))
    assert {day.weekday() for day in newsletter} == {1, 3}


def test_seasons_show(made):
    shop = by_day(made, labelled(made, "Web shop"))
    june, february = (statistics.mean(units for day, units in shop.items() if day.month == month) for month in (6, 2))
    assert june > 1.4 * february


@pytest.mark.long
@few
@given(any_day)
def test_one_day_stands_out_within_90_days_and_before_the_last_8_weeks(until):
    days = by_day(year(until))
    (odd, most), (_, second) = Counter(days).most_common(2)
    assert most > 1.4 * second
    assert 56 < (until - odd).days < 90


@pytest.mark.long
@few
@given(any_day)
def test_a_key_is_new_and_one_has_ended(until):
    made = year(until)
    newest, old = made.keys[-1], labelled(made, "Old shop (do not use)")
    assert 14 <= (until - min(by_day(made, newest))).days <= 28
    assert [key for key in made.keys if key.deactivated_time] == [old]
    last = max(each.at for each in made.bookings if each.key_id == old.key_id)
    assert last < old.deactivated_time
    assert (until - date.fromisoformat(last[:10])).days > 90


@pytest.mark.long
@few
@given(any_day)
def test_keys_are_created_one_after_another_and_before_their_first_use(until):
    made = year(until)
    created = [key.creation_time for key in made.keys]
    assert created == sorted(created)
    for key in made.keys:
        assert key.creation_time < min(each.at for each in made.bookings if each.key_id == key.key_id)


@pytest.mark.parametrize("until", [date(2026, month, 1) for month in range(1, 13)] + [date(2028, 2, 29)])
def test_caps_mean_the_same_on_the_first_day_of_a_month_as_on_any_other(until):
    check_caps(until)


@pytest.mark.long
@few
@given(any_day)
def test_caps_mean_the_same_on_any_day(until):
    check_caps(until)


def check_caps(until):
    """One cap is nearly hit, one will be hit if the month goes on as usual, one is ample, and one key is blocked."""
    made = year(until)
    capped = {key.label: key for key in made.keys if key.characters}
    assert set(capped) == {"Support desk", "Web shop", "Newsletter"}
    soon, later, ample = (capped[label] for label in ("Support desk", "Web shop", "Newsletter"))
    assert 0.9 * soon.characters <= spent(made, soon, until) < soon.characters
    assert spent(made, later, until) < later.characters
    assert spent(made, ample, until) < ample.characters / 1.9
    (blocked,) = (key for key in made.keys if key.characters == 0)
    assert blocked.label == "Test"
    assert max(by_day(made, blocked)) < until - timedelta(days=31)
    (speaking,) = (key for key in made.keys if key.speech_to_text_milliseconds)
    assert speaking.label == "Phone line"


@pytest.mark.long
@few
@given(any_day)
def test_a_year_that_goes_on_hits_the_later_cap_within_its_month(until):
    cap = labelled(year(until), "Web shop").characters
    month_end = (until.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    grown = year(month_end + timedelta(days=1))  # so that the last day of the month is whole
    assert spent(grown, labelled(grown, "Web shop"), month_end) > 0.97 * cap


def test_products_and_minutes_are_in_proportion(made):
    sums = Counter[str]()
    for each in made.bookings:
        sums[each.product] += each.units
    characters = sum(sums[product] for product in CHARACTER_PRODUCTS)
    assert set(sums) == set(PRODUCTS)
    assert 0.4 < sums["text_translation"] / characters < 0.7
    assert 0.25 < sums["document_translation"] / characters < 0.5
    assert 0.04 < sums["text_improvement"] / characters < 0.2
    assert 10_000 < sums[SPEECH] / 60_000 < 100_000


def test_eight_tags_are_on_a_part_of_the_translations_and_one_on_speech(made):
    tagged = defaultdict(set)
    for each in made.bookings:
        tagged[each.product].add(each.tag)
    assert len(tagged["text_translation"] - {None}) == 8
    assert tagged[SPEECH] == {"hotline", None}
    assert tagged["document_translation"] == tagged["text_improvement"] == {None}
    share = sum(each.units for each in made.bookings if each.tag and each.product == "text_translation") / sum(
        each.units for each in made.bookings if each.product == "text_translation"
    )
    assert 0.3 < share < 0.8


def test_use_falls_on_both_borders_of_a_day_and_the_last_day_is_not_over(made):
    times = {each.at[11:] for each in made.bookings}
    assert {"00:00:00.000Z", "23:59:59.999Z"} <= times
    assert max(each.at for each in made.bookings) < f"{UNTIL}T12:00:00.000Z"


# Always the same


def test_a_last_day_gives_the_same_numbers_on_every_machine(made):
    assert year(UNTIL) == made
    written = "\n".join(map(repr, (*map(tuple, made.keys), *map(tuple, made.bookings))))
    found = hashlib.sha256(written.encode()).hexdigest()
    assert found == "4e6394bafbf362a7727318f1fe5674b8bbd8ec253df0ee948df1e6d22ba126f8"


def test_a_moment_stands_for_its_day(made):
    assert year(datetime(2026, 11, 15, 23, 59)) == made


def test_the_years_of_two_last_days_agree_on_the_days_that_both_have(made):
    tomorrow = year(UNTIL + timedelta(days=1))
    steady = {key.key_id for key, habit in zip(made.keys, HABITS, strict=True) if is_steady(habit)}
    for each in (made, tomorrow):
        assert each.keys[0].key_id == made.keys[0].key_id
    both = (f"{FIRST + timedelta(days=1)}", f"{UNTIL}")
    today, later = (
        [each for each in made.bookings if each.key_id in steady and both[0] <= each.at < both[1]]
        for made in (made, tomorrow)
    )
    assert len(steady) == 7
    assert today == later


def is_steady(habit):
    return habit.begins == DAYS - 1 and habit.ends == 0 and not habit.has_odd_day


# In a service


@pytest.fixture
def seeded(running):
    assert running.add_sample(UNTIL)
    return running


def test_reports_tell_exactly_what_was_generated(seeded, raw, made):
    found = report(raw, f"/v2/admin/analytics?{RANGE}&group_by=key_and_day")["usage_report"]
    told = {
        (row["api_key"], row["usage_date"][:10], product): row["usage"][f"{product}_characters"]
        for row in found["key_and_day_usages"]
        for product in CHARACTER_PRODUCTS
        if row["usage"][f"{product}_characters"]
    }
    minutes = {
        (row["api_key"], row["usage_date"][:10], SPEECH): round(row["usage"]["speech_to_text_minutes"] * 60_000)
        for row in found["key_and_day_usages"]
        if row["usage"]["speech_to_text_minutes"]
    }
    masks = {key.key_id: key.masked for key in made.keys}
    sums = Counter()
    for each in made.bookings:
        sums[masks[each.key_id], each.at[:10], each.product] += each.units
    assert told | minutes == sums
    total = sum(units for (*_, product), units in sums.items() if product != SPEECH)
    assert found["total_usage"]["total_characters"] == total


def test_reports_by_tag_tell_exactly_what_was_tagged(seeded, raw, made):
    found = report(raw, f"/v2/admin/analytics/custom-tags?{RANGE}")["custom_tag_usage_report"]["usage"]
    sums = Counter()
    for each in made.bookings:
        if each.tag and each.product != SPEECH:
            sums[each.tag] += each.units
    told = {row["custom_tag"]: row["breakdown"]["total_characters"] for row in found}
    assert told == {**sums, "hotline": 0}


def test_keys_are_listed_with_caps_and_times(seeded, raw, made):
    listed = report(raw, "/v2/admin/developer-keys")
    own, *twelve = listed
    assert own["label"] == "Notebook"
    assert [each["key_id"] for each in twelve] == [key.key_id for key in made.keys]
    assert [each["label"] for each in twelve] == [key.label for key in made.keys]
    assert [each["usage_limits"]["characters"] for each in twelve] == [key.characters for key in made.keys]
    assert sum(each["is_deactivated"] for each in twelve) == 1


def test_what_is_spent_this_month_counts_for_the_caps(running, raw):
    running.add_sample()
    today = running.state.clock().date()
    found = report(raw, f"/v2/admin/analytics?start_date={today.replace(day=1)}&end_date={today}")
    used = raw("GET", "/v2/usage").json()["character_count"]
    assert used == found["usage_report"]["total_usage"]["total_characters"] > 0


def test_a_second_year_is_not_added(seeded, raw):
    before = report(raw, f"/v2/admin/analytics?{RANGE}&group_by=key")
    assert not seeded.add_sample(UNTIL)
    assert not seeded.add_sample(UNTIL - timedelta(days=400))
    assert report(raw, f"/v2/admin/analytics?{RANGE}&group_by=key") == before
    assert len(report(raw, "/v2/admin/developer-keys")) == 13


def test_in_a_folder_it_stays_and_is_added_once(tmp_path):
    for _ in range(2):
        with service.start(folder=tmp_path, sample=True) as started:
            labels = [key.label for key in started.state.keys.all()]
            assert labels.count("Web shop") == 1
            assert len(labels) == 14


def test_nobody_can_sign_with_a_key_of_the_sample(seeded, made):
    for key in made.keys:
        for guess in (key.key_id, *key.key_id.split(":"), key.masked):
            with pytest.raises(Problem) as caught:
                seeded.state.keys.holder(guess)
            assert caught.value.status == 401


def test_it_ends_today_when_nothing_is_said():
    with service.start(memory=True, sample=True) as started:
        before = datetime.now(UTC).date()
        with started.state.database.read() as connection:
            last = connection.execute("SELECT MAX(at) FROM usage").fetchone()[0]
        assert before - timedelta(days=1) <= date.fromisoformat(last[:10]) <= before


@pytest.mark.long
def test_the_command_serves_it_too(tmp_path):
    call = [sys.executable, "-W", "error", "-m", "svc_nb.service", "--memory", "--sample"]
    with forked.Popen(call, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())[0]
            admin_key = process.stdout.readline().split()[-1]
            headers = {"Authorization": f"Service-Auth-Key {admin_key}", "Connection": "close"}
            listed = requests.get(f"{address}/v2/admin/developer-keys", headers=headers, timeout=30).json()
        finally:
            process.terminate()
    assert [each["label"] for each in listed] == ["Notebook", *(habit.label for habit in HABITS)]


def test_the_command_tells_of_it(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    assert "--sample" in capsys.readouterr().out


def test_seeding_is_all_or_nothing(made):
    database = Database()
    Keys(database).add("secret", moment=datetime(2026, 1, 1, tzinfo=UTC))
    with database.write() as connection:
        taken = (made.keys[5].key_id,)
        connection.execute("UPDATE keys SET key_id = ?", taken)
    with pytest.raises(sqlite3.IntegrityError):
        add(database, UNTIL)
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM keys").fetchone()[0] == 1
        assert connection.execute("SELECT COUNT(*) FROM usage").fetchone()[0] == 0
    database.close()


def test_seeding_costs_at_most_half_of_booking_one_by_one(tmp_path, made):
    whole, single = Database(tmp_path / "whole.sqlite3"), Database(tmp_path / "single.sqlite3")
    ledger = Ledger(single, quota=0, now=lambda: datetime.now(UTC))
    part = made.bookings[::10]
    started = time.process_time()
    for each in part:
        moment = datetime.fromisoformat(each.at)
        ledger.record(each.key_id, each.product, each.units, moment=moment, tag=each.tag)
    one_by_one = (time.process_time() - started) * len(made.bookings) / len(part)
    started = time.process_time()
    add(whole, UNTIL)
    at_once = time.process_time() - started
    whole.close()
    single.close()
    assert at_once < one_by_one / 2, (at_once, one_by_one)
