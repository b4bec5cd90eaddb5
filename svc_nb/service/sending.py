"""A file on its way to a caller: piece by piece, as fast as it is taken, and known to have arrived or not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .wire import File

NOTHING = File(())


class Books:
    """What is still to be written down of files that have been handed over; new requests wait for it.

    A caller has the last byte before anything can be noted of it. Whoever asks next has to find it noted.
    """

    def __init__(self) -> None:
        self._open: set[asyncio.Future[None]] = set()

    @contextlib.contextmanager
    def entry(self) -> Iterator[None]:
        """Keep the books open while the block runs; it begins in the same breath as the last byte was written."""
        done = asyncio.get_running_loop().create_future()
        self._open.add(done)
        try:
            yield
        finally:
            self._open.discard(done)
            done.set_result(None)

    async def closed(self) -> None:
        """Wait until all is written down that was open when this was called."""
        if self._open:
            await asyncio.wait(set(self._open))


class FileResponse(Response):
    """Sends a `File`; its *sent* and *ended* are called as the file says, and *books* are open meanwhile."""

    def __init__(self, file: File, status: int, books: Books) -> None:
        super().__init__(status_code=status)
        self._file = file
        self._books = books
        del self.headers["content-length"]
        self.headers["content-type"] = file.media  # as it is: what a file's letters are, only the file knows
        if file.size is not None:
            self.headers["content-length"] = str(file.size)
        if file.name:
            self.headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; when the caller hangs up, no more of it is read."""
        gone = asyncio.create_task(_gone(receive))
        try:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            whole = await self._handed_over(scope["state"]["transport"], send, gone)
            with self._books.entry():
                await run_in_threadpool(self._end, whole=whole)
            if whole:
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            await run_in_threadpool(self._end, whole=False)

    def _end(self, *, whole: bool) -> None:
        """Tell the file how it ended, the first time this is called."""
        file, self._file = self._file, NOTHING
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
            _close(pieces)
            transport.set_write_buffer_limits()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _close(pieces: Iterator[bytes]) -> None:
    """Close a generator; one that a thread is still in, because the service ends, closes by itself."""
    close: Callable[[], None] | None = getattr(pieces, "close", None)
    if close is not None:
        with contextlib.suppress(ValueError):
            close()
