"""Every paid answer and its cost: one SQLite file for all kernels, which survives `kill -9`."""

import atexit
import sqlite3
import threading
import time
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from svc_nb.advice import plural
from svc_nb.engine.billing import Bill, Charge, Receipt, charges
from svc_nb.engine.claims import MOST_KEYS, TABLES, Claims, Owners, look_up
from svc_nb.engine.database import MEMORY, Database
from svc_nb.engine.outcome import PERSON, DetectedLanguage, TextAnswer
from svc_nb.errors import NotStored, StoreError, warn

BUSY_SECONDS = 30.0
# Reading all rows takes about as long as looking up one key per this many bytes of the file.
BYTES_A_KEY = 1000
MOST_REMEMBERED = 100_000
# Answers that the store cannot write, for example because the disk is full, stay in memory up to this many bytes.
MOST_UNWRITTEN = 64 * 1024 * 1024
# Invalid entries can never be written.
WRONG = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DataError)

# One script per version of the file, the first with the tables of claims; a new version is a new script at the end.
_SCRIPTS = Path(__file__).with_name("store.sql").read_text("utf-8").split("-- next version\n")
VERSIONS = (f"{TABLES};{_SCRIPTS[0]}", *_SCRIPTS[1:])
FOUND = "WITH wanted (key) AS (VALUES (?)) SELECT key, answer, id FROM wanted CROSS JOIN answers USING (key)"
# Values that the entries of one request share are bound once. Later answers have higher numbers, even for an old key.
PUT = """
WITH alike (operation, service, source_lang, target_lang, made) AS (VALUES (?, ?, ?, ?, ?)),
each (key, billed, answer, source) AS (VALUES (?, ?, ?, ?))
INSERT INTO answers (key, made, operation, service, source_lang, target_lang, billed, answer, source)
SELECT key, made, operation, service, source_lang, target_lang, billed, answer, source
FROM each CROSS JOIN alike WHERE true ON CONFLICT (key) DO UPDATE SET
id = (SELECT max(later.id) + 1 FROM answers AS later WHERE later.id >= answers.id), made = excluded.made,
operation = excluded.operation, service = excluded.service, source_lang = excluded.source_lang,
target_lang = excluded.target_lang, billed = excluded.billed, answer = excluded.answer, source = excluded.source"""
BY_PERSON = f"""instr({{}}.answer, CAST('"model":"{PERSON}"' AS BLOB))"""
PUT_UNLESS_BY_PERSON = f"{PUT} WHERE {BY_PERSON.format('excluded')} OR NOT {BY_PERSON.format('answers')}"
ROW = "(?, ?, ?, ?)"
MOST_ROWS = 1000
NEWEST = "SELECT max(id) FROM answers"
# Triggers subtract the counts of replaced and deleted rows.
COUNT = """
INSERT INTO kinds (operation, service, target_lang, entries, billed) VALUES (?, ?, coalesce(?, ''), ?, ?)
ON CONFLICT (operation, service, target_lang) DO UPDATE SET
entries = entries + excluded.entries, billed = billed + excluded.billed"""
NEW = """
SELECT operation, service, target_lang, count(*), CAST(total(billed) AS INTEGER)
FROM answers NOT INDEXED WHERE id > ? GROUP BY operation, service, target_lang"""
KINDS = "SELECT operation, nullif(target_lang, ''), service, entries, billed FROM kinds WHERE entries ORDER BY 1, 2, 3"
SOME = "SELECT 1 FROM kinds WHERE entries"
CONDITIONS = {
    "operation": "operation = :operation",
    "service": "service = :service",
    "target_lang": "target_lang = :target_lang",
    "before": "made < :before",
    "text": "instr(source, :text)",
}
FORGET = "DELETE FROM answers WHERE key = ?"
READ = "id, key, source, answer, operation, service, source_lang, target_lang, made"
SCAN = "id, key, answer"
SPAN = "SELECT (SELECT min(made) FROM answers), (SELECT max(made) FROM answers)"

encode = msgspec.json.Encoder().encode
_decode_text = msgspec.json.Decoder(TextAnswer).decode
_decode_language = msgspec.json.Decoder(DetectedLanguage).decode


def decode(said: bytes) -> TextAnswer:
    """The decoded answer; within a text, the quotes around the name would have backslashes."""
    return _decode_language(said) if b'"detection_status"' in said else _decode_text(said)


class StoredAnswer(msgspec.Struct, frozen=True):
    """An answer with its question; `made` is the time at which the store received it, and is set by the store."""

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
    """The result of a claim: the keys that the run is to send, and answers. Another run is working on the rest."""

    ours: frozenset[bytes]
    answers: dict[bytes, TextAnswer]


