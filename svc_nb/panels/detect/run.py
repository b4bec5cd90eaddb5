"""One detection, followed in a thread from its start to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from svc_nb.columns.job import TextJob
from svc_nb.columns.jobs import detection, started
from svc_nb.engine.outcome import RunReport

EVERY = 0.2


class Run:
    """The detection of the languages of *texts*; *told* hears of it, in a thread, as it goes on.

    When `go` is through, `table` has what came of every row and `report` the counts. Nothing is raised for rows.
    """

    def __init__(self, texts: pd.Series[Any], *, told: Callable[[Run], None]) -> None:
        self.texts = texts.copy()  # what is done to the frame meanwhile changes nothing here
        self.report = RunReport()
        self.table = pd.DataFrame()
        self.cancelled = False
        self._told = told
        self._job: TextJob | None = None

    def go(self) -> Run:
        """Detect, until the end or until it is cancelled."""
        job = self._job = detection(self.texts, None, False, {"errors": "coerce"})
        if not self.cancelled:
            started(job)
            while not job.wait(EVERY):
                self.report = job.progress
                self._told(self)
            self.report = job.progress
            self.table = job.table()
        return self

    def cancel(self) -> None:
        """End as soon as what is on its way is answered; what is done is kept."""
        self.cancelled = True
        if self._job is not None:
            self._job.cancel()
