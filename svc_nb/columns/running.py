"""Runs started, kept as the last one of this process, and followed to their end; loads nothing at import."""

from typing import Any, Protocol, TypeVar


class Watched(Protocol):
    """A run that can be followed; `shown` says whether with a bar."""

    shown: bool

    def start(self) -> Any:
        """Begin, in a thread."""


Started = TypeVar("Started", bound=Watched)
PARTIAL = "run it again to go on, or see svc_nb.last_run().partial()"
last: Watched | None = None


def started(job: Started) -> Started:
    """Start *job*, have `last_run` give it, and give it back."""
    global last
    last = job
    job.start()
    return job


def finished(job: Started, *, unit: str = "row", advice: object = PARTIAL) -> Started:
    """Run *job* to its end, watched, and give it back; Ctrl-C raises KeyboardInterrupt, see `progress.follow`."""
    from svc_nb.progress import follow

    run: Any = started(job)
    follow(run, shown=job.shown, unit=unit, advice=advice)
    return job
