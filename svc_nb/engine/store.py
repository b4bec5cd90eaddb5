"""Every answer that was paid for, and what was paid: one SQLite file for all kernels, which survives `kill -9`."""

import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from svc_nb.engine.billing import Bill, Charge, Receipt, charges
from svc_nb.engine.claims import MOST_KEYS, TABLES, Claims, Owners, look_up
from svc_nb.engine.database import MEMORY, Database
from svc_nb.engine.outcome import PERSON, TextAnswer

BUSY_SECONDS = 30.0
# Reading all rows costs about as much as looking up a key for every so many bytes of the file.
BYTES_A_KEY = 1000
MOST_REMEMBERED = 100_000

# One script a version of the file, the first with the tables of claims; a new version is a new script at the end.
_SCRIPTS = Path(__file__).with_name("store.sql").read_text("utf-8").split("-- next version\n")
VERSIONS = (f"{TABLES};{_SCRIPTS[0]}", *_SCRIPTS[1:])
FOUND = "WITH wanted (key) AS (VALUES (?)) SELECT key, answer, made FROM wanted CROSS JOIN answers USING (key)"
# What the entries of one request have in common is bound once.
PUT = """
WITH alike (operation, service, source_lang, target_lang, made) AS (VALUES (?, ?, ?, ?, ?)),
each (key, billed, answer, source) AS (VALUES (?, ?, ?, ?))
INSERT OR REPLACE INTO answers (key, made, operation, service, source_lang, target_lang, billed, answer, source)
SELECT key, made, operation, service, source_lang, target_lang, billed, answer, source FROM each CROSS JOIN alike"""
ROW = "(?, ?, ?, ?)"
MOST_ROWS = (MOST_KEYS - 5) // 4
THOSE = """
FROM answers WHERE (:operation IS NULL OR operation = :operation) AND (:service IS NULL OR service = :service)
AND (:target_lang IS NULL OR target_lang = :target_lang) AND (:before IS NULL OR made < :before)
AND (:text IS NULL OR instr(source, :text))"""
FORGET = "DELETE FROM answers WHERE key = ?"
READ = f"""
SELECT id, key, source, answer, operation, service, source_lang, target_lang, made {THOSE}
AND id > :after AND id <= :last ORDER BY id LIMIT 100"""
SCAN = "SELECT id, key, answer FROM answers WHERE id > :after AND id <= :last ORDER BY id LIMIT 100"
CLEAR = f"DELETE {THOSE}"
SUMS = """
SELECT operation, target_lang, count(*), total(billed), min(made), max(made)
FROM answers GROUP BY operation, target_lang ORDER BY operation, target_lang"""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(TextAnswer).decode


class StoredAnswer(msgspec.Struct, frozen=True):
    """An answer with what it answers; `made` is when the store took it in, and is the store's to say."""

    key: bytes
    source: str
    answer: TextAnswer
    operation: str
    service: str = ""
    source_lang: str | None = None
    target_lang: str | None = None
    made: datetime | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a claim brought: keys that are the run's to send, and answers. Another run is at work on the rest."""

    ours: frozenset[bytes]
    answers: dict[bytes, TextAnswer]


@dataclass(frozen=True, slots=True)
class Info:
    """How much a store holds: `bytes` on disk, `billed` characters, `counts` by operation and target language."""

    path: str
    entries: int
    bytes: int
    billed: int
    oldest: datetime | None
    newest: datetime | None
    counts: dict[tuple[str, str | None], int]


