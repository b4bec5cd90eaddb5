"""Which engines fit here, and the messages about those that do not."""

from __future__ import annotations

import sys
from importlib import metadata

import pandas as pd
import pytest

import svc_nb
from svc_nb.clusters import requirements


def versions(monkeypatch, **found: str | None) -> None:
    """Let these packages be installed in these versions, or not at all."""
    real = metadata.version

    def version(package: str) -> str:
        if package not in found:
            return real(package)
        if found[package] is None:
            raise metadata.PackageNotFoundError(package)
        return found[package]

    monkeypatch.setattr(metadata, "version", version)


def row(name: str) -> pd.Series:
    return svc_nb.clusters.engines().set_index("engine").loc[name]


def test_every_engine_has_a_row_and_what_is_installed_here_fits():
    table = svc_nb.clusters.engines()
    assert list(table.columns) == ["engine", "installed", "needed", "fits", "what to do"]
    assert table["engine"].is_unique
    assert table.set_index("engine")["fits"][["Polars", "DuckDB"]].all()
    assert (table["fits"] == (table["what to do"] == "")).all()


def test_no_engine_is_imported_to_say_so():
    before = set(sys.modules)
    svc_nb.clusters.engines()
    assert {name.partition(".")[0] for name in set(sys.modules) - before}.isdisjoint(requirements.NEEDS)


def test_an_engine_that_is_missing_or_too_old_says_what_to_install(monkeypatch):
    versions(monkeypatch, duckdb=None, dask="2024.8.0", polars="1.30.0")
    assert row("DuckDB")["what to do"] == "duckdb is not installed: pip install 'duckdb>=1.2' 'pyarrow>=23.0.1'"
    assert row("DuckDB")["installed"] == ""
    assert "dask 2024.8.0 is too old; 2026.1.1 or newer is needed" in row("Dask")["what to do"]
    assert row("Polars")["fits"]
    assert "1.42 or newer" in row("Polars LazyFrame, lazily")["what to do"]
    with pytest.raises(ImportError, match=r"dask 2024\.8\.0 is too old"):
        requirements.check("dask")


def test_spark_without_java_says_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    said = row("Spark")
    assert not said["fits"]
    assert "install Java 17 or newer" in said["what to do"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for Java")
def test_an_old_java_is_told_from_one_that_fits(tmp_path):
    def javas(first_line: str) -> dict[str, str]:
        script = tmp_path / "bin" / "java"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\necho '{first_line}' >&2\n")
        script.chmod(0o755)
        return {"JAVA_HOME": str(tmp_path)}

    assert "is Java 8:" in requirements.java_problem(javas('java version "1.8.0_402"'))
    assert "is Java 11:" in requirements.java_problem(javas('openjdk version "11.0.2" 2019-01-15'))
    assert "is no Java that runs" in requirements.java_problem(javas("Unable to locate a Java Runtime."))
    assert requirements.java_problem(javas('openjdk version "17.0.1"')) is None
    assert requirements.java_problem(javas('openjdk version "25" 2025-09-16')) is None
    assert "no Java was found" in requirements.java_problem({"PATH": str(tmp_path)})


@pytest.mark.parametrize(
    ("spark", "pandas", "fits"),
    [
        ("4.3.0", "3.1.1", False),
        ("4.0.1", "3.1.0", False),
        ("4.3.0", "3.0.2", True),
        ("4.0.0", "2.2.3", True),
    ],
)
def test_pyspark_pandas_does_not_go_with_a_new_pandas(monkeypatch, spark, pandas, fits):
    versions(monkeypatch, pyspark=spark)
    monkeypatch.setattr(pd, "__version__", pandas)
    monkeypatch.delitem(sys.modules, "pyspark.pandas", raising=False)
    said = requirements.pandas_api_problem()
    assert (said is None) == fits
    if said:
        assert f"pyspark.pandas {spark} cannot be imported with pandas {pandas}. Use the frames of pyspark.sql" in said
