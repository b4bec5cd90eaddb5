"""A job goes on by itself: watched, paused, ended, awaited; and it shares its store with threads and processes."""

from __future__ import annotations

import asyncio
import json
import pickle
import re
import signal
import sys
import threading
import time

import pandas as pd
import pytest

import svc_nb
from svc_nb import errors
from tests.children import Child
from tests.counters import Counters, listed, marked
from tests.magics.conftest import opened
from tests.waiting import until

pytestmark = [
    pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished"),
]

TEXTS = [f"text number {number}" for number in range(1000)]
LENGTH = sum(map(len, TEXTS))
LATENCY = 0.02


@pytest.fixture
def slow(running, reached):
    """A session with one request at a time."""
    running.faults.add("latency", operation="/v2/translate", seconds=LATENCY)
    return reached(pool_size=1)


@pytest.fixture
def counters(running, slow):
    return Counters(running, slow)


def started(texts=TEXTS, **fields):
    return pd.Series(texts, name="n").svc.start_translate("DE", source_lang="EN", **fields)


def translated(texts=TEXTS, **fields):
    return listed(pd.Series(texts).svc.translate("DE", source_lang="EN", progress=False, **fields))


# ---- watching


def test_a_job_returns_at_once_and_tells_how_far_it_is(counters):
    job = started()
    assert not job.done()
    assert svc_nb.last_run() is job
    until(lambda: job.progress.done >= 100)
    seen = job.progress
    assert seen.rows == 1000
    assert seen.done < 1000
    assert 0 < seen.billed <= counters.characters
    assert listed(job.result()) == marked(TEXTS)
    assert job.done()
    assert job.progress.done == 1000
    assert seen.done < 1000


def test_a_partial_result_has_what_is_done_in_its_place_and_gaps_elsewhere(counters):
    job = started()
    until(lambda: job.progress.done >= 100)
    partial = job.partial()
    assert partial.name == "n"
    assert partial.index.tolist() == list(range(1000))
    assert 100 <= partial.notna().sum() < 1000
    for text, came in zip(TEXTS, listed(partial), strict=True):
        assert came in (f"[DE] {text}", None)
    job.cancel()
    job.wait()


def test_a_partial_result_and_a_table_may_be_asked_for_at_once(counters):
    for _ in range(5):
        job = started()
        partial, table = job.partial(), job.table()
        job.cancel()
        job.wait()
        assert (len(partial), partial.name, len(table)) == (1000, "n", 1000)


def test_rows_can_be_read_while_the_job_goes_on(counters):
    job = started()
    until(lambda: job.progress.done >= 100)
    table = job.table()
    assert len(table) == 1000
    assert set(table["status"]) == {"done", "open"}
    job.cancel()
    job.wait()


def test_no_key_is_shown(running, counters):
    job = started(TEXTS[:50])
    shown = [repr(job), str(job), job._repr_html_()]
    job.result()
    shown += [repr(job), str(job), job._repr_html_(), repr(job.progress), repr(svc_nb.current())]
    assert not [text for text in shown if running.api_key in text]


def test_results_can_be_pickled(counters):
    job = started(TEXTS[:50])
    for value in (job.result(), job.table(), job.progress, pd.Series(TEXTS).svc.plan("DE", source_lang="EN")):
        again = pickle.loads(pickle.dumps(value))
        assert again.equals(value) if isinstance(value, pd.Series | pd.DataFrame) else again == value


# ---- steering


def test_a_paused_job_sends_nothing_until_it_is_resumed(counters):
    job = started()
    until(lambda: job.progress.done >= 100)
    job.pause()
    until(lambda: job.progress.in_flight == 0)
    sent = counters.requests()
    time.sleep(10 * LATENCY)
    assert counters.requests() == sent < 20
    assert not job.done()
    job.resume()
    assert listed(job.result()) == marked(TEXTS)
    assert counters.characters == LENGTH


def test_a_job_can_be_paused_before_it_has_begun(counters):
    job = started()
    job.pause()
    until(lambda: job.progress.in_flight == 0)
    sent = counters.requests()
    time.sleep(5 * LATENCY)
    assert counters.requests() == sent <= 1
    job.resume()
    job.cancel()
    job.wait()


def test_a_cancelled_job_ends_with_the_request_under_way_and_keeps_what_is_done(counters):
    job = started()
    until(lambda: job.progress.done >= 100)
    sent = counters.so_far()
    job.cancel()
    with pytest.warns(errors.Unfinished, match="because the run was interrupted"):
        result = job.result()
    assert counters.requests() <= sent + 2
    assert listed(result) == [text if text else None for text in listed(job.partial())]
    assert result.notna().sum() == 50 * counters.requests(200)
    assert translated() == marked(TEXTS)
    assert counters.characters == LENGTH


