"""Imports and exports: an import waits for its file, is read by a thread and ends; an export is ready at once.

An import that a process left behind when it ended is seen by its age, for whoever reads a file says so as it goes.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import IO

from ..clock import now, stamp
from ..database import Database
from ..glossaries import UUID_FORM
from ..problems import Problem, bad_request, not_found
from .codes import source_of, target_of
from .shelf import STALE, Memories
from .tmx import TAIL, BadTmx, Text, Unit, head, units, written

log = logging.getLogger("svc_nb.service")

AWAITING, PROCESSING, COMPLETED = "awaiting_input", "processing", "completed"
FAILED, EXPIRED = "failed", "expired"
LIFE = timedelta(hours=1)
KEPT = timedelta(days=7)
AT_ONCE = 1000
LONG = 1 << 22


@dataclass(frozen=True, slots=True)
class Job:
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

    @property
    def until(self) -> datetime:
        """When its address expires."""
        return datetime.fromisoformat(self.expires_at)


class Jobs:
    """The jobs of an account's memories; every import and export takes *seconds* at least."""

    def __init__(
        self,
        database: Database,
        memories: Memories,
        *,
        clock: Callable[[], datetime] = now,
        seconds: float = 0.0,
    ) -> None:
        self._database = database
        self._memories = memories
        self._clock = clock
        self._seconds = seconds
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []

    def begin_import(self, display_name: str, content_type: str, content_length: int) -> Job:
        """A job that waits for its file."""
        return self._new(
            operation="import",
            status=AWAITING,
            display_name=display_name,
            content_type=content_type,
            content_length=content_length,
        )

    def begin_export(self, memory_id: str) -> tuple[Job, bool]:
        """A job that gives a memory as TMX, and whether it is new; one that has ended and not expired is used again."""
        found = self._memories.get(memory_id).translation_memory_id
        soon = stamp(self._clock() + LIFE / 2)
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT * FROM memory_jobs WHERE operation = 'export' AND translation_memory_id = ? "
                "AND expires_at > ? ORDER BY rowid DESC",
                (found, soon),
            ).fetchone()
        if row is not None and self._seen(row).status == COMPLETED:
            return self._seen(row), False
        return self._new(operation="export", status=COMPLETED, translation_memory_id=found), True

    def get(self, job_id: str) -> Job:
        """One job; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return self._seen(_row(connection, job_id))

    def take(self, job_id: str, file: IO[bytes], size: int) -> None:
        """Read the file of an import in a thread of its own, and close it; a second one changes nothing."""
        try:
            job = self._begun(job_id, size)
        except BaseException:
            file.close()
            raise
        if job is None:
            file.close()
            return
        thread = threading.Thread(target=self._work, args=(job, file), name="svc_nb import", daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def _begun(self, job_id: str, size: int) -> Job | None:
        """The job that a file of *size* bytes is for; None where it has its file already."""
        job = self.get(job_id)
        if job.operation != "import" or job.status == EXPIRED:
            raise not_found("No file is awaited here.")
        if size != job.content_length:
            raise bad_request(f"The file has {size} bytes; {job.content_length} were announced.")
        with self._database.write() as connection:
            begun = connection.execute(
                "UPDATE memory_jobs SET begun = 1, updated_time = ? WHERE job_id = ? AND NOT begun",
                (stamp(self._clock()), job.job_id),
            )
        return job if begun.rowcount else None

    def file(self, job_id: str) -> Iterator[bytes]:
        """The TMX of an export, piece by piece, or 404."""
        job = self.get(job_id)
        if job.operation != "export" or job.status != COMPLETED or job.translation_memory_id is None:
            raise not_found("There is no file here.")
        return _file(self._memories, job.translation_memory_id)

    def close(self) -> None:
        """End all reading; what was not read to its end fails."""
        self._ending.set()
        for thread in self._threads:
            thread.join(10)

    # ---- one import

    def _work(self, job: Job, file: IO[bytes]) -> None:
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

    def _fail(self, job: Job, reason: str) -> None:
        try:
            self._set(job, status=FAILED, error=reason)
        except sqlite3.Error:  # the service has ended; the job is seen to have failed by its age
            log.info("an import ended with the service")

    def _read(self, job: Job, file: IO[bytes]) -> tuple[str, int]:
        reading = _Reading()
        found = batches(reading.segments(units(file)))
        first = next(found, None)
        if first is None:
            raise BadTmx("The file has no segment in a language pair that a memory can have.")
        memory_id = self._memories.begin(job.display_name or "", reading.source_lang)
        try:
            for batch in chain([first], found):
                if self._ending.is_set():
                    raise BadTmx("The service ended while it read the file; import it again.")
                self._memories.fill(memory_id, batch)
                self._set(job)
            self._memories.finish(memory_id)
        except BaseException:
            self._memories.discard(memory_id)
            raise
        return memory_id, reading.skipped

    # ---- what is kept of a job

    def _set(self, job: Job, **columns: str | int) -> None:
        changes = {**columns, "updated_time": stamp(self._clock())}
        names = ", ".join(f"{name} = ?" for name in changes)
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE memory_jobs SET {names} WHERE job_id = ?",  # noqa: S608
                (*changes.values(), job.job_id),
            )

    def _new(self, **columns: str | int) -> Job:
        moment, job_id = self._clock(), str(uuid.uuid4())
        row: dict[str, str | int] = {
            "job_id": job_id,
            "creation_time": stamp(moment),
            "updated_time": stamp(moment),
            "expires_at": stamp(moment + LIFE),
            **columns,
        }
        marks = ", ".join("?" * len(row))
        with self._database.write() as connection:
            connection.execute("DELETE FROM memory_jobs WHERE creation_time < ?", (stamp(moment - KEPT),))
            connection.execute(
                f"INSERT INTO memory_jobs ({', '.join(row)}) VALUES ({marks})",  # noqa: S608
                tuple(row.values()),
            )
            return self._seen(_row(connection, job_id))

    def _seen(self, row: sqlite3.Row) -> Job:
        """A job with the status that it has by now."""
        columns = {name: row[name] for name in Job.__slots__}
        status = self._status(row)
        if status == FAILED and not columns["error"]:
            columns["error"] = "The service ended while it read the file; import it again."
        return Job(**{**columns, "status": status})

    def _status(self, row: sqlite3.Row) -> str:
        moment, status = self._clock(), str(row["status"])
        creation, updated, expires = (
            datetime.fromisoformat(row[name]) for name in ("creation_time", "updated_time", "expires_at")
        )
        if row["operation"] == "export":
            ready = moment >= creation + timedelta(seconds=self._seconds)
            return EXPIRED if moment > expires else COMPLETED if ready else PROCESSING
        if status not in (AWAITING, PROCESSING):
            return status
        if row["begun"]:
            return FAILED if moment > updated + STALE + timedelta(seconds=self._seconds) else status
        return EXPIRED if moment > expires else status


class _Reading:
    """Takes the segments that a memory can have: its source language is that of the first unit which has one."""

    def __init__(self) -> None:
        self.source_lang = ""
        self.skipped = 0

    def segments(self, found: Iterator[Unit]) -> Iterator[Unit]:
        """The units with their source first, and only in languages that a memory can have; others are counted."""
        for unit in found:
            full = [text for text in unit.texts if text.plain.strip()]
            source = self._source(full, unit.source_lang)
            targets = [] if source is None else list(_targets(full, source))
            if source is None or not targets:
                self.skipped += 1
                continue
            self.skipped += len(full) - 1 - len(targets)
            self.source_lang = self.source_lang or source.language
            yield Unit(source.language, [source, *targets])

    def _source(self, texts: list[Text], said: str) -> Text | None:
        wanted = self.source_lang or source_of(said)
        for text in texts:
            code = source_of(text.language)
            if code is not None and code == (wanted or code) and (wanted or not said):
                return text._replace(language=code)
        return None


def _targets(texts: list[Text], source: Text) -> Iterator[Text]:
    for text in texts:
        code = target_of(text.language)
        if code is not None and code.partition("-")[0] != source.language:
            yield text._replace(language=code)


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


def _file(memories: Memories, memory_id: str) -> Iterator[bytes]:
    memory = memories.get(memory_id)
    yield head(memory.source_lang).encode()
    batch: list[str] = []
    for segment in memories.segments(memory.translation_memory_id):
        batch.append(written(Unit(memory.source_lang, [segment.source, *segment.targets])))
        if len(batch) >= AT_ONCE:
            yield "".join(batch).encode()
            batch = []
    yield "".join([*batch, TAIL]).encode()


def _row(connection: sqlite3.Connection, job_id: str) -> sqlite3.Row:
    if not UUID_FORM.fullmatch(job_id):
        raise bad_request("Value for 'job_id' not supported.", detail="An id is a UUID.")
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM memory_jobs WHERE job_id = ?", (job_id.lower(),)
    ).fetchone()
    if row is None:
        raise Problem(404, "Job not found.")
    return row


def signing_key(database: Database) -> bytes:
    """What signs the addresses of this account's jobs."""
    with database.read() as connection:
        key: bytes = connection.execute("SELECT key FROM memory_signing").fetchone()[0]
    return key
