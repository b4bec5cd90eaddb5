"""How long to wait before trying again: arithmetic only, nothing sleeps here."""

from collections.abc import Callable

# The part of its ceiling that a wait takes at least, so that two tries never fall together.
LEAST = 0.2


def backoff(first: float, failures: int, *, longest: float, random: Callable[[], float], least: float = LEAST) -> float:
    """A random part of a ceiling, *first* and doubled with every failure, up to *longest*; at least its part *least*.

    >>> [backoff(0.2, failures, longest=1.0, random=lambda: 1.0) for failures in (1, 2, 3, 4)]
    [0.2, 0.4, 0.8, 1.0]
    """
    # The exponent is bounded because 2.0 ** 1024 is no float any more.
    return min(first * 2.0 ** min(failures - 1, 64), longest) * (least + (1 - least) * random())
