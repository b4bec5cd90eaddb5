"""Deeds in a thread, one after the other: each is done and each is answered, however many are asked for."""

from __future__ import annotations

import threading
from collections import deque

from svc_nb.panels.latest import Then, Work, tried


class Turns:
    """Does what it is asked in the order of asking, in a thread that is there only while there is something to do.

    Answers are given in the thread, so that they come also while the notebook is busy with another cell.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._waiting: deque[tuple[Work, Then]] = deque()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._busy

    def ask(self, work: Work, then: Then) -> None:
        """Call *then* with what *work* returned, or with the error it raised."""
        with self._change:
            if self._closed:
                return
            self._waiting.append((work, then))
            if not self._busy:
                self._busy = True
                self._thread = threading.Thread(target=self._run, name="svc_nb panel", daemon=True)
                self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do and the last answer was given; whether it came to that in time."""
        if threading.current_thread() is self._thread:
            return True
        with self._change:
            return self._change.wait_for(lambda: not self._busy, timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Finish what has begun and take no more; False where that still hangs after *timeout*."""
        with self._change:
            self._closed = True
            self._waiting.clear()
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout)
        return not thread.is_alive()

    def _run(self) -> None:
        try:
            while (asked := self._next()) is not None:
                work, then = asked
                then(tried(work))
        except BaseException:  # of who takes the answer: whoever waits must not wait for ever
            self._rest()
            raise

    def _next(self) -> tuple[Work, Then] | None:
        with self._change:
            if not self._waiting:
                self._rest()
                return None
            return self._waiting.popleft()

    def _rest(self) -> None:
        with self._change:
            self._busy = False
            self._change.notify_all()
