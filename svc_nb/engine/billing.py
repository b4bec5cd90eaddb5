"""What a run was billed, by UTC day: counted during the run, and written into the store beside its answers.

A run has one bill, with totals for every day, operation and target language. Each write contains the sums so far, so
nothing counts twice, however often it is written, and the next transaction makes up for one that failed.

If a process is killed, requests under way may be billed without anyone knowing. So the file always says how much may be
under way: twice the actual amount, so that it need not be updated for every request.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import uuid4

import msgspec
from msgspec import structs

WRITE = """
INSERT INTO ledger (day, run, operation, target_lang, started, notebook, columns, tag, api_key, service,
                    requests, billed, unclear, open, marked)
VALUES (:day, :run, :operation, :target_lang, :started, :notebook, :columns, :tag, :api_key, :service,
        :requests, :billed, :unclear, :open, :marked)
ON CONFLICT (day, run, operation, target_lang) DO UPDATE SET
requests = excluded.requests, billed = excluded.billed, unclear = excluded.unclear, open = excluded.open,
marked = excluded.marked, notebook = excluded.notebook"""
# Triggers keep the sums by day.
SUMS = """
SELECT day, '', NULL, nullif(notebook, ''), operation, nullif(columns, ''), nullif(target_lang, ''), nullif(tag, ''),
       nullif(api_key, ''), service, requests, billed, unclear, marked
FROM days WHERE charges AND (:first IS NULL OR day >= :first) AND day < :runs_from
ORDER BY day, operation, target_lang"""
RUNS_FROM = "SELECT date(coalesce(:last, max(day)), (1 - :runs_for) || ' days') FROM days"
READ = """
SELECT day, run, started, notebook, operation, columns, nullif(target_lang, ''), tag, api_key, service,
       requests, billed, unclear + open, marked
FROM ledger WHERE (:first IS NULL OR day >= :first) AND (:last IS NULL OR day <= :last)
ORDER BY day, started, run, operation, target_lang"""
HEADROOM = 2
DAY_SECONDS = 24 * 60 * 60


class Charge(msgspec.Struct, frozen=True):
    """What one run was billed on one UTC day, for one operation and target language.

    `unclear` are characters that the service may also have billed: for requests whose answer never came, or has not
    come yet. `marked` are the billed characters of texts that were only marked, not translated. The sum of several runs
    has no `run` and no time.
    """

    day: str
    run: str
    started: float | None
    notebook: str | None
    operation: str
    columns: str | None
    target_lang: str | None
    tag: str | None
    api_key: str | None
    service: str
    requests: int
    billed: int
    unclear: int
    marked: int = 0

    def write(self, db: sqlite3.Connection, *, on_its_way: int = 0) -> None:
        """Bring the file up to date, in a transaction; *on_its_way* characters may also be billed later."""
        values = structs.asdict(self) | {"target_lang": self.target_lang or "", "open": on_its_way}
        db.execute(WRITE, values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The purpose and the owner of a run; the key is masked."""

    notebook: str | None = None
    columns: str | None = None
    tag: str | None = None
    api_key: str | None = None
    service: str = ""


@dataclass(slots=True, eq=False)
class DayTotals:
    """The sums of one day, operation and target language; `written` are those in the file."""

    requests: int = 0
    billed: int = 0
    unclear: int = 0
    marked: int = 0
    flying: int = 0
    written: tuple[int, ...] | None = None


@dataclass(slots=True, eq=False)
class CharacterCount:
    """Characters that were billed, counted by any number of threads."""

    characters: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def add(self, characters: int) -> None:
        """Add *characters*."""
        with self._lock:
            self.characters += characters


PROCESS_BILLED = CharacterCount()
"""The total that this process was billed."""


class Purpose(NamedTuple):
    """What characters are billed for: an operation, and its target language, if it has one."""

    operation: str
    target_lang: str | None


class SentRequest(NamedTuple):
    """A request that was sent, and the characters it may cost."""

    purpose: Purpose
    totals: DayTotals
    characters: int


