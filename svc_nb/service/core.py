"""What all operations work with: the account's memory and the engines, put together once at the start."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from .account import Account
from .clock import now
from .database import Database
from .detector import Detector
from .documents.shelf import Shelf
from .glossaries import Glossaries
from .keys import Keys
from .ledger import Ledger
from .memories import Memories
from .memories.jobs import Jobs
from .spoken_terms import SpokenTerms
from .style_rules import StyleRules
from .translators import Translators
from .voice import VoiceSessions


class Core:
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
        self.memory_jobs.close()
        self.translators.close()
        self.database.close()
        self.documents.close()
