"""What does not depend on an engine: the verbs on pandas, what is asked, the pairs, one run of many pieces, imports."""

from __future__ import annotations

import copy
import pickle
import stat
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters import requirements
from svc_nb.clusters.join_table import JoinTable, read_tally, tally_file
from svc_nb.clusters.table_request import Counted, TableRequest
from svc_nb.clusters.verbs import bounded
from svc_nb.columns.chunked import ChunkedRun
from svc_nb.columns.job import JobOptions, TextJob, Unfinished
from svc_nb.columns.operations import translate
from svc_nb.columns.selection import CountedTexts
from svc_nb.errors import QuotaExceeded
from tests.clusters.cases import cells, ended, rows

TRANSLATE = "/v2/translate"


# The verbs on pandas


def test_a_pandas_frame_gets_the_columns_that_its_accessor_makes(connected):
    table = rows(times=2)
    made = svc_nb.translate(table, ["text", "title"], ["DE", "FR"], source_lang="lang", progress=False)
    want = table.svc.translate(["text", "title"], ["DE", "FR"], source_lang="lang", progress=False)
    assert list(made.columns) == [*table.columns, "text_DE", "text_FR", "title_DE", "title_FR"]
    for name in want.columns:
        assert made[name].equals(want[name])
    assert "text_DE" not in table
    assert list(svc_nb.detect(table, "text", progress=False).columns) == [*table.columns, "text_lang"]
    assert svc_nb.plan(table, "text", "DE").unique == table.svc.plan("text", "DE").unique


def test_duplicate_labels_are_kept_apart(connected):
    table = pd.DataFrame({"text": ["eins", "zwei", None]}, index=[7, 7, 7])
    made = svc_nb.translate(table, "text", "FR", progress=False)
    assert cells(made["text_FR"]) == ["[FR] eins", "[FR] zwei", None]
    assert list(made.index) == [7, 7, 7]


def test_a_pandas_column_gives_a_column(connected):
    column = pd.Series(["eins", None], index=[3, 3], name="words")
    made = svc_nb.translate(column, target_lang="FR", progress=False)
    assert (made.name, list(made.index), cells(made)) == ("words", [3, 3], ["[FR] eins", None])
    assert list(svc_nb.translate(column, target_lang=["FR"], progress=False).columns) == ["FR"]
    assert svc_nb.plan(column, target_lang="FR").unique == 1
    assert svc_nb.detect(column, progress=False).name == "words"


@pytest.mark.parametrize("table", [{"text": ["a"]}, {"a set"}, b"bytes", 5, None])
def test_what_is_not_a_table_is_refused_with_what_would_be_one(connected, table):
    for verb in (
        lambda: svc_nb.translate(table, "text", "DE"),
        lambda: svc_nb.detect(table, "text"),
        lambda: svc_nb.plan(table, "text", "DE"),
    ):
        with pytest.raises(TypeError, match=r"expected a text, a list of texts, a pandas, .*found \w+$"):
            verb()


def test_what_pandas_cannot_do_is_refused_before_anything_is_sent(counters):
    table = rows()
    with pytest.raises(ValueError, match="there is already a column 'text_DE'"):
        svc_nb.translate(table.rename(columns={"title": "text_DE"}), "text", "DE")
    with pytest.raises(TypeError, match="expected the names of one or several columns"):
        svc_nb.translate(table, target_lang="DE")
    with pytest.raises(TypeError, match="a column and texts have no columns"):
        svc_nb.translate(table["text"], "text", "DE")
    with pytest.raises(TypeError, match="have workers"):
        svc_nb.translate(table, "text", "DE", fleet=2)
    assert counters.texts_requests == 0


def test_a_text_gives_a_text_and_a_list_a_list(counters):
    assert svc_nb.translate("Guten Morgen", "FI") == "[FI] Guten Morgen"
    assert svc_nb.translate("Guten Morgen", target_lang="FI") == "[FI] Guten Morgen"
    texts = ["Guten Morgen", None, "", "12,50", "Guten Morgen", "Guten Abend"]
    came = ["[FI] Guten Morgen", None, "", "12,50", "[FI] Guten Morgen", "[FI] Guten Abend"]
    assert svc_nb.translate(texts, "FI", progress=False) == came
    assert svc_nb.translate(tuple(texts), "FI", progress=False) == came
    assert counters.characters == len("Guten Morgen") + len("Guten Abend")
    assert svc_nb.translate([], "FI", progress=False) == []
    assert svc_nb.translate("Guten Morgen", ["FI", "DA"], source_lang="DE") == {
        "FI": "[FI] Guten Morgen",
        "DA": "[DA] Guten Morgen",
    }
    both = svc_nb.translate(texts[:2], ["FI", "DA"], source_lang="DE", progress=False)
    assert both == {"FI": ["[FI] Guten Morgen", None], "DA": ["[DA] Guten Morgen", None]}


