"""The embedded service as a running thing: a loopback port, a thread, and the keys that open it."""

import asyncio
import contextlib
import json
import os
import secrets
import socket
import sqlite3
import threading
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from http import HTTPStatus
from pathlib import Path
from types import FrameType
from typing import Self, cast

import platformdirs
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from . import sample as sample_year
from . import translators as engines
from .answers import encode
from .app import OPERATIONS, SCHEME, Tracing, Traffic, build
from .database import Database
from .faults import Fault, Faults, Misbehaving
from .formats import UNREADABLE
from .keys import new_secret
from .operations import KIB, OperationNames
from .problems import STATUS_PHRASES, Problem, ProblemBody
from .state import Account, State
from .translators import Translator

HOST = "127.0.0.1"
GRACE_SECONDS = 5
BACKLOG = 2048
ACCEPTED_AT_ONCE = 64  # asyncio opens so many connections before it looks at the first
MOST_CONNECTIONS = 512
HEAD_LIMIT = 16 * KIB
HEAD_SECONDS = 10.0  # for the whole head of a request, the wait for its first byte included
PAUSE_SECONDS = 60.0  # between two pieces of a body, and between two requests of a caller with a key


class StartError(RuntimeError):
    """The service cannot start; the message says why, and what to do."""


class Service:
    """The embedded service; `svc_nb.service.start` makes one and says what the options mean.

    `base_url`, `api_key` and `admin_key` are all a client needs. `faults` makes it misbehave, `traffic` counts what
    came in, `folder` is where the account is kept and `keys_file` has its keys (None: in memory).
    `unreadable_documents` are kinds of documents that it cannot read, though others can, and why. *environ* has the
    keys of translators that are services.
    """

    unreadable_documents = UNREADABLE

    def __init__(
        self,
        *,
        memory: bool = False,
        folder: Path | str | None = None,
        port: int = 0,
        schemes: Sequence[str] = (SCHEME,),
        account: Account | None = None,
        translators: Sequence[str | Translator] | None = None,
        model_dir: Path | str | None = None,
        environ: Mapping[str, str] | None = None,
        faults: Sequence[Fault] = (),
        sample: bool = False,
    ) -> None:
        names = OperationNames(OPERATIONS)
        self.folder = None if memory else Path(folder) if folder else default_folder()
        account = account or Account()
        # Another file for a free account, whose key ends in another way: the two may share a folder.
        self.keys_file = self.folder and self.folder / ("owner_free.json" if account.free else "owner.json")
        self.traffic = Traffic()
        self.faults = Faults(names.all)
        with contextlib.ExitStack() as undo:
            self._socket = undo.enter_context(_listen(port))
            database = _open_database(self.folder)
            try:
                folder_of_models = Path(model_dir) if model_dir else None
                chosen = engines.installed(translators, model_dir=folder_of_models, environ=environ)
            except ValueError as error:
                raise StartError(str(error)) from error
            self.state = State(database, chosen, account=account)
            undo.callback(self.state.close)
            self.api_key, self.admin_key = self._own_keys()
            try:
                for fault in faults:
                    self.faults.add(fault)
            except ValueError as error:
                raise StartError(str(error)) from error
            if sample:
                self.add_sample()
            undo.pop_all()
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://{HOST}:{self.port}"
        app = build(self.state, schemes=tuple(schemes))
        config = uvicorn.Config(
            Tracing(Misbehaving(app, self.faults), self.traffic, names),
            http=_Protocol,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # what there is to say is said by `Tracing`
            access_log=False,
            server_header=False,
            timeout_keep_alive=int(PAUSE_SECONDS),
            backlog=ACCEPTED_AT_ONCE,
        )
        self._server = _Server(config)
        self._thread: threading.Thread | None = None

    def __repr__(self) -> str:
        return f"<Service at {self.base_url}>"

    def __reduce__(self) -> str:
        raise TypeError("a running service cannot be pickled; send its base_url instead")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Serve from a thread of this process; returns when requests are taken. A second call does nothing."""
        if self._thread is not None:
            return self
        started = threading.Event()
        self._server.on_started = started.set
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="svc_nb-service", daemon=True
        )
        self._thread.start()
        while not started.wait(0.05):
            if not self._thread.is_alive():
                raise StartError("the embedded service ended while it was starting")
        return self

    def serve(self, on_started: Callable[[], None]) -> None:
        """Serve from this thread until `end` is called or the process is told to end."""
        self._server.on_started = on_started
        self._server.run(sockets=[self._socket])
        self.stop()

    def end(self) -> None:
        """Ask the service to end; may be called from a signal handler."""
        self._server.end()

    def stop(self) -> None:
        """Finish the requests in progress, then end; a second call does nothing."""
        if self._thread is not None:
            self.end()
            self._thread.join()
            self._thread = None
        self._socket.close()
        self.state.close()

    def abandon(self) -> None:
        """Let go of port and files in a forked child, where the service does not run."""
        self._socket.close()
        self.state.database.abandon()

    def pairs(self) -> dict[tuple[str, str], str]:
        """Every language pair that a real translator offers here, with that translator's name."""
        return self.state.translators.pairs()

    def create_key(self, label: str | None = None, *, scopes: Collection[str] | None = None) -> str:
        """A new developer key's secret; with *scopes* it may do only what they cover."""
        secret = new_secret(self.state.account.key_suffix)
        self.state.keys.add(secret, moment=self.state.clock(), label=label, scopes=scopes)
        return secret

    def record_usage(self, api_key: str, product: str, units: int, *, moment: datetime, tag: str | None = None) -> None:
        """Book use of the past, for samples and tests; caps are not asked."""
        key = self.state.keys.holder(api_key)
        self.state.ledger.record(key.key_id, product, units, moment=moment, tag=tag)

    def add_sample(self, until: date | None = None) -> bool:
        """Add a year of invented use by twelve keys of a shop, to have something to count, plot and cap.

        It ends at noon of the UTC day *until*, by default today, and is the same for the same day; `sample.year` says
        what is in it. No one has the secrets of its keys. Returns False, and adds nothing, where the account already
        has such a year, of whatever end.
        """
        return sample_year.add(self.state.database, until or self.state.clock().astimezone(UTC).date())

    def _own_keys(self) -> tuple[str, str]:
        """The account's own two secrets, from their file if it has one; new ones where they have been deactivated."""
        path, suffix = self.keys_file, self.state.account.key_suffix
        new = new_secret(suffix), new_secret(":adm")
        own = new
        try:
            if path:
                if not path.exists():  # of two kernels that start at once, the first to link wins
                    draft = _write_privately(path, new)
                    with contextlib.suppress(FileExistsError):
                        os.link(draft, path)
                    draft.unlink()
                stored = json.loads(path.read_bytes())
                own = str(stored["api_key"]), str(stored["admin_key"])
        except (ValueError, TypeError, KeyError) as error:
            raise StartError(f"{path} does not hold the account's keys. Delete it to get new ones.") from error
        except OSError as error:
            raise StartError(f"{path} cannot be used: {error.strerror}") from error
        try:
            self._add_keys(*own)
        except Problem:
            own = new
            self._add_keys(*own)
            if path:
                _write_privately(path, own).replace(path)
        return own

    def _add_keys(self, api_key: str, admin_key: str) -> None:
        moment = self.state.clock()
        self.state.keys.add(api_key, moment=moment, label="Notebook")
        self.state.keys.add(admin_key, moment=moment, label="Administrator", is_admin=True)


