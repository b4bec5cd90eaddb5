"""All documents that were sent from here, in a file that all kernels share: what a restart needs to continue.

A document is identified by the service's address, the content, the target language and the options. Its stage is
recorded before the next one begins:

    new ── upload ──> sent ── poll ──> ready ── download ──> fetching ── rename ──> fetched, or marked
                        └──> failed                             └──> lost

A document that was only marked, because it had no translator, is written to its file but counts as never sent: the next
job sends it again. The handle is recorded before the upload counts as done, and the start of a download is recorded
before it is requested. So a document in the stage `fetching` may already count as downloaded. One job at a time holds a
document; the lock of its process, which the system releases when the process ends, shows whether the job is alive.

The keys of documents are encrypted with a key from the OS keyring or a private file. The storage also lists all files
that translations were written to, including copies: they may be replaced, and are not sources.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from svc_nb.advice import Advice, Setting
from svc_nb.backoff import Patience
from svc_nb.documents.files import IMAGES
from svc_nb.engine.claims import Owners
from svc_nb.engine.database import Database
from svc_nb.engine.gate import Gate
from svc_nb.engine.store import Store
from svc_nb.errors import StoreError
from svc_nb.locks import make_private
from svc_nb.secret import Secret
from svc_nb.session import Session
from svc_nb.wire.client import Client
from svc_nb.wire.models import DocumentHandle, DocumentOptions

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

APP = "svc_nb"


class KeyGone(StoreError):
    """The key that encrypts the keys of documents no longer exists."""


class KeyEncryption:
    """Encrypts secrets of the file *path* with one key, from *keyring* or a ".key" file for its owner alone."""

    def __init__(self, path: Path, keyring: Any = None) -> None:
        self._file = path.with_name(path.name + ".key")
        self._entry = f"documents {path}"
        self._keyring = keyring
        self._lock = threading.Lock()
        self._cipher: MultiFernet | None = None

    def prepare(self) -> None:
        """Create the key unless there is one; two processes must not do this at once."""
        from cryptography.fernet import Fernet

        with self._lock:
            if self._known() is not None:
                return
            key = Secret(Fernet.generate_key().decode("ascii"))
            with suppress(Exception):
                keyring = self._backend()
                keyring.set_password(APP, self._entry, key.reveal())
                # This is the only way to notice a keyring that stores nothing.
                if keyring.get_password(APP, self._entry) == key.reveal():
                    return
            make_private(self._file.parent)
            beside = self._file.with_name(f"{self._file.name}.{uuid4().hex}.tmp")
            try:
                descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                with open(descriptor, "w", encoding="ascii") as stream:
                    stream.write(key.reveal())
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(beside, self._file)
                return
            except OSError as problem:
                reason = problem.strerror
            raise StoreError(f"{self._file} could not be written: {reason}. Nothing was sent")

    def seal(self, secret: Secret) -> bytes:
        """*secret* as bytes that only `unseal` can read; call `prepare` first."""
        return self._ciphers().encrypt(secret.reveal().encode())

    def unseal(self, sealed: bytes) -> Secret:
        """The sealed secret; raises KeyGone if its key no longer exists."""
        from cryptography.fernet import InvalidToken

        with suppress(InvalidToken):
            return Secret(self._ciphers().decrypt(sealed).decode())
        raise self._gone()

    def _ciphers(self) -> MultiFernet:
        with self._lock:
            if self._cipher is None:
                self._cipher = self._known()
        if self._cipher is None:
            raise self._gone()
        return self._cipher

    def _gone(self) -> KeyGone:
        return KeyGone(
            "The keys of documents cannot be read: the key that encrypts them is neither in the keyring nor in "
            f"{self._file}. Translate those documents again; documents that were not downloaded were not billed"
        )

    def _known(self) -> MultiFernet | None:
        """The existing encryption keys: that of the file and that of the keyring; None if there is none."""
        from cryptography.fernet import Fernet, MultiFernet

        found = []
        with suppress(FileNotFoundError):
            found.append(Secret(self._file.read_text("ascii")))
        # Backends fail in their own ways (no desktop, locked, refused by the user): all mean that there is no key.
        with suppress(Exception):
            if entry := self._backend().get_password(APP, self._entry):
                found.append(Secret(entry))
        ciphers = []
        for key in found:
            with suppress(ValueError):  # a file that someone has changed holds no key
                ciphers.append(Fernet(key.reveal()))
        return MultiFernet(ciphers) if ciphers else None

    def _backend(self) -> Any:
        if self._keyring is not None:
            return self._keyring
        import keyring

        return keyring


NEW, SENT, READY, FETCHING, FETCHED = "new", "sent", "ready", "fetching", "fetched"
FAILED, LOST, MARKED = "failed", "lost", "marked"
UNDER_WAY = (SENT, READY, FETCHING)

# One script for each version of the file; a new version is a new script at the end.
VERSIONS = resources.files(__package__).joinpath("storage.sql").read_text("utf-8").split("-- next version\n")
PATIENCE = 30.0
# How many documents a process downloads at once.
DOWNLOADS = 2


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """The record of one document; the key stays encrypted."""

    identity: str
    address: str
    path: str
    size: int
    digest: str
    target_lang: str
    options: str
    stage: str = NEW
    status: str | None = None
    document_id: str | None = None
    output: str | None = None
    temporary: str | None = None
    whole: int | None = None
    output_digest: str | None = None
    seconds_remaining: int | None = None
    billed_characters: int | None = None
    error: str | None = None
    tag: str | None = None
    translator: str | None = None
    marked_characters: int | None = None
    detected_lang: str | None = None
    small_texts: int | None = None
    kept_texts: int | None = None
    risky_formulas: int | None = None
    risky_cells: str | None = None
    created: float = 0.0
    changed: float = 0.0

    @property
    def asked_options(self) -> DocumentOptions:
        """The requested options."""
        return DocumentOptions.from_wire(json.loads(self.options))


@dataclass(frozen=True, slots=True)
class Output:
    """A file that the translation of the file *path* was written to; *digest* is its digest at that time."""

    output: str
    identity: str
    path: str
    target_lang: str
    digest: str


# Only names from this module are inserted into statements below, never user input.
COLUMNS = tuple(each.name for each in fields(DocumentRecord))
TRANSLATOR = (
    *("translator", "marked_characters", "detected_lang", "small_texts", "kept_texts"),
    *("risky_formulas", "risky_cells"),
)
SELECT = f"SELECT {', '.join(COLUMNS)} FROM documents"  # noqa: S608
INSERT = f"INSERT INTO documents ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608
UPDATE = "UPDATE documents SET {}, changed = ? WHERE identity = ?"
OUTPUTS = "SELECT output, identity, path, target_lang, digest FROM outputs WHERE {} = ? ORDER BY rowid DESC"


class Storage:
    """The documents in the file at *path*; *keyring* replaces the system's. Methods raise StoreError.

    A download takes one of `downloads`: a process that is killed may lose a translation that the service has sent and
    counts as downloaded, so only a few are in progress at once.
    """

    def __init__(self, path: str | Path, *, keyring: Any = None, clock: Callable[[], float] = time.time) -> None:
        self._database = Database(path, VERSIONS, PATIENCE)
        self._database.when_forked = self._forked
        self._encryption = KeyEncryption(Path(self._database.path), keyring)
        self._owners = Owners(self._database.beside("-jobs"))
        self._jobs: set[str] = set()
        self._clock = clock
        self.downloads = threading.BoundedSemaphore(DOWNLOADS)

    # ---- which job works on what

    def enter(self) -> str:
        """A name for a new job of this process."""

        def work(db: sqlite3.Connection) -> str:
            self._encryption.prepare()
            if not self._owners.me:
                self._owners.enter()
            job = f"{self._owners.me}/{uuid4().hex}"
            self._jobs.add(job)
            return job

        return self._database.write(work)

    def leave(self, job: str) -> None:
        """*job* has ended: others may take its documents."""
        self._jobs.discard(job)
        self.release(None, job)

    def claim(self, new: DocumentRecord, job: str) -> DocumentRecord | None:
        """The document, reserved for *job*, from its record or as *new*; None while another living job has it."""

        def work(db: sqlite3.Connection) -> DocumentRecord | None:
            found = db.execute("SELECT owner FROM documents WHERE identity = ?", (new.identity,)).fetchone()
            if found is None:
                now = self._clock()
                values = {name: getattr(new, name) for name in COLUMNS} | {"created": now, "changed": now}
                db.execute(INSERT, tuple(values.values()))
            elif found[0] and found[0] != job and self._lives(found[0]):
                return None
            db.execute("UPDATE documents SET owner = ? WHERE identity = ?", (job, new.identity))
            return _one(db, new.identity)

        return self._database.write(work)

    def release(self, identity: str | None, job: str) -> None:
        """Release the document, or all documents of *job*; documents that were never sent are forgotten."""
        theirs = "documents WHERE owner = ?1 AND (?2 IS NULL OR identity = ?2)"
        free = theirs.replace(" WHERE", " SET owner = NULL WHERE")
        self._database.write(
            lambda db: db.execute(f"DELETE FROM {theirs} AND stage = ?3", (job, identity, NEW)),  # noqa: S608
            lambda db: db.execute(f"UPDATE {free}", (job, identity)),
        )

    # ---- records

    def note(self, identity: str, **changes: Any) -> None:
        """Record changes of a document."""
        names = ", ".join(f"{name} = ?" for name in changes)
        values = (*changes.values(), self._clock(), identity)
        self._database.write(lambda db: db.execute(UPDATE.format(names), values))

    def keep_handle(self, identity: str, handle: DocumentHandle, *, tag: str | None = None) -> None:
        """Record that a document was sent, with the key to retrieve it, and the tag."""
        self.note(
            identity,
            stage=SENT,
            status="queued",
            document_id=handle.document_id,
            document_key=self._encryption.seal(handle.document_key),
            tag=tag,
            error=None,
        )

    def handle(self, identity: str) -> DocumentHandle:
        """The handle of a document that was sent; raises KeyGone if its key can no longer be read."""
        sql = "SELECT document_id, document_key FROM documents WHERE identity = ?"
        found = self._database.read(lambda db: db.execute(sql, (identity,)).fetchone())
        document_id, sealed = found or (identity, None)
        if sealed is None:
            raise KeyGone(f"The document {document_id} is finished, and its key was deleted")
        return DocumentHandle(document_id, self._encryption.unseal(sealed))

    def start_over(self, identity: str, *, output: str | None) -> None:
        """Forget the result of a document that is about to be sent again."""
        unset = dict.fromkeys(
            ("status", "document_id", "document_key", "temporary", "whole", "output_digest")
        ) | dict.fromkeys(("seconds_remaining", "billed_characters", "error", *TRANSLATOR))
        self.note(identity, stage=NEW, output=output, **unset)

    def close_handle(self, identity: str, **changes: Any) -> None:
        """Record that a document is finished, and delete its key, which is no longer needed."""
        self.note(identity, document_key=None, seconds_remaining=None, **changes)

    def keep_output(self, written: Output) -> None:
        """Record where a translation was written; an older record of that path is replaced."""
        sql = "INSERT OR REPLACE INTO outputs (output, identity, path, target_lang, digest) VALUES (?, ?, ?, ?, ?)"
        self._database.write(lambda db: db.execute(sql, astuple(written)))

    # ---- queries

    def find(self, identity: str) -> DocumentRecord | None:
        """The document, if it was ever sent."""
        return self._database.read(lambda db: _one(db, identity))

    def under_way(self, address: str | None = None) -> list[DocumentRecord]:
        """The documents that are running or not fetched yet, oldest first, for one service or for all."""
        stages = ", ".join(f"'{stage}'" for stage in UNDER_WAY)
        sql = f"{SELECT} WHERE stage IN ({stages}) AND (?1 IS NULL OR address = ?1) ORDER BY created, path"
        return self._database.read(lambda db: [_record(row) for row in db.execute(sql, (address,))])

    def is_held(self, identity: str) -> bool:
        """Whether a living job works on the document."""

        def work(db: sqlite3.Connection) -> bool:
            found = db.execute("SELECT owner FROM documents WHERE identity = ?", (identity,)).fetchone()
            return bool(found and found[0] and self._lives(found[0]))

        return self._database.read(work)

    def made(self, output: str) -> Output | None:
        """What svc_nb last wrote to the file *output*, if anything."""
        return next(iter(self._written("output", output)), None)

    def copies(self, identity: str) -> list[Output]:
        """All files that the translation of a document was written to, the latest first."""
        return self._written("identity", identity)

    def outputs(self, paths: Iterable[str]) -> set[str]:
        """The *paths* that are outputs of svc_nb."""
        sql = "SELECT 1 FROM outputs WHERE output = ?"
        return self._database.read(
            lambda db: {path for path in paths if db.execute(sql, (path,)).fetchone() is not None}
        )

    def forget(self, document_id: str) -> int:
        """Forget a document permanently, with its key; returns how many were forgotten."""
        sql = "DELETE FROM documents WHERE document_id = ?"
        return self._database.write(lambda db: db.execute(sql, (document_id,)).rowcount)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close(self._owners.leave)

    def _written(self, name: str, value: str) -> list[Output]:
        sql = OUTPUTS.format(name)
        return self._database.read(lambda db: [Output(*row) for row in db.execute(sql, (value,))])

    def _lives(self, owner: str) -> bool:
        process = owner.partition("/")[0]
        return owner in self._jobs if process == self._owners.me else self._owners.alive(process)

    def _forked(self) -> None:
        self._owners.abandon()
        self._jobs.clear()
        self.downloads = threading.BoundedSemaphore(DOWNLOADS)


def _one(db: sqlite3.Connection, identity: str) -> DocumentRecord | None:
    row = db.execute(f"{SELECT} WHERE identity = ?", (identity,)).fetchone()
    return _record(row) if row else None


def _record(row: Sequence[Any]) -> DocumentRecord:
    record = DocumentRecord(*row)
    msgspec.json.decode(record.options)  # raises the error about a damaged file
    return record


def open_storage(path: str) -> Storage:
    """The storage in the file at *path*; a process has one for each file while it is in use."""
    with _lock:
        storage = _open.get(path) or Storage(path)
        _open[path] = storage
        return storage


_lock = threading.Lock()
_open: weakref.WeakValueDictionary[str, Storage] = weakref.WeakValueDictionary()


IMAGES_ARE_BETA = Advice(
    "images are translated only for accounts that are enrolled in the beta; if yours is, set {}",
    Setting("image_documents"),
)


@dataclass(slots=True, eq=False)
class Workspace:
    """The part of a session that documents need: their owner *address*, the plan (*free*), and the ledger's *origin*.

    *unreadable* are the kinds of documents that the service does not accept, by ending, with the reason.
    """

    client: Client
    gate: Gate
    patience: Patience
    storage: Storage
    store: Store
    origin: str
    address: str
    free: bool = False
    strict: bool = False
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Session) -> Workspace:
        """The part of *session* that documents need."""
        key = session.settings.api_key
        refused = {} if session.settings.image_documents else dict.fromkeys(IMAGES, str(IMAGES_ARE_BETA))
        return cls(
            session.client,
            session.gate,
            session.patience,
            open_storage(session.settings.documents_path),
            session.store,
            session.origin,
            address_of(session),
            free=key is not None and key.reveal().endswith(":fx"),
            strict=session.settings.strict,
            unreadable={**refused, **(session.service.unreadable_documents if session.service else {})},
        )


def address_of(session: Session) -> str:
    """The owner of the documents; the embedded service gets a new port each time, but its folder stays."""
    folder = session.service.folder if session.service else None
    return f"embedded {folder}" if folder else session.base_url or ""
