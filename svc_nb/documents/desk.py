"""What work on documents needs of a session."""

from __future__ import annotations

from dataclasses import dataclass

from svc_nb.documents.shelf import Shelf
from svc_nb.engine.gate import Gate
from svc_nb.engine.run import Patience
from svc_nb.engine.store import Store
from svc_nb.wire.client import Client


@dataclass(slots=True, eq=False)
class Desk:
    """A session as documents see it: *address* is whose documents they are, *free* the plan.

    When *strict*, what no translator has is an error.
    The ledger, in *store*, knows the service by *origin*.
    """

    client: Client
    gate: Gate
    patience: Patience
    shelf: Shelf
    store: Store
    origin: str
    address: str
    free: bool = False
    strict: bool = False
