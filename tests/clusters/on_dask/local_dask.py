"""A Dask cluster of two processes, and what happens to it."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pandas as pd

# A lost worker is noticed soon.
QUICK = {
    "distributed.scheduler.locks.lease-timeout": "3s",
    "distributed.scheduler.locks.lease-validation-interval": "200ms",
}


@contextmanager
def cluster(**how) -> Iterator:
    """A client of a cluster with two workers."""
    import dask
    from distributed import Client, LocalCluster

    told = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", **how}
    with (
        dask.config.set(QUICK),
        LocalCluster(silence_logs=logging.CRITICAL, **told) as started,
        Client(started) as client,
    ):
        yield client


@contextmanager
def nobody() -> Iterator[None]:
    """Queries run in this process, whatever client there is."""
    import dask

    with dask.config.set(scheduler="synchronous"):
        yield


def killed_once(part: pd.DataFrame, armed: str, seconds: float) -> pd.DataFrame:
    """The rows unchanged; if the file *armed* exists, it is removed, and after some time this process is killed."""
    if len(part) and part["n"].iloc[-1] == LAST and Path(armed).exists():
        Path(armed).unlink()
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def dumps(client) -> list[bytes]:
    """All that the scheduler and the workers know of tasks, what they have logged, and the scheduler's pages."""
    import cloudpickle
    import requests

    def known(dask_scheduler) -> bytes:
        specs = [task.run_spec for task in dask_scheduler.tasks.values()]
        told = [dask_scheduler.transition_log, dask_scheduler.get_events(), dask_scheduler.identity()]
        return cloudpickle.dumps(specs) + repr([specs, told]).encode()

    logs = [client.get_worker_logs(), client.get_scheduler_logs(), client.get_task_stream(), client.profile()]
    keys = client.run_on_scheduler(lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks])
    names = [
        "info/main/workers.html",
        "json/identity.json",
        *(f"info/task/{quote(key)}.html" for key in keys),
    ]
    place = f"http://127.0.0.1:{client.cluster.scheduler.http_server.port}"
    with requests.Session() as web:
        web.trust_env = False
        pages = [web.get(f"{place}/{name}", timeout=30).content for name in names]
    return [client.run_on_scheduler(known), repr(logs).encode(), *pages]


# The number of the row whose partition is deadly.
LAST = 69


def noted(part: pd.DataFrame, folder: str) -> pd.DataFrame:
    """The rows as they are; that they were read is noted."""
    Path(folder, f"{time.monotonic_ns()}-{os.getpid()}").touch()
    return part


def longest_piece() -> int:
    """The most texts that come at once of a tally that has 400; all of them come, with the rows that they stand in."""
    import dask.dataframe as dd

    from svc_nb.clusters.dask import ENGINE
    from svc_nb.clusters.table_request import TableRequest

    rows = pd.DataFrame({"text": [f"Satz {number % 400}" for number in range(1000)]})
    pieces = list(ENGINE.counted(dd.from_pandas(rows, npartitions=2), TableRequest.of(["text"], "text", ["DE"])))
    counted = {text: many for piece in pieces for text, many in zip(piece.texts, piece.rows, strict=True)}
    assert counted == rows["text"].value_counts().to_dict()
    return max(len(piece.texts) for piece in pieces)
