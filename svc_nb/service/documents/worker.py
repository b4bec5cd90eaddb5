"""The translation of documents: two threads, which know the keys of what they work on and of nothing else."""

import contextlib
import logging
import os
import queue
import sqlite3
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from filelock import Timeout

from .. import formats
from ..catalogue import languages
from ..detector import UNKNOWN
from ..formats import Unreadable
from ..formats.tagged_text import untagged
from ..problems import Problem
from ..translate import UNCHANGED, CheckedOptions, Engines, TextFormat, check_options, translate_texts
from ..translation.tags import Markup
from ..translators import PSEUDO, TranslatorBusy
from .cipher import Damaged
from .storage import DAMAGED, SOURCE, WORK, Document, DocumentStore, TranslatedBy

log = logging.getLogger("svc_nb.service")

THREADS = 2
DEADLINE_SECONDS = 30 * 60.0
BUSY_SECONDS = 0.5
MOST_ATTEMPTS = 5
BATCH = 4_000
FAILED = "The document could not be translated."
TOO_SLOW = "The translation of the document took too long."

_GRACE_SECONDS = 5.0
_NOTE_SECONDS = 0.5
_BY_NUMBER = Path("/proc/self/fd")
_PLAIN = TextFormat()
_TAGGED = TextFormat(markup=Markup("xml", outline=False))


class _GivenUp(Exception):
    """The work is not wanted any more: the service ends, or the deadline has passed."""


class WithDocuments(Engines, Protocol):
    """What a document is translated with, and where it is."""

    documents: DocumentStore


