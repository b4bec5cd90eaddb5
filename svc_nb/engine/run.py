"""A plan carried out: send, store, retry, take apart, stop. One thread decides; others only wait for answers.

Each turn of the loop does two things. It listens for events: an answer, an error, a free place, a command. And it
launches what may go: a batch needs a place at the gate, a claim in the store (so that no other run or kernel sends the
same text) and room in the budget, and the store knows before that it may be billed. What was answered goes into the
store first, and only then counts as done.

An error that may pass goes to a heap with its time; one that concerns the request halves the batch until the bad text
stands alone; one that concerns everything ends the run, and what is still open is marked as unsent.
"""

import heapq
import random as randomness
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from queue import Empty, SimpleQueue

from svc_nb import errors
from svc_nb.advice import plural
from svc_nb.backoff import LEAST, backoff
from svc_nb.engine.accounting import Accounts, Budget
from svc_nb.engine.billing import Bill
from svc_nb.engine.gate import Gate, Ticket
from svc_nb.engine.job import Control
from svc_nb.engine.outcome import RunReport, TextAnswer
from svc_nb.engine.plan import Batch, Part, Plan, batches_of
from svc_nb.engine.probe import Probes
from svc_nb.engine.split import wire_size
from svc_nb.engine.store import Store
from svc_nb.errors import StoreError, SvcError

NO_ROOM = (errors.TooManyRequests, errors.Overloaded)
FINAL = (
    errors.QuotaExceeded,
    errors.NotAuthenticated,
    errors.Forbidden,
    errors.Closed,
    errors.SettingsError,
    errors.Untrusted,
    errors.Redirected,
)
PASSING = (errors.ServerError, errors.Unreachable, errors.TimedOut, errors.BadReply)
# The service may have done and billed what it could not tell us.
UNCLEAR = (errors.Unreachable, errors.TimedOut, errors.BadReply)
INVALID = (errors.ApiError, errors.Unsendable)

FIRST_REFUSAL_WAIT = 0.05
LOST_TO_BE_GONE = 3
EXHAUSTED_TO_STOP = 6
LOOK_EVERY = 0.05
# Others may take what was claimed long ago, as when this machine slept: before that it is claimed anew.
CLAIM_LASTS = 300.0
LONGEST_LISTEN = 0.5
# Answers of so many requests are stored at once: few enough that nobody waits long for the store meanwhile.
MOST_TOGETHER = 8

Came = Sequence[TextAnswer] | BaseException
Answered = Sequence[tuple[Part, TextAnswer]]
Event = tuple[Batch, Ticket, Came]
Kept = tuple[Answered, BaseException | None]


def give_back(gate: Gate, ticket: Ticket, came: object) -> None:
    """Tell *gate* what *came* of the request that had a place there: an answer, or the error that it ended with."""
    if isinstance(came, NO_ROOM):
        gate.refuse(ticket, came.retry_after)
    elif isinstance(came, BaseException) and (isinstance(came, PASSING) or not isinstance(came, SvcError)):
        gate.leave(ticket)
    else:
        gate.accepted(ticket)


