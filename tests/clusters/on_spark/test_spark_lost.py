"""Executors, real processes each, that are killed in the middle: nothing is paid twice, and no row is lost."""

from __future__ import annotations

from collections import Counter

import pytest

import svc_nb
from svc_nb.clusters.spark import ENGINE
from svc_nb.clusters.table_request import TableRequest
from tests.clusters.cases import cells, rows
from tests.clusters.on_spark.sparks import EXECUTOR, PANDAS_3, killing, listed, processes, spread, started

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings(PANDAS_3)]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    settings = {
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "6",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    with started(tmp_path_factory.mktemp("spark"), master="local-cluster[2,1,512]", **settings) as session:
        yield session


def test_an_executor_may_be_killed_in_the_tally_and_in_the_join(spark, counters, tmp_path):
    table = rows(times=4)
    armed = tmp_path / "armed"
    frame = spread(spark, table, 4)
    frame = frame.mapInArrow(killing(armed), frame.schema)
    armed.touch()
    made = svc_nb.translate(frame, ["text", "title"], "FR", progress=False)
    assert not armed.exists()
    paid, requests = counters.characters, counters.requests()
    assert paid == svc_nb.plan(table, ["text", "title"], "FI").characters
    armed.touch()
    found = sorted(listed(made, "n", "text_FR", "title_FR"))
    assert not armed.exists()
    want = svc_nb.translate(table, ["text", "title"], "FR", progress=False)
    assert found == list(zip(want["n"], cells(want["text_FR"]), cells(want["title_FR"]), strict=True))
    assert (counters.characters, counters.requests()) == (paid, requests)


def test_texts_are_counted_once_when_an_executor_is_lost_while_they_are_fetched(spark):
    frame = spark.range(0, 30_000, 1, 4).selectExpr("concat('Satz ', cast(id % 3000 as string)) text")
    counted = ENGINE.counted(frame, TableRequest.of(["text"], "text", ["DE"]))
    found: Counter = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("svc_nb.clusters.spark.TEXTS_AT_ONCE", 100)
        first = next(counted)
        processes(spark, EXECUTOR)[0].kill()
        for some in (first, *counted):
            assert found.keys().isdisjoint(some.texts)
            found.update(dict(zip(some.texts, some.rows, strict=True)))
    assert found == {f"Satz {number}": 10 for number in range(3000)}
