"""What was billed from here, as a table: it equals what the service reports, to the character, and says why if not."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import svc_nb
from svc_nb import errors, session
from svc_nb.columns import ledger_context
from svc_nb.engine.billing import Bill, Context
from svc_nb.engine.plan import RequestKind
from svc_nb.engine.store import Store
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.tabular.report import Report
from svc_nb.tabular.text_column import TEXT
from svc_nb.usage.billing import COLUMNS, ledger, reconcile
from svc_nb.usage.report import usage
from svc_nb.usage.table import Usage
from tests.children import Child
from tests.counters import listed, marked, quiet
from tests.engine.scripted import Full
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly"),
    pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished"),
]

TEXTS = [f"text number {number}" for number in range(1000)]
LENGTH = sum(map(len, TEXTS))
PROSE = [f"The cat sat on the mat number {number} and slept." for number in range(30)]
SEND = "/v2/translate"
DAY = date(2026, 10, 16)
LANE = RequestKind("translate", lambda texts: [], target_lang="DE")


@pytest.fixture
def own(running, reached):
    """A session with a key of its own, by which the service's report tells its use."""
    return reached(admin_key=Secret(running.admin_key))


def translated(texts=TEXTS, **fields):
    return pd.Series(texts, name="body").svc.translate("DE", source_lang="EN", progress=False, **fields)


def reported(opened, **rest):
    """What the service says that the key of *opened* used today."""
    used = usage(opened.admin, group_by="key_and_day", today=datetime.now(UTC).date(), **rest)
    return used[used["api_key"] == ledger_context.masked(opened.settings.api_key)]


def total(table, name):
    return int(table[name].sum())


def charged(store, clock=time.time, *, billed=0, unclear=0, **about):
    """Log a run that was billed so much."""
    bill = Bill(Context(**about), clock)
    bill.answered(bill.send(LANE, billed), billed)
    bill.lost(bill.send(LANE, unclear))
    store.log(bill)


def at(day, hour=12):
    return lambda: datetime(day.year, day.month, day.day, hour, tzinfo=UTC).timestamp()


# ---- what is logged


