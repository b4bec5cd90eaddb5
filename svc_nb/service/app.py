"""The application: who may call, what is read, who does it, what is answered. Every answer is made here."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from . import openapi
from .keys import Key
from .operations import KIB, Call, Nothing, Operation, Operations
from .problems import STATUS_PHRASES, Problem
from .resources import OPERATIONS
from .state import State
from .wire import FORM, JSON, decode, encode, form_pairs, from_pairs, media_type, read_bytes

SCHEME = "Service-Auth-Key"

GONE = 499  # the caller hung up; nobody reads this answer, the counters do
SMALL_FORM = 64 * KIB

Endpoint = Callable[[Request], Awaitable[Response]]


def build(state: State, *, schemes: tuple[str, ...] = (SCHEME,)) -> Starlette:
    """The service as an ASGI application; *schemes* are the words it takes before a key."""
    everything = Operations([*OPERATIONS, openapi.operation(OPERATIONS)])
    routes = [
        Route(path, _endpoint(state, methods, schemes)) for path, methods in everything.by_path().items()
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


def _endpoint(state: State, methods: dict[str, Operation], schemes: tuple[str, ...]) -> _PathEndpoint:
    allowed = ", ".join(sorted(methods))

    async def answer(request: Request) -> Response:
        try:
            key = _caller(state, request, schemes)
            operation = methods.get(request.method)
            if operation is None:
                raise Problem(405, detail=f"This path takes {allowed}.", headers={"Allow": allowed})
            key.require(operation.scope)
            return await _perform(state, key, operation, request)
        except Problem as problem:
            return _refusal(problem)
        except sqlite3.OperationalError as error:
            return _refusal(Problem(503, "The service cannot use its database.", detail=str(error)))
        except ClientDisconnect:
            return Response(status_code=GONE)

    return _PathEndpoint(answer)


async def _perform(state: State, key: Key, operation: Operation, request: Request) -> Response:
    body, media = b"", JSON
    if operation.body is not None:
        media = media_type(request, operation.media)
        body = await read_bytes(request, operation.limit)
    pairs = await _query_pairs(request, operation)

    def work() -> Response:
        asked = Nothing() if operation.body is None else decode(body, media, operation.body)
        query = from_pairs(pairs, operation.query)
        answer = operation.do(Call(state, key, asked, query, request.path_params, request.headers))
        if operation.status == 204:
            return Response(status_code=204)
        content, kind = encode(answer)
        return Response(content, operation.status, media_type=kind)

    return await run_in_threadpool(work)


async def _query_pairs(request: Request, operation: Operation) -> list[tuple[str, str]]:
    """The query's fields; common clients of this API family send those of a GET as a form in its body."""
    pairs = request.query_params.multi_items()
    if operation.body is None and request.headers.get("content-type", "").startswith(FORM):
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
