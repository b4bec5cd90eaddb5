"""The outermost layer: an `X-Trace-ID` on every answer, one log line per request, and honest counters.

Neither texts nor keys are ever logged: a line has the method, the path, the status, the time and the trace id.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("svc_nb.service")

TRACE_HEADER = b"x-trace-id"


@dataclass
class Traffic:
    """What came in and how it ended, counted since the start: `answered[("POST /v2/translate", 200)]`."""

    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    in_flight: int = 0
    peak: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def requests(self) -> int:
        """How many requests were answered, or broken off, so far."""
        return sum(self.answered.values())

    def begin(self) -> None:
        """A request came in."""
        with self._lock:
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)

    def end(self, name: str, status: int) -> None:
        """A request was answered; status 0 is one that got no answer."""
        with self._lock:
            self.in_flight -= 1
            self.answered[name, status] += 1

    def reset(self) -> None:
        """Count from nothing again."""
        with self._lock:
            self.answered.clear()
            self.peak = self.in_flight


class Tracing:
    """Wraps the whole application, faults included."""

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        self._app = app
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through; mark, count and log its answer."""
        trace, started, status = uuid.uuid4().hex, time.perf_counter(), 0

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (TRACE_HEADER, trace.encode())]
            await send(message)

        self._traffic.begin()
        try:
            await self._app(scope, receive, marked)
        finally:
            self._traffic.end(f"{scope['method']} {scope['path']}", status)
            milliseconds = (time.perf_counter() - started) * 1000
            log.info(
                "%s %s %d %.1f ms %s", scope["method"], quote(scope["path"]), status, milliseconds, trace
            )
