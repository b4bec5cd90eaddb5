"""The connections to one address: opened, lent to one request at a time, kept as long as they can be trusted.

`requests` finds the proxy and certificates and urllib3 connects. Data is then sent and read over the bare socket, which
takes half the time of these libraries. A connection is reused only if the previous answer was complete, nothing came
after it, and no one has reported it as wrong.
"""

import logging
import ssl
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException
from queue import SimpleQueue
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, NewConnectionError, ProxyError
from urllib3.exceptions import TimeoutError as TimeoutError_
from urllib3.util import parse_url, wait_for_read
from urllib3.util.proxy import connection_requires_http_tunnel

from svc_nb.advice import Advice, Setting
from svc_nb.errors import BadReply, NotConnected, SvcError, TimedOut, Unreachable, Untrusted, from_reply, one_line
from svc_nb.settings import Settings
from svc_nb.wire.answer import MIB, PIECE, Answer, Broken
from svc_nb.wire.connection import Reply, Request, version

# How much of a refusal is read at most.
LONGEST_REFUSAL = 64 * 1024
# The largest answers: to a request with a body, to one without, and as a file.
LARGEST_ANSWER = 8 * MIB
LARGEST_LISTING = 64 * MIB
LARGEST_FILE = 2048 * MIB
SLOWEST = 16 * 1024  # bytes per second: a large answer may take longer
ALLOW_MORE = Advice("Try again, or allow more time ({}).", Setting("answer_timeout"))
LOG = logging.getLogger(__name__)


class _Cut(Broken):
    """The other side has stopped reading."""


class Connection:
    """One socket connected to *host*, for one request at a time."""

    def __init__(self, sock: Any, settings: Settings, host: str) -> None:
        self.trusted = True
        self._socket = sock
        self._host = host
        self._read_timeout = settings.read_timeout
        self._answer_timeout = max(settings.answer_timeout, settings.read_timeout)
        self._allowed = 0.0
        self._due = 0.0
        self._received = 0

    @property
    def is_silent(self) -> bool:
        """Whether nothing has arrived since the last answer; unrequested data, or the end, makes it useless."""
        return not wait_for_read(self._socket, timeout=0) and not getattr(self._socket, "pending", int)()

    def send(self, head: bytes, request: Request) -> Answer:
        """Send *request*, and return its answer as soon as the head is complete."""
        self._allow(self._read_timeout)
        body = request.body
        try:
            if body is None or isinstance(body, bytes):
                self._write(head + (body or b""))
            else:
                self._write(head)
                for piece in body:
                    self._write(piece)
        except _Cut:
            self.trusted = False  # it may have answered before reading everything
        self._due = time.monotonic() + self._answer_timeout
        self._received = 0
        most = LARGEST_FILE if request.sink else LARGEST_LISTING if body is None else LARGEST_ANSWER
        return Answer(self._receive, most=most)

    def close(self) -> None:
        """Close it; a second call does nothing."""
        self._socket.close()

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as problem:
            # Distinguished from errors in reading or writing a local file.
            kind = _Cut if isinstance(problem, BrokenPipeError | ConnectionResetError) else Broken
            raise kind(problem) from None

    def _receive(self) -> bytes:
        left = self._due + self._received / SLOWEST - time.monotonic()
        self._allow(max(0.001, min(self._read_timeout, left)))
        try:
            data: bytes = self._socket.recv(PIECE)
        except OSError as problem:
            if left < self._read_timeout and isinstance(problem, TimeoutError):
                late = TimedOut(f"The answer of {self._host} was not complete within {self._answer_timeout:g} s")
                late.advice = ALLOW_MORE  # type: ignore[misc]
                raise late from None
            raise Broken(problem) from None
        self._received += len(data)
        return data

    def _allow(self, seconds: float) -> None:
        if seconds != self._allowed:  # a system call
            self._socket.settimeout(seconds)
            self._allowed = seconds


