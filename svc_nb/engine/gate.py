"""How many batches may be in flight: learned from the service's answers. Nothing sleeps and nothing is sent here.

The gate starts with a few places and doubles them, a round trip at a time, while each new one is accepted. A refusal
ends that: the limit falls to what the service holds. From then on one more place is tried after some clean answers,
later each time it is refused; once it is accepted, the steps double again. A place is only tried while much work
stands behind it, for a refused batch comes back late. When a service refuses and holds nothing of ours, it is not
about places: all entries pause, longer each time, until a success.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, takewhile

__all__ = ["Gate", "Ticket"]

Wake = Callable[[], None]

WORTH = 4.0  # a place is tried while the work behind it lasts this many round trips,
WORTH_MOST = 32.0  # or as many as a refused batch has to stay away, up to this
SPACING = 8  # clean answers between two tries, in limits; half when there was more room before
PAUSE = 2.0  # the longest pause in seconds that the service did not ask for
STALLS = 16  # so many doublings reach the longest pause from any round trip
GRACE = 0.1  # for so many seconds a place is kept for a waiter that was called


@dataclass(frozen=True, slots=True, eq=False)
class Ticket:
    """A place: how many were in flight when it was taken, itself included, and when that was."""

    level: int
    started: float


class Gate:
    """The places in flight to one service, shared by all threads and runs of a process.

    A ticket is given back once, by `accepted`, `refuse`, `lost` or `leave`; doing so again has no effect.
    """

    def __init__(
        self, ceiling: int = 64, *, start: int = 8, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._limit = start
        self.ceiling = ceiling
        self._open: set[Ticket] = set()
        self._held = 0  # in flight when a place was last taken, less those given back since without success
        self._peak = self._refused = 0
        self._step = max(1, start // 2)  # how much the limit grew last; 0 from a refusal to the next try
        self._proven = self._limit  # where the limit stood before it, or what was accepted since
        self._best = 0  # the highest limit that was ever accepted
        self._spacing = 1
        self._clean = 0
        self._worth = WORTH
        self._round_trip = 0.1
        self._last_refusal = 0.0
        self._first_refusal: float | None = None  # since the last success
        self._stalls = 0  # refusals that left nothing in flight; each success halves them
        self._opens = self._announced = 0.0
        self._waiting: dict[Wake, None] = {}
        self._called: dict[Wake, float] = {}

    @property
    def ceiling(self) -> int:
        """The limit's own limit; may be set at any time."""
        return self._ceiling

    @ceiling.setter
    def ceiling(self, ceiling: int) -> None:
        if ceiling < 1:
            raise ValueError(f"The ceiling of a gate is at least 1, not {ceiling}.")
        with self._lock:
            self._ceiling = ceiling
            self._limit = max(1, min(self._limit, ceiling))

    def trust(self, places: int) -> None:
        """Have so many places without trying them step by step, unless the service has refused some before."""
        with self._calling():
            if self._step:
                self._limit = max(self._limit, min(places, self._ceiling))
                self._proven = max(self._proven, self._limit)

    @property
    def limit(self) -> int:
        """How many places there are now, the one that is being tried included."""
        return self._limit

    @property
    def in_flight(self) -> int:
        """How many of them are taken."""
        return len(self._open)

    @property
    def peak(self) -> int:
        """The most that ever were."""
        return self._peak

    @property
    def refused(self) -> int:
        """How often the service had no room."""
        return self._refused

    def enter(self, backlog: int = 0, wake: Wake | None = None) -> Ticket | None:
        """Take a place, if there is one and no pause; *backlog* batches are ready behind this one.

        Whoever gives the *wake* that it waits with leaves the places alone that are kept for those before it.
        """
        with self._lock:
            now = self._clock()
            if now < self._opens or self._free(backlog) <= (self._kept(now, wake) if wake else 0):
                return None
            for called in [wake] if wake else list(self._called)[:1]:
                self._called.pop(called, None)
            self._opens = 0.0
            ticket = Ticket(len(self._open) + 1, now)
            self._open.add(ticket)
            self._held = ticket.level
            self._peak = max(self._peak, ticket.level)
            return ticket

    def opens_in(self) -> float | None:
        """Seconds to the end of a pause, 0 when nobody entered since, None when there is none.

        Nobody is called at that time: who waits asks this after `wait`, and tries again by itself.
        """
        opens = self._opens
        return max(0.0, opens - self._clock()) if opens else None

    def accepted(self, ticket: Ticket) -> None:
        """The service had room: it answered, if only to say that something else was wrong."""
        self._close(ticket, self._grow)

    def refuse(self, ticket: Ticket, retry_after: float | None = None) -> None:
        """The service had no room: 429 or 529."""
        self._close(ticket, partial(self._shrink, retry_after=retry_after or 0.0))

    def lost(self, ticket: Ticket) -> None:
        """No word about room: a reset, a time-out, a 5xx."""
        self._close(ticket)

    def leave(self, ticket: Ticket) -> None:
        """The place was not used."""
        self._close(ticket)

    def wait(self, wake: Wake) -> None:
        """Call *wake* once, as soon as a place may be free, perhaps at once: first come, first called.

        Who was called enters, waits again or asks to be forgotten.
        """
        with self._calling():
            self._called.pop(wake, None)
            self._waiting.setdefault(wake)

    def forget(self, wake: Wake) -> None:
        """Do not call *wake* any more."""
        with self._calling():
            self._called.pop(wake, None)
            self._waiting.pop(wake, None)

    @contextmanager
    def _calling(self) -> Iterator[None]:
        """Hold the lock and then, without it, call those who may enter now."""
        with self._lock:
            yield
            calls = list(islice(self._waiting, self._welcome()))
            for wake in calls:
                del self._waiting[wake]
                self._called[wake] = self._clock()
        for wake in calls:
            wake()

    def _close(self, ticket: Ticket, learn: Callable[[Ticket, float], None] | None = None) -> None:
        with self._calling():
            if ticket in self._open:
                self._open.remove(ticket)
                self._held -= 1
                if learn:
                    learn(ticket, self._clock())

    def _welcome(self) -> int:
        """How many waiters to call: all when a pause begins, since they have to look after themselves in it."""
        now = self._clock()
        if now >= self._opens:
            return max(0, self._free() - self._kept(now))
        begins = self._opens != self._announced
        self._announced = self._opens
        return len(self._waiting) if begins else 0

    def _free(self, backlog: int = 0) -> int:
        taken = len(self._open)
        tries = not self._step or backlog > self._worth * taken
        return (self._limit if tries else min(self._limit, self._proven)) - taken

    def _kept(self, now: float, wake: Wake | None = None) -> int:
        """How many places are kept for those who were called before *wake*."""
        if not self._open:
            return 0  # no answer is to come after which whoever is sent away now would be called
        before = takewhile(lambda each: each[0] != wake, self._called.items())
        return sum(now - called < GRACE for _, called in before)

    def _grow(self, ticket: Ticket, now: float) -> None:
        self._round_trip += (now - ticket.started - self._round_trip) / 4
        if self._stalls > 1:
            self._spacing, self._worth = 1, WORTH
        self._stalls //= 2
        self._first_refusal = None
        self._held += 1
        self._clean += 1
        if self._step and ticket.level >= self._limit:
            self._best = max(self._best, self._limit)
            self._spacing = 1
            self._try(min(2 * self._step, self._limit))
        elif self._step:
            self._proven = max(self._proven, ticket.level)
        elif self._clean >= self._spacing * self._limit:
            self._try(1)

    def _try(self, step: int) -> None:
        self._step = step
        self._proven = self._limit
        self._limit = min(self._limit + step, self._ceiling)

    def _shrink(self, ticket: Ticket, now: float, retry_after: float) -> None:
        self._refused += 1
        self._limit = min(self._limit, max(self._held, 1))
        if ticket.started >= self._last_refusal:
            most = SPACING // 2 if self._limit < self._best else SPACING
            self._spacing = min(2 * self._spacing, most) if self._step else 1
        self._step = self._clean = 0
        self._last_refusal = now
        self._worth = max(WORTH, min(retry_after / self._round_trip, WORTH_MOST))
        self._pause(now, retry_after)

    def _pause(self, now: float, retry_after: float) -> None:
        if self._first_refusal is None:
            self._first_refusal = now
        if self._held > 0:
            return
        self._stalls = min(self._stalls + 1, STALLS)
        pause = min(self._round_trip * 2.0 ** (self._stalls - 3), PAUSE) if self._stalls > 1 else 0.0
        if now - self._first_refusal >= 2 * self._round_trip:
            pause = max(pause, retry_after)
        self._opens = now + pause if pause else 0.0
