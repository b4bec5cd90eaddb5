"""Start runs, keep the last one of this process, and follow them to their end; loads nothing at import."""

from typing import Any, Protocol, TypeVar


class Watched(Protocol):
    """A run that can be followed, with a bar if `shown`."""

    shown: bool

    def start(self) -> Any:
        """Start it in a thread."""


Started = TypeVar("Started", bound=Watched)
PARTIAL = "run it again to continue, or see svc_nb.last_run().partial()"
last: Watched | None = None


def started(job: Started) -> Started:
    """Start *job*, make it the `last_run`, and return it."""
    global last
    last = job
    job.start()
    return job


def finished(job: Started, *, unit: str = "row", advice: object = PARTIAL) -> Started:
    """Run *job* to its end, with a bar, and return it; Ctrl-C raises KeyboardInterrupt, see `progress.follow`."""
    from svc_nb.progress import follow

    run: Any = started(job)
    follow(run, shown=job.shown, unit=unit, advice=advice)
    return job
