"""Dask tables without a cluster: the same results as pandas, paid for once, every row in its place."""

from __future__ import annotations

import sys
import warnings

import cloudpickle
import dask
import dask.dataframe as dd
import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters import register
from svc_nb.errors import BadRequest, QuotaExceeded, Unfinished
from svc_nb.service.faults import Fault
from tests.clusters import cases
from tests.clusters.on_dask import local_dask
from tests.ctrl_c import pressed


@pytest.fixture(autouse=True)
def registered() -> None:
    register()


def like_pandas(got, want: pd.DataFrame) -> None:
    """The same rows in the same order; what was added has the type of what it is made of in Dask."""
    made = got.compute()
    assert list(made.columns) == list(want.columns)
    assert made.index.equals(want.index)
    for name in want.columns:
        assert _gapped(made[name]) == _gapped(want[name]), name
    added = [name for name in want.columns if name.endswith(("_DE", "_FR", "_EN-US", "_lang"))]
    for name in added:
        kinds = [made[name].dtype, got._meta[name].dtype]
        if isinstance(want[name].dtype, pd.CategoricalDtype):
            assert kinds == [want[name].dtype] * 2
        else:
            assert kinds == [made[name.rpartition("_")[0]].dtype] * 2


def _gapped(column: pd.Series) -> list:
    return [None if gap else cell for cell, gap in zip(column, column.isna(), strict=True)]


def test_it_fits_here():
    fits = svc_nb.clusters.engines().set_index("engine")["fits"]
    assert fits[["Dask", "Dask cluster"]].all()


def test_texts_are_paid_for_once_and_rows_stay_where_they_were(counters):
    rows = cases.rows(3)
    table = dd.from_pandas(rows, npartitions=5)
    got = svc_nb.translate(table, ["text", "title"], ["FI", "FR"], progress=False)
    assert counters.characters == 2 * rows["text"].svc.plan("EN-US").characters
    assert (got.divisions, got.npartitions) == (table.divisions, table.npartitions)
    spent, requests = counters.characters, counters.requests()
    like_pandas(got, svc_nb.translate(rows, ["text", "title"], ["FI", "FR"], progress=False))
    assert (counters.characters, counters.requests()) == (spent, requests)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself")
def test_ctrl_c_stores_what_is_done_and_the_rest_is_paid_for_when_run_again(running, counters):
    texts = [f"Satz Nummer {number}" for number in range(2000)]
    table = dd.from_pandas(pd.DataFrame({"text": texts}), npartitions=3)
    running.faults.add(Fault("latency", "/v2/translate", seconds=0.1))
    said = r"^\d[\d,]* of 2,000 rows read so far are done and stored .* with budget=0"
    with pytest.raises(KeyboardInterrupt, match=said), pressed(lambda: counters.so_far(200) >= 4):
        svc_nb.translate(table, "text", "DE", source_lang="FR", progress=False)
    running.faults.clear()
    assert 0 < counters.characters < sum(map(len, texts))
    made = svc_nb.translate(table, "text", "DE", source_lang="FR", progress=False)
    assert made["text_DE"].compute().notna().all()
    assert counters.characters == sum(map(len, texts))


def test_no_query_sends_anything(counters):
    rows = cases.rows(3)
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=5), "text", "DE", progress=False)
    requests = counters.requests()
    twice = got.assign(again=got["text_DE"])
    for _ in range(2):
        made = twice.compute()
        assert cases.cells(made["again"]) == cases.cells(made["text_DE"])
    assert got.groupby("text_DE")["n"].sum().compute().sum() == rows["n"][rows["text"].notna()].sum()
    assert len(got.sort_values("text_DE").compute()) == len(rows)
    assert len(got[got["text_DE"] == made["text_DE"].iloc[0]].compute()) == 6
    assert len(got.persist().compute()) == len(rows)
    svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "DE", progress=False).compute()
    assert counters.requests() == requests


def test_only_the_columns_that_are_needed_are_read():
    from svc_nb.clusters.dask import ENGINE
    from svc_nb.clusters.join_table import JoinTable
    from svc_nb.clusters.table_request import TableRequest

    table = dd.from_pandas(cases.rows(), npartitions=2)
    asked = TableRequest.of(list(table.columns), "text", ["DE"])
    query = ENGINE.joined(table, asked, lambda: JoinTable(asked))[["text_DE"]].optimize(fuse=False).expr
    read = [set(leaf.columns) for leaf in query.walk() if type(leaf).__name__ == "FromPandas"]
    assert set().union(*read) == {"text"}


