"""A plan carried out: send, store, retry, take apart, stop. One thread decides; others only wait for answers.

Each turn of the loop does two things. It listens for events: an answer, an error, a free place, a command. And it
launches what may go: a batch needs a place at the gate, a claim in the store (so that no other run or kernel sends the
same text) and room in the budget, and the store knows before that it may be billed. What was answered goes into the
store first, and only then counts as done.

An error that may pass goes to a heap with its time; one that concerns the request halves the batch until the bad text
stands alone; one that concerns everything ends the run, and what is still open is marked as unsent.
"""

from __future__ import annotations

import heapq
import random as randomness
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice

from svc_nb.engine.bill import Bill
from svc_nb.engine.books import Books
from svc_nb.engine.budget import Budget
from svc_nb.engine.control import Control
from svc_nb.engine.gate import Gate, Ticket
from svc_nb.engine.outcome import UNSENT, Answer, Outcome, Report
from svc_nb.engine.pieces import wire_size
from svc_nb.engine.plan import Batch, Part, Plan, batches_of
from svc_nb.engine.senders import Answered, Came, Senders
from svc_nb.engine.store import Store
from svc_nb.engine.trust import Trust
from svc_nb.errors import (
    ApiError,
    BadReply,
    Closed,
    Forbidden,
    NotAuthenticated,
    Overloaded,
    QuotaExceeded,
    Redirected,
    ServerError,
    SettingsError,
    StoreError,
    SvcError,
    TimedOut,
    TooLarge,
    TooManyRequests,
    Unreachable,
    Unsendable,
    Untrusted,
)

NO_ROOM = (TooManyRequests, Overloaded)
FINAL = (QuotaExceeded, NotAuthenticated, Forbidden, Closed, SettingsError, Untrusted, Redirected)
PASSING = (ServerError, Unreachable, TimedOut, BadReply)
# The service may have done and billed what it could not tell us.
UNCLEAR = (Unreachable, TimedOut, BadReply)
INVALID = (ApiError, Unsendable)

