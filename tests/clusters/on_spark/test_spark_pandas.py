"""Frames and columns of pyspark.pandas, if it can be imported: index, order and types stay, each text is paid once."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters import requirements
from svc_nb.errors import SettingsError
from tests.clusters.cases import OWN, cells, rows
from tests.clusters.on_spark.sparks import PANDAS_3, started

pytestmark = [
    pytest.mark.filterwarnings(PANDAS_3),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::UserWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.skipif(requirements.pandas_api_problem() is not None, reason=str(requirements.pandas_api_problem())),
]


@pytest.fixture(scope="module")
def ps(tmp_path_factory):
    settings = {"spark.sql.ansi.enabled": "false", "spark.sql.execution.arrow.pyspark.enabled": "true"}
    with started(tmp_path_factory.mktemp("spark"), **settings):
        import pyspark.pandas

        svc_nb.clusters.register()
        yield pyspark.pandas


@pytest.fixture
def table() -> pd.DataFrame:
    """Rows with an index of two levels that is out of order and has doubles, and a column of categories."""
    made = rows(times=2)
    made["kind"] = pd.Categorical(["b", "a"] * len(rows()))
    numbers = [number // 2 for number in range(len(made))][::-1]
    return made.set_index(pd.MultiIndex.from_arrays([numbers, made["title"].fillna("")], names=["m", "a.b"]))


def test_a_frame_keeps_its_index_its_order_and_its_types(ps, table, counters):
    frame = ps.from_pandas(table)
    made = frame.svc.translate(["text", "title"], ["DE", "FR"], **OWN, progress=False)
    paid = counters.characters
    want = svc_nb.translate(table, ["text", "title"], ["DE", "FR"], **OWN, progress=False)
    found = made.to_pandas()
    assert list(found.columns) == list(want.columns)
    assert found.index.equals(want.index)
    assert found.index.names == want.index.names
    for name in found.columns:
        if name not in ("n", "kind"):
            assert cells(found[name]) == cells(want[name])
    assert list(found["n"]) == list(want["n"])
    assert list(found["kind"]) == list(table["kind"])
    assert made["text_DE"].dtype == frame["text"].dtype
    made.sort_values("text_DE").to_pandas()
    assert counters.characters == paid > 0


def test_rows_that_were_sorted_stay_sorted(ps, table, connected):
    falling = ps.from_pandas(table).sort_values("n", ascending=False)
    made = svc_nb.translate(falling, "text", "DE", progress=False)
    assert list(made["n"].to_pandas()) == list(table["n"])[::-1]
    assert list(made.to_pandas()["n"]) == list(table["n"])[::-1]


def test_a_column_gives_a_column_with_its_name_and_its_index(ps, table, counters):
    column = ps.from_pandas(table)["text"]
    made = column.svc.translate("DE", progress=False)
    want = svc_nb.translate(table["text"], target_lang="DE", progress=False)
    assert isinstance(made, ps.Series)
    assert made.name == "text"
    assert cells(made.to_pandas()) == cells(want)
    assert made.to_pandas().index.equals(want.index)
    several = column.svc.translate(["DE", "FR"], progress=False)
    assert list(several.columns) == ["DE", "FR"]
    assert list(column.svc.translate(["DE"], progress=False).columns) == ["DE"]
    assert cells(several["DE"].to_pandas()) == cells(want)
    assert column.svc.plan("DE").characters == 0


def test_languages_are_detected(ps, table, connected):
    made = ps.from_pandas(table).svc.detect("text", progress=False)
    want = svc_nb.detect(table, "text", progress=False)
    assert cells(made["text_lang"].to_pandas()) == cells(want["text_lang"])


def test_what_cannot_be_done_is_refused_before_anything_is_sent(ps, table, counters):
    frame = ps.from_pandas(table)
    with pytest.raises(TypeError, match="'kind': expected text, found category"):
        frame.svc.translate("kind", "DE")
    with pytest.raises(TypeError, match="'n': expected text, found bigint"):
        frame.svc.translate("n", "DE")
    with pytest.raises(TypeError, match="found MultiIndex"):
        svc_nb.translate(frame.index, target_lang="DE")
    with pytest.raises(TypeError, match="several levels"):
        svc_nb.translate(ps.DataFrame({("a", "b"): ["x"]}), "a", "DE")
    assert counters.requests() == 0


def test_executors_that_know_no_service_are_reported(ps, table, counters):
    with pytest.raises(SettingsError, match="This worker has no service"):
        ps.from_pandas(table).svc.translate("text", "DE", fleet=2, progress=False)
    assert counters.requests() == 0
