"""What an operation works with: the account's memory and the engines, put together once at the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .clock import now
from .database import Database
from .detector import Detector
from .glossaries import Glossaries
from .keys import Keys
from .ledger import Ledger
from .style_rules import StyleRules
from .translators import Translators

UNLIMITED = 1_000_000_000_000


@dataclass(frozen=True, slots=True)
class Account:
    """What the account has: its monthly quota, the detection beta, and how long a new glossary takes."""

    quota: int = UNLIMITED
    detection: bool = True
    glossary_seconds: float = 0.0


class State:
    """One account's memory, keys, ledger and engines."""

    def __init__(
        self,
        database: Database,
        translators: Translators,
        *,
        account: Account | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.account = account or Account()
        self.clock = clock
        self.database = database
        self.detector = Detector()
        self.glossaries = Glossaries(
            database, clock=lambda: self.clock(), delay=self.account.glossary_seconds
        )
        self.keys = Keys(database)
        self.ledger = Ledger(database, quota=self.account.quota, now=lambda: self.clock())
        self.style_rules = StyleRules(database)
        self.translators = translators

    def close(self) -> None:
        """End the engines and close the database."""
        self.translators.close()
        self.database.close()
