"""Where documents are kept: a row of the database that says how they fare, and files that only their key opens."""

from __future__ import annotations

import contextlib
import hmac
import math
import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

from ..clock import stamp
from ..database import Database
from ..problems import not_found
from . import cipher
from .claims import Claim
from .ticket import Ticket

QUEUED, TRANSLATING, DONE, ERROR = "queued", "translating", "done", "error"
KEPT = timedelta(hours=24)
DAMAGED = "The file of the document is damaged."
SOURCE, RESULT = "source", "result"
WORK, SENDING = "work", "sending"

_SWEEP_SECONDS = 60.0
_QUEUED_SHARE = 0.25
_FIRST_GUESS = 1.0
_LONGEST = 24 * 3600


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the service knows it without its key.

    *attempt* counts the times that its translation was begun, *fraction* is what is done of it.
    """

    document_id: str
    status: str
    creation_time: datetime
    begun: datetime
    attempt: int
    fraction: float
    characters: int
    error: str
    ticket: bytes

    @property
    def unfinished(self) -> bool:
        """Whether a clerk has still to do something."""
        return self.status in (QUEUED, TRANSLATING)


class Shelf:
    """All documents of an account; *delay* is how long each takes at least to be seen as done.

    The files are in *folder*, or, where the account is in memory only, in one that ends with the service.
    """

    def __init__(
        self,
        database: Database,
        *,
        folder: Path | None = None,
        clock: Callable[[], datetime],
        delay: float = 0.0,
    ) -> None:
        self._database = database
        self._clock = clock
        self._delay = delay
        self._home = _Home(folder)
        self._swept: datetime | None = None

    def add(self, file: IO[bytes], ticket: Ticket) -> tuple[str, str]:
        """Put a document on the shelf; gives its id and its key, which is not kept."""
        self.sweep()
        document_id, key = secrets.token_hex(16).upper(), cipher.new_key()
        self._write(document_id, SOURCE, file, key)
        sealed = _sealed(ticket, document_id, key)
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO documents (document_id, digest, status, creation_time, begun, ticket) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (document_id, cipher.digest(key), QUEUED, stamp(self._clock()), stamp(self._clock()), sealed),
            )
        return document_id, key

    def get(self, document_id: str, key: str) -> Document:
        """The document that this key opens, or 404."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT * FROM documents WHERE document_id = ? AND creation_time > ?",
                (document_id, stamp(self._clock() - KEPT)),
            ).fetchone()
        if row is None or not hmac.compare_digest(row["digest"], cipher.digest(key)):
            raise not_found("Document not found")
        return _document(row)

    def ticket(self, document: Document, key: str) -> Ticket:
        """What was asked for; raises Spoiled."""
        purpose = f"ticket {document.document_id}"
        return Ticket.from_bytes(cipher.unseal_bytes(document.ticket, key=key, purpose=purpose))

    def shown(self, document: Document) -> tuple[str, int | None]:
        """The status a caller sees, and the seconds that are left of the translation."""
        age = (self._clock() - document.creation_time).total_seconds()
        if document.status == QUEUED or age < self._delay * _QUEUED_SHARE:
            return QUEUED, None
        if not document.unfinished and age >= self._delay:
            return document.status, None
        return TRANSLATING, math.ceil(min(max(self._left(document), self._delay - age, 1), _LONGEST))

    def begin(self, document_id: str) -> Document | None:
        """Note that its translation begins; None when there is nothing to do."""
        with self._database.write() as connection:
            changed = connection.execute(
                "UPDATE documents SET status = ?, begun = ?, attempt = attempt + 1, fraction = 0 "
                "WHERE document_id = ? AND status IN (?, ?)",
                (TRANSLATING, stamp(self._clock()), document_id, QUEUED, TRANSLATING),
            ).rowcount
            row = connection.execute(
                "SELECT * FROM documents WHERE document_id = ?", (document_id,)
            ).fetchone()
        return _document(row) if changed else None

    def advance(self, document: Document, fraction: float) -> None:
        """Note how much is done; no harm when it cannot be noted."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._change(document, "fraction = ?", fraction)

    def put_back(self, document: Document) -> None:
        """Note that the translation was given up through no fault of the document."""
        self._change(document, "status = ?, attempt = attempt - 1", QUEUED)

    def fail(self, document: Document, error: str) -> None:
        """Note that it cannot be translated; its file is let go."""
        if self._change(document, "status = ?, error = ?", ERROR, error):
            self._home.remove(document.document_id, SOURCE)

    def finish(
        self, document: Document, result: IO[bytes], ticket: Ticket, *, key: str, characters: int
    ) -> None:
        """Keep the translated document, which costs *characters*; its *ticket* says now who translated it."""
        self._write(document.document_id, RESULT, result, key)
        sealed = _sealed(ticket, document.document_id, key)
        changes = "status = ?, fraction = 1, characters = ?, ticket = ?"
        if self._change(document, changes, DONE, characters, sealed):
            self._home.remove(document.document_id, SOURCE)

    def spoil(self, document: Document, error: str) -> bool:
        """Note that the translation of a document that was done is lost; False when it has gone already."""
        with self._database.write() as connection:
            changed = connection.execute(
                "UPDATE documents SET status = ?, error = ? WHERE document_id = ? AND status = ?",
                (ERROR, error, document.document_id, DONE),
            )
            return bool(changed.rowcount)

    def claim(self, document_id: str, what: str) -> Claim:
        """The right to do the WORK on a document, or its SENDING.

        Raises BlockingIOError where another has it, FileNotFoundError where the file to work on, or to send, has gone.
        """
        self._home.path(document_id, SOURCE if what == WORK else RESULT).stat()
        return Claim(self._home.path(document_id, what))

    def size(self, document_id: str) -> int:
        """The length of the translated document."""
        return cipher.unsealed_size(self._home.path(document_id, RESULT).stat().st_size)

    def read(self, document_id: str, part: str, *, key: str) -> Iterator[bytes]:
        """Yield the bytes of the document's SOURCE or RESULT; raises Spoiled."""
        with self._home.path(document_id, part).open("rb") as file:
            yield from cipher.unseal(file, key=key, purpose=f"{part} {document_id}")

    def remove(self, document: Document, connection: sqlite3.Connection) -> bool:
        """Take a document that is done off the shelf, in the caller's transaction; False when it has gone already."""
        question = "DELETE FROM documents WHERE document_id = ? AND status = ?"
        return bool(connection.execute(question, (document.document_id, DONE)).rowcount)

    def clear(self, document_id: str) -> None:
        """Remove the files of a document that is off the shelf."""
        self._home.remove(document_id, SOURCE, RESULT, WORK, SENDING)

    def sweep(self) -> None:
        """Remove what was not fetched within a day, and files that belong to nothing; at most once a minute."""
        now = self._clock()
        if self._swept is not None and (now - self._swept).total_seconds() < _SWEEP_SECONDS:
            return
        self._swept = now
        with self._database.write() as connection:
            old = connection.execute(
                "DELETE FROM documents WHERE creation_time <= ? RETURNING document_id", (stamp(now - KEPT),)
            ).fetchall()
            kept = {row[0] for row in connection.execute("SELECT document_id FROM documents")}
        for row in old:
            self.clear(row[0])
        self._home.sweep(kept)

    def close(self) -> None:
        """Let go of the files of an account in memory."""
        self._home.close()

    def _left(self, document: Document) -> float:
        if not document.unfinished:
            return 0.0
        spent = (self._clock() - document.begun).total_seconds()
        done = document.fraction
        return spent * (1 - done) / done if done > 0 else _FIRST_GUESS

    def _change(self, document: Document, changes: str, *values: object) -> bool:
        """Change the row while this attempt is the one at work; a clerk who was given up changes nothing."""
        with self._database.write() as connection:
            changed = connection.execute(
                f"UPDATE documents SET {changes} WHERE document_id = ? AND status = ? AND attempt = ?",  # noqa: S608
                (*values, document.document_id, TRANSLATING, document.attempt),
            )
            return bool(changed.rowcount)

    def _write(self, document_id: str, part: str, content: IO[bytes], key: str) -> None:
        """Seal *content* into a file that is whole as soon as it has its name."""
        path = self._home.path(document_id, part)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                cipher.seal(content, file, key=key, purpose=f"{part} {document_id}")
                file.flush()
                if self._home.lasts:
                    os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


