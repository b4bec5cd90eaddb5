"""Which versions of the engines and of Java fit, and what to do if one does not. No engine is imported here."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from svc_nb.advice import install


class Need(NamedTuple):
    """A package, the extra that installs it, and the lowest version that fits."""

    package: str
    extra: str
    lowest: str


NEEDS = {
    "polars": (Need("polars", "polars", "1.26"), Need("pyarrow", "polars", "23.0.1")),
    "dask": (Need("dask", "dask", "2026.1.1"), Need("pyarrow", "dask", "23.0.1")),
    "pyspark": (Need("pyspark", "spark", "4.0"), Need("pyarrow", "spark", "23.0.1")),
    "duckdb": (Need("duckdb", "duckdb", "1.2"), Need("pyarrow", "duckdb", "23.0.1")),
    "narwhals": (Need("pyarrow", "parquet", "23.0.1"),),
}
LAZY = (Need("polars", "polars", "1.42"), Need("pyarrow", "polars", "23.0.1"))
CLUSTER = (*NEEDS["dask"], Need("distributed", "dask", "2026.1.1"))

# Up to this version, pyspark.pandas uses parts of pandas that were removed in this version of pandas.
LAST_WITHOUT = "4.3"
FIRST_WITHOUT = "3.1"
NO_PANDAS_API = (
    "pyspark.pandas {spark} cannot be imported with pandas {pandas}. Use the frames of pyspark.sql, which can do the "
    "same (frame.svc.translate), or install a pandas below " + FIRST_WITHOUT
)
LOWEST_JAVA = 17
GET_JAVA = (
    f"install Java {LOWEST_JAVA} or newer (on Debian: apt-get install default-jre-headless), "
    "or set JAVA_HOME to its folder"
)


def engines() -> pd.DataFrame:
    """The engines as a table: what is installed, what is needed, whether it fits, and what to do if it does not."""
    spark = (*map(problem, NEEDS["pyspark"]), java_problem())
    rows = [
        _row("Polars", NEEDS["polars"]),
        _row("Polars LazyFrame, lazily", LAZY),
        _row("Dask", NEEDS["dask"]),
        _row("Dask cluster", CLUSTER),
        _row("DuckDB", NEEDS["duckdb"]),
        _row("Spark", NEEDS["pyspark"], spark, f", Java {LOWEST_JAVA}"),
        _row("pyspark.pandas", NEEDS["pyspark"], (*spark, pandas_api_problem()), f", Java {LOWEST_JAVA}"),
    ]
    return pd.DataFrame(rows, columns=["engine", "installed", "needed", "fits", "what to do"])


def check(home: str) -> None:
    """Raise ImportError, with what to install, if the engine *home* or its requirements are missing or too old."""
    for need in NEEDS.get(home, ()):
        said = problem(need)
        if said:
            raise ImportError(said)


def problem(need: Need) -> str | None:
    """What is wrong with a package, in one line; None if it fits."""
    command = install(need.extra, f"{need.package}>={need.lowest}")
    found = _installed(need.package)
    if found is None:
        return f"{need.package} is not installed: {command}"
    if _numbers(found) < _numbers(need.lowest):
        return f"{need.package} {found} is too old; {need.lowest} or newer is needed: {command}"
    return None


def pandas_api_problem() -> str | None:
    """Why pyspark.pandas cannot be imported with the installed pandas, and what to do; None if it can."""
    spark = _installed("pyspark")
    if spark is None or "pyspark.pandas" in sys.modules:
        return None
    lacks = _numbers(spark)[:2] <= _numbers(LAST_WITHOUT) and _numbers(pd.__version__) >= _numbers(FIRST_WITHOUT)
    return NO_PANDAS_API.format(spark=spark, pandas=pd.__version__) if lacks else None


def find_java(environ: Mapping[str, str] | None = None) -> str | None:
    """The java that Spark uses: the one in JAVA_HOME if that is set, else the one on the PATH; None without one."""
    found = os.environ if environ is None else environ
    home = found.get("JAVA_HOME")
    if home:
        return shutil.which(str(Path(home, "bin", "java")))
    return shutil.which("java", path=found.get("PATH"))


def java_version(java: str) -> int | None:
    """The major version; None if unknown."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None


def java_problem(environ: Mapping[str, str] | None = None) -> str | None:
    """What is wrong with the Java installation and what to do, in one line; None if it fits."""
    java = find_java(environ)
    if java is None:
        return f"no Java was found: {GET_JAVA}"
    number = java_version(java)
    if number is None or number < LOWEST_JAVA:
        return f"{java} is {f'Java {number}' if number else 'no Java that runs'}: {GET_JAVA}"
    return None


def _row(
    name: str, needs: tuple[Need, ...], problems: Iterable[str | None] | None = None, besides: str = ""
) -> tuple[str, str, str, bool, str]:
    found = [said for said in (map(problem, needs) if problems is None else problems) if said]
    needed = ", ".join(f"{need.package} >= {need.lowest}" for need in needs) + besides
    return (name, _installed(needs[0].package) or "", needed, not found, "; ".join(found))


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """
    >>> _numbers("2.1.0rc1") > _numbers("2.1")
    True
    """
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("rc")[0]))
