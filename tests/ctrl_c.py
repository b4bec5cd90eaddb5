"""Press Ctrl-C in this process, as a person does: in the middle of what the main thread waits for."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.waiting import until


@contextmanager
def pressed(when: Callable[[], object]) -> Iterator[None]:
    """Within the block Ctrl-C is pressed once *when* says so; never after it, where it would end the tests."""
    over, lock = threading.Event(), threading.Lock()

    def press() -> None:
        until(lambda: over.is_set() or when())
        with lock:
            if not over.is_set():
                os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        with lock:
            over.set()
        thread.join()
