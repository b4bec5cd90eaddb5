"""The application: who may call, what is read, who does it, what is answered. Every answer is made here."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from . import openapi
from .keys import Key
from .operations import Call, Nothing, Operation, Operations
from .problems import STATUS_PHRASES, Problem
from .resources import OPERATIONS
from .state import State
from .wire import FORM, decode, encode, form_pairs, from_pairs, media_type, read_bytes

log = logging.getLogger("svc_nb.service")

SCHEME = "Service-Auth-Key"

Endpoint = Callable[[Request], Awaitable[Response]]


def build(state: State, *, schemes: tuple[str, ...] = (SCHEME,)) -> Starlette:
    """The service as an ASGI application; *schemes* are the words it takes before a key."""
    everything = Operations([*OPERATIONS, openapi.operation(OPERATIONS)])
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in everything:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes = [Route(path, _endpoint(state, methods, schemes)) for path, methods in by_path.items()]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _unrouted(state, schemes)})
    app.router.redirect_slashes = False
    return app


class _PathEndpoint:
    """All methods of one path; an instance, because Starlette takes a plain function for GET only."""

    def __init__(self, answer: Endpoint) -> None:
        self._answer = answer

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)


def _endpoint(state: State, methods: dict[str, Operation], schemes: tuple[str, ...]) -> _PathEndpoint:
    async def answer(request: Request) -> Response:
        try:
            key = _caller(state, request, schemes)
            operation = methods.get(request.method)
            if operation is None:
                raise Problem(405, detail=f"This path takes {', '.join(sorted(methods))}.")
            key.require(operation.scope)
            return await _perform(state, key, operation, request)
        except Problem as problem:
            return _refusal(problem)
        except sqlite3.OperationalError as error:
            return _refusal(Problem(503, "The service cannot use its database.", detail=str(error)))
        except Exception:
            log.exception("%s %s failed", request.method, request.scope["path"].encode("ascii", "replace"))
            return _refusal(Problem(500))

    return _PathEndpoint(answer)


async def _perform(state: State, key: Key, operation: Operation, request: Request) -> Response:
    body: Any = Nothing()
    if operation.body is not None:
        sent = media_type(request, operation.media)
        body = decode(await read_bytes(request, operation.limit), sent, operation.body)
    query = from_pairs(await _query_pairs(request, operation), operation.query)
    call = Call(state, key, body, query, request.path_params, request.headers)
    content, media = await run_in_threadpool(_do, operation, call)
    return Response(content, operation.status, media_type=media)


async def _query_pairs(request: Request, operation: Operation) -> list[tuple[str, str]]:
    """The query's fields; common clients of this API family send those of a GET as a form in its body."""
    pairs = request.query_params.multi_items()
    if operation.body is None and request.headers.get("content-type", "").startswith(FORM):
        pairs += form_pairs(await read_bytes(request, operation.limit))
    return pairs


def _do(operation: Operation, call: Call[Any, Any]) -> tuple[bytes, str | None]:
    answer = operation.do(call)
    return (b"", None) if operation.status == 204 else encode(answer)


def _caller(state: State, request: Request, schemes: tuple[str, ...]) -> Key:
    """The key that signs a request, or 401. One indexed look-up: cheaper here than in a thread of its own."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() not in {word.lower() for word in schemes} or not secret.strip():
        raise Problem(401, detail=f"Send the header 'Authorization: {schemes[0]} <key>'.")
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


def _refusal(problem: Problem) -> Response:
    content, media = encode(problem.body)
    return Response(content, problem.status, media_type=media)