class DocumentWorker:
    """Translates documents whose keys it is offered, two at a time; what passes *deadline* is given up."""

    def __init__(self, state: WithDocuments, *, most_characters: int, deadline: float = DEADLINE_SECONDS) -> None:
        self._state = state
        self._most_characters = most_characters
        self.deadline = deadline
        self._lock = threading.Lock()
        self._keys: dict[str, str] = {}
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()

    def offer(self, document_id: str, key: str) -> None:
        """Have a document translated, unless it is waiting or in progress; the key is known until it is done."""
        with self._lock:
            if document_id in self._keys or self._stopped.is_set():
                return
            self._keys[document_id] = key
            if len(self._threads) < THREADS:
                thread = threading.Thread(target=self._work, name="svc_nb-worker", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._waiting.put(document_id)

    def stop(self) -> None:
        """Put down what is in progress; it stays stored, for whoever is offered its key next."""
        self._stopped.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(_GRACE_SECONDS)

    def _work(self) -> None:
        documents = self._state.documents
        while (document_id := self._waiting.get()) is not None and not self._stopped.is_set():
            try:
                with documents.lock(document_id, WORK):
                    self._translate_in_time(document_id, self._keys[document_id])
            except Timeout:
                pass  # another process is at it
            except FileNotFoundError:
                # Its file has gone; of one that is done, none is missing.
                if (document := documents.begin(document_id)) is not None:
                    documents.fail(document, DAMAGED)
            except Exception as error:
                log.error("a document was put down: %s", _whereabouts(error))
            finally:
                with self._lock:
                    del self._keys[document_id]

    def _translate_in_time(self, document_id: str, key: str) -> None:
        """Translate in a thread of its own, which is left behind when the deadline passes."""
        document = self._state.documents.begin(document_id)
        if document is None:
            return
        job = _Job(self._state, document, key, self._stopped, self._most_characters)
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


@dataclass(eq=False, repr=False)
class _Job:
    """The translation of one document; *by* counts characters by the engine that translated them and their language."""

    state: WithDocuments
    document: Document
    key: str
    stopped: threading.Event
    most_characters: int
    given_up: threading.Event = field(default_factory=threading.Event)
    noted: float = field(default_factory=time.monotonic)
    characters: int = 0
    by: Counter[tuple[str, str]] = field(default_factory=Counter)
    options: CheckedOptions = field(init=False)

    def run(self) -> None:
        """Bring the document to its end: done, error, or back in the queue when the service ends."""
        documents, document = self.state.documents, self.document
        # What cannot be noted in the database now is done again when it is asked for.
        with contextlib.suppress(sqlite3.OperationalError):
            try:
                if document.attempt > MOST_ATTEMPTS:
                    raise Unreadable(FAILED)
                self._translate()
            except _GivenUp:
                if not self.given_up.is_set():
                    documents.put_back(document)
            except Unreadable as error:
                documents.fail(document, str(error) or FAILED)
            except Problem as problem:
                documents.fail(document, problem.body.message)
            except Damaged:
                documents.fail(document, DAMAGED)
            except Exception as error:
                if not self.stopped.is_set():
                    log.error("a document failed: %s", _whereabouts(error))
                    documents.fail(document, FAILED)

    def _translate(self) -> None:
        documents, document = self.state.documents, self.document
        details = documents.details(document, self.key)
        self.options = check_options(self.state, details.options.target_lang, details.options)
        with contextlib.ExitStack() as files:
            source, source_path = _scratch_file(files)
            target, target_path = _scratch_file(files)
            for piece in documents.read(document.document_id, SOURCE, key=self.key):
                source.write(piece)
            wish = formats.Wish(
                self.options.target, details.options.output_format or "", details.options.enable_watermark
            )
            words = self._translate_words
            remarks = formats.translate(details.extension, source_path, target_path, words=words, wish=wish)
            self._note(1.0)
            target.seek(0)
            cost = max(self.characters, formats.KINDS[details.extension].least)
            # First the engine that only marks, then by characters; the language is the first's.
            ranked = sorted(self.by, key=lambda by: (by[0] != PSEUDO, by[0] == UNCHANGED, -self.by[by]))
            engines = dict.fromkeys(engine for engine, _ in ranked if engine != UNCHANGED)
            marked = sum(size for (engine, _), size in self.by.items() if engine == PSEUDO)
            source_lang = ranked[0][1] if ranked else None
            who = ", ".join(engines) or UNCHANGED
            said = remarks.small, remarks.kept, remarks.formulas, remarks.cells
            details.made = TranslatedBy(who, marked, source_lang, *said)
            documents.finish(document, target, details, key=self.key, characters=cost)

    def _translate_words(self, texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        """Return the translations of *texts*, same length and order; raises Unreadable when there are too many."""
        bare = [untagged(text) for text in texts] if tagged else texts
        sizes = [len(text) for text in bare]
        self.characters += sum(sizes)
        if self.characters > self.most_characters:
            raise Unreadable(f"The document has more than {self.most_characters:,} characters.")
        source = self.options.source or self.state.detector.guess("\n".join(bare))
        if languages.base(source) == languages.base(self.options.target):
            raise Unreadable("Source and target language are equal.")
        if source == UNKNOWN:
            return list(texts)
        form, made, done = _TAGGED if tagged else _PLAIN, list[str](), 0
        for start, end in batches(sizes):
            known = [source] * (end - start)
            while True:
                self._note(done / max(self.characters, 1))
                try:
                    translated = translate_texts(self.state, texts[start:end], self.options, form=form, known=known)
                    break
                except TranslatorBusy:  # it continues in the meantime
                    self.stopped.wait(BUSY_SECONDS)
            done += sum(sizes[start:end])
            made += [each.text for each in translated]
            for each, size in zip(translated, sizes[start:end], strict=True):
                self.by[each.engine, each.source] += size
        return made

    def _note(self, fraction: float) -> None:
        """Store how much is done, now and then; raises when the work is not wanted any more."""
        if self.given_up.is_set() or self.stopped.is_set():
            raise _GivenUp
        if time.monotonic() - self.noted >= _NOTE_SECONDS:
            self.noted = time.monotonic()
            self.state.documents.advance(self.document, fraction)


def _scratch_file(files: contextlib.ExitStack) -> tuple[IO[bytes], Path]:
    """An empty file without a name, and a path by which this process alone can open it; gone when the work ends."""
    if _BY_NUMBER.is_dir():
        file = files.enter_context(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
        return file, _BY_NUMBER / str(file.fileno())
    folder = files.enter_context(tempfile.TemporaryDirectory(prefix="svc_nb-"))  # for the owner alone
    path = Path(folder) / "sheet"
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    return files.enter_context(os.fdopen(descriptor, "r+b", buffering=0)), path


def batches(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut texts of these *sizes* into runs of about BATCH characters; a longer text goes alone."""
    start = size = 0
    for place, each in enumerate(sizes):
        size += each
        if size >= BATCH:
            yield start, place + 1
            start, size = place + 1, 0
    if start < len(sizes):
        yield start, len(sizes)


def _whereabouts(error: Exception) -> str:
    """Where something went wrong, and what kind of thing: its message might hold what is in the document."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}, {last.filename}:{last.lineno}"