def test_the_same_job_again_waits_to_be_started_and_pays_only_for_the_rows_that_were_not_done(counters):
    job = started()
    until(lambda: job.progress.done >= 100)
    job.cancel()
    job.wait()
    done, paid = job.progress.done, counters.characters
    again = job.again()
    assert type(again) is type(job)
    assert not again.done()
    assert counters.characters == paid
    again.start()
    assert listed(again.result()) == marked(TEXTS)
    assert again.progress.stored == done
    assert counters.characters == LENGTH


def test_a_paused_job_can_be_cancelled(counters):
    job = started()
    until(lambda: job.progress.done >= 50)
    job.pause()
    job.cancel()
    assert job.wait(30)
    assert job.result().notna().sum() == 50 * counters.requests(200)


def test_a_paused_job_keeps_no_text_from_others(running, reached):
    reached(first_wait=0.5, longest_wait=0.5)
    running.faults.add("status", status=503, operation="/v2/translate", count=1)
    job = started(TEXTS[:50])
    until(lambda: job.progress.retried)
    job.pause()
    other = started(TEXTS[:50])
    ended = other.wait(5)
    job.resume()
    assert listed(job.result()) == listed(other.result()) == marked(TEXTS[:50])
    assert ended


def test_a_result_that_takes_too_long_raises_and_the_job_goes_on(counters):
    job = started()
    with pytest.raises(TimeoutError):
        job.result(timeout=LATENCY)
    assert not job.done()
    assert listed(job.result(timeout=60)) == marked(TEXTS)
    assert counters.characters == LENGTH


def test_what_goes_wrong_is_raised_by_the_result_and_by_nothing_before(running, counters):
    running.faults.add("quota", operation="/v2/translate", characters=1000)
    job = started()
    assert job.wait(60)
    with pytest.raises(errors.QuotaExceeded):
        job.result()
    assert job.partial().notna().sum() == 50 * counters.requests(200)


def test_a_session_that_is_closed_ends_the_job_and_keeps_what_is_done(slow, counters):
    job = started()
    until(lambda: job.progress.done >= 50)
    slow.close()
    with pytest.raises(errors.Closed):
        job.result()
    assert 50 <= job.partial().notna().sum() < 1000
    assert job.progress.done == svc_nb.store.info().entries


def test_a_cell_that_is_no_text_is_raised_by_the_result(counters):
    job = started(["one", 2])
    with pytest.raises(TypeError, match="row 1"):
        job.result()


# ---- inside a running loop


def test_a_job_is_awaited_without_holding_up_the_loop(counters):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(LATENCY / 3)
                ticks += 1

        ticking = asyncio.create_task(tick())
        result = await started(TEXTS[:500])
        ticking.cancel()
        return result, ticks

    result, ticks = asyncio.run(main())
    assert listed(result) == marked(TEXTS[:500])
    assert ticks >= 10


def test_jobs_are_awaited_together(counters):
    async def main():
        return await asyncio.gather(started(TEXTS[:100]), started(TEXTS[50:150]))

    first, second = asyncio.run(main())
    assert listed(first) == marked(TEXTS[:100])
    assert listed(second) == marked(TEXTS[50:150])
    assert counters.characters == sum(map(len, TEXTS[:150]))


def test_an_awaited_job_raises_what_went_wrong(running, counters):
    running.faults.add("quota", operation="/v2/translate", characters=0)

    async def main():
        return await started(TEXTS[:50])

    with pytest.raises(errors.QuotaExceeded):
        asyncio.run(main())


def test_waiting_for_a_job_can_be_given_up(counters):
    async def main():
        job = started()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(job, LATENCY)
        assert not job.done()
        job.cancel()

    asyncio.run(main())


def test_a_column_is_translated_inside_a_running_loop(counters):
    async def main():
        return translated(TEXTS[:50])

    assert asyncio.run(main()) == marked(TEXTS[:50])


