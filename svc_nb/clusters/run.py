"""From the texts that an engine counted to the pairs that it joins with: chunk after chunk through one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any, cast

from svc_nb.clusters.asked import Asked, Counted
from svc_nb.clusters.engine import Cluster, Engine
from svc_nb.clusters.fleet import FleetJob, Order, results_of
from svc_nb.clusters.pairs import Pairs
from svc_nb.columns.job import TextJob
from svc_nb.columns.jobs import manner, relayed
from svc_nb.columns.relay import Leg, Relay
from svc_nb.columns.summary import PlanSummary, together
from svc_nb.columns.tally import Tally
from svc_nb.marked import warn_of_marks
from svc_nb.session import current_store, known

# A chunk is so many texts, or fewer when they are long.
MOST_TEXTS = 100_000
MOST_CHARACTERS = 32_000_000


class Errand:
    """An order for the texts of a frame: planned, or carried out by this process or by the workers."""

    def __init__(self, engine: Engine, frame: Any, asked: Asked, order: Order) -> None:
        self._engine = engine
        self._frame = frame
        self._asked = asked
        self._order = order

    @cached_property
    def _job(self) -> TextJob:
        """The job that is the same for all chunks."""
        return self._order.job(Tally([], []))

    def check(self) -> None:
        """Raise what is wrong with the order, before a text is looked at."""
        _ = self._job

    def plan(self, price: float | None) -> PlanSummary:
        """What it will do and cost; nothing is paid."""
        left = self._job.manner.budget
        plans = []
        for tally in self._tallies():
            plans.append(self._job.over(tally, budget=left).plan(price=price))
            left = None if left is None else max(0, left - plans[-1].characters)
        return together(plans or [self._job.plan(price=price)])

    def pairs(self, *, progress: bool, staging: str | None, fleet: int | None) -> Pairs:
        """Send what is not known yet and give what every text came to; raises what it ends with."""
        pairs = Pairs(self._asked, staging)

        def take(tally: Tally, job: Any) -> None:
            pairs.add(tally.texts, tally.options, results_of(job))

        def job(tally: Tally, budget: int | None) -> Leg:
            if fleet is None:
                return self._job.over(tally, budget=budget)
            return self._fleet_job(tally, fleet, only_stored=budget == 0)

        # The engine counts in the caller's thread, where it hears of Ctrl-C and knows its session.
        tallies = self._tallies()
        first = list(islice(tallies, 1))
        relay = Relay(
            chain(first, tallies),
            job,
            take,
            manner(dict(self._order.fields)),
            title=self._title(),
        )
        del first
        try:
            relayed(relay, progress=progress)
        except BaseException:
            pairs.discard()
            raise
        pairs.is_whole = relay.progress.finished_well
        report = relay.progress
        warn_of_marks(relay.marked, f"{report.marked:,} of {report.rows:,} rows")
        if session := known():
            session.client.ignored_options.warn()
        return pairs

    def _fleet_job(self, tally: Tally, fleet: int, *, only_stored: bool) -> FleetJob:
        cluster = cast(Cluster, self._engine)  # who asks for a fleet has seen that it is one
        return FleetJob(
            self._order,
            tally,
            lambda order, parts, halted: cluster.sent(self._frame, order, parts, fleet, halted),
            current_store(),
            only_stored=only_stored,
        )

    def _tallies(self) -> Iterator[Tally]:
        for chunk in _bounded(self._engine.counted(self._frame, self._asked)):
            yield Tally(*chunk, name=self._order.name)

    def _title(self) -> str:
        targets = self._order.targets
        return f"translate into {', '.join(targets)}" if targets else "detect languages"


def _bounded(counted: Iterable[Counted]) -> Iterator[Counted]:
    """The same texts in as few chunks as may be."""
    held: list[Counted] = []
    texts = characters = 0
    for some in counted:
        held.append(some)
        texts += len(some.texts)
        characters += sum(len(text) for text in some.texts if text)
        if texts >= MOST_TEXTS or characters >= MOST_CHARACTERS:
            yield _one(held)
            held, texts, characters = [], 0, 0
    if held:
        yield _one(held)


def _one(held: list[Counted]) -> Counted:
    return Counted(
        [text for some in held for text in some.texts],
        [rows for some in held for rows in some.rows],
        {name: [each for some in held for each in some.options[name]] for name in held[0].options},
    )