def test_rows_may_have_their_own_options(counters):
    rows = cases.rows(2)
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=3), "text", "EN-US", **cases.OWN, progress=False)
    spent = counters.characters
    like_pandas(got, svc_nb.translate(rows, "text", "EN-US", **cases.OWN, progress=False))
    assert counters.characters == spent


def test_languages_are_detected_once(counters):
    rows = cases.rows(2)
    got = svc_nb.detect(dd.from_pandas(rows, npartitions=3), ["text", "title"], progress=False)
    requests = counters.texts_requests
    like_pandas(got, svc_nb.detect(rows, ["text", "title"], progress=False))
    assert counters.texts_requests == requests


def test_the_plan_is_that_of_pandas(connected):
    rows = cases.rows(4)
    ours, theirs = (
        svc_nb.plan(table, ["text", "title"], "DE", price=20.0) for table in (dd.from_pandas(rows, npartitions=5), rows)
    )
    for name in ("rows", "unique", "stored", "characters", "requests", "cost"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert dict(ours.skipped) == dict(theirs.skipped)


@pytest.mark.parametrize("kind", ["string[pyarrow]", "str", object, "category", "unknown", "arrow"])
def test_every_type_of_text_gives_what_pandas_gives(connected, kind):
    rows = cases.rows(2)
    with dask.config.set({"dataframe.convert-string": False}):
        arrow = pd.ArrowDtype(__import__("pyarrow").string())
        plain = rows.astype({"text": {"unknown": "category", "arrow": arrow}.get(kind, kind)})
        table = dd.from_pandas(plain, npartitions=3)
        if kind == "unknown":
            table["text"] = table["text"].cat.as_unknown()
        got = svc_nb.translate(table, "text", "DE", progress=False)
        made, want = got.compute(), svc_nb.translate(plain, "text", "DE", progress=False)
        pd.testing.assert_series_equal(made["text_DE"], want["text_DE"])
        if kind != "unknown":
            assert got._meta["text_DE"].dtype == want["text_DE"].dtype
        assert len(got.groupby("text_DE", observed=True)["n"].sum().compute()) == want["text_DE"].nunique()


def test_categories_may_name_their_languages(connected):
    rows = cases.rows(2).astype({"text": "category", "lang": "category"})
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=3), "text", "DE", source_lang="lang", progress=False)
    want = svc_nb.translate(rows, "text", "DE", source_lang="lang", progress=False)
    made = got.compute()
    assert cases.cells(made["text_DE"]) == cases.cells(want["text_DE"])
    assert set(made["text_DE"].cat.categories) == set(want["text_DE"].cat.categories)


@pytest.mark.parametrize("how", ["known", "unknown", "language"])
def test_categories_stay_ordered_where_all_partitions_have_the_same(connected, how):
    rows = cases.rows(2)
    rows["text"] = rows["text"].astype(pd.CategoricalDtype(rows["text"].dropna().unique(), ordered=True))
    table = dd.from_pandas(rows, npartitions=3)
    if how == "unknown":
        table = table.map_partitions(_with_own_categories).assign(text=lambda each: each["text"].cat.as_unknown())
    language = "lang" if how == "language" else None
    got = svc_nb.translate(table, "text", "DE", source_lang=language, progress=False)["text_DE"]
    made, want = (
        got.compute(),
        svc_nb.translate(rows, "text", "DE", source_lang=language, progress=False)["text_DE"],
    )
    assert cases.cells(made) == cases.cells(want)
    assert made.cat.ordered == got._meta.cat.ordered == (how == "known")
    if how == "known":
        pd.testing.assert_series_equal(made, want)


def _with_own_categories(part: pd.DataFrame) -> pd.DataFrame:
    return part.assign(text=part["text"].cat.remove_unused_categories())


