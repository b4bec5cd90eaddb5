"""One run of a translation: its progress often, its table seldom, its findings at the end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import Any

import pandas as pd

from svc_nb.columns import started
from svc_nb.columns.job import TextJob, TranslationJob
from svc_nb.engine.outcome import RunReport
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.panels.translate.plan import Order
from svc_nb.panels.translate.results import Results, check_results

EVERY = 0.25
SELDOM = 3.0
SHARE = 10  # a table may take a tenth of the time that passes between two of them
SPAN = 10.0
FIRST = 0.5


class Pace:
    """How fast a run goes, from what was counted over the last seconds.

    `note` what is finished as it is counted; pauses do not count, and nor does what came from the store at once.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, finished: int, *, paused: bool = False) -> None:
        """*finished* rows are done by now; while it is *paused* what was seen before is forgotten."""
        now = self._clock()
        if paused:
            self._seen.clear()
        self._seen.append((now, finished))
        while len(self._seen) > 2 and now - self._seen[0][0] > SPAN:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Rows a second; None where it is too early to say."""
        if len(self._seen) < 2:
            return None
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last - first >= FIRST else None

    def left(self, rows: int) -> float | None:
        """How many seconds *rows* more will take; None where nobody can say."""
        return rows / self.rate if self.rate else None


class TranslateRun(JobRun):
    """A job for *order*, made of *frame* and planned, but not begun before `start`.

    *told* hears of "progress", "table", "end" and "findings"; `report`, `results` and `problem` then have it. *spent*
    are characters that runs before this one, of which it is a retry, took from the budget.
    """

    def __init__(self, frame: pd.DataFrame, order: Order, *, told: Callable[[Any, str], None], spent: int = 0) -> None:
        super().__init__(told)
        self.frame = frame
        self.order = order
        budget = order.options.get("budget")
        left = order if budget is None else order.with_options(budget=max(0, budget - spent))
        self.job: TextJob = left.job(frame)
        self.plan = left.job(frame).plan(price=order.price)
        self.report: RunReport = self.job.progress
        self.pace = Pace()
        self.results: Results | None = None
        self.paused = self.cancelled = self.checked = False
        self._spent = spent

    def start(self) -> None:
        """Begin; returns at once."""
        started(self.job)
        super().start()

    @property
    def going(self) -> bool:
        """Whether the job goes on."""
        return not self.job.done()

    @property
    def again(self) -> int:
        """How many rows can be tried again: failed or not sent, but for those over the budget or not to be sent."""
        unsent = self.report.unsent
        return max(0, self.report.failed - self.plan.failed) + unsent.total() - unsent["budget"]

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

    def follow(self) -> None:
        """Follow it to its end, and check what came of it."""
        due = time.monotonic() + SELDOM
        while not self.job.wait(EVERY):
            self._count()
            if time.monotonic() >= due and not self._leaving:
                begun = time.monotonic()
                self._tabled()
                if self.problem is None:
                    self._tell("table")
                due = time.monotonic() + max(SELDOM, SHARE * (time.monotonic() - begun))
        self._count()
        self._tabled()
        self._tell("end")
        if self.results is None or self.problem is not None or self._leaving:
            return
        try:
            found = check_results(self.results, self.order, stopped=lambda: self._leaving)
            self.results = self.results.with_findings(found)
            self.checked = True
        except Exception as problem:
            self.problem = problem
        self._tell("findings")

    def _count(self) -> None:
        self.report = self.job.progress
        self.pace.note(self.report.finished, paused=self.paused)
        self._tell("progress")

    def _tabled(self) -> None:
        try:
            self.results = Results.of(self.job, self.frame, self.order)
        except Exception as problem:
            self.problem = problem

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The pairs of languages whose texts were only marked, for want of a translator."""
        return self.job.marked if isinstance(self.job, TranslationJob) else set()

    @cached_property
    def without_effect(self) -> str:
        """That options had no effect, in a line; of each option it is said once in a session."""
        return self.job.session.client.ignored_options.said()
