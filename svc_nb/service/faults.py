"""Misbehaviour on demand: what goes wrong, where and how often; `Misbehaving` does it.

A `Fault` says what goes wrong, on which operation, and how often:

| kind | what happens | its own settings |
|---|---|---|
| `latency` | the answer comes no sooner than this after the request | `seconds` |
| `capacity` | more than `limit` requests at once are refused | `limit`, `status` (429 or 529), `retry_after` |
| `status` | the request is refused unread | `status`, `retry_after` |
| `quota` | 456 once `characters` characters of text have passed | `characters` |
| `reset` | the connection is reset before any answer | |
| `hang` | no answer for `seconds`, then the connection is closed | `seconds` |
| `truncate` | the answer's JSON ends in the middle; a file breaks off in the middle | |
| `miscount` | the last result of a list is missing | |
| `drip` | the answer's body comes in slow pieces, all of them in this time | `seconds` |
| `early_hints` | three answers 103 come before the real one | |
| `gzip_bomb` | the answer is a few hundred kilobytes that unpack to gigabytes | |
| `late_second_answer` | the answer comes once more, this much after its end | `seconds` |

The `operation` is a path as the contract writes it ("/v2/translate", "/v3/glossaries/{glossary_id}"), a method
and a path ("POST /v2/translate"), or "*". Of its requests a fault takes those that its `probability` hits, until it
has taken `count` of them. Of several faults of one kind the first that hits is the one that happens. `truncate`,
`miscount` and `gzip_bomb` happen to answers of 2xx, after the service has done and billed the work, as they would in
life; a file that breaks off is the exception: it is billed when all of it was sent, so it is not billed.
"""

import asyncio
import contextlib
import gzip
import json
import random
import shlex
import socket
import struct
import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, Self, get_args

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import JSON, disconnected, refusal
from .bodies import FORM, form_pairs
from .problems import STATUS_PHRASES, Problem

RESULTS = ("translations", "improvements", "results")
DRIPS = 20
HINTS = 3
BOMBS = 128  # of 16 MiB each
_RST = struct.pack("ii", 1, 0)  # SO_LINGER on, for no time at all: closing sends RST

