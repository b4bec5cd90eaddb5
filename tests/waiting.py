"""Wait for what another thread or process will do; a busy machine may take its time."""

import time

SECONDS = 60
LONGEST_PAUSE = 0.01


def until(condition, *, process=None):
    """Wait for the first true value of *condition* and return it; fail after a minute, or when *process* ends first."""
    end, pause = time.monotonic() + SECONDS, LONGEST_PAUSE / 10
    while not (found := condition()):
        assert process is None or process.poll() is None, f"the process ended first: {process.communicate()}"
        assert time.monotonic() < end, f"the condition was not met within {SECONDS} s"
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    return found
