"""How fast a run goes and how long it will take, from what was counted over the last seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

SPAN = 10.0
FIRST = 0.5


class Pace:
    """`note` what is finished as it is counted; pauses do not count, and nor does what came from the store at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, finished: int, *, paused: bool = False) -> None:
        """*finished* rows are done by now; while it is *paused* what was seen before is forgotten."""
        now = self._clock()
        if paused:
            self._seen.clear()
        self._seen.append((now, finished))
        while len(self._seen) > 2 and now - self._seen[0][0] > SPAN:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Rows a second; None where it is too early to say."""
        if len(self._seen) < 2:
            return None
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last - first >= FIRST else None

    def left(self, rows: int) -> float | None:
        """How many seconds *rows* more will take; None where nobody can say."""
        return rows / self.rate if self.rate else None
