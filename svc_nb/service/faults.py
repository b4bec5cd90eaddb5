"""Misbehaviour on demand, wrapped around the application from outside.

A `Fault` says what goes wrong, on which operation, and how often:

| kind | what happens | its own settings |
|---|---|---|
| `latency` | the answer takes longer | `seconds` |
| `capacity` | more than `limit` requests at once are refused | `limit`, `status` (429 or 529), `retry_after` |
| `status` | the request is refused unread | `status`, `retry_after` |
| `quota` | 456 once `characters` characters of text have passed | `characters` |
| `reset` | the connection is reset before any answer | |
| `hang` | no answer for `seconds`, then the connection is closed | `seconds` |
| `truncate` | the answer's JSON ends in the middle | |
| `miscount` | the last result of a list is missing | |

Of the requests of its `operation` (a path, `"POST /v2/translate"`, or `"*"`), a fault takes those that its
`probability` hits, until it has taken `count` of them. `truncate` and `miscount` happen to answers of 2xx, after
the service has done and billed the work, as they would in life.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import STATUS_PHRASES, ProblemBody
from .wire import encode

Kind = Literal["latency", "capacity", "status", "quota", "reset", "hang", "truncate", "miscount"]

_RST = struct.pack("ii", 1, 0)  # SO_LINGER on, for no time at all: closing sends RST


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to misbehave; see the module's table."""

    kind: Kind
    operation: str = "*"
    probability: float = 1.0
    count: int | None = None
    seconds: float = 30.0
    limit: int = 8
    status: int = 429
    retry_after: int | None = None
    characters: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"no fault {self.kind!r}; there are {', '.join(get_args(Kind))}")
        if not 0 <= self.probability <= 1:
            raise ValueError(f"probability is from 0 to 1, not {self.probability}")

    @classmethod
    def parse(cls, text: str) -> Fault:
        """A fault from the command line.

        >>> Fault.parse("capacity limit=4 status=529 operation=/v2/translate").limit
        4
        """
        kind, *settings = text.split()
        kinds: dict[str, Any] = {"probability": float, "seconds": float, "operation": str}
        names = {field.name for field in fields(cls)} - {"kind"}
        values: dict[str, Any] = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if name not in names or not equals:
                raise ValueError(
                    f"{setting!r} is no setting of a fault; there are {', '.join(sorted(names))}"
                )
            values[name] = kinds.get(name, int)(value)
        return cls(kind, **values)  # type: ignore[arg-type]

    def concerns(self, method: str, path: str) -> bool:
        """Whether a request is one of this fault's."""
        return self.operation in ("*", path, f"{method} {path}")


