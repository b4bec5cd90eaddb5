"""Who is at work on which text: a key is claimed by one run of one living process at a time.

A process that claims holds the lock of a file of its own beside the store. The system drops that lock when the
process ends, however it ends, so the system says who lives: no process number, no clock, and no container's border
can deceive. Everything here happens inside a write transaction of the store, so no two processes look at once.
A run that others see give no sign for a quarter of an hour, as when its process was stopped, loses its claims as well;
each of them measures that by itself, for clocks may differ.

A run notes what it takes and what it gives up again in one row each, whatever the number of keys, and the rows are read
only by others, each row once.
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
# SQLite of old takes no more than 999 parameters.
MOST_KEYS = 900
KEY_BYTES = 16


@dataclass(slots=True)
class OtherRun:
    """What is known of another run: its last sign and when that was new, and what it holds, up to a certain note."""

    sign: float
    since: float
    last: int = 0
    held: set[bytes] = field(default_factory=set)


class Claims:
    """The claims in a store that *owners* share; *seconds* is a clock of this process that nobody sets."""

    def __init__(self, owners: Owners, seconds: Callable[[], float]) -> None:
        self._owners = owners
        self._seconds = seconds
        self._others: dict[tuple[str, str], OtherRun] = {}
        self._live: set[str] = set()

    def take(self, db: sqlite3.Connection, keys: Sequence[bytes], run: str) -> frozenset[bytes]:
        """Claim for *run* those of *keys* that no other run is at work on, and return them."""
        if not self._owners.me:
            self._live.clear()  # of the process that this one was forked from, perhaps
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
        """Drop what *run* has claimed of *keys*, which is a sign of life, or all that it has claimed."""
        found = db.execute(NUMBER, (self._owners.me, run)).fetchone()
        if found and keys is None:
            _forget(db, found[0])
        elif found:
            db.execute(NOTE, (found[0], False, b"".join(keys or ())))
            db.execute(SIGN, (self._owners.me, run))

    def end(self, run: str, *, written: bool) -> None:
        """*run* is over: where that could not be *written*, its claims are void once no other run is at work here."""
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

    The folder is None when no other process can see the store. Where the file system has no locks nobody can tell
    whether others live: then they do not count.
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
            lock_or_tell(self._lock)
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
            dead = lock_or_tell(file) is not False
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

    def abandon(self, close: Callable[[int], None] = os.close) -> None:
        """Let go of the lock in this process only; a parent that shares it keeps it."""
        if self._lock is not None:
            close(self._lock)  # at the end of Python there may be no `os` any more
        self._lock, self.me = None, ""


def look_up(sql: str, keys: Sequence[bytes], db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """The rows that *sql* finds for *keys*, which stand where it says `VALUES (?)`."""
    rows: list[tuple[Any, ...]] = []
    keys = sorted(keys)  # neighbours stand on the same page of the index
    for start in range(0, len(keys), MOST_KEYS):
        chunk = keys[start : start + MOST_KEYS]
        rows += db.execute(sql.replace("(?)", ", ".join(["(?)"] * len(chunk))), chunk).fetchall()
    return rows


def _forget(db: sqlite3.Connection, run: int) -> None:
    db.execute("DELETE FROM claims WHERE run = ?", (run,))
    db.execute("DELETE FROM runs WHERE id = ?", (run,))
