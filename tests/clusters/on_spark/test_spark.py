"""Frames of Spark: the same rows as with pandas, each different text paid for once, whatever is done with the rows."""

from __future__ import annotations

import importlib
import warnings

import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters import requirements
from svc_nb.columns.job import Unfinished
from svc_nb.errors import QuotaExceeded
from tests.clusters.cases import NAMES, OWN, cells, distinct_characters, rows
from tests.clusters.on_spark.sparks import PANDAS_3, listed, spread, started

pytestmark = [pytest.mark.filterwarnings(PANDAS_3)]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    with started(tmp_path_factory.mktemp("spark")) as session:
        svc_nb.clusters.register()
        yield session


def test_rows_order_partitions_gaps_and_types_are_those_of_pandas(spark, counters):
    table = rows(times=3)
    frame = spread(spark, table)
    made = frame.svc.translate("text", "DE", progress=False)
    paid = counters.characters
    want = svc_nb.translate(table, "text", "DE", progress=False)
    assert made.columns == ["text", "title", "lang", "n", "text_DE"]
    assert made.schema["text_DE"].dataType.simpleString() == "string"
    assert made.schema["text_DE"].nullable
    assert made.rdd.getNumPartitions() == frame.rdd.getNumPartitions()
    assert listed(made, "n", "text_DE") == list(zip(want["n"], cells(want["text_DE"]), strict=True))
    assert counters.characters == paid > 0


@pytest.mark.long
def test_each_text_is_paid_for_once_whatever_is_done_with_the_column(spark, counters):
    from pyspark.sql import functions as F

    table = rows(times=3)
    frame = spread(spark, table)
    made = svc_nb.translate(frame, "text", "DE", progress=False)
    paid, requests = counters.characters, counters.requests()
    for _ in range(2):
        made.collect()
    made.select("text_DE", F.upper("text_DE").alias("again")).collect()
    made.groupBy("text_DE").count().collect()
    made.orderBy("text_DE", F.desc("n")).collect()
    kept = made.cache()
    assert kept.count() == kept.filter(F.col("text_DE").isNotNull()).count() + 3
    kept.unpersist()
    svc_nb.translate(frame, "text", "DE", progress=False).collect()
    assert (counters.characters, counters.requests()) == (paid, requests)
    svc_nb.store.clear()
    assert paid == distinct_characters(table["text"])


@pytest.mark.long
def test_several_columns_and_targets_with_options_for_each_row(spark, counters):
    table = rows(times=2)
    table.loc[[3, 5], "text"] = "Text mit Sprache"  # once with no language, once with an empty one
    made = spread(spark, table).svc.translate(["text", "title"], ["DE", "FR"], **OWN, progress=False)
    paid = counters.characters
    want = svc_nb.translate(table, ["text", "title"], ["DE", "FR"], **OWN, progress=False)
    assert made.columns == list(want.columns)
    for name in made.columns[4:]:
        assert [cell for (cell,) in listed(made, name)] == cells(want[name])
    assert counters.characters == paid


def test_languages_are_detected_as_with_pandas(spark, connected):
    table = rows()
    made = spread(spark, table).svc.detect("text", progress=False)
    want = svc_nb.detect(table, "text", progress=False)
    assert [cell for (cell,) in listed(made, "text_lang")] == cells(want["text_lang"])


def test_the_plan_counts_what_pandas_counts_and_sends_nothing(spark, counters):
    table = rows(times=3)
    planned = spread(spark, table).svc.plan(["text", "title"], "DE", price=20)
    want = svc_nb.plan(table, ["text", "title"], "DE", price=20)
    for name in ("rows", "unique", "characters", "skipped", "cost"):
        assert getattr(planned, name) == getattr(want, name)
    assert counters.requests() == 0


@pytest.mark.long
def test_a_column_may_have_any_name(spark, connected):
    table = pd.DataFrame({name: [f"Text {place}"] for place, name in enumerate(NAMES)})
    made = spread(spark, table, 1).svc.translate(NAMES, "FR", progress=False)
    want = svc_nb.translate(table, NAMES, "FR", progress=False)
    assert made.columns == list(want.columns)
    assert listed(made, *made.columns) == [tuple(want.iloc[0])]


