"""The workers of a Dask cluster send: together never too many at once, each with its own key, nothing paid twice."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager

import cloudpickle
import dask.dataframe as dd
import msgspec
import pandas as pd
import pytest

import svc_nb
from svc_nb import service, session
from svc_nb.clusters import fleet
from svc_nb.clusters.dask.fleet import PartTask
from svc_nb.columns.ledger_context import notebook
from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.errors import NotAuthenticated, QuotaExceeded, SettingsError, Unfinished
from svc_nb.service.faults import Fault
from svc_nb.settings import Settings
from tests.clusters import cases
from tests.clusters.on_dask import local_dask
from tests.counters import Counters
from tests.ctrl_c import pressed
from tests.sessions import current
from tests.waiting import until

TRANSLATE = "/v2/translate"


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> str:
    """The file that the workers and this process share, as on one machine."""
    return str(tmp_path_factory.mktemp("shared") / "answers.sqlite")


@pytest.fixture(scope="module")
def client(lasting: service.Service, store: str) -> Iterator:
    own = {"SVC_BASE_URL": lasting.base_url, "SVC_API_KEY": lasting.api_key, "SVC_STORE": store}
    with local_dask.cluster(threads_per_worker=2, env=own) as started:
        yield started


def session_with(running: service.Service, store: str) -> AbstractContextManager[session.Session]:
    """This process has the service's address and key as well, and *store*."""
    key = svc_nb.settings.Secret(running.api_key)
    return current(session.Session(Settings(base_url=running.base_url, api_key=key, store=store)))


@pytest.fixture
def connected(running: service.Service, store: str) -> Iterator[session.Session]:
    """This process shares the store of the workers, as on one machine."""
    with session_with(running, store) as opened:
        yield opened


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    monkeypatch.setattr(fleet, "TEXTS_A_PART", 60)


def table(name: str, many: int, times: int = 3) -> pd.DataFrame:
    """Texts that no other test has, each several times."""
    return pd.DataFrame({"text": [f"{name} says sentence {number}" for number in range(many)] * times})


def characters(rows: pd.DataFrame) -> int:
    return int(rows["text"].drop_duplicates().str.len().sum())


def translated(rows: pd.DataFrame, *, most: int = 8, **how):
    return svc_nb.translate(dd.from_pandas(rows, npartitions=4), "text", "DE", fleet=most, progress=False, **how)


def is_right(got, rows: pd.DataFrame) -> bool:
    return got.compute()["text_DE"].tolist() == [f"[DE] {text}" for text in rows["text"]]


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 3, 8])
def test_all_workers_together_never_send_more_at_once(client, running, counters, connected, most, monkeypatch):
    monkeypatch.setattr(fleet, "TEXTS_A_PART", 200)
    rows = table(f"Crew {most}", 200 * most)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.05))
    got = translated(rows, most=most)
    assert running.traffic.peak <= most
    assert running.traffic.peak >= min(most, 3)
    assert connected.gate.peak == 0
    assert counters.characters == characters(rows)
    requests = counters.requests()
    assert is_right(got, rows)
    assert is_right(svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "DE", progress=False), rows)
    assert counters.requests() == requests


@pytest.fixture
def apart(running, tmp_path) -> Iterator[session.Session]:
    """This process has a store of its own, as on another machine."""
    with session_with(running, str(tmp_path / "own.sqlite")) as opened:
        yield opened


def test_answers_are_in_the_store_here_afterwards(client, running, apart):
    counters = Counters(running, apart)
    rows = table("Own", 100)
    assert is_right(translated(rows), rows)
    assert len(list(apart.store.entries(operation="translate"))) == 100
    requests = counters.requests()
    assert svc_nb.plan(rows, "text", "DE").stored == 100
    assert is_right(translated(rows), rows)
    assert counters.requests() == requests


@pytest.mark.parametrize("where", ["connected", "apart"])
def test_what_the_workers_paid_is_in_the_ledger_here(client, running, where, request):
    """Once, whether they share the store or not."""
    opened = request.getfixturevalue(where)
    counters = Counters(running, opened)
    shown, began = PROCESS_BILLED.characters, time.time()
    rows = table(f"Ledger {where}", 150)
    assert is_right(translated(rows), rows)
    lines = pd.DataFrame([msgspec.structs.asdict(charge) for charge in opened.store.charges()])
    lines = lines[lines["started"] >= began]
    assert lines["billed"].sum() == counters.characters == PROCESS_BILLED.characters - shown > 0
    assert lines["requests"].sum() == counters.requests()
    assert set(lines["columns"]) == {"text"}
    assert set(lines["notebook"]) == {notebook()}


