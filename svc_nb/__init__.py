"""Work with a translation service on whole tables, from a notebook.

import svc_nb
session = svc_nb.connect()      # no account: the embedded service on this machine
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from svc_nb.errors import SvcError
from svc_nb.session import Session, close, connect, current

if TYPE_CHECKING:
    from svc_nb import errors, models, samples, service

__all__ = [
    "Session",
    "SvcError",
    "close",
    "connect",
    "current",
    "errors",
    "models",
    "samples",
    "service",
]


def __getattr__(name: str) -> Any:
    """Load the larger parts on first touch."""
    if name in __all__:
        return importlib.import_module(f"svc_nb.{name}")
    raise AttributeError(f"module 'svc_nb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
