"""Translate tables, documents and notebooks with a translation service.

    import svc_nb

    svc_nb.connect()                         # no account: a service on this machine
    reviews = svc_nb.samples.reviews()       # any DataFrame with a column of texts
    texts = reviews["review"]

    texts.svc.plan("EN-US", price=20)        # what it would cost; nothing is sent
    english = texts.svc.translate("EN-US")   # each different text is paid for once

Texts in tables have their verbs in `.svc`, on every Series, Index and DataFrame:

    detect, plan, translate, correct, rephrase     through the service
    clean, check, score, review, compare           before and after

What you keep on the service, or beside it, is a module with verbs such as
`list`, `read`, `lint`, `push`, `pull` and `undo`:

    glossaries, style_rules, memories, spoken_terms, keys

Everything else:

    connect        with an account, or the service on this machine: a `Session`; also `current`, `close`
    translate      a text, a list or any table; also `detect`, `plan`
    clusters       the same on Polars, Dask, Spark and DuckDB
    languages      what the service offers; `pairs` is what it really translates
    last_run       what came of each row, and what it cost
    usage          what was used, by key and day; also `ledger`, `reconcile`
    documents      folders of files
    notebooks      notebooks, Markdown, HTML and code; also `translate_notebook`, `plan_notebook`,
                   `translate_markdown`, `translate_html`
    panels         all of it in a user interface
    plots          charts of usage, languages, scores and findings
    checks         what `.svc.check` looks for
    samples        small tables and documents to try things on
    store          the answers that you have paid for
    errors         everything that can go wrong: `SvcError` is the root
    service        the service on this machine, to start one of your own
    models         what the API sends and answers, as classes

`help(svc_nb.glossaries)`, or any other of these names, says more.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from svc_nb.accessor import last_run as last_run

# Imported eagerly: their modules are callable under the same names.
from svc_nb.checks.findings import checks as checks
from svc_nb.usage import ledger as ledger
from svc_nb.usage import reconcile as reconcile
from svc_nb.usage import usage as usage

if TYPE_CHECKING:
    from svc_nb import clusters as clusters
    from svc_nb import documents as documents
    from svc_nb import errors as errors
    from svc_nb import glossaries as glossaries
    from svc_nb import keys as keys
    from svc_nb import memories as memories
    from svc_nb import notebooks as notebooks
    from svc_nb import panels as panels
    from svc_nb import plots as plots
    from svc_nb import samples as samples
    from svc_nb import service as service
    from svc_nb import spoken_terms as spoken_terms
    from svc_nb import store as store
    from svc_nb import style_rules as style_rules
    from svc_nb.clusters import detect as detect
    from svc_nb.clusters import plan as plan
    from svc_nb.clusters import translate as translate
    from svc_nb.columns.compare import compare as compare
    from svc_nb.errors import SvcError as SvcError
    from svc_nb.marked import MarkedOnly as MarkedOnly
    from svc_nb.notebooks import plan_notebook as plan_notebook
    from svc_nb.notebooks import translate_html as translate_html
    from svc_nb.notebooks import translate_markdown as translate_markdown
    from svc_nb.notebooks import translate_notebook as translate_notebook
    from svc_nb.session import Session as Session
    from svc_nb.session import close as close
    from svc_nb.session import connect as connect
    from svc_nb.session import current as current
    from svc_nb.supported import languages as languages
    from svc_nb.supported import pairs as pairs
    from svc_nb.wire import models as models
    from svc_nb.wire.client.ignored_options import OptionsIgnored as OptionsIgnored

# Tab completion shows what people begin with; the other public names are listed beside it, and in `help(svc_nb)`.
__all__ = [
    "connect", "documents", "errors", "glossaries", "keys", "languages", "last_run", "memories", "notebooks", "panels",
    "samples", "store", "style_rules", "translate", "usage",
]  # fmt: skip
PUBLIC = (
    *__all__, "MarkedOnly", "OptionsIgnored", "Session", "SvcError", "checks", "close", "clusters", "compare",
    "current", "detect", "ledger", "models", "pairs", "plan", "plan_notebook", "plots", "reconcile", "service",
    "spoken_terms", "translate_html", "translate_markdown", "translate_notebook",
)  # fmt: skip

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
    if name not in PUBLIC:
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
