"""How the cost of some work grows with the size of what it works on."""

import time

# Four times the size: linear work costs about four times as much, quadratic work sixteen times.
LINEAR = 8
LEAST = 0.002  # what costs less than this many seconds is within the clock's noise


def growth(work, small, large):
    """How many times as much processor time *work* takes on *large* as on *small*.

    A busy machine may slow down one of the two, so this is the lowest of up to five trials.
    """
    lowest = float("inf")
    for _ in range(5):
        lowest = min(lowest, max(_cost(work, large), LEAST) / max(_cost(work, small), LEAST))
        if lowest < LINEAR:
            break
    return lowest


def _cost(work, size):
    started = time.process_time()
    work(size)
    return time.process_time() - started
