"""What an operation works with: the account's memory and the engines, put together once at the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .clock import now
from .database import Database
from .detector import Detector
from .documents import Clerk, Delivery, Shelf
from .glossaries import Glossaries
from .keys import Keys
from .ledger import Ledger
from .memories import Memories
from .memories.jobs import Jobs
from .spoken_terms import SpokenTerms
from .style_rules import StyleRules
from .translators import Translators
from .voice import VoiceSessions

UNLIMITED = 1_000_000_000_000
FREE_QUOTA = 500_000


@dataclass(frozen=True, slots=True)
class Account:
    """What the account has: its monthly quota, the detection beta, how long glossaries, memories and documents take.

    A *free* account has 500,000 characters a month unless *quota* says otherwise, may send smaller documents, with
    fewer characters, and has neither administration nor text improvement nor spoken terms nor voice. Its keys end in
    ":fx".
    """

    quota: int | None = None
    detection: bool = True
    glossary_seconds: float = 0.0
    memory_seconds: float = 0.0
    document_seconds: float = 0.0
    free: bool = False

    @property
    def characters_a_month(self) -> int:
        """How many characters may be used in a month."""
        if self.quota is not None:
            return self.quota
        return FREE_QUOTA if self.free else UNLIMITED

    @property
    def key_suffix(self) -> str:
        """What its developer keys end in."""
        return ":fx" if self.free else ""

    @property
    def most_characters(self) -> int:
        """How many characters a document may have."""
        return 500_000 if self.free else 1_000_000


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
        self.documents = Shelf(
            database,
            folder=database.path and database.path.parent / "documents",
            clock=lambda: self.clock(),
            delay=self.account.document_seconds,
        )
        self.clerk = Clerk(self)
        self.delivery = Delivery(self)
        self.glossaries = Glossaries(
            database, clock=lambda: self.clock(), delay=self.account.glossary_seconds
        )
        self.keys = Keys(database)
        self.ledger = Ledger(database, quota=self.account.characters_a_month, now=lambda: self.clock())
        self.memories = Memories(database, clock=lambda: self.clock())
        self.memory_jobs = Jobs(
            database, self.memories, clock=lambda: self.clock(), seconds=self.account.memory_seconds
        )
        self.spoken_terms = SpokenTerms(database, clock=lambda: self.clock())
        self.style_rules = StyleRules(database)
        self.translators = translators
        self.voice = VoiceSessions(clock=lambda: self.clock())

    def close(self) -> None:
        """End the work under way and the engines, and close the database."""
        self.clerk.stop()
        self.memory_jobs.close()
        self.translators.close()
        self.database.close()
        self.documents.close()
