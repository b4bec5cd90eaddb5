"""Answers on their way to a caller: JSON, text, and files, which are known to have arrived or not."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .problems import Problem

JSON = "application/json"
TSV = "text/tab-separated-values"

A = TypeVar("A")


class PlainText(msgspec.Struct):
    """An answer that is text, not JSON."""

    text: str
    media: str


@dataclass(frozen=True, slots=True)
class FullAnswer(Generic[A]):
    """An answer with more than its operation's usual status: another one, or headers."""

    answer: A
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file: *sent* is called when a caller has taken all of it, *ended* last, in any case."""

    pieces: Iterable[bytes]
    media: str = "application/octet-stream"
    size: int | None = None
    name: str = ""
    sent: Callable[[], None] | None = None
    ended: Callable[[], None] | None = None


def encode(answer: Any) -> tuple[bytes, str]:
    """An answer's bytes and media type."""
    if isinstance(answer, PlainText):
        return answer.text.encode(), f"{answer.media}; charset=utf-8"
    return msgspec.json.encode(answer), JSON


def refusal(problem: Problem) -> Response:
    """The answer that tells a caller of a problem."""
    content, media = encode(problem.body)
    return Response(content, problem.status, problem.headers, media_type=media)


class PendingBilling:
    """What is still to be billed of files that were handed over; new requests wait, so that they find it noted."""

    def __init__(self) -> None:
        self._open: set[asyncio.Future[None]] = set()

    @contextlib.contextmanager
    def entry(self) -> Iterator[None]:
        """Be pending while the block runs; it begins in the same breath as the last byte was written."""
        done = asyncio.get_running_loop().create_future()
        self._open.add(done)
        try:
            yield
        finally:
            self._open.discard(done)
            done.set_result(None)

    async def settled(self) -> None:
        """Wait until all is noted that was pending when this was called."""
        if self._open:
            await asyncio.wait(set(self._open))


class FileResponse(Response):
    """Sends a `File`; its *sent* and *ended* are called as the file says, *pending* in the meantime."""

    def __init__(self, file: File, status: int, pending: PendingBilling) -> None:
        super().__init__(status_code=status)
        self._file = file
        self._pending = pending
        del self.headers["content-length"]
        self.headers["content-type"] = file.media  # as it is: what a file's letters are, only the file knows
        if file.size is not None:
            self.headers["content-length"] = str(file.size)
        if file.name:
            self.headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; when the caller hangs up, no more of it is read."""
        gone = asyncio.create_task(disconnected(receive))
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            whole = await self._handed_over(scope["state"]["transport"], send, gone)
            with self._pending.entry():
                await run_in_threadpool(self._end, whole=whole)
            if whole:
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            await run_in_threadpool(self._end, whole=False)

    def _end(self, *, whole: bool) -> None:
        """Tell the file how it ended, the first time this is called."""
        file, self._file = self._file, File(())
        try:
            if whole and file.sent is not None:
                file.sent()
        finally:
            if file.ended is not None:
                file.ended()

    async def _handed_over(self, transport: asyncio.Transport, send: Send, gone: asyncio.Task[None]) -> bool:
        """Write every piece; True when the system has taken the last byte and the connection still stands.

        With no room in the transport's buffer each `send` waits until the one before was taken. Between the last byte
        and the look at the connection nothing else can run: a caller who closes as soon as all has come is no
        caller who hung up.
        """
        transport.set_write_buffer_limits(0)
        pieces = iter(self._file.pieces)
        try:
            piece = await run_in_threadpool(next, pieces, None)
            while piece is not None and not gone.done():
                following = await run_in_threadpool(next, pieces, None)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = following
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            return piece is None and not transport.is_closing()
        finally:
            close: Callable[[], None] | None = getattr(pieces, "close", None)
            # A generator that a thread is still in, because the service ends, closes by itself.
            with contextlib.suppress(ValueError):
                if close is not None:
                    close()
            transport.set_write_buffer_limits()


async def disconnected(receive: Receive) -> None:
    """Wait until the caller has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