def test_options_for_each_text_are_in_a_list(counters):
    how = {"source_lang": ["EN", "EN", "DE"], "context": ["A bank", "A match", None]}
    assert svc_nb.plan(["Save"] * 3, "FI", **how).contexts == 2
    assert svc_nb.translate(["Save"] * 3, "FI", progress=False, **how) == ["[FI] Save"] * 3
    assert counters.requests() == 3


def test_languages_of_texts_are_detected_and_costs_planned(counters):
    assert svc_nb.detect("Guten Morgen, wie geht es Ihnen heute?") == "DE"
    assert svc_nb.detect(["Guten Morgen, wie geht es Ihnen heute?", None, "12,50"], progress=False) == [
        "DE",
        None,
        None,
    ]
    assert svc_nb.plan("Guten Morgen", "FI").characters == len("Guten Morgen")
    assert svc_nb.plan(["Guten Morgen", "Guten Abend"], ["FI", "DA"], price=1e6).cost == 46
    assert counters.characters == 0


def test_what_is_wrong_with_texts_is_reported(counters):
    with pytest.raises(TypeError, match="columns: a column and texts have no columns"):
        svc_nb.translate("Guten Morgen", "text", "FI")
    with pytest.raises(TypeError, match="target_lang: expected"):
        svc_nb.translate(["Guten Morgen"])
    with pytest.raises(TypeError, match=r"row 1 \(label 1\): expected text, found int"):
        svc_nb.translate(["Guten Morgen", 5], "FI")
    with pytest.raises(TypeError, match="have workers"):
        svc_nb.translate("Guten Morgen", "FI", fleet=2)
    with pytest.raises(TypeError, match="expected a text, a list of texts, a pandas"):
        svc_nb.translate(5, "FI")
    assert counters.texts_requests == 0


def test_the_language_may_follow_a_column_at_once(connected):
    import polars as pl

    assert svc_nb.translate(pd.Series(["Guten Morgen"]), "FI").tolist() == ["[FI] Guten Morgen"]
    assert svc_nb.translate(pl.Series(["Guten Morgen"]), "FI", progress=False).to_list() == ["[FI] Guten Morgen"]
    assert svc_nb.plan(pl.Series(["Guten Morgen"]), "DA").characters == len("Guten Morgen")


def test_columns_may_be_named_by_anything_that_gives_names(connected):
    table = rows()
    made = svc_nb.translate(table, (name for name in ["text", "title"]), "DE", progress=False)
    assert list(made.columns) == [*table.columns, "text_DE", "title_DE"]
    assert "text_lang" in svc_nb.detect(table, iter(["text"]), progress=False)
    with pytest.raises(KeyError, match="there is no column 5"):
        svc_nb.translate(table, 5, "DE")


def test_a_column_has_no_other_that_names_languages(counters):
    import polars as pl

    for verb in (svc_nb.translate, svc_nb.plan):
        with pytest.raises(ValueError, match=r"'text' is neither a language nor a column\. There are none"):
            verb(pl.Series(["eins"]), target_lang="FI", source_lang="text")
    assert counters.texts_requests == 0


def test_a_table_inside_narwhals_is_recognised(connected):
    import narwhals as nw
    import polars as pl
    import pyarrow as pa

    for table in (pd.DataFrame({"a": ["eins"]}), pl.DataFrame({"a": ["eins"]}), pa.table({"a": ["eins"]})):
        made = svc_nb.translate(nw.from_native(table), "a", "FI", progress=False)
        assert type(made) is type(table)


