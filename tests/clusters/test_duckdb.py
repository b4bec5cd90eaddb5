"""Relations of DuckDB: the same rows as with pandas, each different text paid for once, no trace in the database."""

from __future__ import annotations

import gc

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import svc_nb
from svc_nb.clusters.join_table import JoinTable
from svc_nb.columns.job import Unfinished
from svc_nb.errors import QuotaExceeded
from tests.clusters.cases import NAMES, OWN, cells, distinct_characters, ended, rows

THERE = "SELECT table_name FROM information_schema.tables ORDER BY 1"


@pytest.fixture(params=["memory", pytest.param("file", marks=pytest.mark.long)])
def con(request, tmp_path):
    svc_nb.clusters.register()
    place = ":memory:" if request.param == "memory" else str(tmp_path / "texts.duckdb")
    with duckdb.connect(place) as opened:
        yield opened


def stored(con, table, name="texts"):
    """The rows of a pandas frame as a table of the database."""
    given = pa.Table.from_pandas(table, preserve_index=False)
    con.from_arrow(given).create(name)
    return con.table(name)


def fetched(relation, *names):
    """The rows, or some columns of them, as tuples."""
    place = [relation.columns.index(name) for name in names]
    return [tuple(row[each] for each in place) if names else row for row in relation.fetchall()]


def alike(relation, want):
    """The same columns, and the same cells in the same order."""
    assert relation.columns == list(want.columns)
    assert fetched(relation) == list(
        zip(*(want[name].tolist() if name == "n" else cells(want[name]) for name in want), strict=True)
    )


def test_rows_order_gaps_and_types_are_those_of_pandas(con, counters):
    table = rows(times=3)
    made = stored(con, table).svc.translate("text", "DE", progress=False)
    paid = counters.characters
    alike(made, svc_nb.translate(table, "text", "DE", progress=False))
    assert str(made.types[-1]) == "VARCHAR"
    assert counters.characters == paid > 0
    svc_nb.store.clear()
    assert paid == distinct_characters(table["text"])


def test_each_text_is_paid_for_once_whatever_is_done_with_the_column(con, counters):
    table = rows(times=3)
    relation = stored(con, table)
    made = svc_nb.translate(relation, "text", "DE", progress=False)
    paid, requests = counters.characters, counters.requests()
    whole = made.fetchall()
    assert made.fetchall() == whole
    made.project("text_DE, upper(text_DE) AS again").fetchall()
    assert sum(number for _, number in made.aggregate("text_DE, count(*)").fetchall()) == len(whole)
    assert made.order("text_DE DESC, n").fetchall() != whole
    assert con.sql("SELECT count(*) FROM made WHERE text_DE IS NULL").fetchall() == [(3,)]
    assert con.sql("SELECT a.n FROM made AS a JOIN made AS b USING (n) ORDER BY a.n LIMIT 1").fetchall() == [(0,)]
    assert svc_nb.translate(relation, "text", "DE", progress=False).fetchall() == whole
    assert (counters.characters, counters.requests()) == (paid, requests)
    assert con.execute(THERE).fetchall() == [("texts",)]


def test_several_columns_and_targets_with_options_for_each_row(con, counters):
    table = rows(times=2)
    table.loc[[3, 5], "text"] = "Text mit Sprache"  # once with no language, once with an empty one
    made = stored(con, table).svc.translate(["text", "title"], ["DE", "FR"], **OWN, progress=False)
    paid = counters.characters
    alike(made, svc_nb.translate(table, ["text", "title"], ["DE", "FR"], **OWN, progress=False))
    assert counters.characters == paid


def test_languages_are_detected_as_with_pandas(con, connected):
    made = stored(con, rows()).svc.detect("text", progress=False)
    alike(made, svc_nb.detect(rows(), "text", progress=False))


def test_the_plan_counts_what_pandas_counts_and_pays_nothing(con, counters):
    table = rows(times=3)
    planned = stored(con, table).svc.plan(["text", "title"], "DE", price=20)
    want = svc_nb.plan(table, ["text", "title"], "DE", price=20)
    for name in ("rows", "unique", "characters", "skipped", "cost"):
        assert getattr(planned, name) == getattr(want, name)
    assert counters.requests() == 0