def test_spark_ignores_the_case_of_names(spark, counters):
    frame = spread(spark, rows(), 1)
    with pytest.raises(ValueError, match="existing column 'text_de' for Spark"):
        frame.withColumnRenamed("title", "text_de").svc.translate("text", "DE", progress=False)
    with pytest.raises(ValueError, match="duplicate column 'text'"):
        frame.withColumnRenamed("title", "TEXT").svc.translate("text", "DE", progress=False)
    assert counters.requests() == 0


def test_what_cannot_be_done_is_refused_before_anything_is_sent(spark, counters):
    frame = spread(spark, rows(), 1)
    with pytest.raises(TypeError, match="'n': expected text, found bigint"):
        frame.svc.translate("n", "DE")
    with pytest.raises(KeyError, match="there is no column"):
        frame.svc.translate("body", "DE")
    with pytest.raises(ValueError, match="there is already a column 'text_DE'"):
        frame.withColumnRenamed("title", "text_DE").svc.translate("text", "DE")
    with pytest.raises(TypeError, match="pass its frame and its name"):
        svc_nb.translate(frame["text"], target_lang="DE")
    for table, name in ((spark, "SparkSession"), (frame.rdd, "RDD")):
        with pytest.raises(TypeError, match=f"expected .*a Spark frame.*; found {name} of Spark"):
            svc_nb.translate(table, "text", "DE")
    with pytest.raises(TypeError, match="foreachBatch"):
        spark.readStream.format("rate").load().selectExpr("cast(value as string) text").svc.translate("text", "DE")
    assert counters.requests() == 0


def test_an_empty_frame_and_a_column_without_texts_come_back_as_they_are(spark, counters):
    frame = spark.range(0).selectExpr("cast(id as string) text", "id n")
    made = frame.svc.translate("text", "DE", progress=False)
    assert (made.columns, made.collect()) == (["text", "n", "text_DE"], [])
    bare = spark.range(3).selectExpr("cast(null as string) text", "id n").svc.translate("text", "DE", progress=False)
    assert [cell for (cell,) in listed(bare, "text_DE")] == [None] * 3
    assert counters.requests() == 0


def test_a_column_without_a_type_holds_nothing(spark, counters):
    frame = spark.range(3).selectExpr("null text", "'Guten Tag' title", "null lang", "id n")
    made = frame.svc.translate("text", "DE", progress=False)
    assert made.schema["text_DE"].dataType.simpleString() == "string"
    assert listed(made, "text_DE", "n") == [(None, 0), (None, 1), (None, 2)]
    assert counters.requests() == 0
    made = frame.svc.translate(["text", "title"], "FR", source_lang="lang", progress=False)
    [want] = pd.Series(["Guten Tag"]).svc.translate("FR", progress=False)
    assert listed(made, "text_FR", "title_FR") == [(None, want)] * 3


@pytest.mark.long
def test_other_kinds_of_text_are_read_as_python_reads_them(spark, counters):
    frame = spark.sql(
        "select 'Hallo' collate UTF8_LCASE as text, 1 as n union all select 'HALLO' collate UTF8_LCASE, 2 "
        "union all select cast(X'476ff074656e' as string) collate UTF8_LCASE, 3"
    )
    made = frame.svc.translate("text", "FR", progress=False)
    want = pd.Series(["Hallo", "HALLO", "Go\ufffdten"]).svc.translate("FR", progress=False)
    assert sorted(listed(made, "n", "text_FR")) == list(enumerate(want, 1))
    spark.sql("create table short (text varchar(9), code char(9)) using parquet")
    spark.sql("insert into short values ('Guten Tag', 'Abend')")
    made = spark.table("short").svc.translate(["text", "code"], "FR", progress=False)
    want = pd.Series(["Guten Tag", "Abend    "]).svc.translate("FR", progress=False)
    assert listed(made, "text_FR", "code_FR") == [tuple(want)]


