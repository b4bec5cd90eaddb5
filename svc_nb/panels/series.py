"""The messages of each view in the order they were sent: a front end may hand them over by two ways at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 5.0  # seconds; what has not come by then is lost


class Series:
    """Puts numbered messages of several views in order: each view counts its own from 1 on."""

    def __init__(self, *, patience: float = PATIENCE, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._next: dict[str, int] = {}
        self._early: dict[str, dict[int, Any]] = {}
        self._since: dict[str, float] = {}

    def take(self, view: str, number: int, message: Any) -> list[Any]:
        """The messages whose turn has come with this one; those after one that does not come wait a while for it."""
        early = self._early.setdefault(view, {})
        early[number] = message
        ready = self._following(view)
        if not ready and self._clock() - self._since.setdefault(view, self._clock()) > self._patience:
            self._next[view] = min(early)
            ready = self._following(view)
        if ready or not early:
            self._since.pop(view, None)
        return ready

    def _following(self, view: str) -> list[Any]:
        early, following = self._early[view], self._next.get(view, 1)
        late = [early.pop(number) for number in sorted(early) if number < following]
        ready = []
        while following in early:
            ready.append(early.pop(following))
            following += 1
        self._next[view] = following
        return late + ready