def test_a_run_is_logged_with_what_it_was_for(running, own, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/work/prices.ipynb")
    before = datetime.now(UTC).replace(microsecond=0)
    translated(reporting_tag=" Team-A ")
    (row,) = svc_nb.ledger().to_dict("records")
    assert before <= row.pop("started") <= datetime.now(UTC)
    assert row.pop("usage_date").date() in (before.date(), datetime.now(UTC).date())
    assert row == {
        "notebook": "prices.ipynb",
        "operation": "translate",
        "column": "body",
        "target_lang": "DE",
        "custom_tag": "team-a",
        "api_key": ledger_context.masked(own.settings.api_key),
        "service": running.base_url,
        "requests": 20,
        "billed_characters": LENGTH,
        "unclear_characters": 0,
        "marked_characters": 0,
    }


def test_the_key_is_masked_as_the_service_masks_it_and_is_nowhere_in_the_file(running, own, tmp_path):
    translated(TEXTS[:10])
    (used,) = reported(own).to_dict("records")
    assert used["total_characters"] == total(svc_nb.ledger(), "billed_characters")
    own.store.close()
    key = own.settings.api_key.reveal().encode()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert key not in path.read_bytes()
            assert key[4:-4] not in path.read_bytes()


def test_the_table_has_the_same_columns_and_types_when_it_is_empty(own):
    empty = svc_nb.ledger()
    translated(TEXTS[:10])
    full = svc_nb.ledger()
    assert tuple(empty.columns) == tuple(full.columns) == tuple(COLUMNS)
    assert empty.dtypes.tolist() == full.dtypes.tolist()
    assert str(full["usage_date"].dtype) == "datetime64[s]"
    assert str(full["started"].dtype) == "datetime64[s, UTC]"
    assert full["notebook"].dtype == TEXT
    assert full["billed_characters"].dtype == np.int64
    assert "1 run, 130 characters billed" in full.said
    assert "No run" in empty.said
    assert isinstance(full, Report)


@pytest.mark.long
def test_several_columns_and_languages_of_a_run_are_told_apart_by_language(own):
    frame = pd.DataFrame({"title": TEXTS[:20], "body": TEXTS[10:30]})
    frame.svc.translate(["title", "body"], ["DE", "fr"], source_lang="EN", progress=False)
    table = svc_nb.ledger()
    cost = sum(map(len, TEXTS[:30]))
    assert table["target_lang"].tolist() == ["DE", "FR"]
    assert table["column"].tolist() == ["title, body"] * 2
    assert table["billed_characters"].tolist() == [cost, cost]
    assert "1 run," in table.said


def test_every_operation_is_logged_and_detection_costs_nothing(own):
    prose = pd.Series(PROSE)
    prose.svc.detect(progress=False)
    prose.svc.correct(progress=False)
    prose.svc.rephrase(progress=False)
    table = svc_nb.ledger().set_index("operation")
    cost = sum(map(len, PROSE))
    assert table["billed_characters"].to_dict() == {"detect": 0, "correct": cost, "rephrase": cost}
    assert table["column"].isna().all()
    assert table["custom_tag"].isna().all()
    assert total(reported(own), "total_characters") == 2 * cost


def test_the_tag_of_the_settings_counts_where_a_call_names_none(running, reached):
    opened = reached(reporting_tag="house", admin_key=Secret(running.admin_key))
    translated(TEXTS[:10])
    translated(TEXTS[10:30], reporting_tag="guest")
    table = svc_nb.ledger()
    assert table["custom_tag"].tolist() == ["house", "guest"]
    used = usage(opened.admin, group_by="tag_and_day", today=datetime.now(UTC).date())
    compared = reconcile(used[used["custom_tag"].isin(["house", "guest"])], table)
    assert compared["custom_tag"].tolist() == ["guest", "house"]
    assert compared["difference"].tolist() == [0, 0]


def test_what_is_stored_is_not_billed_again_and_clearing_answers_keeps_the_ledger(own):
    translated()
    translated()
    assert svc_nb.ledger()["billed_characters"].tolist() == [LENGTH, 0]
    svc_nb.store.clear()
    assert svc_nb.ledger()["billed_characters"].tolist() == [LENGTH, 0]
    translated(TEXTS[:10])
    assert total(svc_nb.ledger(), "billed_characters") == total(reported(own), "total_characters")


def test_a_store_in_memory_has_a_ledger(running, reached):
    opened = reached(store=":memory:")
    translated(TEXTS[:10])
    assert ledger(opened.store)["billed_characters"].tolist() == [130]


@pytest.mark.parametrize("name", ["\ud800", ("a", "b"), 7, "x" * 10_000, "$a_b$ <b>{x}</b> 'quoted'; DROP"])
def test_any_name_of_a_column_can_be_logged(own, name):
    pd.Series(TEXTS[:5], name=name).svc.translate("DE", source_lang="EN", progress=False)
    (logged,) = svc_nb.ledger()["column"]
    assert logged[:5] in (str(name)[:5], "\\ud80")
    assert len(logged) <= 200


# ---- notebooks


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"environ": {"JPY_SESSION_NAME": "/home/me/a b.ipynb"}, "arguments": ["x.py"]}, "a b.ipynb"),
        ({"environ": {"JPY_SESSION_NAME": "C:\\me\\prices.ipynb"}}, "prices.ipynb"),
        ({"variables": {"__vsc_ipynb_file__": "/me/code.ipynb"}}, "code.ipynb"),
        ({"variables": {"__vsc_ipynb_file__": 3}, "arguments": ["/srv/nightly.py"]}, "nightly.py"),
        ({"arguments": ["/srv/pkg/__main__.py", "--all"]}, "pkg"),
        ({"arguments": ["/x/ipykernel_launcher.py", "-f", "k.json"]}, None),
        ({"arguments": ["/x/colab_kernel_launcher.py"]}, None),
        ({"arguments": ["/usr/bin/ipython3"]}, None),
        ({"arguments": ["-c"]}, None),
        ({"arguments": [""]}, None),
        ({"arguments": []}, None),
    ],
)
def test_the_notebook_is_known_by_its_file_name(given, name):
    given = {"environ": {}, "variables": {}, "arguments": [], **given}
    assert ledger_context.notebook(**given) == name


