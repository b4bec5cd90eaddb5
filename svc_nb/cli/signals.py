"""Signals that ask a command to end: they are taken as Ctrl-C is, so that what was paid for is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from svc_nb.cli.failure import INTERRUPTED

NAMES = ("SIGTERM", "SIGHUP")  # Windows has no second one
SHELL = 128


class Asked:
    """Whether a signal has asked for the end, and which was the first to do so."""

    def __init__(self) -> None:
        self._first: int | None = None

    def end(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt the first time: `timeout` and terminals that are closed ask twice in a row."""
        if self._first is None:
            self._first = number
            raise KeyboardInterrupt

    def code(self, code: int) -> int:
        """What to exit with in place of *code*: an interrupted command names its signal, as shells do."""
        return code if self._first is None or code != INTERRUPTED else SHELL + self._first


@contextmanager
def interrupting() -> Iterator[Asked]:
    """Within the block SIGTERM and SIGHUP interrupt the main thread.

    Only those do that would kill the process: what is ignored, as under `nohup`, or taken already stays so.
    """
    asked = Asked()
    is_main = threading.current_thread() is threading.main_thread()
    known = [getattr(signal, name) for name in NAMES if is_main and hasattr(signal, name)]
    taken = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, asked.end)
        yield asked
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
