"""A LazyFrame stays lazy: nothing is sent before rows are wanted, and nothing twice, whatever is done with them."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import polars as pl
import pytest
from polars.io.plugins import register_io_source

import svc_nb
from svc_nb.clusters.join_table import JoinTable
from svc_nb.clusters.requirements import LAZY, problem
from svc_nb.errors import SvcError, Unfinished
from tests.clusters.cases import distinct_characters, ended, rows

ENGINES = ["in-memory", "streaming"]
GREETING = "[DE] שלום לכם"
pytestmark = pytest.mark.skipif(bool(problem(LAZY[0])), reason="of an older Polars the texts are sent at the call")


@pytest.fixture(autouse=True)
def registered():
    svc_nb.clusters.register()


def lazily(table):
    return pl.from_pandas(table).lazy().svc.translate("text", "DE", progress=False)


def unsteady():
    """A frame that has other texts every time it is read."""
    reads = iter(range(1000))

    def read(fields, predicate, most, size):
        yield pl.DataFrame({"text": [f"Lesung {next(reads)}"]})

    return register_io_source(read, schema={"text": pl.String()})


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_sent_before_the_new_column_is_wanted(counters, engine):
    made = lazily(rows())
    assert made.collect_schema().names() == ["text", "title", "lang", "n", "text_DE"]
    assert "text_DE" in made.explain()
    assert made.select("n", "title").collect(engine=engine).height == len(rows())
    assert made.select(pl.len()).collect(engine=engine).item() == len(rows())
    assert counters.texts_requests == 0
    made.select("text_DE").collect(engine=engine)
    assert counters.texts_requests > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_each_text_is_paid_for_once_whatever_is_done_with_the_column(counters, engine, tmp_path):
    table = rows(times=3)
    made = lazily(table)
    whole = made.collect(engine=engine)
    paid, requests = counters.characters, counters.requests()
    new = pl.col("text_DE")
    assert made.collect(engine=engine).equals(whole)
    made.select(new, new.str.to_uppercase().alias("again")).collect(engine=engine)
    assert made.group_by("text_DE").len().collect(engine=engine)["len"].sum() == whole.height
    assert made.sort("text_DE", "n").collect(engine=engine).equals(whole.sort("text_DE", "n"))
    assert made.filter(new == GREETING).collect(engine=engine).equals(whole.filter(new == GREETING))
    assert whole.filter(new == GREETING).height
    assert made.filter(new.is_null()).collect(engine=engine).equals(whole.filter(new.is_null()))
    assert made.slice(2, 5).collect(engine=engine).equals(whole.slice(2, 5))
    assert made.join(made, on="n").collect(engine=engine).height == whole.height
    assert [each.height for each in pl.collect_all([made, made.head(1)], engine=engine)] == [whole.height, 1]
    made.sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").equals(whole)
    assert lazily(table).collect(engine=engine).equals(whole)
    assert (counters.characters, counters.requests()) == (paid, requests)
    svc_nb.store.clear()
    assert paid == distinct_characters(table["text"])


@pytest.mark.parametrize("engine", ENGINES)
def test_many_rows_keep_their_order(connected, engine):
    frame = pl.select(n=pl.int_range(300_000)).lazy().with_columns(text=pl.format("Satz {}", pl.col("n") % 70))
    made = frame.svc.translate("text", "FR", progress=False).collect(engine=engine)
    assert made["n"].equals(pl.Series("n", range(300_000)))
    assert (made["text_FR"] == "[FR] " + made["text"]).all()


def test_two_who_collect_at_once_pay_once(running, counters):
    table = rows(times=3)
    made = lazily(table)
    running.faults.add("latency", seconds=0.05, operation="/v2/translate")
    found = []
    threads = [
        threading.Thread(target=lambda engine=engine: found.append(made.collect(engine=engine)))
        for engine in ENGINES * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(each.equals(found[0]) for each in found)
    paid = counters.characters
    svc_nb.store.clear()
    assert paid == distinct_characters(table["text"])


def test_what_a_file_has_by_now_is_translated_when_it_is_collected_again(counters, tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text\neins\nzwei\n")
    made = pl.scan_csv(path).svc.translate("text", "FR", progress=False)
    assert made.collect()["text_FR"].to_list() == ["[FR] eins", "[FR] zwei"]
    path.write_text("text\nzwei\ndrei\n")
    assert made.collect()["text_FR"].to_list() == ["[FR] zwei", "[FR] drei"]
    assert counters.characters == len("einszweidrei")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_that_is_not_the_same_every_time_raises_instead_of_leaving_a_gap(connected, engine):
    made = unsteady().svc.translate("text", "FR", progress=False)
    with pytest.raises((ValueError, pl.exceptions.PolarsError), match="column 'text' has other texts than when"):
        made.collect(engine=engine)


def test_the_key_is_in_no_plan(connected):
    made = lazily(rows())
    key = connected.settings.api_key.reveal()
    assert len(key) > 8
    made.collect()
    for shown in (
        made.explain(),
        made.explain(optimized=False),
        repr(made),
        made._repr_html_(),
        str(made.show_graph(raw_output=True, show=False)),
    ):
        assert key not in shown
    with pytest.raises(pl.exceptions.ComputeError, match="sent from this process"):
        made.serialize()


def test_a_run_that_is_over_does_not_keep_the_rows(connected):
    table = pl.DataFrame({"text": pl.Series(["eins", "zwei"])})
    kept = weakref.ref(table)
    table.svc.translate("text", "FR", progress=False)
    del table
    gc.collect()
    assert kept() is None
    assert svc_nb.last_run().progress.done == 2


@pytest.mark.parametrize("fault", [{"status": 400}, {"status": 456}])
def test_a_run_that_has_failed_does_not_keep_the_rows(running, connected, fault):
    table = pl.DataFrame({"text": pl.Series(["eins", "zwei"])})
    kept = weakref.ref(table)
    running.faults.add("status", operation="/v2/translate", **fault)
    with pytest.raises(SvcError, match=str(fault["status"])):
        table.svc.translate("text", "FR", progress=False)
    del table
    gc.collect()
    assert kept() is None


ONE_THREAD = """
import polars as pl, svc_nb, warnings
warnings.simplefilter("ignore")
svc_nb.connect()
made = pl.LazyFrame({"a": ["eins", None], "b": ["zwei", "eins"]}).svc.translate(["a", "b"], "FR", progress=False)
for engine in ("in-memory", "streaming"):
    print(made.select("a_FR", "b_FR").collect(engine=engine).rows())
