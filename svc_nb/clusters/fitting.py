"""Which versions of the engines fit, and what to do where one does not or is missing."""

from __future__ import annotations

import re
from importlib import metadata
from typing import NamedTuple

EXTRAS = {"polars": "polars", "dask": "dask", "pyspark": "spark", "duckdb": "duckdb"}


class Need(NamedTuple):
    """A package, the extra that brings it, and the lowest version that fits."""

    package: str
    extra: str
    lowest: str


NEEDS = {
    "polars": (Need("polars", "polars", "1.24"), Need("pyarrow", "polars", "16")),
    "dask": (Need("dask", "dask", "2025.1"), Need("pyarrow", "dask", "16")),
    "pyspark": (Need("pyspark", "spark", "4.0"), Need("pyarrow", "spark", "16")),
    "duckdb": (Need("duckdb", "duckdb", "1.2"), Need("pyarrow", "duckdb", "16")),
}


def check(home: str) -> None:
    """Raise ImportError where what the engine *home* needs is missing or too old, and say what to install."""
    for need in NEEDS.get(home, ()):
        said = problem(need)
        if said:
            raise ImportError(said)


def problem(need: Need) -> str | None:
    """What is wrong with a package, in a line; None where it fits."""
    install = f"pip install 'svc-nb[{need.extra}]'"
    try:
        found = metadata.version(need.package)
    except metadata.PackageNotFoundError:
        return f"{need.package} is not installed: {install}"
    if _numbers(found) < _numbers(need.lowest):
        return f"{need.package} {found} is too old, {need.lowest} or newer is needed: {install}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """
    >>> _numbers("2.1.0rc1") > _numbers("2.1")
    True
    """
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("rc")[0]))
