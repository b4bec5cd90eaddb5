"""The embedded service: the whole API on loopback, with no account, for trying, teaching and testing.

>>> from svc_nb import service
>>> with service.start(memory=True) as running:
...     running.base_url.startswith("http://127.0.0.1:")
True

It imports nothing of the rest of svc_nb and is reached by its address alone.
"""

from __future__ import annotations

from typing import Any

from .faults import Fault, Faults
from .server import Service
from .state import Account

__all__ = ["Account", "Fault", "Faults", "Service", "start"]


def start(**options: Any) -> Service:
    """Start a service in a thread of this process and return it; see `Service` for the options."""
    return Service(**options).start()