@pytest.mark.long
def test_what_others_were_paid_for_is_kept_here_when_a_worker_raises(client, running, apart):
    """One machine loses its key in the middle: nothing new is begun, and what was under way is still brought."""
    counters = Counters(running, apart)
    rows = table("Halfway", 3000)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.2))
    address = sorted(client.run(os.getpid))[0]
    before: dict[str, dict[str, str]] = {}

    def lose() -> None:
        until(lambda: counters.so_far(200) >= 4)
        before.update(client.run(without, "SVC_API_KEY", "SVC_BASE_URL", workers=[address]))

    thread = threading.Thread(target=lose)
    thread.start()
    try:
        with pytest.raises(SettingsError, match="This worker knows no service"):
            translated(rows)
        spent = counters.characters
        assert 0 < apart.store.info().billed == spent < characters(rows)
        time.sleep(0.5)
        assert counters.characters == spent
    finally:
        thread.join()
        client.run(without, **before[address], workers=[address])
    running.faults.clear()
    assert is_right(translated(rows), rows)
    assert counters.characters == characters(rows)
    until(lambda: not left_on(client))


def test_the_rows_are_those_of_pandas(client, connected):
    rows = cases.rows(3)
    got = svc_nb.translate(
        dd.from_pandas(rows, npartitions=3),
        ["text", "title"],
        ["DE", "FR"],
        source_lang="lang",
        fleet=4,
        progress=False,
    ).compute()
    want = svc_nb.translate(rows, ["text", "title"], ["DE", "FR"], source_lang="lang", progress=False)
    for name in want.columns[4:]:
        assert cases.cells(got[name]) == cases.cells(want[name])


def test_languages_are_detected_by_workers(client, connected, counters):
    rows = pd.DataFrame({"text": ["Guten Morgen, wie geht es dir?", "Good morning, how are you?", None] * 20})
    got = svc_nb.detect(dd.from_pandas(rows, npartitions=3), "text", fleet=4, progress=False).compute()
    assert cases.cells(got["text_lang"]) == ["DE", "EN", None] * 20
    assert counters.characters == 0
    assert connected.gate.peak == 0


@pytest.mark.long
def test_a_killed_worker_costs_nothing(client, running, counters, connected):
    """What it had under way is never answered, so that it is not paid for either."""
    rows = table("Killed", 600)
    came = []
    thread = threading.Thread(target=lambda: came.append(translated(rows)))
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.1))
    thread.start()
    until(lambda: counters.so_far(200) >= 2)
    running.faults.add(Fault("hang", TRANSLATE, seconds=2))
    time.sleep(0.3)  # what was answered before is in the store now
    pids = client.run(os.getpid)
    busy = client.processing()
    address = max(busy, key=lambda worker: len(busy[worker]))
    os.kill(pids[address], signal.SIGKILL)
    running.faults.clear()
    running.traffic.peak = 0
    thread.join(120)
    assert came
    assert is_right(came[0], rows)
    assert counters.characters == characters(rows)
    assert running.traffic.peak <= 8


@pytest.mark.long
def test_a_spent_quota_ends_the_run_of_all(client, running, counters, connected):
    rows = table("Quota", 1500)
    running.faults.add(Fault("quota", TRANSLATE, characters=3000))
    with pytest.raises(QuotaExceeded):
        translated(rows)
    assert counters.requests(456) <= 8
    with pytest.warns(Unfinished, match="quota"):
        made = translated(rows, errors="coerce").compute()
    assert 0 < made["text_DE"].notna().sum() < len(rows)
    running.faults.clear()
    assert is_right(translated(rows), rows)
    assert counters.characters == characters(rows)
    until(lambda: not left_on(client))


def left_on(client) -> list[str]:
    """The tasks and signs of ours that the scheduler still has."""

    def found(dask_scheduler) -> list[str]:
        known = [*dask_scheduler.tasks, *dask_scheduler.extensions["events"]._events]
        return [str(name) for name in known if "svc_nb" in str(name)]

    return client.run_on_scheduler(found)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself")
