"""Work with a translation service on whole tables, from a notebook.

import svc_nb
svc_nb.connect()                       # no account: the embedded service on this machine
df["review"].svc.translate("EN-US")    # a column like the one given, each different text paid for once
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from svc_nb.accessor import last_run

# Imported eagerly: their modules are callable under the same names.
from svc_nb.checks.findings import checks
from svc_nb.usage import ledger, reconcile, usage

if TYPE_CHECKING:
    from svc_nb import (
        clusters,
        documents,
        errors,
        glossaries,
        keys,
        memories,
        notebooks,
        panels,
        plots,
        samples,
        service,
        spoken_terms,
        store,
        style_rules,
    )
    from svc_nb.clusters import detect, plan, translate
    from svc_nb.columns.compare import compare
    from svc_nb.errors import SvcError
    from svc_nb.marked import MarkedOnly
    from svc_nb.notebooks import plan_notebook, translate_html, translate_markdown, translate_notebook
    from svc_nb.session import Session, close, connect, current
    from svc_nb.supported import languages, pairs
    from svc_nb.wire import models
    from svc_nb.wire.client.ignored_options import OptionsIgnored

__all__ = [
    "MarkedOnly", "OptionsIgnored", "Session", "SvcError", "checks", "close", "clusters", "compare", "connect",
    "current", "detect", "documents", "errors", "glossaries", "keys", "languages", "last_run", "ledger", "memories",
    "models", "notebooks", "pairs", "panels", "plan", "plan_notebook", "plots", "reconcile", "samples", "service",
    "spoken_terms", "store", "style_rules", "translate", "translate_html", "translate_markdown", "translate_notebook",
    "usage",
]  # fmt: skip

HOMES = {
    "MarkedOnly": "marked",
    "OptionsIgnored": "wire.client.ignored_options",
    "SvcError": "errors",
    "compare": "columns.compare",
    "models": "wire",
    **dict.fromkeys(("plan_notebook", "translate_html", "translate_markdown", "translate_notebook"), "notebooks"),
    **dict.fromkeys(("detect", "plan", "translate"), "clusters"),
    **dict.fromkeys(("languages", "pairs"), "supported"),
    **dict.fromkeys(("Session", "close", "connect", "current"), "session"),
}


# Libraries whose tables also get `.svc` once they are imported: checked here and whenever a larger part is loaded.
ENGINES = ("polars", "dask.dataframe", "pyspark.sql", "duckdb")


def _register() -> None:
    if any(sys.modules.get(name) for name in ENGINES):
        importlib.import_module("svc_nb.clusters").register()


_register()


def __getattr__(name: str) -> Any:
    """Load the larger parts on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'svc_nb' has no attribute {name!r}")
    _register()
    home = importlib.import_module(f"svc_nb.{HOMES.get(name, name)}")
    return getattr(home, name) if name in HOMES else home


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext svc_nb`: add the magics `%svc`, `%translate` and `%%translate` to a shell."""
    importlib.import_module("svc_nb.magics").register(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext svc_nb`: remove the magics again."""
    importlib.import_module("svc_nb.magics").unregister(shell)