"""


@pytest.mark.long
def test_a_query_within_a_query_needs_no_second_thread(tmp_path):
    process = ended(ONE_THREAD, tmp_path, POLARS_MAX_THREADS="1")
    assert process.stdout.splitlines() == ["[('[FR] eins', '[FR] zwei'), (None, '[FR] eins')]"] * 2


INTERRUPTED = """
import os, signal, threading, time, warnings
import polars as pl, svc_nb
from svc_nb import service, session
from svc_nb.settings import Settings
warnings.simplefilter("ignore")
with service.start(memory=True) as running:
    session.make_current(session.Session.embedded(running, Settings.load()))
    running.faults.add("latency", seconds=0.2, operation="/v2/translate")
    texts = [f"Satz {number} " + "x" * 500 for number in range(20_000)]
    made = pl.LazyFrame({"text": texts}).svc.translate("text", "FR", progress=False)

    def press():
        while not running.traffic.requests:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    try:
        try:
            made.collect()
        finally:
            time.sleep(0.1)  # Polars raises it, and then Python does
    except KeyboardInterrupt:
        counted = svc_nb.last_run().progress
        print(counted.done < 20_000, counted.unsent["interrupted"] == 20_000 - counted.done)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="another process cannot be interrupted there")
def test_ctrl_c_ends_the_sending(tmp_path):
    process = ended(INTERRUPTED, tmp_path)
    assert process.stdout.split() == ["True", "True"]


@pytest.mark.usefixtures("unwarned")
def test_what_was_left_is_asked_for_when_it_is_collected_again(counters):
    frame = pl.LazyFrame({"text": ["Guten Morgen", "Guten Abend"]})
    made = frame.svc.translate("text", "FI", budget=12, progress=False)
    with pytest.warns(Unfinished):
        assert made.collect()["text_FI"].null_count() == 1
    assert made.collect()["text_FI"].to_list() == ["[FI] Guten Morgen", "[FI] Guten Abend"]
    assert counters.characters == 23


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("unwarned")
def test_a_query_that_reads_a_frame_in_several_ways_has_one_budget_and_one_answer(counters, engine):
    frame = pl.LazyFrame({"n": [1, 2, 3], "text": ["Guten Tag", "Gute Nacht", "Guten Abend"]})
    frame = frame.with_columns(title=pl.col("text").reverse())
    made = frame.svc.translate(["text", "title"], "FI", budget=12, progress=False)
    new = pl.col("text_FI")
    with pytest.warns(Unfinished):
        whole = pl.concat([made.filter(new.is_null()), made.filter(new.is_not_null())]).collect(engine=engine)
    assert sorted(whole["n"]) == [1, 2, 3]
    assert whole["text_FI"].null_count() == whole["title_FI"].null_count() == 2
    assert counters.characters <= 12


@pytest.mark.long
@pytest.mark.usefixtures("unwarned")
def test_the_files_of_a_join_table_go_with_the_frame(connected, monkeypatch, tmp_path):
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 0)
    staging = tmp_path / "staging"
    frame = pl.LazyFrame({"text": ["Guten Morgen", "Guten Abend"]})
    made = frame.svc.translate("text", "FI", budget=12, progress=False, staging=staging)
    with pytest.warns(Unfinished):
        made.collect()
    gc.collect()
    assert not list(staging.iterdir())
    assert made.collect()["text_FI"].null_count() == 0
    assert len(list(staging.iterdir())) == 1
    del made
    gc.collect()
    assert not list(staging.iterdir())