def test_an_error_is_raised_or_leaves_gaps(spark, running, counters):
    frame = spread(spark, rows())
    running.faults.add("status", status=400, operation="/v2/translate")
    with pytest.raises(svc_nb.SvcError):
        frame.svc.translate("text", "FR", progress=False)
    made = frame.svc.translate("text", "FR", errors="coerce", progress=False)
    running.faults.clear()
    assert {cell for (cell,) in listed(made.filter("text = 'Guten Morgen'"), "text_FR")} == {None}


def test_a_budget_leaves_gaps_and_says_so(spark, counters):
    frame = spread(spark, rows())
    with pytest.warns(Unfinished):
        made = frame.svc.translate("text", "FR", budget=15, progress=False)
    assert counters.characters <= 15
    cut = [cell for (cell,) in listed(made, "text_FR")]
    assert None in cut[:3]
    assert len(cut) == len(rows())


def test_what_was_paid_before_the_money_ran_out_is_kept(spark, running, counters, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 100)
    monkeypatch.setattr("svc_nb.clusters.spark.TEXTS_AT_ONCE", 50)
    frame = spark.range(400).selectExpr("concat('Satz Nummer ', cast(id as string)) text")
    running.faults.add("quota", characters=3000, operation="/v2/translate")
    with pytest.raises(QuotaExceeded):
        frame.svc.translate("text", "FR", progress=False)
    running.faults.clear()
    before = counters.characters
    assert before > 0
    made = frame.svc.translate("text", "FR", progress=False)
    assert made.filter("text_FR is not null").count() == 400
    everything = sum(len(f"Satz Nummer {number}") for number in range(400))
    assert counters.characters == everything


def test_nothing_warns_but_pyspark(spark, connected):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spread(spark, rows(), 1).svc.translate("text", "DE", progress=False).collect()
    said = [str(each.message) for each in caught if issubclass(each.category, FutureWarning | DeprecationWarning)]
    assert [each for each in said if "PySpark does not yet" not in each] == []


# ---- the join


def counted_scans(frame) -> tuple[int, int]:
    """How many joins, and how many columns are read, in what Spark is going to do."""
    plan = frame._jdf.queryExecution().executedPlan().toString()
    return plan.count("Join"), len(plan.partition("ReadSchema: struct<")[2].partition(">")[0].split(","))


@pytest.mark.long
@pytest.mark.parametrize("how", ["small", "large", "staged"])
def test_the_join_gives_every_row_its_text_however_large_it_is(spark, counters, monkeypatch, tmp_path, how):
    if how != "small":
        monkeypatch.setattr("svc_nb.clusters.join_table.JoinTable.__init__.__kwdefaults__", {"most_bytes": 1})
    staging = tmp_path / "for all [*] {a}"
    table = rows(times=2)
    made = spread(spark, table).svc.translate(
        ["text", "title"],
        "DE",
        source_lang="lang",
        staging=str(staging) if how == "staged" else None,
        progress=False,
    )
    want = svc_nb.translate(table, ["text", "title"], "DE", source_lang="lang", progress=False)
    found = sorted(listed(made, "n", "text_DE", "title_DE"))
    assert found == list(zip(want["n"], cells(want["text_DE"]), cells(want["title_DE"]), strict=True))
    assert any(staging.rglob("*.parquet")) == (how == "staged")


@pytest.mark.long
def test_a_sort_before_is_kept_and_a_filter_after_reaches_the_file(spark, connected, tmp_path):
    from pyspark.sql import functions as F

    spread(spark, rows(times=3)).write.parquet(str(tmp_path / "table"))
    read = spark.read.parquet(str(tmp_path / "table"))
    falling = read.orderBy(F.desc("n")).select("n", "text").svc.translate("text", "DE", progress=False)
    assert [number for (number,) in listed(falling, "n")] == list(range(41, -1, -1))
    assert [row["n"] for row in falling.collect()] == list(range(41, -1, -1))
    again = falling.svc.translate("text", "FR", progress=False)
    assert [row["n"] for row in again.collect()] == list(range(41, -1, -1))
    few = read.svc.translate("text", "DE", progress=False).filter("n = 7")
    assert "EqualTo(n,7)" in few._jdf.queryExecution().executedPlan().toString()