class Faults:
    """The faults that are in force, changed at any time from any thread."""

    def __init__(self, *, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._armed: dict[Fault, int] = {}
        self._in_flight: dict[Fault, int] = {}
        self._passed: dict[Fault, int] = {}

    def add(self, kind: Kind | Fault, **settings: Any) -> Fault:
        """Put a fault in force: `add("status", status=503, probability=0.05)`."""
        fault = kind if isinstance(kind, Fault) else Fault(kind, **settings)
        with self._lock:
            self._armed[fault] = 0
        return fault

    def remove(self, fault: Fault) -> None:
        """End one fault."""
        with self._lock:
            self._armed.pop(fault, None)

    def clear(self) -> None:
        """Behave again."""
        with self._lock:
            self._armed.clear()
            self._passed.clear()

    def taken(self, fault: Fault) -> int:
        """How many requests a fault in force has hit."""
        return self._armed.get(fault, 0)

    def strike(self, method: str, path: str) -> list[Fault]:
        """The faults that hit this request; each is counted."""
        with self._lock:
            struck = [fault for fault in self._armed if self._hits(fault, method, path)]
            for fault in struck:
                self._armed[fault] += 1
            return struck

    @contextmanager
    def room(self, capacities: list[Fault]) -> Iterator[Fault | None]:
        """Hold a place under each capacity; gives the one that is full, if any."""
        with self._lock:
            full = next((each for each in capacities if self._in_flight.get(each, 0) >= each.limit), None)
            held = [] if full else capacities
            for each in held:
                self._in_flight[each] = self._in_flight.get(each, 0) + 1
        try:
            yield full
        finally:
            with self._lock:
                for each in held:
                    self._in_flight[each] -= 1

    def overspends(self, fault: Fault, characters: int) -> bool:
        """Count *characters* towards a quota; True when they do not fit any more."""
        with self._lock:
            passed = self._passed.get(fault, 0) + characters
            if passed > fault.characters:
                return True
            self._passed[fault] = passed
            return False

    def _hits(self, fault: Fault, method: str, path: str) -> bool:
        if not fault.concerns(method, path) or (
            fault.count is not None and self._armed[fault] >= fault.count
        ):
            return False
        return fault.probability >= 1 or self._random.random() < fault.probability


class Misbehaving:
    """The application as its callers meet it when things go wrong."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer through the faults that hit."""
        struck = self._faults.strike(scope["method"], scope["path"])
        if not struck:
            await self._app(scope, receive, send)
            return
        with self._faults.room([fault for fault in struck if fault.kind == "capacity"]) as full:
            if full:
                await _refuse(full, scope, receive, send)
            else:
                await self._answer(struck, scope, receive, send)

    async def _answer(self, struck: list[Fault], scope: Scope, receive: Receive, send: Send) -> None:
        by_kind = {fault.kind: fault for fault in struck}
        if latency := by_kind.get("latency"):
            await asyncio.sleep(latency.seconds)
        if quota := by_kind.get("quota"):
            receive, characters = await _count(receive)
            if self._faults.overspends(quota, characters):
                await _refuse(Fault("status", status=456), scope, receive, send)
                return
        if refusal := by_kind.get("status"):
            await _refuse(refusal, scope, receive, send)
        elif hang := by_kind.get("hang"):
            await asyncio.sleep(hang.seconds)
            await _break_off(scope)
        elif "reset" in by_kind:
            await _break_off(scope)
        elif "truncate" in by_kind or "miscount" in by_kind:
            spoil = _truncated if "truncate" in by_kind else _miscounted
            await self._app(scope, receive, _Spoiled(send, spoil))
        else:
            await self._app(scope, receive, send)


class _Spoiled:
    """Holds an answer back until it is whole, and sends it spoiled."""

    def __init__(self, send: Send, spoil: Any) -> None:
        self._send = send
        self._spoil = spoil
        self._start: Message = {}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        body = self._spoil(self._body) if self._start["status"] < 300 else self._body
        MutableHeaders(raw=self._start["headers"])["content-length"] = str(len(body))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def _truncated(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _miscounted(body: bytes) -> bytes:
    answer = json.loads(body)
    for results in answer.values() if isinstance(answer, dict) else ():
        if isinstance(results, list) and results:
            results.pop()
    return json.dumps(answer, ensure_ascii=False).encode()


async def _refuse(fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
    content, media = encode(ProblemBody(STATUS_PHRASES.get(fault.status, "Refused")))
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    await Response(content, fault.status, headers, media_type=media)(scope, receive, send)


async def _count(receive: Receive) -> tuple[Receive, int]:
    """The characters in the body's texts, and a `receive` that gives the body once more."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    try:
        texts = json.loads(body)["text"]
        characters = sum(len(text) for text in texts)
    except (ValueError, TypeError, KeyError, RecursionError):
        characters = 0
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again, characters


async def _break_off(scope: Scope) -> None:
    """Reset the connection under the request: no answer, no farewell."""
    transport: asyncio.Transport = scope["state"]["transport"]
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST)
    transport.abort()
    await asyncio.sleep(0.01)  # until the server has noticed; it would try to answer for us otherwise
