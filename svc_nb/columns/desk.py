"""What work on tables needs of a session."""

from __future__ import annotations

from typing import Protocol

from svc_nb.engine.gate import Gate
from svc_nb.engine.run import Patience
from svc_nb.engine.store import Store
from svc_nb.wire.client import Client


class Desk(Protocol):
    """A client with the gate and the store that its texts go through; a Session is one."""

    client: Client
    gate: Gate
    patience: Patience

    @property
    def store(self) -> Store:
        """The answers that were paid for."""

    @property
    def origin(self) -> str:
        """Whose answers they are."""
