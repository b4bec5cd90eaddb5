"""The application as its callers meet it when things go wrong: faults done to requests and answers on their way."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .faults import Fault, Faults
from .problems import STATUS_PHRASES, Problem, ProblemBody
from .wire import FORM, JSON, encode, form_pairs

RESULTS = ("translations", "improvements", "results")
DRIPS = 20
_RST = struct.pack("ii", 1, 0)  # SO_LINGER on, for no time at all: closing sends RST


class Misbehaving:
    """The application as its callers meet it when things go wrong."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, if there is room."""
        with self._faults.room(scope["operation"]) as full:
            if full:
                await _refuse(full, scope, receive, send)
            else:
                await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        faults, name = self._faults, scope["operation"]
        if drip := faults.strike("drip", name):
            send = _Dripping(send, drip.seconds)
        if latency := faults.strike("latency", name):
            send = _Late(send, latency.seconds)
        if faults.any("quota", name):
            receive, characters = await _count(scope, receive)
            if faults.overspent(name, characters):
                await _refuse(Fault("status", status=456), scope, receive, send)
                return
        if refusal := faults.strike("status", name):
            await _refuse(refusal, scope, receive, send)
        elif hang := faults.strike("hang", name):
            await _hang(hang.seconds, scope, receive)
        elif faults.strike("reset", name):
            await _break_off(scope)
        elif faults.strike("truncate", name):
            await self._app(scope, receive, _Truncated(send, scope))
        elif faults.strike("miscount", name):
            await self._app(scope, receive, _Spoiled(send, _miscounted))
        else:
            await self._app(scope, receive, send)


class _Late:
    """Holds an answer back until *seconds* have passed; the work is done meanwhile."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._due = asyncio.get_running_loop().time() + seconds

    async def __call__(self, message: Message) -> None:
        await asyncio.sleep(max(0.0, self._due - asyncio.get_running_loop().time()))
        await self._send(message)


class _Dripping:
    """Sends the body of an answer in about DRIPS pieces, each after a pause, *seconds* in all."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._pause = seconds / DRIPS
        self._size = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._size = -(-int(Headers(raw=message["headers"]).get("content-length", 0)) // DRIPS)
        elif body := message.get("body", b""):
            size = self._size or len(body)
            pieces = [body[start : start + size] for start in range(0, len(body), size)]
            for piece in pieces[:-1]:
                await self._drip({"type": message["type"], "body": piece, "more_body": True})
            await self._drip({**message, "body": pieces[-1]})
            return
        await self._send(message)

    async def _drip(self, message: Message) -> None:
        await asyncio.sleep(self._pause)
        await self._send(message)


class _Truncated:
    """Sends half of an answer: of one in a single piece as if that were all; a file breaks off."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._transport: asyncio.Transport = scope["state"]["transport"]
        self._spoiled = _Spoiled(send, _truncated)
        self._start: Message | None = None
        self._left = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            self._left = int(Headers(raw=message["headers"]).get("content-length", 0)) // 2
        elif message.get("more_body"):
            await self._send_file(message)
        else:
            await self._spoiled(self._start or {})
            await self._spoiled(message)

    async def _send_file(self, message: Message) -> None:
        if self._start:
            await self._send(self._start)
            self._start = None
        body = message.get("body", b"")
        await self._send({**message, "body": body[: self._left]})
        self._left = max(0, self._left - len(body))
        if not self._left:
            self._transport.close()


class _Spoiled:
    """Holds an answer back until it is whole, and sends it spoiled."""

    def __init__(self, send: Send, spoil: Callable[[bytes], bytes]) -> None:
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
        if self._body and self._start["status"] < 300:
            self._body = self._spoil(self._body)
            MutableHeaders(raw=self._start["headers"])["content-length"] = str(len(self._body))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": self._body})


def _truncated(body: bytes) -> bytes:
    return body[: len(body) // 2]


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


async def _refuse(fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
    content, media = encode(ProblemBody(STATUS_PHRASES.get(fault.status, "Refused")))
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    await Response(content, fault.status, headers, media_type=media)(scope, receive, send)


async def _count(scope: Scope, receive: Receive) -> tuple[Receive, int]:
    """The characters in the body's texts, and a `receive` that gives the body once more; files have none."""
    if not Headers(scope=scope).get("content-type", "").startswith((FORM, JSON)):
        return receive, 0
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    body = b"".join(message.get("body", b"") for message in messages)
    form = Headers(scope=scope).get("content-type", "").startswith(FORM)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return again, sum(map(len, _texts(body, form=form)))


def _texts(body: bytes, *, form: bool) -> list[str]:
    try:
        texts = (
            [value for name, value in form_pairs(body) if name == "text"]
            if form
            else json.loads(body)["text"]
        )
        return [text for text in texts if isinstance(text, str)]
    except (Problem, ValueError, TypeError, KeyError, RecursionError):
        return []


async def _hang(seconds: float, scope: Scope, receive: Receive) -> None:
    """Say nothing until the time is up, or the caller has gone."""

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(gone(), seconds)
    await _break_off(scope)


async def _break_off(scope: Scope) -> None:
    """Reset the connection under the request: no answer, no farewell."""
    transport: asyncio.Transport = scope["state"]["transport"]
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None and not transport.is_closing():
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST)
    transport.abort()
    await asyncio.sleep(0.01)  # until the server has noticed; it would try to answer for us otherwise
