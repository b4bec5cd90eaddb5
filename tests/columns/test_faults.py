"""Whatever breaks on the way, every row is right or marked, none is shifted, and nothing is paid twice but what the
service itself billed twice."""

from __future__ import annotations

import re
import socket
import time
from dataclasses import replace

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.counters import Counters, listed, marked, quiet
from tests.sessions import current
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished"),
]

TEXTS = [f"{'long ' * (number % 7)}text number {number}" for number in range(1000)]
LENGTH = sum(map(len, TEXTS))
OPERATION = "/v2/translate"

UNBILLED = {
    "503": {"kind": "status", "status": 503},
    "529": {"kind": "status", "status": 529},
    "429": {"kind": "status", "status": 429},
    "500": {"kind": "status", "status": 500},
    "reset": {"kind": "reset"},
    "hang": {"kind": "hang", "seconds": 0.2},
}
BILLED = {"truncated": {"kind": "truncate"}, "wrong count": {"kind": "miscount"}}
ALL = {**UNBILLED, **BILLED}


@pytest.fixture
def counters(running, reached):
    return Counters(running, reached())


def spoil(running, *faults, **rest):
    return [running.faults.add(**fault, operation=OPERATION, **rest) for fault in faults]


def translated(texts=TEXTS, **fields):
    return listed(pd.Series(texts).svc.translate("DE", source_lang="EN", progress=False, **fields))


def check_costs(counters):
    """The report, the table and the service agree on what was billed."""
    report = svc_nb.last_run().progress
    assert svc_nb.last_run().table()["billed_characters"].sum() == report.billed
    assert report.billed <= counters.characters <= report.billed + report.unclear


@pytest.mark.parametrize("name", UNBILLED)
def test_a_fault_that_passes_costs_no_row_and_no_character(running, counters, name):
    count = 1 if name == "reset" else 4  # two resets may meet the same batch, which is then sent text by text
    (fault,) = spoil(running, UNBILLED[name], probability=0.5, count=count)
    assert translated() == marked(TEXTS)
    assert counters.requests() == 20 + running.faults.taken(fault)
    assert counters.characters == LENGTH
    check_costs(counters)


@pytest.mark.parametrize("name", BILLED)
def test_an_incomplete_answer_is_retried_and_shifts_no_row(running, counters, name):
    (fault,) = spoil(running, BILLED[name], probability=0.5, count=3)
    assert translated() == marked(TEXTS)
    assert counters.requests() >= 20 + running.faults.taken(fault)
    assert counters.characters > LENGTH
    assert svc_nb.last_run().progress.unclear == counters.characters - LENGTH
    check_costs(counters)


def test_early_hints_cost_no_row_and_no_character(running, counters):
    spoil(running, {"kind": "early_hints"})
    assert translated() == marked(TEXTS)
    assert counters.requests() == 20
    assert counters.characters == LENGTH
    check_costs(counters)


def test_an_answer_of_another_request_shifts_no_row(running, counters):
    texts = [f"text number {number:04} {'x' * (number % 101)}" for number in range(1000)]
    (fault,) = spoil(running, {"kind": "late_second_answer", "seconds": 0.01}, probability=0.3, count=5)
    running.faults.add("latency", operation=OPERATION, seconds=0.03)
    result = translated(texts, errors="coerce")
    assert all(came in (right, None) for came, right in zip(result, marked(texts), strict=True))
    assert result.count(None) <= running.faults.taken(fault)
    check_costs(counters)


def test_an_answer_that_comes_drop_by_drop_is_given_up_and_retried(running, reached):
    reached(read_timeout=0.4, answer_timeout=0.4)
    (fault,) = spoil(running, {"kind": "drip", "seconds": 4}, count=2)
    assert translated() == marked(TEXTS)
    assert running.faults.taken(fault) == 2
    assert svc_nb.last_run().progress.retried >= 2
    assert svc_nb.last_run().progress.unclear > 0


def test_an_answer_that_unpacks_without_end_is_bought_once_more(running, counters):
    spoil(running, {"kind": "gzip_bomb"}, count=2)
    assert translated() == marked(TEXTS)
    assert counters.requests() == 22
    check_costs(counters)


@pytest.mark.parametrize("probability", [0.05, 0.1])
def test_every_row_is_right_or_marked_when_everything_goes_wrong_at_once(running, counters, probability):
    spoil(running, *ALL.values(), probability=probability)
    result = translated(errors="coerce")
    table = svc_nb.last_run().table()
    for text, came, status in zip(TEXTS, result, table["status"], strict=True):
        assert (came, status) in [(f"[DE] {text}", "done"), (None, "failed"), (None, "unsent")]
    check_costs(counters)
    running.faults.clear()
    assert translated() == marked(TEXTS)


@pytest.mark.long
def test_rows_of_several_targets_are_not_mixed_up_when_everything_goes_wrong_at_once(running, counters):
    spoil(running, *ALL.values(), probability=0.1)
    frame = pd.DataFrame({"a": TEXTS[:300], "b": TEXTS[200:500]})
    result = frame.svc.translate(["a", "b"], ["DE", "JA"], source_lang="EN", errors="coerce", progress=False)
    for name in result:
        column, target = name.split("_")
        for text, came in zip(frame[column], listed(result[name]), strict=True):
            assert came in (f"[{target}] {text}", None)


