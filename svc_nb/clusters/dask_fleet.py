"""Parts sent by the workers of a Dask cluster, under one gate for all of them.

A task holds a lease of a semaphore that the scheduler keeps, so that all tasks together never have more requests under
way than are allowed; a worker that is lost loses its lease after some seconds, and its part goes to another one. What
a task raises is not tried again, since some of it may have been paid for: what was answered is in the worker's store.
"""

from __future__ import annotations

import uuid
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.fleet import LOOK_EVERY, Deliveries, Delivery, Halted, Order, Part, delivered, shares

if TYPE_CHECKING:
    from distributed import Client, Future

GONE = (
    "fleet: the cluster dropped a part that was to be sent: it was restarted or closed. What was answered is kept by "
    "the workers; run it again to go on."
)
# Some tasks wait for a lease, so that no worker waits for this process.
AHEAD = 2
# For what is under way when a run ends in an error.
LONGEST_WAIT = 60.0


@dataclass(frozen=True)
class Parcel:
    """A part with its order; a worker's log shows no text of it."""

    order: Order
    part: Part

    def __repr__(self) -> str:
        return f"<{len(self.part.texts):,} texts>"


@dataclass(frozen=True)
class Rules:
    """The gate of the fleet, and the sign that its run is over: by name, for the scheduler has them."""

    gate: str
    tasks: int
    over: str


def sent(client: Any, order: Order, parts: Sequence[Part], most: int, halted: Halted) -> Deliveries:
    """Have the workers of *client* send *parts*, with at most *most* requests at once; raises what they raise."""
    tasks, requests = shares(most)
    rules = Rules(f"svc_nb-fleet-{tasks}x{requests}", tasks, f"svc_nb-over-{uuid.uuid4().hex}")
    parcels = (Parcel(replace(order, requests=requests), part) for part in parts)
    return _Tasks(client, rules).carry_out(enumerate(parcels), halted)


class _Tasks:
    """The tasks of one run; few at a time, so that it can end soon."""

    def __init__(self, client: Client, rules: Rules) -> None:
        from distributed import Event

        self._client = client
        self._rules = rules
        self._over = Event(rules.over, client)
        self._running: dict[Future[Any], int] = {}

    def carry_out(self, parcels: Iterator[tuple[int, Parcel]], halted: Halted) -> Deliveries:
        """Every parcel as a task; once *halted* says so no other is begun, and those that are under way end soon."""
        try:
            self._begin(parcels)
            while self._running:
                for future in self._ended():
                    number, delivery = self._running.pop(future), _result(future)
                    if delivery is not None:
                        yield number, delivery
                if halted():
                    self._over.set()
                else:
                    self._begin(parcels)
        finally:
            self._end()

    def _begin(self, parcels: Iterator[tuple[int, Parcel]]) -> None:
        room = self._rules.tasks + AHEAD - len(self._running)
        for number, parcel in islice(parcels, room):
            name = f"svc_nb-part-{uuid.uuid4().hex}"
            self._running[self._client.submit(carried, parcel, self._rules, key=name, pure=False)] = number

    def _ended(self, seconds: float = LOOK_EVERY, return_when: str = "FIRST_COMPLETED") -> list[Future[Any]]:
        from distributed import wait

        try:
            return list(wait(list(self._running), seconds, return_when).done)
        except TimeoutError:
            return []

    def _end(self) -> None:
        """What is still under way ends soon, and is in the stores of the workers."""
        with suppress(Exception):  # the cluster may be gone
            if self._running:
                self._over.set()
                self._ended(LONGEST_WAIT, "ALL_COMPLETED")
                for future in self._running:
                    future.release()
            self._over.clear()


def _result(future: Future[Any]) -> Delivery | None:
    try:
        came: Delivery | None = future.result()
    except CancelledError:
        raise RuntimeError(GONE) from None
    finally:
        future.release()
    return came


def carried(parcel: Parcel, rules: Rules) -> Delivery | None:
    """On a worker: wait for a lease and send; None where the run is over."""
    from distributed import Event, Semaphore

    over = Event(rules.over)
    gate = Semaphore(max_leases=rules.tasks, name=rules.gate)
    while not gate.acquire(timeout=LOOK_EVERY):
        if over.is_set():
            return None
    try:
        return None if over.is_set() else delivered(parcel.order, parcel.part, over.is_set)
    finally:
        gate.release()
