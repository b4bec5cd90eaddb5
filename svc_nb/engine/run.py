"""A plan carried out: send, store, retry, split, stop. One thread decides; others only wait for answers.

Each turn of the loop does two things. It waits for events: an answer, an error, a free place, a command. Then it
launches batches: a batch needs a place at the gate, a claim in the store (so that no other run or kernel sends the same
text) and room in the budget, and the store first records that it may be billed. An answer goes into the store first,
from the thread that received it, and only then counts as done.

After a temporary error the batch goes to a heap with the time of its retry. An error about the request halves the batch
until the bad text is alone. An error about everything ends the run, and the rest is marked as unsent. An answer that is
lost or cannot be read may have been paid for: the batch is sent once more, and then each of its texts alone, but only
after another request was answered. If there are no more answers, one text at a time goes ahead as a test. If the loop
itself fails, for example because no thread can be started, the run also ends, but pending answers are still kept.
"""

import heapq
import random as randomness
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, islice
from math import inf
from queue import Empty, SimpleQueue

from svc_nb import errors
from svc_nb.advice import plural
from svc_nb.backoff import LEAST, Patience, backoff
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
# The service may have done and billed the work although no answer arrived.
UNCLEAR = (errors.Unreachable, errors.TimedOut, errors.BadReply)
NOTHING_SENT = (errors.NotConnected, errors.Untrusted)
INVALID = (errors.ApiError, errors.Unsendable)

FIRST_REFUSAL_WAIT = 0.05
NEVER_TOO_LARGE = 512  # bytes: a service that refuses such a text as too large refuses everything
LOST_TO_BE_GONE = 3
EXHAUSTED_TO_STOP = 6
LOOK_EVERY = 0.05
# Others may take over old claims, for example if this machine slept, so claims are renewed before that.
CLAIM_LASTS = 300.0
LONGEST_LISTEN = 0.5
WORTH_TELLING = 2.0
# Seconds: while other requests are under way, answers are stored together with those that arrive shortly after.
GATHERED_FOR = 0.015
# Answers to this many requests may wait for the store: a killed process would lose them.
MOST_UNSAVED = 32
# How often a batch is sent whose answer is lost or cannot be read, before each of its texts is sent alone.
BOUGHT = 2

Came = Sequence[TextAnswer] | BaseException
Answered = Sequence[tuple[Part, TextAnswer]]
Event = tuple[Batch, Ticket, Came]
Unsaved = tuple[Batch | None, Answered]  # the batch, if it still has to be charged
Kept = tuple[Answered, BaseException | None]


def give_back(gate: Gate, ticket: Ticket, came: object, patience: Patience) -> None:
    """Tell *gate* the outcome (*came*) of the request that had a place there: an answer, or the final error.

    A requested wait beyond *patience* ends the work, so it does not hold up anyone else.
    """
    if isinstance(came, NO_ROOM):
        gate.refuse(ticket, came.retry_after if patience.allows(came.retry_after) else None)
    elif isinstance(came, BaseException) and (isinstance(came, PASSING) or not isinstance(came, SvcError)):
        gate.leave(ticket)
    else:
        gate.accepted(ticket)


def _is_too_large(batch: Batch, error: BaseException) -> bool:
    """Whether *error* is about the size of the batch's first text."""
    return isinstance(error, errors.TooLarge) and wire_size(batch.parts[0].text) > NEVER_TOO_LARGE