def test_what_is_only_for_pandas_is_said_to_be():
    import polars as pl

    svc_nb.clusters.register()
    texts = pl.DataFrame({"a": ["eins"]}).svc
    assert not hasattr(texts, "check")
    with pytest.raises(AttributeError, match="only translate, detect and plan"):
        texts.check("a")
    assert repr(copy.copy(texts)) == repr(pickle.loads(pickle.dumps(texts))) == repr(texts)


def test_a_staging_folder_is_the_same_wherever_one_goes(connected, monkeypatch, tmp_path):
    import duckdb

    svc_nb.clusters.register()
    monkeypatch.setitem(JoinTable.__init__.__kwdefaults__, "most_bytes", 0)
    monkeypatch.chdir(tmp_path)
    table = duckdb.sql("SELECT 'eins' AS text")
    made = svc_nb.translate(table, "text", "FR", staging="staging", progress=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert made.fetchall() == [("eins", "[FR] eins")]


# What is asked


def test_asked_names_what_is_added_and_where_it_comes_from():
    asked = TableRequest.of(["a", "b", "which"], ["a", "b"], ["DE", "FR"], source_lang="which")
    assert asked.results == ("r0", "r1")
    assert dict(asked.added) == {
        "a_DE": ("a", "r0"),
        "a_FR": ("a", "r1"),
        "b_DE": ("b", "r0"),
        "b_FR": ("b", "r1"),
    }
    assert (asked.options, asked.keys) == ({"source_lang": "which"}, ("text", "source_lang"))


def test_a_context_is_a_column_or_a_text():
    both = TableRequest.of(["a", "which"], "a", ["DE"], source_lang="which", context="a")
    assert both.options == {"source_lang": "which", "context": "a"}
    assert both.read == ("a", "which")
    assert TableRequest.of(["a", "which"], "a", ["DE"], context="A chat").options == {}
    with pytest.raises(TypeError, match=r"context: expected a text or the name of a column, found list.*column"):
        TableRequest.of(["a"], "a", ["DE"], context=["A chat"])


def test_a_column_that_is_called_like_a_language_has_the_languages_unless_it_is_worked_on():
    assert TableRequest.of(["a", "DE"], "a", ["FR"], source_lang="DE").options == {"source_lang": "DE"}
    assert TableRequest.of(["a", "DE"], "DE", ["FR"], source_lang="DE").options == {}
    assert TableRequest.of(["a"], "a", ["FR"], source_lang="German").options == {}
    assert TableRequest.of(["a"], "a", ["FR"]).keys == ("text",)


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ("c", KeyError, "there is no column 'c'. There are 'a' and 'a_DE'"),
        ([], ValueError, "at least one"),
        (["a", "a"], ValueError, "twice"),
        ("a", ValueError, "there is already a column 'a_DE'"),
    ],
)
def test_a_request_refuses_what_is_impossible(columns, error, words):
    with pytest.raises(error, match=words):
        TableRequest.of(["a", "a_DE"], columns, ["DE"])


def test_a_language_is_a_code_or_a_column():
    with pytest.raises(TypeError, match="source_lang: expected a language or the name of a column, found list"):
        TableRequest.of(["a"], "a", ["DE"], source_lang=["DE"])


# JoinTable

ASKED = TableRequest.of(["a", "which"], "a", ["DE"], source_lang="which")
TEXTS = (["eins", None, "zwei"], {"source_lang": ["DE", None, None]}, [["one", None, None]])
PAIRS = {"text": ["eins", "zwei"], "source_lang": ["DE", ""], "r0": ["one", None]}


def test_pairs_are_held_in_memory_while_they_are_small():
    pairs = JoinTable(ASKED)
    assert pairs.table().to_pydict() == {"text": [], "source_lang": [], "r0": []}
    pairs.add(*TEXTS)
    assert (pairs.is_small, pairs.rows, pairs.table().to_pydict()) == (True, 2, PAIRS)


def test_pairs_that_grow_go_to_files_that_only_their_user_can_read():
    from pyarrow import parquet

    pairs = JoinTable(ASKED, most_bytes=0)
    pairs.add(*TEXTS)
    pairs.add(["drei"], {"source_lang": ["FR"]}, [["three"]])
    assert not pairs.is_small
    with pytest.raises(ValueError, match="Too large"):
        pairs.table()
    assert stat.S_IMODE(Path(pairs.folder).stat().st_mode) == 0o700
    assert [parquet.read_table(file)["text"].to_pylist() for file in pairs.files] == [
        ["eins", "zwei"],
        ["drei"],
    ]


