"""What an operation is given: everything that all work with, and those who work on documents."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from .account import Account
from .clock import now
from .core import Core
from .database import Database
from .documents import Clerk, Delivery
from .translators import Translators


class State(Core):
    """One account, with the clerk that translates its documents and the delivery that hands them out."""

    def __init__(
        self,
        database: Database,
        translators: Translators,
        *,
        account: Account | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        super().__init__(database, translators, account=account, clock=clock)
        self.clerk = Clerk(self)
        self.delivery = Delivery(self)

    def close(self) -> None:
        """End the work under way and the engines, and close the database."""
        self.clerk.stop()
        super().close()
