"""The clerks who translate documents: two threads, which know the keys of what they work on and of nothing else."""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
import traceback
from typing import TYPE_CHECKING

from .. import formats
from ..ordering import ordered
from ..problems import Problem
from . import shelf as shelves
from .cipher import Spoiled
from .desk import desk
from .shelf import DAMAGED, Document
from .ticket import Ticket
from .wording import Wording

if TYPE_CHECKING:
    from ..core import Core

log = logging.getLogger("svc_nb.service")

CLERKS = 2
DEADLINE_SECONDS = 30 * 60.0
MOST_ATTEMPTS = 5
FAILED = "The document could not be translated."
TOO_SLOW = "The translation of the document took too long."

_GRACE_SECONDS = 5.0
_NOTE_SECONDS = 0.5


class _GivenUp(Exception):
    """The work is not wanted any more: the service ends, or the deadline has passed."""


class Clerk:
    """Takes documents whose keys it is offered, two at a time; a translation that passes *deadline* is given up."""

    def __init__(self, state: Core, *, deadline: float = DEADLINE_SECONDS) -> None:
        self._state = state
        self.deadline = deadline
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()

    def offer(self, document_id: str, key: str) -> None:
        """Have a document translated, unless it is waiting or under way already; the key is known until it is done."""
        with self._lock:
            if document_id in self._keys or self._stopped.is_set():
                return
            self._keys[document_id] = key
            if len(self._threads) < CLERKS:
                thread = threading.Thread(target=self._serve, name="svc_nb-clerk", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._waiting.put(document_id)

    def stop(self) -> None:
        """Put down what is under way; it stays on the shelf, for whoever is offered its key next."""
        self._stopped.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(_GRACE_SECONDS)

    def _serve(self) -> None:
        while (document_id := self._waiting.get()) is not None and not self._stopped.is_set():
            try:
                with self._state.documents.claim(document_id, shelves.WORK):
                    self._translate_in_time(document_id, self._keys[document_id])
            except BlockingIOError:
                pass  # a clerk of another process is at it
            except FileNotFoundError:
                self._report_loss(document_id)
            except Exception as error:
                log.error("a document was put down: %s", _whereabouts(error))
            finally:
                with self._lock:
                    del self._keys[document_id]

    def _report_loss(self, document_id: str) -> None:
        """End a document whose file has gone; one that is done has none, and none is missing."""
        document = self._state.documents.begin(document_id)
        if document is not None:
            self._state.documents.fail(document, DAMAGED)

    def _translate_in_time(self, document_id: str, key: str) -> None:
        """Translate in a thread of its own, which is left behind when the deadline passes."""
        document = self._state.documents.begin(document_id)
        if document is None:
            return
        job = _Job(self._state, document, key, self._stopped)
        thread = threading.Thread(target=job.run, name="svc_nb-document", daemon=True)
        thread.start()
        due = time.monotonic() + self.deadline
        while thread.is_alive() and time.monotonic() < due and not self._stopped.is_set():
            thread.join(min(_NOTE_SECONDS, max(0.0, due - time.monotonic())))
        if thread.is_alive() and self._stopped.is_set():
            thread.join(_GRACE_SECONDS / 2)
        elif thread.is_alive():
            job.given_up.set()
            self._state.documents.fail(document, TOO_SLOW)


class _Job:
    """The translation of one document."""

    def __init__(self, state: Core, document: Document, key: str, stopped: threading.Event) -> None:
        self._state = state
        self._document = document
        self._key = key
        self._stopped = stopped
        self._noted = time.monotonic()
        self.given_up = threading.Event()

    def run(self) -> None:
        """Bring the document to its end: done, error, or back in the queue when the service ends."""
        with contextlib.suppress(
            sqlite3.OperationalError
        ):  # what cannot be noted now is done again when it is asked for
            self._run()

    def _run(self) -> None:
        shelf, document = self._state.documents, self._document
        try:
            if document.attempt > MOST_ATTEMPTS:
                raise formats.Unreadable(FAILED)
            self._translate()
        except _GivenUp:
            if not self.given_up.is_set():
                shelf.put_back(document)
        except formats.Unreadable as error:
            shelf.fail(document, str(error) or FAILED)
        except Problem as problem:
            shelf.fail(document, problem.body.message)
        except Spoiled:
            shelf.fail(document, DAMAGED)
        except Exception as error:
            if not self._stopped.is_set():
                log.error("a document failed: %s", _whereabouts(error))
                shelf.fail(document, FAILED)

    def _translate(self) -> None:
        state, document = self._state, self._document
        ticket = state.documents.ticket(document, self._key)
        order = ordered(state, ticket.wanted)
        wording = Wording(state, order, most=state.account.most_characters, told=self._tell)
        with desk() as (source, target):
            for piece in state.documents.read(document.document_id, shelves.SOURCE, key=self._key):
                source.file.write(piece)
            wish = formats.Wish(
                order.target, ticket.wanted.output_format or "", ticket.wanted.enable_watermark
            )
            formats.translate(ticket.extension, source.path, target.path, words=wording, wish=wish)
            self._tell(1.0)
            target.file.seek(0)
            cost = _cost(ticket, wording.characters)
            ticket.made = wording.made
            state.documents.finish(document, target.file, ticket, key=self._key, characters=cost)

    def _tell(self, fraction: float) -> None:
        if self.given_up.is_set() or self._stopped.is_set():
            raise _GivenUp
        if time.monotonic() - self._noted >= _NOTE_SECONDS:
            self._noted = time.monotonic()
            self._state.documents.advance(self._document, fraction)


def _cost(ticket: Ticket, characters: int) -> int:
    """What a document costs: its characters, but no less than its kind does."""
    return max(characters, formats.KINDS[ticket.extension].least)


def _whereabouts(error: Exception) -> str:
    """Where something went wrong, and what kind of thing: its message might hold what is in the document."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {last.filename}:{last.lineno}"
