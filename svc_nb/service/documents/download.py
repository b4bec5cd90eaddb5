"""Handing out a translated document: once, to a caller who takes all of it, and only then is it billed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from ..answers import File
from ..database import Database
from ..formats import KINDS
from ..keys import Key
from ..ledger import DOCUMENTS, Ledger
from ..problems import Problem, bad_request, not_found
from .cipher import Damaged
from .storage import DAMAGED, DONE, ERROR, RESULT, SENDING, Document, DocumentStore, FileLock


class Downloads:
    """Sends documents; what is on its way counts as spent for the quota of what follows."""

    def __init__(self, database: Database, documents: DocumentStore, ledger: Ledger) -> None:
        self._database = database
        self._documents = documents
        self._ledger = ledger
        self._lock = threading.Lock()
        self._on_its_way: dict[str, tuple[str, int]] = {}

    def begin(self, document_id: str, document_key: str, *, payer: Key) -> File:
        """The translated document as an answer: 404, 503 while it is not done, 456 when it cannot be paid."""
        documents, document = self._documents, self._finished(document_id, document_key)
        try:
            lock = documents.lock(document_id, SENDING)
        except BlockingIOError:
            raise Problem(503, "Document is being downloaded") from None
        except FileNotFoundError:
            raise self._lost(document) from None
        try:
            document = self._finished(document_id, document_key)
            details = documents.details(document, document_key)
            self._reserve(document, payer)
            size = documents.size(document_id)
        except (Damaged, FileNotFoundError):
            self._end(document_id, lock)
            raise self._lost(document) from None
        except BaseException:
            self._end(document_id, lock)
            raise
        return File(
            self._pieces(document, document_key),
            media=KINDS[details.result].media,
            size=size,
            name=f"{details.name.rpartition('.')[0] or details.name}.{details.result}",
            sent=lambda: self._bill(document, payer, details.tag),
            ended=lambda: self._end(document_id, lock),
        )

    def _finished(self, document_id: str, document_key: str) -> Document:
        document = self._documents.get(document_id, document_key)
        status, _ = self._documents.shown(document)
        if status == ERROR:
            raise _failed(document.error)
        if status != DONE:
            raise Problem(503, "Document translation is not done")
        return document

    def _pieces(self, document: Document, document_key: str) -> Iterator[bytes]:
        """Yield the translated document; when it turns out to be damaged, its status says so from then on."""
        try:
            yield from self._documents.read(document.document_id, RESULT, key=document_key)
        except Damaged:
            self._documents.mark_damaged(document)
            raise

    def _lost(self, document: Document) -> Problem:
        """Note that a document that is done cannot be sent; the answer to who asked for it."""
        if self._documents.mark_damaged(document):
            return _failed(DAMAGED)
        return not_found("Document not found")  # another has just taken it

    def _reserve(self, document: Document, payer: Key) -> None:
        with self._lock:
            on_its_way = list(self._on_its_way.values())
            own = sum(characters for key_id, characters in on_its_way if key_id == payer.key_id)
            others = sum(characters for key_id, characters in on_its_way if key_id != payer.key_id)
            self._ledger.check(payer, document.characters + own, others=others)
            self._on_its_way[document.document_id] = payer.key_id, document.characters

    def _bill(self, document: Document, payer: Key, tag: str | None) -> None:
        """Remove the document and book it, both or neither."""
        with self._database.write() as connection:
            if self._documents.remove(document, connection) and document.characters:
                self._ledger.book(connection, payer.key_id, DOCUMENTS, document.characters, tag=tag)
        self._documents.remove_files(document.document_id)

    def _end(self, document_id: str, lock: FileLock) -> None:
        with self._lock:
            self._on_its_way.pop(document_id, None)
        lock.close()


def _failed(error: str) -> Problem:
    return bad_request("Document translation ended in an error.", detail=error)
