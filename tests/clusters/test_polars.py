"""Frames and columns of Polars: the same rows as with pandas, each different text paid for once."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import svc_nb
from svc_nb.clusters.join_table import JoinTable
from svc_nb.columns.job import Unfinished
from svc_nb.errors import QuotaExceeded
from tests.clusters.cases import NAMES, OWN, cells, distinct_characters, rows


@pytest.fixture(params=["eager", "lazy"])
def polars(request):
    """Makes a Polars frame of a pandas one, and collects it: the same is asked of both kinds."""
    svc_nb.clusters.register()
    return Kind(is_lazy=request.param == "lazy")


class Kind:
    def __init__(self, *, is_lazy):
        self.is_lazy = is_lazy

    def frame(self, table):
        made = pl.from_pandas(table)
        return made.lazy() if self.is_lazy else made

    def translate(self, frame, columns, target, **how):
        return frame.svc.translate(columns, target, progress=False, **how).lazy().collect()


def alike(made, want):
    """The same columns, and the same cells in the same order."""
    assert made.columns == list(want.columns)
    assert made["n"].to_list() == want["n"].to_list()
    for name in want.columns.drop("n"):
        assert made[name].to_list() == cells(want[name])


def test_rows_order_gaps_and_types_are_those_of_pandas(polars, counters):
    table = rows(times=3)
    made = polars.translate(polars.frame(table), "text", "DE")
    paid = counters.characters
    alike(made, svc_nb.translate(table, "text", "DE", progress=False))
    assert made.schema["text_DE"] == pl.String
    assert counters.characters == paid > 0
    svc_nb.store.clear()
    assert paid == distinct_characters(table["text"])


def test_several_columns_and_targets_with_options_for_each_row(polars, counters):
    table = rows(times=2)
    table.loc[[3, 5], "text"] = "Text mit Sprache"  # once with no language, once with an empty one
    made = polars.translate(polars.frame(table), ["text", "title"], ["DE", "FR"], **OWN)
    paid = counters.characters
    alike(made, svc_nb.translate(table, ["text", "title"], ["DE", "FR"], **OWN, progress=False))
    assert counters.characters == paid


def test_a_table_of_terms_may_be_the_glossary(polars, connected):
    terms = pd.DataFrame({"source_lang": "de", "target_lang": "fr", "source": ["Morgen"], "target": ["MATIN"]})
    table = rows(times=2)
    made = polars.translate(polars.frame(table), "text", "FR", glossary=terms, source_lang="DE")
    alike(made, svc_nb.translate(table, "text", "FR", glossary=terms, source_lang="DE", progress=False))
    assert "MATIN" in made["text_FR"][0]
    with pytest.raises(ValueError, match=r"glossary: workers cannot share a table of terms\. Push it first"):
        svc_nb.translate(polars.frame(table), "text", "FR", glossary=terms, fleet=2)
    assert connected.client.glossaries.list() == []


def test_languages_are_detected_as_with_pandas(polars, connected):
    table = rows()
    made = polars.frame(table).svc.detect("text", progress=False).lazy().collect()
    alike(made, svc_nb.detect(table, "text", progress=False))


def test_the_plan_counts_what_pandas_counts_and_pays_nothing(polars, counters):
    table = rows(times=3)
    planned = polars.frame(table).svc.plan(["text", "title"], "DE", price=20)
    want = svc_nb.plan(table, ["text", "title"], "DE", price=20)
    for name in ("rows", "unique", "characters", "skipped", "cost"):
        assert getattr(planned, name) == getattr(want, name)
    assert counters.requests() == 0


def test_a_column_may_have_any_name(polars, connected):
    table = pd.DataFrame({name: [f"Text {place}"] for place, name in enumerate(NAMES)})
    made = polars.translate(polars.frame(table), NAMES, "FR")
    want = svc_nb.translate(table, NAMES, "FR", progress=False)
    assert made.columns == list(want.columns)
    assert made.row(0) == tuple(want.iloc[0])


@pytest.mark.parametrize("name", ["^x$", "*", "^.*$"])
def test_a_name_that_is_a_pattern_means_only_itself(polars, connected, name):
    table = pd.DataFrame({"x": ["not this"], name: ["this"], "lang": ["DE"]})
    made = polars.translate(polars.frame(table), name, "FR", source_lang="lang")
    assert made.rows(named=True) == [{"x": "not this", name: "this", "lang": "DE", f"{name}_FR": "[FR] this"}]


def test_categories_come_back_as_categories(polars, connected):
    table = pl.DataFrame(
        {
            "kind": pl.Series(["eins", None, "zwei", "eins"], dtype=pl.Categorical),
            "size": pl.Series(["klein", "groß", None, "groß"], dtype=pl.Enum(["klein", "groß"])),
        }
    )
    frame = table.lazy() if polars.is_lazy else table
    made = polars.translate(frame, ["kind", "size"], "FR")
    assert [made.schema[name] for name in ("kind_FR", "size_FR")] == [pl.Categorical, pl.Categorical]
    assert made["kind_FR"].to_list() == ["[FR] eins", None, "[FR] zwei", "[FR] eins"]
    assert made["size_FR"].to_list() == ["[FR] klein", "[FR] groß", None, "[FR] groß"]
    assert made.select("kind", "size").equals(table)


def test_an_empty_frame_and_a_column_without_texts_come_back_as_they_are(polars, counters):
    for column in (
        pl.Series([], dtype=pl.String),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([None, None]),
    ):
        table = pl.DataFrame({"text": column})
        made = polars.translate(table.lazy() if polars.is_lazy else table, "text", "DE")
        assert made["text_DE"].to_list() == column.to_list()
        assert made.schema["text_DE"] == pl.String
    assert counters.texts_requests == 0


def test_what_cannot_be_done_is_refused_before_anything_is_sent(polars, counters):
    frame = polars.frame(rows())
    with pytest.raises(TypeError, match="'n': expected text, found int64"):
        frame.svc.translate("n", "DE")
    with pytest.raises(KeyError, match="there is no column"):
        frame.svc.translate("body", "DE")
    with pytest.raises(ValueError, match="there is already a column 'text_DE'"):
        frame.rename({"title": "text_DE"}).svc.translate("text", "DE")
    with pytest.raises(TypeError, match="expected the names of one or several columns"):
        svc_nb.translate(frame, target_lang="DE")
    assert counters.texts_requests == 0


def test_an_error_leaves_gaps_if_requested(polars, running, counters):
    frame = polars.frame(rows())
    running.faults.add("status", status=400, operation="/v2/translate")
    made = polars.translate(frame, "text", "FR", errors="coerce")
    assert made.filter(pl.col("text") == "Guten Morgen")["text_FR"].to_list() == [None, None]
    assert made.height == len(rows())
    assert svc_nb.last_run().progress.failed > 0


def test_a_budget_leaves_gaps_and_says_so(polars, counters):
    with pytest.warns(Unfinished):
        made = polars.translate(polars.frame(rows()), "text", "FR", budget=15)
    assert counters.characters <= 15
    assert None in made["text_FR"].head(3).to_list()
    assert made.height == len(rows())


def test_what_was_paid_before_the_money_ran_out_is_kept(polars, running, counters, monkeypatch):
    in_small_pieces(monkeypatch)
    table = pd.DataFrame({"text": [f"Satz Nummer {number}" for number in range(400)]})
    frame = polars.frame(table)
    running.faults.add("quota", characters=3000, operation="/v2/translate")
    with pytest.raises((QuotaExceeded, pl.exceptions.ComputeError), match="456"):  # older versions of Polars wrap it
        polars.translate(frame, "text", "FR")
    running.faults.clear()
    assert counters.characters > 0
    assert polars.translate(frame, "text", "FR")["text_FR"].null_count() == 0
    assert counters.characters == table["text"].str.len().sum()


def test_pairs_that_are_too_large_for_memory_are_joined_from_files(polars, counters, monkeypatch):
    in_small_pieces(monkeypatch)
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 0)
    table = pd.DataFrame({"text": [f"Satz {number % 300}" for number in range(1000)]})
    made = polars.translate(polars.frame(table), "text", "FR")
    assert made["text_FR"].to_list() == [f"[FR] {text}" for text in table["text"]]
    assert counters.characters == table["text"].drop_duplicates().str.len().sum()


def test_a_fleet_is_refused_because_there_are_no_workers(polars, connected):
    with pytest.raises(TypeError, match="only Dask and Spark tables have workers"):
        polars.translate(polars.frame(rows()), "text", "DE", fleet=2)


def test_a_column_gives_a_column_of_the_same_name(polars, counters):
    column = pl.Series("words", ["eins", None, "eins"])
    made = column.svc.translate("FR", progress=False)
    assert made.equals(pl.Series("words", ["[FR] eins", None, "[FR] eins"]))
    assert made.name == "words"
    several = column.svc.translate(["FR", "EN-US"], progress=False)
    assert several.columns == ["FR", "EN-US"]
    assert several["FR"].equals(made)
    assert column.svc.translate(["FR"], progress=False).equals(several.select("FR"))
    assert column.svc.detect(progress=False).name == "words"
    assert column.svc.plan("FR").unique == 1
    assert pl.Series(["eins"]).svc.translate("FR", progress=False).name == ""
    assert counters.characters == 2 * len("eins")


def in_small_pieces(monkeypatch):
    """Have some hundred texts go through several runs."""
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 100)
    for home in ("polars", "join_table"):
        monkeypatch.setattr(f"svc_nb.clusters.{home}.MOST_READ", 50)


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["Ja", "Nein", "Ja\0", "x" * 5000])])
def test_rows_in_pieces_keep_their_order_whatever_holds_their_texts(counters, kind):
    texts = ["Ja", None, "Nein", "Ja\0", "Ja", "x" * 5000, None, "Nein"]
    pieces = [
        pl.DataFrame({"n": [n], "text": [text]}, schema={"n": pl.Int64, "text": kind}) for n, text in enumerate(texts)
    ]
    frame = pl.concat([pieces[0].clear(), *pieces], rechunk=False)
    made = svc_nb.translate(frame, "text", "DE", source_lang="FR", progress=False)
    assert counters.characters == sum(len(text) for text in {*texts} - {None})
    want = svc_nb.translate(pd.Series(texts, dtype=object), "DE", source_lang="FR", progress=False)
    assert made["n"].to_list() == list(range(len(texts)))
    assert made["text_DE"].to_list() == cells(want)
    assert svc_nb.translate(frame.clear(), "text", "DE", progress=False)["text_DE"].to_list() == []
    nothing = svc_nb.translate(pl.DataFrame({"text": [None, None]}), "text", "DE", progress=False)
    assert nothing["text_DE"].to_list() == [None, None]
