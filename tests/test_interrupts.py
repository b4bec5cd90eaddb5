"""Ctrl-C, wherever texts are sent from, is KeyboardInterrupt with what is done; run again, the rest is paid for."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import svc_nb
from svc_nb import lab, notebooks, service, session
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.ctrl_c import pressed
from tests.sessions import current
from tests.toy import TOY
from tests.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself"),
    pytest.mark.filterwarnings("ignore::svc_nb.wire.client.text.TidiedOnly"),
]

TEXTS = [f"The dog number {number}" for number in range(300)]  # six requests
LENGTH = sum(map(len, TEXTS))
TRANSLATE, DETECT = "POST /v2/translate", "POST /v3/detect/language"
COLUMN = pd.Series(TEXTS, name="text")
FRAME = COLUMN.to_frame()
FIELDS = {"source_lang": "EN", "progress": False}


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def running(lasting):
    yield lasting
    lasting.faults.clear()


@pytest.fixture
def counters(running, tmp_path):
    """What the service counts, while a session sends it one request at a time."""
    settings = Settings(store=str(tmp_path / "slow.sqlite"), pool_size=1)
    with current(session.Session.embedded(running, settings)) as opened:
        yield Counters(running, opened)


@contextmanager
def ctrl_c(running, counters, operation):
    """Within the block the service is slow, and Ctrl-C is pressed when it has answered twice."""
    running.faults.add("latency", operation=operation.partition(" ")[2], seconds=0.25)
    two = counters.so_far(200, operation=operation) + 2
    try:
        with pressed(lambda: counters.so_far(200, operation=operation) >= two):
            yield
    finally:
        running.faults.clear()


DUCKDB = duckdb.connect()


def relation():
    return DUCKDB.from_arrow(pa.table({"text": TEXTS}))


PANDAS = {
    "translate": (TRANSLATE, lambda: COLUMN.svc.translate("DE", **FIELDS)),
    "translate, of an index": (TRANSLATE, lambda: pd.Index(TEXTS).svc.translate("DE", **FIELDS)),
    "translate, of a frame": (TRANSLATE, lambda: FRAME.svc.translate("text", "DE", **FIELDS)),
    "translate_table": (TRANSLATE, lambda: COLUMN.svc.translate_table("DE", **FIELDS)),
    "translate_table, of a frame": (TRANSLATE, lambda: FRAME.svc.translate_table("text", "DE", **FIELDS)),
    "translate, coerced": (TRANSLATE, lambda: COLUMN.svc.translate("DE", errors="coerce", **FIELDS)),
    "svc_nb.translate": (TRANSLATE, lambda: svc_nb.translate(FRAME, "text", "DE", **FIELDS)),
    "detect": (DETECT, lambda: COLUMN.svc.detect(progress=False)),
    "detect_table, of a frame": (DETECT, lambda: FRAME.svc.detect_table("text", progress=False)),
    "svc_nb.detect": (DETECT, lambda: svc_nb.detect(FRAME, "text", progress=False)),
    "rephrase": ("POST /v2/write/rephrase", lambda: COLUMN.svc.rephrase(progress=False)),
    "correct_table": ("POST /v2/write/correct", lambda: COLUMN.svc.correct_table(progress=False)),
    "correct, of a frame": ("POST /v2/write/correct", lambda: FRAME.svc.correct("text", progress=False)),
}
ELSEWHERE = {
    "polars": lambda **more: svc_nb.translate(pl.DataFrame({"text": TEXTS}), "text", "DE", **FIELDS, **more),
    "polars, a column": lambda **more: pl.Series("text", TEXTS).svc.translate("DE", **FIELDS, **more),
    "arrow": lambda **more: svc_nb.translate(pa.table({"text": TEXTS}), "text", "DE", **FIELDS, **more),
    "duckdb": lambda **more: svc_nb.translate(relation(), "text", "DE", **FIELDS, **more),
}
PROSE = "\n\n".join(TEXTS)
OF_PROSE = {
    "markdown": lambda: notebooks.translate_source(PROSE, "DE", kind="markdown", **FIELDS).text,
    "html": lambda: notebooks.translate_source(
        f"<p>{PROSE}</p>".replace("\n\n", "</p><p>"), "DE", kind="html", **FIELDS
    ),
    "JupyterLab": lambda: json.loads(lab.translate_cell(PROSE, "markdown", "DE"))["text"],
}


@pytest.mark.parametrize("verb", PANDAS)
def test_a_column_is_not_returned_with_gaps(running, counters, verb):
    operation, call = PANDAS[verb]
    with (
        pytest.raises(KeyboardInterrupt, match=r"^\d+ of 300 rows are done and stored.*partial\(\)$") as stopped,
        ctrl_c(running, counters, operation),
    ):
        call()
    done = int(pd.DataFrame(svc_nb.last_run().partial()).notna().to_numpy().sum())
    assert str(stopped.value).startswith(f"{done} of 300 rows")
    assert 100 <= done < 300
    paid = counters.characters
    assert len(call()) == 300
    assert svc_nb.last_run().progress.finished_well
    assert svc_nb.last_run().progress.stored == done
    assert counters.characters == (0 if operation == DETECT else LENGTH)
    assert svc_nb.last_run().progress.billed == counters.characters - paid


@pytest.mark.filterwarnings("ignore::svc_nb.errors.Unfinished")
@pytest.mark.parametrize("engine", ELSEWHERE)
def test_an_engine_gets_no_table_with_gaps_unless_it_asks_for_what_is_stored(running, counters, engine):
    call = ELSEWHERE[engine]
    said = r"^(\d+) of 300 rows read so far are done and stored .* with budget=0 to get the rows with the saved answers$"
    with pytest.raises(KeyboardInterrupt, match=said) as stopped, ctrl_c(running, counters, TRANSLATE):
        call()
    done, paid = svc_nb.last_run().progress.done, counters.characters
    assert str(stopped.value).startswith(f"{done} of 300 rows")
    with pytest.raises(TypeError, match="budget=0"):
        svc_nb.last_run().partial()
    assert listed(call(budget=0)) == done
    assert counters.characters == paid
    assert listed(call()) == 300
    assert counters.characters == LENGTH


def listed(table) -> int:
    """How many rows have their translation."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        table = table.to_arrow_table()
    if isinstance(table, pa.Table):
        return len(table) - table["text_DE"].null_count
    column = table["text_DE"] if isinstance(table, pl.DataFrame) else table
    return len(column) - column.null_count()


