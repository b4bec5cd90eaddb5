"""The application: who may call, what is read, who does it, what is answered. Every answer is made here."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from msgspec import Struct
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from . import openapi
from .keys import ADMIN, NOBODY, Key
from .operations import KIB, Call, Nothing, Operation, Operations
from .problems import STATUS_PHRASES, Problem
from .resources import OPERATIONS
from .resources.plan import refuse_free
from .sending import Books, FileResponse
from .state import State
from .uploads import Received, read_multipart, read_raw
from .wire import FORM, File, Stated, decode, encode, form_pairs, from_pairs, media_type, read_bytes

SCHEME = "Service-Auth-Key"

GONE = 499  # the caller hung up; nobody reads this answer, the counters do
SMALL_FORM = 64 * KIB

Endpoint = Callable[[Request], Awaitable[Response]]


def build(state: State, *, schemes: tuple[str, ...] = (SCHEME,)) -> Starlette:
    """The service as an ASGI application; *schemes* are the words it takes before a key."""
    everything = Operations([*OPERATIONS, openapi.operation(OPERATIONS)])
    books = Books()
    routes = [
        Route(path, _endpoint(state, methods, schemes, books))
        for path, methods in everything.by_path().items()
    ]
    app = Starlette(
        routes=routes, exception_handlers={HTTPException: _unrouted(state, schemes), Exception: _broken}
    )
    app.router.redirect_slashes = False
    return app


class _PathEndpoint:
    """All methods of one path; an instance, because Starlette takes a plain function for GET only."""

    def __init__(self, answer: Endpoint) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)


def _endpoint(
    state: State, methods: dict[str, Operation], schemes: tuple[str, ...], books: Books
) -> _PathEndpoint:
    allowed = ", ".join(sorted(methods))

    async def answer(request: Request) -> Response:
        try:
            await books.closed()
            operation = methods.get(request.method)
            key = NOBODY if operation and operation.signed else _caller(state, request, schemes)
            if operation is None:
                raise Problem(405, detail=f"This path takes {allowed}.", headers={"Allow": allowed})
            if not operation.signed:
                key.require(operation.scope)
            if operation.scope == ADMIN:
                refuse_free(state.account)
            return await _perform(state, key, operation, request, books)
        except Problem as problem:
            return _refusal(problem)
        except sqlite3.OperationalError as error:
            return _refusal(Problem(503, "The service cannot use its database.", detail=str(error)))
        except ClientDisconnect:
            return Response(status_code=GONE)

    return _PathEndpoint(answer)


async def _perform(state: State, key: Key, operation: Operation, request: Request, books: Books) -> Response:
    pairs = await _query_pairs(request, operation)
    call: Call[Any, Any] = Call(
        state, key, Nothing(), Nothing(), request.path_params, request.headers, address=_address(request)
    )
    if operation.signed:
        call = replace(call, query=from_pairs(pairs, operation.query))
        await run_in_threadpool(operation.signed, call)
    body, file = await _read(operation, request)

    def work() -> Response:
        query = from_pairs(pairs, operation.query)
        answer = operation.do(replace(call, body=body(), query=query, file=file))
        return _response(answer, operation.status, books)

    try:
        return await run_in_threadpool(work)
    finally:
        if file is not None:
            file.close()


def _response(answer: Any, status: int, books: Books) -> Response:
    """What an operation answered, as it is sent."""
    if isinstance(answer, File):
        return FileResponse(answer, status, books)
    if status == 204:
        return Response(status_code=204)
    stated = answer if isinstance(answer, Stated) else Stated(answer, status)
    content, media = encode(stated.answer)
    return Response(content, stated.status, stated.headers, media_type=media)


async def _read(operation: Operation, request: Request) -> tuple[Callable[[], Struct], Received | None]:
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


def _address(request: Request) -> str:
    """The service's own address, from the socket: no header has a say in it."""
    host, port = request.scope["server"]
    return f"http://{host}:{port}"


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
    return state.keys.holder(secret.strip())


def _unrouted(state: State, schemes: tuple[str, ...]) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        try:
            _caller(state, request, schemes)
        except Problem as problem:
            return _refusal(problem)
        status = error.status_code if isinstance(error, HTTPException) else 500
        return _refusal(Problem(status, STATUS_PHRASES.get(status, "Bad request")))

    return answer


async def _broken(request: Request, error: Exception) -> Response:
    """What a caller is told of a mistake of ours; Starlette raises it once more, for `Tracing` to log."""
    return _refusal(Problem(500))


def _refusal(problem: Problem) -> Response:
    content, media = encode(problem.body)
    return Response(content, problem.status, problem.headers, media_type=media)
