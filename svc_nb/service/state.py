"""An account: what it may do, and everything that an operation works with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .database import Database, now
from .detector import Detector
from .documents.storage import DocumentStore
from .documents.worker import DocumentWorker
from .formats import MOST_CHARACTERS
from .glossaries import Glossaries
from .keys import Keys
from .ledger import UNLIMITED, Ledger
from .memories.jobs import MemoryJobs
from .memories.storage import Memories
from .translators import Translators
from .voice_sessions import VoiceSessions

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
        return 500_000 if self.free else MOST_CHARACTERS


class State:
    """What is stored for one account, the engines, and what works on its documents."""

    def __init__(
        self,
        database: Database,
        translators: Translators,
        *,
        account: Account | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.account = account = account or Account()
        self.clock = clock

        def time() -> datetime:
            return self.clock()  # which tests replace

        folder = database.path and database.path.parent / "documents"
        self.database = database
        self.detector = Detector()
        self.glossaries = Glossaries(database, clock=time, delay=account.glossary_seconds)
        self.keys = Keys(database)
        self.ledger = Ledger(database, quota=account.characters_a_month, now=time)
        self.documents = DocumentStore(
            database, ledger=self.ledger, folder=folder, clock=time, delay=account.document_seconds
        )
        self.memories = Memories(database, clock=time)
        self.memory_jobs = MemoryJobs(database, self.memories, clock=time, seconds=account.memory_seconds)
        self.translators = translators
        self.voice = VoiceSessions(clock=time)
        self.worker = DocumentWorker(self, most_characters=account.most_characters)

    def close(self) -> None:
        """End the work in progress and the engines, and close the database."""
        self.worker.stop()
        self.memory_jobs.close()
        self.translators.close()
        self.database.close()
        self.documents.close()
