"""Parts sent by the workers of a Dask cluster, under one gate for all of them.

A task holds a lease of a semaphore that the scheduler keeps, so that all tasks together never have more requests under
way than are allowed; a worker that is lost loses its lease after some seconds, and its part goes to another one. What
a task raises is not tried again, since some of it may have been paid for: what was answered is in the worker's store.
No task is begun after that, and what the others were paid for is brought before it is raised.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.fleet import LOOK_EVERY, Deliveries, Delivery, Halted, Part, WorkOrder, send_part, shares
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    from distributed import Client, Future

GONE = (
    "fleet: the cluster dropped a part that was to be sent: it was restarted or closed. What was answered is kept by "
    "the workers; run it again to continue."
)
# Some tasks wait for a lease, so that no worker waits for this process.
AHEAD = 2
# For what is under way when a run ends in an error.
LONGEST_WAIT = 60.0


@dataclass(frozen=True)
class PartTask:
    """A part with its order; a worker's log shows no text of it."""

    order: WorkOrder
    part: Part

    def __repr__(self) -> str:
        return f"<{plural(len(self.part.texts), 'text')}>"


@dataclass(frozen=True)
class Rules:
    """The gate of the fleet, and the sign that its run is over: by name, for the scheduler has them."""

    gate: str
    tasks: int
    over: str


def sent(client: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Halted) -> Deliveries:
    """Have the workers of *client* send *parts*, with at most *most* requests at once; raises what they raise."""
    tasks, requests = shares(most)
    rules = Rules(f"svc_nb-fleet-{tasks}x{requests}", tasks, f"svc_nb-over-{uuid.uuid4().hex}")
    parcels = (PartTask(replace(order, requests=requests), part) for part in parts)
    return _Tasks(client, rules).carry_out(enumerate(parcels), halted)


class _Tasks:
    """The tasks of one run; few at a time, so that it can end soon."""

    def __init__(self, client: Client, rules: Rules) -> None:
        from distributed import Event

        self._client = client
        self._rules = rules
        self._over = Event(rules.over, client)
        self._running: dict[Future[Any], int] = {}
        self._end_by = math.inf

    def carry_out(self, parcels: Iterator[tuple[int, PartTask]], halted: Halted) -> Deliveries:
        """Every parcel as a task; once *halted* says so no other is begun, and those that are under way end soon."""
        problem: Exception | None = None
        try:
            self._begin(parcels)
            while self._running and time.monotonic() < self._end_by:
                for future in self._ended():
                    number, came = self._running.pop(future), _result(future)
                    if isinstance(came, Delivery):
                        yield number, came
                    problem = problem or (came if isinstance(came, Exception) else None)
                if problem:
                    self._halt(LONGEST_WAIT)
                elif halted():
                    self._halt()
                else:
                    self._begin(parcels)
        finally:
            self._end()
        if problem:
            raise problem

    def _begin(self, parcels: Iterator[tuple[int, PartTask]]) -> None:
        room = self._rules.tasks + AHEAD - len(self._running)
        for number, parcel in islice(parcels, room):
            name = f"svc_nb-part-{uuid.uuid4().hex}"
            self._running[self._client.submit(carried, parcel, self._rules, key=name, pure=False)] = number

    def _ended(self, seconds: float = LOOK_EVERY, return_when: str = "FIRST_COMPLETED") -> list[Future[Any]]:
        from distributed import wait

        with suppress(TimeoutError, CancelledError):  # of one that was dropped, its result tells
            wait(list(self._running), seconds, return_when)
        return [future for future in self._running if future.status != "pending"]

    def _halt(self, seconds: float = math.inf) -> None:
        """Have what is under way end soon; it is waited for no longer than *seconds* from the first such call."""
        self._end_by = min(self._end_by, time.monotonic() + seconds)
        if self._running:
            with suppress(Exception):  # the cluster may be gone
                self._over.set()

    def _end(self) -> None:
        """What is still under way ends soon, and is in the stores of the workers."""
        with suppress(Exception):  # the cluster may be gone
            if self._running:
                self._halt(LONGEST_WAIT)
                ended = self._ended(max(0, self._end_by - time.monotonic()), "ALL_COMPLETED")
                for future in self._running:
                    future.release()
                if len(ended) < len(self._running):  # the others are still to see the sign
                    return
            self._over.clear()


def _result(future: Future[Any]) -> Delivery | Exception | None:
    """What a task brought, or raised; None where the run was over."""
    try:
        came: Delivery | None = future.result()
        return came
    except CancelledError:
        return RuntimeError(GONE)
    except Exception as problem:
        return problem
    finally:
        future.release()


def carried(parcel: PartTask, rules: Rules) -> Delivery | None:
    """On a worker: wait for a lease and send; None where the run is over."""
    from distributed import Event, Semaphore

    over = Event(rules.over)
    gate = Semaphore(max_leases=rules.tasks, name=rules.gate)
    while not gate.acquire(timeout=LOOK_EVERY):
        if over.is_set():
            return None
    try:
        return None if over.is_set() else send_part(parcel.order, parcel.part, over.is_set)
    finally:
        gate.release()
