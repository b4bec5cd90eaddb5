"""Workers that send: their orders and results, without a cluster."""

from __future__ import annotations

import pickle
import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from svc_nb import session
from svc_nb.clusters import fleet
from svc_nb.clusters.fleet import FleetJob, Part, WorkOrder, send_part, shares
from svc_nb.columns.selection import CountedTexts
from svc_nb.engine.store import Store
from svc_nb.errors import QuotaExceeded, SettingsError, StoreError
from svc_nb.service.faults import Fault
from svc_nb.wire.client.ignored_options import IgnoredOptions, OptionsIgnored
from tests.waiting import until

DE = WorkOrder(("DE",), {})


def part(first: int, many: int) -> Part:
    return Part([f"Sentence number {number}" for number in range(first, first + many)], [2] * many, {})


def sheet(many: int) -> CountedTexts:
    return CountedTexts(*part(0, many))


def here(order, parts, halted):
    """What workers would send, sent from here, one part after the other."""
    for number, each in enumerate(parts):
        if halted():
            return
        yield number, pickle.loads(pickle.dumps(send_part(*pickle.loads(pickle.dumps((order, each))))))


def ended(job: FleetJob) -> FleetJob:
    job.start()
    assert job.wait(60)
    return job


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(fleet, "TEXTS_A_PART", 30)


@pytest.mark.parametrize("most", range(1, 70))
def test_shares_are_never_more_than_the_whole(most):
    tasks, requests = shares(most)
    assert tasks >= 1
    assert requests >= 1
    assert tasks * requests <= most
    assert tasks * (requests + 1) > most


def test_a_part_is_counted_kept_and_paid_for_once(connected, counters):
    first, second = send_part(DE, part(0, 40)), send_part(DE, part(0, 40))
    assert first.results == second.results == [[f"[DE] {text}" for text in part(0, 40).texts]]
    assert (first.report.done, first.report.stored, second.report.stored) == (80, 0, 80)
    assert counters.characters == first.report.billed == sum(map(len, part(0, 40).texts))
    assert Counter(each.operation for each in first.entries) == {"detect": 40, "translate": 40}
    assert not len(first.undone)


def test_what_the_store_has_is_not_sent_and_what_comes_is_kept(connected, counters, small):
    send_part(DE, part(0, 50))
    shipped = []

    def send(order, parts, halted):
        shipped.extend(text for each in parts for text in each.texts)
        return here(order, parts, halted)

    job = ended(FleetJob(DE, sheet(100), send, connected.store))
    report = job.progress
    assert shipped == part(50, 50).texts
    assert (report.rows, report.done, report.stored, report.unique) == (200, 200, 100, 100)
    assert fleet.results_of(job) == [[f"[DE] {text}" for text in sheet(100).texts]]
    assert counters.characters == sum(map(len, sheet(100).texts))
    assert len(list(connected.store.entries(operation="translate"))) == 100


def test_a_driver_that_knows_no_service_has_all_sent_and_keeps_it(connected, small, monkeypatch):
    monkeypatch.setattr(fleet, "_has_service", lambda: False)
    texts = CountedTexts(["One", None, "12,50"], [1, 5, 3])
    job = ended(FleetJob(DE, texts, here, connected.store))
    assert fleet.results_of(job) == [["[DE] One", None, "12,50"]]
    assert (job.progress.done, job.progress.skipped.total()) == (1, 8)


def test_several_targets_and_none(connected, counters, small):
    job = ended(FleetJob(WorkOrder(("DE", "FI"), {}), sheet(40), here, connected.store))
    assert [column[0][:4] for column in fleet.results_of(job)] == ["[DE]", "[FI]"]
    assert (job.progress.rows, job.progress.done) == (160, 160)
    spoken = CountedTexts(["Good morning, how are you today?", "Guten Morgen, wie geht es Ihnen heute?"], [1, 1])
    found = ended(FleetJob(WorkOrder((), {}), spoken, here, connected.store))
    assert fleet.results_of(found) == [["EN", "DE"]]
    assert counters.characters == 2 * sum(map(len, sheet(40).texts))


