"""Where documents are stored: a row of the database that says how they fare, and files that only their key opens.

A translated document is handed out once, to a caller who takes all of it, and only then is it billed.
"""

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
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from ..answers import File
from ..bodies import TranslationOptions
from ..database import Database, make_private, stamp
from ..formats import KINDS
from ..keys import Key
from ..ledger import DOCUMENTS, Ledger
from ..problems import Problem, bad_request, not_found
from . import cipher
from .cipher import Damaged

QUEUED, TRANSLATING, DONE, ERROR = "queued", "translating", "done", "error"
KEPT = timedelta(hours=24)
DAMAGED = "The file of the document is damaged."
ENDED_IN_ERROR = "Document translation ended in an error."
SOURCE, RESULT = "source", "result"
WORK, SENDING = "work", "sending"

_SWEEP_SECONDS = 60.0
_QUEUED_SHARE = 0.25
_FIRST_GUESS = 1.0
_LONGEST = 24 * 3600


class DocumentOptions(TranslationOptions, kw_only=True):
    """Everything that can be asked for a document."""

    target_lang: str
    output_format: str | None = None
    enable_watermark: bool = False


class TranslatedBy(Struct):
    """Who translated a document: the engines' names, how many characters were only marked, and the source language.

    *small*, *kept*, *formulas* and *cells* are what `Remarks` are.
    """

    engines: str
    marked: int = 0
    source: str | None = None
    small: int = 0
    kept: int = 0
    formulas: int = 0
    cells: str = ""


class DocumentDetails(Struct):
    """A document's name, kind, options and billing tag, encrypted like itself; *made* is there when it is done."""

    name: str
    extension: str
    options: DocumentOptions = msgspec.field(name="wanted")
    tag: str | None = None
    made: TranslatedBy | None = None

    @property
    def result(self) -> str:
        """The extension of the translated document."""
        return self.options.output_format or self.extension


class Document(Struct, frozen=True):
    """A document without its key; *attempt* counts translations begun, *fraction* is what is done of the last."""

    document_id: str
    status: str
    creation_time: datetime
    begun: datetime
    attempt: int
    fraction: float
    characters: int
    error: str
    encrypted_details: bytes = msgspec.field(name="ticket")

    @property
    def unfinished(self) -> bool:
        """Whether it is still to be translated."""
        return self.status in (QUEUED, TRANSLATING)


