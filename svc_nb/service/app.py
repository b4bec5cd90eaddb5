"""The application: who may call, what is read, who does it, what is answered. Every answer is made here."""

import asyncio
import logging
import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import File, FileResponse, FullAnswer, PendingBilling, encode, refusal
from .bodies import FORM, UploadedFile, decode, form_pairs, from_pairs, media_type, read_bytes, read_multipart, read_raw
from .keys import ADMIN, NOBODY, Key
from .operations import KIB, Call, Nothing, Operation, OperationNames, Operations, document
from .problems import STATUS_PHRASES, Problem
from .resources import (
    administration,
    documents,
    glossaries,
    languages,
    memories,
    spoken_terms,
    style_rules,
    texts,
    usage,
    voice,
)
from .state import State

SCHEME = "Service-Auth-Key"

GONE = 499  # the caller hung up; no one reads this answer, the counters do
SMALL_FORM = 64 * KIB

_TRANSLATION = (texts, documents, style_rules, glossaries, memories, spoken_terms)
OPERATIONS = Operations(
    each for part in (*_TRANSLATION, voice, usage, languages, administration) for each in part.operations
)


def build(state: State, *, schemes: tuple[str, ...] = (SCHEME,)) -> Starlette:
    """The service as an ASGI application; *schemes* are the words it takes before a key."""
    description = Operation("GET", "/openapi.json", lambda call: document(OPERATIONS), scope=None)
    everything = Operations([*OPERATIONS, description])
    pending = PendingBilling()

    async def unrouted(request: Request, error: Exception) -> Response:
        try:
            _caller(state, request, schemes)
        except Problem as problem:
            return refusal(problem)
        status = error.status_code if isinstance(error, HTTPException) else 500
        return refusal(Problem(status, STATUS_PHRASES.get(status, "Bad request")))

    async def broken(request: Request, error: Exception) -> Response:
        """What a caller is told of a mistake of ours; Starlette raises it once more, for `Tracing` to log."""
        return refusal(Problem(500))

    app = Starlette(
        routes=[Route(path, _Path(state, methods, schemes, pending)) for path, methods in everything.by_path().items()],
        exception_handlers={HTTPException: unrouted, Exception: broken},
    )
    app.router.redirect_slashes = False
    return app


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """All methods of one path; an instance, because Starlette takes a plain function for GET only."""

    state: State
    methods: dict[str, Operation]
    schemes: tuple[str, ...]
    pending: PendingBilling

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await self._answer(Request(scope, receive))
        except Problem as problem:
            response = refusal(problem)
        except sqlite3.OperationalError as error:
            response = refusal(Problem(503, "The service cannot use its database.", detail=str(error)))
        except ClientDisconnect:
            response = Response(status_code=GONE)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        """Allow and read the request, perform the operation, and encode what it answers."""
        await self.pending.settled()
        operation = self.methods.get(request.method)
        key = NOBODY if operation and operation.signed else _caller(self.state, request, self.schemes)
        if operation is None:
            allowed = ", ".join(sorted(self.methods))
            raise Problem(405, detail=f"This path takes {allowed}.", headers={"Allow": allowed})
        host, port = request.scope["server"]  # no header has a say in the service's own address
        address = f"http://{host}:{port}"
        head = request.path_params, request.headers
        call: Call[Any, Any] = Call(self.state, key, Nothing(), Nothing(), *head, address=address)
        if not operation.signed:
            key.require(operation.scope)
        if operation.scope == ADMIN:
            call.refuse_free()
        pairs = await _query_pairs(request, operation)
        if operation.signed:
            call = replace(call, query=from_pairs(pairs, operation.query))
            await run_in_threadpool(operation.signed, call)
        body, file = await _read(operation, request)

        def work() -> Response:
            query = from_pairs(pairs, operation.query)
            answer = operation.do(replace(call, body=body(), query=query, file=file))
            if isinstance(answer, File):
                return FileResponse(answer, operation.status, self.pending)
            if operation.status == 204:
                return Response(status_code=204)
            full = answer if isinstance(answer, FullAnswer) else FullAnswer(answer, operation.status)
            content, media = encode(full.answer)
            return Response(content, full.status, full.headers, media_type=media)

        try:
            return await run_in_threadpool(work)
        finally:
            if file is not None:
                file.file.close()


async def _read(operation: Operation, request: Request) -> tuple[Callable[[], Struct], UploadedFile | None]:
    """What makes the typed body, to be called in a thread, and the file that came with the request, if any."""
    kind = operation.body
    if operation.upload == "raw":
        return Nothing, await read_raw(request, operation.limit)
    if kind is None:
        return Nothing, None
    media = media_type(request, operation.media, operation.wrong_media)
    if operation.upload == "multipart":
        file, fields = await read_multipart(request, operation.limit)
        return lambda: from_pairs(fields, kind), file
    content = await read_bytes(request, operation.limit)
    return lambda: decode(content, media, kind), None


async def _query_pairs(request: Request, operation: Operation) -> list[tuple[str, str]]:
    """The query's fields; common clients of this API family send those of a GET as a form in its body."""
    pairs = request.query_params.multi_items()
    in_body = operation.body is None and not operation.upload
    if in_body and request.headers.get("content-type", "").startswith(FORM):
        pairs += form_pairs(await read_bytes(request, SMALL_FORM))
    return pairs


def _caller(state: State, request: Request, schemes: tuple[str, ...]) -> Key:
    """The key that signs a request, or 401. One indexed look-up: cheaper here than in a thread of its own."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() not in {word.lower() for word in schemes} or not secret.strip():
        advice = f"Send the header 'Authorization: {schemes[0]} <key>'."
        raise Problem(401, detail=advice, headers={"WWW-Authenticate": schemes[0]})
    key = state.keys.holder(secret.strip())
    request.scope["state"]["connection"].admitted = True
    return key


# ---- the outermost layer: an `X-Trace-ID` on every answer, one log line per request, and honest counters.
# Neither texts nor keys are ever logged: a line has the method, the path, the status, the time and the trace id.

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
        trace, started, status, ended = uuid.uuid4().hex, time.perf_counter(), 0, False

        def end() -> None:
            """Count it, once, before the last byte is sent: who has an answer finds it counted."""
            nonlocal ended
            if not ended:
                ended = True
                self._traffic.end(name, status)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (TRACE_HEADER, trace.encode())]
            elif not message.get("more_body"):
                end()
            await send(message)

        self._traffic.begin()
        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if not status:
                await refusal(Problem(503, "The service is shutting down."))(scope, receive, answer)
        except Exception:
            log.exception("%s failed, trace %s", name, trace)
            if not status:
                await refusal(Problem(500))(scope, receive, answer)
        finally:
            end()
            milliseconds = (time.perf_counter() - started) * 1000
            log.info("%s %s %d %.1f ms %s", scope["method"], quote(scope["path"]), status, milliseconds, trace)