class _Server(uvicorn.Server):
    """Tells when it takes requests, and ends at once when it is asked to: uvicorn sleeps 0.1 s at a time."""

    on_started: Callable[[], None] | None = None

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asked_to_end = asyncio.Event()

    def end(self) -> None:
        """Ask it to end, from any thread or signal handler."""
        self.should_exit = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended already
                self._loop.call_soon_threadsafe(self._asked_to_end.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets=sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # asyncio takes one number for this and for ACCEPTED_AT_ONCE
        if self.started and self.on_started:
            self.on_started()

    # This and `shutdown` replace uvicorn's own: compare them when uvicorn changes.
    async def main_loop(self) -> None:
        while not await self.on_tick(0):  # which keeps the Date header right
            for connection in list(self.server_state.connections):
                cast("_Protocol", connection).close_when_overdue()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked_to_end.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            # In Python 3.11 this fails when a connection goes in the middle of it; by then all that must be closed is.
            with contextlib.suppress(TypeError):
                server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        under_way = self.server_state
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                while (under_way.connections or under_way.tasks) and not self.force_exit:
                    await asyncio.sleep(0.001)
        for task in under_way.tasks:
            task.cancel()


class _Protocol(HttpToolsProtocol):
    """HTTP/1.1 that lends the connection to the faults, bounds what a caller may hold, and always answers in JSON.

    There are at most MOST_CONNECTIONS. Where one more comes, the one is closed that has waited longest without a
    request, of callers that have shown no key first: so no one without a key can keep out who has one.
    """

    _head = 0
    _in_head = False
    _heard = 0.0
    admitted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport, "connection": self}
        self._heard = self.loop.time()
        if len(self.connections) > most_connections():
            idle = [each for each in cast("set[_Protocol]", self.connections) if each.is_idle and each is not self]
            if idle:
                oldest = min(idle, key=lambda each: (each.admitted, each._heard))
                self.connections.discard(oldest)  # it counts no more, though it is closed a moment later
                oldest.transport.abort()
            else:
                self._refuse(503, "The service has no room for another connection.", "retry-after: 1\r\n")

    @property
    def is_idle(self) -> bool:
        """Whether no request with a whole head waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def close_when_overdue(self) -> None:
        """Close the connection if its caller has kept us waiting too long."""
        if self.is_idle:
            limit = PAUSE_SECONDS if self.admitted and not self._in_head else HEAD_SECONDS
        elif self.cycle.more_body:
            limit = PAUSE_SECONDS
        else:
            return
        if self.loop.time() - self._heard > limit and not self.transport.is_closing():
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        self._head += len(data) if self._in_head else 0
        if self._head > HEAD_LIMIT:
            self._refuse(400, "The head of the request is too large.")
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        self._head, self._in_head, self._heard = 0, True, self.loop.time()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head += len(name) + len(value)
        if self._head > HEAD_LIMIT:
            raise ValueError("the head of the request is too large")  # the parser turns it into a 400
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._head, self._in_head = 0, False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._heard = self.loop.time()
        super().on_body(body)

    def on_response_complete(self) -> None:
        self._heard = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _refuse(self, status: int, detail: str, header: str = "") -> None:
        content, media = encode(ProblemBody(STATUS_PHRASES[status], detail=detail))
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {media}\r\n"
            f"content-length: {len(content)}\r\n{header}x-trace-id: {uuid.uuid4().hex}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + content)
        self.transport.close()


def most_connections() -> int:
    """How many connections there may be: half of the files that this process may open are for other things."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 2)


def default_folder() -> Path:
    """Where the account is kept when nothing else is said."""
    return Path(platformdirs.user_data_dir("svc_nb", appauthor=False)) / "service"


def _listen(port: int) -> socket.socket:
    # The protocol is named because asyncio turns Nagle off, which costs 40 ms an answer, only where it is.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # on Windows it would let others listen on the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        raise StartError(f"port {port} cannot be had: {error}") from error
    return listener


def _open_database(folder: Path | None) -> Database:
    path = folder and folder / "service.sqlite3"
    try:
        return Database(path)
    except OSError as error:
        raise StartError(f"the folder {folder} cannot be used: {error.strerror}") from error
    except sqlite3.Error as error:
        raise StartError(f"{path} cannot be used: {error}. Move it away to start again.") from error


def _write_privately(path: Path, own: tuple[str, str]) -> Path:
    """Write the keys to a file beside *path* that only its owner can read; it is whole when this returns."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    content = json.dumps(dict(zip(("api_key", "admin_key"), own, strict=True))).encode()
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return draft
