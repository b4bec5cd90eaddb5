"""What work on documents needs of a session."""

from __future__ import annotations

from dataclasses import dataclass

from svc_nb.batch.gate import Gate
from svc_nb.batch.run import Patience
from svc_nb.batch.store import Store
from svc_nb.client import Client
from svc_nb.frames.documents.shelf import Shelf


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
