"""Dask tables on a cluster: bounded memory here, killed workers there, and the key nowhere but here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters.dask import ENGINE, current_client
from svc_nb.clusters.join_table import JoinTable
from svc_nb.clusters.table_request import TableRequest
from tests.clusters import cases
from tests.clusters.on_dask import local_dask
from tests.waiting import until

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client() -> Iterator:
    with local_dask.cluster() as started:
        yield started


def test_rows_are_those_of_pandas_and_nothing_is_left_on_the_workers(client, counters):
    rows = cases.rows(5)
    table = dd.from_pandas(rows, npartitions=4)
    got = svc_nb.translate(table, ["text", "title"], ["DE", "FR"], source_lang="lang", progress=False)
    until(lambda: not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))
    requests = counters.requests()
    made = got.compute()
    want = svc_nb.translate(rows, ["text", "title"], ["DE", "FR"], source_lang="lang", progress=False)
    for name in want.columns[4:]:
        assert cases.cells(made[name]) == cases.cells(want[name])
    kept = got.persist()
    assert kept.groupby("text_DE")["n"].sum().compute().sum() == rows["n"][rows["text"].notna()].sum()
    assert got.sort_values("text_DE").compute()["n"].nunique() == len(rows)
    assert got.divisions == table.divisions
    assert counters.requests() == requests


@pytest.mark.long
def test_a_worker_may_be_killed_in_the_tally_and_in_the_join(client, counters, tmp_path):
    rows = cases.rows(5)
    armed = tmp_path / "armed"
    table = dd.from_pandas(rows, npartitions=7)
    table = table.map_partitions(local_dask.killed_once, str(armed), 1.0, meta=table._meta)
    armed.touch()
    got = svc_nb.translate(table, "text", "FR", progress=False)
    assert not armed.exists()
    assert counters.characters == svc_nb.plan(rows, "text", "FI").characters
    requests = counters.requests()
    armed.touch()
    made = got.compute()
    assert not armed.exists()
    want = svc_nb.translate(rows, "text", "FR", progress=False)
    assert cases.cells(made["text_FR"]) == cases.cells(want["text_FR"])
    assert counters.requests() == requests


def test_every_partition_is_read_once_for_the_tally(client, connected, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    table = dd.from_pandas(cases.rows(3), npartitions=6)
    table = table.map_partitions(local_dask.noted, str(notes), meta=table._meta)
    svc_nb.translate(table, ["text", "title"], "DE", progress=False)
    assert len(list(notes.iterdir())) == 6


def test_pieces_of_a_tally_are_bounded(client, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_TEXTS", 50)
    assert local_dask.longest_piece() <= 50


@pytest.mark.long
def test_a_tally_that_is_lost_between_its_pieces_is_made_again_as_it_was(client, monkeypatch):
    """Its rows come in another order then; no text is left out, and none comes twice."""
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_TEXTS", 50)
    rows = pd.DataFrame({"text": [f"Satz {number % 400}" for number in range(1000)]})
    table = dd.from_pandas(rows, npartitions=2)
    shaken = table.map_partitions(lambda part: part.sample(frac=1), meta=table._meta)
    pieces = ENGINE.counted(shaken, TableRequest.of(["text"], "text", ["DE"]))
    texts = next(pieces).texts
    for process in client.run(os.getpid).values():
        os.kill(process, signal.SIGKILL)
    texts += [text for piece in pieces for text in piece.texts]
    assert sorted(texts) == sorted(set(rows["text"]))


@pytest.mark.long
def test_a_join_table_never_makes_a_query_that_dask_warns_of(client, monkeypatch):
    """Warnings are errors here. What cannot be packed well is in files, what can is in the query once."""
    numbers = np.random.default_rng(1)
    texts = [numbers.bytes(60).hex() for _ in range(100_000)]
    table = dd.from_pandas(pd.DataFrame({"text": texts[:50]}), npartitions=5)
    asked = TableRequest.of(["text"], "text", ["DE"])
    for many, has_files in ((60_000, False), (100_000, True)):
        pairs = JoinTable(asked)
        pairs.add(texts[:many], {}, [texts[:many][::-1]])
        made = ENGINE.joined(table, asked, lambda pairs=pairs: pairs).compute()
        assert made["text_DE"].tolist() == texts[:many][::-1][:50]
        assert pairs.is_small is not has_files


def test_a_client_may_be_the_current_one_only_for_a_block(client):
    from distributed import Client

    with Client(client.scheduler.address, set_as_default=False) as other:
        assert current_client() is not other
        with other.as_current():
            assert current_client() is other


def test_the_job_runs_with_the_client_of_its_caller(client, connected, monkeypatch):
    from distributed import Client

    used = []
    monkeypatch.setattr("svc_nb.clusters.dask.current_client", lambda: used.append(current_client()) or used[-1])
    with Client(client.scheduler.address, set_as_default=False) as other, other.as_current():
        table = dd.from_pandas(cases.rows(), npartitions=2)
        svc_nb.translate(table, "text", "DE", progress=False)
        assert used
        assert all(each is other for each in used)


def test_the_key_leaves_this_process_for_the_service_only(client, connected, running):
    table = dd.from_pandas(cases.rows(2), npartitions=3)
    got = svc_nb.translate(table, "text", "DE", progress=False)
    kept = got.persist()
    kept.compute()

    dumps = [cloudpickle.dumps(got), cloudpickle.dumps(kept.optimize().expr), *local_dask.dumps(client)]
    assert min(map(len, dumps)) > 10
    assert not [dump for dump in dumps if running.api_key.encode() in dump]


MEMORY = """
    import json, resource, warnings

    import dask.dataframe as dd
    import numpy as np
    import pandas as pd
    import psutil

    import svc_nb
    from tests.clusters.on_dask import local_dask

    def made(number):
        texts = pd.array([f"Satz {line} mit einigen Worten mehr" for line in range(300)], dtype="string[pyarrow]")
        return pd.DataFrame({"text": texts.take(np.arange(100_000) % 300), "n": number})

    def grown(parts):
        before = psutil.Process().memory_info().rss
        table = dd.from_map(made, range(parts), meta=made(0).head(0))
        got = svc_nb.translate(table, "text", "FR", progress=False)
        rows = got.groupby("text_FR")["n"].count().compute().sum()
        return int(rows), psutil.Process().memory_info().rss - before

    if __name__ == "__main__":
        warnings.simplefilter("ignore")
        svc_nb.connect()
        with local_dask.cluster() as client:
            grown(2)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            rows, growth = grown(16)
            more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
            print(json.dumps([rows, max(growth, more * 1024)]))
"""


@pytest.mark.long
def test_memory_here_does_not_grow_with_the_rows(tmp_path):
    script = tmp_path / "memory.py"
    script.write_text(textwrap.dedent(MEMORY))
    own = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=own, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows, growth = json.loads(done.stdout.splitlines()[-1])
    assert rows == 1_600_000
    assert growth < 1_600_000 * 40 / 4  # the rows are 40 bytes each