@dataclass(slots=True, eq=False)
class Bill:
    """The bill of one run; several threads may use it at the same time."""

    context: Context = Context()
    clock: Callable[[], float] = time.time
    _run: str = field(default_factory=lambda: uuid4().hex, init=False)
    _started: float = field(init=False)
    _totals: dict[tuple[str, str, str], DayTotals] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    @property
    def covered(self) -> bool:
        """Whether the file includes, as certainly or possibly billed, everything sent so far."""
        with self._lock:
            return all(
                each.billed + each.unclear + each.flying <= (sum(each.written[1:4]) if each.written else 0)
                for each in self._totals.values()
            )

    def open(self, purpose: Purpose) -> None:
        """Note that the run concerns *purpose*, even if nothing is to be sent."""
        with self._lock:
            today = self._today(purpose)
            if not any(names[1:] == today[1:] for names in self._totals):
                self._totals[today] = DayTotals()

    def send(self, purpose: Purpose, characters: int) -> SentRequest:
        """Note that a request is sent."""
        with self._lock:
            totals = self._totals.setdefault(self._today(purpose), DayTotals())
            totals.requests += 1
            totals.flying += characters
            return SentRequest(purpose, totals, characters)

    def answered(self, sent: SentRequest, billed: int, marked: int = 0) -> None:
        """Note that the request was answered for *billed* characters, *marked* of them in texts that were marked."""
        # The cost of a request belongs to the day on which it became known.
        with self._lock:
            sent.totals.flying -= sent.characters
            if billed:
                totals = self._totals.setdefault(self._today(sent.purpose), DayTotals())
                totals.billed += billed
                totals.marked += marked
        PROCESS_BILLED.add(billed)

    def lost(self, sent: SentRequest) -> None:
        """Note that no answer came; the request may have been billed."""
        with self._lock:
            sent.totals.flying -= sent.characters
            self._totals.setdefault(self._today(sent.purpose), DayTotals()).unclear += sent.characters

    def returned(self, sent: SentRequest) -> None:
        """Note that the request was refused or never left, so it costs nothing."""
        with self._lock:
            sent.totals.flying -= sent.characters

    def write(self, db: sqlite3.Connection) -> None:
        """Bring the file up to date, in a transaction; if that fails, call `doubt`."""
        with self._lock:
            for names, each in self._totals.items():
                flying = HEADROOM * each.flying
                sums = (each.requests, each.billed, each.unclear, flying, each.marked)
                if sums != each.written:
                    self._charge(names, each).write(db, on_its_way=flying)
                    each.written = sums

    def charges(self) -> list[Charge]:
        """The totals, once the run is over."""
        with self._lock:
            return [self._charge(names, totals) for names, totals in self._totals.items()]

    def doubt(self) -> None:
        """Note that the last write may not have been kept."""
        with self._lock:
            for totals in self._totals.values():
                totals.written = None

    def _charge(self, names: tuple[str, str, str], totals: DayTotals) -> Charge:
        day, operation, target_lang = names
        return Charge(
            day=day,
            run=self._run,
            started=self._started,
            operation=operation,
            target_lang=target_lang or None,
            requests=totals.requests,
            billed=totals.billed,
            unclear=totals.unclear,
            marked=totals.marked,
            **asdict(self.context),
        )

    def _today(self, purpose: Purpose) -> tuple[str, str, str]:
        """The key of today's totals."""
        day = _day(self.clock() // DAY_SECONDS)
        return day, purpose.operation, (purpose.target_lang or "").upper()


class Unlogged(Bill):
    """The bill of free work, which no file contains."""

    @property
    def covered(self) -> bool:
        """Nothing is billed."""
        return True

    def write(self, db: sqlite3.Connection) -> None:
        """Write nothing."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What finished runs were billed elsewhere, to be recorded here too; it counts once, even if written again."""

    charges: Sequence[Charge]

    def write(self, db: sqlite3.Connection) -> None:
        """Bring the file up to date, in a transaction."""
        for charge in self.charges:
            charge.write(db)

    def doubt(self) -> None:
        """Do nothing: writes are not remembered."""


@lru_cache
def _day(number: float) -> str:
    """The day that began this many days after 1970-01-01.

    >>> _day(20742)
    '2026-10-16'
    """
    return datetime.fromtimestamp(number * DAY_SECONDS, UTC).date().isoformat()


def charges(db: sqlite3.Connection, first: str | None, last: str | None, runs_for: int | None) -> list[Charge]:
    """All charges from the day *first* to the day *last*, in chronological order, run by run for the last days only."""
    asked = {"first": first, "last": last, "runs_for": runs_for}
    summed: list[Charge] = []
    if runs_for is not None and (runs_from := db.execute(RUNS_FROM, asked).fetchone()[0]):
        summed = [Charge(*row) for row in db.execute(SUMS, asked | {"runs_from": runs_from})]
        asked["first"] = max(first or "", runs_from)
    return [*summed, *(Charge(*row) for row in db.execute(READ, asked))]
