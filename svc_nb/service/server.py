"""The embedded service as a running thing: a loopback port, a thread, and the keys that open it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import threading
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from . import translators
from .app import SCHEME, build
from .database import Database
from .faults import Fault, Faults, Misbehaving
from .keys import new_secret
from .problems import ProblemBody
from .state import Account, State
from .tracing import Tracing, Traffic
from .wire import encode

HOST = "127.0.0.1"
GRACE_SECONDS = 5
BACKLOG = 2048


@dataclass(frozen=True, slots=True)
class Owner:
    """The two secrets an account starts with."""

    api_key: str
    admin_key: str


class Service:
    """A running embedded service. `base_url`, `api_key` and `admin_key` are all a client needs."""

    def __init__(
        self,
        *,
        memory: bool = False,
        folder: Path | str | None = None,
        port: int = 0,
        schemes: Sequence[str] = (SCHEME,),
        account: Account | None = None,
        engines: Sequence[str] | None = None,
        model_dir: Path | str | None = None,
        faults: Sequence[Fault] = (),
    ) -> None:
        self.folder = None if memory else Path(folder) if folder else default_folder()
        self.state = State(
            Database(self.folder and self.folder / "service.sqlite3"),
            translators.installed(engines, model_dir=Path(model_dir) if model_dir else None),
            account=account,
        )
        owner = _kept_owner(self.folder / "owner.json") if self.folder else _new_owner()
        self.api_key, self.admin_key = owner.api_key, owner.admin_key
        self._admit(owner)
        self.faults, self.traffic = Faults(), Traffic()
        for fault in faults:
            self.faults.add(fault)
        app = Tracing(Misbehaving(build(self.state, schemes=tuple(schemes)), self.faults), self.traffic)
        try:
            self._socket = _listen(port)
        except OSError:
            self.state.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        self.base_url = f"http://{HOST}:{self.port}"
        self._server = _server(app)
        self._thread: threading.Thread | None = None

    def __repr__(self) -> str:
        return f"<Service at {self.base_url}>"

    def __reduce__(self) -> str:
        raise TypeError("a running service cannot be pickled; send its base_url instead")

    def __enter__(self) -> Service:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> Service:
        """Serve from a thread of this process; returns when requests are taken."""
        started = threading.Event()
        self._server.on_started = started.set
        self._thread = threading.Thread(target=self._serve, name="svc_nb-service", daemon=True)
        self._thread.start()
        while not started.wait(0.05):
            if not self._thread.is_alive():
                raise RuntimeError("the embedded service ended while it was starting")
        return self

    def serve(self) -> None:
        """Serve from this thread until the process is told to end."""
        self._serve()
        self.stop()

    def stop(self) -> None:
        """Finish the requests under way, then end; a second call does nothing."""
        if self._thread is not None:
            self._server.should_exit = True
            self._thread.join()
            self._thread = None
        self._socket.close()
        self.state.close()

    def pairs(self) -> dict[tuple[str, str], str]:
        """Every language pair that a real translator offers here, with that translator's name."""
        return self.state.translators.pairs()

    def create_key(self, label: str | None = None, *, scopes: Collection[str] | None = None) -> str:
        """A new developer key's secret; with *scopes* it may do only what they cover."""
        secret = new_secret()
        self.state.keys.add(secret, moment=self.state.clock(), label=label, scopes=scopes)
        return secret

    def record_usage(
        self, api_key: str, product: str, units: int, *, moment: datetime, tag: str | None = None
    ) -> None:
        """Book use of the past, for samples and tests; caps are not asked."""
        key = self.state.keys.holder(api_key)
        self.state.ledger.record(key.key_id, product, units, moment=moment, tag=tag)

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def _admit(self, owner: Owner) -> None:
        moment = self.state.clock()
        self.state.keys.add(owner.api_key, moment=moment, label="Notebook")
        self.state.keys.add(owner.admin_key, moment=moment, label="Administrator", is_admin=True)


class _Server(uvicorn.Server):
    """Tells when it takes requests."""

    on_started: Any = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started and self.on_started:
            self.on_started()


class _Protocol(HttpToolsProtocol):
    """HTTP/1.1 that lends the connection to the faults and answers what is no HTTP as it answers everything."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}

    def send_400_response(self, msg: str) -> None:
        content, media = encode(ProblemBody("Bad request", detail=msg))
        head = (
            f"HTTP/1.1 400 Bad Request\r\ncontent-type: {media}\r\ncontent-length: {len(content)}\r\n"
            f"x-trace-id: {uuid.uuid4().hex}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + content)
        self.transport.close()


def default_folder() -> Path:
    """Where the account is kept when nothing else is said."""
    return Path(platformdirs.user_data_dir("svc_nb", appauthor=False)) / "service"


def _server(app: ASGIApp) -> _Server:
    config = uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return _Server(config)


def _listen(port: int) -> socket.socket:
    # The protocol is named because asyncio turns Nagle off, which costs 40 ms an answer, only where it is.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _new_owner() -> Owner:
    return Owner(new_secret(), new_secret(":adm"))


def _kept_owner(path: Path) -> Owner:
    """The account's first keys, from their file; of two kernels that start at once, the first to link wins."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        owner = _new_owner()
        content = json.dumps({"api_key": owner.api_key, "admin_key": owner.admin_key}).encode()
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return Owner(**json.loads(path.read_bytes()))
