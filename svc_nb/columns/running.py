"""Runs started, kept as the last one of this process, and followed to their end; loads nothing at import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from svc_nb.columns.chunked import ChunkedRun
    from svc_nb.columns.job import TextJob

Started = TypeVar("Started", bound="TextJob | ChunkedRun[Any]")
PARTIAL = "run it again to go on, or see svc_nb.last_run().partial()"
_last: TextJob | ChunkedRun[Any] | None = None


def last_run() -> TextJob | ChunkedRun[Any]:
    """The last run of this process: its counts, `table()` with what came of every row, and `retry_failed()`.

    After Ctrl-C `partial()` has the result as far as it goes, with gaps for the rest. A run on another engine than
    pandas does not keep its table: there `partial()` and `retry_failed()` raise TypeError, which says what to do.
    """
    if _last is None:
        raise LookupError("Nothing was run yet: try df['column'].svc.translate(\"EN-US\").")
    return _last


def started(job: Started) -> Started:
    """Start *job*, have `last_run` give it, and give it back."""
    global _last
    _last = job
    job.start()
    return job


def finished(job: Started, *, unit: str = "rows", advice: object = PARTIAL) -> Started:
    """Run *job* to its end, watched, and give it back; Ctrl-C raises KeyboardInterrupt, see `progress.follow`."""
    from svc_nb.progress import follow

    follow(started(job), shown=job.shown, unit=unit, advice=advice)
    return job