def test_ctrl_c_ends_a_run_soon_and_keeps_what_it_has(client, running, counters, connected):
    rows = table("Interrupted", 3000)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.2))
    said = r"^\d[\d,]* of 9,000 rows read so far are done and stored .* run it again to continue"
    with pytest.raises(KeyboardInterrupt, match=said), pressed(lambda: counters.so_far(200) >= 4):
        translated(rows)
    report = svc_nb.last_run().progress
    spent = counters.characters
    assert 0 < report.done < len(rows)
    assert report.done + report.unsent["interrupted"] == len(rows)
    assert report.billed == spent < characters(rows)
    time.sleep(0.5)
    assert counters.characters == spent
    running.faults.clear()
    assert is_right(translated(rows), rows)
    assert counters.characters == characters(rows)
    until(lambda: not left_on(client))


def without(*names: str, **other: str) -> dict[str, str]:
    """On a worker: forget the session and these variables, and set others; gives what was."""
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    os.environ.update(other)
    session.make_current(None)
    return before


@pytest.mark.long
def test_a_worker_uses_its_own_key_or_none(client, running, counters, connected):
    rows = table("Keyless", 70)
    before = client.run(without, "SVC_API_KEY", "SVC_BASE_URL")
    try:
        with pytest.raises(SettingsError, match="This worker knows no service"):
            translated(rows)
        assert set(client.run(lambda: session.known() is None).values()) == {True}
        client.run(without, SVC_API_KEY="another-key-than-ours", SVC_BASE_URL=running.base_url)
        with pytest.raises(NotAuthenticated) as raised:
            translated(rows)
        assert "another-key" not in str(raised.value)
        assert running.api_key not in str(raised.value)
    finally:
        for address, was in before.items():
            client.run(without, **was, workers=[address])
    assert counters.characters == 0
    assert is_right(translated(rows), rows)


def test_the_key_is_in_no_task(client, running, connected):
    order = fleet.WorkOrder(("DE",), {"formality": "more"})
    parcel = PartTask(order, fleet.Part(["A secret text"], [1], {}))
    assert "secret" not in repr(parcel)
    rows = table("Searched", 100)
    got = translated(rows)
    dumps = [cloudpickle.dumps(parcel), cloudpickle.dumps(got), *local_dask.dumps(client)]
    assert not [dump for dump in dumps if running.api_key.encode() in dump]


def test_a_driver_may_know_no_service(client, running, store, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(session, "_embedded_service", lambda **_: pytest.fail("it was started"))
    before = session.make_current(None)
    try:
        rows = table("Away", 100)
        assert is_right(translated(rows), rows)
        assert session.known() is None
        assert svc_nb.last_run().progress.done == len(rows)
    finally:
        session.make_current(before)


def test_a_fleet_needs_a_client(connected):
    with local_dask.nobody(), pytest.raises(ValueError, match="Make a client first"):
        translated(table("Nobody", 3))


def test_threads_of_this_process_use_its_session(connected, counters, running):
    rows = table("Threads", 300)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.02))
    with local_dask.cluster(processes=False, threads_per_worker=2):
        got = translated(rows, most=8)
        assert is_right(got, rows)
    assert counters.characters == characters(rows)
    assert running.traffic.peak <= 8
    assert connected.gate.peak > 0
    assert connected.gate.ceiling == connected.settings.pool_size


@pytest.mark.long
def test_a_cluster_that_is_restarted_is_told_and_can_go_on(client, running, connected):
    counters = Counters(running, connected)
    rows = table("Restarted", 1500)
    running.faults.add(Fault("latency", TRANSLATE, seconds=0.2))

    def restart() -> None:
        until(lambda: counters.so_far(200) >= 3)
        client.restart()

    thread = threading.Thread(target=restart)
    thread.start()
    with pytest.raises(RuntimeError, match=r"the cluster dropped a part .* run it again to continue"):
        translated(rows)
    thread.join()
    running.faults.clear()
    # A task that was begun while it restarted may be left there, which is Dask's; our sign is not.
    until(lambda: not [name for name in left_on(client) if "over" in name])
    assert is_right(translated(rows), rows)