@pytest.mark.skipif(duckdb.__version__ < "2", reason="older ones read the parts of a union at the same time")
def test_a_union_stays_in_its_order(con, connected):
    parts = [f"SELECT 'Teil {n}' AS text, i + {n * 50_000} AS i FROM range(50000) t(i)" for n in range(4)]
    made = con.sql(" UNION ALL ".join(parts)).svc.translate("text", "FR", progress=False)
    assert [i for (i,) in made.project("i").fetchall()] == list(range(200_000))


def test_the_default_connection_is_as_good_as_any(connected):
    relation = duckdb.sql("SELECT unnest(['eins', NULL]) AS text")
    assert relation.svc.translate("text", "FR", progress=False).fetchall() == [
        ("eins", "[FR] eins"),
        (None, None),
    ]


@pytest.mark.long
@pytest.mark.parametrize("order", ["i", "i DESC", "hash(i)"])
def test_many_rows_keep_their_order(con, connected, order):
    con.execute("CREATE TABLE many AS SELECT 'Satz ' || (i % 70) AS text, i FROM range(100000) AS r(i)").fetchall()
    relation = con.sql(f"SELECT * FROM many ORDER BY {order}")
    made = relation.svc.translate("text", "FR", progress=False)
    assert fetched(made, "i") == fetched(relation, "i")
    assert made.filter("text_FR <> '[FR] ' || text").fetchall() == []


def test_rows_are_not_sorted_where_their_order_does_not_matter(con, connected):
    relation = con.sql("SELECT 'Satz ' || (i % 70) AS text, i FROM range(1000) AS r(i)")
    assert "order" in relation.svc.translate("text", "FR", progress=False).explain().lower()
    con.execute("SET preserve_insertion_order = false").fetchall()
    made = relation.svc.translate("text", "FR", progress=False)
    assert "order" not in made.explain().lower()
    assert sorted(fetched(made, "i", "text_FR")) == [(i, f"[FR] Satz {i % 70}") for i in range(1000)]


def test_rows_keep_their_order_whatever_the_default_is(con, connected):
    con.execute("SET default_order = 'DESC'").fetchall()
    made = con.sql("SELECT 'Satz ' || i AS text FROM range(3) AS r(i)")
    assert fetched(made.svc.translate("text", "FR", progress=False), "text") == made.fetchall()


@pytest.mark.parametrize("is_small", [True, False])
def test_what_a_database_has_never_replaces_what_is_ours(con, connected, monkeypatch, is_small):
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 2**20 if is_small else 0)
    relation = stored(con, pd.DataFrame({"text": ["eins", "zwei"], "n": [1, 2]}))
    for macro in (
        "error(x) AS NULL",
        "struct_pack(x) AS NULL",
        "struct_extract(x, y) AS 'wrong'",
        "row_number() AS 1",
        "count_star() AS 7",
        "current_setting(x) AS false",
        "read_parquet(x) AS TABLE SELECT 'eins' AS text, 'wrong' AS r0",
    ):
        con.execute(f"CREATE MACRO {macro}").fetchall()
    con.execute("CREATE TABLE __svc_nb_pairs__ AS SELECT 'eins' AS text, 'wrong' AS r0").fetchall()
    made = relation.svc.translate("text", "FR", progress=False)
    assert svc_nb.last_run().progress.rows == 2
    assert "order" in made.explain().lower()
    assert fetched(made, "text_FR") == [("[FR] eins",), ("[FR] zwei",)]
    con.execute("UPDATE texts SET text = 'neu' WHERE n = 2").fetchall()
    with pytest.raises(duckdb.Error, match="column 'text' has other texts than when"):
        made.fetchall()


def test_a_column_may_have_any_name(con, connected):
    table = pd.DataFrame({name: [f"Text {place}"] for place, name in enumerate(NAMES)})
    made = stored(con, table).svc.translate(NAMES, "FR", source_lang="it's", progress=False, errors="coerce")
    assert made.columns == [*NAMES, *(f"{name}_FR" for name in NAMES)]
    made = con.table("texts").svc.translate(NAMES, "FR", progress=False)
    assert made.fetchall() == [tuple(svc_nb.translate(table, NAMES, "FR", progress=False).iloc[0])]


def test_names_are_the_same_for_duckdb_whatever_their_case(con, counters):
    relation = stored(con, rows().rename(columns={"title": "Text_de"}))
    with pytest.raises(ValueError, match="'text_DE' would be the same as 'Text_de'"):
        relation.svc.translate("text", "DE", progress=False)
    assert counters.texts_requests == 0


