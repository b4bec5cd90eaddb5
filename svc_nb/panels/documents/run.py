"""Documents on their way, followed in a thread: how far each is, and what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from svc_nb.documents.job import DocumentJob, Progress
from svc_nb.tabular.report import Report

EVERY = 0.25


class Run:
    """*job*, whose files have *numbers* in the panel; *told* is called in a thread with "progress" and "end".

    At the end `table` says what became of each, and `problem` what ended it early.
    """

    def __init__(self, job: DocumentJob, numbers: Sequence[int], *, told: Callable[[Run, str], None]) -> None:
        self.job = job
        self.numbers = list(numbers)
        self.progress: Progress = job.progress
        self.table: Report | None = None
        self.problem: Exception | None = None
        self._told = told
        self._leaving = self._over = False
        self._thread = threading.Thread(target=self._follow, name="svc_nb run", daemon=True)

    def start(self) -> None:
        """Follow it; returns at once."""
        self._thread.start()

    @property
    def going(self) -> bool:
        """Whether the job goes on."""
        return not self._over

    def cancel(self) -> None:
        """Send nothing more; what was sent can be resumed."""
        self.job.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is told; False where *timeout* seconds are too few."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def leave(self, timeout: float | None = None) -> bool:
        """Cancel it, tell nobody any more, and wait for the end."""
        self._leaving = True
        self.cancel()
        return self.wait(timeout)

    def _follow(self) -> None:
        while not self.job.wait(EVERY):
            self._tell("progress")
        self.progress = self.job.progress
        try:
            self.table = self.job.result(errors="coerce", warn=False)
        except Exception as problem:
            self.problem = problem
            self.table = self.job.table()
        self._over = True
        self._tell("end")

    def _tell(self, what: str) -> None:
        self.progress = self.job.progress
        if not self._leaving:
            self._told(self, what)