@pytest.mark.long
def test_a_service_that_is_slow_to_answer_is_given_up_on_and_asked_again(running, reached):
    reached(read_timeout=1)
    spoil(running, {"kind": "hang", "seconds": 30}, count=2)
    assert translated(TEXTS[:200]) == marked(TEXTS[:200])
    report = svc_nb.last_run().progress
    assert report.retried >= 2
    assert report.unclear > 0


# ---- room


@pytest.mark.parametrize("status", [429, 529])
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_service_with_little_room_loses_no_row(running, counters, limit, status):
    running.faults.add("latency", operation=OPERATION, seconds=0.01)
    running.faults.add("capacity", operation=OPERATION, limit=limit, status=status)
    assert translated() == marked(TEXTS)
    assert counters.requests(200) == 20
    assert counters.characters == LENGTH
    assert svc_nb.last_run().progress.refused == counters.requests(status)
    check_costs(counters)


def test_the_parallel_requests_that_the_service_accepts_are_learned_and_remembered(running, counters):
    running.faults.add("latency", operation=OPERATION, seconds=0.01)
    running.faults.add("capacity", operation=OPERATION, limit=2)
    translated()
    first = counters.requests(429)
    translated([f"{text} again" for text in TEXTS])
    assert counters.requests(429) - first <= first


def test_no_more_requests_are_under_way_than_the_settings_allow(running, reached):
    reached(pool_size=3)
    running.faults.add("latency", operation=OPERATION, seconds=0.01)
    assert translated() == marked(TEXTS)
    assert running.traffic.peak <= 3


def test_the_pool_size_of_the_latest_session_counts_for_all_that_have_its_key(running, reached):
    first = reached(pool_size=8)
    session.Session(replace(first.settings, pool_size=2)).close()
    running.faults.add("latency", operation=OPERATION, seconds=0.02)
    assert translated(TEXTS[:500]) == marked(TEXTS[:500])
    assert running.traffic.peak <= 2


@pytest.mark.long
def test_a_refused_batch_waits_as_long_as_requested_and_the_others_continue(running, counters):
    spoil(running, {"kind": "status", "status": 429, "retry_after": 1}, count=1)
    started = time.monotonic()
    job = pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN")
    done = 0
    while counters.so_far() < 21 and not job.done():
        done = job.progress.done
        time.sleep(0.01)
    assert done == 950
    assert listed(job.result()) == marked(TEXTS)
    assert time.monotonic() - started >= 1
    assert counters.requests(429) == 1


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_wait_that_is_too_long_ends_the_run_at_once_and_holds_up_no_later_one(running, counters, status):
    spoil(running, {"kind": "status", "status": status, "retry_after": 3600})
    job = pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN")
    with pytest.raises(errors.SvcError, match=r"asked to wait 3600 s, until 20\d\d-") as caught:
        job.result(30)
    assert caught.value.retry_after == 3600
    assert counters.requests() <= svc_nb.current().gate.peak
    running.faults.clear()
    assert listed(pd.Series(TEXTS).svc.start_translate("DE", source_lang="EN").result(30)) == marked(TEXTS)


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_is_reported_while_it_lasts(running, counters, status):
    spoil(running, {"kind": "status", "status": status, "retry_after": 40})
    job = pd.Series(TEXTS[:10]).svc.start_translate("DE", source_lang="EN")
    until(lambda: job.progress.waiting)
    said = job.progress.waiting
    assert re.match(rf"waiting [345]\d s: {status} ", said)
    assert said in repr(svc_nb.last_run())
    job.cancel()
    assert job.wait(10)
    assert not job.progress.waiting


# ---- a service that is gone


@pytest.mark.parametrize("status", [500, 503])
def test_a_service_that_only_fails_is_not_asked_text_by_text(running, counters, status):
    spoil(running, {"kind": "status", "status": status})
    with pytest.raises(errors.ServerError):
        translated(TEXTS[:200])
    assert counters.requests() <= 60


def test_a_service_that_breaks_off_every_time_is_one_clear_error(running, counters):
    spoil(running, {"kind": "reset"})
    with pytest.raises(errors.Unreachable):
        translated()
    assert counters.requests() < 20 * 5
    assert svc_nb.last_run().table()["status"].eq("unsent").all()


def test_a_service_that_is_not_there_is_one_clear_error(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and not listened at
        settings = Settings(
            base_url=f"http://127.0.0.1:{taken.getsockname()[1]}",
            api_key=Secret("key"),
            store=str(tmp_path / "b.sqlite"),
            first_wait=0.01,
        )
        with current(session.Session(settings)), pytest.raises(errors.Unreachable):
            translated()


def test_what_was_done_before_the_service_went_is_kept(running, counters):
    translated(TEXTS[:500])
    spoil(running, {"kind": "reset"})
    with pytest.raises(errors.SvcError):
        translated()
    running.faults.clear()
    assert translated() == marked(TEXTS)
    assert counters.characters == LENGTH


# ---- the store


def test_a_store_that_cannot_be_written_is_one_clear_error(running, connected, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with current(session.Session.embedded(running, Settings(store=str(tmp_path / "file" / "answers.sqlite")))):
        sent = quiet(running)
        with pytest.raises(errors.StoreError, match=r"answers\.sqlite"):
            translated()
        assert quiet(running) == sent
