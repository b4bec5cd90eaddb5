"""Imports and exports: an import waits for its file, is read by a thread and ends; an export is ready at once."""

import contextlib
import hashlib
import hmac
import logging
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import IO

from ..catalogue import languages
from ..database import Connection, Database, now, stamp
from ..problems import Problem, bad_request, check_id, not_found
from .storage import STALE, Memories
from .tmx import TAIL, BadTmx, Unit, head, units, written

log = logging.getLogger("svc_nb.service")

AWAITING, PROCESSING, COMPLETED = "awaiting_input", "processing", "completed"
FAILED, EXPIRED = "failed", "expired"
LIFE = timedelta(hours=1)
KEPT = timedelta(days=7)
AT_ONCE = 1000
LONG = 1 << 22
ENDED = "The service ended while it read the file; import it again."
SIMPLIFIED = frozenset({"zh-cn", "zh-sg", "zh-my"})
TRADITIONAL = frozenset({"zh-hant", "zh-tw", "zh-hk", "zh-mo"})


@dataclass(frozen=True, slots=True)
class MemoryJob:
    """An import or an export as it stands."""

    job_id: str
    operation: str
    status: str
    creation_time: str
    updated_time: str
    expires_at: str
    display_name: str | None
    translation_memory_id: str | None
    content_type: str | None
    content_length: int | None
    skipped: int | None
    error: str | None