@pytest.mark.parametrize(
    "columns",
    [
        "7 AS text, 'Hallo Welt' AS text",
        "'Hallo Welt' AS text, 7 AS text",
        "'Eins' AS text, 'Zwei' AS TEXT",
        "1 AS n, 'Eins' AS text, 'FR' AS text_1, 2 AS text",
    ],
)
def test_a_name_that_several_columns_have_is_refused(con, counters, columns):
    relation = con.sql(f"SELECT {columns}")
    for act in (relation.svc.translate, relation.svc.plan):
        with pytest.raises(ValueError, match="duplicate column 'text'"):
            act("text", "DE")
    assert counters.texts_requests == 0


def test_a_column_is_not_taken_for_one_that_duckdb_has_given_a_number(con, counters):
    relation = con.sql("SELECT 'Eins' AS x, 'Zwei' AS x, 'Drei' AS x_1, 'Vier' AS text")
    with pytest.raises(ValueError, match="duplicate column 'x_1'"):
        relation.svc.translate("x_1", "FR")
    with pytest.raises(ValueError, match="duplicate column 'x_1'"):
        relation.svc.translate("text", "FR", source_lang="x_1")
    assert counters.texts_requests == 0
    made = relation.svc.translate("text", "FR", progress=False)
    assert made.fetchall() == [("Eins", "Zwei", "Drei", "Vier", "[FR] Vier")]


def test_a_collation_does_not_make_different_texts_one(con, counters):
    con.execute("CREATE TABLE texts (text VARCHAR COLLATE NOCASE)").fetchall()
    con.execute("INSERT INTO texts VALUES ('Hallo Welt'), ('HALLO WELT')").fetchall()
    made = con.table("texts").svc.translate("text", "FR", progress=False)
    assert [cell for (cell,) in fetched(made, "text_FR")] == ["[FR] Hallo Welt", "[FR] HALLO WELT"]


def test_an_enum_holds_texts(con, connected):
    con.execute("CREATE TYPE size AS ENUM ('klein', 'groß')").fetchall()
    made = con.sql("SELECT unnest(['groß', NULL, 'klein'])::size AS size").svc.translate("size", "FR", progress=False)
    assert fetched(made, "size_FR") == [("[FR] groß",), (None,), ("[FR] klein",)]


def test_an_empty_relation_and_a_column_without_texts_come_back_as_they_are(con, counters):
    none = con.sql("SELECT NULL::VARCHAR AS text, i FROM range(3) AS r(i)")
    assert fetched(none.svc.translate("text", "DE", progress=False), "text_DE") == [(None,)] * 3
    empty = none.filter("i > 5").svc.translate("text", "DE", progress=False)
    assert (empty.columns, empty.fetchall()) == (["text", "i", "text_DE"], [])
    assert counters.texts_requests == 0


def test_what_cannot_be_done_is_refused_before_anything_is_sent(con, counters):
    relation = stored(con, rows())
    with pytest.raises(TypeError, match="'n': expected text, found bigint"):
        relation.svc.translate("n", "DE")
    with pytest.raises(KeyError, match="there is no column"):
        relation.svc.translate("body", "DE")
    with pytest.raises(ValueError, match="there is already a column 'text_DE'"):
        relation.project("text, title AS text_DE").svc.translate("text", "DE")
    with pytest.raises(TypeError, match="only Dask and Spark tables have workers"):
        relation.svc.translate("text", "DE", fleet=2, progress=False)
    with pytest.raises(TypeError, match="expected a DuckDB relation"):
        svc_nb.translate(con, "text", "DE")
    assert counters.texts_requests == 0


def test_an_error_leaves_gaps_if_requested(con, running, counters):
    running.faults.add("status", status=400, operation="/v2/translate")
    made = stored(con, rows()).svc.translate("text", "FR", errors="coerce", progress=False)
    assert fetched(made.filter("text = 'Guten Morgen'"), "text_FR") == [(None,)] * 2
    assert svc_nb.last_run().progress.failed > 0


def test_a_budget_leaves_gaps_and_says_so(con, counters):
    with pytest.warns(Unfinished):
        made = stored(con, rows()).svc.translate("text", "FR", budget=15, progress=False)
    assert counters.characters <= 15
    assert (None,) in fetched(made, "text_FR")[:3]


