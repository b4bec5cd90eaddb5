"""Which run works on which text: a key is claimed by one run of one running process at a time.

A process with claims holds the lock of a file of its own beside the store. The system drops that lock when the process
ends, however it ends, so the system knows which processes are running; process numbers, clocks and containers cannot
mislead it. Everything here happens inside a write transaction of the store, so no two processes do it at once. A run
that shows no sign of life for a quarter of an hour, for example because its process was stopped, also loses its claims;
each of the others measures that by itself, because clocks may differ.

A run records the keys that it takes and those that it releases in one row each, whatever their number. Only others read
these rows, each row once.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from svc_nb.locks import lock_or_tell

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    at REAL NOT NULL, -- a number that changes with every sign of life
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
SIGN = "INSERT INTO runs (owner, name, at) VALUES (?, ?, 0) ON CONFLICT (owner, name) DO UPDATE SET at = at + 1"
NUMBER = "SELECT id FROM runs WHERE owner = ? AND name = ?"
SILENT_SECONDS = 15 * 60.0
# Old versions of SQLite accept at most 999 parameters.
MOST_KEYS = 900
KEY_BYTES = 16


@dataclass(slots=True)
class OtherRun:
    """What is known about another run: its last sign of life and when that came, and its keys, up to a certain row."""

    sign: float
    since: float
    last: int = 0
    held: set[bytes] = field(default_factory=set)


class Claims:
    """The claims in a store that *owners* share; *seconds* is a monotonic clock of this process."""

    def __init__(self, owners: Owners, seconds: Callable[[], float]) -> None:
        self._owners = owners
        self._seconds = seconds
        self._others: dict[tuple[str, str], OtherRun] = {}
        self._live: set[str] = set()

    def take(self, db: sqlite3.Connection, keys: Sequence[bytes], run: str) -> frozenset[bytes]:
        """Claim for *run* those of *keys* that no other run is working on, and return them."""
        if not self._owners.me:
            self._live.clear()  # it may belong to the process that this one was forked from
            self._owners.enter()
        self._live.add(run)
        who = (self._owners.me, run)
        db.execute(SIGN, who)
        mine = db.execute(NUMBER, who).fetchone()[0]
        others = db.execute("SELECT id, owner, name, at FROM runs WHERE id <> ?", (mine,)).fetchall()
        there = {(owner, name) for _, owner, name, _ in others}
        self._others = {who: known for who, known in self._others.items() if who in there}
        taken: set[bytes] = set()
        for number, owner, name, sign in others:
            if self._at_work(owner, name, sign):
                taken |= self._held(db, number, owner, name).intersection(keys)
            else:
                _forget(db, number)
        ours = [key for key in keys if key not in taken]
        if ours:
            db.execute(NOTE, (mine, True, b"".join(ours)))
        return frozenset(ours)

    def release(self, db: sqlite3.Connection, run: str, keys: Sequence[bytes] | None) -> None:
        """Release the claims of *run* to *keys*, which is a sign of life, or all its claims."""
        found = db.execute(NUMBER, (self._owners.me, run)).fetchone()
        if found and keys is None:
            _forget(db, found[0])
        elif found:
            db.execute(NOTE, (found[0], False, b"".join(keys or ())))
            db.execute(SIGN, (self._owners.me, run))

    def end(self, run: str, *, written: bool) -> None:
        """End *run*; if that could not be *written*, its claims become void once no other run is active here."""
        self._live.discard(run)
        if not written and not self._live:
            self._owners.leave()

    def _at_work(self, owner: str, name: str, sign: float) -> bool:
        now = self._seconds()
        known = self._others.setdefault((owner, name), OtherRun(sign, now))
        if known.sign != sign:
            known.sign, known.since = sign, now
        if owner == self._owners.me and name not in self._live:
            return False
        return now - known.since <= SILENT_SECONDS and self._owners.alive(owner)

    def _held(self, db: sqlite3.Connection, number: int, owner: str, name: str) -> set[bytes]:
        known = self._others[owner, name]
        notes = "SELECT id, held, keys FROM claims WHERE run = ? AND id > ? ORDER BY id"
        for note, more, keys in db.execute(notes, (number, known.last)):
            known.last = note
            some = [keys[start : start + KEY_BYTES] for start in range(0, len(keys), KEY_BYTES)]
            if more:
                known.held.update(some)
            else:
                known.held.difference_update(some)
        return known.held


class Owners:
    """The processes that share a store, each by the file it holds locked in *folder*.

    The folder is None if no other process can see the store. Without locks in the file system it is impossible to tell
    whether others are running: then they do not count.
    """

    def __init__(self, folder: Path | None) -> None:
        self.me = ""
        self._folder = folder
        self._lock: int | None = None

    def __del__(self) -> None:
        self.abandon()

    def enter(self) -> None:
        """Become an owner under a new name, and remove the files of owners that have ended."""
        self.abandon()
        name = secrets.token_hex(16)
        if self._folder:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            for other in os.listdir(self._folder):
                self.alive(other)
            # A lock of the file itself, because filelock's own class waits for forks, which wait for the store.
            self._lock = os.open(self._folder / name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            lock_or_tell(self._lock)
        self.me = name

    def alive(self, owner: str) -> bool:
        """Whether *owner* is still running; if not, its file is removed."""
        if owner == self.me or not self._folder:
            return owner == self.me
        path = self._folder / owner
        try:
            file = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            dead = lock_or_tell(file) is not False
        finally:
            os.close(file)
        if dead:
            path.unlink(missing_ok=True)
        return not dead

    def leave(self) -> None:
        """Stop being an owner."""
        left = self.me
        self.abandon()
        if self._folder and left:
            (self._folder / left).unlink(missing_ok=True)

    def abandon(self, close: Callable[[int], None] = os.close) -> None:
        """Release the lock in this process only; a parent that shares it keeps it."""
        if self._lock is not None:
            close(self._lock)  # at interpreter shutdown `os` may be gone
        self._lock, self.me = None, ""


def look_up(sql: str, keys: Sequence[bytes], db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The rows that *sql* finds for *keys*, which replace its `VALUES (?)`."""
    rows: list[tuple[Any, ...]] = []
    keys = sorted(keys)  # neighbours are on the same page of the index
    for start in range(0, len(keys), MOST_KEYS):
        chunk = keys[start : start + MOST_KEYS]
        rows += db.execute(sql.replace("(?)", ", ".join(["(?)"] * len(chunk))), chunk).fetchall()
    return rows


def _forget(db: sqlite3.Connection, run: int) -> None:
    db.execute("DELETE FROM claims WHERE run = ?", (run,))
    db.execute("DELETE FROM runs WHERE id = ?", (run,))
