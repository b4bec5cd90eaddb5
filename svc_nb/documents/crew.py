"""The threads that take documents through their lives, step by step and through the gate, and what stops them.

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
from itertools import count
from queue import Empty, SimpleQueue

from svc_nb.documents import items
from svc_nb.documents.desk import Desk
from svc_nb.documents.life import Cancelled, Life
from svc_nb.documents.vault import KeyGone
from svc_nb.engine.gate import Ticket
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


class Crew:
    """Takes *lives* to their ends; `go` returns when all are there, or nothing more can be done.

    `problem` is what ended it early, None otherwise.
    """

    def __init__(
        self,
        lives: Sequence[Life],
        desk: Desk,
        *,
        cancelled: threading.Event,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        self.problem: BaseException | None = None
        self._desk = desk
        self._cancelled = cancelled
        self._clock = clock
        self._random = random
        self._turn = count()
        self._waiting: list[tuple[float, int, Life]] = [(0.0, next(self._turn), life) for life in lives]
        self._due: SimpleQueue[Life | None] = SimpleQueue()
        self._came: SimpleQueue[tuple[Life, float | None] | None] = SimpleQueue()
        self._open = len(lives)
        self._busy = self._threads = 0
        self._quota: QuotaExceeded | None = None
        self._silent = 0

    def go(self) -> None:
        """Take all to their ends."""
        while self._open:
            self._call_due()
            self._listen()
        for _ in range(self._threads):
            self._due.put(None)

    def wake(self) -> None:
        """Let the job see that it was cancelled."""
        self._came.put(None)

    @property
    def _over(self) -> bool:
        return self._cancelled.is_set() or self.problem is not None

    def _call_due(self) -> None:
        """Hand over every document whose step is due; when all is over, every one, to be put down."""
        while self._waiting and (self._over or self._waiting[0][0] <= self._clock()):
            self._busy += 1
            if self._threads < min(self._busy, self._desk.gate.ceiling):
                self._threads += 1
                threading.Thread(target=self._work, name="svc_nb-document", daemon=True).start()
            self._due.put(heapq.heappop(self._waiting)[2])

    def _listen(self) -> None:
        """Wait for the end of a step, a command, or the next document that is due."""
        seconds = max(0.0, self._waiting[0][0] - self._clock()) if self._waiting else None
        try:
            came = self._came.get(timeout=seconds)
            while True:
                if came is not None:
                    self._take(*came)
                came = self._came.get_nowait()
        except Empty:
            return

    def _take(self, life: Life, wait: float | None) -> None:
        self._busy -= 1
        if wait is None:
            self._open -= 1
        else:
            heapq.heappush(self._waiting, (self._clock() + wait, next(self._turn), life))

    def _work(self) -> None:
        while (life := self._due.get()) is not None:
            self._came.put((life, self._stepped(life)))

    def _stepped(self, life: Life) -> float | None:
        """Take a step; returns the seconds to the next, None when there is none. Raises nothing."""
        try:
            if (self._over and not life.whole) or (self._quota and life.unsent):
                return self._put_down(life, self.problem or self._quota)
            wait = self._through_gate(life) if life.asks else life.step()
            return self._left(life) if wait is None else self._spaced(wait)
        except BaseException as problem:
            try:
                return self._troubled(life, problem)
            except BaseException as worse:  # the shelf itself fails
                self.problem = self.problem or worse
                return None

    def _spaced(self, wait: float) -> float:
        """At least so long that all who wait do not ask too often together."""
        return max(wait, self._open / MOST_POLLS * self._random()) if wait else 0.0

    def _through_gate(self, life: Life) -> float | None:
        ticket = self._ticket()
        if ticket is None:
            return self._put_down(life, self.problem)
        try:
            wait = life.step()
        except BaseException as problem:
            self._tell_gate(ticket, problem)
            raise
        self._desk.gate.accepted(ticket)
        life.failures = life.refusals = self._silent = 0
        return wait

    def _ticket(self) -> Ticket | None:
        """A place at the gate; None when the job has ended meanwhile."""
        gate, free = self._desk.gate, threading.Event()
        try:
            while not self._over:
                if ticket := gate.enter(self._due.qsize(), free.set):
                    return ticket
                gate.wait(free.set)
                free.wait(min(LONGEST_WAIT_AT_GATE, gate.opens_in() or LONGEST_WAIT_AT_GATE))
                free.clear()
            return None
        finally:
            gate.forget(free.set)

    def _tell_gate(self, ticket: Ticket, problem: BaseException) -> None:
        gate = self._desk.gate
        if isinstance(problem, NO_ROOM):
            gate.refuse(ticket, problem.retry_after)
        elif isinstance(problem, PASSING):
            gate.lost(ticket)
        elif isinstance(problem, SvcError):
            gate.accepted(ticket)
        else:
            gate.leave(ticket)

    # ---- what went wrong

    def _troubled(self, life: Life, problem: BaseException) -> float | None:
        """Returns the seconds after which to try again, or puts the document down."""
        if isinstance(problem, QuotaExceeded):
            self._quota = problem
        elif isinstance(problem, (*FINAL, StoreError)) and not isinstance(problem, KeyGone):
            self.problem = self.problem or problem
        elif isinstance(problem, NO_ROOM) and life.refusals < self._desk.patience.refusals:
            life.refusals += 1
            return self._later(problem, FIRST_REFUSAL_WAIT, life.refusals)
        elif isinstance(problem, PASSING):
            life.failures += 1
            if life.failures < self._desk.patience.tries:
                return self._later(problem, self._desk.patience.first_wait, life.failures)
            self._count_silence(problem)
        return self._put_down(life, problem)

    def _later(self, problem: SvcError, first: float, failures: int) -> float:
        share = LEAST_OF_WAIT + (1 - LEAST_OF_WAIT) * self._random()
        asked = min(problem.retry_after or 0.0, self._desk.patience.longest_retry_after)
        return max(asked, self._desk.patience.wait(first, failures) * share)

    def _count_silence(self, problem: SvcError) -> None:
        self._silent += 1
        if self._silent >= SILENT_TO_STOP:
            self.problem = self.problem or problem

    def _put_down(self, life: Life, problem: BaseException | None) -> float | None:
        """Leave a document as it is, for the next job, and say why in its row."""
        said = None if isinstance(problem, Cancelled | None) else _said(problem)
        for item in (life.item, *life.others):
            if life.unsent:
                failed = said is not None and problem is not self._quota
                item.status, item.error = items.ERROR if failed else items.WAITING, said
            else:
                item.status = items.READY if item.status == items.DOWNLOADING else item.status
                item.error = said and f"{said.rstrip('.')}. {GO_ON}."
        return self._left(life)

    def _left(self, life: Life) -> float | None:
        life.leave()
        return None


def _said(problem: BaseException) -> str:
    """What went wrong, in one line."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.strerror}: {problem.filename}" if problem.filename else problem.strerror
    return str(problem) or type(problem).__name__
