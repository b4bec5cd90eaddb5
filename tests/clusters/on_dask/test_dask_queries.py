"""Queries on a translated Dask table, whatever it was made of: only some columns are read, and rows stay together."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import svc_nb

ROWS = 120


def rows() -> pd.DataFrame:
    numbers = np.arange(ROWS)
    return pd.DataFrame({"text": [f"Sentence {n % 30}" for n in numbers], "n": numbers, "k": numbers % 5})


def by_folders(path):
    dd.from_pandas(rows(), npartitions=4).to_parquet(path, partition_on=["k"])
    return dd.read_parquet(path)


def with_labels_twice(path):
    path.mkdir()
    for place in range(12):
        part = rows().iloc[place * 10 : place * 10 + 10].reset_index(drop=True)
        part.to_parquet(path / f"{place:02}.parquet")
    return dd.read_parquet(path)


def put_together(path):
    table = dd.from_pandas(rows(), npartitions=4)
    return dd.concat([table.partitions[:2], table.partitions[2:]])


def shuffled(path):
    return dd.from_pandas(rows(), npartitions=4).shuffle("n")


@pytest.fixture(params=[by_folders, with_labels_twice, put_together, shuffled])
def table(request, tmp_path):
    return request.param(tmp_path / "rows")


def expected(numbers) -> list[str]:
    return [f"[DE] Sentence {n % 30}" for n in numbers]


@pytest.mark.parametrize("columns", [["text_DE"], ["n", "text_DE"], ["text_DE", "n"], ["k", "text_DE"]])
def test_columns_alone_are_those_of_the_whole(connected, table, columns):
    made = svc_nb.translate(table, "text", "DE", progress=False)
    whole = made.compute()
    assert whole["text_DE"].tolist() == expected(whole["n"])
    some = made[columns].compute()
    assert list(some.columns) == columns
    assert sorted(some["text_DE"]) == sorted(expected(range(ROWS)))
    if "n" in columns:
        assert some["text_DE"].tolist() == expected(some["n"])


def test_the_new_column_can_be_counted_grouped_and_filtered(connected, table):
    made = svc_nb.translate(table, "text", ["DE", "FI"], progress=False)
    assert made["text_DE"].value_counts().compute().to_dict() == dict.fromkeys(expected(range(30)), 4)
    assert made.groupby("text_DE")["n"].count().compute().to_dict() == dict.fromkeys(expected(range(30)), 4)
    assert made[["text_DE", "text_FI"]].isna().sum().compute().tolist() == [0, 0]
    assert len(made[made["text_FI"] == "[FI] Sentence 7"].compute()) == 4


def test_a_translated_table_is_written_and_read_back(connected, table, tmp_path):
    made = svc_nb.translate(table, "text", "DE", progress=False)
    made[["n", "text_DE"]].to_parquet(tmp_path / "made")
    back = pd.read_parquet(tmp_path / "made")
    assert back["text_DE"].tolist() == expected(back["n"])


def test_without_the_new_columns_the_rest_is_returned(connected, table):
    made = svc_nb.translate(table, "text", "DE", progress=False)
    assert sorted(made["n"].compute()) == list(range(ROWS))
    assert len(made) == ROWS
