"""Documents on their way: how far each is, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from svc_nb.documents.job import DocumentJob, Progress
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.tabular.report import Report

EVERY = 0.25


class DocumentRun(JobRun):
    """*job*, whose files have *numbers* in the panel; *told* hears of "progress" and "end".

    At the end `table` says what became of each.
    """

    def __init__(self, job: DocumentJob, numbers: Sequence[int], *, told: Callable[[Any, str], None]) -> None:
        super().__init__(told)
        self.job = job
        self.numbers = list(numbers)
        self.table: Report | None = None
        self._over = False

    @property
    def progress(self) -> Progress:
        """How far each file is."""
        return self.job.progress

    @property
    def going(self) -> bool:
        """Whether the job goes on."""
        return not self._over

    def cancel(self) -> None:
        """Send nothing more; what was sent can be resumed."""
        self.job.cancel()

    def follow(self) -> None:
        """Follow it to its end, and take what became of each file."""
        while not self.job.wait(EVERY):
            self._tell("progress")
        try:
            self.table = self.job.result(errors="coerce", warn=False)
        except Exception as problem:
            self.problem = problem
            self.table = self.job.table()
        self._over = True
        self._tell("end")
