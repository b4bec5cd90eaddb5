"""How many batches may be in flight: learned from the service's answers. Nothing sleeps and nothing is sent here.

The gate starts with a few places. Until the first refusal, there may be three times as many as were accepted; the new
ones open one after another within half a round trip, so that the first refusal keeps the others closed. A refusal also
lowers the limit to the number in flight, and below that if refusals continue. From then on one more place is tried
after some clean answers, later each time it is refused; once it is accepted, the steps grow again. A place is only
tried if much work is waiting, because a refused batch comes back late. If a service refuses requests while none of ours
are in flight, the number of places is not the reason: all entries pause, longer each time, until a success.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, takewhile

__all__ = ["Gate", "Ticket"]

Wake = Callable[[], None]

WORTH = 4.0  # a place is tried if the waiting work lasts for this many round trips,
WORTH_MOST = 1000.0  # or as many as a refused batch has to stay away, up to this
SPACING = 6  # clean answers between two tries, in limits; half if there was more room before
PAUSE = 2.0  # the longest pause in seconds that the service did not ask for
STALLS = 16  # this many doublings reach the longest pause from any round trip
DEARER = 3  # this many times as many clean answers, if refused batches are asked to stay away
GRACE = 0.1  # for this many seconds a place is kept for a waiter that was called
FEWEST = 3  # as if there were this many places: with one or two, a try would be refused too often
GROWTH = 3  # until the first refusal, there may be this many times the places that were accepted;
PACE = 0.5  # they open one after another in this part of a round trip, so that a refusal keeps the others closed,
PARTS = 8  # in this many portions
SOON = 0.002  # seconds: how often to check at most whether more places are open
SERIOUS = 3  # if a service refuses this often in a row, although fewer requests were sent,
FALL = 0.7  # this share of the places in flight remains


@dataclass(frozen=True, slots=True, eq=False)
class Ticket:
    """A place: how many were in flight when it was taken, including itself, and the time."""

    level: int
    started: float


class Gate:
    """The places in flight to one service, shared by all threads and runs of a process; a ticket is given back once.

    `limit` is their current number, including one that is being tried, `peak` the most that were ever taken, `refused`
    how often the service had no room.
    """

    def __init__(self, ceiling: int = 64, *, start: int = 8, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self.limit = 2 * start
        self.ceiling = ceiling
        self._open: set[Ticket] = set()
        self._held = 0  # in flight when a place was last taken, minus those returned since then without success
        self.peak = self.refused = 0
        self._step = ceiling  # how much the limit may grow beyond what was accepted; 0 from a refusal to the next try
        self._proven = min(start, ceiling)  # what was accepted, or the limit before the step
        self._goal = ceiling  # what must be accepted for larger steps
        self._opened = float(self._proven)  # how many of the places that the limit allows are open
        self._opened_at: float | None = None  # the time for which that holds; None until someone enters
        self._best = 0  # the highest limit that was ever accepted
        self._spacing = 1
        self._clean = 0
        self._worth = WORTH
        self._round_trip = 0.1
        self._last_refusal = float("-inf")  # of requests sent after the previous refusal
        self._first_refusal: float | None = None  # since the last success
        self._denied = (
            0  # refusals of requests sent after the previous refusal, without a success of such a request in between
        )
        self._stalls = 0  # refusals that left nothing in flight; each success halves them
        self._opens = self._announced = 0.0
        self._waiting: dict[Wake, None] = {}
        self._called: dict[Wake, float] = {}

    @property
    def ceiling(self) -> int:
        """The maximum of the limit; may be set at any time."""
        return self._ceiling

    @ceiling.setter
    def ceiling(self, ceiling: int) -> None:
        if ceiling < 1:
            raise ValueError(f"The ceiling of a gate is at least 1, not {ceiling}.")
        with self._lock:
            self._ceiling = ceiling
            self.limit = max(1, min(self.limit, ceiling))

    def trust(self, places: int) -> None:
        """Open this many places without trying them step by step, unless the service has refused some before."""
        with self._calling():
            if self._step:
                self.limit = max(self.limit, min(places, self._ceiling))
                self._proven = max(self._proven, self.limit)
                self._opened = self.limit

    @property
    def in_flight(self) -> int:
        """The number of places taken."""
        return len(self._open)

    def enter(self, backlog: int = 0, wake: Wake | None = None) -> Ticket | None:
        """Take a place, if one is free, there is no pause, and no one is before *wake*; *backlog* waits behind this."""
        with self._lock:
            now = self._clock()
            self._open_more(now)
            if now < self._opens or self._free(backlog) <= (self._kept(now, wake) if wake else 0):
                return None
            for called in [wake] if wake else list(self._called)[:1]:
                self._called.pop(called, None)
            self._opens = 0.0
            ticket = Ticket(len(self._open) + 1, now)
            self._open.add(ticket)
            self._held = ticket.level
            self.peak = max(self.peak, ticket.level)
            return ticket

    def opens_in(self) -> float | None:
        """Seconds to the end of a pause, or until more of a step opens, when no one is called; None if neither applies.

        0 if a pause is over and no one has entered since.
        """
        with self._lock:
            now = self._clock()
            if self._opens:
                return max(0.0, self._opens - now)
            if not self._step or self._opened >= self.limit:
                return None
            return max(SOON, (self._opened_at or now) + PACE * self._round_trip / PARTS - now)

    def accepted(self, ticket: Ticket) -> None:
        """Note that the service had room: it answered, if only to report another problem."""
        with self._calling():
            if not self._give_back(ticket):
                return
            self._round_trip += (self._clock() - ticket.started - self._round_trip) / 4
            if self._stalls > 1:
                self._spacing, self._worth, self._clean = 1, WORTH, FEWEST
            self._stalls //= 2
            self._first_refusal = None
            self._held += 1
            if ticket.started <= self._last_refusal:
                return  # it says nothing about the current room
            self._denied = 0
            self._clean += 1
            if self._step:
                self._proven = max(self._proven, ticket.level)
                self._best = max(self._best, self._proven)
                if self._proven >= self._goal:
                    self._spacing = 1
                    self._step *= GROWTH
                    self._goal = self._proven + self._step
                most = self._proven + min(self._step, (GROWTH - 1) * self._proven)
                self.limit = min(max(self.limit, most), self._ceiling)
            elif self._clean >= self._spacing * max(self.limit, FEWEST):
                self._step, self._proven = 1, self.limit
                self.limit = self._goal = min(self.limit + 1, self._ceiling)
                self._opened = self.limit

    def refuse(self, ticket: Ticket, retry_after: float | None = None) -> None:
        """Note that the service had no room: 429 or 529."""
        with self._calling():
            if not self._give_back(ticket):
                return
            now, asked = self._clock(), retry_after or 0.0
            self.refused += 1
            fresh = ticket.started > self._last_refusal
            self._denied += fresh
            left = int(self._held * FALL) if fresh and self._denied >= SERIOUS else self._held
            self.limit = min(self.limit, max(left, 1))
            if fresh:
                self._last_refusal = now
                most = SPACING // 2 if self.limit < self._best else SPACING
                if asked > WORTH * self._round_trip:  # a refused batch stays away for long
                    most *= DEARER
                self._spacing = min(2 * self._spacing, most) if self._step else 1
            self._step = self._clean = 0
            self._worth = max(WORTH, min(1.25 * asked / self._round_trip, WORTH_MOST))
            if self._first_refusal is None:
                self._first_refusal = now
            if self._held > 0:
                return
            # It refuses although nothing of ours is in flight, so places are not the reason: pause.
            self._stalls = min(self._stalls + 1, STALLS)
            pause = min(self._round_trip * 2.0 ** (self._stalls - 3), PAUSE) if self._stalls > 1 else 0.0
            if now - self._first_refusal >= 2 * self._round_trip:
                pause = max(pause, asked)
            self._opens = now + pause if pause else 0.0

    def leave(self, ticket: Ticket) -> None:
        """Return the place without learning about room: it was not used, or there was a reset, a time-out, a 5xx."""
        with self._calling():
            self._give_back(ticket)

    def wait(self, wake: Wake) -> None:
        """Call *wake* once, as soon as a place may be free, possibly at once: first come, first called."""
        with self._calling():
            self._called.pop(wake, None)
            self._waiting.setdefault(wake)

    def forget(self, wake: Wake) -> None:
        """Do not call *wake* again."""
        with self._calling():
            self._called.pop(wake, None)
            self._waiting.pop(wake, None)

    @contextmanager
    def _calling(self) -> Iterator[None]:
        """Hold the lock and then, without it, call those who may enter now."""
        with self._lock:
            yield
            now = self._clock()
            if now >= self._opens:
                welcome = max(0, self._free() - self._kept(now))
            else:  # all when a pause begins, because they have to wait for its end themselves
                welcome = len(self._waiting) if self._opens != self._announced else 0
                self._announced = self._opens
            calls = list(islice(self._waiting, welcome))
            for wake in calls:
                del self._waiting[wake]
                self._called[wake] = self._clock()
        for wake in calls:
            wake()

    def _give_back(self, ticket: Ticket) -> bool:
        """Close *ticket*; returns whether it was still open."""
        if ticket not in self._open:
            return False
        self._open.remove(ticket)
        self._held -= 1
        return True

    def _free(self, backlog: int = 0) -> int:
        taken = len(self._open)
        if not self._step:
            return self.limit - taken
        tries = backlog > self._worth * taken
        return min(self.limit, int(self._opened) if tries else self._proven) - taken

    def _open_more(self, now: float) -> None:
        """Open another portion of the places that are being tried, if it is time."""
        if self._opened_at is None:
            self._opened_at = now
        parts = int((now - self._opened_at) * PARTS / (PACE * self._round_trip))
        if parts and self._step:
            more = (GROWTH - 1) * self._proven * min(parts, PARTS) / PARTS
            self._opened = min(float(self.limit), max(self._opened, self._proven) + more)
            self._opened_at = now

    def _kept(self, now: float, wake: Wake | None = None) -> int:
        """The number of places kept for those who were called before *wake*."""
        if not self._open:
            return 0  # no answer is pending, after which anyone rejected now would be called
        before = takewhile(lambda each: each[0] != wake, self._called.items())
        return sum(now - called < GRACE for _, called in before)
