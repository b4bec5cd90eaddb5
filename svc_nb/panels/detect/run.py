"""One detection of the languages of a column, and what the panel says about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.columns import detection, started
from svc_nb.engine.outcome import RunReport
from svc_nb.panels.detect.results import DetectResults
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.panels.parts.texts import error_line
from svc_nb.tabular.report import plural

EVERY = 0.2


class DetectRun(JobRun):
    """Detects the languages of *texts*; *told* is called as it makes progress."""

    def __init__(self, texts: pd.Series[Any], *, told: Callable[[Any, str], None]) -> None:
        super().__init__(told)
        self.texts = texts.copy()  # changes to the frame in the meantime have no effect here
        self.report = RunReport()
        self.table = pd.DataFrame()

    def follow(self) -> None:
        """Run the detection until it ends or is cancelled."""
        is_text = np.array([isinstance(cell, str) for cell in self.texts.tolist()], dtype=np.bool_)
        job = self.job = detection(self.texts.where(is_text), None, False, {"errors": "coerce"})
        if not self.cancelled:
            started(job)
            while not job.wait(EVERY):
                self.report = job.progress
                self._tell("progress")
            self.report = job.progress
            self.table = job.table()
            self.table.loc[~is_text & self.texts.notna().to_numpy(), "reason"] = "not_text"


def told_results(results: DetectResults) -> str:
    """What to do next, without the counts that the panel shows."""
    look = len(results.to_look_at)
    return f"{plural(look, 'row')} to check." if look else "No rows to check."


def told_trouble(run: DetectRun) -> tuple[str, Exception | None]:
    """What went wrong with a run, in a sentence or two, and the error; nothing if it went well."""
    report = run.report
    known = f"{report.done:,} of {plural(report.rows, 'row')} finished and kept; you can continue any time."
    kept = known if report.done else "Nothing is lost: try again any time."
    error = report.error
    if isinstance(error, Exception):
        return f"{_line(error)} {kept}", error
    if report.failed and report.causes:
        first = next(iter(report.causes.values()))
        return f"{plural(report.failed, 'row')} failed: {_line(first)} {kept}", first
    if run.cancelled:
        return f"Cancelled: {kept}", None
    return "", None


def _line(error: Exception) -> str:
    return error_line(error).rstrip(". ") + "."
