"""Work in a thread of which only the latest counts: a new request takes the place of one that still waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Work = Callable[[], Any]
Then = Callable[[Any], None]


class Latest:
    """Does what it was asked last, in a thread that is there only while there is something to do.

    What was asked before and has not begun is forgotten; what has begun is done, but nobody is told. Answers are given
    in the thread, so that they come also while the notebook is busy with another cell.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._waiting: tuple[int, Work, Then] | None = None
        self._number = 0
        self._thread: threading.Thread | None = None
        self._busy = False
        self._closed = False

    def ask(self, work: Work, then: Then) -> None:
        """Call *then* with what *work* returned, or with the error it raised, unless something else is asked first."""
        with self._change:
            if self._closed:
                return
            self._number += 1
            self._waiting = (self._number, work, then)
            if not self._busy:
                self._busy = True
                self._thread = threading.Thread(target=self._run, name="svc_nb panel", daemon=True)
                self._thread.start()

    def drop(self) -> None:
        """Want no answer to what was asked."""
        with self._change:
            self._number += 1
            self._waiting = None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there is nothing to do and the answer was given; whether it came to that in time."""
        with self._change:
            return self._change.wait_for(lambda: not self._busy, timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Take no more work and end the thread; False where it still hangs in a request after *timeout*."""
        self.drop()
        with self._change:
            self._closed = True
            thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout)
        return not thread.is_alive()

    def _run(self) -> None:
        try:
            while (asked := self._next()) is not None:
                self._do(*asked)
        except BaseException:  # of who takes the answer: whoever waits must not wait for ever
            self._rest()
            raise

    def _do(self, number: int, work: Work, then: Then) -> None:
        answer = tried(work)
        with self._change:
            wanted = number == self._number and not self._closed
        if wanted:
            then(answer)

    def _next(self) -> tuple[int, Work, Then] | None:
        with self._change:
            asked, self._waiting = self._waiting, None
            if asked is None:
                self._rest()
            return asked

    def _rest(self) -> None:
        with self._change:
            self._busy = False
            self._change.notify_all()


def tried(work: Work) -> Any:
    """What *work* returns, or the error that it raises."""
    try:
        return work()
    except Exception as problem:
        return problem
