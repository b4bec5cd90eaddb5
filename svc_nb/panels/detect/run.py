"""One detection of the languages of a column, and what the panel says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from svc_nb.columns import detection, started
from svc_nb.engine.outcome import RunReport
from svc_nb.panels.detect.results import DetectResults
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.panels.parts.texts import error_line
from svc_nb.tabular.report import plural

EVERY = 0.2


class DetectRun(JobRun):
    """The detection of the languages of *texts*; *told* hears of its progress."""

    def __init__(self, texts: pd.Series[Any], *, told: Callable[[Any, str], None]) -> None:
        super().__init__(told)
        self.texts = texts.copy()  # what is done to the frame meanwhile changes nothing here
        self.report = RunReport()
        self.table = pd.DataFrame()

    def follow(self) -> None:
        """Detect, until the end or until it is cancelled."""
        job = self.job = detection(self.texts, None, False, {"errors": "coerce"})
        if not self.cancelled:
            started(job)
            while not job.wait(EVERY):
                self.report = job.progress
                self._tell("progress")
            self.report = job.progress
            self.table = job.table()


def told_results(results: DetectResults) -> str:
    """What came of it."""
    known = int(results.mix["language"].notna().sum())
    look, own = len(results.to_look_at), len(results.labels.own)
    parts = [f"{plural(known, 'language')} in {plural(len(results.texts), 'row')}"]
    parts.append(f"{plural(look, 'row')} to look at" if look else "no rows to look at")
    if own:
        parts.append(f"{plural(own, 'row')} relabelled by hand")
    return f"{'; '.join(parts)}."


def told_trouble(run: DetectRun) -> tuple[str, Exception | None]:
    """What went wrong with a run, in a sentence or two, and the error; nothing where nothing did."""
    report = run.report
    known = f"{report.done:,} of {plural(report.rows, 'row')} known and kept; go on with the rest any time."
    kept = known if report.done else "Nothing is lost: try again any time."
    error = report.error
    if isinstance(error, Exception):
        return f"{_line(error)} {kept}", error
    if report.failed and report.causes:
        first = next(iter(report.causes.values()))
        return f"{plural(report.failed, 'row')} failed: {_line(first)} {kept}", first
    if report.failed:
        return f"{plural(report.failed, 'row')} without text could not be asked about.", None
    if run.cancelled:
        return f"Stopped: {kept}", None
    return "", None


def _line(error: Exception) -> str:
    return error_line(error).rstrip(". ") + "."