@pytest.mark.parametrize("name", ["text", None, "größe"])
def test_a_series_gives_a_series(connected, name):
    rows = cases.rows(2)["text"].rename(name)
    column = dd.from_pandas(rows, npartitions=3)
    rows = rows.astype(column.dtype)  # Dask has a text type of its own
    got = column.svc.translate("DE", progress=False)
    assert (got.name, got.divisions) == (name, column.divisions)
    pd.testing.assert_series_equal(got.compute(), rows.svc.translate("DE", progress=False))
    pd.testing.assert_series_equal(column.svc.detect(progress=False).compute(), rows.svc.detect(progress=False))
    assert list(column.svc.translate(["DE"], progress=False).compute().columns) == ["DE"]
    both = column.svc.translate(["DE", "FR"], progress=False).compute()
    pd.testing.assert_frame_equal(both, rows.svc.translate(["DE", "FR"], progress=False))
    assert column.svc.plan("DE").characters == 0


def test_names_are_data(connected):
    rows = pd.DataFrame(dict.fromkeys(cases.NAMES, cases.TEXTS))
    table = dd.from_pandas(rows, npartitions=3)
    got = table.svc.translate(cases.NAMES, "DE", progress=False)
    like_pandas(got, svc_nb.translate(rows, cases.NAMES, "DE", progress=False))


def test_labels_may_be_duplicates_and_in_any_order(connected):
    rows = cases.rows(3)
    rows.index = [3, 1, 1, 2, 0, 3] * 7
    table = dd.from_pandas(rows, npartitions=4, sort=False)
    like_pandas(
        svc_nb.translate(table, "text", "DE", progress=False),
        svc_nb.translate(rows, "text", "DE", progress=False),
    )
    several = dd.concat([table[table["n"] > 3], table[table["n"] < 9]])
    made = svc_nb.translate(several, "text", "DE", progress=False).compute()
    assert made["n"].tolist() == several["n"].compute().tolist()
    assert cases.cells(made["text_DE"]) == cases.cells(made["text"].svc.translate("DE", progress=False))


@pytest.mark.parametrize("texts", [[], [None, None, None]])
def test_a_column_may_hold_nothing(counters, texts):
    rows = pd.DataFrame({"text": pd.array(texts, dtype="string[pyarrow]"), "n": range(len(texts))})
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "DE", progress=False)
    like_pandas(got, svc_nb.translate(rows, "text", "DE", progress=False))
    assert counters.requests() == 0


def test_what_is_impossible_is_refused_before_anything_is_sent(counters):
    rows = cases.rows()
    table = dd.from_pandas(rows.assign(text_DE="there", kind=rows["n"].astype("category")), npartitions=2)
    for columns, target, error in [
        ("n", "FR", TypeError),
        ("kind", "FR", TypeError),
        ("nothing", "FR", KeyError),
        ("text", "DE", ValueError),
        ([], "FR", ValueError),
        (None, "FR", TypeError),
    ]:
        with pytest.raises(error):
            svc_nb.translate(table, columns, target, progress=False)
    with pytest.raises(TypeError, match="Index"):
        svc_nb.translate(table.index, None, "FR", progress=False)
    assert counters.requests() == 0


def test_a_cell_that_is_not_text_is_named(counters):
    with dask.config.set({"dataframe.convert-string": False}):
        rows = pd.DataFrame({"text": pd.Series(["Eins", "Zwei", 3, "Vier"], dtype=object)})
        with pytest.raises(TypeError, match=r"column 'text'.*label 2.*int"):
            svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "DE", progress=False)
    assert counters.requests() == 0


@pytest.mark.parametrize("kind", [object, "category"])
@pytest.mark.parametrize("language", [None, "lang"])
def test_a_cell_that_is_not_text_is_a_gap_if_requested(counters, kind, language):
    cells = ["Hallo Welt", 3, None, float("nan"), "ab\ud83dc", "Guten Tag", 3, "Hallo Welt"]
    rows = pd.DataFrame({"text": pd.Series(cells, dtype=object).astype(kind), "lang": "DE", "n": range(8)})
    how = {"errors": "coerce", "source_lang": language, "progress": False}
    with dask.config.set({"dataframe.convert-string": False}):
        table = dd.from_pandas(rows, npartitions=3)
        got = svc_nb.translate(table, "text", "FR", **how)
        assert svc_nb.last_run().progress.rows == 8
        spent = counters.characters
        made = got.compute()
        assert svc_nb.plan(table, "text", "IT", errors="coerce").rows == 8
    want = svc_nb.translate(rows, "text", "FR", **how)
    assert cases.cells(made["text_FR"]) == cases.cells(want["text_FR"])
    assert made["text_FR"].dtype.name == want["text_FR"].dtype.name
    assert made["n"].tolist() == rows["n"].tolist()
    assert counters.characters == spent == len("Hallo Welt" + "Guten Tag")


