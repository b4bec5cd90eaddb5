"""The threads that take documents on their way, step by step and through the gate, and what stops them.

One thread knows when each document is due, and others take the steps; between its steps a document waits in a heap, and
costs nothing. A request needs a place at the gate. What may pass is tried again, later each time. A quota that is spent
keeps what was not sent yet from being sent; a key that is refused ends everything. What has ended so, or was cancelled,
stays written down, and the next job goes on with it.
"""

from __future__ import annotations

import heapq
import random as randomness
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from queue import Empty, SimpleQueue

from svc_nb.documents import items
from svc_nb.documents.storage import KeyGone, Workspace
from svc_nb.documents.transfer import Cancelled, Transfer
from svc_nb.engine.run import FINAL, NO_ROOM, PASSING
from svc_nb.errors import QuotaExceeded, StoreError, SvcError

# So many documents that nothing could be heard of, one after the other, mean that the service is gone.
SILENT_TO_STOP = 4
LEAST_OF_WAIT = 0.2
FIRST_REFUSAL_WAIT = 0.05
# However many documents wait, they ask no more often than this together, in requests a second.
MOST_POLLS = 60.0
LONGEST_WAIT_AT_GATE = 0.5
GO_ON = "svc_nb.documents.resume() goes on with it"


class Workers:
    """Takes *transfers* to their ends; `go` returns when all are there, or nothing more can be done.

    `problem` is what ended it early, None otherwise.
    """

    def __init__(
        self,
        transfers: Sequence[Transfer],
        workspace: Workspace,
        *,
        cancelled: threading.Event,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        self.problem: BaseException | None = None
        self._workspace = workspace
        self._cancelled = cancelled
        self._clock = clock
        self._random = random
        self._turn = count()
        self._waiting: list[tuple[float, int, Transfer]] = [
            (0.0, next(self._turn), transfer) for transfer in transfers
        ]
        self._due: SimpleQueue[Transfer | None] = SimpleQueue()
        self._came: SimpleQueue[tuple[Transfer, float | None] | None] = SimpleQueue()
        self._open = len(transfers)
        self._busy = self._threads = 0
        self._quota: QuotaExceeded | None = None
        self._silent = 0

    def go(self) -> None:
        """Take all to their ends."""
        while self._open:
            # Hand over every document whose step is due; when all is over, every one, to be put down.
            while self._waiting and (self._over or self._waiting[0][0] <= self._clock()):
                self._busy += 1
                if self._threads < min(self._busy, self._workspace.gate.ceiling):
                    self._threads += 1
                    threading.Thread(target=self._work, name="svc_nb-document", daemon=True).start()
                self._due.put(heapq.heappop(self._waiting)[2])
            # Wait for the end of a step, a command, or the next document that is due.
            seconds = max(0.0, self._waiting[0][0] - self._clock()) if self._waiting else None
            with suppress(Empty):
                self._take(self._came.get(timeout=seconds))
                while True:
                    self._take(self._came.get_nowait())
        for _ in range(self._threads):
            self._due.put(None)

    def wake(self) -> None:
        """Let the job see that it was cancelled."""
        self._came.put(None)

    @property
    def _over(self) -> bool:
        return self._cancelled.is_set() or self.problem is not None

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
        while (transfer := self._due.get()) is not None:
            self._came.put((transfer, self._stepped(transfer)))

    def _stepped(self, transfer: Transfer) -> float | None:
        """Take a step; returns the seconds to the next, None when there is none. Raises nothing."""
        try:
            if (self._over and not transfer.whole) or (self._quota and transfer.unsent):
                return self._put_down(transfer, self.problem or self._quota)
            wait = self._through_gate(transfer) if transfer.asks else transfer.step()
            if wait is None:
                transfer.leave()
                return None
            # At least so long that all who wait do not ask too often together.
            return max(wait, self._open / MOST_POLLS * self._random()) if wait else 0.0
        except BaseException as problem:
            try:
                return self._troubled(transfer, problem)
            except BaseException as worse:  # the storage itself fails
                self.problem = self.problem or worse
                return None

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
        if ticket is None:  # the job has ended meanwhile
            return self._put_down(transfer, self.problem)
        try:
            wait = transfer.step()
        except NO_ROOM as problem:
            gate.refuse(ticket, problem.retry_after)
            raise
        except PASSING:
            gate.lost(ticket)
            raise
        except SvcError:
            gate.accepted(ticket)
            raise
        except BaseException:
            gate.leave(ticket)
            raise
        gate.accepted(ticket)
        transfer.failures = transfer.refusals = self._silent = 0
        return wait

    # ---- what went wrong

    def _troubled(self, transfer: Transfer, problem: BaseException) -> float | None:
        """Returns the seconds after which to try again, or puts the document down."""
        if isinstance(problem, QuotaExceeded):
            self._quota = problem
        elif isinstance(problem, (*FINAL, StoreError)) and not isinstance(problem, KeyGone):
            self.problem = self.problem or problem
        elif isinstance(problem, NO_ROOM) and transfer.refusals < self._workspace.patience.refusals:
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

    def _later(self, problem: SvcError, first: float, failures: int) -> float:
        share = LEAST_OF_WAIT + (1 - LEAST_OF_WAIT) * self._random()
        asked = min(problem.retry_after or 0.0, self._workspace.patience.longest_retry_after)
        return max(asked, self._workspace.patience.wait(first, failures) * share)

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