def test_options_without_effect_are_heard_of_from_workers(connected):
    def send(order, parts, halted):
        for number, delivery in here(order, parts, halted):
            connected.client.ignored_options = IgnoredOptions()  # the driver has heard nothing itself
            yield number, delivery

    ended(FleetJob(WorkOrder(("DE",), {"formality": "more"}), sheet(3), send, connected.store))
    with pytest.warns(OptionsIgnored, match="No effect: formality"):
        connected.client.ignored_options.warn()


def test_a_spent_quota_ends_the_run_and_the_rest_is_reported(running, connected, small):
    running.faults.add(Fault("quota", "/v2/translate", characters=2500))
    job = ended(FleetJob(DE, sheet(300), here, connected.store))
    report = job.progress
    assert isinstance(report.error, QuotaExceeded)
    assert report.stopped == "quota"
    assert 0 < report.done < 600
    assert report.done + report.unsent.total() == 600
    assert set(report.unsent) == {"quota"}
    undone = job.table()
    assert len(undone) == report.unsent["quota"] / 2
    assert set(undone["status"]) == {"unsent"}
    running.faults.clear()
    rest = ended(FleetJob(DE, sheet(300), here, connected.store, only_stored=True)).progress
    assert (rest.done, rest.unsent["budget"]) == (report.done, report.unsent["quota"])


def test_what_keeps_workers_from_sending_is_raised(connected):
    def send(order, parts, halted):
        raise SettingsError("no key")
        yield

    job = ended(FleetJob(DE, sheet(3), send, connected.store))
    with pytest.raises(SettingsError, match="no key"):
        job.partial()
    with pytest.raises(SettingsError, match="no key"):
        job.result()


def test_a_store_that_fails_for_a_while_gets_all_that_came(connected, tmp_path, small):
    store = Store(tmp_path / "locked.sqlite", patience=0.05)
    assert store.info().entries == 0
    told = []

    def send(order, parts, halted):
        """The first part comes while another process holds the file; one more was under way."""
        came = here(order, parts, lambda: False)
        other = sqlite3.connect(store.path)
        other.execute("BEGIN IMMEDIATE")
        yield next(came)
        other.close()
        told.append(halted())
        yield next(came)

    job = ended(FleetJob(DE, sheet(100), send, store))
    assert told == [True]
    assert isinstance(job.progress.error, StoreError)
    assert (job.progress.done, job.progress.unsent) == (120, {"store": 80})
    assert len(list(store.entries(operation="translate"))) == 60
    store.close()


def apart(connected, shipped):
    """What workers would send, each of them on a machine whose store has nothing yet."""

    def send(order, parts, halted):
        shipped.extend(parts)
        for number, each in enumerate(parts):
            connected.store.clear()
            yield number, send_part(order, each)

    return send


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize(
    ("fields", "texts", "options"),
    [
        ({"protect": "placeholders"}, [f"Please greet {{name{number}}} today" for number in range(80)], {}),
        (
            {"protect": ["Ann", "Bob"]},
            [f"{name} has {number} cats" for name in ("Ann", "Bob") for number in range(40)],
            {},
        ),
        (
            {},
            [f"It rains {number}" for number in range(20)] * 3,
            {"source_lang": ["EN"] * 20 + ["en"] * 20 + [" EN "] * 20},
        ),
        (
            {"source_lang": "EN"},
            [f"It rains {number}" for number in range(20)] * 3,
            {"context": ["A song"] * 20 + [" A song"] * 20 + [None] * 20},
        ),
    ],
)
def test_what_is_one_question_goes_to_one_machine(
    connected, counters, small, monkeypatch, fields, texts, options, planned
):
    """However it is written: behind masks, or in a language whose code has other blanks and capitals."""
    rows = CountedTexts(texts, [1] * len(texts), options)
    order = WorkOrder(("DE",), fields)
    wanted = order.job(rows).plan().characters
    if not planned:
        monkeypatch.setattr(fleet, "_has_service", lambda: False)
    shipped = []
    job = ended(FleetJob(order, rows, apart(connected, shipped), connected.store))
    assert counters.characters == job.progress.billed == wanted
    assert sum(len(each.texts) for each in shipped) == len(texts)
    here_too = order.job(rows)
    here_too.start()
    assert fleet.results_of(job) == [here_too.result().tolist()]