class _Home:
    """The folder of the sealed files, made when it is first needed."""

    def __init__(self, folder: Path | None) -> None:
        self.lasts = folder is not None
        self.close: Callable[[], object] = lambda: None
        self._folder = folder
        self._lock = threading.Lock()

    def path(self, document_id: str, part: str) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="svc_nb-"))
                self.close = weakref.finalize(self, _end, self._folder, os.getpid())
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder / f"{document_id}.{part}"

    def remove(self, document_id: str, *parts: str) -> None:
        for part in parts:
            with contextlib.suppress(OSError):
                self.path(document_id, part).unlink()

    def sweep(self, kept: set[str]) -> None:
        """Remove files of documents that are not *kept*, unless they are so new that their row may be on its way."""
        if self._folder is None or not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):
                age = datetime.now(UTC).timestamp() - path.stat().st_mtime
                if path.name.partition(".")[0] not in kept and age > _SWEEP_SECONDS:
                    path.unlink()


def _end(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child leaves its parent's files alone
        shutil.rmtree(folder, ignore_errors=True)


def _sealed(ticket: Ticket, document_id: str, key: str) -> bytes:
    return cipher.seal_bytes(ticket.to_bytes(), key=key, purpose=f"ticket {document_id}")


def _document(row: sqlite3.Row) -> Document:
    return Document(
        document_id=row["document_id"],
        status=row["status"],
        creation_time=datetime.fromisoformat(row["creation_time"]),
        begun=datetime.fromisoformat(row["begun"]),
        attempt=row["attempt"],
        fraction=row["fraction"],
        characters=row["characters"],
        error=row["error"],
        ticket=row["ticket"],
    )
