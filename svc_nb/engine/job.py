"""Work that goes on in a thread of its own, and can be watched, paused, ended and waited for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Generator
from typing import Any, Generic, Self, TypeVar

from svc_nb.engine.control import Control
from svc_nb.engine.outcome import Report
from svc_nb.signatures import hides

T = TypeVar("T")


@hides("under", "release")
class Job(Generic[T]):
    """*work* in a thread of its own; *build* makes its result, at the end or before, from what is done."""

    def __init__(self, work: Callable[[Control, Report], None], build: Callable[[], T]) -> None:
        self._work = work
        self._build = build
        self._control = Control()
        self._report = Report()
        self._problem: BaseException | None = None
        self._done = threading.Event()
        go = (
            contextvars.copy_context().run
        )  # what holds where it was made, such as a Dask client, holds for its work
        self._thread = threading.Thread(target=go, args=(self._go,), name="svc_nb-job", daemon=True)

    def under(self, control: Control) -> Self:
        """Let *control* rule this job, before it starts: who pauses or cancels there does so here."""
        self._control = control
        return self

    def start(self) -> None:
        """Begin; returns at once."""
        try:
            self._thread.start()
        except BaseException:  # Ctrl-C, when the thread has begun: nobody will follow it
            self.cancel()
            raise

    @property
    def started(self) -> bool:
        """Whether it was begun."""
        return self._thread.ident is not None

    @property
    def progress(self) -> Report:
        """The counts so far: rows done, stored, skipped, failed, requests, characters billed."""
        return self._report.copy()

    @property
    def cancelled(self) -> bool:
        """Whether it was told to end."""
        return self._control.cancelled

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._done.is_set()

    @property
    def failure(self) -> BaseException | None:
        """What kept it from its work, if something did; what the service said to it is not meant."""
        return self._problem

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended, at most so long; says whether it has."""
        return self._done.wait(seconds)

    def partial(self) -> T:
        """The result as far as it goes: gaps where nothing is done yet."""
        return self._build()

    def pause(self) -> None:
        """Send nothing new; what is on its way is answered and kept."""
        self._control.pause()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._control.resume()

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered; what is done is kept."""
        self._control.cancel()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the end and return the result; raises TimeoutError when it takes longer, and what went wrong."""
        if not self.started:
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

    def release(self) -> None:
        """Let go of what it holds, once it is over and was read: nothing can be asked of it any more."""
        del self._work, self._build  # by these it holds itself, and waits for the collector

    def __await__(self) -> Generator[Any, None, T]:
        return self._awaited().__await__()

    async def _awaited(self) -> T:
        await asyncio.to_thread(self.wait)
        return self.result()

    def _go(self) -> None:
        try:
            self._work(self._control, self._report)
        except BaseException as problem:
            self._problem = problem
        finally:
            self._report.end()
            self._done.set()