class MemoryJobs:
    """The jobs of an account's memories; every import and export takes *seconds* at least."""

    def __init__(
        self, database: Database, memories: Memories, *, clock: Callable[[], datetime] = now, seconds: float = 0.0
    ) -> None:
        self._database = database
        self._memories = memories
        self._clock = clock
        self._seconds = seconds
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin_import(self, display_name: str, content_type: str, content_length: int) -> MemoryJob:
        """A job that waits for its file."""
        about: dict[str, str | int] = {"content_type": content_type, "content_length": content_length}
        return self._new(operation="import", status=AWAITING, display_name=display_name, **about)

    def begin_export(self, memory_id: str) -> tuple[MemoryJob, bool]:
        """A job that gives a memory as TMX, and whether it is new; one that has ended and not expired is used again."""
        found = self._memories.get(memory_id).translation_memory_id
        with self._database.read() as connection:
            known = connection.rows("memory_jobs", operation="export", translation_memory_id=found)
        last = self._seen(known[-1]) if known else None
        if last and last.expires_at > stamp(self._clock() + LIFE / 2) and last.status == COMPLETED:
            return last, False
        return self._new(operation="export", status=COMPLETED, translation_memory_id=found), True

    def get(self, job_id: str) -> MemoryJob:
        """One job; 400 if it is not an id, 404 for an unknown one."""
        with self._database.read() as connection:
            return self._seen(_row(connection, job_id))

    def take(self, job_id: str, file: IO[bytes], size: int) -> None:
        """Read the file of an import in a thread of its own, and close it; a second one changes nothing."""
        with contextlib.ExitStack() as unread:
            unread.callback(file.close)
            job = self.get(job_id)
            if job.operation != "import" or job.status == EXPIRED:
                raise not_found("No file is awaited here.")
            if size != job.content_length:
                raise bad_request(f"The file has {size} bytes; {job.content_length} were announced.")
            with self._database.write() as connection:
                waiting = {"job_id": job.job_id, "begun": 0}
                if not connection.change("memory_jobs", waiting, begun=1, updated_time=stamp(self._clock())):
                    return
            unread.pop_all()
        thread = threading.Thread(target=self._work, args=(job, file), name="svc_nb import", daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def file(self, job_id: str) -> Iterator[bytes]:
        """The TMX of an export, piece by piece, or 404."""
        job = self.get(job_id)
        if job.operation != "export" or job.status != COMPLETED or job.translation_memory_id is None:
            raise not_found("There is no file here.")
        memory = self._memories.get(job.translation_memory_id)

        def pieces() -> Iterator[bytes]:
            yield head(memory.source_language).encode()
            segments = self._memories.segments(memory.translation_memory_id)
            while batch := list(islice(segments, AT_ONCE)):
                units = (Unit(memory.source_language, [each.source, *each.targets]) for each in batch)
                yield "".join(map(written, units)).encode()
            yield TAIL.encode()

        return pieces()

    def link(self, address: str, method: str, job: MemoryJob) -> str:
        """The address under which the file of a job is uploaded (PUT) or downloaded (GET)."""
        expires = int(datetime.fromisoformat(job.expires_at).timestamp())
        signed = self._signature(method, job.job_id, expires)
        return f"{address}/v3/translation_memories/jobs/{job.job_id}/file?expires={expires}&signature={signed}"

    def check_link(self, method: str, job_id: str, expires: int, signed: str) -> None:
        """Raise 403 unless *signed* is right and not too old."""
        if not hmac.compare_digest(self._signature(method, job_id, expires).encode(), signed.encode()):
            raise Problem(403, detail="The address is not signed by this service.")
        if self._clock().astimezone(UTC).timestamp() > expires:
            raise Problem(403, detail="The address has expired.")

    def _signature(self, method: str, job_id: str, expires: int) -> str:
        with self._database.read() as connection:
            key: bytes = connection.rows("memory_signing")[0]["key"]
        return hmac.new(key, f"{method} {job_id} {expires}".encode(), hashlib.sha256).hexdigest()

    def close(self) -> None:
        """End all reading; what was not read to its end fails."""
        self._ending.set()
        for thread in self._threads:
            thread.join(10)

    # ---- one import

    def _work(self, job: MemoryJob, file: IO[bytes]) -> None:
        try:
            with file:
                self._ending.wait(self._seconds / 2)
                self._set(job, status=PROCESSING)
                self._ending.wait(self._seconds / 2)
                memory_id, skipped = self._read(job, file)
            self._set(job, status=COMPLETED, translation_memory_id=memory_id, skipped=skipped)
        except BadTmx as problem:
            self._fail(job, str(problem))
        except Exception:
            log.exception("an import broke down")
            self._fail(job, "The service could not keep the memory.")

    def _fail(self, job: MemoryJob, reason: str) -> None:
        try:
            self._set(job, status=FAILED, error=reason)
        except sqlite3.Error:  # the service has ended; the job is seen to have failed by its age
            log.info("an import ended with the service")

    def _read(self, job: MemoryJob, file: IO[bytes]) -> tuple[str, int]:
        reading = _Reading()
        found = batches(reading.segments(units(file)))
        first = next(found, None)
        if first is None:
            raise BadTmx("The file has no segment in a language pair that a memory can have.")
        memory_id = self._memories.begin(job.display_name or "", reading.source_lang)
        try:
            for batch in chain([first], found):
                if self._ending.is_set():
                    raise BadTmx(ENDED)
                self._memories.fill(memory_id, batch)
                self._set(job)
            self._memories.finish(memory_id)
        except BaseException:
            self._memories.discard(memory_id)
            raise
        return memory_id, reading.skipped

    # ---- what is kept of a job

    def _set(self, job: MemoryJob, **columns: str | int) -> None:
        with self._database.write() as connection:
            connection.change("memory_jobs", {"job_id": job.job_id}, updated_time=stamp(self._clock()), **columns)

    def _new(self, **columns: str | int) -> MemoryJob:
        moment, job_id = self._clock(), str(uuid.uuid4())
        times = {"creation_time": stamp(moment), "updated_time": stamp(moment), "expires_at": stamp(moment + LIFE)}
        with self._database.write() as connection:
            connection.execute("DELETE FROM memory_jobs WHERE creation_time < ?", (stamp(moment - KEPT),))
            connection.add("memory_jobs", job_id=job_id, **times, **columns)
            return self._seen(_row(connection, job_id))

    def _seen(self, row: sqlite3.Row) -> MemoryJob:
        """A job with the status that it has by now."""
        columns = {name: row[name] for name in MemoryJob.__slots__}
        moment, least = self._clock(), timedelta(seconds=self._seconds)
        creation, updated, expires = (
            datetime.fromisoformat(row[name]) for name in ("creation_time", "updated_time", "expires_at")
        )
        if row["operation"] == "export":
            ready = moment >= creation + least
            columns["status"] = EXPIRED if moment > expires else COMPLETED if ready else PROCESSING
        elif row["status"] in (AWAITING, PROCESSING) and row["begun"]:
            if moment > updated + STALE + least:
                columns["status"] = FAILED
        elif row["status"] in (AWAITING, PROCESSING) and moment > expires:
            columns["status"] = EXPIRED
        if columns["status"] == FAILED and not columns["error"]:
            columns["error"] = ENDED
        return MemoryJob(**columns)


class _Reading:
    """Takes the segments that a memory can have: its source language is that of the first unit which has one."""

    def __init__(self) -> None:
        self.source_lang = ""
        self.skipped = 0

    def segments(self, found: Iterator[Unit]) -> Iterator[Unit]:
        """The units with their source first, and only in languages that a memory can have; others are counted."""
        for unit in found:
            full = [text for text in unit.texts if text.plain.strip()]
            wanted = self.source_lang or source_of(unit.source_lang)
            own = [(source_of(text.language), text) for text in full if wanted or not unit.source_lang]
            sources = (text._replace(language=code) for code, text in own if code and code == (wanted or code))
            source = next(sources, None)
            targets = [
                text._replace(language=code)
                for text in full
                if source and (code := target_of(text.language)) and languages.base(code) != source.language
            ]
            if source is None or not targets:
                self.skipped += 1
                continue
            self.skipped += len(full) - 1 - len(targets)
            self.source_lang = self.source_lang or source.language
            yield Unit(source.language, [source, *targets])


def source_of(code: str) -> str | None:
    """The source language of a memory that *code* is; None if there is no such."""
    base = languages.base(code)
    return base if base in languages.MEMORY_SOURCES else None


def target_of(code: str) -> str | None:
    """The target language of a memory that *code* is: itself, a variant near to it, or its base.

    >>> target_of("en_us"), target_of("zh-CN"), target_of("es-MX"), target_of("de-AT"), target_of("zh-TW")
    ('en-us', 'zh-hans', 'es-419', 'de', None)
    """
    known = languages.normalise(code)
    if known in languages.MEMORY_TARGETS:
        return known
    if known in SIMPLIFIED or known.startswith("zh-hans"):
        return "zh-hans"
    if known in TRADITIONAL or known.startswith("zh-hant"):
        return None
    base = languages.base(known)
    if base == "es" and known != "es-es":
        return "es-419"
    return base if base in languages.MEMORY_TARGETS else None


def batches(found: Iterable[Unit]) -> Iterator[list[Unit]]:
    """The units in runs that are short, by their number and by the length of their texts."""
    batch: list[Unit] = []
    length = 0
    for unit in found:
        batch.append(unit)
        length += sum(len(text.plain) + len(text.markup or "") for text in unit.texts)
        if len(batch) >= AT_ONCE or length >= LONG:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _row(connection: Connection, job_id: str) -> sqlite3.Row:
    check_id("job_id", job_id)
    row = connection.find("memory_jobs", job_id=job_id.lower())
    if row is None:
        raise not_found("Job not found.")
    return row
