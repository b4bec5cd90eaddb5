"""How long to wait before trying again: arithmetic only, nothing sleeps here."""

from collections.abc import Callable
from dataclasses import dataclass

# A wait is at least this fraction of its ceiling, so that two tries never follow each other at once.
LEAST = 0.2


def backoff(first: float, failures: int, *, longest: float, random: Callable[[], float], least: float = LEAST) -> float:
    """A random part, at least *least*, of a ceiling that starts at *first* and doubles per failure, up to *longest*.

    >>> [backoff(0.2, failures, longest=1.0, random=lambda: 1.0) for failures in (1, 2, 3, 4)]
    [0.2, 0.4, 0.8, 1.0]
    """
    # The exponent is bounded because 2.0 ** 1024 overflows.
    return min(first * 2.0 ** min(failures - 1, 64), longest) * (least + (1 - least) * random())


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and for how long a request is retried, in seconds; a service without room is retried for longer."""

    tries: int = 5
    first_wait: float = 0.2
    longest_wait: float = 8.0
    longest_retry_after: float = 120.0
    give_up_after: float = 300.0

    def allows(self, retry_after: float | None) -> bool:
        """Whether to wait as long as the service asks. If not, the work ends, and its error says when to try again.

        >>> Patience().allows(None), Patience().allows(120), Patience().allows(3600)
        (True, True, False)
        """
        return (retry_after or 0.0) <= self.longest_retry_after
