"""The file under the store: opening, sharing and upgrading it, and explaining its errors.

A process has one connection to it, and its threads take turns, because with a connection each they would wait for each
other's locks and invalidate each other's caches. SQLite's locks do not survive a fork, so the connection is closed
before a fork and opened again after it, on both sides.

If the file system has no locks, SQLite works without them, and only one process at a time can use the file.
"""

import contextlib
import errno
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import msgspec
from filelock import BaseFileLock

from svc_nb.advice import Advice, InPython, Setting
from svc_nb.errors import NoLocks, StoreError, warn
from svc_nb.locks import has_locks, make_private, take_lock

T = TypeVar("T")

MEMORY = ":memory:"
# Marks the file as a store of this package.
APPLICATION = 0x5356_4E42
SETTINGS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -64000",
    # New keys can be anywhere in the index, so its pages are copied back less often than they change.
    "PRAGMA wal_autocheckpoint = 8000",
)
# Instead of locks: this process has exclusive use of the file, and of the memory that WAL needs.
WITHOUT_LOCKS = "vfs=unix-none"
EXCLUSIVE = "PRAGMA locking_mode = EXCLUSIVE"
WHOSE = """
SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)
FROM pragma_user_version, pragma_application_id"""
STATE = """
SELECT data_version, page_count * page_size FROM pragma_data_version, pragma_page_count, pragma_page_size"""

OPEN_AGAIN_SECONDS = 0.01

FREE_SPACE = "Free some space and run it again; {}"
UNSAVED = InPython(
    "paid answers are still in memory, and the next run saves them",
    "the last answers could not be saved, and will be paid for again",
)
ELSEWHERE = Setting("store")
NOT_SHARED = Advice(
    "is on a file system without locks, so only one process at a time can use it. To share it, choose another place "
    "with {}",
    ELSEWHERE,
)
TAKEN = Advice(
    "is in use by another process, and its file system has no locks. End that process, or choose another place with {}",
    ELSEWHERE,
)
MOVE_AWAY = "is damaged, or is not a store of answers. Move it away and run it again; a new store will be created"
CHECK_PLACE = "cannot be opened or written. Check the folder and its permissions, or choose another place"
UNDECODABLE = "Could not decode to UTF-8"
WHAT_TO_DO: dict[int, str | Advice] = {
    sqlite3.SQLITE_BUSY: "is locked by another process. Wait for that process or end it, then run it again",
    sqlite3.SQLITE_CANTOPEN: CHECK_PLACE,
    sqlite3.SQLITE_CORRUPT: MOVE_AWAY,
    sqlite3.SQLITE_ERROR: MOVE_AWAY,  # a table or a column is missing
    sqlite3.SQLITE_FULL: Advice(f"has no room left on its disk. {FREE_SPACE}", UNSAVED),
    sqlite3.SQLITE_IOERR: Advice(f"cannot be read or written. Its disk may be full. {FREE_SPACE}", UNSAVED),
    sqlite3.SQLITE_NOTADB: MOVE_AWAY,
    sqlite3.SQLITE_PERM: CHECK_PLACE,
    sqlite3.SQLITE_READONLY: CHECK_PLACE,
}