class Senders:
    """The threads that wait for answers and for the store, to which *write* saves them; they decide nothing.

    `flying` are batches under way, `keeping` counts pending writes. `wake` makes `events` continue.
    """

    def __init__(self, write: Callable[[Sequence[Unsaved]], None]) -> None:
        self.flying = 0
        self.keeping = 0
        self._write = write
        self._threads = 0
        self._tasks: SimpleQueue[tuple[Batch, Ticket] | None] = SimpleQueue()
        self._unsaved: SimpleQueue[Unsaved | None] = SimpleQueue()
        self._events: SimpleQueue[Event | Kept | None] = SimpleQueue()
        self.wake: Callable[[], None] = partial(self._events.put, None)

    def begin(self) -> None:
        """Start the thread that writes."""
        threading.Thread(target=self._keep, name="svc_nb-keep", daemon=True).start()

    def send(self, batch: Batch, ticket: Ticket) -> None:
        """Send *batch*; its outcome is one of the next events."""
        if self.flying >= self._threads:
            try:
                threading.Thread(target=self._work, name="svc_nb-send", daemon=True).start()
                self._threads += 1
            except RuntimeError:  # the system has no more threads: the existing ones take turns
                if not self._threads:
                    raise
        self.flying += 1
        self._tasks.put((batch, ticket))

    def keep(self, answered: Answered) -> None:
        """Write *answered* to the store; their completion is one of the next events."""
        self.keeping += 1
        self._unsaved.put((None, answered))

    def events(self, seconds: float) -> Iterator[Event | Kept]:
        """Wait for the next event, at most for *seconds*, and yield all available ones."""
        with suppress(Empty):
            event = self._events.get(timeout=seconds)
            while True:
                if event is not None:
                    if len(event) == 2:
                        self.keeping -= 1
                    else:
                        self.flying -= 1
                        self.keeping += not isinstance(event[2], BaseException)
                    yield event
                event = self._events.get_nowait()

    def drain(self) -> None:
        """Wait until all pending requests are answered and written, without events."""
        while self.flying or self.keeping:
            for _ in self.events(LONGEST_LISTEN):
                pass

    def end(self) -> None:
        """Let the threads end once they are idle."""
        self._unsaved.put(None)
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
            if not isinstance(came, BaseException):
                self._unsaved.put((batch, list(zip(batch.parts, came, strict=True))))

    def _keep(self) -> None:
        ended = False
        while not ended and (first := self._unsaved.get()):
            together = [first]
            until = time.monotonic() + GATHERED_FOR
            with suppress(Empty):
                while True:
                    seconds = until - time.monotonic() if self.flying else 0.0
                    more = self._unsaved.get(timeout=seconds) if seconds > 0 else self._unsaved.get_nowait()
                    if more is None:
                        ended = True
                        break
                    together.append(more)
            error: BaseException | None = None
            try:
                self._write(together)
            except BaseException as problem:
                error = problem
            for _, answered in together:
                self._events.put((answered, error))


PATIENCE = Patience()


