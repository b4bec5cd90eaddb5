"""What the panels with a job share: a plan that follows what is chosen, and a run in a thread that can be cancelled.

1. On every change what would be done is planned anew in a thread, a moment later; nothing is sent for that.
2. A run is followed in a thread: it tells the panel of its progress and its end.
3. `wait` waits for both; `close` cancels the run and leaves no thread behind.
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
KEEP: Any = object()  # an option that was not given, and stays as it is


class JobView:
    """The widgets that all such panels have, by name: *line*, hints about the options, a meter and buttons."""

    def __init__(self, line: Line, meter: str) -> None:
        """*meter* is the name of what is counted."""
        self.line = line
        self.hints = classed(Line(), "svc-hints")
        self.meter = Meter(name=meter)
        self.buttons = Buttons()

    def show_hints(self, text: str) -> None:
        """Say below the options what of them does not fit."""
        self.hints.say(text, "change" if text else "info")
        show(self.hints, bool(text))


class JobRun(ABC):
    """A job that is followed to its end: `told` is called, in a thread, with this run and what is new about it.

    What is new is "progress", "end", or what else the run of a panel has to tell. `problem` is what ended it early.
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
        """Whether the job goes on, or is yet to begin."""
        return self.job is None or not self.job.done()

    def cancel(self) -> None:
        """End as soon as what is on its way has been answered; what is done is kept."""
        self.cancelled = True
        if self.job is not None:
            self.job.cancel()

    @abstractmethod
    def follow(self) -> Any:
        """Follow it to its end, in the thread that calls this."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is told; False where *timeout* seconds are too few."""
        if self._thread.ident is not None and threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def leave(self, timeout: float | None = None) -> bool:
        """Cancel what goes on, tell nobody any more, and wait for the end."""
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
        self._asked = 0  # how many plans were asked for

    def close(self) -> None:
        """End the panel: a run is cancelled, its widgets go, and no thread stays."""
        with self._lock:
            self._closed, run = True, self._run
        if run is not None:
            run.leave(PATIENCE)
        super().close()

    @property
    def _going(self) -> bool:
        return self._run is not None and self._run.going

    def _check_free(self, busy: str = "") -> None:
        """Raise ValueError where nothing can be begun: the panel is closed or, as *busy* says, a run goes on."""
        if self._closed:
            raise ValueError("this panel is closed: make another one")
        if busy and self._going:
            raise ValueError(busy)

    def _wait_for_all(self, timeout: float | None) -> bool:
        """Wait for deeds, the run, what it leads to, and the plan; False where *timeout* is too short for all."""
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
        """What is waited for before it is shown: the plan, not the run."""
        self._turns.wait(PATIENCE)
        self._latest.wait(PATIENCE)

    def _plan_later(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Plan in a thread, a moment later; *then* has it, the error, or None where it is not wanted any more."""
        self._asked += 1
        number = self._asked

        def planned() -> Any:
            time.sleep(PAUSE)
            return work() if number == self._asked else None

        self._latest.ask(planned, then)

    def _heard(self, run: JobRun, what: str) -> None:
        """Show what is new about the run; called in its thread."""
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
        """Show *what* is new about the run."""