class Pool:
    """Connections to *address*, at most as many as the settings allow."""

    def __init__(self, session: requests.Session, settings: Settings, address: str) -> None:
        self._settings = settings
        asked = requests.Request("POST", address).prepare()
        means = session.merge_environment_settings(address, {}, False, None, None)
        adapter = session.get_adapter(address)
        if not isinstance(adapter, HTTPAdapter):
            raise TypeError("expected an HTTPAdapter")
        maker: Any = adapter.get_connection_with_tls_context(
            asked, verify=means["verify"], proxies=means["proxies"], cert=means["cert"]
        )
        self._maker = maker
        parts = urlsplit(address)
        self._host = parts.netloc
        self._tunnel = connection_requires_http_tunnel(maker.proxy, maker.proxy_config, parts.scheme)
        # Through a proxy and without TLS, the proxy needs the host in the address.
        whole = adapter.request_url(asked, means["proxies"]).startswith("http")
        self._skip = 0 if whole else len(f"{parts.scheme}://{parts.netloc}")
        fixed = {"Host": parts.netloc, "User-Agent": f"svc-nb/{version()}", "Accept-Encoding": "gzip"}
        self._fixed: Mapping[str, str] = fixed if self._tunnel else {**fixed, **maker.proxy_headers}
        self._idle: deque[Connection] = deque()
        self._places: SimpleQueue[None] = SimpleQueue()
        for _ in range(settings.pool_size):
            self._places.put(None)
        self._closed = False
        weakref.finalize(self, _close_idle, self._idle)  # no one needs to close it

    def send(self, request: Request) -> Reply | SvcError:
        """Send *request* once; return its answer or the corresponding error, or raise what prevented an answer."""
        head = self._head(request)
        connection = None
        self._places.get()
        try:
            connection = self._usable() or self._opened()
            answer = connection.send(head, request)
            LOG.debug("%s to %s: %d", request.method, self._host, answer.status)
            outcome = self._outcome(request, answer, connection)
            connection.trusted &= answer.leaves_connection_usable and not isinstance(outcome, BadReply)
            if connection.trusted and not self._closed:
                self._idle.append(connection)
                connection = None
            if self._closed:
                _close_idle(self._idle)
            return outcome
        finally:
            if connection:
                connection.close()
            self._places.put(None)

    def distrust(self, connection: Connection) -> None:
        """Stop using *connection*, because its answer cannot be right."""
        connection.trusted = False
        try:
            self._idle.remove(connection)
        except ValueError:
            return  # it is serving another request by now, and is closed after that
        connection.close()

    def close(self) -> None:
        """Close the idle connections; the others close after their answers."""
        self._closed = True
        _close_idle(self._idle)

    def _usable(self) -> Connection | None:
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if connection.trusted and connection.is_silent:
                    return connection
                connection.close()
        return None

    def _opened(self) -> Connection:
        made = self._maker._new_conn()
        made.timeout = self._settings.connect_timeout
        try:
            if self._tunnel:
                self._maker._prepare_proxy(made)
            else:
                made.connect()
        except (OSError, HTTPError, HTTPException) as problem:
            made.close()
            lost = made.proxy and not made.has_connected_to_proxy
            raise Broken(ProxyError("Cannot connect through the proxy", problem) if lost else problem) from None
        return Connection(made.sock, self._settings, self._host)

    def _head(self, request: Request) -> bytes:
        headers = {**self._fixed, **request.headers}
        if isinstance(request.body, bytes) or (request.body is None and request.method not in ("GET", "DELETE")):
            headers["Content-Length"] = str(len(request.body or b""))
        target = request.url[self._skip :]
        if request.authorization:
            headers["Authorization"] = request.authorization.reveal()
        else:  # the service created that address
            signed = parse_url(request.url)
            target = signed.request_uri if self._skip else signed._replace(fragment=None).url
        lines = [f"{request.method} {target or '/'} HTTP/1.1", *(f"{name}: {said}" for name, said in headers.items())]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1")

    def _outcome(self, request: Request, answer: Answer, connection: Connection) -> Reply | SvcError:
        """The answer, read into the sink if there is one; or the corresponding error."""
        head, sink = answer.headers, request.sink
        if not 200 <= answer.status <= 299:
            return from_reply(answer.status, _beginning(answer), head, hide=request.hide)
        if sink and not sink.page and head.get("content-type", "").lower().startswith("text/html"):
            return BadReply("Expected a file, found a web page", status=answer.status)
        if sink:
            length = None if head.get("content-encoding", "identity").lower() != "identity" else answer.length
            content = str(sink.take(answer.pieces(), length)).encode()
        else:
            content = b"".join(answer.pieces())
        trace_id = head.get("x-trace-id", "")
        shown = one_line(request.hide(trace_id)) or None if trace_id else None
        return Reply(answer.status, head, content, shown, lambda: self.distrust(connection))


def failure(problem: Exception, host: str, *, connect: float, read: float) -> SvcError:
    """Return the error of a request to *host* that got no answer."""
    causes = list(_causes(problem))
    if any(
        isinstance(cause, TimeoutError | TimeoutError_)
        # urllib3 counts a connection that could not be made as a time-out, whatever the reason.
        and not isinstance(cause, NewConnectionError)
        for cause in causes
    ):
        return TimedOut(f"No answer from {host} within {connect:g} s to connect and {read:g} s to answer")
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Untrusted(f"{host} has no certificate that this machine trusts for it")
    if any(isinstance(cause, ProxyError) for cause in causes):
        return Unreachable(f"The proxy did not let the request through to {host}")
    reasons = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
    kind = NotConnected if any(isinstance(cause, NewConnectionError) for cause in causes) else Unreachable
    return kind(f"No answer from {host}", detail=reasons[-1] if reasons else "the connection broke")


def new_session(settings: Settings) -> requests.Session:
    """A session that finds the proxy and certificates."""
    session = requests.Session()
    # A proxy cannot reach this machine's own loopback.
    session.trust_env = not settings.is_loopback
    return session


def _close_idle(connections: deque[Connection]) -> None:
    with suppress(IndexError):  # another thread may take the last one
        while True:
            connections.pop().close()


def _beginning(answer: Answer) -> bytes:
    """The beginning of a refusal's body, if it can be read."""
    content = b""
    with suppress(BadReply, Broken, TimedOut):  # its status is enough
        for piece in answer.pieces():
            content += piece
            if len(content) >= LONGEST_REFUSAL:
                break
    return content[:LONGEST_REFUSAL]


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield *problem* and what it was made from, outermost first; urllib3 hides causes in its arguments."""
    seen: set[int] = set()
    waiting: list[Any] = [problem]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]
