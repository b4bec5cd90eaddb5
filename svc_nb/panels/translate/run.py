"""One run of a job, followed in a thread: its progress often, its table seldom, its findings at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cached_property

import pandas as pd

from svc_nb.columns.job import TextJob
from svc_nb.columns.jobs import started
from svc_nb.columns.text import Translation
from svc_nb.engine.outcome import RunReport
from svc_nb.panels.translate.order import Order
from svc_nb.panels.translate.pace import Pace
from svc_nb.panels.translate.results import Results
from svc_nb.panels.translate.review import reviewed

EVERY = 0.25
SELDOM = 3.0
SHARE = 10  # a table may take a tenth of the time that passes between two of them


class Run:
    """*job*, which was made of *frame* for *order*, from its start to its end.

    *told* is called in a thread with this run and "progress", "table", "end" or "findings" as something is new;
    `report`, `results` and `problem` then have it. *hopeless* rows cannot be sent at all; *spent* are characters that
    runs before this one, of which it is a retry, took from the budget.
    """

    def __init__(
        self,
        job: TextJob,
        frame: pd.DataFrame,
        order: Order,
        *,
        told: Callable[[Run, str], None],
        hopeless: int = 0,
        spent: int = 0,
    ) -> None:
        self.job = job
        self.frame = frame
        self.order = order
        self.report: RunReport = job.progress
        self.pace = Pace()
        self.results: Results | None = None
        self.problem: Exception | None = None
        self.paused = self.cancelled = self.reviewed = False
        self._told = told
        self._hopeless, self._spent = hopeless, spent
        self._leaving = False
        self._thread = threading.Thread(target=self._follow, name="svc_nb run", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        started(self.job)
        self._thread.start()

    @property
    def going(self) -> bool:
        """Whether the job goes on."""
        return not self.job.done()

    @property
    def again(self) -> int:
        """How many rows can be tried again: failed or not sent, but for those over the budget or not to be sent."""
        unsent = self.report.unsent
        return max(0, self.report.failed - self._hopeless) + unsent.total() - unsent["budget"]

    @property
    def spent(self) -> int:
        """The characters that were taken from the budget so far."""
        return self._spent + self.report.billed + self.report.unclear

    def pause(self, wanted: bool) -> None:
        """Send nothing new, or go on."""
        self.paused = wanted
        (self.job.pause if wanted else self.job.resume)()

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered."""
        self.cancelled, self.paused = True, False
        self.job.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is told; False where *timeout* seconds are too few."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def leave(self, timeout: float | None = None) -> bool:
        """Cancel what goes on, tell nobody any more, and wait for the end."""
        self._leaving = True
        if self.going:
            self.cancel()
        return self.wait(timeout)

    # ---- in the thread

    def _follow(self) -> None:
        due = time.monotonic() + SELDOM
        while not self.job.wait(EVERY):
            self._count("progress")
            if time.monotonic() >= due and not self._leaving:
                begun = time.monotonic()
                self._tabled("table")
                due = time.monotonic() + max(SELDOM, SHARE * (time.monotonic() - begun))
        self._count("progress")
        self._tabled("end")
        if self.results is not None and self.problem is None and not self._leaving:
            self._review(self.results)

    def _count(self, what: str) -> None:
        self.report = self.job.progress
        self.pace.note(self.report.finished, paused=self.paused)
        self._tell(what)

    def _tabled(self, what: str) -> None:
        try:
            self.results = Results.of(self.job, self.frame, self.order)
        except Exception as problem:
            self.problem = problem
        if what == "end" or self.problem is None:
            self._tell(what)

    def _review(self, results: Results) -> None:
        try:
            found = reviewed(results, self.order, stopped=lambda: self._leaving)
            self.results = results.with_findings(found)
        except Exception as problem:
            self.problem = problem
        self.reviewed = self.problem is None
        self._tell("findings")

    def _tell(self, what: str) -> None:
        if not self._leaving:
            self._told(self, what)

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The pairs of languages whose texts were only marked, for want of a translator."""
        return self.job.marked if isinstance(self.job, Translation) else set()

    @cached_property
    def without_effect(self) -> str:
        """That options had no effect, in a line; of each option it is said once in a session."""
        return self.job.desk.client.ignored_options.said()