def test_pairs_without_a_text_make_a_file_too():
    from pyarrow import parquet

    [file] = JoinTable(ASKED).files
    assert parquet.read_table(file).to_pydict() == {"text": [], "source_lang": [], "r0": []}


ENDS = """
import sys
from svc_nb.clusters.table_request import TableRequest
from svc_nb.clusters.join_table import JoinTable
pairs = JoinTable(TableRequest.of(["a"], "a", ["DE"]), *sys.argv[1:], most_bytes=0)
pairs.add(["eins"], {}, [["one"]])
print(pairs.folder)
"""


@pytest.mark.long
def test_a_folder_of_this_machine_goes_with_the_process_and_a_staging_folder_stays(tmp_path):
    own = Path(child(ENDS, tmp_path).strip())
    assert not own.exists()
    staged = Path(child(ENDS, tmp_path, str(tmp_path / "staging")).strip())
    assert staged.parent == tmp_path / "staging"
    assert [file.name for file in staged.iterdir()] == ["part-00000.parquet"]


def test_a_tally_is_read_back_in_pieces_from_a_file_that_is_then_gone(monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    monkeypatch.setattr("svc_nb.clusters.join_table.MOST_READ", 2)
    table = pa.table({"text": ["a", None, "b"], "lang": ["DE", "", "FR"], "rows": [1, 2, 3]})
    with tally_file() as path:
        assert stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700
        parquet.write_table(table, path)
        assert list(read_tally(path, ["source_lang"])) == [
            (["a", None], [1, 2], {"source_lang": ["DE", None]}),
            (["b"], [3], {"source_lang": ["FR"]}),
        ]
        parquet.write_table(table.drop_columns("lang"), path)
        assert next(read_tally(path, [])) == (["a", None], [1, 2], {})
    assert not Path(path).parent.exists()


def test_pieces_are_few_but_never_too_long(monkeypatch):
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_CHARACTERS", 10)
    monkeypatch.setattr("svc_nb.clusters.verbs.MOST_TEXTS", 3)
    given = [Counted([text], [1], {}) for text in ("a", "b", "c", "x" * 10, None, "d")]
    assert [some.texts for some in bounded(given)] == [["a", "b", "c"], ["x" * 10], [None, "d"]]


# One run of many pieces


def relayed(session, pieces, took, **options_given):
    """Tallies through one run; what each came to is appended to *took*."""
    asked = JobOptions(**options_given)

    def job(tally, budget):
        options = JobOptions(**{**options_given, "budget": budget})
        return TextJob(session, tally, translate(session, "FR"), options)

    relay = ChunkedRun(pieces, job, lambda tally, job: took.extend(cells(job.partial())), asked)
    relay.start()
    relay.wait()
    return relay


def test_what_is_counted_is_rows_of_the_table(counters):
    took = []
    pieces = [CountedTexts(["eins", "zwei", None], [10, 1, 5]), CountedTexts(["drei", "7"], [100, 1000])]
    relay = relayed(counters._session, pieces, took)
    relay.result()
    report = relay.progress
    assert took == ["[FR] eins", "[FR] zwei", None, "[FR] drei", "7"]
    assert (report.rows, report.done, report.skipped.total()) == (1116, 111, 1005)
    assert counters.characters == report.billed == len("einszweidrei")


def test_a_budget_is_shared_by_all_pieces(counters):
    took = []
    pieces = [CountedTexts([f"Satz {number}"], [2]) for number in range(5)]
    relay = relayed(counters._session, pieces, took, budget=15)
    with pytest.warns(Unfinished):
        relay.result()
    assert took == ["[FR] Satz 0", "[FR] Satz 1", None, None, None]
    assert relay.progress.unsent["budget"] == 6
    assert counters.characters == 12


def test_when_the_money_runs_out_the_rest_is_not_sent(running, counters):
    took = []
    pieces = [CountedTexts([f"Satz {number}"], [1]) for number in range(5)]
    running.faults.add("quota", characters=13, operation=TRANSLATE)
    relay = relayed(counters._session, pieces, took)
    with pytest.raises(QuotaExceeded):
        relay.result()
    assert took[:2] == ["[FR] Satz 0", "[FR] Satz 1"]
    assert counters.requests(456) == 1


def test_with_coerced_errors_the_store_still_answers_what_it_knows(running, counters):
    session = counters._session
    relayed(session, [CountedTexts(["Satz 4"], [1])], []).result()
    took = []
    running.faults.add("quota", characters=13, operation=TRANSLATE)
    relay = relayed(session, [CountedTexts([f"Satz {number}"], [1]) for number in range(5)], took, errors="coerce")
    relay.result()
    assert took == ["[FR] Satz 0", "[FR] Satz 1", None, None, "[FR] Satz 4"]
    assert counters.requests(456) == 1


def test_one_word_cancels_all_pieces(counters):
    took = []

    def pieces():
        yield CountedTexts(["Satz 0"], [1])
        relay.cancel()
        yield CountedTexts(["Satz 1"], [1])

    def job(tally, budget):
        return TextJob(counters._session, tally, translate(counters._session, "FR"))

    relay = ChunkedRun(pieces(), job, lambda tally, job: took.extend(cells(job.partial())), JobOptions())
    relay.start()
    relay.wait()
    with pytest.raises(KeyboardInterrupt):
        relay.result()
    assert took == ["[FR] Satz 0"]
    assert counters.characters == len("Satz 0")


# Versions, imports and names


def test_a_package_that_is_missing_or_too_old_is_named_with_what_to_do():
    assert requirements.problem(requirements.Need("no-such-package", "polars", "1")) == (
        "no-such-package is not installed: pip install 'polars>=1.26' 'pyarrow>=23.0.1' 'no-such-package>=1'"
    )
    found = metadata.version("pandas")
    assert requirements.problem(requirements.Need("pandas", "duckdb", "9999.1")) == (
        f"pandas {found} is too old; 9999.1 or newer is needed: "
        "pip install 'duckdb>=1.2' 'pyarrow>=23.0.1' 'pandas>=9999.1'"
    )
    assert requirements.problem(requirements.Need("pandas", "dask", "1.0")) is None


def test_an_engine_that_is_too_old_is_refused_at_the_call_and_harms_no_import(monkeypatch):
    monkeypatch.setitem(requirements.NEEDS, "polars", (requirements.Need("polars", "polars", "9999"),))
    import polars as pl

    with pytest.raises(ImportError, match=r"polars .* is too old"):
        svc_nb.translate(pl.DataFrame({"text": ["a"]}), "text", "DE")
    monkeypatch.setattr("svc_nb.clusters._registered", set())
    svc_nb.clusters.register()


@pytest.mark.long
@pytest.mark.parametrize(
    ("home", "tables"),
    [("polars", ["DataFrame", "LazyFrame", "Series"]), ("duckdb", ["DuckDBPyRelation"])],
)
@pytest.mark.parametrize(
    "imports",
    ["import {0}; import svc_nb", "import svc_nb; import {0}; svc_nb.connect"],
    ids=["before", "after"],
)
def test_svc_is_on_an_engines_tables_whichever_is_imported_first(tmp_path, imports, home, tables):
    code = f"{imports.format(home)}; print(all(hasattr(getattr({home}, name), 'svc') for name in {tables}))"
    assert child(code, tmp_path).strip() == "True"


def test_the_ledger_names_what_was_translated(connected):
    import polars as pl

    table = pl.DataFrame({"text": ["Guten Morgen"], "title": ["Guten Abend"]})
    svc_nb.translate(table, ["text", "title"], "FR", progress=False)
    svc_nb.translate(table["text"].alias("answers"), None, "FI", progress=False)
    svc_nb.translate(table["text"].alias(""), None, "SV", progress=False)
    assert cells(svc_nb.ledger()["column"]) == ["text, title", "answers", None]


def test_a_name_that_is_ours_is_refused(connected):
    import polars as pl

    table = pl.DataFrame({"text": ["eins"], "__svc_nb_found__": ["zwei"]})
    with pytest.raises(ValueError, match=r"'__svc_nb_found__': such names are reserved for svc_nb\. Rename it first"):
        svc_nb.translate(table, "text", "DE", progress=False)


def child(code, folder, *words):
    """What a process of its own prints; it may say nothing else."""
    process = ended(code, folder, *words)
    assert process.stderr == ""
    return process.stdout