def test_a_cell_of_a_notebook_translates_and_awaits(counters, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shell = opened()
    shell.push({"texts": pd.Series(TEXTS[:50])})
    cells = [
        'job = texts.svc.start_translate("DE", source_lang="EN")',
        "first = await job",
        'second = texts.svc.translate("DE", source_lang="EN")',
    ]

    async def main():
        for cell in cells:
            done = await shell.run_cell_async(cell, transformed_cell=shell.transform_cell(cell))
            done.raise_error()

    asyncio.run(main())
    assert listed(shell.user_ns["first"]) == listed(shell.user_ns["second"]) == marked(TEXTS[:50])
    assert counters.requests() == 1


# ---- threads


def test_threads_send_each_text_once_and_share_one_gate(running, reached):
    running.faults.add("latency", operation="/v2/translate", seconds=LATENCY)
    counters = Counters(running, reached(pool_size=4))
    results = {}

    def work(name, texts):
        results[name] = translated(texts)

    columns = {"whole": TEXTS[:400], "same": TEXTS[:400], "backwards": TEXTS[399::-1], "part": TEXTS[150:300]}
    threads = [threading.Thread(target=work, args=column) for column in columns.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {name: marked(texts) for name, texts in columns.items()}
    assert counters.characters == sum(map(len, TEXTS[:400]))
    assert 1 < running.traffic.peak <= 4


# ---- processes


@pytest.mark.long
def test_processes_send_each_text_once(running, slow, counters, tmp_path):
    children = [
        Child(running, slow.store.path, "tell(translate(progress=False))", rows=400, pool_size=2) for _ in range(2)
    ]
    with children[0], children[1]:
        for child in children:
            child.go()
        for child in children:
            out, err, code = child.told()
            assert (json.loads(out), err, code) == (marked(TEXTS[:400]), "", 0)
    assert counters.characters == sum(map(len, TEXTS[:400]))


@pytest.mark.long
def test_after_a_kill_only_what_was_not_stored_is_sent(running, slow, counters):
    with Child(running, slow.store.path, "translate(progress=False)", rows=1000, pool_size=1) as child:
        child.go()
        until(lambda: counters.so_far(200) >= 10)
        child.process.kill()
        child.process.wait()
    until(lambda: running.traffic.in_flight == 0)
    killed, stored = counters.characters, svc_nb.store.info()
    assert stored.entries >= 400
    lost = ("on its way", "being stored")
    assert killed - stored.billed <= len(lost) * 50 * 16
    assert translated() == marked(TEXTS)
    assert counters.characters - killed == LENGTH - stored.billed


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_an_interrupt_stores_what_is_under_way_and_says_what_is_done(running, slow, counters):
    script = """
try:
    tell(translate())
except KeyboardInterrupt as stopped:
    tell(svc_nb.last_run().partial())
    print(svc_nb.last_run())
    print(stopped)
"""
    with Child(running, slow.store.path, script, rows=1000, pool_size=1) as child:
        child.go()
        until(lambda: counters.so_far(200) >= 5)
        sent = counters.so_far()
        child.process.send_signal(signal.SIGINT)
        out, err, code = child.told()
    assert (err, code) == ("", 0)
    assert counters.requests() <= sent + 2
    done = 50 * counters.requests(200)
    column, _, shown = out.partition("\n")
    assert sum(cell is not None for cell in json.loads(column)) == done
    assert f"{1000 - done}  (interrupted {1000 - done})" in shown
    said = f"{done:,} of 1,000 rows are done and stored ({counters.characters:,} characters billed); "
    assert shown.endswith(f"\n{said}run it again to continue, or see svc_nb.last_run().partial()\n")
    assert translated() == marked(TEXTS)
    assert counters.characters == LENGTH


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM to another process")
def test_a_process_that_is_terminated_stores_what_is_under_way_before_it_ends(running, slow, counters):
    with Child(running, slow.store.path, "translate(progress=False)", rows=1000, pool_size=1) as child:
        child.go()
        until(lambda: counters.so_far(200) >= 5)
        child.process.send_signal(signal.SIGTERM)
        _, _, code = child.told()
    assert code == -signal.SIGTERM
    assert svc_nb.store.info().billed == counters.characters
    assert translated() == marked(TEXTS)
    assert counters.characters == LENGTH


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_a_second_interrupt_leaves_at_once_though_the_service_hangs(running, slow):
    with Child(running, slow.store.path, "translate()", rows=1000, pool_size=1) as child:
        child.go()
        until(lambda: svc_nb.store.info().entries >= 100)
        hang = running.faults.add("hang", operation="/v2/translate", seconds=120)
        until(lambda: running.faults.taken(hang))
        child.process.send_signal(signal.SIGINT)
        with pytest.raises(Exception, match="timed out"):
            child.process.wait(timeout=0.5)
        child.process.send_signal(signal.SIGINT)
        _, err, _ = child.told()
    last = err.rstrip().splitlines()[-1]
    done = int(re.match(r"KeyboardInterrupt: (\d+) of 1,000 rows are done and stored \(", last)[1])
    assert 100 <= done <= svc_nb.store.info().entries < 1000
    assert "; what is on its way is stored when it is answered; run it again to continue" in last
