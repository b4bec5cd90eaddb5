"""One engine's translation of texts that are all known, beside its own distinct and join with a ready table.

`python joins.py ENGINE FOLDER OUT`: prints a JSON line with the processor seconds of both, the best of some rounds, for
the table of a folder of Parquet. The service and its key come by the environment.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import pyarrow as pa
from pyarrow import parquet

import svc_nb

COLUMN, TARGET = "review", "EN-US"
ROUNDS = 3


def main() -> None:
    warnings.simplefilter("ignore")
    engine, folder, out = sys.argv[1:]
    different = parquet.read_table(folder, columns=[COLUMN])[COLUMN].unique()
    ready = pa.table({"text": different, f"{COLUMN}_{TARGET}": different})
    ours, own = ENGINES[engine](folder, ready, out)
    ours()  # from here on the store has all answers
    best = {way.__name__: min(seconds(way) for _ in range(ROUNDS)) for way in (ours, own)}
    print(json.dumps(best), flush=True)


def seconds(way) -> float:
    started = time.process_time()
    way()
    return time.process_time() - started


def translated(table):
    return svc_nb.translate(table, COLUMN, TARGET, source_lang="DE", progress=False)


def polars(folder, ready, out):
    import polars as pl

    frame, pairs = pl.read_parquet(f"{folder}/*.parquet"), pl.from_arrow(ready)

    def ours():
        return translated(frame)

    def own():
        frame.lazy().group_by(COLUMN).len().collect()
        return frame.join(pairs, left_on=COLUMN, right_on="text", how="left", maintain_order="left")

    return ours, own


def duckdb(folder, ready, out):
    import duckdb as db

    connection = db.connect()
    connection.register("ready", ready)
    connection.read_parquet(f"{folder}/*.parquet").create("rows")
    joined = (
        f"SELECT * EXCLUDE (text, place) FROM (SELECT *, row_number() OVER () AS place FROM rows) "
        f"LEFT JOIN ready ON {COLUMN} = text ORDER BY place"
    )

    def ours():
        translated(connection.table("rows")).write_parquet(f"{out}/duckdb.parquet")

    def own():
        connection.sql(f"SELECT {COLUMN}, count(*) FROM rows GROUP BY 1").fetchall()
        connection.sql(joined).write_parquet(f"{out}/duckdb.parquet")

    return ours, own


def dask(folder, ready, out):
    import dask.dataframe as dd

    pairs = ready.to_pandas()

    def ours():
        translated(dd.read_parquet(folder)).to_parquet(f"{out}/dask")

    def own():
        table = dd.read_parquet(folder)
        table[COLUMN].drop_duplicates().compute()
        table.merge(pairs, left_on=COLUMN, right_on="text", how="left").to_parquet(f"{out}/dask")

    return ours, own


ENGINES = {"polars": polars, "duckdb": duckdb, "dask": dask}

if __name__ == "__main__":
    main()