def test_short_keys_are_not_shown_at_all():
    for key in ("", "abc", "abcd5678", "123456789012345"):
        assert ledger_context.masked(Secret(key)) == "********"


# ---- the law


runs = st.lists(
    st.fixed_dictionaries(
        {
            "operation": st.sampled_from(["translate", "translate", "correct", "rephrase", "detect"]),
            "texts": st.lists(st.sampled_from(PROSE), min_size=1, max_size=8),
            "target": st.sampled_from(["DE", "FR"]),
            "tag": st.sampled_from([None, "one", "two"]),
            "key": st.integers(0, 1),
            "hours": st.sampled_from([0, 1, 13, 24]),
            "fault": st.booleans(),
            "budget": st.sampled_from([None, None, 100]),
        }
    ),
    max_size=8,
)


@pytest.mark.long
@settings(max_examples=30)
@given(runs)
def test_the_ledger_equals_the_services_report_by_day_and_key(lasting, tmp_path_factory, runs):
    moment = [datetime(2026, 10, 16, 9, tzinfo=UTC)]
    store = Store(tmp_path_factory.mktemp("law") / "a.sqlite", clock=lambda: moment[0].timestamp())
    clock, lasting.state.clock = lasting.state.clock, lambda: moment[0]
    sessions = [opened_with(lasting, store) for _ in range(2)]
    try:
        for each in runs:
            moment[0] += timedelta(hours=each["hours"])
            carried_out(lasting, sessions[each["key"]], each)
        used = usage(sessions[0].admin, "2026-10-16", "2026-10-30", group_by="key_and_day", today=date(2026, 11, 1))
    finally:
        lasting.state.clock = clock
        session.make_current(None)
    masks = [ledger_context.masked(each.settings.api_key) for each in sessions]
    mine = used[used["api_key"].isin(masks)]
    table = ledger(store)
    assert by_day_and_key(table, "billed_characters") == by_day_and_key(mine, "total_characters")
    assert total(table, "unclear_characters") == 0
    assert set(reconcile(mine, table, service=lasting.base_url, today=date(2026, 11, 1))["note"]) <= {"equal"}
    for each in sessions:
        each.close()
    store.close()


def opened_with(running, store):
    keys = {"api_key": Secret(running.create_key()), "admin_key": Secret(running.admin_key)}
    opened = session.Session(Settings(base_url=running.base_url, first_wait=0.001, store=store.path, **keys))
    opened.store = store
    return opened


def carried_out(running, opened, each):
    session.make_current(opened)
    if each["fault"]:
        running.faults.add("status", status=503, count=1)
    texts = pd.Series(each["texts"]).svc
    rows = {"budget": each["budget"], "progress": False}
    if each["operation"] == "translate":
        texts.translate(each["target"], source_lang="EN", reporting_tag=each["tag"], **rows)
    else:
        getattr(texts, each["operation"])(**rows)
    running.faults.clear()


def by_day_and_key(table, amount):
    sums = table.groupby(["usage_date", "api_key"])[amount].sum()
    return {key: int(value) for key, value in sums.items() if value}


# ---- runs that do not end well


def test_an_interrupted_run_and_the_one_that_continues_are_billed_exactly(running, own):
    running.faults.add("latency", operation=SEND, seconds=0.1)
    running.faults.add("capacity", operation=SEND, limit=2)
    job = pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN")
    until(lambda: job.progress.done >= 100)
    job.cancel()
    job.wait()
    first = total(svc_nb.ledger(), "billed_characters")
    assert 0 < first == job.progress.billed == total(reported(own), "total_characters") < LENGTH
    translated()
    assert svc_nb.ledger()["billed_characters"].tolist() == [first, LENGTH - first]
    assert total(svc_nb.ledger(), "unclear_characters") == 0