@pytest.mark.long
def test_without_results_there_is_no_join(spark, connected, tmp_path):
    spread(spark, rows()).write.parquet(str(tmp_path / "table"))
    made = spark.read.parquet(str(tmp_path / "table")).svc.translate(["text", "title"], "DE", progress=False)
    assert counted_scans(made.select("n")) == (0, 1)
    assert counted_scans(made.select("n", "title_DE")) == (1, 2)
    assert made.count() == len(rows())


@pytest.mark.long
def test_a_table_that_changes_between_is_an_error_and_never_a_gap(spark, connected, tmp_path):
    from pyspark.errors import PySparkException

    file = tmp_path / "table.csv"
    file.write_text("Guten Tag,1\nDanke,2\n")
    made = spark.read.csv(str(file), schema="text string, n int").svc.translate("text", "DE", progress=False)
    file.write_text("Guten Tag,1\nBitte,2\n")
    for ask in (
        lambda: made.collect(),
        lambda: made.filter("text_DE is not null").count(),
        lambda: made.groupBy("text_DE").count().collect(),
    ):
        with pytest.raises(PySparkException, match="column 'text' has other texts than when it was translated"):
            ask()
    assert listed(made, "n") == [(1,), (2,)]


def test_a_table_that_is_not_the_same_every_time_is_an_error(spark, connected):
    from pyspark.errors import PySparkException

    shaken = spark.range(20).selectExpr("reflect('java.util.UUID', 'randomUUID') text")
    with pytest.raises(PySparkException, match="Save it first"):
        shaken.svc.translate("text", "DE", progress=False).collect()
    kept = shaken.cache()
    assert kept.svc.translate("text", "DE", progress=False).filter("text_DE is null").count() == 0


def test_columns_of_the_frame_are_found_in_what_is_made_of_it(spark, connected):
    frame = spread(spark, rows(), 1)
    made = frame.svc.translate("text", "DE", progress=False)
    assert made.filter(frame["n"] == 1).select(frame["text"]).collect()[0][0] == "guten Morgen"


def test_files_that_only_this_machine_sees_are_refused_on_a_cluster(spark, counters, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.join_table.JoinTable.__init__.__kwdefaults__", {"most_bytes": 1})
    monkeypatch.setattr("svc_nb.clusters.spark.sees_this_machine", lambda session: False)
    with pytest.raises(ValueError, match="staging="):
        spread(spark, rows(), 1).svc.translate("text", "DE", progress=False)


def test_long_chunks_come_one_after_the_other(spark, counters, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 200)
    monkeypatch.setattr("svc_nb.clusters.spark.TEXTS_AT_ONCE", 64)
    frame = spark.range(2000).selectExpr("concat('Satz Nummer ', cast(id % 1000 as string)) text")
    made = frame.svc.translate("text", "FR", progress=False)
    assert svc_nb.last_run().progress.rows == 2000
    assert made.filter("text_FR is null").count() == 0
    assert counters.characters == sum(len(f"Satz Nummer {number}") for number in range(1000))


def test_a_stopped_session_is_named(spark, counters):
    """The last one here: without a session the others cannot be."""
    frame = spread(spark, rows(), 1)
    spark.stop()
    for act in (frame.svc.translate, frame.svc.plan):
        with pytest.raises(RuntimeError, match="session of the frame is stopped"):
            act("text", "DE")
    assert counters.requests() == 0


@pytest.mark.filterwarnings("ignore:.*PYARROW_IGNORE_TIMEZONE:UserWarning")
def test_what_is_said_of_pyspark_pandas_is_true_here():
    said = requirements.pandas_api_problem()
    try:
        importlib.import_module("pyspark.pandas")
    except ImportError:
        assert said is not None
    else:
        assert said is None
