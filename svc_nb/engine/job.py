"""Work that runs in its own thread, and can be watched, paused, ended and waited for.

Ctrl-C means: nothing new is sent, pending answers are stored, and KeyboardInterrupt says what is done. SIGTERM means
the same, and then ends the process as it normally would.
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
# Called while a person waits in a place that Ctrl-C does not reach by itself: raises KeyboardInterrupt if it was
# pressed.
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
        """Continue."""
        self.paused = False
        self.wake()

    def cancel(self) -> None:
        """End as soon as all pending requests have been answered."""
        self.cancelled = True
        self.wake()


@contextmanager
def _terminated_gently() -> Iterator[None]:
    """Within the block SIGTERM raises KeyboardInterrupt, and has its default effect at the end of the block.

    Only in the main thread, and only if the signal has no other handler.
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
    """Within the block a person waits for *work*; anything that ends the waiting also ends the work.

    Ctrl-C waits for pending answers, a second Ctrl-C does not; both raise KeyboardInterrupt with the text from *said*.
    """
    with _terminated_gently():
        try:
            yield
        except KeyboardInterrupt:
            work.cancel()
            with suppress(KeyboardInterrupt):
                while not work.wait(EVERY):  # in steps, because Windows notices Ctrl-C only between waits
                    pass
            raise KeyboardInterrupt(said()) from None
        except BaseException:
            work.cancel()
            raise


def so_far(report: RunReport, *, unit: str = "row", advice: object = AGAIN) -> str:
    """What an interrupted run has done, in one line that ends with advice.

    >>> so_far(RunReport(rows=50_000, done=12_400, billed=310_000, ended=1.0))
    '12,400 of 50,000 rows are done and stored (310,000 characters billed); run it again to continue'
    """
    kept = "done and stored"
    if report.stopped == "store":
        kept = f"done, but not all of them could be stored: {report.error}"
    marked = f", {report.marked:,} only marked" if report.marked else ""
    billed = f" ({plural(report.billed, 'character')} billed)" if report.billed else ""
    late = "" if report.ended else "; pending answers will be stored when they arrive"
    done = report.done + report.skipped.total()
    noun, *more = unit.split(" ", 1)
    rows = " ".join([plural(report.rows, noun), *more])
    return f"{done:,} of {rows} {'is' if done == 1 else 'are'} {kept}{marked}{billed}{late}; {advice}"


class BackgroundJob(Generic[T]):
    """Work in its own thread, which can be ended and waited for; a subclass defines the work and its result."""

    def __init__(self) -> None:
        self._control = Control()
        self._report = RunReport()
        self._problem: BaseException | None = None
        self._done = threading.Event()
        go = copy_context().run  # its work has the context of its creator, such as a Dask client
        self._thread = threading.Thread(target=go, args=(self._go,), name="svc_nb-job", daemon=True)

    def start(self) -> Self:
        """Start the work; returns at once."""
        try:
            self._thread.start()
        except BaseException:  # Ctrl-C after the thread has started: no one will follow it
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
        """Wait until it has ended, at most for *seconds*; returns whether it has."""
        return self._done.wait(seconds)

    def cancel(self) -> None:
        """End as soon as all pending requests have been answered; finished work is kept."""
        self._control.cancel()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the end and return the result; raises TimeoutError if that takes longer, or the job's error."""
        if self._thread.ident is None:
            raise RuntimeError("The job has not been started: call its start() first.")
        try:
            ended = self._done.wait(timeout)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the job continues; its cancel() ends it") from None
        if not ended:
            raise TimeoutError(f"Not finished after {timeout:g} s; the job continues.")
        if self._problem:
            raise self._problem
        return self._build()

    def __await__(self) -> Generator[Any, None, T]:
        import asyncio  # imported here because it takes long to load

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
        """Make the result from the finished work, at the end or earlier."""
        raise NotImplementedError


@hides("under")
class Job(BackgroundJob[T]):
    """Work that reports its `progress` and can be paused."""

    def under(self, control: Control) -> Self:
        """Let *control* pause or cancel this job; to be called before it starts."""
        self._control = control
        return self

    @property
    def started(self) -> bool:
        """Whether it was started."""
        return self._thread.ident is not None

    @property
    def progress(self) -> RunReport:
        """The counts so far: rows done, stored, skipped, failed, requests, characters billed."""
        counted = self._report
        return replace(counted, skipped=Counter(counted.skipped), unsent=Counter(counted.unsent))

    @property
    def failure(self) -> BaseException | None:
        """The exception that stopped the job, or None; an error in the service's answer does not count."""
        return self._problem

    def partial(self) -> T:
        """The result so far; rows that are not done yet are missing."""
        return self._build()

    def pause(self) -> None:
        """Send nothing new; pending answers still arrive and are kept."""
        self._control.pause()

    def resume(self) -> None:
        """Continue after `pause`."""
        self._control.resume()
