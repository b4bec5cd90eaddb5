"""`svc-nb` in this process, as a person calls it, against the embedded service."""

from __future__ import annotations

import io
import os
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from svc_nb.cli import main
from svc_nb.session import Session, open_store
from svc_nb.settings import Settings
from tests.toy import TOY


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """What was said on stderr, which is one line."""
        assert self.err.startswith("svc-nb: ")
        assert self.err.count("\n") == 1
        return self.err


class Shell:
    """Calls commands one after the other."""

    def __init__(self, capture, monkeypatch) -> None:
        self._capture = capture
        self._monkeypatch = monkeypatch

    def __call__(self, *words: object, stdin: bytes = b"") -> Ended:
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self._capture.readouterr()
        code = main([str(word) for word in words])
        out, err = self._capture.readouterr()
        return Ended(code, out, err)


@pytest.fixture
def revoked(running) -> str:
    """A key that was good once."""
    key = running.create_key("Gone")
    session = Session.embedded(running)
    (key_id,) = (each.key_id for each in list(session.admin.keys()) if each.label == "Gone")
    session.admin.deactivate_key(key_id)
    session.close()
    return key


@pytest.fixture
def nothing(tmp_path, monkeypatch):
    """The environment of a person who has set nothing, in an empty folder."""
    for name in [name for name in os.environ if name.startswith("SVC_") and name != "SVC_STORE"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.fixture
def environ(nothing, running):
    """The environment of a person who has an account with `running`."""
    nothing.setenv("SVC_BASE_URL", running.base_url)
    nothing.setenv("SVC_API_KEY", running.api_key)
    nothing.setenv("SVC_ADMIN_KEY", running.admin_key)
    nothing.setenv("SVC_FIRST_WAIT", "0.01")
    return nothing


@pytest.fixture
def bare(nothing, capsys):
    """Calls `svc-nb` where nothing is set, to see that it comes to no service."""
    nothing.setenv("SVC_BASE_URL", "https://service.invalid")
    return Shell(capsys, nothing)


@pytest.fixture
def shell(environ, capsys):
    """Calls `svc-nb` as who has an account."""
    store = os.environ["SVC_STORE"]
    yield Shell(capsys, environ)
    open_store(Settings(store=store)).close()


@pytest.fixture(scope="session")
def ending():
    """Ends services while the next test runs; what goes wrong in it is known at the end of all."""
    with ThreadPoolExecutor(1) as pool:
        under_way: list[Future[None]] = []
        yield lambda started: under_way.append(pool.submit(started.stop))
        for each in under_way:
            each.result()


@pytest.fixture
def running(ending):
    """A service whose answers are told from the texts at a glance: they are only marked."""
    from svc_nb import service

    started = service.start(memory=True, translators=TOY)
    yield started
    ending(started)


class Page(BaseHTTPRequestHandler):
    """Answers with a web page, whatever is asked."""

    def do_GET(self) -> None:
        body = b"<html><title>Please log in</title></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *ignored) -> None:
        """Say nothing."""


@pytest.fixture
def page():
    """The address of something that answers everything with a web page, as the proxy of a hotel does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
