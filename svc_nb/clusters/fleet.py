"""Let the workers of a cluster send texts: their orders, their work, and their results."""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import msgspec
import pandas as pd

from svc_nb.clusters.table_request import Counted as Part
from svc_nb.columns import detection, translation
from svc_nb.columns.chunked import with_sources
from svc_nb.columns.job import ChunkJob, TextJob
from svc_nb.columns.ledger_context import notebook
from svc_nb.columns.protection import FIRST, Protection
from svc_nb.columns.selection import CountedTexts
from svc_nb.engine.billing import PROCESS_BILLED, Charge, Receipt
from svc_nb.engine.gate import Gate
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, UNSENT, Outcome, RunReport
from svc_nb.engine.store import Store, StoredAnswer
from svc_nb.errors import SettingsError, StoreError, SvcError
from svc_nb.session import Session, connect, known
from svc_nb.settings import Settings

__all__ = ["Delivery", "FleetJob", "Part", "WorkOrder", "results_of", "send_part", "shares"]

# A part is this many texts, or fewer if they are long.
TEXTS_A_PART = 1000
CHARACTERS_A_PART = 1_000_000
# The parallel requests of a task; if one worker had more, the others would have fewer.
REQUESTS_A_TASK = 4
LOOK_EVERY = 0.25
BUDGET = "budget"
INTERRUPTED = "interrupted"
STORE = "store"
NO_SERVICE = (
    "This worker has no service, because keys are never sent to workers. Set SVC_API_KEY (and SVC_BASE_URL) in its own "
    "environment, or put them into the config file of its machine"
)

Halted = Callable[[], bool]
Deliveries = Generator[tuple[int, "Delivery"], None, None]
Send = Callable[["WorkOrder", Sequence[Part], Halted], Deliveries]


@dataclass(frozen=True)
class WorkOrder:
    """The order for a worker, without the texts, which are from the columns *name*: plain values, never a key."""

    targets: tuple[str, ...]
    fields: Mapping[str, Any]
    requests: int = REQUESTS_A_TASK
    name: str | None = None

    def job(self, selection: CountedTexts, **more: Any) -> TextJob:
        """The job that carries it out here; without targets it detects languages."""
        fields: Any = {**self.fields, **more}
        if not self.targets:
            return detection(selection, None, False, fields)
        return translation(selection, None, self.targets[0] if len(self.targets) == 1 else self.targets, False, fields)


@dataclass
class Delivery:
    """The outcome of a part: for each target the results by position, the counts, and the entries for a store."""

    results: list[list[str | None]]
    report: RunReport
    entries: list[StoredAnswer] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    undone: pd.DataFrame | None = None
    marked: set[tuple[str, str]] = field(default_factory=set)
    ignored_options: frozenset[str] = frozenset()