def test_what_was_paid_before_the_money_ran_out_is_kept(con, running, counters, monkeypatch):
    in_small_pieces(monkeypatch)
    relation = con.sql("SELECT 'Satz Nummer ' || i AS text FROM range(400) AS r(i)")
    running.faults.add("quota", characters=3000, operation="/v2/translate")
    with pytest.raises(QuotaExceeded):
        relation.svc.translate("text", "FR", progress=False)
    running.faults.clear()
    assert counters.characters > 0
    made = relation.svc.translate("text", "FR", progress=False)
    assert made.filter("text_FR IS NULL").fetchall() == []
    assert counters.characters == sum(len(f"Satz Nummer {number}") for number in range(400))


def test_pairs_that_are_too_large_for_memory_are_joined_from_files(con, counters, monkeypatch, tmp_path):
    in_small_pieces(monkeypatch)
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 0)
    staging = tmp_path / "it's [here] *"
    relation = con.sql("SELECT 'Satz ' || i % 300 AS text FROM range(1000) AS r(i)")
    made = relation.svc.translate("text", "FR", progress=False, staging=str(staging))
    assert made.fetchall() == [(text, f"[FR] {text}") for (text,) in relation.fetchall()]
    assert len(list(staging.glob("*/*.parquet"))) > 1
    assert counters.characters == sum(len(f"Satz {number}") for number in range(300))


def test_a_connection_that_takes_no_tables_from_python_reads_files(con, connected):
    con.execute("SET python_enable_replacements = false").fetchall()
    made = con.sql("SELECT 'eins' AS text").svc.translate("text", "FR", progress=False)
    assert made.fetchall() == [("eins", "[FR] eins")]


def test_a_table_that_has_changed_raises_instead_of_leaving_a_gap(con, connected):
    made = stored(con, rows()).svc.translate("text", "FR", progress=False)
    con.execute("UPDATE texts SET text = 'neu' WHERE n = 3").fetchall()
    with pytest.raises(duckdb.Error, match="column 'text' has other texts than when"):
        made.fetchall()
    assert len(made.project("n").fetchall()) == len(rows())
    con.execute("DELETE FROM texts WHERE n = 3").fetchall()
    assert len(made.fetchall()) == len(rows()) - 1


def test_what_is_made_of_a_relation_outlives_it(con, connected):
    made = con.sql("SELECT 'eins' AS text, 1 AS n").svc.translate("text", "FR", progress=False)
    derived = made.filter("n = 1").project("text_FR")
    asked = con.sql("SELECT text_FR FROM made")
    del made
    gc.collect()
    for _ in range(2):
        assert derived.fetchall() == asked.fetchall() == [("[FR] eins",)]


def test_other_queries_continue_while_texts_are_sent(con, connected, monkeypatch):
    """The query that counts is over by then; what `take` sees is a connection that is free."""
    seen = []
    add = JoinTable.add
    monkeypatch.setattr(JoinTable, "add", lambda *given: (seen.append(con.sql("SELECT 42").fetchall()), add(*given)))
    in_small_pieces(monkeypatch)
    relation = con.sql("SELECT 'Satz ' || i AS text FROM range(300) AS r(i)")
    assert len(relation.svc.translate("text", "FR", progress=False).fetchall()) == 300
    assert len(seen) > 1
    assert seen == [[(42,)]] * len(seen)


def test_the_key_is_in_no_query(con, connected):
    made = stored(con, rows()).svc.translate("text", "FR", progress=False)
    key = connected.settings.api_key.reveal()
    for shown in (made.sql_query(), made.explain(), str(made)):
        assert key not in shown


AT_THE_END = """
import duckdb, svc_nb, warnings
warnings.simplefilter("ignore")
svc_nb.connect()
con = duckdb.connect()
made = con.sql("SELECT 'eins' AS text").svc.translate("text", "FR", progress=False)
print(made.fetchall())
"""


@pytest.mark.long
def test_nothing_is_said_when_the_process_ends(tmp_path):
    process = ended(AT_THE_END, tmp_path)
    assert (process.stdout, process.stderr) == ("[('eins', '[FR] eins')]\n", "")


def in_small_pieces(monkeypatch):
    """Have some hundred texts go through several runs."""
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 100)
    monkeypatch.setattr("svc_nb.clusters.join_table.MOST_READ", 50)