def test_half_a_surrogate_pair_is_named(counters):
    cells = ["Eins", "Zwei", "ab\ud83dc", "Vier"]
    rows = pd.DataFrame({"text": pd.Series(cells, dtype=object)})
    unused = pd.DataFrame({"text": pd.Categorical(["Eins", None], categories=pd.Index(cells, dtype=object))})
    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(ValueError, match=r"column 'text', label 2: .*half of a surrogate pair.*coerce"):
            svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "FR", progress=False)
        assert counters.requests() == 0
        made = svc_nb.translate(dd.from_pandas(unused, npartitions=1), "text", "FR", progress=False).compute()
    assert cases.cells(made["text_FR"]) == cases.cells(
        svc_nb.translate(unused, "text", "FR", progress=False)["text_FR"]
    )


def test_a_language_that_is_half_a_surrogate_pair_is_named(counters):
    rows = pd.DataFrame({"text": ["Eins", "Zwei"], "lang": ["DE", "\ud83d"]}, dtype=object)
    with dask.config.set({"dataframe.convert-string": False}):
        table = dd.from_pandas(rows, npartitions=1)
        with pytest.raises(ValueError, match=r"column 'lang': '\\ud83d' contains half of a surrogate pair"):
            svc_nb.translate(table, "text", "DE", source_lang="lang", progress=False)
    assert counters.requests() == 0


def test_a_name_that_several_columns_have_is_refused_only_if_it_is_asked_for(counters):
    rows = pd.DataFrame([["Eins", 1, 2, "DE", "DE"]] * 2, columns=["text", "n", "n", "lang", "lang"])
    table = dd.from_pandas(rows, npartitions=2)
    for act in (svc_nb.translate, svc_nb.plan):
        with pytest.raises(KeyError, match="2 columns are called 'n'"):
            act(table, "n", "FR")
        with pytest.raises(KeyError, match="2 columns are called 'lang'"):
            act(table, "text", "FR", source_lang="lang")
    assert counters.requests() == 0
    made = svc_nb.translate(table, "text", "FR", progress=False).compute()
    want = svc_nb.translate(rows, "text", "FR", progress=False)
    assert made.to_numpy().tolist() == want.to_numpy().tolist()


def test_a_category_that_no_row_has_may_be_anything(connected):
    rows = pd.DataFrame({"text": pd.Categorical(["Eins", "Zwei", None], categories=["Zwei", 3, "Eins"])})
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "FR", progress=False)
    want = svc_nb.translate(rows, "text", "FR", progress=False)
    pd.testing.assert_frame_equal(got.compute(), want)
    used = rows.assign(text=pd.Categorical(["Eins", 3, None]))
    with pytest.raises(TypeError, match=r"label 1.*expected text, found int"):
        svc_nb.translate(dd.from_pandas(used, npartitions=2), "text", "FR", progress=False)


def test_a_row_that_fails_is_a_gap_only_if_requested(running, connected):
    table = dd.from_pandas(pd.DataFrame({"text": ["Good morning", "Good night"]}), npartitions=2)
    running.faults.add(Fault("status", "/v2/translate", status=400))
    with pytest.raises(BadRequest):
        svc_nb.translate(table, "text", "DE", progress=False)
    made = svc_nb.translate(table, "text", "DE", errors="coerce", progress=False).compute()
    assert cases.cells(made["text_DE"]) == [None, None]


def test_a_budget_leaves_gaps(connected):
    table = dd.from_pandas(cases.rows(2), npartitions=3)
    with pytest.warns(Unfinished, match="over the budget"):
        got = svc_nb.translate(table, "text", "FR", budget=30, progress=False)
    made = got.compute()
    assert made["text_FR"].isna().sum() > made["text"].isna().sum()
    assert made["text_FR"].notna().any()


