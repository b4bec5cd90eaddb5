"""Parquet files: text columns are added, and whoever reads the file finds everything else as it was."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.cli.failure import Misuse
from svc_nb.cli.file_commands import chosen
from tests.cli.tables import column, extended, parquet, places

LETTERS = st.characters(exclude_categories=["Cs"])
CELLS = st.one_of(st.none(), st.text(LETTERS, max_size=6))
SPARK = b"org.apache.spark.sql.parquet.row.metadata"


def packed(table: pa.Table, **how) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **how)
    return stream.getvalue()


def text_types() -> list[pa.DataType]:
    """The types of texts that can be written; older versions know views, but cannot write them."""
    types = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
    try:
        packed(pa.table({"t": pa.array(["a"], pa.string_view())}))
    except pa.ArrowNotImplementedError:
        return types
    return [*types, pa.string_view()]


def unpacked(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data))


@given(
    st.lists(st.tuples(CELLS, CELLS, st.integers(-9, 9)), max_size=12),
    st.sampled_from(text_types()),
    st.integers(1, 5),
)
def test_a_file_is_the_same_but_for_the_column_that_was_added(rows, kind, group):
    texts, more, numbers = (list(cells) for cells in zip(*rows, strict=True)) if rows else ([], [], [])
    source = pa.table({"n": pa.array(numbers, pa.int16()), "t": pa.array(texts, kind)})
    table = parquet(packed(source, row_group_size=group))
    table.check(["t"])
    assert (table.rows, table.names) == (len(rows), ["n", "t"])
    assert column(table, "t") == texts
    assert places(table) == list(range(1, len(rows) + 1))
    result = unpacked(extended(table, {"t_DE": more}, made_from="t"))
    assert result.drop_columns("t_DE").cast(source.schema).equals(source)
    assert result["t_DE"].to_pylist() == more
    made = result.schema.field("t_DE").type
    assert made == kind or pa.types.is_dictionary(made) == pa.types.is_dictionary(kind) is True


def test_a_column_of_gaps_is_one_of_texts():
    table = parquet(packed(pa.table({"none": pa.nulls(2)})))
    table.check(["none"])
    assert column(table, "none") == [None, None]
    result = unpacked(extended(table, {"x": [None, None]}, made_from="none"))
    assert result.schema.field("x").type == pa.string()


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1]),
        pa.array([["a"]]),
        pa.array([{"a": "b"}]),
        pa.array([b"a"]),
        pa.array([1]).dictionary_encode(),
    ],
)
def test_a_column_that_holds_no_texts_is_refused_when_it_is_named_and_stays_as_it_is_when_not(cells):
    source = pa.table({"t": ["a"], "x": cells})
    table = parquet(packed(source))
    with pytest.raises(Misuse, match=r"a\.parquet: the column 'x' holds no texts but "):
        chosen(table, ["x"], "--columns")
    result = unpacked(extended(table, {"t_DE": ["b"]}, made_from="t"))
    assert result.drop_columns("t_DE").equals(unpacked(packed(source)))


def test_compression_groups_of_rows_and_the_order_of_rows_are_those_of_the_file():
    source = pa.table({"t": [f"text {number}" for number in range(10)], "n": list(range(10))})
    order = [pq.SortingColumn(1)]
    data = packed(source, row_group_size=4, compression={"t": "zstd", "n": "gzip"}, sorting_columns=order)
    result = pq.ParquetFile(io.BytesIO(extended(parquet(data), {"t_DE": ["x"] * 10}, made_from="t"))).metadata
    groups = [result.row_group(number) for number in range(result.num_row_groups)]
    assert [group.num_rows for group in groups] == [4, 4, 2]
    assert [groups[0].column(place).compression for place in range(3)] == ["ZSTD", "GZIP", "ZSTD"]
    assert list(groups[0].sorting_columns) == order
    plain = extended(parquet(packed(source, compression="none")), {"x": ["y"] * 10}, made_from="t")
    assert pq.ParquetFile(io.BytesIO(plain)).metadata.row_group(0).column(2).compression == "UNCOMPRESSED"


def test_large_groups_of_rows_become_several(monkeypatch):
    monkeypatch.setattr("svc_nb.tabular.streaming.parquet.ROWS", 4)
    data = packed(pa.table({"t": [str(number) for number in range(10)]}))
    assert [len(block) for block in parquet(data).blocks()] == [4, 4, 2]
    result = extended(parquet(data), {"x": [str(number) for number in range(10)]}, made_from="t")
    assert unpacked(result)["x"].equals(unpacked(result)["t"])


def test_small_groups_of_rows_go_together(monkeypatch):
    monkeypatch.setattr("svc_nb.tabular.streaming.parquet.ROWS", 6)
    data = packed(pa.table({"t": ["a"] * 10}), row_group_size=2)
    assert [len(block) for block in parquet(data).blocks()] == [6, 4]


@pytest.mark.long
def test_a_long_text_of_many_rows_is_not_unpacked_for_all_of_them(tmp_path):
    pq.write_table(pa.table({"t": ["x" * 100_000] * 4000}), tmp_path / "a.parquet")
    look = """
