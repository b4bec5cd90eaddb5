"""One detection of the languages of a column, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from svc_nb.columns import detection, started
from svc_nb.columns.job import TextJob
from svc_nb.engine.outcome import RunReport
from svc_nb.panels.parts.job_panel import JobRun

EVERY = 0.2


class DetectRun(JobRun):
    """The detection of the languages of *texts*; *told* hears of its progress.

    At the end `table` has what came of every row and `report` the counts. Nothing is raised for rows.
    """

    def __init__(self, texts: pd.Series[Any], *, told: Callable[[Any, str], None]) -> None:
        super().__init__(told)
        self.texts = texts.copy()  # what is done to the frame meanwhile changes nothing here
        self.report = RunReport()
        self.table = pd.DataFrame()
        self.cancelled = False
        self._job: TextJob | None = None

    @property
    def going(self) -> bool:
        """Whether the job goes on, or is yet to begin."""
        return self._job is None or not self._job.done()

    def follow(self) -> None:
        """Detect, until the end or until it is cancelled."""
        job = self._job = detection(self.texts, None, False, {"errors": "coerce"})
        if not self.cancelled:
            started(job)
            while not job.wait(EVERY):
                self.report = job.progress
                self._tell("progress")
            self.report = job.progress
            self.table = job.table()

    def cancel(self) -> None:
        """End as soon as what is on its way is answered; what is done is kept."""
        self.cancelled = True
        if self._job is not None:
            self._job.cancel()