def test_a_spent_quota_ends_the_run(running, counters, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 100)
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_TEXTS", 100)
    rows = pd.DataFrame({"text": [f"Satz Nummer {number}" for number in range(900)]})
    table = dd.from_pandas(rows, npartitions=3)
    running.faults.add(Fault("quota", "/v2/translate", characters=4000))
    with pytest.raises(QuotaExceeded):
        svc_nb.translate(table, "text", "FR", progress=False)
    with pytest.warns(Unfinished, match="quota"):
        made = svc_nb.translate(table, "text", "FR", errors="coerce", progress=False).compute()
    running.faults.clear()
    assert 0 < made["text_FR"].notna().sum() < len(rows)
    assert svc_nb.translate(table, "text", "FR", progress=False).compute()["text_FR"].notna().all()
    assert counters.characters == rows["text"].str.len().sum()


def test_a_large_join_table_is_read_from_files(counters, monkeypatch, tmp_path):
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_BYTES", 0)
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_TEXTS", 3)
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 4)
    rows = cases.rows(2).astype({"title": "category"})
    table = dd.from_pandas(rows, npartitions=3)
    got = svc_nb.translate(table, ["text", "title"], "DE", staging=str(tmp_path / "shared"), progress=False)
    files = sorted((tmp_path / "shared").rglob("*.parquet"))
    assert len(files) > 2
    like_pandas(got, svc_nb.translate(rows, ["text", "title"], "DE", progress=False))
    files[1].unlink()
    with pytest.raises(FileNotFoundError, match="staging="):
        got.compute()


def test_a_table_that_changes_is_not_filled_with_gaps(connected, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("n,text\n1,Guten Morgen\n2,Guten Abend\n")
    got = svc_nb.translate(dd.read_csv(path), "text", "DE", progress=False)
    path.write_text("n,text\n1,Guten Morgen\n2,Gute Nacht!\n")
    with pytest.raises(ValueError, match="other texts than when it was translated"):
        got.compute()


def test_every_partition_is_read_once_for_the_tally(connected, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    table = dd.from_pandas(cases.rows(3), npartitions=6)
    table = table.map_partitions(local_dask.noted, str(notes), meta=table._meta)
    got = svc_nb.translate(table, ["text", "title"], "DE", source_lang="lang", progress=False)
    assert len(list(notes.iterdir())) == 6
    got.compute()
    assert len(list(notes.iterdir())) == 12


def test_the_answers_are_in_a_query_once_and_the_key_is_not(connected, running):
    rows = cases.rows(2)
    got = svc_nb.translate(dd.from_pandas(rows, npartitions=7), "text", "DE", progress=False)
    tasks = dict(got.optimize().__dask_graph__())
    assert sum("passed_on" in str(name) for name in tasks) == 1
    for dump in (
        cloudpickle.dumps(got),
        cloudpickle.dumps(tasks),
        repr(tasks).encode(),
        repr(got.expr).encode(),
    ):
        assert running.api_key.encode() not in dump


def test_pieces_of_a_tally_are_bounded(connected, monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.dask.MOST_TEXTS", 50)
    assert local_dask.longest_piece() <= 50


def test_labels_of_several_levels_are_refused(connected):
    rows = pd.DataFrame({("a", "b"): ["Eins"], ("a", "c"): [1]})
    with pytest.raises(TypeError, match="labels with several levels"):
        svc_nb.translate(dd.from_pandas(rows, npartitions=1), [("a", "b")], "DE", progress=False)


def test_no_warning_is_given_by_registering_again(recwarn):
    warnings.simplefilter("error")
    register()
    assert dd.DataFrame.svc is not None


@pytest.mark.parametrize("partitions", [1, 3, 9])
def test_a_tally_is_the_same_whatever_the_order_of_the_rows(partitions):
    from svc_nb.clusters.dask import ENGINE
    from svc_nb.clusters.table_request import TableRequest

    table = dd.from_pandas(cases.rows(3), npartitions=partitions)
    asked = TableRequest.of(list(table.columns), ["text", "title"], ["DE"], source_lang="lang")
    turned = table.map_partitions(lambda part: part.iloc[::-1], meta=table._meta)
    assert list(ENGINE.counted(table, asked)) == list(ENGINE.counted(turned, asked))


def test_a_hidden_distributed_counts_as_missing(connected, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    rows = cases.rows()
    made = svc_nb.translate(dd.from_pandas(rows, npartitions=2), "text", "DE", progress=False)
    like_pandas(made, svc_nb.translate(rows, "text", "DE", progress=False))
