"""Who is at work on which text: a key is claimed by one run of one living process at a time.

A process that claims holds the lock of a file of its own beside the store. The system drops that lock when the
process ends, however it ends, so the system says who lives: no process number, no clock, and no container's border
can deceive. Everything here happens inside a write transaction of the store, so no two processes look at once.
A run that gave no sign for a quarter of an hour, as when its process was stopped, loses its claims as well.

A run notes what it takes and what it gives up again in one row each, whatever the number of keys, and the rows are read
only by others.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    at REAL NOT NULL,
    UNIQUE (owner, name)
);
CREATE TABLE claims (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    held INTEGER NOT NULL,
    keys BLOB NOT NULL
)
"""
NOTE = "INSERT INTO claims (run, held, keys) VALUES (?, ?, ?)"
SIGN = "INSERT INTO runs (owner, name, at) VALUES (?, ?, ?) ON CONFLICT (owner, name) DO UPDATE SET at = excluded.at"
NUMBER = "SELECT id FROM runs WHERE owner = ? AND name = ?"
SILENT_SECONDS = 15 * 60.0
# SQLite of old takes no more than 999 parameters.
MOST_KEYS = 900
KEY_BYTES = 16


class Claims:
    """The claims in a store that *owners* share."""

    def __init__(self, owners: Owners, clock: Callable[[], float]) -> None:
        self._owners = owners
        self._clock = clock

    def take(self, db: sqlite3.Connection, keys: Sequence[bytes], run: str) -> frozenset[bytes]:
        """Claim for *run* those of *keys* that no other run is at work on, and return them."""
        if not self._owners.me:
            self._owners.enter()
            for (other,) in db.execute("SELECT id FROM runs").fetchall():
                self._at_work(db, other)
        who = (self._owners.me, run)
        db.execute(SIGN, (*who, self._clock()))
        mine = db.execute(NUMBER, who).fetchone()[0]
        others = db.execute("SELECT DISTINCT run FROM claims WHERE run <> ?", (mine,)).fetchall()
        taken = {key for (other,) in others if self._at_work(db, other) for key in _held(db, other)}
        ours = [key for key in keys if key not in taken]
        if ours:
            db.execute(NOTE, (mine, True, b"".join(ours)))
        return frozenset(ours)

    def release(self, db: sqlite3.Connection, run: str, keys: Sequence[bytes] | None) -> None:
        """Drop what *run* has claimed of *keys*, which is a sign of life, or all that it has claimed."""
        found = db.execute(NUMBER, (self._owners.me, run)).fetchone()
        if found and keys is None:
            _forget(db, found[0])
        elif found:
            db.execute(NOTE, (found[0], False, b"".join(keys or ())))
            db.execute("UPDATE runs SET at = ? WHERE id = ?", (self._clock(), found[0]))

    def _at_work(self, db: sqlite3.Connection, run: int) -> bool:
        """Whether *run* goes on; one that does not is forgotten, with its claims."""
        owner, at = db.execute("SELECT owner, at FROM runs WHERE id = ?", (run,)).fetchone()
        if abs(self._clock() - at) <= SILENT_SECONDS and self._owners.alive(owner):
            return True
        _forget(db, run)
        return False


class Owners:
    """The processes that share a store, each by the file it holds locked in *folder*.

    The folder is None when no other process can see the store.
    """

    def __init__(self, folder: Path | None) -> None:
        self.me = ""
        self._folder = folder
        self._lock: int | None = None

    def __del__(self) -> None:
        self.abandon()

    def enter(self) -> None:
        """Become an owner under a new name, and remove the files of those that are dead."""
        self.abandon()
        name = secrets.token_hex(16)
        if self._folder:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            for other in os.listdir(self._folder):
                self.alive(other)
            # A lock of the file itself: filelock's own class waits for forks, which wait for the store.
            self._lock = os.open(self._folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            lock_descriptor(self._lock, blocking=False)
        self.me = name

    def alive(self, owner: str) -> bool:
        """Whether *owner* still runs; the file of one that does not is removed."""
        if owner == self.me or not self._folder:
            return owner == self.me
        path = self._folder / owner
        try:
            file = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            dead = lock_descriptor(file, blocking=False)
        finally:
            os.close(file)
        if dead:
            path.unlink(missing_ok=True)
        return not dead

    def leave(self) -> None:
        """Be no owner any more."""
        left = self.me
        self.abandon()
        if self._folder and left:
            (self._folder / left).unlink(missing_ok=True)

    def abandon(self) -> None:
        """Let go of the lock in this process only; a parent that shares it keeps it."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock, self.me = None, ""


def look_up(sql: str, keys: Sequence[bytes], db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The rows that *sql* finds for *keys*, which stand where it says `VALUES (?)`."""
    rows: list[tuple[Any, ...]] = []
    for start in range(0, len(keys), MOST_KEYS):
        chunk = keys[start : start + MOST_KEYS]
        rows += db.execute(sql.replace("(?)", ", ".join(["(?)"] * len(chunk))), chunk).fetchall()
    return rows


def _held(db: sqlite3.Connection, run: int) -> set[bytes]:
    held: set[bytes] = set()
    for more, keys in db.execute("SELECT held, keys FROM claims WHERE run = ? ORDER BY id", (run,)):
        some = {keys[start : start + KEY_BYTES] for start in range(0, len(keys), KEY_BYTES)}
        held = held | some if more else held - some
    return held


def _forget(db: sqlite3.Connection, run: int) -> None:
    db.execute("DELETE FROM claims WHERE run = ?", (run,))
    db.execute("DELETE FROM runs WHERE id = ?", (run,))
