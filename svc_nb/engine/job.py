"""Work that goes on in a thread of its own, and can be watched, paused, ended and waited for.

What Ctrl-C means: nothing new is sent, what is on its way is stored, and KeyboardInterrupt says what is done. SIGTERM
means the same, and then ends the process as it would have done at once.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from signal import SIG_DFL, SIGTERM, getsignal, raise_signal, signal
from typing import Any, Generic, Self, TypeVar

from svc_nb.advice import InPython, plural
from svc_nb.engine.outcome import RunReport
from svc_nb.signatures import hides

T = TypeVar("T")

EVERY = 0.1
AGAIN = InPython("run it again to continue", "run the same command again: only what is left is paid for")
# Called while a person waits where Ctrl-C does not come by itself: raises KeyboardInterrupt once it was pressed.
interrupted: ContextVar[Callable[[], None]] = ContextVar("interrupted", default=lambda: None)


@dataclass(slots=True, eq=False)
class Control:
    """Pause, resume, cancel; a run that listens puts its `wake` here."""

    paused: bool = False
    cancelled: bool = False
    wake: Callable[[], None] = field(default=lambda: None)

    def pause(self) -> None:
        """Send nothing new until `resume`."""
        self.paused = True
        self.wake()

    def resume(self) -> None:
        """Go on."""
        self.paused = False
        self.wake()

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered."""
        self.cancelled = True
        self.wake()


@contextmanager
def _terminated_gently() -> Iterator[None]:
    """Within the block SIGTERM raises KeyboardInterrupt, and what it does by default is done at the end.

    Only in the main thread, and where nobody else handles the signal.
    """
    if threading.current_thread() is not threading.main_thread() or getsignal(SIGTERM) is not SIG_DFL:
        yield
        return
    asked = False

    def end(number: int, frame: object) -> None:
        nonlocal asked
        asked = True
        raise KeyboardInterrupt

    signal(SIGTERM, end)
    try:
        yield
    finally:
        signal(SIGTERM, SIG_DFL)
        if asked:
            raise_signal(SIGTERM)


@contextmanager
def stopping(work: BackgroundJob[Any], said: Callable[[], str]) -> Iterator[None]:
    """Within the block a person waits for *work*; what ends the waiting ends the work, too.

    Ctrl-C waits for what is on its way, a second one does not; both raise KeyboardInterrupt with what *said* gives.
    """
    with _terminated_gently():
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


def so_far(report: RunReport, *, unit: str = "row", advice: object = AGAIN) -> str:
    """What an interrupted run has done, in one line that ends with what to do.

    >>> so_far(RunReport(rows=50_000, done=12_400, billed=310_000, ended=1.0))
    '12,400 of 50,000 rows are done and stored (310,000 characters billed); run it again to continue'
    """
    kept = "done and stored"
    if report.stopped == "store":
        kept = f"done, but not all of them could be stored: {report.error}"
    marked = f", {report.marked:,} only marked" if report.marked else ""
    billed = f" ({plural(report.billed, 'character')} billed)" if report.billed else ""
    late = "" if report.ended else "; what is on its way is stored when it is answered"
    done = report.done + report.skipped.total()
    noun, *more = unit.split(" ", 1)
    rows = " ".join([plural(report.rows, noun), *more])
    return f"{done:,} of {rows} {'is' if done == 1 else 'are'} {kept}{marked}{billed}{late}; {advice}"


class BackgroundJob(Generic[T]):
    """Work in a thread of its own, which can be ended and waited for; a subclass says what it is, and its result."""

    def __init__(self) -> None:
        self._control = Control()
        self._report = RunReport()
        self._problem: BaseException | None = None
        self._done = threading.Event()
        go = copy_context().run  # what holds where it was made, such as a Dask client, holds for its work
        self._thread = threading.Thread(target=go, args=(self._go,), name="svc_nb-job", daemon=True)

    def start(self) -> Self:
        """Begin; returns at once."""
        try:
            self._thread.start()
        except BaseException:  # Ctrl-C, when the thread has begun: nobody will follow it
            self.cancel()
            raise
        return self

    @property
    def cancelled(self) -> bool:
        """Whether it was told to end."""
        return self._control.cancelled

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so long; says whether it has."""
        return self._done.wait(seconds)

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered; what is done is kept."""
        self._control.cancel()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the end and return the result; raises TimeoutError when it takes longer, and what went wrong."""
        if self._thread.ident is None:
            raise RuntimeError("The job has not been started: call its start() first.")
        try:
            ended = self._done.wait(timeout)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the job goes on; its cancel() ends it") from None
        if not ended:
            raise TimeoutError(f"Still at work after {timeout:g} s; the job goes on.")
        if self._problem:
            raise self._problem
        return self._build()

    def __await__(self) -> Generator[Any, None, T]:
        import asyncio  # only here, because it takes long to load

        yield from asyncio.to_thread(self.wait).__await__()
        return self.result()

    def _go(self) -> None:
        try:
            self._carry_out()
        except BaseException as problem:
            self._problem = problem
        self._report.ended = time.monotonic()
        self._done.set()

    def _carry_out(self) -> None:
        """Do the work, in the thread."""
        raise NotImplementedError

    def _build(self) -> T:
        """Make the result, at the end or before, from what is done."""
        raise NotImplementedError


@hides("under")
class Job(BackgroundJob[T]):
    """Work that counts what it does, in `progress`, and that can be paused."""

    def under(self, control: Control) -> Self:
        """Let *control* rule this job, before it starts: who pauses or cancels there does so here."""
        self._control = control
        return self

    @property
    def started(self) -> bool:
        """Whether it was begun."""
        return self._thread.ident is not None

    @property
    def progress(self) -> RunReport:
        """The counts so far: rows done, stored, skipped, failed, requests, characters billed."""
        counted = self._report
        return replace(counted, skipped=Counter(counted.skipped), unsent=Counter(counted.unsent))

    @property
    def failure(self) -> BaseException | None:
        """The exception that stopped the job, or None; an error that the service answered with is not meant."""
        return self._problem

    def partial(self) -> T:
        """The result as far as it goes: gaps where nothing is done yet."""
        return self._build()

    def pause(self) -> None:
        """Send nothing new; what is on its way is answered and kept."""
        self._control.pause()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._control.resume()
