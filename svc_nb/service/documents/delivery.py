"""Handing out a translated document: once, to a caller who takes all of it, and only then is it billed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..formats import KINDS
from ..keys import Key
from ..ledger import DOCUMENTS
from ..problems import Problem, bad_request, not_found
from ..wire import File
from .cipher import Spoiled
from .claims import Claim
from .shelf import DAMAGED, DONE, ERROR, RESULT, SENDING, Document
from .ticket import Ticket

if TYPE_CHECKING:
    from ..core import Core


class Delivery:
    """Sends documents; what is on its way counts as spent for the quota of what follows."""

    def __init__(self, state: Core) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._on_its_way: dict[str, tuple[str, int]] = {}

    def begin(self, document_id: str, document_key: str, *, payer: Key) -> File:
        """The translated document as an answer: 404, 503 while it is not done, 456 when it cannot be paid."""
        claim = self._claim(self._ready(document_id, document_key))
        try:
            document = self._ready(document_id, document_key)
            ticket = self._state.documents.ticket(document, document_key)
            self._reserve(document, payer)
            size = self._state.documents.size(document_id)
        except (Spoiled, FileNotFoundError):
            self._end(document_id, claim)
            raise self._lost(document) from None
        except BaseException:
            self._end(document_id, claim)
            raise
        return File(
            self._pieces(document, document_key),
            media=KINDS[ticket.result].media,
            size=size,
            name=_name(ticket),
            sent=lambda: self._bill(document, ticket, payer),
            ended=lambda: self._end(document_id, claim),
        )

    def _ready(self, document_id: str, document_key: str) -> Document:
        shelf = self._state.documents
        document = shelf.get(document_id, document_key)
        status, _ = shelf.shown(document)
        if status == ERROR:
            raise _ended(document.error)
        if status != DONE:
            raise Problem(503, "Document translation is not done")
        return document

    def _claim(self, document: Document) -> Claim:
        try:
            return self._state.documents.claim(document.document_id, SENDING)
        except BlockingIOError:
            raise Problem(503, "Document is being downloaded") from None
        except FileNotFoundError:
            raise self._lost(document) from None

    def _pieces(self, document: Document, document_key: str) -> Iterator[bytes]:
        """Yield the translated document; when it turns out to be damaged, its status says so from then on."""
        try:
            yield from self._state.documents.read(document.document_id, RESULT, key=document_key)
        except Spoiled:
            self._state.documents.spoil(document, DAMAGED)
            raise

    def _lost(self, document: Document) -> Problem:
        """Note that a document that is done cannot be sent; the answer to who asked for it."""
        if self._state.documents.spoil(document, DAMAGED):
            return _ended(DAMAGED)
        return not_found("Document not found")  # another has just taken it

    def _reserve(self, document: Document, payer: Key) -> None:
        with self._lock:
            on_its_way = list(self._on_its_way.values())
            own = sum(characters for key_id, characters in on_its_way if key_id == payer.key_id)
            others = sum(characters for key_id, characters in on_its_way if key_id != payer.key_id)
            self._state.ledger.check(payer, document.characters + own, others=others)
            self._on_its_way[document.document_id] = payer.key_id, document.characters

    def _bill(self, document: Document, ticket: Ticket, payer: Key) -> None:
        """Take the document off the shelf and book it, both or neither."""
        with self._state.database.write() as connection:
            if self._state.documents.remove(document, connection):
                self._state.ledger.book(connection, payer, DOCUMENTS, document.characters, tag=ticket.tag)
        self._state.documents.clear(document.document_id)

    def _end(self, document_id: str, claim: Claim) -> None:
        with self._lock:
            self._on_its_way.pop(document_id, None)
        claim.close()


def _ended(error: str) -> Problem:
    return bad_request("Document translation ended in an error.", detail=error)


def _name(ticket: Ticket) -> str:
    """The name of the translated file, as a suggestion to whoever saves it.

    >>> from .ticket import Wanted
    >>> _name(Ticket("report.final.pdf", "pdf", Wanted("DE", output_format="docx")))
    'report.final.docx'
    """
    return f"{ticket.name.rpartition('.')[0] or ticket.name}.{ticket.result}"