@pytest.mark.parametrize("kind", OF_PROSE)
def test_prose_is_whole_or_not_there(running, counters, kind):
    said = r"^\d+ of 300 texts are done and stored .* nothing is written; run it again to continue$"
    with pytest.raises(KeyboardInterrupt, match=said), ctrl_c(running, counters, TRANSLATE):
        OF_PROSE[kind]()
    assert OF_PROSE[kind]()
    assert counters.characters == LENGTH


def test_rows_that_are_tried_again_are_left_in_the_same_way(running, counters):
    running.faults.add("quota", operation="/v2/translate", characters=len("".join(TEXTS[:50])))
    with pytest.raises(svc_nb.errors.QuotaExceeded):
        COLUMN.svc.translate("DE", **FIELDS)
    running.faults.clear()
    failed = svc_nb.last_run()
    with pytest.raises(KeyboardInterrupt, match="of 300 rows are done"), ctrl_c(running, counters, TRANSLATE):
        failed.retry_failed()
    assert svc_nb.last_run() is not failed
    assert 100 <= svc_nb.last_run().partial().notna().sum() < 300
    assert svc_nb.last_run().retry_failed().notna().all()
    assert counters.characters == LENGTH


def test_a_check_that_asks_for_languages_ends_too(running, counters):
    COLUMN.head(1).svc.detect(progress=False)
    before = svc_nb.last_run()
    with pytest.raises(KeyboardInterrupt, match="of 300 rows are done"), ctrl_c(running, counters, DETECT):
        COLUMN.svc.check(
            COLUMN + " ist ein Hund, der seinen Namen nicht kennt, und wartet.",
            target_lang="DE",
            detect=True,
            codes="wrong_language",
        )
    assert svc_nb.last_run() is before


def test_a_loop_ends(running, counters):
    seen = []

    def loop():
        for target in ("DE", "FR"):
            COLUMN.svc.translate(target, **FIELDS)
            seen.append(target)

    with pytest.raises(KeyboardInterrupt), ctrl_c(running, counters, TRANSLATE):
        loop()
    assert seen == []
    assert svc_nb.last_run().progress.unsent["interrupted"]


def test_a_job_that_is_cancelled_still_gives_what_it_has(running, counters):
    running.faults.add("latency", operation="/v2/translate", seconds=0.05)
    job = COLUMN.svc.start_translate("DE", source_lang="EN")
    until(lambda: job.progress.done >= 50)
    job.cancel()
    with pytest.warns(svc_nb.errors.Unfinished, match="because the run was interrupted"):
        assert 50 <= job.result().notna().sum() < 300