@dataclass(frozen=True, slots=True)
class Info:
    """The contents of a store: `bytes` on disk, `billed` characters, `counts` by operation and target language."""

    path: str
    entries: int
    bytes: int
    billed: int
    oldest: datetime | None
    newest: datetime | None
    counts: dict[tuple[str, str | None], int]


@dataclass(slots=True, eq=False)
class Put:
    """Answers on their way into the file: rows grouped by common values, and their time."""

    rows: dict[tuple[str | None, ...], list[tuple[Any, ...]]]
    made: float
    over_person: bool

    @classmethod
    def of(cls, entries: Iterable[StoredAnswer], made: float, over_person: bool) -> "Put":
        """*entries* as rows; if several have the same key, the last one counts."""
        rows: defaultdict[tuple[str | None, ...], list[tuple[Any, ...]]] = defaultdict(list)
        for entry in {entry.key: entry for entry in entries}.values():
            kind = (entry.operation, entry.service, entry.source_lang, entry.target_lang)
            rows[kind].append((entry.key, entry.answer.billed, encode(entry.answer), entry.source))
        return cls(rows, made, over_person)

    @property
    def size(self) -> int:
        """The approximate number of bytes."""
        return sum(len(said) + 2 * len(source) for rows in self.rows.values() for _, _, said, source in rows)

    def write(self, db: sqlite3.Connection) -> None:
        """Put it into the file, in a transaction."""
        before = db.execute(NEWEST).fetchone()[0] or 0
        put = PUT if self.over_person else PUT_UNLESS_BY_PERSON
        most = min(MOST_ROWS, (db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) - 5) // 4)
        counts: list[tuple[Any, ...]] = []
        for kind, rows in self.rows.items():
            # Many rows at a time, because every step releases the interpreter's lock, which takes long to get back if
            # many threads want it.
            for start in range(0, len(rows), most):
                some = rows[start : start + most]
                sql = put.replace(ROW, ", ".join([ROW] * len(some)))
                db.execute(sql, [*kind, self.made, *chain.from_iterable(some)])
            operation, service, _, target_lang = kind
            counts.append((operation, service, target_lang, len(rows), sum(billed or 0 for _, billed, *_ in rows)))
        # Each saved answer has its own number; if a user's wording stayed, the numbers are looked up.
        kept = (db.execute(NEWEST).fetchone()[0] or 0) - before
        everything = kept == sum(map(len, self.rows.values()))
        db.executemany(COUNT, counts if everything else db.execute(NEW, (before,)).fetchall())


@dataclass(slots=True, eq=False)
class Unwritten:
    """What could not be written to the file: answers, also by key, and bills; the next write includes them."""

    puts: list[Put] = field(default_factory=list)
    bills: list[Bill | Receipt] = field(default_factory=list)
    answers: dict[bytes, TextAnswer] = field(default_factory=dict)
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.puts or self.bills)

    def keep(self, put: Put, entries: Iterable[StoredAnswer]) -> bool:
        """Keep *put* in memory; False if that is too much."""
        size = put.size
        if self.size + size > MOST_UNWRITTEN:
            return False
        self.size += size
        self.puts.append(put)
        self.answers |= {entry.key: entry.answer for entry in entries}
        return True

    def owe(self, bill: Bill | Receipt) -> None:
        """Keep *bill*, once."""
        if not any(bill is each for each in self.bills):
            self.bills.append(bill)

    def written(self, works: Collection[Put | Bill | Receipt]) -> None:
        """Note that *works* are in the file now."""
        self.puts = [put for put in self.puts if put not in works]
        self.bills = [bill for bill in self.bills if not any(bill is each for each in works)]
        if not self.puts:
            self.answers, self.size = {}, 0

    def clear(self) -> None:
        """Forget everything."""
        self.written([*self.puts, *self.bills])