def test_languages_are_asked_for_once_where_texts_begin_alike(connected, counters, small):
    rows = CountedTexts(["Good morning to all of you. " * 90 + str(number) for number in range(50)], [1] * 50)
    shipped = []
    job = ended(FleetJob(WorkOrder((), {}), rows, apart(connected, shipped), connected.store))
    assert fleet.results_of(job) == [["EN"] * 50]
    assert [len(each.texts) for each in shipped] == [50]


@pytest.mark.long
def test_a_cancelled_run_sends_no_more_and_a_paused_one_waits(running, connected, counters, small):
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.05))
    job = FleetJob(DE, sheet(600), here, connected.store)
    job.start()
    until(lambda: job.progress.done)
    job.pause()
    time.sleep(1.5)  # what is under way ends
    paused = job.progress.done
    time.sleep(0.3)
    assert job.progress.done == paused < 1200
    job.resume()
    until(lambda: job.progress.done > paused)
    job.cancel()
    assert job.wait(30)
    report = job.progress
    assert report.done < 1200
    assert report.done + report.unsent["interrupted"] == 1200
    assert report.billed == counters.characters


def test_a_part_that_is_halted_delivers_what_it_has(running, connected):
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.3))
    came = send_part(WorkOrder(("DE",), {"source_lang": "EN"}, 1), part(0, 900), lambda: True)
    assert 0 < came.report.done < 1800
    assert came.report.done + came.report.unsent["interrupted"] == 1800
    assert len(came.undone) == came.report.unsent["interrupted"] / 2


def test_long_texts_make_short_parts(connected, monkeypatch):
    monkeypatch.setattr(fleet, "CHARACTERS_A_PART", 100)
    texts = CountedTexts(["a" * 60, "b" * 60, "c" * 300, "d", "e"], [1] * 5)
    job = FleetJob(DE, texts, here, connected.store)
    assert job._parts([[place] for place in range(5)]) == [[0], [1], [2], [3, 4]]


def test_no_part_ends_within_a_question(connected, monkeypatch):
    monkeypatch.setattr(fleet, "TEXTS_A_PART", 3)
    job = FleetJob(DE, sheet(9), here, connected.store)
    assert job._parts([[0, 3], [1, 2], [4], [5, 6, 7, 8]]) == [[0, 3], [1, 2, 4], [5, 6, 7, 8]]


def test_tasks_of_one_process_share_a_session_and_a_gate(running, monkeypatch, tmp_path):
    before = session.make_current(None)
    monkeypatch.setenv("SVC_BASE_URL", running.base_url)
    monkeypatch.setenv("SVC_API_KEY", running.api_key)
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.05))
    order = WorkOrder(("DE",), {}, 3)
    try:
        begin = threading.Barrier(4)

        def task(number):
            begin.wait()
            return send_part(order, part(1000 * number, 400)), session.known()

        with ThreadPoolExecutor(4) as threads:
            came = list(threads.map(task, range(4)))
        sessions = {each for _, each in came}
        assert len(sessions) == 1
        [opened] = sessions
        assert 3 < running.traffic.peak <= 12
        assert opened.gate.ceiling == opened.settings.pool_size
        assert all(each.report.done == 800 for each, _ in came)
    finally:
        opened.close()
        opened.store.close()
        session.make_current(before)


def test_a_task_alone_has_its_share(running, connected):
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.02))
    send_part(WorkOrder(("DE",), {}, 2), part(0, 900))
    assert running.traffic.peak == 2
    assert connected.gate.ceiling == connected.settings.pool_size


def test_a_worker_without_settings_says_so_and_starts_no_service(monkeypatch, tmp_path):
    before = session.make_current(None)
    try:
        for name in ("SVC_BASE_URL", "SVC_API_KEY", "SVC_FREE_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        monkeypatch.setattr(session, "_embedded_service", lambda **_: pytest.fail("it was started"))
        with pytest.raises(SettingsError, match="has no service") as caught:
            send_part(DE, part(0, 1))
        assert str(caught.value) == fleet.NO_SERVICE  # the complete message
        assert session.known() is None
    finally:
        session.make_current(before)


def test_an_empty_table_of_what_is_undone_has_its_columns(connected):
    job = ended(FleetJob(DE, CountedTexts([], []), here, connected.store))
    assert isinstance(job.table(), pd.DataFrame)
    assert list(job.table().columns)[:2] == ["source", "text"]
    assert {"status", "reason"} <= {*job.table().columns}