class DocumentStore:
    """All documents of an account, done after *delay* at least; without a *folder* they end with the service."""

    def __init__(
        self,
        database: Database,
        *,
        ledger: Ledger,
        folder: Path | None = None,
        clock: Callable[[], datetime],
        delay: float = 0.0,
    ) -> None:
        self._database = database
        self._ledger = ledger
        self._clock = clock
        self._delay = delay
        self._lasts = folder is not None
        self._folder = folder
        self._making_folder = threading.Lock()
        self._swept: datetime | None = None
        self._on_its_way: dict[str, tuple[str, int]] = {}
        self._paying = threading.Lock()
        self.close: Callable[[], object] = lambda: None  # removes the files of an account in memory

    def add(self, file: IO[bytes], details: DocumentDetails) -> tuple[str, str]:
        """Store a document; gives its id and its key, which is not kept."""
        self.sweep()
        document_id, key = secrets.token_hex(16).upper(), cipher.new_key()
        self._write(document_id, SOURCE, file, key)
        moment, ticket = stamp(self._clock()), _encrypt(details, document_id, key)
        row = {"digest": cipher.digest(key), "creation_time": moment, "begun": moment, "ticket": ticket}
        with self._database.write() as connection:
            connection.add("documents", document_id=document_id, status=QUEUED, **row)
        return document_id, key

    def get(self, document_id: str, key: str) -> Document:
        """The document that this key opens, or 404."""
        with self._database.read() as connection:
            row = connection.find("documents", document_id=document_id)
        fresh = row is not None and row["creation_time"] > stamp(self._clock() - KEPT)
        if row is None or not fresh or not hmac.compare_digest(row["digest"], cipher.digest(key)):
            raise not_found("Document not found")
        return msgspec.convert(dict(row), Document)

    def details(self, document: Document, key: str) -> DocumentDetails:
        """What was asked for; raises Damaged."""
        purpose = f"ticket {document.document_id}"
        content = cipher.decrypt_bytes(document.encrypted_details, key=key, purpose=purpose)
        return msgspec.json.decode(content, type=DocumentDetails)

    def shown(self, document: Document) -> tuple[str, int | None]:
        """The status a caller sees, and the seconds that are left of the translation."""
        now = self._clock()
        age = (now - document.creation_time).total_seconds()
        if document.status == QUEUED or age < self._delay * _QUEUED_SHARE:
            return QUEUED, None
        if not document.unfinished and age >= self._delay:
            return document.status, None
        left, done = 0.0, document.fraction
        if document.unfinished:
            spent = (now - document.begun).total_seconds()
            left = spent * (1 - done) / done if done > 0 else _FIRST_GUESS
        return TRANSLATING, math.ceil(min(max(left, self._delay - age, 1), _LONGEST))

    def begin(self, document_id: str) -> Document | None:
        """Note that its translation begins; None when there is nothing to do."""
        with self._database.write() as connection:
            row = connection.execute(
                "UPDATE documents SET status = ?, begun = ?, attempt = attempt + 1, fraction = 0 "
                "WHERE document_id = ? AND status IN (?, ?) RETURNING *",
                (TRANSLATING, stamp(self._clock()), document_id, QUEUED, TRANSLATING),
            ).fetchone()
        return None if row is None else msgspec.convert(dict(row), Document)

    def advance(self, document: Document, fraction: float) -> None:
        """Note how much is done; no harm when it cannot be noted."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._change(document, fraction=fraction)

    def put_back(self, document: Document) -> None:
        """Note that the translation was given up through no fault of the document."""
        self._change(document, status=QUEUED, attempt=document.attempt - 1)

    def fail(self, document: Document, error: str) -> None:
        """Note that it cannot be translated; its file is let go."""
        if self._change(document, status=ERROR, error=error):
            self.remove_files(document.document_id, SOURCE)

    def finish(
        self, document: Document, result: IO[bytes], details: DocumentDetails, *, key: str, characters: int
    ) -> None:
        """Store the translated document, which costs *characters*; its *details* say now who translated it."""
        self._write(document.document_id, RESULT, result, key)
        ticket = _encrypt(details, document.document_id, key)
        if self._change(document, status=DONE, fraction=1, characters=characters, ticket=ticket):
            self.remove_files(document.document_id, SOURCE)

    def lock(self, document_id: str, what: str) -> FileLock:
        """The right, to acquire, to the WORK on a document or its SENDING: Timeout if taken, OSError if it is gone."""
        self._path(document_id, SOURCE if what == WORK else RESULT).stat()
        return FileLock(self._path(document_id, what), timeout=0, mode=0o600, thread_local=False)

    def read(self, document_id: str, part: str, *, key: str) -> Iterator[bytes]:
        """Yield the bytes of the document's SOURCE or RESULT; raises Damaged."""
        with self._path(document_id, part).open("rb") as file:
            yield from cipher.decrypt(file, key=key, purpose=f"{part} {document_id}")

    def remove_files(self, document_id: str, *parts: str) -> None:
        """Remove the files of a document: *parts* of it, or all."""
        for part in parts or (SOURCE, RESULT, WORK, SENDING):
            with contextlib.suppress(OSError):
                self._path(document_id, part).unlink()

    def send(self, document_id: str, document_key: str, *, payer: Key) -> File:
        """The translated document as an answer: 404, 503 while it is not done, 456 when it cannot be paid."""
        document = self._finished(document_id, document_key)
        try:
            lock = self.lock(document_id, SENDING)
            lock.acquire()
        except Timeout:
            raise Problem(503, "Document is being downloaded") from None
        except FileNotFoundError:
            raise self._lost(document) from None
        try:
            document = self._finished(document_id, document_key)
            details = self.details(document, document_key)
            self._reserve(document, payer)
            size = cipher.decrypted_size(self._path(document_id, RESULT).stat().st_size)
        except (Damaged, FileNotFoundError):
            self._end_sending(document_id, lock)
            raise self._lost(document) from None
        except BaseException:
            self._end_sending(document_id, lock)
            raise
        return File(
            self._pieces(document, document_key),
            media=KINDS[details.result].media,
            size=size,
            name=f"{details.name.rpartition('.')[0] or details.name}.{details.result}",
            sent=lambda: self._bill(document, payer, details.tag),
            ended=lambda: self._end_sending(document_id, lock),
        )

    def _finished(self, document_id: str, document_key: str) -> Document:
        document = self.get(document_id, document_key)
        status, _ = self.shown(document)
        if status == ERROR:
            raise bad_request(ENDED_IN_ERROR, detail=document.error)
        if status != DONE:
            raise Problem(503, "Document translation is not done")
        return document

    def _pieces(self, document: Document, document_key: str) -> Iterator[bytes]:
        """Yield the translated document; when it turns out to be damaged, its status says so from then on."""
        try:
            yield from self.read(document.document_id, RESULT, key=document_key)
        except Damaged:
            self._lost(document)
            raise

    def _lost(self, document: Document) -> Problem:
        """Note that the translation of a document that was done is lost; the answer to who asked for it."""
        done = {"document_id": document.document_id, "status": DONE}
        with self._database.write() as connection:
            if connection.change("documents", done, status=ERROR, error=DAMAGED):
                return bad_request(ENDED_IN_ERROR, detail=DAMAGED)
        return not_found("Document not found")  # another has just taken it

    def _reserve(self, document: Document, payer: Key) -> None:
        with self._paying:
            on_its_way = list(self._on_its_way.values())
            own = sum(characters for key_id, characters in on_its_way if key_id == payer.key_id)
            others = sum(characters for key_id, characters in on_its_way if key_id != payer.key_id)
            self._ledger.check(payer, document.characters + own, others=others)
            self._on_its_way[document.document_id] = payer.key_id, document.characters

    def _bill(self, document: Document, payer: Key, tag: str | None) -> None:
        """Remove the document and book it, both or neither; one that has gone already is not booked."""
        with self._database.write() as connection:
            gone = connection.remove("documents", document_id=document.document_id, status=DONE)
            if gone and document.characters:
                self._ledger.book(connection, payer.key_id, DOCUMENTS, document.characters, tag=tag)
        self.remove_files(document.document_id)

    def _end_sending(self, document_id: str, lock: FileLock) -> None:
        with self._paying:
            self._on_its_way.pop(document_id, None)
        lock.release()

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
            self.remove_files(row[0])
        if self._folder is None or not self._folder.is_dir():
            return
        for path in self._folder.iterdir():
            with contextlib.suppress(OSError):
                age = datetime.now(UTC).timestamp() - path.stat().st_mtime
                # The row of a new file may be on its way.
                if path.name.partition(".")[0] not in kept and age > _SWEEP_SECONDS:
                    path.unlink()

    def _change(self, document: Document, **columns: object) -> bool:
        """Change the row while this attempt is the one at work; one that was given up changes nothing."""
        own = {"document_id": document.document_id, "status": TRANSLATING, "attempt": document.attempt}
        with self._database.write() as connection:
            return bool(connection.change("documents", own, **columns))

    def _write(self, document_id: str, part: str, content: IO[bytes], key: str) -> None:
        """Encrypt *content* into a file that is whole as soon as it has its name."""
        path = self._path(document_id, part)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                cipher.encrypt(content, file, key=key, purpose=f"{part} {document_id}")
                file.flush()
                if self._lasts:
                    os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def _path(self, document_id: str, part: str) -> Path:
        with self._making_folder:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="svc_nb-"))
                self.close = weakref.finalize(self, _remove_folder, self._folder, os.getpid())
            make_private(self._folder)
        return self._folder / f"{document_id}.{part}"


def _remove_folder(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child leaves its parent's files alone
        shutil.rmtree(folder, ignore_errors=True)


def _encrypt(details: DocumentDetails, document_id: str, key: str) -> bytes:
    return cipher.encrypt_bytes(msgspec.json.encode(details), key=key, purpose=f"ticket {document_id}")