class Store:
    """Answers by key, each paid for once, in a file that is opened when first needed; methods raise `StoreError`."""

    def __init__(
        self, path: str | Path = MEMORY, *, clock: Callable[[], float] = time.time, patience: float = BUSY_SECONDS
    ) -> None:
        self._database = Database(path, VERSIONS, patience)
        self.path = self._database.path
        self.clock = clock
        self._owners = Owners(self._database.beside(".owners"))
        self._database.when_forked = self._owners.abandon
        self._claims = Claims(self._owners, clock)
        self._recent: dict[bytes, TextAnswer] = {}
        self._version = (0, 0)
        self._writes = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Store at {self.path}>"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, TextAnswer]:
        """The answers that there are to *keys*."""
        # What this process has read counts as long as nobody else has written; not more than some is remembered.
        version, size = self._database.state()
        if version != self._version or len(self._recent) > MOST_REMEMBERED:
            self._recent, self._version = {}, version
        recent, writes = self._recent, self._writes
        found = {key: answer for key in keys if (answer := recent.get(key))}
        unknown = [key for key in keys if key not in found]
        if not unknown:
            return found
        read: dict[bytes, TextAnswer] = {}
        if size < len(unknown) * BYTES_A_KEY:
            wanted = set(unknown)
            with self._database.explained():
                pages = self._pages(SCAN, {})
                read = {key: decode(said) for rows in pages for _, key, said in rows if key in wanted}
        else:
            for start in range(0, len(unknown), MOST_KEYS):  # other threads have their turns between
                rows = self._database.read(partial(look_up, FOUND, unknown[start : start + MOST_KEYS]))
                with self._database.explained():
                    read |= {key: decode(said) for key, said, _ in rows}
        with self._lock:
            if writes == self._writes:  # otherwise another thread may have written them since
                recent |= read
        return found | read

    def _forget_read(self, keys: Iterable[bytes] | None = None) -> None:
        """What was read of *keys*, or all of it, has changed."""
        with self._lock:
            self._writes += 1
            if keys is None:
                self._recent = {}
            for key in keys or ():
                self._recent.pop(key, None)

    def claim(self, keys: Sequence[bytes], run: str, *, again: Collection[bytes] = (), since: float = 0.0) -> Claimed:
        """Claim for *run* the keys without an answer (since *since*, for those in *again*) that no run works on."""

        def take(db: sqlite3.Connection) -> Claimed:
            found = look_up(FOUND, keys, db)
            answers = {key: decode(said) for key, said, made in found if key not in again or made > since}
            return Claimed(self._claims.take(db, [key for key in keys if key not in answers], run), answers)

        return self._database.write(take)

    def put(
        self,
        entries: Sequence[StoredAnswer],
        run: str | None = None,
        bill: Bill | Receipt | None = None,
        *,
        over_person: bool = False,
    ) -> None:
        """Keep *entries* and *bill*, all or nothing; *run* is no longer at work on them.

        What a person wrote stays, unless *over_person* says that the person takes it back.
        """
        now = self.clock()
        alike: defaultdict[tuple[str | None, ...], list[tuple[Any, ...]]] = defaultdict(list)
        for entry in entries:
            kind = (entry.operation, entry.service, entry.source_lang, entry.target_lang)
            alike[kind].append((entry.key, entry.answer.billed, encode(entry.answer), entry.source))
        ours = [] if over_person else [entry.key for entry in entries if entry.answer.model != PERSON]

        def keep(db: sqlite3.Connection) -> None:
            there = look_up(FOUND, ours, db)
            theirs = {key for key, said, _ in there if decode(said).model == PERSON}
            for kind, rows in alike.items():
                new = [row for row in rows if row[0] not in theirs] if theirs else rows
                # Many rows at a time, for every step gives away the interpreter's lock, which is long in coming
                # back where many threads want it.
                for start in range(0, len(new), MOST_ROWS):
                    some = new[start : start + MOST_ROWS]
                    sql = PUT.replace(ROW, ", ".join([ROW] * len(some)))
                    db.execute(sql, [*kind, now, *chain.from_iterable(some)])
            if run:
                self._claims.release(db, run, [entry.key for entry in entries])

        self.log(bill, keep)
        self._forget_read(entry.key for entry in entries)

    def release(self, run: str, keys: Sequence[bytes] | None = None, bill: Bill | None = None) -> None:
        """Drop what *run* has claimed of *keys*, or everything that it has claimed; keep *bill*."""
        self.log(bill, lambda db: self._claims.release(db, run, keys))

    def log(self, bill: Bill | Receipt | None, *works: Callable[[sqlite3.Connection], None]) -> None:
        """Keep *bill* as it is now, in one transaction with *works*."""
        try:
            self._database.write(*works, *([bill.write] if bill else ()))
        except BaseException:
            if bill:
                bill.doubt()
            raise

    def charges(self, first: str | None = None, last: str | None = None) -> list[Charge]:
        """What runs were billed from the day *first* to the day *last* (YYYY-MM-DD, UTC); `clear` leaves it alone."""
        return self._database.read(lambda db: charges(db, first, last))

    def entries(
        self,
        *,
        operation: str | None = None,
        target_lang: str | None = None,
        service: str | None = None,
        text: str | None = None,
    ) -> Iterator[StoredAnswer]:
        """What the store holds at the first step, oldest first, read bit by bit; *text* is a part of what was sent."""
        asked = _conditions(operation=operation, target_lang=target_lang, service=service, text=text)
        with self._database.explained():
            for rows in self._pages(READ, asked):
                for _, key, source, answer, kind, origin, source_lang, target, made in rows:
                    languages = source_lang, target
                    yield StoredAnswer(key, source, decode(answer), kind, origin, *languages, _moment(made))

    def info(self) -> Info:
        """How much the store holds, and since when."""
        sums = self._database.read(lambda db: db.execute(SUMS).fetchall())
        return Info(
            path=self.path,
            entries=sum(count for _, _, count, *_ in sums),
            bytes=self._database.bytes_on_disk(),
            billed=int(sum(billed for _, _, _, billed, *_ in sums)),
            oldest=min((_moment(oldest) for *_, oldest, _ in sums), default=None),
            newest=max((_moment(newest) for *_, newest in sums), default=None),
            counts={(operation, target_lang): count for operation, target_lang, count, *_ in sums},
        )

    def clear(
        self,
        *,
        operation: str | None = None,
        target_lang: str | None = None,
        service: str | None = None,
        older_than: timedelta | None = None,
    ) -> int:
        """Forget all entries, or those that fit every condition given; return how many, and give their room back."""
        before = None if older_than is None else self.clock() - older_than.total_seconds()
        asked = _conditions(operation=operation, target_lang=target_lang, service=service, before=before)
        gone = self._database.write(lambda db: db.execute(CLEAR, asked).rowcount)
        self._forget_read()
        self._database.shrink()
        return gone

    def forget(self, keys: Sequence[bytes]) -> int:
        """Forget the answers to *keys*, and return how many there were."""
        found = [(key,) for key in keys]
        gone = self._database.write(lambda db: db.executemany(FORGET, found).rowcount)
        self._forget_read(keys)
        return max(0, gone)

    def close(self) -> None:
        """Let go of the file and of the claims of this process; the next use opens the file again."""
        self._database.close(self._owners.leave)

    def _pages(self, sql: str, asked: dict[str, Any]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows that there are now, oldest first, a page a turn so that other threads can go on."""
        last = self._database.read(lambda db: db.execute("SELECT max(id) FROM answers").fetchone()[0]) or 0
        bounds = {**asked, "after": 0, "last": last}
        while bounds["after"] < last:
            rows = self._database.read(lambda db: db.execute(sql, bounds).fetchall())
            bounds["after"] = rows[-1][0] if rows else last
            yield rows


def _conditions(**given: Any) -> dict[str, Any]:
    """What an entry must fit, by name; None is no condition."""
    return dict.fromkeys(("operation", "target_lang", "service", "before", "text")) | given


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