FIRST_REFUSAL_WAIT = 0.05
LEAST_OF_WAIT = 0.2
LOST_TO_BE_DARK = 3
EXHAUSTED_TO_STOP = 6
LOOK_EVERY = 0.05
# Others may take what was claimed long ago, as when this machine slept: before that it is claimed anew.
CLAIM_LASTS = 300.0
LONGEST_LISTEN = 0.5


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a batch is tried again; times in seconds.

    `tries` is for what breaks; a service that has no room is asked more often (`refusals`), for it will have some.
    """

    tries: int = 5
    first_wait: float = 0.2
    longest_wait: float = 8.0
    longest_retry_after: float = 120.0
    refusals: int = 60

    def wait(self, first: float, failures: int) -> float:
        """The longest own wait after so many failures, which doubles each time."""
        return min(first * 2.0 ** min(failures - 1, 32), self.longest_wait)


PATIENCE = Patience()


class Run:
    """One plan on its way through *gate* and *store*; `go` returns when every part has its outcome.

    What it costs goes on *bill*, which several plans may share.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        gate: Gate,
        store: Store,
        budget: Budget,
        report: Report,
        control: Control,
        bill: Bill | None = None,
        patience: Patience = PATIENCE,
        random: Callable[[], float] = randomness.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._gate = gate
        self._books = Books(plan, store, budget, report, bill or Bill(clock=store.clock))
        self._report = report
        self._control = control
        self._patience = patience
        self._random = random
        self._clock = clock
        self._senders = Senders(self._books.write)
        self._trust = Trust()
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
        self._books.open()
        self._senders.wake()
        try:
            while self._open():
                self._listen()
                self._launch()
        finally:
            self._end()

    # ---- the loop

    def _open(self) -> bool:
        if self._control.cancelled and not self._stopped:
            self._stop("interrupted")
        waiting = self._ready or self._delayed or self._awaited or self._trust.set_aside()
        return bool(self._senders.flying or self._senders.keeping or waiting)

    def _listen(self) -> None:
        for event in self._senders.events(self._until_next()):
            if len(event) == 2:
                self._kept(*event)
                continue
            batch, ticket, came = event
            self._tell_gate(ticket, came)
            self._take(batch, came)
        self._report.in_flight = self._senders.flying

    def _launch(self) -> None:
        if self._control.paused:
            self._rest()
            return
        self._fetch_due()
        self._look_for_awaited()
        while going := self._admitted():
            self._claim([batch for batch, _ in going])
            for batch, _ in going:
                self._books.afford(batch)
            self._books.announce([batch for batch, _ in going if batch.parts])
            for batch, ticket in going:
                self._send(batch, ticket)
        self._claim_ahead()
        self._report.in_flight = self._senders.flying

    def _kept(self, answered: Answered, error: BaseException | None) -> None:
        """What was answered is in the store, or cannot be: in both cases it is done."""
        whole = self._books.finish([pair for pair in answered if pair[0].outcome is None])
        if whole and not error:
            self._senders.keep(whole)
        if error:
            self._stop("store", error)

    def _end(self) -> None:
        self._control.wake = lambda: None
        self._gate.forget(self._senders.wake)
        self._senders.end()
        self._books.close()
        self._report.in_flight = 0

    def _until_next(self) -> float:
        """The seconds until something is due."""
        now = self._clock()
        times = [LONGEST_LISTEN]
        if self._control.paused:
            return LONGEST_LISTEN
        if self._delayed:
            times.append(self._delayed[0][0] - now)
        if self._awaited:
            times.append(self._look_at - now)
        if self._ready and (opens := self._gate.opens_in()) is not None:
            times.append(opens)
        return max(0.0, min(times))

    # ---- launching

    def _rest(self) -> None:
        """While paused, let others have what is not on its way."""
        waiting = [*self._ready, *(batch for _, _, batch in self._delayed), *self._trust.set_aside()]
        claimed = [batch for batch in waiting if batch.claimed is not None]
        self._books.unclaim([part for batch in claimed for part in batch.parts])
        for batch in claimed:
            batch.claimed = None

    def _fetch_due(self) -> None:
        now = self._clock()
        while self._delayed and self._delayed[0][0] <= now:
            self._ready.appendleft(heapq.heappop(self._delayed)[2])

    def _look_for_awaited(self) -> None:
        """See what became of the texts that other runs are sending."""
        if not self._awaited or self._clock() < self._look_at:
            return
        self._look_at = self._clock() + LOOK_EVERY
        waiting, self._awaited = Batch(list(self._awaited.values())), {}
        self._claim([waiting])
        for batch in batches_of(waiting.parts):
            batch.claimed = waiting.claimed
            self._ready.append(batch)

    def _dark(self) -> bool:
        """Whether the service seems to be gone: then only what has failed before knocks again."""
        waits = bool(self._senders.flying or self._delayed)
        return self._lost_in_a_row >= LOST_TO_BE_DARK and not self._ready[0].failures and waits

    def _behind(self) -> bool:
        """Whether the store is so slow that a killed process would lose more than what may be on its way twice."""
        return self._senders.keeping > self._gate.ceiling

    def _admitted(self) -> list[tuple[Batch, Ticket]]:
        """As many ready batches as the gate lets in now."""
        going: list[tuple[Batch, Ticket]] = []
        while self._ready and not self._dark() and not self._behind():
            ticket = self._gate.enter(len(self._ready) - 1, self._senders.wake)
            if ticket is None:
                self._gate.wait(self._senders.wake)
                break
            batch = self._ready.popleft()
            if batch.parts and self._may_go(batch):
                going.append((batch, ticket))
            else:
                self._gate.leave(ticket)
        return going

    def _may_go(self, batch: Batch) -> bool:
        """Whether the batch's lane may be used now."""
        if verdict := self._trust.verdict(batch.lane):
            self._books.fail(batch.parts, verdict)
            return False
        return not self._trust.holds(batch)

    def _claim(self, batches: Sequence[Batch]) -> None:
        """Keep of *batches* what no other run has answered or is sending, as far as that is not known yet."""
        unclaimed = [batch for batch in batches if not self._has_claim(batch)]
        if not unclaimed:
            return
        try:
            self._awaited |= {part.key: part for part in self._books.claim(unclaimed)}
        except StoreError as error:
            self._stop("store", error, besides=[part for batch in batches for part in batch.parts])
            for batch in batches:
                batch.parts = []
        for batch in unclaimed:
            batch.claimed = self._clock()

    def _claim_ahead(self) -> None:
        """Claim what goes next while the others are on their way: then a free place is taken at once."""
        reach = self._gate.ceiling  # in large steps, for each of them waits for its turn at the store
        ahead = [batch for batch in islice(self._ready, 2 * reach) if batch.parts]
        if not all(map(self._has_claim, ahead[:reach])):
            self._claim(ahead)

    def _has_claim(self, batch: Batch) -> bool:
        return batch.claimed is not None and self._clock() - batch.claimed < CLAIM_LASTS

    def _send(self, batch: Batch, ticket: Ticket) -> None:
        if batch.parts:
            self._report.requests += 1
            self._senders.send(batch, ticket)
        else:
            self._gate.leave(ticket)
            self._ready.extendleft(self._trust.dismiss(batch))

    # ---- what came of a batch

    def _tell_gate(self, ticket: Ticket, came: Came) -> None:
        if isinstance(came, NO_ROOM):
            self._gate.refuse(ticket, came.retry_after)
        elif isinstance(came, PASSING):
            self._gate.lost(ticket)
        else:
            self._gate.accepted(ticket)

    def _take(self, batch: Batch, came: Came) -> None:
        if not isinstance(came, BaseException):
            self._succeeded(batch, came)
            return
        if isinstance(came, UNCLEAR):
            self._books.write_off(batch)
        else:
            self._books.turn_back(batch)
        if self._stopped:
            self._give_up(batch.parts)
        elif isinstance(came, NO_ROOM):
            self._refused(batch, came)
        elif isinstance(came, PASSING):
            self._troubled(batch, came)
        else:
            self._rejected(batch, came)

    def _succeeded(self, batch: Batch, answers: Sequence[Answer]) -> None:
        self._books.charge(batch, answers)
        self._senders.keep(list(zip(batch.parts, answers, strict=True)))
        self._answered_ever = True
        self._lost_in_a_row = self._exhausted_in_a_row = 0
        if doubt := self._trust.prove(batch.lane):
            self._ready.extendleft(half for invalid in doubt.invalid for half in invalid.halves())
            self._ready.extend(doubt.waiting)

    def _refused(self, batch: Batch, error: SvcError) -> None:
        """There was no room; the batch keeps its claim and its part of the budget, and waits alone."""
        self._report.refused += 1
        batch.refusals += 1
        patience = self._patience
        if batch.refusals > patience.refusals or (error.retry_after or 0) > patience.longest_retry_after:
            self._stop("error", error, besides=batch.parts)
        else:
            wait = patience.wait(FIRST_REFUSAL_WAIT, batch.refusals) * self._random()
            self._delay(batch, error.retry_after, wait)

    def _troubled(self, batch: Batch, error: SvcError) -> None:
        """Something broke on the way."""
        self._lost_in_a_row += 1
        batch.failures += 1
        if batch.failures < self._patience.tries:
            self._report.retried += 1
            share = LEAST_OF_WAIT + (1 - LEAST_OF_WAIT) * self._random()
            wait = self._patience.wait(self._patience.first_wait, batch.failures)
            self._delay(batch, error.retry_after, wait * share)
        else:
            self._exhausted(batch, error)

    def _exhausted(self, batch: Batch, error: SvcError) -> None:
        """Take the batch apart, for one text may break the service; but not when nothing gets through any more."""
        self._books.release(batch)
        self._exhausted_in_a_row += 1
        nobody = isinstance(error, Unreachable | TimedOut) and not self._answered_ever
        if nobody or self._exhausted_in_a_row >= EXHAUSTED_TO_STOP:
            self._stop("error", error, besides=batch.parts)
        else:
            self._take_apart(batch, error, failures=max(0, self._patience.tries - 2))

    def _rejected(self, batch: Batch, came: BaseException) -> None:
        self._books.release(batch)
        if isinstance(came, FINAL) or not isinstance(came, INVALID):
            self._stop("quota" if isinstance(came, QuotaExceeded) else "error", came, besides=batch.parts)
        elif isinstance(came, TooLarge) or self._trust.proven(batch.lane):
            self._take_apart(batch, came)
        else:
            self._doubt(batch, came)

    def _delay(self, batch: Batch, retry_after: float | None, wait: float) -> None:
        seconds = wait if retry_after is None else retry_after * (1 + self._random() / 4)
        heapq.heappush(self._delayed, (self._clock() + seconds, next(self._turn), batch))

    def _take_apart(self, batch: Batch, error: SvcError, *, failures: int = 0) -> None:
        """Look for the bad text among its neighbours."""
        self._ready.extendleft(self._trust.dismiss(batch))
        if len(batch.parts) > 1:
            self._ready.extendleft(batch.halves(failures=failures))
        elif not (isinstance(error, TooLarge) and self._cut(batch.parts[0])):
            self._books.fail(batch.parts, error)

    def _cut(self, part: Part) -> bool:
        """Send a text that the service found too large in pieces, if it can be cut."""
        if not self._plan.cut(part, wire_size(part.text) * 2 // 3):
            return False
        self._books.unclaim([part])
        children = dict.fromkeys(part.children)
        new = [
            child
            for child in children
            if child.outcome is None and self._plan.parents[child] == [part] and not child.rows
        ]
        self._ready.extendleft(Batch([child]) for child in new)
        if whole := part.joined():
            self._books.settle(part, whole)
        return True

    def _doubt(self, batch: Batch, error: SvcError) -> None:
        """Nothing on this lane was answered yet: is it the text, or is it the options?"""
        if len(batch.parts) > 1:
            self._trust.suspect(batch)
        else:
            self._books.fail(batch.parts, error)
            for condemned in self._trust.strike(batch, error):
                self._books.fail(condemned.parts, error)
        self._ready.extendleft(self._trust.next_to_go(batch.lane))

    # ---- the end

    def _stop(self, why: str, error: BaseException | None = None, besides: Iterable[Part] = ()) -> None:
        """Send nothing more; what is on its way may still be answered.

        The first reason is reported, unless a later one is that answers could not be stored.
        """
        if not self._stopped or (why == "store" and self._report.stopped != "store"):
            self._stopped = True
            self._report.stopped, self._report.error = why, error
        waiting = [*self._ready, *(batch for _, _, batch in self._delayed), *self._trust.set_aside()]
        self._give_up([part for batch in waiting for part in batch.parts])
        self._give_up(self._awaited.values())
        self._give_up(besides)
        self._ready.clear()
        self._delayed.clear()
        self._awaited.clear()
        self._trust = Trust()

    def _give_up(self, parts: Iterable[Part]) -> None:
        error, why = self._report.error, self._report.stopped
        told = isinstance(error, SvcError)
        outcome = Outcome.of_error(UNSENT, error, why) if told else Outcome(UNSENT, reason=why)  # type: ignore[arg-type]
        for part in parts:
            if part.outcome is None:
                self._books.settle(part, outcome)