def test_while_a_run_is_in_progress_the_ledger_covers_what_the_service_has_billed(running, own):
    running.faults.add("latency", operation=SEND, seconds=0.01)
    job = pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN")
    while not job.done():
        used = total(reported(own), "total_characters")
        table = svc_nb.ledger()
        assert used <= total(table, "billed_characters") + total(table, "unclear_characters")
    assert total(svc_nb.ledger(), "unclear_characters") == 0


def test_answers_that_break_on_the_way_are_kept_apart(running, own):
    running.faults.add("truncate", operation=SEND, probability=0.5, count=4)
    translated()
    table = svc_nb.ledger()
    used = total(reported(own), "total_characters")
    assert total(table, "billed_characters") == LENGTH < used == LENGTH + total(table, "unclear_characters")
    (row,) = svc_nb.reconcile(reported(own)).to_dict("records")
    assert row["difference"] == used - LENGTH
    assert "requests without a response" in row["note"]


def test_a_store_that_was_full_gets_the_bill_when_the_run_is_retried(own):
    own.store = Full(own.settings.store_path)
    own.store.full = True
    with pytest.raises(errors.StoreError):
        translated(TEXTS[:100])
    job = svc_nb.last_run()
    own.store.full = False
    used = total(reported(own), "total_characters")
    assert len(svc_nb.ledger()) == 0
    assert listed(job.retry_failed()) == marked(TEXTS[:100])
    assert total(svc_nb.ledger(), "billed_characters") == total(reported(own), "total_characters") >= used


