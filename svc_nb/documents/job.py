"""Documents in progress, in background threads: shown by bars, cancelled and waited for."""

import heapq
import random as randomness
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from svc_nb.advice import Advice, Call
from svc_nb.backoff import backoff
from svc_nb.documents import items
from svc_nb.documents.items import Item
from svc_nb.documents.plan import look
from svc_nb.documents.storage import KeyGone, Workspace
from svc_nb.documents.transfer import Bills, Cancelled, Transfer
from svc_nb.engine.job import AGAIN, BackgroundJob, Control
from svc_nb.engine.run import FINAL, NO_ROOM, PASSING, WORTH_TELLING, give_back
from svc_nb.errors import DocumentsFailed, NotInLedger, QuotaExceeded, StoreError, SvcError, Unavailable
from svc_nb.errors import warn as send_warning
from svc_nb.marked import warn_of_marks
from svc_nb.progress import new_bar, watch
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs

# This many files get their own bar at once.
MOST_BARS = 8
LONGEST_NAME = 32
ON_THE_WAY = ("uploading", "queued", "translating", "ready", "downloading", "elsewhere")
SENT = ("queued", "translating", "ready", "downloading")
# Steps that only the service can end show no remaining time, but what is waited for and how long.
WAITS_FOR = {"queued": "the service", "translating": "the service", "elsewhere": "another kernel"}
PERCENT = "{desc}: {percentage:3.0f}%|{bar}| {unit} [{elapsed}]"  # tqdm's postfix would begin with a comma


@dataclass(frozen=True, slots=True)
class FileProgress:
    """The progress of one file: `fraction` is 1.0 for all files that have ended, successfully or not.

    `source_lang` is the detected language, and `billed_characters` is what this job was billed for it.
    """

    path: Path
    status: str
    fraction: float
    seconds_remaining: int | None
    error: str | None
    output: Path | None
    source_lang: str = ""
    billed_characters: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job: `fraction` of the bytes of all files, `files` in order.

    `waiting` says what it waits for, and how long, if that holds everything up.
    """

    fraction: float
    ended: int
    files: tuple[FileProgress, ...]
    waiting: str = ""


@verbs
class DocumentJob(BackgroundJob[Report]):
    """The translation of files, started immediately in background threads.

    What it has sent stays on record whatever happens: the next job, here or in another kernel, continues with it.
    """

    def __init__(
        self,
        workspace: Workspace,
        found: Sequence[Item],
        *,
        look_first: bool = False,
        again: bool = False,
        reporting_tag: str | None = None,
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._items = list(found)
        self._look_first = look_first
        self._again = again
        own = workspace.client.transport.settings.reporting_tag
        self._tag = own if reporting_tag is None else reporting_tag
        self._bills = Bills(workspace)
        self._workers: Workers | None = None

    @property
    def progress(self) -> Progress:
        """The progress, from any thread and as often as you like: this sends no request."""
        files = tuple(
            FileProgress(
                item.path,
                item.status,
                item.fraction,
                item.seconds_remaining,
                item.error,
                item.output if item.status in items.WRITTEN else None,
                item.pair[0],
                item.billed if item.status in items.WRITTEN else None,
            )
            for item in self._items
        )
        sizes = [max(1, item.size) for item in self._items]
        done = sum(size * file.fraction for size, file in zip(sizes, files, strict=True))
        ended = sum(item.status in items.ENDED for item in self._items)
        waiting = self._workers.waiting if self._workers else ""
        return Progress(done / sum(sizes) if sizes else 1.0, ended, files, waiting)

    def cancel(self) -> None:
        """Send nothing more, and abort uploads; downloads in progress are finished.

        Documents that were sent can be resumed.
        """
        super().cancel()

    def table(self) -> Report:
        """The result of each file so far, in order."""
        return items.results_table(self._items)

    @property
    def untranslated(self) -> str:
        """How many documents had no translator, and for which languages, in one line; "" if there are none."""
        return items.untranslated(self._items)

    def result(self, timeout: float | None = None, *, errors: str = "raise", warn: bool = True) -> Report:
        """Wait for the end and return the table.

        Raises TimeoutError if it takes longer than *timeout*, while the job continues. With *errors* "raise", raises
        what ended the job, or DocumentsFailed if some documents have no translation. Unless *warn* is False, warns with
        MarkedOnly if a document had no translator, with OptionsIgnored once for each option without effect, and with
        NotInLedger if the bill could not be stored.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"Not finished after {timeout:g} s; the job continues.")
        if warn:
            marked = [each.pair for each in self._items if each.status == items.MARKED]
            warn_of_marks(marked, f"{len(marked):,} of {plural(len(self._items), 'document')}")
            self._workspace.client.ignored_options.warn()
            if self._bills.unwritten:
                send_warning(
                    NotInLedger(f"svc_nb.ledger() is missing what this run was billed: {self._bills.unwritten}")
                )
        if self._problem and (errors == "raise" or not isinstance(self._problem, SvcError)):
            raise self._problem
        table = self.table()
        bad = items.without_translation(self._items)
        if bad and errors == "raise":
            many = f"{len(bad):,} of {plural(len(self._items), 'document')}"
            said = f"{many} could not be translated: {bad[0].path.name}"
            raise DocumentsFailed(said, detail=bad[0].error, table=table)
        return table

    def __repr__(self) -> str:
        now = self.progress
        state = "ended" if self.done() else f"{now.fraction:.0%}"
        state += f", {now.waiting}" if now.waiting and not self.done() else ""
        return f"<DocumentJob: {now.ended:,} of {plural(len(now.files), 'file')}, {state}>"

    def _carry_out(self) -> None:
        storage, control = self._workspace.storage, self._control
        if self._look_first:
            look(self._items, self._workspace, again=self._again, control=control)
        # Files of the same content share one transfer.
        shared: dict[str, list[Item]] = {}
        for item in self._items:
            if item.status == items.WAITING and item.identity:
                shared.setdefault(item.identity, []).append(item)
        job = storage.enter()
        how = (self._workspace, job, self._bills, control, self._again, self._tag)
        transfers = [Transfer(first, others, *how) for first, *others in shared.values()]
        try:
            self._workers = workers = Workers(transfers, self._workspace, control=control)
            control.wake = workers.wake
            workers.go()
            self._problem = workers.problem
        finally:
            storage.leave(job)


