"""How many batches may be in flight: learned from the service's answers. Nothing sleeps and nothing is sent here.

The gate starts with a few places. While nothing is refused, there may be three times as many as were accepted; the new
ones open one after another within half a round trip, so that the first refusal keeps the others shut. A refusal also
lowers the limit to what the service holds, and below that if it goes on refusing. From then on one more place is tried
after some clean answers, later each time it is refused; once it is accepted, the steps grow again. A place is only
tried while much work stands behind it, for a refused batch comes back late. When a service refuses and holds nothing of
ours, it is not about places: all entries pause, longer each time, until a success.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, takewhile

__all__ = ["Gate", "Ticket"]

Wake = Callable[[], None]

WORTH = 4.0  # a place is tried while the work behind it lasts this many round trips,
WORTH_MOST = 1000.0  # or as many as a refused batch has to stay away, up to this
SPACING = 6  # clean answers between two tries, in limits; half when there was more room before
PAUSE = 2.0  # the longest pause in seconds that the service did not ask for
STALLS = 16  # so many doublings reach the longest pause from any round trip
DEARER = 3  # so many times as many clean answers, where refused batches are asked to stay away
GRACE = 0.1  # for so many seconds a place is kept for a waiter that was called
FEWEST = 3  # as if there were so many places: with one or two, a try would be refused too often
GROWTH = 3  # while nothing is refused, there may be so many times the places that were accepted;
PACE = 0.5  # they open one after another in this part of a round trip, so that a refusal keeps the others shut,
PARTS = 8  # so many parts of them at a time
SOON = 0.002  # seconds: nobody looks more often whether more places are open
SERIOUS = 3  # when a service refuses so often in a row, though it was asked for less,
FALL = 0.7  # so much remains of the places it holds


@dataclass(frozen=True, slots=True, eq=False)
class Ticket:
    """A place: how many were in flight when it was taken, itself included, and when that was."""

    level: int
    started: float


class Gate:
    """The places in flight to one service, shared by all threads and runs of a process; a ticket is given back once.

    `limit` is how many there are now, with the one that is being tried, `peak` the most that ever were taken, `refused`
    how often the service had no room.
    """

    def __init__(self, ceiling: int = 64, *, start: int = 8, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self.limit = 2 * start
        self.ceiling = ceiling
        self._open: set[Ticket] = set()
        self._held = 0  # in flight when a place was last taken, less those given back since without success
        self.peak = self.refused = 0
        self._step = ceiling  # how much the limit may grow beyond what was accepted; 0 from a refusal to the next try
        self._proven = min(start, ceiling)  # what was accepted, or where the limit stood before the step
        self._goal = ceiling  # what must be accepted for larger steps
        self._opened = float(self._proven)  # how many places are open of those that the limit allows
        self._opened_at: float | None = None  # the time for which that holds; None until somebody enters
        self._best = 0  # the highest limit that was ever accepted
        self._spacing = 1
        self._clean = 0
        self._worth = WORTH
        self._round_trip = 0.1
        self._last_refusal = float("-inf")  # of what was sent after the one before
        self._first_refusal: float | None = None  # since the last success
        self._denied = 0  # refusals of what was sent after the refusal before, with no success of such a one between
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
            self.limit = max(1, min(self.limit, ceiling))

    def trust(self, places: int) -> None:
        """Have so many places without trying them step by step, unless the service has refused some before."""
        with self._calling():
            if self._step:
                self.limit = max(self.limit, min(places, self._ceiling))
                self._proven = max(self._proven, self.limit)
                self._opened = self.limit

    @property
    def in_flight(self) -> int:
        """How many places are taken."""
        return len(self._open)

    def enter(self, backlog: int = 0, wake: Wake | None = None) -> Ticket | None:
        """Take a place, if one is free, no pause is on, and none waits before *wake*; *backlog* is behind this one."""
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
        """Seconds to the end of a pause, or until more of a step is open, at which nobody is called; None without both.

        0 when a pause is over and nobody entered since.
        """
        with self._lock:
            now = self._clock()
            if self._opens:
                return max(0.0, self._opens - now)
            if not self._step or self._opened >= self.limit:
                return None
            return max(SOON, (self._opened_at or now) + PACE * self._round_trip / PARTS - now)

    def accepted(self, ticket: Ticket) -> None:
        """The service had room: it answered, if only to say that something else was wrong."""
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
                return  # it tells nothing of the room that there is now
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
        """The service had no room: 429 or 529."""
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
            # It refuses and holds nothing of ours, so it is not about places: pause.
            self._stalls = min(self._stalls + 1, STALLS)
            pause = min(self._round_trip * 2.0 ** (self._stalls - 3), PAUSE) if self._stalls > 1 else 0.0
            if now - self._first_refusal >= 2 * self._round_trip:
                pause = max(pause, asked)
            self._opens = now + pause if pause else 0.0

    def leave(self, ticket: Ticket) -> None:
        """No word about room: the place was not used, or there was a reset, a time-out, a 5xx."""
        with self._calling():
            self._give_back(ticket)

    def wait(self, wake: Wake) -> None:
        """Call *wake* once, as soon as a place may be free, perhaps at once: first come, first called."""
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
            now = self._clock()
            if now >= self._opens:
                welcome = max(0, self._free() - self._kept(now))
            else:  # all when a pause begins, since they have to look after themselves in it
                welcome = len(self._waiting) if self._opens != self._announced else 0
                self._announced = self._opens
            calls = list(islice(self._waiting, welcome))
            for wake in calls:
                del self._waiting[wake]
                self._called[wake] = self._clock()
        for wake in calls:
            wake()

    def _give_back(self, ticket: Ticket) -> bool:
        """Whether *ticket* was still open; from now on it is not."""
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
        """Open another part of the places that are being tried, if its time has come."""
        if self._opened_at is None:
            self._opened_at = now
        parts = int((now - self._opened_at) * PARTS / (PACE * self._round_trip))
        if parts and self._step:
            more = (GROWTH - 1) * self._proven * min(parts, PARTS) / PARTS
            self._opened = min(float(self.limit), max(self._opened, self._proven) + more)
            self._opened_at = now

    def _kept(self, now: float, wake: Wake | None = None) -> int:
        """How many places are kept for those who were called before *wake*."""
        if not self._open:
            return 0  # no answer is to come after which whoever is sent away now would be called
        before = takewhile(lambda each: each[0] != wake, self._called.items())
        return sum(now - called < GRACE for _, called in before)