Kind = Literal[
    "latency",
    "capacity",
    "status",
    "quota",
    "reset",
    "hang",
    "truncate",
    "miscount",
    "drip",
    "early_hints",
    "gzip_bomb",
    "late_second_answer",
]


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
            raise ValueError(f"there is no fault {self.kind!r}; there are {', '.join(get_args(Kind))}")
        bounds = {"probability": (0, 1), "status": (400, 599), "count": (1, None)}
        for name in ("probability", "status", "count", "seconds", "limit", "retry_after", "characters"):
            least, most = bounds.get(name, (0, None))
            value = getattr(self, name)
            if value is not None and (value < least or (most is not None and value > most)):
                raise ValueError(f"{name} is {least} or more{f', up to {most}' if most else ''}, not {value}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """A fault from the command line.

        >>> Fault.parse("capacity limit=4 status=529 operation='POST /v2/translate'").limit
        4
        """
        kind, *settings = shlex.split(text) or [""]
        kinds: dict[str, Any] = {"probability": float, "seconds": float, "operation": str}
        names = {field.name for field in fields(cls)} - {"kind"}
        values: dict[str, Any] = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if name not in names or not equals:
                raise ValueError(f"{setting!r} is no setting of a fault; there are {', '.join(sorted(names))}")
            values[name] = kinds.get(name, int)(value)
        return cls(kind, **values)  # type: ignore[arg-type]

    def concerns(self, name: str) -> bool:
        """Whether the operation *name* is one of this fault's."""
        return self.operation in ("*", name, name.partition(" ")[2])


@dataclass(slots=True)
class _ActiveFault:
    """A fault in force, and what it has done so far."""

    fault: Fault
    taken: int = 0
    in_flight: int = 0
    passed: int = 0

    @property
    def spent(self) -> bool:
        return self.fault.count is not None and self.taken >= self.fault.count


class Faults:
    """The faults that are in force, changed at any time from any thread; *operations* are the names there are."""

    def __init__(self, operations: Collection[str], *, seed: int | None = None) -> None:
        self._operations = operations
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._armed: list[_ActiveFault] = []

    def add(self, kind: Kind | Fault, **settings: Any) -> Fault:
        """Put a fault in force: `add("status", status=503, probability=0.05)`."""
        fault = kind if isinstance(kind, Fault) else Fault(kind, **settings)
        if not any(fault.concerns(name) for name in self._operations):
            raise ValueError(f"there is no operation {fault.operation!r}; write it as the contract does")
        with self._lock:
            self._armed.append(_ActiveFault(fault))
        return fault

    def remove(self, fault: Fault) -> None:
        """End a fault, and every one that is equal to it."""
        with self._lock:
            self._armed = [armed for armed in self._armed if armed.fault != fault]

    def clear(self) -> None:
        """Behave again."""
        with self._lock:
            self._armed = []

    def taken(self, fault: Fault) -> int:
        """How many requests a fault in force has hit."""
        return sum(armed.taken for armed in self._armed if armed.fault == fault)

    def strike(self, kind: Kind, name: str) -> Fault | None:
        """The fault of this kind that hits a request for the operation *name*, if any; it is counted."""
        with self._lock:
            for armed in self._concerned(kind, name):
                if not armed.spent and self._dice(armed.fault):
                    armed.taken += 1
                    return armed.fault
        return None

    @contextlib.contextmanager
    def room(self, name: str) -> Iterator[Fault | None]:
        """Hold a place under each capacity; gives the one that is full and refuses, if any."""
        with self._lock:
            held = list(self._concerned("capacity", name))
            crowded = (each for each in held if each.in_flight >= each.fault.limit and not each.spent)
            full = next((each for each in crowded if self._dice(each.fault)), None)
            if full:
                full.taken += 1
                held = []
            for armed in held:
                armed.in_flight += 1
        try:
            yield full.fault if full else None
        finally:
            with self._lock:
                for armed in held:
                    armed.in_flight -= 1

    def overspent(self, name: str, characters: int) -> bool:
        """Count *characters* towards the quotas; True when they do not fit any more."""
        with self._lock:
            quotas = list(self._concerned("quota", name))
            for armed in quotas:
                if not armed.spent and armed.passed + characters > armed.fault.characters:
                    armed.taken += 1
                    return True
            for armed in quotas:
                armed.passed += characters
        return False

    def any(self, kind: Kind, name: str) -> bool:
        """Whether a fault of this kind is in force for the operation *name*."""
        return next(self._concerned(kind, name), None) is not None

    def _concerned(self, kind: Kind, name: str) -> Iterator[_ActiveFault]:
        return (armed for armed in self._armed if armed.fault.kind == kind and armed.fault.concerns(name))

    def _dice(self, fault: Fault) -> bool:
        return fault.probability >= 1 or self._random.random() < fault.probability


class Misbehaving:
    """The application as its callers meet it when things go wrong."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, if there is room, or as badly as the faults in force say."""
        faults, name = self._faults, scope["operation"]
        with contextlib.ExitStack() as place:
            if full := place.enter_context(faults.room(name)):
                await _refuse(full, scope, receive, send)
                return
            send = _leaving(send, place.close)
            if drip := faults.strike("drip", name):
                send = _dripping(send, drip.seconds)
            if latency := faults.strike("latency", name):
                send = _late(send, latency.seconds)
            if second := faults.strike("late_second_answer", name):
                send = _twice(send, scope, second.seconds)
            if faults.strike("early_hints", name):
                scope["state"]["transport"].write(HINTS * b"HTTP/1.1 103 Early Hints\r\nLink: </hint>\r\n\r\n")
            if faults.any("quota", name):
                receive, characters = await _count(scope, receive)
                if faults.overspent(name, characters):
                    await _refuse(Fault("status", status=456), scope, receive, send)
                    return
            if refusal := faults.strike("status", name):
                await _refuse(refusal, scope, receive, send)
            elif hang := faults.strike("hang", name):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(disconnected(receive), hang.seconds)
                await _break_off(scope)
            elif faults.strike("reset", name):
                await _break_off(scope)
            elif faults.strike("truncate", name):
                await self._app(scope, receive, _truncated(send, scope))
            elif faults.strike("miscount", name):
                await self._app(scope, receive, _spoiled(send, _miscounted))
            elif faults.strike("gzip_bomb", name):
                await self._app(scope, receive, _spoiled(send, lambda body: _bomb(), packing="gzip"))
            else:
                await self._app(scope, receive, send)


def _leaving(send: Send, leave: Callable[[], None]) -> Send:
    """Send an answer, and leave just before its last byte: a caller who has read it all may come back at once."""
    left = 0

    async def leaving(message: Message) -> None:
        nonlocal left
        if message["type"] == "http.response.start":
            left = int(Headers(raw=message["headers"]).get("content-length", -1))
        elif message["type"] == "http.response.body":
            left -= len(message.get("body", b""))
            if left == 0 or not message.get("more_body"):
                leave()
        await send(message)

    return leaving


def _late(send: Send, seconds: float) -> Send:
    """Hold an answer back until *seconds* have passed; the work is done in the meantime."""
    clock = asyncio.get_running_loop().time
    due = clock() + seconds

    async def late(message: Message) -> None:
        await asyncio.sleep(max(0.0, due - clock()))
        await send(message)

    return late


def _dripping(send: Send, seconds: float) -> Send:
    """Send the body of an answer in about DRIPS pieces, each after a pause, *seconds* in all."""
    size = 0

    async def drip(message: Message) -> None:
        nonlocal size
        if message["type"] == "http.response.start":
            size = -(-int(Headers(raw=message["headers"]).get("content-length", 0)) // DRIPS)
        elif body := message.get("body", b""):
            step = size or len(body)
            pieces = [body[start : start + step] for start in range(0, len(body), step)]
            for piece in pieces[:-1]:
                await asyncio.sleep(seconds / DRIPS)
                await send({"type": message["type"], "body": piece, "more_body": True})
            await asyncio.sleep(seconds / DRIPS)
            message = {**message, "body": pieces[-1]}
        await send(message)

    return drip


def _twice(send: Send, scope: Scope, seconds: float) -> Send:
    """Send an answer, and all its bytes once more when *seconds* have passed since its end."""
    transport: asyncio.Transport = scope["state"]["transport"]
    again = b""

    async def twice(message: Message) -> None:
        nonlocal again
        if message["type"] == "http.response.start":
            lines = [name + b": " + value for name, value in message["headers"]]
            again = b"\r\n".join([b"HTTP/1.1 %d Again" % message["status"], *lines, b"\r\n"])
        again += message.get("body", b"")
        await send(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            asyncio.get_running_loop().call_later(seconds, transport.write, again)

    return twice


def _truncated(send: Send, scope: Scope) -> Send:
    """Send half of an answer: of one in a single piece as if that were all; a file breaks off."""
    spoiled = _spoiled(send, lambda body: body[: len(body) // 2])
    start: Message | None = None
    left = 0

    async def truncated(message: Message) -> None:
        nonlocal start, left
        if message["type"] == "http.response.start":
            start = message
            left = int(Headers(raw=message["headers"]).get("content-length", 0)) // 2
        elif not message.get("more_body"):
            await spoiled(start or {})
            await spoiled(message)
        else:  # a piece of a file
            if start:
                await send(start)
                start = None
            body = message.get("body", b"")
            await send({**message, "body": body[:left]})
            left = max(0, left - len(body))
            if not left:
                scope["state"]["transport"].close()

    return truncated


def _spoiled(send: Send, spoil: Callable[[bytes], bytes], *, packing: str | None = None) -> Send:
    """Hold an answer back until it is whole, and send it spoiled; *packing* says how it is packed then."""
    start: Message = {}
    whole = b""

    async def spoiled(message: Message) -> None:
        nonlocal start, whole
        if message["type"] == "http.response.start":
            start = message
            return
        whole += message.get("body", b"")
        if message.get("more_body"):
            return
        if whole and start["status"] < 300:
            whole = spoil(whole)
            headers = MutableHeaders(raw=start["headers"])
            headers["content-length"] = str(len(whole))
            if packing:
                headers["content-encoding"] = packing
        await send(start)
        await send({"type": "http.response.body", "body": whole})

    return spoiled


def _miscounted(body: bytes) -> bytes:
    """The body without the last of its results; one that has no list of results stays as it is."""
    try:
        answer = json.loads(body)
    except ValueError:
        return body
    results = answer if isinstance(answer, list) else next(map(answer.get, filter(answer.get, RESULTS)), None)
    if results:
        results.pop()
    return json.dumps(answer, ensure_ascii=False).encode()


@cache
def _bomb() -> bytes:
    return BOMBS * gzip.compress(bytes(16 * 2**20), mtime=0)


async def _refuse(fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    problem = Problem(fault.status, STATUS_PHRASES.get(fault.status, "Refused"), headers=headers)
    await refusal(problem)(scope, receive, send)


async def _count(scope: Scope, receive: Receive) -> tuple[Receive, int]:
    """The characters in the body's texts, and a `receive` that gives the body once more; files have none."""
    media = Headers(scope=scope).get("content-type", "")
    if not media.startswith((FORM, JSON)):
        return receive, 0
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    body = b"".join(message.get("body", b"") for message in messages)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    try:
        if media.startswith(FORM):
            texts = [value for name, value in form_pairs(body) if name == "text"]
        else:
            texts = json.loads(body)["text"]
        return again, sum(len(text) for text in texts if isinstance(text, str))
    except (Problem, ValueError, TypeError, KeyError, RecursionError):
        return again, 0


async def _break_off(scope: Scope) -> None:
    """Reset the connection under the request: no answer, no farewell."""
    transport: asyncio.Transport = scope["state"]["transport"]
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None and not transport.is_closing():
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST)
    transport.abort()
    await asyncio.sleep(0.01)  # until the server has noticed; it would try to answer for us otherwise
