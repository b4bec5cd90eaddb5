"""Work with a translation service on whole tables, from a notebook.

import svc_nb
svc_nb.connect()                       # no account: the embedded service on this machine
df["review"].svc.translate("EN-US")    # a column like the one given, each different text paid for once
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from svc_nb.accessor import last_run

if TYPE_CHECKING:
    from svc_nb import (
        documents,
        errors,
        glossaries,
        keys,
        memories,
        models,
        panels,
        plots,
        samples,
        service,
        spoken_terms,
        store,
        style_rules,
    )
    from svc_nb.accounting import ledger, reconcile, usage
    from svc_nb.errors import SvcError
    from svc_nb.frames.quality.catalogue import checks
    from svc_nb.session import Session, close, connect, current

__all__ = [
    "Session",
    "SvcError",
    "checks",
    "close",
    "connect",
    "current",
    "documents",
    "errors",
    "glossaries",
    "keys",
    "last_run",
    "ledger",
    "memories",
    "models",
    "panels",
    "plots",
    "reconcile",
    "samples",
    "service",
    "spoken_terms",
    "store",
    "style_rules",
    "usage",
]

HOMES = {
    "SvcError": "errors",
    "checks": "frames.quality.catalogue",
    **dict.fromkeys(("ledger", "reconcile", "usage"), "accounting"),
    **dict.fromkeys(("Session", "close", "connect", "current"), "session"),
}


def __getattr__(name: str) -> Any:
    """Load the larger parts on first touch."""
    if name not in __all__:
        raise AttributeError(f"module 'svc_nb' has no attribute {name!r}")
    home = importlib.import_module(f"svc_nb.{HOMES.get(name, name)}")
    return getattr(home, name) if name in HOMES else home


def __dir__() -> list[str]:
    return sorted(__all__)
