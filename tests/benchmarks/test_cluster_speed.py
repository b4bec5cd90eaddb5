"""Ten million rows with 20,000 different texts on every engine: requests, characters, time and memory, in one run.

Each way runs in a process of its own, reads the same Parquet files and writes Parquet. The service is in another
process and its counters are the truth. `clusters.md` is written anew by each run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.benchmarks.bench import Counts, Remote, sentence

MILLION = 1_000_000
ROWS = 10 * MILLION
UNIQUE = 20_000
FILES = 16
TEXTS = [sentence(number) for number in range(UNIQUE)]
CHARACTERS = sum(map(len, TEXTS))
SCRIPT = Path(__file__).with_name("cluster.py")
JOINS = Path(__file__).with_name("joins.py")
ENGINES = ("pandas", "polars", "duckdb", "dask", "spark")
HEAD = """# Past one machine

Written by `make bench` on two cores: one and ten million rows in 16 Parquet files with 20,000 different texts of 75
characters, read, translated and written again, each way in a process of its own. Dask is a LocalCluster of two workers,
Spark is `local[2]`. The service is the embedded one, in another process, and answers at once. "by partition" is the
usual way: a function for each partition, or for each batch, that sends the different texts which it finds there, here
with this package's own core. Memory is the peak of the process that one works in; "workers" is that of all its children
together, which for Spark is its JVM.

| engine | way | rows | seconds | x pandas | requests | characters billed | x different | memory, MB | workers, MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass
class Run:
    """What one way took."""

    seconds: float
    peak: int
    children: int
    counts: Counts


@pytest.fixture(scope="module")
def remote():
    started = Remote()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same texts in a million and in ten million rows."""
    made = {}
    for rows in (MILLION, ROWS):
        made[rows] = tmp_path_factory.mktemp(f"rows-{rows}")
        for number in range(FILES):
            parquet.write_table(table(rows // FILES, number), made[rows] / f"{number:02}.parquet")
    return made


def table(rows: int, number: int) -> pa.Table:
    places = np.random.default_rng(number).integers(0, UNIQUE, rows)
    places[:UNIQUE] = np.arange(UNIQUE)
    texts = pa.DictionaryArray.from_arrays(pa.array(places), pa.array(TEXTS)).cast(pa.string())
    return pa.table({"review": texts, "number": np.arange(rows)})


@pytest.fixture(scope="module")
def runs(remote, folders):
    """Every way that is compared, done once."""
    done = {
        (engine, "distinct", rows): one(remote, engine, "distinct", folders[rows])
        for engine in ENGINES
        for rows in (MILLION, ROWS)
    }
    for engine in ("dask", "spark"):
        done[engine, "partition", MILLION] = one(remote, engine, "partition", folders[MILLION])
    yield done
    Path(__file__).with_name("clusters.md").write_text(HEAD + "".join(lines(done)))


def one(remote, engine, way, folder) -> Run:
    before = remote.counts()
    told = said_by(SCRIPT, remote, engine, way, str(folder))
    run = Run(told["seconds"], told["peak"], told["children"], remote.counts() - before)
    print(engine, way, run)
    return run


def said_by(script, remote, *arguments) -> dict:
    """What a script of one engine tells, in a process of its own, with a store of its own."""
    with tempfile.TemporaryDirectory() as out:
        environ = {
            **os.environ,
            "SVC_API_KEY": remote.api_key,
            "SVC_BASE_URL": remote.base_url,
            "SVC_STORE": f"{out}/answers.sqlite",
            "PYTHONPATH": str(SCRIPT.parents[2]),
            "PYSPARK_PYTHON": sys.executable,
        }
        Path(out, "made").mkdir()
        command = [sys.executable, str(script), *arguments, f"{out}/made"]
        ended = subprocess.run(command, env=environ, stdout=subprocess.PIPE, check=True, timeout=900)
        return json.loads(ended.stdout.splitlines()[-1])


def lines(done):
    names = {"distinct": "svc_nb", "partition": "by partition"}
    for (engine, way, rows), run in done.items():
        ratio = run.seconds / done["pandas", "distinct", rows].seconds
        workers = f"{run.children / 1e6:,.0f}" if run.children > 5e6 else ""
        yield (
            f"| {engine} | {names[way]} | {rows:,} | {run.seconds:.1f} | {ratio:.1f} | {run.counts.requests:,} "
            f"| {run.counts.billed:,} | {run.counts.billed / CHARACTERS:.1f} | {run.peak / 1e6:,.0f} | {workers} |\n"
        )


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("engine", ENGINES)
def test_each_different_text_is_billed_once(runs, engine):
    for rows in (MILLION, ROWS):
        assert runs[engine, "distinct", rows].counts.billed == CHARACTERS
        assert runs[engine, "distinct", rows].counts.requests <= UNIQUE // 50 * 1.1


@pytest.mark.parametrize("engine", ["dask", "spark"])
def test_by_partition_bills_many_times_as_much(runs, engine):
    assert runs[engine, "partition", MILLION].counts.billed >= 8 * CHARACTERS


@pytest.mark.parametrize("engine", ["dask", "spark"])
def test_the_drivers_memory_does_not_grow_with_the_rows(runs, engine):
    assert runs[engine, "distinct", ROWS].peak <= 1.25 * runs[engine, "distinct", MILLION].peak


@pytest.mark.parametrize("engine", ["polars", "duckdb", "dask", "spark"])
def test_ten_times_the_rows_take_at_most_ten_times_as_long(runs, engine):
    assert runs[engine, "distinct", ROWS].seconds <= 11 * runs[engine, "distinct", MILLION].seconds


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("engine", "most"), [("polars", 0.75), ("duckdb", 1.2), ("dask", 1.2)])
def test_an_engine_works_hardly_longer_than_for_its_own_distinct_and_join(remote, folders, engine, most):
    """Processor time with all answers stored, beside a ready table that is joined in the order of the rows."""
    told = said_by(JOINS, remote, engine, str(folders[ROWS]))
    print(engine, told)
    assert told["ours"] <= most * told["own"]
