"""Tables that only narwhals knows, of Arrow: as on pandas, each different text paid for once, rows in their order."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import svc_nb
from svc_nb.clusters.join_table import JoinTable
from svc_nb.errors import Unfinished
from tests.clusters import cases

pytestmark = pytest.mark.usefixtures("unwarned", "connected")


@pytest.fixture
def table():
    return pa.Table.from_pandas(cases.rows(3))


def test_columns_and_targets_as_on_pandas(table, counters):
    how = {"columns": ["text", "title"], "target_lang": ["DE", "FR"], "progress": False}
    made = svc_nb.translate(table, **how)
    paid = counters.characters
    expected = svc_nb.translate(cases.rows(3), **how)
    assert made.column_names == list(expected.columns)
    for name in made.column_names[:3] + made.column_names[4:]:
        assert made[name].to_pylist() == cases.cells(expected[name]), name
    assert made["n"].to_pylist() == expected["n"].tolist()
    assert counters.characters == paid > 0


def test_options_for_each_row(table, counters):
    how = {"columns": "text", "target_lang": "EN-US", "progress": False, **cases.OWN}
    made = svc_nb.translate(table, **how)
    paid = counters.characters
    assert made["text_EN-US"].to_pylist() == cases.cells(svc_nb.translate(cases.rows(3), **how)["text_EN-US"])
    assert counters.characters == paid > 0


def test_detect_and_plan(table):
    found = svc_nb.detect(table, "text", progress=False)
    assert found["text_lang"].to_pylist() == cases.cells(svc_nb.detect(cases.rows(3), "text")["text_lang"])
    plan, expected = svc_nb.plan(table, "text", "DE"), svc_nb.plan(cases.rows(3), "text", "DE")
    assert (plan.rows, plan.unique, plan.characters, plan.skipped) == (
        expected.rows, expected.unique, expected.characters, expected.skipped,
    )  # fmt: skip


def test_a_column_gives_a_column(table):
    column = table["text"]
    assert (
        svc_nb.translate(column, target_lang="DE", progress=False).to_pylist()
        == svc_nb.translate(table, "text", "DE", progress=False)["text_DE"].to_pylist()
    )


def test_categories_and_nothing():
    words = pa.array(["Guten Tag", None, "Guten Tag"]).dictionary_encode()
    made = svc_nb.translate(pa.table({"a": words}), "a", "FI", progress=False)
    assert made["a_FI"].to_pylist() == ["[FI] Guten Tag", None, "[FI] Guten Tag"]
    empty = svc_nb.translate(pa.table({"a": pa.array([], pa.string())}), "a", "DE", progress=False)
    assert empty.column_names == ["a", "a_DE"]
    assert empty.num_rows == 0


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int32(), pa.large_string()),
        *([pa.string_view()] if pd.__version__ >= "3" else []),
    ],
    ids=str,
)
def test_a_column_is_of_the_type_of_the_one_it_is_made_of(kind):
    words = pa.array(["Guten Tag", None, "Hallo", "Guten Tag"])
    cells = words.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else words.cast(kind)
    given = pa.table({"a": pa.chunked_array([cells[:2], cells[2:]]), "lang": ["DE", "DE", "FR", ""]})
    made = svc_nb.translate(given, "a", "FI", source_lang="lang", progress=False)
    assert made["a_FI"].type == kind
    assert made["a_FI"].to_pylist() == ["[FI] Guten Tag", None, "[FI] Hallo", "[FI] Guten Tag"]


def test_pairs_that_are_too_large_for_memory_are_read_from_files(monkeypatch):
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 0)
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 2)
    monkeypatch.setattr("svc_nb.clusters.narwhals.MOST_READ", 2)
    texts = [f"Satz {number % 7}" for number in range(20)]
    made = svc_nb.translate(pa.table({"text": texts}), "text", "FI", progress=False)
    assert made["text_FI"].to_pylist() == [f"[FI] {text}" for text in texts]


def test_a_budget_leaves_gaps(table):
    with pytest.warns(Unfinished):
        made = svc_nb.translate(table, "text", "FR", budget=13, progress=False)
    assert 0 < made["text_FR"].null_count - table["text"].null_count < len(table)


def test_numbers_and_workers_are_refused(table):
    with pytest.raises(TypeError, match="expected text, found int64"):
        svc_nb.translate(table, "n", "DE")
    with pytest.raises(TypeError, match="have workers"):
        svc_nb.translate(table, "text", "DE", fleet=4)


def test_what_is_not_a_table_is_refused():
    with pytest.raises(TypeError, match=r"expected a text, .* a pandas, Polars .* found set"):
        svc_nb.translate({"a"}, "text", "DE")


def test_what_cannot_be_joined_stays_beside():
    table = pa.table(
        {"text": ["Guten Tag", None], "tags": [["a"], []], "more": [{"x": 1}, None], "nothing": pa.nulls(2)}
    ).replace_schema_metadata({"kept": "yes"})
    made = svc_nb.translate(table, ["text", "nothing"], "FI", progress=False)
    assert made.select(table.column_names).equals(table, check_metadata=True)
    assert made.column("text_FI").to_pylist() == ["[FI] Guten Tag", None]
    assert made.column("nothing_FI").to_pylist() == [None, None]


def test_a_plan_has_one_budget_for_all_chunks(monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 2)
    monkeypatch.setattr("svc_nb.clusters.narwhals.MOST_READ", 2)
    texts = [f"Das ist Satz {number}" for number in range(10)]
    plan = svc_nb.plan(pa.table({"text": texts}), "text", "FI", budget=30)
    expected = svc_nb.plan(pd.DataFrame({"text": texts}), "text", "FI", budget=30)
    assert (plan.characters, plan.over_budget) == (expected.characters, expected.over_budget) == (28, 8)


def test_the_last_run_says_what_to_do_with_what_failed(table):
    svc_nb.translate(table, "text", "FI", progress=False)
    assert not len(svc_nb.last_run().table())
    with pytest.raises(TypeError, match="Run the same line again"):
        svc_nb.last_run().retry_failed()


def test_what_may_be_meant_is_said(table):
    with pytest.raises(KeyError, match="Did you mean 'text'"):
        svc_nb.translate(table, "txet", "FI")
    with pytest.raises(ValueError, match=r"neither a language nor a column\. Did you mean 'lang'"):
        svc_nb.translate(table, "text", "FI", source_lang="lang_")
    with pytest.raises(TypeError, match="a column and texts have no columns"):
        svc_nb.translate(table["text"], "text", "FI")


@pytest.mark.parametrize("verb", [svc_nb.translate, svc_nb.detect, svc_nb.plan])
def test_help_tells_of_every_name_that_there_is(verb):
    assert "\nskip\n" in verb.__doc__
    assert "..." not in verb.__doc__.split("formality")[0]


def test_a_staging_folder_is_checked_before_anything_is_paid_for(table, counters, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"staging: .* is not a writable folder"):
        svc_nb.translate(table, "text", "FI", staging=tmp_path / "file", progress=False)
    assert counters.texts_requests == 0
    assert svc_nb.translate(table, "text", "FI", staging=tmp_path, progress=False).num_rows == len(table)