class Senders:
    """The threads that wait for answers and for the store, where *write* puts them: they decide nothing.

    `flying` are batches on their way, `keeping` how often answers are still to be written. `wake` lets `events` go on.
    """

    def __init__(self, write: Callable[[Answered], None]) -> None:
        self.flying = 0
        self.keeping = 0
        self._write = write
        self._threads = 0
        self._tasks: SimpleQueue[tuple[Batch, Ticket] | None] = SimpleQueue()
        self._answered: SimpleQueue[Answered | None] = SimpleQueue()
        self._events: SimpleQueue[Event | Kept | None] = SimpleQueue()
        self.wake: Callable[[], None] = partial(self._events.put, None)
        threading.Thread(target=self._keep, name="svc_nb-keep", daemon=True).start()

    def send(self, batch: Batch, ticket: Ticket) -> None:
        """Send *batch*; what came of it is one of the next events."""
        self.flying += 1
        if self.flying > self._threads:
            self._threads += 1
            threading.Thread(target=self._work, name="svc_nb-send", daemon=True).start()
        self._tasks.put((batch, ticket))

    def keep(self, answered: Answered) -> None:
        """Write *answered* to the store; that they are kept is one of the next events."""
        self.keeping += 1
        self._answered.put(answered)

    def events(self, seconds: float) -> Iterator[Event | Kept]:
        """Wait for the next event, at most so long, and yield all that are there then."""
        with suppress(Empty):
            event = self._events.get(timeout=seconds)
            while True:
                if event is not None:
                    if len(event) == 2:
                        self.keeping -= 1
                    else:
                        self.flying -= 1
                    yield event
                event = self._events.get_nowait()

    def end(self) -> None:
        """Let the threads end when they are idle."""
        self._answered.put(None)
        for _ in range(self._threads):
            self._tasks.put(None)

    def _work(self) -> None:
        while task := self._tasks.get():
            batch, ticket = task
            came: Came
            try:
                came = batch.kind.send([part.text for part in batch.parts])
                if len(came) != len(batch.parts):
                    told = f"Expected {plural(len(batch.parts), 'answer')}, one per text, found {len(came)}"
                    came = errors.BadReply(told)
            except BaseException as problem:
                came = problem
            self._events.put((batch, ticket, came))

    def _keep(self) -> None:
        while came := self._answered.get():
            together = [came]
            with suppress(Empty):
                while len(together) < MOST_TOGETHER:
                    more = self._answered.get_nowait()
                    if more is None:
                        self._answered.put(None)
                        break
                    together.append(more)
            error: BaseException | None = None
            try:
                self._write([pair for each in together for pair in each])
            except BaseException as problem:
                error = problem
            for answered in together:
                self._events.put((answered, error))


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a batch is tried again, in seconds; without room (`refusals`) more often than `tries`."""

    tries: int = 5
    first_wait: float = 0.2
    longest_wait: float = 8.0
    longest_retry_after: float = 120.0
    refusals: int = 60


PATIENCE = Patience()


class Run:
    """One plan on its way; `go` returns when every part has its outcome. Several plans may share a *bill*."""

    def __init__(
        self,
        plan: Plan,
        *,
        gate: Gate,
        store: Store,
        budget: Budget,
        report: RunReport,
        control: Control,
        bill: Bill | None = None,
        patience: Patience = PATIENCE,
        random: Callable[[], float] = randomness.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._gate = gate
        self._accounts = Accounts(plan, store, budget, report, bill or Bill(clock=store.clock))
        self._report = report
        self._control = control
        self._patience = patience
        self._random = random
        self._clock = clock
        self._senders = Senders(self._accounts.write)
        self._probes = Probes()
        self._ready: deque[Batch] = deque(plan.batches)
        self._delayed: list[tuple[float, int, Batch]] = []
        self._turn = count()
        self._awaited: dict[bytes, Part] = {}
        self._look_at = 0.0
        self._answered_ever = False
        self._lost_in_a_row = 0
        self._exhausted_in_a_row = 0
        self._stopped = False

    def go(self) -> None:
        """Carry the plan out; what ends it early is told in the report."""
        self._control.wake = self._senders.wake
        self._senders.wake()
        try:
            while True:
                if self._control.cancelled and not self._stopped:
                    self._stop("interrupted")
                waiting = self._ready or self._delayed or self._awaited or self._probes.set_aside()
                if not (self._senders.flying or self._senders.keeping or waiting):
                    break
                self._listen()
                self._launch()
        finally:
            self._control.wake = lambda: None
            self._gate.forget(self._senders.wake)
            self._senders.end()
            self._accounts.close()
            self._report.in_flight = 0

    # ---- the loop

    def _listen(self) -> None:
        now, paused = self._clock(), self._control.paused
        times = [LONGEST_LISTEN]  # until something is due
        if self._delayed and not paused:
            times.append(self._delayed[0][0] - now)
        if self._awaited and not paused:
            times.append(self._look_at - now)
        if self._ready and not paused and (opens := self._gate.opens_in()) is not None:
            times.append(opens)
        for event in self._senders.events(max(0.0, min(times))):
            if len(event) == 3:
                self._take(*event)
                continue
            # What was answered is in the store, or cannot be: in both cases it is done.
            answered, error = event
            whole = self._accounts.finish([pair for pair in answered if pair[0].outcome is None])
            if error:
                self._stop("store", error)
            elif whole:
                self._senders.keep(whole)
        self._report.in_flight = self._senders.flying

    def _launch(self) -> None:
        if self._control.paused:  # let others have what is not on its way
            claimed = [batch for batch in self._waiting() if batch.claimed_until]
            self._accounts.unclaim([part for batch in claimed for part in batch.parts])
            for batch in claimed:
                batch.claimed_until = 0.0
            return
        now = self._clock()
        while self._delayed and self._delayed[0][0] <= now:
            self._ready.appendleft(heapq.heappop(self._delayed)[2])
        if self._awaited and now >= self._look_at:
            self._look_for_awaited()
        while going := self._admitted():
            batches = [batch for batch, _ in going]
            self._claim(batches)
            self._accounts.afford(batches)
            for batch, ticket in going:
                if batch.parts:
                    self._report.requests += 1
                    self._senders.send(batch, ticket)
                else:
                    self._gate.leave(ticket)
                    self._ready.extendleft(self._probes.dismiss(batch))
        # What goes next is claimed while the others are on their way: then a free place is taken at once.
        reach = self._gate.ceiling  # in large steps, for each of them waits for its turn at the store
        ahead = [batch for batch in islice(self._ready, 2 * reach) if batch.parts]
        if any(batch.claimed_until <= now for batch in ahead[:reach]):
            self._claim(ahead)
        self._report.in_flight = self._senders.flying

    def _look_for_awaited(self) -> None:
        """See what became of the texts that other runs are sending."""
        self._look_at = self._clock() + LOOK_EVERY
        parts, self._awaited = list(self._awaited.values()), {}
        waiting = Batch(parts[0].kind, parts)  # of several kinds, perhaps: it is never sent
        self._claim([waiting])
        for batch in batches_of(waiting.parts):
            batch.claimed_until = waiting.claimed_until
            self._ready.append(batch)

    def _admitted(self) -> list[tuple[Batch, Ticket]]:
        """As many ready batches as the gate lets in now."""
        going: list[tuple[Batch, Ticket]] = []
        while self._ready:
            # Where the service seems to be gone, only what has failed before knocks again.
            gone = self._lost_in_a_row >= LOST_TO_BE_GONE and not self._ready[0].failures
            if gone and (self._senders.flying or self._delayed):
                break
            # Where the store is so slow, a killed process would lose more than what may be on its way twice.
            if self._senders.keeping > self._gate.ceiling:
                break
            ticket = self._gate.enter(len(self._ready) - 1, self._senders.wake)
            if ticket is None:
                self._gate.wait(self._senders.wake)
                break
            batch = self._ready.popleft()
            if not batch.parts:  # others have it, and what waited for it goes on
                self._ready.extendleft(self._probes.dismiss(batch))
            elif verdict := self._probes.condemned.get(batch.kind):
                self._accounts.fail(batch.parts, verdict)
            elif not self._probes.holds(batch):
                going.append((batch, ticket))
                continue
            self._gate.leave(ticket)
        return going

    def _claim(self, batches: Sequence[Batch]) -> None:
        """Keep of *batches* what no other run has answered or is sending, as far as that is not known yet."""
        now = self._clock()
        unclaimed = [batch for batch in batches if batch.claimed_until <= now]
        if not unclaimed:
            return
        try:
            self._awaited |= {part.key: part for part in self._accounts.claim(unclaimed)}
        except StoreError as error:
            self._stop("store", error, besides=[part for batch in batches for part in batch.parts])
            for batch in batches:
                batch.parts = []
        for batch in unclaimed:
            batch.claimed_until = self._clock() + CLAIM_LASTS

    # ---- what came of a batch

    def _take(self, batch: Batch, ticket: Ticket, came: Came) -> None:
        give_back(self._gate, ticket, came)
        if not isinstance(came, BaseException):
            self._accounts.charge(batch, came)
            self._senders.keep(list(zip(batch.parts, came, strict=True)))
            self._answered_ever = True
            self._lost_in_a_row = self._exhausted_in_a_row = 0
            if probe := self._probes.prove(batch.kind):
                self._ready.extendleft(half for invalid in probe.invalid for half in invalid.halves())
                self._ready.extend(probe.waiting)
            return
        if isinstance(came, UNCLEAR):
            self._accounts.write_off(batch)
        else:
            self._accounts.turn_back(batch)
        if self._stopped:
            self._give_up(batch.parts)
        elif isinstance(came, NO_ROOM):
            self._refused(batch, came)
        elif isinstance(came, PASSING):
            self._troubled(batch, came)
        else:
            self._rejected(batch, came)

    def _refused(self, batch: Batch, error: SvcError) -> None:
        """There was no room; the batch keeps its claim and its part of the budget, and waits alone."""
        self._report.refused += 1
        batch.refusals += 1
        patience = self._patience
        if batch.refusals > patience.refusals or (error.retry_after or 0) > patience.longest_retry_after:
            self._stop("error", error, besides=batch.parts)
        else:
            self._delay(batch, error.retry_after, FIRST_REFUSAL_WAIT, batch.refusals, least=0.0)

    def _troubled(self, batch: Batch, error: SvcError) -> None:
        """Something broke on the way."""
        self._lost_in_a_row += 1
        batch.failures += 1
        if batch.failures < self._patience.tries:
            self._report.retried += 1
            self._delay(batch, error.retry_after, self._patience.first_wait, batch.failures)
            return
        # Take the batch apart, for one text may break the service; but not when nothing gets through any more.
        self._accounts.release(batch)
        self._exhausted_in_a_row += 1
        nobody = isinstance(error, errors.Unreachable | errors.TimedOut) and not self._answered_ever
        if nobody or self._exhausted_in_a_row >= EXHAUSTED_TO_STOP:
            self._stop("error", error, besides=batch.parts)
        else:
            self._take_apart(batch, error, failures=max(0, self._patience.tries - 2))

    def _rejected(self, batch: Batch, came: BaseException) -> None:
        self._accounts.release(batch)
        if isinstance(came, FINAL) or not isinstance(came, INVALID):
            self._stop("quota" if isinstance(came, errors.QuotaExceeded) else "error", came, besides=batch.parts)
            return
        if isinstance(came, errors.TooLarge) or self._probes.proven(batch.kind):
            self._take_apart(batch, came)
            return
        # No request of this kind was answered yet: is it the text, or is it the options?
        if verdict := self._probes.condemned.get(batch.kind):  # which is known by now
            self._accounts.fail(batch.parts, verdict)
        elif len(batch.parts) > 1:
            self._probes.suspect(batch)
        else:
            self._accounts.fail(batch.parts, came)
            for condemned in self._probes.strike(batch, came):
                self._accounts.fail(condemned.parts, came)
        self._ready.extendleft(self._probes.next_to_go(batch.kind))

    def _delay(
        self, batch: Batch, retry_after: float | None, first: float, failures: int, least: float = LEAST
    ) -> None:
        if retry_after is None:
            seconds = backoff(first, failures, longest=self._patience.longest_wait, random=self._random, least=least)
        else:
            seconds = retry_after * (1 + self._random() / 4)
        heapq.heappush(self._delayed, (self._clock() + seconds, next(self._turn), batch))

    def _take_apart(self, batch: Batch, error: SvcError, *, failures: int = 0) -> None:
        """Look for the bad text among its neighbours."""
        self._ready.extendleft(self._probes.dismiss(batch))
        if len(batch.parts) > 1:
            self._ready.extendleft(batch.halves(failures=failures))
            return
        # A text that the service found too large is sent in pieces, if it can be cut.
        part = batch.parts[0]
        if not (isinstance(error, errors.TooLarge) and self._plan.cut(part, wire_size(part.text) * 2 // 3)):
            self._accounts.fail(batch.parts, error)
            return
        self._accounts.unclaim([part])
        for child in dict.fromkeys(part.children):
            if child.outcome is None and self._plan.parents[child] == [part] and not child.rows:
                self._ready.appendleft(Batch(child.kind, [child]))
        if whole := part.joined():
            self._accounts.settle(part, whole)

    # ---- the end

    def _waiting(self) -> list[Batch]:
        return [*self._ready, *(batch for _, _, batch in self._delayed), *self._probes.set_aside()]

    def _stop(self, why: str, error: BaseException | None = None, besides: Iterable[Part] = ()) -> None:
        """Send nothing more; the first reason is reported, unless a later one is that answers could not be stored."""
        if not self._stopped or (why == "store" and self._report.stopped != "store"):
            self._stopped = True
            self._report.stopped, self._report.error = why, error
        self._give_up([part for batch in self._waiting() for part in batch.parts])
        self._give_up(self._awaited.values())
        self._give_up(besides)
        self._ready.clear()
        self._delayed.clear()
        self._awaited.clear()
        self._probes = Probes()

    def _give_up(self, parts: Iterable[Part]) -> None:
        outcome = self._report.left()
        for part in parts:
            if part.outcome is None:
                self._accounts.settle(part, outcome)
