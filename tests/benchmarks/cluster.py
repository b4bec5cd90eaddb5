"""One engine's whole job in a process of its own: read a folder of Parquet, translate a column, write Parquet.

`python cluster.py ENGINE WAY FOLDER OUT`: prints a JSON line with the seconds from the first call on the table to the
last file, the peak memory of this process, and that of its children. The service and its key come by the environment.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import svc_nb
from svc_nb.settings import Settings

COLUMN = "review"
TARGET = "EN-US"
OPTIONS = {"source_lang": "DE", "progress": False}


def main() -> None:
    warnings.simplefilter("ignore")
    engine, way, folder, out = sys.argv[1:]
    run = RUNS[engine, way]
    with Watch() as children:
        seconds = run(folder, out)
    print(json.dumps({"seconds": seconds, "peak": peak(), "children": children.peak}), flush=True)


def peak() -> int:
    """The most memory that this program held; what getrusage tells is also of the one that started it."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


class Watch:
    """The most memory that all children of this process held at once, looked at ten times a second."""

    def __init__(self) -> None:
        self.peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        import psutil

        this = psutil.Process()
        while not self._over.wait(0.1):
            held = 0
            for child in this.children(recursive=True):
                try:
                    held += child.memory_info().rss
                except psutil.Error:
                    continue
            self.peak = max(self.peak, held)


def pandas(folder: str, out: str) -> float:
    import pandas as pd

    started = time.perf_counter()
    table = svc_nb.translate(pd.read_parquet(folder), COLUMN, TARGET, **OPTIONS)
    table.to_parquet(Path(out, "part.parquet"))
    return time.perf_counter() - started


def polars(folder: str, out: str) -> float:
    import polars as pl

    started = time.perf_counter()
    table = svc_nb.translate(pl.scan_parquet(f"{folder}/*.parquet"), COLUMN, TARGET, **OPTIONS)
    table.sink_parquet(Path(out, "part.parquet"))
    return time.perf_counter() - started


def duckdb(folder: str, out: str) -> float:
    import duckdb as db

    started = time.perf_counter()
    table = svc_nb.translate(db.read_parquet(f"{folder}/*.parquet"), COLUMN, TARGET, **OPTIONS)
    table.write_parquet(str(Path(out, "part.parquet")))
    return time.perf_counter() - started


def dask(folder: str, out: str) -> float:
    import dask.dataframe as dd

    with cluster():
        started = time.perf_counter()
        table = svc_nb.translate(dd.read_parquet(folder), COLUMN, TARGET, **OPTIONS)
        table.to_parquet(out)
        return time.perf_counter() - started


def dask_by_partition(folder: str, out: str) -> float:
    """As it is done elsewhere: a function for each partition, which sends the different texts that it finds there."""
    import dask.dataframe as dd

    with cluster():
        started = time.perf_counter()
        table = dd.read_parquet(folder)
        meta = table._meta.assign(**{f"{COLUMN}_{TARGET}": table._meta[COLUMN]})
        table.map_partitions(translated_part, meta=meta).to_parquet(out)
        return time.perf_counter() - started


def cluster():
    from distributed import LocalCluster

    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None).get_client()


def translated_part(part):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = Settings.load(store=f"{folder}/answers.sqlite")
        session = svc_nb.Session(settings)
        svc_nb.session.make_current(session)
        made = part[COLUMN].svc.translate(TARGET, **OPTIONS)
        session.store.close()
    return part.assign(**{f"{COLUMN}_{TARGET}": made.astype(part[COLUMN].dtype)})


def spark(folder: str, out: str) -> float:
    spark = spark_session()
    started = time.perf_counter()
    table = svc_nb.translate(spark.read.parquet(folder), COLUMN, TARGET, **OPTIONS)
    table.write.mode("overwrite").parquet(out)
    seconds = time.perf_counter() - started
    spark.stop()
    return seconds


def spark_by_partition(folder: str, out: str) -> float:
    """As it is done elsewhere: mapInPandas, which sends the different texts of each batch that it is given."""
    spark = spark_session()
    started = time.perf_counter()
    table = spark.read.parquet(folder)
    schema = f"{COLUMN} string, number long, `{COLUMN}_{TARGET}` string"
    table.mapInPandas(translated_parts, schema).write.mode("overwrite").parquet(out)
    seconds = time.perf_counter() - started
    spark.stop()
    return seconds


def translated_parts(parts):
    for part in parts:
        yield translated_part(part)


def spark_session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.memory", "2g").config("spark.log.level", "ERROR").getOrCreate()
    spark.range(1).count()  # what starts with the first query is not ours
    return spark


RUNS = {
    ("pandas", "distinct"): pandas,
    ("polars", "distinct"): polars,
    ("duckdb", "distinct"): duckdb,
    ("dask", "distinct"): dask,
    ("dask", "partition"): dask_by_partition,
    ("spark", "distinct"): spark,
    ("spark", "partition"): spark_by_partition,
}

if __name__ == "__main__":
    main()
