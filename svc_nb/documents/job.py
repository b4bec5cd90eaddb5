"""Documents on their way, in threads of their own: watched by bars, ended and waited for."""

from __future__ import annotations

import asyncio
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svc_nb.documents import items
from svc_nb.documents.files import SourceFile
from svc_nb.documents.items import Item
from svc_nb.documents.plan import look
from svc_nb.documents.storage import Workspace
from svc_nb.documents.transfer import Bills, Transfer
from svc_nb.documents.workers import Workers
from svc_nb.engine.job import AGAIN, EVERY, stopping
from svc_nb.errors import DocumentsFailed, SvcError
from svc_nb.marked import warn_of_marks
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs

# So many files get a bar of their own at once.
MOST_BARS = 8
LONGEST_NAME = 32
ON_THE_WAY = ("uploading", "queued", "translating", "ready", "downloading", "elsewhere")
SENT = ("queued", "translating", "ready", "downloading")
# What the service alone can end has no time of its own to show: so it is said that it is waited for, and how long.
WAITS_FOR = {"queued": "the service", "translating": "the service", "elsewhere": "another kernel"}
PERCENT = "{desc}: {percentage:3.0f}%|{bar}| {unit} [{elapsed}]"  # a postfix would begin with a comma


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
        workspace: Workspace,
        found: Sequence[Item],
        *,
        asked: Sequence[SourceFile] | None = None,
        again: bool = False,
        reporting_tag: str | None = None,
    ) -> None:
        self._workspace = workspace
        self._items = list(found)
        self._asked = asked
        self._again = again
        own = workspace.client.transport.settings.reporting_tag
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
        files = tuple(
            FileProgress(
                item.path,
                item.status,
                item.fraction,
                item.seconds_remaining,
                item.error,
                item.output if item.status in items.WRITTEN else None,
            )
            for item in self._items
        )
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
        return items.results_table(self._items)

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
            self._workspace.client.ignored_options.warn()
        if self._problem and (errors == "raise" or not isinstance(self._problem, SvcError)):
            raise self._problem
        table = self.table()
        bad = items.without_translation(self._items)
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
        storage, is_cancelled = self._workspace.storage, self._cancelled.is_set
        try:
            if self._asked is not None:
                look(self._asked, self._items, self._workspace, again=self._again, cancelled=is_cancelled)
            job = storage.enter()
            try:
                workers = Workers(self._transfers(job), self._workspace, cancelled=self._cancelled)
                self._wake = workers.wake
                workers.go()
                self._problem = workers.problem
            finally:
                storage.leave(job)
        except BaseException as problem:
            self._problem = problem
        finally:
            self._done.set()

    def _transfers(self, job: str) -> list[Transfer]:
        """A transfer for each document; files of the same content share one."""
        bills = Bills(self._workspace)
        shared: dict[str, list[Item]] = {}
        for item in self._items:
            if item.status == items.WAITING and item.identity:
                shared.setdefault(item.identity, []).append(item)
        return [
            Transfer(
                first,
                others,
                self._workspace,
                job=job,
                bills=bills,
                again=self._again,
                reporting_tag=self._tag,
                cancelled=self._cancelled.is_set,
            )
            for first, *others in shared.values()
        ]


def follow(job: DocumentJob, *, shown: bool = True) -> None:
    """Wait until *job* has ended, painting bars unless told not to.

    Ctrl-C ends the job once downloads under way are finished, and raises KeyboardInterrupt, which says what is done;
    see `stopping`. Where nobody watches (no terminal, no notebook) there are no bars; when all is done only the one
    for all stays.
    """

    def so_far() -> str:
        statuses = [file.status for file in job.progress.files]
        sent = sum(status in SENT for status in statuses)
        return (
            f"{statuses.count('done'):,} of {len(statuses):,} documents are done, {sent:,} are with the service; "
            f"{AGAIN} (svc_nb.documents.resume() only fetches what was sent)"
        )

    bars = None
    try:
        with stopping(job, so_far):
            bars = Bars(job.progress) if shown else None
            while not job.wait(EVERY):
                if bars:
                    bars.paint(job.progress)
    finally:
        if bars:
            bars.close(job.progress)


class Bars:
    """The bars of one job; a file that has ended gives its bar to the next."""

    def __init__(self, progress: Progress) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm tells of widgets that are not installed
            from tqdm.auto import tqdm
        in_notebook = any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)
        self._tqdm: Any = tqdm
        self._watched = in_notebook or sys.stderr.isatty()
        self._all = self._made(0, total=max(1, len(progress.files)), desc="documents", unit=" files")
        self._bars: dict[int, Any] = {}

    def paint(self, progress: Progress) -> None:
        """Show how far everything is."""
        if not self._watched:
            return
        self._all.n = progress.ended
        self._all.set_postfix_str(f"{progress.fraction:.0%} of all")
        for number in [each for each in self._bars if progress.files[each].status not in ON_THE_WAY]:
            self._bars.pop(number).close()
        for number, file in enumerate(progress.files):
            if file.status in ON_THE_WAY and (number in self._bars or len(self._bars) < MOST_BARS):
                self._paint_file(number, file)

    def close(self, progress: Progress) -> None:
        """Show the end, and leave only the bar for all, if anything was done at all."""
        self.paint(progress)
        for bar in self._bars.values():
            bar.close()
        self._bars.clear()
        self._all.leave = progress.ended > 0
        self._all.close()

    def _paint_file(self, number: int, file: FileProgress) -> None:
        if number not in self._bars:
            taken = {-bar.pos for bar in self._bars.values()} | {bar.pos for bar in self._bars.values()}
            place = next(each for each in range(1, MOST_BARS + 2) if each not in taken)
            name = "".join(letter if letter.isprintable() else "?" for letter in file.path.name)
            self._bars[number] = self._made(
                place, total=1000, desc=name[:LONGEST_NAME], unit=_said(file), leave=False, bar_format=PERCENT
            )
        bar = self._bars[number]
        bar.n = round(file.fraction * 1000)
        bar.unit = _said(file)
        bar.refresh()

    def _made(self, place: int, **how: Any) -> Any:
        return self._tqdm(position=place, disable=not self._watched, dynamic_ncols=True, mininterval=0, **how)


def _said(file: FileProgress) -> str:
    if file.seconds_remaining:
        return f"{file.status}, {file.seconds_remaining} s left"
    waits = WAITS_FOR.get(file.status)
    return f"{file.status}, waiting for {waits}" if waits else file.status