class Run:
    """The run of one plan; `go` returns when every part has its outcome. Several plans may share a *bill*."""

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
        # May have been paid for, with the number of requests so far: continue when a later request is answered.
        self._lost: list[tuple[Batch, SvcError, int]] = []
        self._awaited: dict[bytes, Part] = {}
        self._look_at = 0.0
        self._answered_ever = False
        self._lost_in_a_row = 0
        self._exhausted_in_a_row = 0
        self._stopped = False
        self._going: deque[tuple[Batch, Ticket]] = deque()  # have a place, but are not sent yet
        self._trouble = ""  # the last error that the run waits for
        self._refused_since: float | None = None  # without an answer in between

    def go(self) -> None:
        """Carry out the plan; the report says what ended it early."""
        self._control.wake = self._senders.wake
        self._senders.wake()
        try:
            try:
                self._senders.begin()
            except RuntimeError as problem:  # the system has no more threads
                self._stop("error", problem)
            while True:
                if self._control.cancelled and not self._stopped:
                    self._stop("interrupted")
                waiting = self._ready or self._delayed or self._awaited or self._probes.set_aside()
                if not (self._senders.flying or self._senders.keeping or waiting or self._lost):
                    break
                try:
                    self._listen()
                    self._launch()
                except BaseException as problem:
                    self._give_places_back()
                    if self._stopped:
                        self._senders.drain()
                        raise
                    self._stop("error", problem)
            self._give_up(self._plan.known.values())
        finally:
            self._control.wake = lambda: None
            self._gate.forget(self._senders.wake)
            self._senders.end()
            self._accounts.close()
            self._report.in_flight = 0
            self._report.waiting = ""

    # ---- the loop

    def _listen(self) -> None:
        now, paused = self._clock(), self._control.paused
        times = [LONGEST_LISTEN]  # until the next batch is due
        if self._delayed and not paused:
            times.append(self._delayed[0][0] - now)
        if self._awaited and not paused:
            times.append(self._look_at - now)
        if self._ready and not paused and not self._gone and (opens := self._gate.opens_in()) is not None:
            times.append(opens)
        told = ""
        if not self._senders.flying and not paused:
            later = not self._ready and self._delayed
            seconds = self._delayed[0][0] - now if later else self._gate.opens_in() or 0.0
            if seconds > WORTH_TELLING:
                told = f"waiting {seconds:,.0f} s: {self._trouble or 'rate limit'}"
        self._report.waiting = told
        for event in self._senders.events(max(0.0, min(times))):
            if len(event) == 3:
                self._take(*event)
                continue
            # The answers are in the store, or cannot be stored: they are done in both cases.
            answered, error = event
            whole = self._accounts.finish([pair for pair in answered if pair[0].outcome is None])
            if error:
                self._stop("store", error)
            elif whole:
                self._senders.keep(whole)
        self._report.in_flight = self._senders.flying

    def _launch(self) -> None:
        if self._control.paused:  # let others have the parts that are not under way
            self._refused_since = None
            claimed = [batch for batch in self._waiting() if batch.claimed_until]
            self._accounts.unclaim([part for batch in claimed for part in batch.parts])
            for batch in claimed:
                batch.claimed_until = 0.0
            return
        now = self._clock()
        if self._lost and not self._senders.flying and not self._delayed and (self._gone or not self._ready):
            self._send_one_ahead()
        while self._delayed and self._delayed[0][0] <= now:
            self._ready.appendleft(heapq.heappop(self._delayed)[2])
        if self._awaited and now >= self._look_at:
            self._look_for_awaited()
        while self._admit():
            batches = [batch for batch, _ in self._going]
            self._claim(batches)
            self._accounts.afford(batches)
            while self._going:
                batch, ticket = self._going[0]
                if batch.parts:
                    self._senders.send(batch, ticket)
                    batch.number = self._report.requests
                    self._report.requests += 1
                else:
                    self._gate.leave(ticket)
                    self._ready.extendleft(self._probes.dismiss(batch))
                self._going.popleft()
        # The next batches are claimed while others are under way, so that a free place can be used at once.
        reach = self._gate.ceiling  # in large steps, because each waits for its turn at the store
        ahead = [batch for batch in islice(self._ready, 2 * reach) if batch.parts]
        if any(batch.claimed_until <= now for batch in ahead[:reach]):
            self._claim(ahead)
        self._report.in_flight = self._senders.flying

    def _look_for_awaited(self) -> None:
        """Check for the outcomes of the texts that other runs are sending."""
        self._look_at = self._clock() + LOOK_EVERY
        parts, self._awaited = list(self._awaited.values()), {}
        waiting = Batch(parts[0].kind, parts)  # it may have several kinds: it is never sent
        self._claim([waiting])
        for batch in batches_of(waiting.parts):
            batch.claimed_until = waiting.claimed_until
            self._ready.append(batch)

    def _admit(self) -> bool:
        """Take as many ready batches as the gate admits now; returns whether there are any."""
        while self._ready:
            # If the service seems to be down, only batches that have failed before are sent.
            if self._gone and not self._ready[0].failures and (self._senders.flying or self._delayed or self._lost):
                break
            if self._senders.keeping > min(self._gate.ceiling, MOST_UNSAVED):
                break
            ticket = self._gate.enter(len(self._ready) - 1, self._senders.wake)
            if ticket is None:
                self._gate.wait(self._senders.wake)
                break
            batch = self._ready.popleft()
            self._going.append((batch, ticket))
            if not batch.parts:  # others have it, and parts that waited for it continue
                self._ready.extendleft(self._probes.dismiss(batch))
            elif verdict := self._probes.condemned.get(batch.kind):
                self._accounts.fail(batch.parts, verdict)
            elif not self._probes.holds(batch):
                continue
            self._going.pop()
            self._gate.leave(ticket)
        return bool(self._going)

    @property
    def _gone(self) -> bool:
        """Whether the service seems to be down: many answers were lost, with none in between."""
        return self._lost_in_a_row >= LOST_TO_BE_GONE

    def _give_places_back(self) -> None:
        """Return the gate places of batches that could not be launched."""
        while self._going:
            batch, ticket = self._going.popleft()
            self._gate.leave(ticket)
            self._accounts.turn_back(batch)
            self._ready.append(batch)

    def _claim(self, batches: Sequence[Batch]) -> None:
        """Keep the parts of *batches* that no other run has answered or is sending, unless that is already known."""
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

    # ---- outcomes of a batch

    def _take(self, batch: Batch, ticket: Ticket, came: Came) -> None:
        give_back(self._gate, ticket, came, self._patience)
        if not isinstance(came, BaseException):
            self._answered_ever, self._refused_since = True, None
            self._lost_in_a_row = self._exhausted_in_a_row = 0
            self._send_lost(batch.number)
            if probe := self._probes.prove(batch.kind):
                self._ready.extendleft(half for invalid in probe.invalid for half in invalid.halves())
                self._ready.extend(probe.waiting)
            return
        if isinstance(came, UNCLEAR) and not isinstance(came, NOTHING_SENT):
            self._accounts.write_off(batch)
        else:
            self._accounts.turn_back(batch)
        if self._stopped:
            self._give_up(batch.parts)
        elif isinstance(came, NO_ROOM):
            self._refused(batch, came)
        elif isinstance(came, PASSING) and not isinstance(came, FINAL):
            self._troubled(batch, came)
        else:
            self._rejected(batch, came)

    def _refused(self, batch: Batch, error: SvcError) -> None:
        """There was no room; the batch keeps its claim and its budget, and waits alone."""
        self._report.refused += 1
        batch.refusals += 1
        now = self._clock()
        self._refused_since = now if self._refused_since is None else self._refused_since
        if now - self._refused_since > self._patience.give_up_after:
            error.message += f"; the service had no room for {self._patience.give_up_after:g} s (give_up_after)"
            self._stop("error", error, besides=batch.parts)
        elif not self._patience.allows(error.retry_after):
            self._stop("error", error, besides=batch.parts)
        else:
            self._delay(batch, error, FIRST_REFUSAL_WAIT, batch.refusals, least=0.0)

    def _troubled(self, batch: Batch, error: SvcError) -> None:
        """The request failed on the way."""
        self._lost_in_a_row += 1
        batch.failures += 1
        paid = isinstance(error, UNCLEAR) and not isinstance(error, NOTHING_SENT)
        batch.bought += paid
        alone = len(batch.parts) == 1
        enough = batch.failures >= self._patience.tries or batch.bought >= BOUGHT
        if not self._patience.allows(error.retry_after):
            self._accounts.release(batch)
            self._stop("error", error, besides=batch.parts)
            return
        if not enough and not (paid and self._gone):
            self._report.retried += 1
            self._delay(batch, error, self._patience.first_wait, batch.failures)
            return
        self._accounts.release(batch)
        self._exhausted_in_a_row += enough and (alone or not paid)
        nobody = isinstance(error, errors.Unreachable | errors.TimedOut) and not (paid or self._answered_ever)
        if (enough and nobody) or self._exhausted_in_a_row >= EXHAUSTED_TO_STOP:
            self._stop("error", error, besides=batch.parts)
        elif paid and (self._gone or not alone):  # are its texts the reason? The answer to another request will show
            self._ready.extendleft(self._probes.dismiss(batch))
            self._lost.append((batch, error, self._report.requests))
        else:
            self._take_apart(batch, error, failures=max(0, self._patience.tries - 2))

    def _send_lost(self, answered: float) -> None:
        """Send what was lost before the request with that number: unchanged, or each text alone if that was tried."""
        ready = [each for each in self._lost if each[2] <= answered]
        self._lost = [each for each in self._lost if each[2] > answered]
        for batch, error, _ in ready:
            if batch.bought > BOUGHT:
                self._accounts.fail(batch.parts, error)
                continue
            self._report.retried += 1
            self._ready += [batch] if batch.bought < BOUGHT else map(batch.alone, batch.parts)

    def _send_one_ahead(self) -> None:
        """Send one of the texts that were lost least often, to check whether there are answers again."""
        batch, error, _ = min(self._lost, key=lambda each: each[0].bought)
        if batch.bought > BOUGHT:  # each has been tried
            self._send_lost(inf)
            return
        self._report.retried += 1
        ahead = batch.alone(batch.parts.pop())
        self._lost = [each for each in self._lost if each[0].parts]
        if isinstance(error, errors.BadReply):  # the service is there, and waiting does not help
            self._ready.appendleft(ahead)
        else:
            self._delay(ahead, error, self._patience.first_wait, self._exhausted_in_a_row + 1)

    def _rejected(self, batch: Batch, came: BaseException) -> None:
        self._accounts.release(batch)
        if isinstance(came, FINAL) or not isinstance(came, INVALID):
            self._stop("quota" if isinstance(came, errors.QuotaExceeded) else "error", came, besides=batch.parts)
            return
        if self._probes.proven(batch.kind) or (_is_too_large(batch, came) and len(batch.parts) == 1):
            self._take_apart(batch, came)
            return
        # No request of this kind has been answered yet: is it the text or the options?
        if verdict := self._probes.condemned.get(batch.kind):  # which is known now
            self._accounts.fail(batch.parts, verdict)
        elif len(batch.parts) > 1:
            self._probes.suspect(batch)
        else:
            self._accounts.fail(batch.parts, came)
            for each in self._probes.strike(batch, came):
                self._accounts.fail(each.parts, came)
        self._ready.extendleft(self._probes.next_to_go(batch.kind))

    def _delay(self, batch: Batch, error: SvcError, first: float, failures: int, least: float = LEAST) -> None:
        self._trouble = " ".join(filter(None, [str(error.status or ""), error.message]))
        if error.retry_after is None:
            seconds = backoff(first, failures, longest=self._patience.longest_wait, random=self._random, least=least)
        else:
            seconds = error.retry_after * (1 + self._random() / 4)
        heapq.heappush(self._delayed, (self._clock() + seconds, next(self._turn), batch))

    def _take_apart(self, batch: Batch, error: SvcError, *, failures: int = 0) -> None:
        """Search for the bad text among its neighbours."""
        self._ready.extendleft(self._probes.dismiss(batch))
        if len(batch.parts) > 1:
            self._ready.extendleft(batch.halves(failures=failures))
            return
        # A text that is too large for the service is sent in pieces, if it can be cut.
        part = batch.parts[0]
        if not (_is_too_large(batch, error) and self._plan.cut(part, wire_size(part.text) * 2 // 3)):
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
        return [
            *self._ready,
            *(batch for _, _, batch in self._delayed),
            *(batch for batch, *_ in self._lost),
            *self._probes.set_aside(),
        ]

    def _stop(self, why: str, error: BaseException | None = None, besides: Iterable[Part] = ()) -> None:
        """Send nothing more; reports the first reason, unless answers could not be stored later."""
        if not self._stopped or (why == "store" and self._report.stopped != "store"):
            self._stopped = True
            self._report.stopped, self._report.error = why, error
        self._give_up([part for batch in self._waiting() for part in batch.parts])
        self._give_up(self._awaited.values())
        self._give_up(besides)
        self._ready.clear()
        self._delayed.clear()
        self._lost.clear()
        self._awaited.clear()
        self._probes = Probes()

    def _give_up(self, parts: Iterable[Part]) -> None:
        outcome = None
        for part in parts:
            if part.came is None:
                outcome = outcome or self._report.left()
                self._accounts.settle(part, outcome)