class Database:
    """A SQLite file, shared by processes and used by threads in turn, or memory; *versions* has a script for each."""

    def __init__(self, path: str | Path, versions: Sequence[str], patience: float) -> None:
        self.path = MEMORY if str(path) == MEMORY else str(Path(path).expanduser().resolve())
        self.when_forked: Callable[[], None] = lambda: None
        self._versions = versions
        self._patience = patience
        self._turns = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._openings = 0
        self._alone: BaseFileLock | None = None
        with _forking:
            _databases.add(self)

    def __del__(self) -> None:
        self._disconnect()

    def beside(self, ending: str) -> Path | None:
        """The path of the file with *ending*; None for memory."""
        return None if self.path == MEMORY else Path(self.path + ending)

    def state(self) -> tuple[tuple[int, int], int]:
        """A version, which changes whenever another connection has changed the content, and the size in bytes."""
        version, size = self.read(lambda db: db.execute(STATE).fetchone())
        return (self._openings, version), size

    def bytes_on_disk(self) -> int:
        """The bytes that the files take up; for memory, those of the content."""
        if self.path == MEMORY:
            return self.state()[1]
        total = 0
        for file in (self.path, f"{self.path}-wal"):
            with contextlib.suppress(FileNotFoundError):  # the last connection to close removes the second
                total += os.stat(file).st_size
        return total

    def read(
        self,
        work: Callable[[sqlite3.Connection], T],
        *more: Callable[[sqlite3.Connection], object],
        keeps: bool = False,
    ) -> T:
        """The result of *work* with the connection, one thread at a time. It may write only if it *keeps* that."""
        # The lock is acquired and released in this single frame: in a context manager, an interrupt could come in
        # between, and the traceback would keep the lock.
        with self.explained(), self._turns:
            if self._db and self._file != self._identity():
                self._disconnect()
            if not self._db:
                self._db = self._open()
                self._file = self._identity()
                self._openings += 1
            if self._db.in_transaction:  # a second interrupt kept the first from rolling back
                self._db.execute("ROLLBACK")
            if not keeps:
                return work(self._db)
            try:
                self._db.execute("BEGIN IMMEDIATE")
                result = work(self._db)
                for each in more:
                    each(self._db)
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            return result

    def write(self, work: Callable[[sqlite3.Connection], T], *more: Callable[[sqlite3.Connection], object]) -> T:
        """The result of *work*, in one transaction with *more*: all of it is kept, or nothing if one raises."""
        return self.read(work, *more, keeps=True)

    def shrink(self) -> None:
        """Return the free space in the files to the disk."""
        # As a script, because the first pragma returns one page per step and `execute` takes one step.
        self.read(lambda db: db.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)"))

    def close(self, then: Callable[[], None]) -> None:
        """Close the connection, then call *then*; the next turn opens another connection. Memory content is lost."""
        with self.explained(), self._turns:
            self._disconnect()
            if self._alone:
                self._alone.release()
            then()

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn an error of SQLite or the system into a `StoreError` that names the file and says what to do."""
        try:
            yield
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError(f"The store {self.path} {MOVE_AWAY}") from error
        except (TypeError, ValueError) as error:  # it may come from the data
            if self.path != MEMORY and self._is_damaged():
                raise StoreError(f"The store {self.path} {MOVE_AWAY}") from error
            raise
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if not code and str(error).startswith(UNDECODABLE):  # the message continues with the text
                raise StoreError(f"The store {self.path} {MOVE_AWAY}") from None
            raise StoreError(f"The store {self.path} {WHAT_TO_DO.get(code, f'failed: {error}')}") from error
        except OSError as error:
            code = sqlite3.SQLITE_FULL if error.errno == errno.ENOSPC else sqlite3.SQLITE_CANTOPEN
            raise StoreError(f"The store {self.path} {WHAT_TO_DO[code]} ({error.strerror})") from error

    def _is_damaged(self) -> bool:
        return bool(self.read(lambda db: db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",)))

    def pause(self) -> None:
        """Before a fork: let every turn end, and close the connection."""
        self._turns.acquire()
        if self.path != MEMORY:
            self._disconnect()

    def resume(self, *, forked: bool) -> None:
        """After a fork, in the parent and in the child."""
        if forked:
            self.when_forked()
        self._turns.release()

    def _disconnect(self) -> None:
        db, self._db = self._db, None
        if db:
            db.close()

    def _identity(self) -> tuple[int, int] | None:
        """The identity of the file that has the name now: another one if the old one was moved away."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _open(self) -> sqlite3.Connection:
        path = Path(self.path)
        if self.path != MEMORY:
            # Created for its owner alone before SQLite does; its journals take over the mode.
            make_private(path.parent)
            # Closing a file drops the locks that SQLite has on it in this process, so only close a new one.
            with _creating, contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                path.chmod(0o600)
        shared = self.path == MEMORY or os.name == "nt" or has_locks(path.parent)
        if not shared:
            self._hold_alone()
        name = self.path if shared else f"file:{quote(self.path)}?{WITHOUT_LOCKS}"
        end = time.monotonic() + self._patience
        while True:
            db = sqlite3.connect(
                name, timeout=self._patience, isolation_level=None, check_same_thread=False, uri=not shared
            )
            try:
                if not shared:
                    db.execute(EXCLUSIVE)
                self._bring_up_to_date(db)
                return db
            except BaseException as error:
                db.close()
                busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > end:
                    raise
            # If two open a new file at once, SQLite refuses one of them without waiting.
            time.sleep(OPEN_AGAIN_SECONDS)

    def _hold_alone(self) -> None:
        """Keep other processes away with a file that says which process has the store, and warn about it once."""
        if self._alone and self._alone.is_locked:
            return
        try:
            lock = take_lock(Path(f"{self.path}.lock"))
        except BlockingIOError:
            raise StoreError(f"The store {self.path} {TAKEN}") from None
        if not self._alone:
            warn(NoLocks(f"The store {self.path} {NOT_SHARED}"))
        self._alone = lock

    def _bring_up_to_date(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        version = self._version(db)
        for setting in SETTINGS:
            db.execute(setting)
        if version == len(self._versions):
            return
        with db:
            db.execute("BEGIN IMMEDIATE")
            statement = ""
            for part in ";".join(self._versions[self._version(db) :]).split(";"):
                statement += f"{part};"
                if sqlite3.complete_statement(statement):  # a trigger consists of several statements
                    db.execute(statement)
                    statement = ""
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {len(self._versions)}")

    def _version(self, db: sqlite3.Connection) -> int:
        version, application, tables = db.execute(WHOSE).fetchone()
        if tables and application != APPLICATION:
            raise StoreError(f"The store {self.path} is another program's database. Choose another place")
        if version > len(self._versions):
            raise StoreError(
                f"The store {self.path} was created by a newer svc_nb. Update this one, or move the file away"
            )
        return int(version)


_creating = threading.Lock()
_forking = threading.Lock()
_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_paused: list[Database] = []


def _pause() -> None:
    _forking.acquire()
    _paused.extend(_databases)
    for database in _paused:
        database.pause()


def _resume(*, forked: bool) -> None:
    while _paused:
        _paused.pop().resume(forked=forked)
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_pause, after_in_parent=partial(_resume, forked=False), after_in_child=partial(_resume, forked=True)
    )
