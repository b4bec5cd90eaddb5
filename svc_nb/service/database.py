"""Everything the service remembers: one SQLite file that several kernels may have open, or memory.

A write is one `BEGIN IMMEDIATE` transaction in WAL mode: what was committed survives a `kill -9`, and a second
process waits its turn. On disk there are as many connections as there were threads at once; in memory all threads
take turns with the one. Moments are UTC, stored and told as the contract writes them.
"""

import contextlib
import os
import queue
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BUSY_SECONDS = 30.0

# One script a version of the file.
_SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")
VERSIONS = re.split(r"^-- version .*$", _SCHEMA, flags=re.MULTILINE)[1:]


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """ISO 8601 with milliseconds and a zone, 2026-11-15T00:12:20.483Z; such stamps sort as text."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def month(moment: datetime) -> str:
    """The usage period a moment belongs to."""
    return moment.astimezone(UTC).strftime("%Y-%m")


class Connection(sqlite3.Connection):
    """A connection with the statements that most tables need; the names of tables and columns are always our own."""

    def find(self, table: str, **where: Any) -> sqlite3.Row | None:
        """The first row whose columns are as *where* says, if any."""
        return next(iter(self.rows(table, **where)), None)

    def rows(
        self, table: str, columns: str = "*", *, limit: tuple[int, int] = (-1, 0), **where: Any
    ) -> list[sqlite3.Row]:
        """Some *columns* of the rows that are as *where* says, by creation; at most *limit*, from an offset."""
        wanted = f"SELECT {columns} FROM {table} WHERE {_equal(where, ' AND ') or 1}"  # noqa: S608
        return self.execute(f"{wanted} ORDER BY rowid LIMIT ? OFFSET ?", (*where.values(), *limit)).fetchall()

    def count(self, table: str, **where: Any) -> int:
        """How many rows have columns as *where* says."""
        wanted = f"SELECT COUNT(*) FROM {table} WHERE {_equal(where, ' AND ') or 1}"  # noqa: S608
        return int(self.execute(wanted, tuple(where.values())).fetchone()[0])

    def add(self, table: str, conflict: str = "", /, **row: Any) -> int | None:
        """Add a row and return its number; *conflict* is what to do instead where its key is taken."""
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks}) {conflict}"  # noqa: S608
        return self.execute(statement, tuple(row.values())).lastrowid

    def put(self, table: str, **row: Any) -> None:
        """Add a row, or change the one that has its key, in its place."""
        changes = ", ".join(f"{column} = excluded.{column}" for column in row)
        self.add(table, f"ON CONFLICT DO UPDATE SET {changes}", **row)

    def change(self, table: str, where: Mapping[str, Any], /, **columns: Any) -> int:
        """Change columns of the rows that are as *where* says, and tell how many there are."""
        statement = f"UPDATE {table} SET {_equal(columns, ', ')} WHERE {_equal(where, ' AND ')}"  # noqa: S608
        return self.execute(statement, (*columns.values(), *where.values())).rowcount

    def remove(self, table: str, **where: Any) -> int:
        """Remove the rows whose columns are as *where* says, and tell how many there were."""
        statement = f"DELETE FROM {table} WHERE {_equal(where, ' AND ')}"  # noqa: S608
        return self.execute(statement, tuple(where.values())).rowcount


def _equal(columns: Mapping[str, Any], between: str) -> str:
    return between.join(f"{column} = ?" for column in columns)


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, unless it is there; those above it that are new, too."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)


class NewerFile(sqlite3.DatabaseError):
    """The file is of a version that this code does not know."""


class Database:
    """The service's memory; `path=None` keeps it in this process only."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._idle: queue.LifoQueue[Connection] = queue.LifoQueue()
        if path:  # for its owner alone, before SQLite creates it: its journals take over the mode
            make_private(path.parent)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
        self._closed = False
        self._idle.put(_open(str(path or ":memory:")))
        try:
            with self.write() as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version > len(VERSIONS):
                    raise NewerFile(f"{path} was written by a newer svc_nb; update this one.")
                for statement in ";".join(VERSIONS[version:]).split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {len(VERSIONS)}")
        except BaseException:
            self.close()
            raise

    def read(self) -> contextlib.AbstractContextManager[Connection]:
        """A connection for questions: all of them see the account as it was at the first."""
        return self._transaction("BEGIN")

    def write(self) -> contextlib.AbstractContextManager[Connection]:
        """One transaction: all of it is kept, or, when the block raises, none of it."""
        return self._transaction("BEGIN IMMEDIATE")

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Connection]:
        if self._closed:
            raise sqlite3.OperationalError("the service has ended")
        try:
            connection = self._idle.get(block=self.path is None)
        except queue.Empty:
            connection = _open(str(self.path))
        try:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite has rolled back by itself when the disk is full
                    connection.execute("ROLLBACK")
                raise
        finally:
            if self._closed:
                connection.close()
            else:
                self._idle.put(connection)

    def close(self) -> None:
        """Close every connection, those in use when their turn ends; afterwards nothing is read or written."""
        self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    def abandon(self) -> None:
        """Let go in a forked child, without waiting for locks that a thread of the parent may have held."""
        self._closed = True
        for connection in self._idle.queue:
            connection.close()


def _open(name: str) -> Connection:
    options: Any = {"isolation_level": None, "check_same_thread": False, "cached_statements": 256}
    connection = sqlite3.connect(name, timeout=BUSY_SECONDS, factory=Connection, **options)
    connection.row_factory = sqlite3.Row
    due = time.monotonic() + BUSY_SECONDS
    while True:
        # Where two processes turn WAL on at once, SQLite refuses one of them without waiting, so we wait.
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.Error as error:
            if "locked" not in str(error) or time.monotonic() > due:
                connection.close()
                raise
        time.sleep(0.01)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection
