"""A bar that follows a job to its end: rows, characters billed, stored, refused, in flight, time left."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from svc_nb.engine.job import AGAIN, EVERY, interrupted, so_far, stopping

if TYPE_CHECKING:
    from svc_nb.engine.job import Job
    from svc_nb.engine.outcome import RunReport


def follow(job: Job[Any], *, shown: bool = True, unit: str = "row", advice: object = AGAIN) -> None:
    """Wait until *job* has ended, with a bar if someone can see it; Ctrl-C ends it and raises, see `stopping`."""
    watch(job, lambda: so_far(job.progress, unit=unit, advice=advice), RowsBar if shown else None)


def watch(job: Any, said: Callable[[], str], bars: Callable[[Any], Any] | None) -> None:
    """Wait until *job* has ended, updating its *bars*; Ctrl-C ends it and raises KeyboardInterrupt with *said*."""
    shown = None
    try:
        with stopping(job, said):
            shown = bars(job.progress) if bars else None
            while not job.wait(EVERY):
                interrupted.get()()
                if shown:
                    shown.paint(job.progress)
    finally:
        if shown:
            shown.close(job.progress)


def say(line: str) -> None:
    """Print a line in a notebook or a terminal; anywhere else, nothing."""
    if "ipykernel" in sys.modules or sys.stderr.isatty():
        print(line, file=sys.stderr)  # noqa: T201 - for a person to read


def new_bar(**how: Any) -> Any:
    """A progress bar in a notebook or a terminal; anywhere else it shows nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns if widgets are not installed
        from tqdm.auto import tqdm
    in_notebook = any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)
    return tqdm(disable=not in_notebook and not sys.stderr.isatty(), dynamic_ncols=True, **how)


class RowsBar:
    """The bar of a run over rows."""

    def __init__(self, report: RunReport) -> None:
        self._bar = new_bar(total=report.rows, desc="planning", unit=" rows", mininterval=0)
        self._bar.refresh()

    def paint(self, report: RunReport) -> None:
        """Show the progress."""
        self._bar.n = report.finished
        self._bar.total = report.rows or None  # unknown at first if the table is elsewhere
        self._bar.set_description_str(report.stage, refresh=False)
        counts = {
            "characters": report.billed,
            "NOT TRANSLATED": report.marked,
            "stored": report.stored,
            "refused": report.refused,
            "failed": report.failed,
            "in flight": report.in_flight,
        }
        told = [f"{count:,} {name}" for name, count in counts.items() if count or name == "characters"]
        told += [report.waiting] if report.waiting else []
        self._bar.set_postfix_str(", ".join(told), refresh=False)
        self._bar.refresh()

    def close(self, report: RunReport) -> None:
        """Show the end."""
        self.paint(report)
        self._bar.leave = report.finished > 0  # a run that never began leaves only its error
        self._bar.close()
