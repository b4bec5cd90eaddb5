"""Work in threads: `Worker` does every request in order; `Latest` only answers the last one."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

Work = Callable[[], Any]
Then = Callable[[Any], None]


def tried(work: Work) -> Any:
    """The result of *work*, or the error it raises."""
    try:
        return work()
    except Exception as problem:
        return problem


class Worker:
    """Does requests in order, in a thread that only exists while there is something to do."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._waiting: deque[tuple[Work, Then]] = deque()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether work is in progress."""
        return self._busy

    def ask(self, work: Work, then: Then) -> None:
        """Call *then* with the result of *work*, or with the error it raised."""
        with self._change:
            if self._closed:
                return
            self._waiting.append((work, then))
            if not self._busy:
                self._busy = True
                self._thread = threading.Thread(target=self._run, name="svc_nb panel", daemon=True)
                self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all work is done and answered; returns whether it was in time."""
        if threading.current_thread() is self._thread:
            return True
        with self._change:
            return self._change.wait_for(lambda: not self._busy, timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Finish work in progress and accept no more; False if it still hangs after *timeout*."""
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
            while True:
                with self._change:
                    if not self._waiting:
                        return self._rest()
                    work, then = self._waiting.popleft()
                then(tried(work))
        except BaseException:  # raised by the callback: do not leave others waiting forever
            self._rest()
            raise

    def _rest(self) -> None:
        with self._change:
            self._busy = False
            self._change.notify_all()


class Latest(Worker):
    """As `Worker`, but a new request replaces one that is still waiting, and earlier requests are not answered."""

    def __init__(self) -> None:
        super().__init__()
        self._number = 0

    def ask(self, work: Work, then: Then) -> None:
        """Call *then* with the result of *work*, or with the error it raised, unless there is a newer request."""
        with self._change:
            self.drop()
            number = self._number

            def answer(found: Any) -> None:
                with self._change:
                    wanted = number == self._number and not self._closed
                if wanted:
                    then(found)

            super().ask(work, answer)

    def drop(self) -> None:
        """Drop the answer to the current request."""
        with self._change:
            self._number += 1
            self._waiting.clear()

    def close(self, timeout: float | None = None) -> bool:
        """Accept no more work and end the thread; False if a request still hangs after *timeout*."""
        self.drop()
        return super().close(timeout)