def follow(job: DocumentJob, *, shown: bool = True) -> None:
    """Wait until *job* has ended, with or without bars; Ctrl-C cancels the job."""

    def so_far() -> str:
        statuses = [file.status for file in job.progress.files]
        sent = sum(status in SENT for status in statuses)
        return (
            f"{statuses.count('done'):,} of {plural(len(statuses), 'document')} done, {sent:,} with the service; "
            f"{AGAIN} ({Call('documents.resume')} only fetches what was sent)"
        )

    watch(job, so_far, Bars if shown else None)


class Bars:
    """The bars of one job; a file that has ended hands its bar to the next."""

    def __init__(self, progress: Progress) -> None:
        count = max(1, len(progress.files))
        self._all = new_bar(position=0, total=count, desc="documents", unit=" files", mininterval=0)
        self._bars: dict[int, Any] = {}

    def paint(self, progress: Progress) -> None:
        """Show the progress of all files."""
        if self._all.disable:  # no bars are shown
            return
        self._all.n = progress.ended
        self._all.set_postfix_str(", ".join(filter(None, (f"{progress.fraction:.0%} of all", progress.waiting))))
        for number in [each for each in self._bars if progress.files[each].status not in ON_THE_WAY]:
            self._bars.pop(number).close()
        for number, file in enumerate(progress.files):
            if file.status not in ON_THE_WAY or (number not in self._bars and len(self._bars) >= MOST_BARS):
                continue
            if number not in self._bars:
                taken = {abs(bar.pos) for bar in self._bars.values()}
                place = next(each for each in range(1, MOST_BARS + 2) if each not in taken)
                name = "".join(letter if letter.isprintable() else "?" for letter in file.path.name)
                how = {"desc": name[:LONGEST_NAME], "unit": _said(file), "leave": False, "bar_format": PERCENT}
                self._bars[number] = new_bar(position=place, total=1000, mininterval=0, **how)
            bar = self._bars[number]
            bar.n = round(file.fraction * 1000)
            bar.unit = _said(file)
            bar.refresh()

    def close(self, progress: Progress) -> None:
        """Show the end, and leave only the overall bar, if anything was done at all."""
        self.paint(progress)
        for bar in self._bars.values():
            bar.close()
        self._bars.clear()
        self._all.leave = progress.ended > 0
        self._all.close()


def _said(file: FileProgress) -> str:
    if file.seconds_remaining:
        return f"{file.status}, {file.seconds_remaining} s left"
    waits = WAITS_FOR.get(file.status)
    return f"{file.status}, waiting for {waits}" if waits else file.status


# ---- the threads that move documents on, step by step and through the gate, and what stops them

