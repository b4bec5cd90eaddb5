"""How others steer a run, from any thread."""

from __future__ import annotations

from collections.abc import Callable


class Control:
    """Pause, resume, cancel; a run that listens puts its `wake` here."""

    def __init__(self) -> None:
        self.paused = False
        self.cancelled = False
        self.wake: Callable[[], None] = lambda: None

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