class Store:
    """Answers by key, each paid for once, in a file that is opened when first needed; methods raise `StoreError`.

    Answers that it cannot write stay in memory, where `get` finds them, and are written with the next successful write.
    """

    def __init__(
        self,
        path: str | Path = MEMORY,
        *,
        clock: Callable[[], float] = time.time,
        seconds: Callable[[], float] = time.monotonic,
        patience: float = BUSY_SECONDS,
    ) -> None:
        self._database = Database(path, VERSIONS, patience)
        self.path = self._database.path
        self.clock = clock
        self._owners = Owners(self._database.beside(".owners"))
        self._claims = Claims(self._owners, seconds)
        self._unwritten = Unwritten()
        self._database.when_forked = partial(_forget_the_parents, self._owners, self._unwritten)
        self._recent: dict[bytes, TextAnswer] = {}
        self._version = (0, 0)
        self._writes = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Store at {self.path}>"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, TextAnswer]:
        """The existing answers to *keys*."""
        # What this process has read is valid until someone else writes; only a limited amount is remembered.
        version, size = self._database.state()
        if version != self._version or len(self._recent) > MOST_REMEMBERED:
            self._recent, self._version = {}, version
        recent, writes = self._recent, self._writes
        known = recent | self._unwritten.answers if self._unwritten.answers else recent
        found = {key: answer for key in keys if (answer := known.get(key))}
        unknown = [key for key in keys if key not in found]
        if not unknown:
            return found
        read: dict[bytes, TextAnswer] = {}
        if size < len(unknown) * BYTES_A_KEY:
            wanted = set(unknown)
            with self._database.explained():
                pages = self._pages(SCAN)
                read = {key: decode(said) for rows in pages for _, key, said in rows if key in wanted}
        else:
            for start in range(0, len(unknown), MOST_KEYS):  # other threads take their turns in between
                rows = self._database.read(partial(look_up, FOUND, unknown[start : start + MOST_KEYS]))
                with self._database.explained():
                    read |= {key: decode(said) for key, said, _ in rows}
        with self._lock:
            if writes == self._writes:  # otherwise another thread may have written them since then
                recent |= read
        return found | read

    def _forget_read(self, keys: Iterable[bytes] | None = None) -> None:
        """Forget what was read for *keys*, or everything, because it has changed."""
        with self._lock:
            self._writes += 1
            if keys is None:
                self._recent = {}
            for key in keys or ():
                self._recent.pop(key, None)

    def newest(self) -> int:
        """The number of the latest answer: later ones have higher numbers, whatever the clocks say."""
        return self._database.read(lambda db: db.execute(NEWEST).fetchone()[0]) or 0

    def claim(self, keys: Sequence[bytes], run: str, *, again: Collection[bytes] = (), since: int = 0) -> Claimed:
        """Claim for *run* the keys without an answer (after number *since*, for those in *again*) and without a run."""

        def take(db: sqlite3.Connection) -> Claimed:
            found = look_up(FOUND, keys, db)
            answers = {key: decode(said) for key, said, number in found if key not in again or number > since}
            return Claimed(self._claims.take(db, [key for key in keys if key not in answers], run), answers)

        claimed: Claimed = self._write(take)
        return claimed

    def put(
        self,
        entries: Sequence[StoredAnswer],
        run: str | None = None,
        bill: Bill | Receipt | None = None,
        *,
        over_person: bool = False,
    ) -> None:
        """Save *entries* and *bill*, all or nothing; *run* no longer works on them.

        A user's own wording stays, unless *over_person* says that the user undoes it.
        """
        put = Put.of(entries, self.clock(), over_person)
        keys = [entry.key for entry in entries]
        try:
            self.log(bill, put.write, *([partial(self._claims.release, run=run, keys=keys)] if run else ()))
        except StoreError as error:
            if not isinstance(error.__cause__, WRONG):
                with self._lock:
                    kept = self._unwritten.keep(put, entries)
                _late.add(self)
                if not kept:
                    lost = plural(len(entries), "answer")
                    error.message += f"; there is no room in memory for {lost}, which will be paid for again"
            raise
        self._forget_read(keys)

    def release(self, run: str, keys: Sequence[bytes] | None = None, bill: Bill | None = None) -> None:
        """Release the claims of *run* to *keys*, or all its claims; save *bill*."""
        written = False
        try:
            self.log(bill, lambda db: self._claims.release(db, run, keys))
            written = True
        finally:
            if keys is None:
                with suppress(StoreError):
                    self._database.read(lambda db: self._claims.end(run, written=written))

    def log(self, bill: Bill | Receipt | None, *works: Callable[[sqlite3.Connection], None]) -> None:
        """Save the current *bill*, in one transaction with *works*."""
        try:
            self._write(*works, *([bill.write] if bill else ()))
        except BaseException:
            if bill:
                bill.doubt()
                with self._lock:
                    self._unwritten.owe(bill)
                _late.add(self)
            raise

    def _write(self, *works: Callable[[sqlite3.Connection], Any]) -> Any:
        """The result of the first of *works*, all in one transaction; anything unwritten from before comes first."""
        with self._lock:
            puts, bills = list(self._unwritten.puts), list(self._unwritten.bills)
        if puts or bills:
            try:
                self._database.write(*(each.write for each in (*puts, *bills)))
            except BaseException:
                for bill in bills:
                    bill.doubt()
                raise
            with self._lock:
                self._unwritten.written([*puts, *bills])
            self._forget_read()
        return self._database.write(*works)

    def charges(
        self, first: str | None = None, last: str | None = None, *, runs_for: int | None = None
    ) -> list[Charge]:
        """What runs were billed from the day *first* to the day *last* (YYYY-MM-DD, UTC); `clear` does not delete it.

        With *runs_for*, only this many last days list single runs; earlier days have the sums of similar runs.
        """
        return self._database.read(lambda db: charges(db, first, last, runs_for))

    def entries(
        self,
        *,
        operation: str | None = None,
        target_lang: str | None = None,
        service: str | None = None,
        text: str | None = None,
    ) -> Iterator[StoredAnswer]:
        """The contents of the store at the first step, oldest first, in portions; *text* is part of the source text."""
        with self._database.explained():
            for rows in self._pages(READ, operation=operation, target_lang=target_lang, service=service, text=text):
                for _, key, source, answer, kind, origin, source_lang, target, made in rows:
                    languages = source_lang, target
                    yield StoredAnswer(key, source, decode(answer), kind, origin, *languages, _moment(made))

    def info(self) -> Info:
        """The amount of data in the store, and since when."""
        kinds, span = self._database.read(lambda db: (db.execute(KINDS).fetchall(), db.execute(SPAN).fetchone()))
        counts: Counter[tuple[str, str | None]] = Counter()
        for operation, target_lang, _, entries, _ in kinds:
            counts[operation, target_lang] += entries
        with self._database.explained():
            oldest, newest = (None if moment is None else _moment(moment) for moment in span)
        return Info(
            path=self.path,
            entries=counts.total(),
            bytes=self._database.bytes_on_disk(),
            billed=sum(billed for *_, billed in kinds),
            oldest=oldest,
            newest=newest,
            counts=dict(counts),
        )

    def clear(
        self,
        *,
        operation: str | None = None,
        target_lang: str | None = None,
        service: str | None = None,
        older_than: timedelta | None = None,
    ) -> int:
        """Delete all entries, or those that match every condition; return their number, and free their space."""
        before = None if older_than is None else self.clock() - older_than.total_seconds()
        asked = {"operation": operation, "target_lang": target_lang, "service": service, "before": before}

        def delete(db: sqlite3.Connection) -> int:
            chosen = _chosen(db, asked)
            return db.execute(f"DELETE {chosen}", asked).rowcount if chosen else 0

        gone: int = self._write(delete)
        self._forget_read()
        self._database.shrink()
        return gone

    def forget(self, keys: Sequence[bytes]) -> int:
        """Delete the answers to *keys*, and return their number."""
        found = [(key,) for key in keys]
        gone: int = self._write(lambda db: db.executemany(FORGET, found).rowcount)
        self._forget_read(keys)
        return max(0, gone)

    def close(self) -> None:
        """Release the file and the claims of this process; the next use opens the file again.

        Warns with NotStored if answers still cannot be written; they stay in memory.
        """
        try:
            if self._unwritten:
                self.log(None, lambda db: None)
        except StoreError as error:
            answers = plural(len(self._unwritten.answers), "answer")
            charges = f"the charges of {plural(len(self._unwritten.bills), 'run')}"
            lost = f"{answers} that this process paid for" if self._unwritten.answers else charges
            warn(NotStored(f"Could not store {lost}: {error}"))
        finally:
            self._database.close(self._owners.leave)

    def _pages(self, columns: str, **asked: Any) -> Iterator[list[tuple[Any, ...]]]:
        """The rows that exist now, oldest first, one page per turn so that other threads can continue."""
        last = self.newest()
        chosen = self._database.read(lambda db: _chosen(db, asked))
        sql = f"SELECT {columns} {chosen} AND id > :after AND id <= :last ORDER BY id LIMIT 1000"
        bounds = {**asked, "after": 0, "last": last}
        while chosen and bounds["after"] < last:
            rows = self._database.read(lambda db: db.execute(sql, bounds).fetchall())
            bounds["after"] = rows[-1][0] if rows else last
            yield rows


def _chosen(db: sqlite3.Connection, asked: dict[str, Any]) -> str:
    """The part of a statement that selects the entries matching *asked* (None: no condition); "" if there are none."""
    given = {name: wanted for name, wanted in asked.items() if wanted is not None}
    of_kinds = [CONDITIONS[name] for name in ("operation", "service", "target_lang") if name in given]
    if not db.execute(f"{SOME} AND {' AND '.join([*of_kinds, 'true'])}", asked).fetchone():
        return ""
    index = "INDEXED BY answers_by_time" if "before" in given else ""
    return f"FROM answers {index} WHERE {' AND '.join([*(CONDITIONS[name] for name in given), 'true'])}"


def _forget_the_parents(owners: Owners, unwritten: Unwritten) -> None:
    """In a forked child: locks and pending writes belong to the parent."""
    owners.abandon()
    unwritten.clear()


_late: weakref.WeakSet[Store] = weakref.WeakSet()


@atexit.register
def _write_what_is_late() -> None:
    for store in list(_late):
        store.close()


@lru_cache(1024)  # the answers to one request have the same time
def _moment(at: float) -> datetime:
    try:
        return datetime.fromtimestamp(at, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise msgspec.DecodeError(f"{at!r} is not a time") from None
