"""How the cost of work grows with its size: ratios within one run, because a machine's own speed says nothing."""

import time

# Four times the size: linear work costs about four times as much, quadratic work sixteen times.
LINEAR = 8
LEAST = 0.002  # what costs less than this many seconds is within the clock's noise


def growth(work, small, large):
    """How many times as much processor time *work* takes on *large* as on *small*; the best of three runs each."""
    return max(_cost(work, large), LEAST) / max(_cost(work, small), LEAST)


def _cost(work, size):
    costs = []
    for _ in range(3):
        started = time.process_time()
        work(size)
        costs.append(time.process_time() - started)
    return min(costs)
