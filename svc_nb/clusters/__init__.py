"""The same verbs past one machine: on Polars, Dask, Spark and DuckDB.

The engine finds the different texts, this process sends them, the engine joins the answers to its rows. No engine is
imported before one of its tables is there.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.engine import engine

if TYPE_CHECKING:
    from svc_nb.clusters.requirements import engines
    from svc_nb.clusters.verbs import detect, plan, translate

__all__ = ["detect", "engines", "plan", "register", "translate"]

# Where the classes live that get `.svc`, and the package that they are of.
PLACES = {
    "polars": "polars",
    "dask.dataframe": "dask",
    "pyspark.sql": "pyspark",
    "pyspark.pandas": "pyspark",
    "duckdb": "duckdb",
}


def __getattr__(name: str) -> Any:
    """Load the verbs on first touch."""
    if name not in ("detect", "engines", "plan", "translate"):
        raise AttributeError(f"module 'svc_nb.clusters' has no attribute {name!r}")
    home = "requirements" if name == "engines" else "verbs"
    return getattr(importlib.import_module(f"svc_nb.clusters.{home}"), name)


def register() -> None:
    """Put `.svc` on the tables of every engine that is imported; of those that come later, call it again."""
    for place, home in PLACES.items():
        if sys.modules.get(place) is not None and place not in _registered:
            from svc_nb.clusters.requirements import NEEDS, problem

            _registered.add(place)
            # One that is too old must not keep anybody from importing this package.
            if problem(NEEDS[home][0]) is None:
                engine(home).register()


_registered: set[str] = set()
