"""Documents on their way, in threads of their own: watched, ended and waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svc_nb.documents import items, tables
from svc_nb.documents.bills import Bills
from svc_nb.documents.crew import Crew
from svc_nb.documents.desk import Desk
from svc_nb.documents.files import Wanted
from svc_nb.documents.items import Item
from svc_nb.documents.life import Life
from svc_nb.documents.plan import look
from svc_nb.errors import DocumentsFailed, SvcError
from svc_nb.marked import warn_of_marks
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs


@dataclass(frozen=True, slots=True)
class FileProgress:
    """How far one file is: `fraction` is 1.0 for all that have ended, well or not."""

    path: Path
    status: str
    fraction: float
    seconds_remaining: int | None
    error: str | None
    output: Path | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: `fraction` of the bytes of all files, `files` in their order."""

    fraction: float
    ended: int
    files: tuple[FileProgress, ...]


@verbs
class DocumentJob:
    """Files on their way to their translations; begun at once, in threads of their own.

    What it has sent stays written down whatever happens: the next job, here or in another kernel, goes on with it.
    """

    def __init__(
        self,
        desk: Desk,
        found: Sequence[Item],
        *,
        asked: Sequence[Wanted] | None = None,
        again: bool = False,
        reporting_tag: str | None = None,
    ) -> None:
        self._desk = desk
        self._items = list(found)
        self._asked = asked
        self._again = again
        own = desk.client.transport.settings.reporting_tag
        self._tag = own if reporting_tag is None else reporting_tag
        self._cancelled = threading.Event()
        self._done = threading.Event()
        self._problem: BaseException | None = None
        self._wake: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._go, name="svc_nb-documents", daemon=True)

    def start(self) -> DocumentJob:
        """Begin; returns at once."""
        self._thread.start()
        return self

    @property
    def progress(self) -> Progress:
        """How far it is, from any thread and as often as wanted: nothing is asked of the service for it."""
        files = tuple(_progress(item) for item in self._items)
        sizes = [max(1, item.size) for item in self._items]
        done = sum(size * file.fraction for size, file in zip(sizes, files, strict=True))
        ended = sum(item.status in items.ENDED for item in self._items)
        return Progress(done / sum(sizes) if sizes else 1.0, ended, files)

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled.is_set()

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so long; says whether it has."""
        return self._done.wait(seconds)

    def cancel(self) -> None:
        """Send nothing more, and break uploads off; downloads under way are finished. What was sent can be resumed."""
        self._cancelled.set()
        self._wake()

    def table(self) -> Report:
        """What became of each file so far, in their order."""
        return tables.results(self._items)

    @property
    def untranslated(self) -> str:
        """How many documents no translator had, and between which languages, in a line; "" if there are none."""
        return items.untranslated(self._items)

    def result(self, timeout: float | None = None, *, errors: str = "raise", warn: bool = True) -> Report:
        """Wait for the end and return the table.

        Raises TimeoutError when it takes longer, and then goes on; with *errors* "raise", what ended the job, or
        DocumentsFailed when some documents have no translation. Unless *warn* is False, warns with MarkedOnly when no
        translator had a document, and with OptionsIgnored, once for an option, of options without effect.
        """
        if not self._done.wait(timeout):
            raise TimeoutError(f"Still at work after {timeout:g} s; the job goes on.")
        if warn:
            marked = [each.pair for each in self._items if each.status == items.MARKED]
            warn_of_marks(marked, f"{len(marked):,} of {plural(len(self._items), 'document')}")
            self._desk.client.ignored_options.warn()
        if self._problem and (errors == "raise" or not isinstance(self._problem, SvcError)):
            raise self._problem
        table = self.table()
        bad = tables.without_translation(self._items)
        if bad and errors == "raise":
            many = f"{len(bad):,} of {plural(len(self._items), 'document')}"
            said = f"{many} could not be translated: {bad[0].path.name}"
            raise DocumentsFailed(said, detail=bad[0].error, table=table)
        return table

    def __await__(self) -> Generator[Any, None, Report]:
        return self._awaited().__await__()

    async def _awaited(self) -> Report:
        await asyncio.to_thread(self.wait)
        return self.result()

    def __repr__(self) -> str:
        now = self.progress
        state = "ended" if self.done() else f"{now.fraction:.0%}"
        return f"<DocumentJob: {now.ended:,} of {plural(len(now.files), 'file')}, {state}>"

    def _go(self) -> None:
        try:
            self._work()
        except BaseException as problem:
            self._problem = problem
        finally:
            self._done.set()

    def _work(self) -> None:
        if self._asked is not None:
            look(self._asked, self._items, self._desk, again=self._again, cancelled=self._cancelled.is_set)
        job = self._desk.shelf.enter()
        try:
            crew = Crew(self._lives(job, Bills(self._desk)), self._desk, cancelled=self._cancelled)
            self._wake = crew.wake
            crew.go()
            self._problem = crew.problem
        finally:
            self._desk.shelf.leave(job)

    def _lives(self, job: str, bills: Bills) -> list[Life]:
        """A life for each document; files of the same content share one."""
        shared: dict[str, list[Item]] = {}
        for item in self._items:
            if item.status == items.WAITING and item.identity:
                shared.setdefault(item.identity, []).append(item)
        return [
            Life(
                first,
                others,
                self._desk,
                job=job,
                bills=bills,
                again=self._again,
                reporting_tag=self._tag,
                cancelled=self._cancelled.is_set,
            )
            for first, *others in shared.values()
        ]


def _progress(item: Item) -> FileProgress:
    place = item.output if item.status in items.WRITTEN else None
    return FileProgress(item.path, item.status, item.fraction, item.seconds_remaining, item.error, place)
