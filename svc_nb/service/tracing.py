"""The outermost layer: an `X-Trace-ID` on every answer, one log line per request, and honest counters.

Neither texts nor keys are ever logged: a line has the method, the path, the status, the time and the trace id.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import refusal
from .operations import OperationNames
from .problems import Problem

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


class Tracing:
    """Wraps the whole application, faults included; whatever happens inside, there is an answer in JSON."""

    def __init__(self, app: ASGIApp, traffic: Traffic, names: OperationNames) -> None:
        self._app = app
        self._traffic = traffic
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through; name, mark, count and log it."""
        name = scope["operation"] = self._names.of(scope["method"], scope["path"])
        answer = _Answer(send, partial(self._traffic.end, name))
        started = time.perf_counter()
        self._traffic.begin()
        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if not answer.status:
                await refusal(Problem(503, "The service is shutting down."))(scope, receive, answer)
        except Exception:
            log.exception("%s failed, trace %s", name, answer.trace)
            if not answer.status:
                await refusal(Problem(500))(scope, receive, answer)
        finally:
            answer.end()
            milliseconds = (time.perf_counter() - started) * 1000
            path = quote(scope["path"])
            log.info("%s %s %d %.1f ms %s", scope["method"], path, answer.status, milliseconds, answer.trace)


class _Answer:
    """The way back to the caller: marks the answer with its trace, and notes its status (0: there was none).

    *ended* hears the status once, before the last byte is sent: who has an answer finds it counted.
    """

    def __init__(self, send: Send, ended: Callable[[int], None]) -> None:
        self._send = send
        self._ended = ended
        self._is_ended = False
        self.trace = uuid.uuid4().hex
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (TRACE_HEADER, self.trace.encode())]
        elif not message.get("more_body"):
            self.end()
        await self._send(message)

    def end(self) -> None:
        """Nothing more comes; said again, it changes nothing."""
        if not self._is_ended:
            self._is_ended = True
            self._ended(self.status)
