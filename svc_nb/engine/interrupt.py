"""What Ctrl-C means: nothing new is sent, what is on its way is stored, and KeyboardInterrupt says what is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Protocol

from svc_nb.engine.outcome import Report

EVERY = 0.1
AGAIN = "run it again to go on"
# Called while a person waits where Ctrl-C does not come by itself: raises KeyboardInterrupt once it was pressed.
interrupted: ContextVar[Callable[[], None]] = ContextVar("interrupted", default=lambda: None)


class Work(Protocol):
    """What a person waits for."""

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so long; says whether it has."""

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered."""


@contextmanager
def stopping(work: Work, said: Callable[[], str]) -> Iterator[None]:
    """Within the block a person waits for *work*; what ends the waiting ends the work, too.

    The first Ctrl-C waits for what is on its way. A second one does not, and the work ends in the background. Both
    raise KeyboardInterrupt with what *said* gives then.
    """
    try:
        yield
    except KeyboardInterrupt:
        work.cancel()
        with suppress(KeyboardInterrupt):
            while not work.wait(EVERY):  # in steps, for Windows hears of Ctrl-C only between waits
                pass
        raise KeyboardInterrupt(said()) from None
    except BaseException:
        work.cancel()
        raise


def so_far(report: Report, *, unit: str = "rows", advice: str = AGAIN) -> str:
    """What an interrupted run has done, in one line that ends with what to do.

    >>> so_far(Report(rows=50_000, done=12_400, billed=310_000, ended=1.0))
    '12,400 of 50,000 rows are done and stored (310,000 characters billed); run it again to go on'
    """
    kept = "done and stored"
    if report.stopped == "store":
        kept = f"done, but not all of them could be stored: {report.error}"
    marked = f", {report.marked:,} only marked" if report.marked else ""
    billed = f" ({report.billed:,} characters billed)" if report.billed else ""
    late = "" if report.ended else "; what is on its way is stored when it is answered"
    done = report.done + report.skipped.total()
    return f"{done:,} of {report.rows:,} {unit} are {kept}{marked}{billed}{late}; {advice}"