import sys
import pyarrow as pa
from svc_nb.tabular.streaming import opened

with opened(sys.argv[1]) as table:
    table.check(["t"])
    print(sum(len(block) for block in table.blocks(["t"])), pa.default_memory_pool().max_memory())
"""
    words = [sys.executable, "-c", look, tmp_path / "a.parquet"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    rows, most = map(int, done.stdout.split())
    assert rows == 4000
    assert most < 200_000_000


def test_old_times_stay_old_times():
    times = pa.array([np.datetime64("2026-01-02T03:04:05", "ns")])
    data = packed(pa.table({"t": ["a"], "when": times}), use_deprecated_int96_timestamps=True)
    result = extended(parquet(data), {"x": ["y"]}, made_from="t")
    assert pq.ParquetFile(io.BytesIO(result)).metadata.row_group(0).column(1).physical_type == "INT96"
    assert unpacked(result)["when"].to_pylist() == times.to_pylist()


def frames() -> list[pd.DataFrame]:
    texts = ["Guten Morgen", None, "Gute Nacht"]
    index = pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a")], names=["n", None])
    return [
        pd.DataFrame({"t": texts, "n": [1, 2, 3]}),
        pd.DataFrame({"t": texts, "n": [1.5, None, 3]}, index=index),
        pd.DataFrame({"t": texts}, index=pd.Index(["x", "y", "z"], name="k"), dtype=object),
        pd.DataFrame({"t": pd.Series(texts, dtype="string"), "n": pd.array([1, None, 3], dtype="Int8")}),
        pd.DataFrame({"t": pd.Categorical(texts, ordered=True)}),
    ]


@pytest.mark.parametrize("place", range(5))
def test_pandas_reads_the_new_column_as_it_reads_its_source(tmp_path, place):
    source = frames()[place]
    source.to_parquet(tmp_path / "a.parquet")
    table = parquet((tmp_path / "a.parquet").read_bytes())
    (tmp_path / "b.parquet").write_bytes(extended(table, {"t_DE": ["A", None, "B"]}, made_from="t"))
    result = pd.read_parquet(tmp_path / "b.parquet")
    before = pd.read_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(result.drop(columns="t_DE"), before)
    assert [cell if isinstance(cell, str) else None for cell in result["t_DE"]] == ["A", None, "B"]
    if isinstance(before["t"].dtype, pd.CategoricalDtype):
        assert list(result["t_DE"].cat.categories) == ["A", "B"]
    else:
        assert result["t_DE"].dtype == before["t"].dtype


def test_pandas_reads_columns_whose_names_were_numbers_by_texts(tmp_path):
    pd.DataFrame([["a", 1]]).to_parquet(tmp_path / "a.parquet")
    table = parquet((tmp_path / "a.parquet").read_bytes())
    (tmp_path / "b.parquet").write_bytes(extended(table, {"0_DE": ["b"]}, made_from="0"))
    assert list(pd.read_parquet(tmp_path / "b.parquet").columns) == ["0", "1", "0_DE"]


def test_pandas_reads_names_of_several_levels_by_texts(tmp_path):
    columns = pd.MultiIndex.from_tuples([("a", "t"), ("a", "n")])
    pd.DataFrame([["x", 1]], columns=columns).to_parquet(tmp_path / "a.parquet")
    table = parquet((tmp_path / "a.parquet").read_bytes())
    first, second = table.names[:2]
    (tmp_path / "b.parquet").write_bytes(extended(table, {f"{first}_DE": ["y"]}, made_from=first))
    result = pd.read_parquet(tmp_path / "b.parquet")
    assert list(result.columns) == [first, second, f"{first}_DE"]
    assert result.iloc[0].tolist() == ["x", 1, "y"]


def test_notes_of_other_programs_know_the_new_column_and_strange_ones_stay():
    field = {"name": "t", "type": "string", "nullable": True, "metadata": {}}
    notes = {
        SPARK: json.dumps({"type": "struct", "fields": [field]}),
        b"huggingface": json.dumps({"info": {"features": {"t": {"dtype": "string", "_type": "Value"}}}}),
        b"pandas": b"no JSON",
        b"mine": b"\xff",
    }
    data = packed(pa.table({"t": ["a"]}).replace_schema_metadata(notes))
    result = unpacked(extended(parquet(data), {"t_DE": ["b"]}, made_from="t")).schema.metadata
    assert json.loads(result[SPARK])["fields"] == [field, {**field, "name": "t_DE"}]
    assert list(json.loads(result[b"huggingface"])["info"]["features"]) == ["t", "t_DE"]
    assert (result[b"pandas"], result[b"mine"]) == (b"no JSON", b"\xff")


def test_a_file_that_is_cut_off_or_none_is_refused():
    data = packed(pa.table({"t": ["a"]}))
    for broken in (b"PAR1", data[:-20], b"t\nx\n" * 10):
        with pytest.raises(ValueError, match=r"a\.parquet is damaged or truncated, or not a Parquet file"):
            parquet(broken)
    with pytest.raises(ValueError, match="is encrypted"):
        parquet(b"PARE" + data[4:])


def test_damage_in_the_middle_is_found_before_anything_else_is_done():
    texts = [f"{number * 7919 % 10_007} and more" for number in range(10_000)]
    data = bytearray(packed(pa.table({"n": list(range(10_000)), "t": texts}), compression="snappy"))
    data[5_000:5_400] = b"\xff" * 400
    with pytest.raises(ValueError, match=r"a\.parquet is damaged"):
        parquet(bytes(data)).check(["t"])


def test_what_is_no_utf_8_is_no_text():
    bad = pa.array([b"caf\xe9"]).view(pa.string())
    table = parquet(packed(pa.table({"t": bad, "u": ["x"]})))
    table.check(["u"])
    with pytest.raises(ValueError, match="the column 't' is not valid UTF-8"):
        table.check(["t"])


# ---- as a person calls it


def shop(**how) -> Path:
    rows = {"id": [7, 8, 9, 10], "title": ["Guten Morgen", "Gute Nacht", None, "Guten Morgen"]}
    pq.write_table(pa.table(rows), "shop.parquet", **how)
    return Path("shop.parquet")


def test_a_file_is_translated_and_stands_beside_its_source(shell):
    ended = shell("translate", shop(), "--columns", "title", "--to", "FR")
    assert ended.code == 0
    assert "shop.fr.parquet: 3 of 4 cells translated into FR; 1 needed none; 22 characters billed." in ended.out
    assert pd.read_parquet("shop.fr.parquet")["title_FR"].tolist()[:2] == [
        "[FR] Guten Morgen",
        "[FR] Gute Nacht",
    ]
    assert "0 characters billed" in shell("translate", "shop.parquet", "--columns", "title", "--to", "FR").out


def test_a_plan_is_made_and_languages_are_detected(shell):
    pq.write_table(
        pa.table({"a.b": ["Das ist ein schöner Tag heute", "This is a fine day", None], "n": [1, 2, 3]}),
        "a.parquet",
    )
    plan = json.loads(shell("translate", "a.parquet", "--columns", "a.b", "--to", "FR", "--plan", "--json").out)
    assert (plan["rows"], plan["unique"], plan["characters"], plan["skipped"]) == (3, 2, 47, {"missing": 1})
    table = json.loads(shell("detect", "a.parquet", "--column", "a.b", "--json").out)
    assert {row["language"]: row["texts"] for row in table} == {"DE": 1, "EN": 1, "(none)": 1}
    assert shell("detect", "a.parquet", "--column", "a.b", "--write").code == 0
    assert pq.read_table("a.lang.parquet")["a.b_lang"].to_pylist() == ["DE", "EN", None]


def test_the_language_may_stand_in_a_column(shell):
    languages = pa.array(["fr", "en", "fr", None]).dictionary_encode()
    pq.write_table(pa.table({"t": ["chat", "chat", None, "12"], "language": languages}), "a.parquet")
    words = ["--columns", "t", "--to", "EN-GB", "--from", "language"]
    assert shell("translate", "a.parquet", *words).code == 0
    assert pq.read_table("a.en-gb.parquet")["t_EN-GB"].to_pylist() == ["[EN-GB] chat", "chat", None, "12"]


def test_a_file_goes_through_pipes_but_not_to_a_terminal(shell, environ):
    class Out(io.TextIOWrapper):
        terminal = False

        def isatty(self) -> bool:
            return self.terminal

    words = ["translate", "-", "--columns", "title", "--to", "FR", "-q"]
    data = shop().read_bytes()
    with environ.context() as patch:
        out = Out(io.BytesIO())
        patch.setattr(sys, "stdout", out)
        assert shell(*words, stdin=data).code == 0
        assert unpacked(out.buffer.getvalue())["title_FR"].to_pylist()[2] is None
        out = Out(io.BytesIO())
        out.terminal = True
        patch.setattr(sys, "stdout", out)
        ended = shell(*words, stdin=data)
    assert ended.code == 1
    assert "cannot be read on a terminal" in ended.line
    assert out.buffer.getvalue() == b""


def test_nested_columns_are_refused_before_anything_is_sent(bare):
    pq.write_table(pa.table({"t": [["a"]]}), "a.parquet")
    ended = bare("translate", "a.parquet", "--columns", "t", "--to", "DE")
    assert ended.code == 2
    assert "the column 't' holds no texts but list<" in ended.line


def test_without_pyarrow_it_is_said_what_to_install(bare, nothing):
    shop()
    nothing.setitem(sys.modules, "pyarrow", None)
    nothing.delitem(sys.modules, "svc_nb.tabular.streaming.parquet", raising=False)
    ended = bare("translate", "shop.parquet", "--columns", "title", "--to", "DE")
    assert ended.code == 1
    assert "Parquet needs pyarrow: pip install 'pyarrow>=23.0.1'" in ended.line
