"""When the workers of a cluster must send: what they are told, what they do, and what they bring back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from svc_nb.accessor.jobs import detection, translation
from svc_nb.batch.control import Control
from svc_nb.batch.job import Job
from svc_nb.batch.outcome import FAILED, UNSENT, Report
from svc_nb.batch.store import Entry, Store
from svc_nb.clusters.engine import Counted as Part
from svc_nb.errors import SettingsError
from svc_nb.frames.job import TextJob
from svc_nb.frames.tally import Tally
from svc_nb.session import Session, connect, known
from svc_nb.settings import Settings

__all__ = ["Delivery", "FleetJob", "Order", "Part", "delivered", "results_of"]

TEXTS_A_PART = 1000
# A task keeps so many requests under way; what one worker gains by more, the others lose.
REQUESTS_A_TASK = 4
NO_SERVICE = (
    "This worker knows no service: set SVC_API_KEY (and SVC_BASE_URL) in its own environment, or put them into the "
    "config file of its machine. The key is never sent to it."
)

Deliveries = Generator[tuple[int, "Delivery"], None, None]
Send = Callable[["Order", Sequence[Part]], Deliveries]


@dataclass(frozen=True)
class Order:
    """What a worker is told besides the texts: plain values, and never a key."""

    targets: tuple[str, ...]
    fields: Mapping[str, Any]
    requests: int = REQUESTS_A_TASK

    def job(self, sheet: Tally, **more: Any) -> TextJob:
        """The job that does it here; without targets it detects languages."""
        fields: Any = {**self.fields, **more}
        if not self.targets:
            return detection(sheet, None, False, fields)
        return translation(sheet, None, list(self.targets), False, fields)


@dataclass
class Delivery:
    """What came of a part: for each target the results by position, the counts, and what a store is to keep."""

    results: list[list[str | None]]
    report: Report
    entries: list[Entry] = field(default_factory=list)
    undone: pd.DataFrame | None = None
    marked: set[tuple[str, str]] = field(default_factory=set)


def delivered(order: Order, part: Part) -> Delivery:
    """Send *part* from this process, with the key of this machine; the answers are in its store before this returns."""
    session = _connected()
    session.gate.ceiling = min(session.gate.ceiling, order.requests)
    job = order.job(Tally(*part))
    job.start()
    job.wait()
    results = results_of(job)
    table = job.table()
    table.insert(0, "source", part.texts)
    undone = table[table["status"].isin([FAILED, UNSENT])]
    return Delivery(results, job.progress, job.entries(), undone, getattr(job, "marked", set()))


def results_of(job: Any) -> list[list[str | None]]:
    """What the texts of a job came to, for each target, None for gaps; raises what kept it from beginning."""
    cells = job.partial()
    columns = [cells.iloc[:, place] for place in range(cells.shape[1])] if cells.ndim == 2 else [cells]
    return [[cell if isinstance(cell, str) else None for cell in column.tolist()] for column in columns]


class FleetJob(Job[Any]):
    """The texts of *sheet* sent by workers: what the store of this machine has is not sent, what they bring it keeps.

    *send* gives the deliveries as they come, each with the number of its part; closed, it sends no more.
    """

    def __init__(self, order: Order, sheet: Tally, send: Send, store: Store) -> None:
        super().__init__(self._carry_out, self._assembled)
        self.sheet = sheet
        self.marked: set[tuple[str, str]] = set()
        self._orders = [replace(order, targets=(target,)) for target in order.targets] or [order]
        self._send = send
        self._store = store
        self._undone: list[pd.DataFrame] = []
        self._results: list[list[str | None]] = [[None] * len(sheet.texts) for _ in self._orders]
        self._report.rows = len(sheet) * len(self._orders)
        self._report.stage = "sending"

    def table(self) -> pd.DataFrame:
        """What came of the texts that failed or were not sent."""
        return pd.concat(self._undone) if self._undone else pd.DataFrame({"status": [], "reason": []})

    def _assembled(self) -> Any:
        return pd.DataFrame(dict(enumerate(self._results)), dtype=object)

    def _carry_out(self, control: Control, report: Report) -> None:
        for order, results in zip(self._orders, self._results, strict=True):
            if not control.cancelled and not report.error:
                self._deliver(order, results, control)

    def _deliver(self, order: Order, results: list[str | None], control: Control) -> None:
        open_places = self._stored(order, results)
        parts = [
            open_places[start : start + TEXTS_A_PART] for start in range(0, len(open_places), TEXTS_A_PART)
        ]
        with closing(self._send(order, [Part(*self.sheet.part(places)) for places in parts])) as deliveries:
            for number, delivery in deliveries:
                self._take(delivery, parts[number], results)
                if control.cancelled or delivery.report.error:
                    return

    def _stored(self, order: Order, results: list[str | None]) -> list[int]:
        """Take what this machine knows already; gives the places of the texts that it does not."""
        everything = list(range(len(self.sheet.texts)))
        if not _has_service():
            return everything
        job = order.job(self.sheet, budget=0)
        job.start()
        job.wait()
        if job.progress.error or job.failure:
            return everything
        status = job.table()["status"].tolist()
        [found] = results_of(job)
        for place, cell in enumerate(found):
            results[place] = cell
        counted = job.progress
        counted.unsent.clear()
        self._count(counted)
        return [place for place in everything if status[place] == UNSENT]

    def _take(self, delivery: Delivery, places: Sequence[int], results: list[str | None]) -> None:
        self._store.put(delivery.entries)
        [found] = delivery.results
        for place, cell in zip(places, found, strict=True):
            results[place] = cell
        if delivery.undone is not None and len(delivery.undone):
            self._undone.append(delivery.undone)
        self.marked |= delivery.marked
        self._count(delivery.report)

    def _count(self, counted: Report) -> None:
        rows, unique, started = self._report.rows, self._report.unique, self._report.started
        self._report = replace(
            self._report.plus(counted), rows=rows, started=started, stage="sending", ended=None
        )
        self._report.unique = max(unique, counted.unique)


def _has_service() -> bool:
    """Whether this process knows a service, so that it can tell what its store has."""
    return known() is not None or Settings.load().address is not None


def _connected() -> Session:
    """The session of this process: the one that there is, or one with the settings of this machine."""
    with _lock:
        session = known()
        if session is not None:
            return session
        if Settings.load().address is None:
            raise SettingsError(NO_SERVICE)
        return connect()


_lock = threading.Lock()