# After this many documents in a row without a response, the service counts as unreachable.
SILENT_TO_STOP = 4
FIRST_REFUSAL_WAIT = 0.05
# However many documents wait, together they send no more than this many status requests a second.
MOST_POLLS = 60.0
LONGEST_WAIT_AT_GATE = 0.5
LOOK_AGAIN = 0.1
NOTHING_ANSWERED, NOT_GIVEN = "no request got a response", "the document was refused"
GO_ON = Advice("{} continues with it", Call("documents.resume"))


class Workers:
    """Completes *transfers*; `go` returns when all have ended, or when nothing more can be done because of `problem`.

    One thread knows when each document is due, and others take the steps; a request needs a place at the gate, and a
    download a place from the storage. Temporary errors are retried until the service has not responded for too long. A
    spent quota stops unsent documents from being sent; a refused key ends everything.
    """

    def __init__(
        self,
        transfers: Sequence[Transfer],
        workspace: Workspace,
        *,
        control: Control,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        self.problem: BaseException | None = None
        self._workspace = workspace
        self._control = control
        self._clock = clock
        self._random = random
        self._turn = count()
        self._waiting: list[tuple[float, int, Transfer]] = [(0.0, next(self._turn), transfer) for transfer in transfers]
        self._due: SimpleQueue[Transfer | None] = SimpleQueue()
        self._downloads = workspace.storage.downloads
        self._to_download: deque[Transfer] = deque()
        self._downloading: set[Transfer] = set()
        self._came: SimpleQueue[tuple[Transfer, float | None] | None] = SimpleQueue()
        self._open = len(transfers)
        self._busy = self._threads = 0
        self._quota: QuotaExceeded | None = None
        self._silent = 0
        self._troubled_since: float | None = None  # with no response in between
        self._trouble = ""
        self._asking: set[Transfer] = set()

    def go(self) -> None:
        """Complete all transfers."""
        while self._open:
            # Hand over every document whose step is due; at the end, all of them, to be put down.
            while self._waiting and (self._over or self._waiting[0][0] <= self._clock()):
                transfer = heapq.heappop(self._waiting)[2]
                self._to_download.append(transfer) if transfer.downloads else self._hand_over(transfer)
            while self._to_download:
                if not self._over:
                    if not self._downloads.acquire(blocking=False):
                        break
                    self._downloading.add(self._to_download[0])
                self._hand_over(self._to_download.popleft())
            # Wait for the end of a step, a command, the next document that is due, or a download of another job.
            pauses = [max(0.0, self._waiting[0][0] - self._clock())] if self._waiting else []
            pauses += [LOOK_AGAIN] if self._to_download else []
            with suppress(Empty):
                self._take(self._came.get(timeout=min(pauses, default=None)))
                while True:
                    self._take(self._came.get_nowait())
        for _ in range(self._threads):
            self._due.put(None)

    def _hand_over(self, transfer: Transfer) -> None:
        self._busy += 1
        if self._threads < min(self._busy, self._workspace.gate.ceiling):
            try:
                threading.Thread(target=self._work, name="svc_nb-document", daemon=True).start()
                self._threads += 1
            except RuntimeError:  # the system has no more threads: the existing ones take turns
                if not self._threads:
                    self._end_download(transfer)
                    raise
        self._due.put(transfer)

    def _end_download(self, transfer: Transfer) -> None:
        if transfer in self._downloading:
            self._downloading.remove(transfer)
            self._downloads.release()

    def wake(self) -> None:
        """Let the job notice that it was cancelled."""
        self._came.put(None)

    @property
    def waiting(self) -> str:
        """What is waited for, and how long, if nothing happens for more than two seconds."""
        if self._asking or self._over:
            return ""
        seconds = self._workspace.gate.opens_in() or 0.0
        if self._trouble and not self._busy:
            due = next(iter(self._waiting), None)
            seconds = due[0] - self._clock() if due else 0.0
        return f"waiting {seconds:,.0f} s: {self._trouble or 'rate limit'}" if seconds > WORTH_TELLING else ""

    @property
    def _over(self) -> bool:
        return self._control.cancelled or self.problem is not None

    def _take(self, came: tuple[Transfer, float | None] | None) -> None:
        if came is None:
            return
        transfer, wait = came
        self._busy -= 1
        if wait is None:
            self._open -= 1
        else:
            heapq.heappush(self._waiting, (self._clock() + wait, next(self._turn), transfer))

    def _work(self) -> None:
        """Take steps, and report the seconds to the next of each, None if there is none; never raises."""
        while (transfer := self._due.get()) is not None:
            try:
                wait = self._stepped(transfer)
            except BaseException as problem:
                try:
                    wait = self._troubled(transfer, problem)
                except BaseException as worse:  # the storage itself failed
                    self.problem = self.problem or worse
                    wait = None
            self._end_download(transfer)
            self._came.put((transfer, wait))

    def _stepped(self, transfer: Transfer) -> float | None:
        """Take a step; returns the seconds to the next, None when there is none."""
        if (self._over and not transfer.whole) or (self._quota and transfer.unsent):
            return self._put_down(transfer, self.problem or self._quota)
        wait = self._through_gate(transfer) if transfer.asks else transfer.step()
        if wait is None:
            transfer.leave()
            return None
        # Long enough that all waiting documents together do not ask too often.
        return max(wait, self._open / MOST_POLLS * self._random()) if wait else 0.0

    def _through_gate(self, transfer: Transfer) -> float | None:
        gate, free = self._workspace.gate, threading.Event()
        ticket = None
        try:
            while not self._over and not (ticket := gate.enter(self._due.qsize(), free.set)):
                gate.wait(free.set)
                free.wait(min(LONGEST_WAIT_AT_GATE, gate.opens_in() or LONGEST_WAIT_AT_GATE))
                free.clear()
        finally:
            gate.forget(free.set)
        if ticket is None:  # the job has ended in the meantime
            return self._put_down(transfer, self.problem)
        self._asking.add(transfer)
        try:
            wait = transfer.step()
        except BaseException as problem:
            give_back(gate, ticket, problem, self._workspace.patience)
            raise
        finally:
            self._asking.discard(transfer)
        give_back(gate, ticket, wait, self._workspace.patience)
        self._silent, self._troubled_since, self._trouble = 0, None, ""
        if not transfer.asked_for:  # a finished document does not help if it cannot be downloaded
            transfer.failures = transfer.refusals = 0
            transfer.troubled_since = None
        return wait

    # ---- what went wrong

    def _troubled(self, transfer: Transfer, problem: BaseException) -> float | None:
        """Return the seconds until the next attempt, or put the document down."""
        if isinstance(problem, QuotaExceeded):
            self._quota = problem
        elif (isinstance(problem, (*FINAL, StoreError)) and not isinstance(problem, KeyGone)) or (
            isinstance(problem, SvcError) and not self._workspace.patience.allows(problem.retry_after)
        ):
            self.problem = self.problem or problem
        elif isinstance(problem, (*NO_ROOM, *PASSING)) and (over := self._lasts_too_long(transfer)):
            problem.message += f"; {over} for {self._workspace.patience.give_up_after:g} s (give_up_after)"
            self.problem = self.problem or (problem if over is NOTHING_ANSWERED else None)
        elif isinstance(problem, NO_ROOM) or (isinstance(problem, Unavailable) and transfer.asked_for):
            transfer.refusals += 1
            return self._later(problem, FIRST_REFUSAL_WAIT, transfer.refusals)
        elif isinstance(problem, PASSING):
            transfer.failures += 1
            if transfer.failures < self._workspace.patience.tries:
                return self._later(problem, self._workspace.patience.first_wait, transfer.failures)
            self._silent += 1
            if self._silent >= SILENT_TO_STOP:
                self.problem = self.problem or problem
        return self._put_down(transfer, problem)

    def _lasts_too_long(self, transfer: Transfer) -> str:
        """What has lasted longer than the service is given, if anything."""
        now, most = self._clock(), self._workspace.patience.give_up_after
        self._troubled_since = now if self._troubled_since is None else self._troubled_since
        transfer.troubled_since = now if transfer.troubled_since is None else transfer.troubled_since
        if now - self._troubled_since > most:
            return NOTHING_ANSWERED
        return NOT_GIVEN if now - transfer.troubled_since > most else ""

    def _later(self, problem: SvcError, first: float, failures: int) -> float:
        self._trouble = " ".join(filter(None, [str(problem.status or ""), problem.message]))
        longest = self._workspace.patience.longest_wait
        return max(problem.retry_after or 0.0, backoff(first, failures, longest=longest, random=self._random))

    def _put_down(self, transfer: Transfer, problem: BaseException | None) -> float | None:
        """Leave a document as it is, for the next job, and say why in its row."""
        said = None if isinstance(problem, Cancelled | None) else str(problem) or type(problem).__name__
        if isinstance(problem, OSError) and problem.strerror:
            said = f"{problem.strerror}: {problem.filename}" if problem.filename else problem.strerror
        for item in (transfer.item, *transfer.others):
            if transfer.unsent:
                failed = said is not None and problem is not self._quota
                item.status, item.error = items.ERROR if failed else items.WAITING, said
            else:
                item.status = items.READY if item.status == items.DOWNLOADING else item.status
                item.error = said and f"{said.rstrip('.')}. {GO_ON}."
        transfer.leave()
        return None