@pytest.mark.long
def test_a_killed_run_leaves_what_it_was_billed_and_what_it_may_have_been(running, tmp_path, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    path = tmp_path / "answers.sqlite"
    running.faults.add("latency", operation=SEND, seconds=0.05)
    with (
        closing(Store(path)) as other,
        Child(running, path, "tell(translate())", rows=5000, pool_size=8) as child,
    ):
        before = spent(running)
        child.go()
        until(lambda: sum(each.billed for each in other.charges()) > 5000)
        child.process.send_signal(signal.SIGKILL)
        child.process.wait()
        quiet(running)
        used = spent(running) - before
        (charge,) = other.charges()
    assert 0 < charge.billed <= used <= charge.billed + charge.unclear
    assert charge.unclear <= 4 * 8 * 50 * len("text number 4999")
    assert charge.notebook is None


def spent(running):
    """What the whole account has used, as the service has it."""
    return sum(running.state.ledger.spent().values())


@pytest.mark.long
def test_two_kernels_side_by_side_share_the_costs(running, reached, tmp_path, monkeypatch):
    opened = reached(admin_key=Secret(running.admin_key))
    path = tmp_path / "answers.sqlite"
    running.faults.add("latency", operation=SEND, seconds=0.01)
    before = spent(running)
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/first.ipynb")
    with Child(running, path, "tell(translate(progress=False))", rows=1000) as first:
        monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/second.ipynb")
        with Child(running, path, "tell(translate(progress=False, reporting_tag='t'))", rows=1000) as second:
            first.go()
            second.go()
            assert [child.told()[1:] for child in (first, second)] == [("", 0)] * 2
    assert spent(running) - before == LENGTH
    table = ledger(opened.store)
    assert sorted(table["notebook"]) == ["first.ipynb", "second.ipynb"]
    assert total(table, "billed_characters") == LENGTH
    assert total(table, "unclear_characters") == 0
    assert {*table["service"]} == {running.base_url}


# ---- days


@pytest.fixture
def days(tmp_path):
    """A store with a run on each of three days."""
    with closing(Store(tmp_path / "days.sqlite")) as store:
        for ahead in range(3):
            charged(store, at(DAY + timedelta(days=ahead)), billed=10**ahead, api_key="1234********wxyz")
        yield store


def test_days_long_past_are_summed_up(tmp_path):
    with closing(Store(tmp_path / "year.sqlite")) as store:
        for ahead in range(40):
            for billed in (1, 2):
                charged(store, at(DAY + timedelta(days=ahead)), billed=billed, notebook="a.ipynb")
        table = ledger(store)
        assert len(table) == 9 + 2 * 31
        assert total(table, "billed_characters") == 40 * 3
        assert table["started"].isna().tolist() == [True] * 9 + [False] * 62
        assert table["billed_characters"].tolist()[:9] == [3] * 9
        assert "62 runs in the last 31 days (sums by day before), 120 characters billed" in table.said
        month = ledger(store, DAY, DAY + timedelta(days=30))
        assert len(month) == 62, "what is asked for is shown run by run"
        assert len(ledger(store, DAY, DAY + timedelta(days=31))) == 63


@pytest.mark.parametrize(
    ("start", "end", "billed"),
    [
        (None, None, [1, 10, 100]),
        ("2026-10-17", None, [10, 100]),
        (None, date(2026, 10, 17), [1, 10]),
        (pd.Timestamp("2026-10-17"), pd.Timestamp("2026-10-17"), [10]),
        ("2026-10-17T01:00:00+02:00", "2026-10-16", [1]),
        ("7 days", None, [1, 10, 100]),
        ("2026-11-01", None, []),
    ],
)
def test_the_ledger_is_cut_at_utc_days(days, start, end, billed):
    table = ledger(days, start, end, today=date(2026, 10, 20))
    assert table["billed_characters"].tolist() == billed


@pytest.mark.parametrize(
    ("start", "end", "error"),
    [("2026-10-18", "2026-10-17", ValueError), ("yesterday", None, ValueError), (7, None, TypeError)],
)
def test_a_range_that_means_nothing_is_said(days, start, end, error):
    with pytest.raises(error):
        ledger(days, start, end)


# ---- beside the report


def table_of(*rows, **rest):
    """A table of usage, with a day, a key and an amount in each row."""
    frame = pd.DataFrame(rows, columns=["usage_date", "api_key", "total_characters"])
    return frame.assign(usage_date=pd.to_datetime(frame["usage_date"]).astype("datetime64[s]"), **rest)


def compared(store, table, **rest):
    return reconcile(table, ledger(store), today=date(2026, 10, 30), **rest)


KEY = "1234********wxyz"


def test_equal_days_are_said_to_be_equal(days):
    rows = [("2026-10-16", KEY, 1), ("2026-10-17", KEY, 10), ("2026-10-18", KEY, 100)]
    found = compared(days, table_of(*rows))
    assert list(found.columns) == ["usage_date", "api_key", "reported", "logged", "difference", "note"]
    assert found["note"].tolist() == ["equal"] * 3
    assert found.said == "3 rows equal: 111 characters reported, 111 logged."


@pytest.mark.parametrize(
    ("row", "rest", "note"),
    [
        (("2026-10-17", KEY, 1010), {}, "1,000 more reported: used elsewhere too"),
        (("2026-10-17", "other", 5), {}, "5 more reported: nothing was logged here"),
        (("2026-10-17", KEY, 7), {}, "3 fewer reported: the report is late"),
        (("2026-10-17", KEY, 10), {"incomplete": True}, "equal; the day was not over"),
        (("2026-10-30", KEY, 4), {}, "the day was not over"),
    ],
)
def test_a_difference_is_reported_in_words(days, row, rest, note):
    (found,) = compared(days, table_of(row, **rest)).to_dict("records")
    assert note in found["note"]
    assert found["difference"] == found["reported"] - found["logged"]


def test_what_is_unclear_explains_as_much_as_it_can(days):
    charged(days, at(DAY), unclear=40, api_key=KEY)
    for more, word in ((40, "without a response (at most 40)"), (41, "used elsewhere too")):
        (note,) = compared(days, table_of(("2026-10-16", KEY, 1 + more)))["note"]
        assert word in note
    assert "up to 40" in note


def test_only_runs_with_the_same_service_count(days):
    charged(days, at(DAY), billed=500, api_key=KEY, service="https://other.example")
    table = table_of(("2026-10-16", KEY, 500))
    assert compared(days, table, service="https://other.example")["note"].tolist() == ["equal"]
    assert compared(days, table)["logged"].tolist() == [501]


def test_keys_are_known_by_their_ends_however_they_are_masked(days):
    for mask in ("1234…wxyz", "1234****wxyz"):
        (row,) = compared(days, table_of(("2026-10-16", mask, 1))).to_dict("records")
        assert (row["api_key"], row["note"]) == (mask, "equal")


def test_two_keys_with_the_same_mask_are_one(days):
    (row,) = compared(days, table_of(("2026-10-16", KEY, 1), ("2026-10-16", KEY, 4))).to_dict("records")
    assert (row["reported"], row["logged"]) == (5, 1)


def test_a_filtered_table_is_held_against_its_own_days_and_keys(days):
    charged(days, at(DAY), billed=9, api_key="5678********abcd")
    found = compared(days, table_of(("2026-10-16", KEY, 1)))
    assert found["note"].tolist() == ["equal"]


def test_a_whole_report_is_held_against_all_that_was_logged_in_its_range(days):
    whole = Usage(table_of(("2026-10-16", KEY, 1)), start=DAY, end=date(2026, 10, 17), group_by="key_and_day")
    found = compared(days, whole)
    assert found["usage_date"].dt.day.tolist() == [16, 17]
    assert found["reported"].tolist() == [1, 0]
    assert found["api_key"].tolist() == [KEY, KEY]
    assert found["difference"].tolist() == [0, -10]


def test_a_report_over_a_part_of_a_day_says_so(days):
    moments = {"start": datetime(2026, 10, 16, 11, tzinfo=UTC), "end": date(2026, 10, 16)}
    whole = Usage(table_of(("2026-10-16", KEY, 1)), **moments, group_by="key_and_day")
    (note,) = compared(days, whole)["note"]
    assert note == "equal; the report covers only part of this day (start 2026-10-16T11:00:00)"


def test_days_alone_can_be_compared(days):
    table = table_of(("2026-10-16", KEY, 1), ("2026-10-17", KEY, 10)).drop(columns="api_key")
    found = compared(days, table)
    assert list(found.columns) == ["usage_date", "reported", "logged", "difference", "note"]
    assert found["note"].tolist() == ["equal", "equal"]


def test_nothing_beside_nothing_is_said(days):
    assert "Nothing was reported" in compared(days, table_of()).said
    assert "Nothing was reported" in compared(days, table_of(("2026-10-01", KEY, 0))).said


def test_a_report_without_days_cannot_be_compared(days):
    with pytest.raises(ValueError, match="key_and_day"):
        compared(days, table_of(("2026-10-16", KEY, 1)).drop(columns="usage_date"))


def test_use_that_was_no_run_is_found(running, own):
    translated(TEXTS[:10])
    assert svc_nb.reconcile(reported(own))["difference"].tolist() == [0]
    own.client.text.translate(["twelve chars"], "DE", source_lang="EN", warn=False)
    (row,) = svc_nb.reconcile(reported(own)).to_dict("records")
    assert row["difference"] == 12
    assert "used elsewhere too" in row["note"]
    assert "the day was not over" in row["note"]


def test_a_service_is_the_same_with_and_without_a_slash_at_the_end_of_its_address(running, own):
    translated(TEXTS[:10])
    for address in (running.base_url, f"{running.base_url}/"):
        (row,) = svc_nb.reconcile(reported(own), service=address).to_dict("records")
        assert (row["reported"], row["logged"]) == (130, 130)


def test_the_embedded_service_is_one_service_whatever_its_address(connected):
    translated(TEXTS[:10])
    assert svc_nb.ledger()["service"].tolist() == ["embedded"]
    used = svc_nb.usage("7 days")
    mine = used[used["api_key"] == ledger_context.masked(connected.settings.api_key)]
    assert svc_nb.reconcile(mine)["logged"].tolist() == [130]


@pytest.mark.parametrize("found", [None, "7 days"])
def test_what_is_no_table_cannot_be_compared(days, found):
    with pytest.raises(TypeError, match="expected a table of usage, found"):
        compared(days, found)