def shares(most: int) -> tuple[int, int]:
    """How many tasks may send at once, and with how many requests each, so that there are never more than *most*.

    >>> shares(16), shares(3), shares(9)
    ((4, 4), (1, 3), (2, 4))
    """
    tasks = max(1, most // REQUESTS_A_TASK)
    return tasks, most // tasks


def send_part(order: WorkOrder, part: Part, halted: Halted = lambda: False) -> Delivery:
    """Send *part* from this process, with this machine's key and store; nothing new once *halted* is true."""
    with _lock:
        session = known()
        if session is None and Settings.load().address is None:
            raise SettingsError(NO_SERVICE)
        session = session or connect()
    _widen(session, order.requests)
    try:
        job = order.job(CountedTexts(*part, name=order.name))
        job.start()
        while not job.wait(LOOK_EVERY):
            if halted():
                job.cancel()
    finally:
        left = _widen(session, -order.requests)
        while left and session.gate.in_flight > left:  # others may hold places that were meant for this one
            time.sleep(0.01)
    results = results_of(job)
    table = with_sources(job.table(), part.texts)
    undone = table[table["status"].isin([MARKED, FAILED, UNSENT])]
    marked: set[tuple[str, str]] = getattr(job, "marked", set())
    ignored = session.client.ignored_options.heard
    return Delivery(results, job.progress, job.entries(), job.charges(), undone, marked, ignored)


def results_of(job: Any) -> list[list[str | None]]:
    """The results of a job for each target, None for missing; raises the error that kept it from starting."""
    cells = job.partial()
    columns = [cells.iloc[:, place] for place in range(cells.shape[1])] if cells.ndim == 2 else [cells]
    return [[cell if isinstance(cell, str) else None for cell in column.tolist()] for column in columns]


class FleetJob(ChunkJob):
    """The texts of *selection* sent by workers; saved answers of this machine are used, and new answers saved here.

    *send* yields the deliveries as they arrive, each with the number of its part, and ends when the run is halted; it
    raises its errors after everything under way has arrived. With *only_stored* nothing is sent.
    """

    selection: CountedTexts

    def __init__(
        self, order: WorkOrder, selection: CountedTexts, send: Send, store: Store, *, only_stored: bool = False
    ) -> None:
        super().__init__()
        self.selection = selection
        self.marked: set[tuple[str, str]] = set()
        self._orders = [replace(order, targets=(target,)) for target in order.targets] or [order]
        self._send = send
        self._store = store
        self._only_stored = only_stored
        self._unkept: tuple[list[StoredAnswer], list[Charge]] = ([], [])
        self._undone: list[pd.DataFrame] = []
        self._results: list[list[str | None]] = [[None] * len(selection.texts) for _ in self._orders]
        self._report.rows = len(selection) * len(self._orders)
        self._report.stage = "sending"

    def table(self) -> pd.DataFrame:
        """The outcomes of the texts that were only marked, failed or were not sent."""
        return pd.concat(self._undone) if self._undone else _undone([], None)

    def partial(self) -> Any:
        """The result so far; raises the error that kept the workers from sending."""
        if self._problem:
            raise self._problem
        return super().partial()

    def _build(self) -> pd.DataFrame:
        return pd.DataFrame(dict(enumerate(self._results)), dtype=object)

    def _carry_out(self) -> None:
        control = self._control

        def halted() -> bool:
            return control.cancelled or self._report.error is not None

        for order, results in zip(self._orders, self._results, strict=True):
            parts = self._parts(self._stored(order, results))
            left = dict(enumerate(parts))
            if not self._only_stored and not halted():
                sent = self._send(order, [Part(*self.selection.part(places)) for places in parts], halted)
                with closing(sent) as deliveries:
                    for number, delivery in deliveries:
                        self._take(delivery, left.pop(number), results)
                        while control.paused and not control.cancelled:  # nothing is started in the meantime
                            time.sleep(LOOK_EVERY)
            texts, rows, _ = self.selection.part([*chain(*left.values())])
            if texts:  # which were not sent
                why = BUDGET if self._only_stored else self._why()
                self._undone.append(_undone(texts, why))
                self._count(RunReport(unsent=Counter({why: sum(rows)})))

    def _parts(self, groups: Iterable[Sequence[int]]) -> list[list[int]]:
        """The places in parts, each of which goes to one machine; no group is split."""
        parts: list[list[int]] = []
        characters = 0
        for group in groups:
            length = sum(len(self.selection.texts[place] or "") for place in group)
            many = len(group) + (len(parts[-1]) if parts else 0)
            if not parts or many > TEXTS_A_PART or characters + length > CHARACTERS_A_PART:
                parts.append([])
                characters = 0
            parts[-1].extend(group)
            characters += length
        return parts

    def _stored(self, order: WorkOrder, results: list[str | None]) -> list[list[int]]:
        """Use this machine's saved answers; returns the places of all other texts, with equal questions together."""
        everything = range(len(self.selection.texts))
        if not _has_service():
            return _grouped(everything, self._questions(order))
        job = order.job(self.selection, budget=0)  # so that not even language lists are requested from here
        try:
            job.plan()
            [found] = results_of(job)
        except SvcError:  # for example, a glossary cannot be looked up from here
            return _grouped(everything, self._questions(order))
        report = RunReport()
        wanted = []
        table = with_sources(job.table(), self.selection.texts)
        self._undone.append(table[table["status"].isin([MARKED, FAILED])])
        _, rows, _ = self.selection.part(everything)
        for place, (status, reason) in enumerate(zip(table["status"], table["reason"], strict=True)):
            if status not in (*ANSWERED, SKIPPED, FAILED):
                wanted.append(place)
                continue
            results[place] = found[place]
            report.unique += status in ANSWERED
            report.count(Outcome(status, reason=reason, from_store=status in ANSWERED), rows[place])
        self._count(report)
        self.marked |= getattr(job, "marked", set())
        return _grouped(wanted, job.questions())

    def _questions(self, order: WorkOrder) -> list[Hashable]:
        """The question for each text, as far as it is known without a service."""
        texts, _, options = self.selection.part(range(len(self.selection.texts)))
        none = [None] * len(texts)
        codes = [(language or "").strip().upper() for language in options.get("source_lang", none)]
        contexts = [(context or "").strip() for context in options.get("context", none)]
        fields = order.fields
        protection = Protection.of(fields.get("protect"), fields.get("names"), tag_handling=fields.get("tag_handling"))
        masks = protection.masked(texts) if protection else [None] * len(texts)
        asked = [mask.asked(FIRST) if mask else text for mask, text in zip(masks, texts, strict=True)]
        return list(zip([text and text.strip() for text in asked], codes, contexts, strict=True))

    def _take(self, delivery: Delivery, places: Sequence[int], results: list[str | None]) -> None:
        # If the store cannot save entries, the run ends, and they are tried again with the next ones.
        entries, charges = self._unkept
        entries += delivery.entries
        charges += [msgspec.structs.replace(charge, notebook=notebook()) for charge in delivery.charges]
        PROCESS_BILLED.add(sum(charge.billed for charge in delivery.charges))
        try:
            self._store.put(entries, bill=Receipt(charges))
            self._unkept = ([], [])
        except StoreError as problem:
            if delivery.report.error is None:
                delivery.report.error, delivery.report.stopped = problem, STORE
        [found] = delivery.results
        for place, cell in zip(places, found, strict=True):
            results[place] = cell
        if delivery.undone is not None and len(delivery.undone):
            self._undone.append(delivery.undone)
        self.marked |= delivery.marked
        if session := known():
            session.client.ignored_options.hear(delivery.ignored_options)
        if self._report.error is not None:  # they were interrupted because of the store
            delivery.report.unsent[self._why()] += delivery.report.unsent.pop(INTERRUPTED, 0)
        self._count(delivery.report)

    def _why(self) -> str:
        return self._report.stopped or INTERRUPTED

    def _count(self, counted: RunReport) -> None:
        before = self._report
        self._report = replace(before.plus(counted), rows=before.rows, stage=before.stage, ended=None, in_flight=0)


def _grouped(places: Iterable[int], questions: Sequence[Hashable]) -> list[list[int]]:
    """The places grouped by question, in the order in which the questions first appear."""
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in places:
        groups[questions[place] or place].append(place)
    return list(groups.values())


def _undone(texts: Sequence[str | None], why: str | None) -> pd.DataFrame:
    return pd.DataFrame({"source": texts, "status": UNSENT, "reason": why}, dtype=object)


def _has_service() -> bool:
    """Whether this process has a service, so that it can look up its store."""
    return known() is not None or Settings.load().address is not None


def _widen(session: Session, requests: int) -> int:
    """Allow the tasks of this process together *requests* more requests; returns the new total."""
    gate, most = session.gate, session.settings.pool_size
    with _lock:
        _rooms[gate] += requests
        gate.ceiling = min(most, _rooms[gate] or most)
        gate.trust(_rooms[gate])
        return _rooms[gate]


_lock = threading.Lock()
_rooms: Counter[Gate] = Counter()
