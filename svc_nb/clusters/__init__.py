"""The same verbs on other engines, also across machines: Polars, Dask, Spark and DuckDB.

The engine finds the different texts, this process sends them, and the engine joins the answers to its rows. An engine
is imported only when one of its tables is used.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.engine import engine

if TYPE_CHECKING:
    from svc_nb.clusters.requirements import engines
    from svc_nb.clusters.verbs import detect, plan, translate

__all__ = ["detect", "engines", "plan", "register", "translate"]

# The modules of the classes that get `.svc`, and their packages.
PLACES = {
    "polars": "polars",
    "dask.dataframe": "dask",
    "pyspark.sql": "pyspark",
    "pyspark.pandas": "pyspark",
    "duckdb": "duckdb",
}


def __getattr__(name: str) -> Any:
    """Load the verbs on first use."""
    if name not in ("detect", "engines", "plan", "translate"):
        raise AttributeError(f"module 'svc_nb.clusters' has no attribute {name!r}")
    home = "requirements" if name == "engines" else "verbs"
    return getattr(importlib.import_module(f"svc_nb.clusters.{home}"), name)


def register() -> None:
    """Add `.svc` to the tables of every imported engine; call it again for engines that are imported later."""
    for place, home in PLACES.items():
        if sys.modules.get(place) is not None and place not in _registered:
            from svc_nb.clusters.requirements import NEEDS, problem

            _registered.add(place)
            # An outdated engine must not keep anyone from importing this package.
            if problem(NEEDS[home][0]) is None:
                engine(home).register()


_registered: set[str] = set()
