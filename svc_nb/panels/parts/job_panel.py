"""What the panels with a job share: a plan that follows the choices, and a run in a thread that can be cancelled.

1. After every change a new plan is made in a thread, a moment later; planning sends nothing.
2. A run is followed in a thread, which reports its progress and its end to the panel.
3. `wait` waits for both; `close` cancels the run and ends the threads.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from svc_nb.panels.parts.panel import PATIENCE, Panel
from svc_nb.panels.parts.texts import error_line, sentence
from svc_nb.panels.parts.widgets import Buttons, Line, Meter, classed, show

PAUSE = 0.2
KEEP: Any = object()  # an option that was not given stays as it is


class JobView:
    """The widgets that all job panels have, by name: *line*, hints about the options, a meter and buttons."""

    def __init__(self, line: Line, meter: str) -> None:
        """*meter* names what is counted."""
        self.line = line
        self.hints = classed(Line(), "svc-hints")
        self.meter = Meter(name=meter)
        self.buttons = Buttons()

    def show_hints(self, text: str) -> None:
        """Show below the options which of them do not apply."""
        self.hints.say(text, "change" if text else "info")
        show(self.hints, bool(text))


class JobRun(ABC):
    """A job that is followed to its end: `told` is called, in a thread, with this run and what is new.

    What is new is "progress", "end", or another event of the panel's run. `problem` is the error that ended it early.
    """

    def __init__(self, told: Callable[[Any, str], None]) -> None:
        self.problem: Exception | None = None
        self.job: Any = None
        self.cancelled = False
        self._told = told
        self._leaving = False
        self._thread = threading.Thread(target=self.follow, name="svc_nb run", daemon=True)

    def start(self) -> None:
        """Follow it in a thread of its own; returns at once."""
        self._thread.start()

    @property
    def going(self) -> bool:
        """Whether the job is running, or about to start."""
        return self.job is None or not self.job.done()

    def cancel(self) -> None:
        """Stop as soon as requests in progress are answered; finished work is kept."""
        self.cancelled = True
        if self.job is not None:
            self.job.cancel()

    @abstractmethod
    def follow(self) -> Any:
        """Follow it to its end, in the calling thread."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything is reported; False if that takes more than *timeout* seconds."""
        if self._thread.ident is not None and threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def leave(self, timeout: float | None = None) -> bool:
        """Cancel the run, report nothing more, and wait for the end."""
        self._leaving = True
        if self.going:
            self.cancel()
        return self.wait(timeout)

    def _tell(self, what: str) -> None:
        if not self._leaving:
            self._told(self, what)


class JobPanel(Panel, ABC):
    """A panel in which a job is chosen, planned and run. `_run` is the last run, of the kind that the panel has."""

    _run: Any = None

    def __init__(self) -> None:
        super().__init__()
        self._closed = False
        self._asked = 0  # number of plans requested

    def close(self) -> None:
        """Close the panel: a run is cancelled, its widgets go, and its threads end."""
        with self._lock:
            self._closed, run = True, self._run
        if run is not None:
            run.leave(PATIENCE)
        super().close()

    @property
    def _going(self) -> bool:
        return self._run is not None and self._run.going

    def _check_free(self, busy: str = "") -> None:
        """Raise ValueError if the panel is closed or, with *busy* as the message, if a run is in progress."""
        if self._closed:
            raise ValueError("this panel is closed: create a new one")
        if busy and self._going:
            raise ValueError(busy)

    def _wait_for_all(self, timeout: float | None) -> bool:
        """Wait for actions, the run and its follow-ups, and the plan; False if *timeout* seconds are too short."""
        end = None if timeout is None else time.monotonic() + timeout

        def left() -> float | None:
            return None if end is None else max(0.0, end - time.monotonic())

        return (
            self._turns.wait(left())
            and (self._run is None or self._run.wait(left()))
            and self._turns.wait(left())
            and self._latest.wait(left())
        )

    def _ready(self) -> None:
        """What showing the panel waits for: the plan, not the run."""
        self._turns.wait(PATIENCE)
        self._latest.wait(PATIENCE)

    def _plan_later(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Plan in a thread, a moment later; *then* gets the plan, the error, or None if it is no longer wanted."""
        self._asked += 1
        number = self._asked

        def planned() -> Any:
            time.sleep(PAUSE)
            return work() if number == self._asked else None

        self._latest.ask(planned, then)

    def _heard(self, run: JobRun, what: str) -> None:
        """Show what is new in the run; called in its thread."""
        with self._lock:
            if run is self._run:
                try:
                    self._show_run(run, what)
                except Exception as problem:
                    self._tell(problem)

    def _words(self, problem: Exception) -> str:
        return sentence(error_line(problem))

    @abstractmethod
    def _show_run(self, run: Any, what: str) -> None:
        """Show *what* is new in the run."""
