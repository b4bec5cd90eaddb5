"""A proxy before the service that spoils what passes, in every way that servers and networks were seen to.

A fault is a function of one exchange. It answers by itself, or asks the service and changes what came, and says whether
the connection stays open. What the service answered was billed, whatever reaches the client.
"""

import gzip
import http.client
import json
import socket
import socketserver
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping

TRANSLATE = "/v2/translate"
RESET = struct.pack("ii", 1, 0)
HTML = b"<html><body><h1>Sign in to the network</h1></body></html>"


class Exchange:
    """One request that came, and the connection to say something on."""

    def __init__(
        self, proxy: "Proxy", connection: socket.socket, head: http.client.HTTPMessage, line: str, body: bytes
    ):
        self.connection = connection
        self.method, self.target, _ = line.split()
        self.body = body
        self._proxy = proxy
        self._headers = {name: value for name, value in head.items() if name.lower() != "host"}

    def ask(self) -> tuple[int, bytes]:
        """What the service answers; its texts are counted as paid."""
        upstream = http.client.HTTPConnection("127.0.0.1", self._proxy.port_behind, timeout=60)
        try:
            upstream.request(self.method, self.target, self.body, self._headers)
            answer = upstream.getresponse()
            body = answer.read()
        finally:
            upstream.close()
        if answer.status == 200 and self.target == TRANSLATE:
            with self._proxy.lock:
                self._proxy.paid.update(json.loads(self.body)["text"])
        return answer.status, body

    def say(self, status: int | str, body: bytes, **headers: object) -> bool:
        """Answer; a header is left out where its value is None, and its underscores are hyphens."""
        fields = {"content_type": "application/json", "content_length": len(body), **headers}
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value is not None]
        head = "\r\n".join([f"HTTP/1.1 {status} X" if isinstance(status, int) else status, *lines, "", ""])
        self.connection.sendall(head.encode("latin-1") + body)
        return True


Fault = Callable[[Exchange], bool]


class Proxy(socketserver.ThreadingTCPServer):
    """Spoils the requests for translations that `hits` picks by their number, with `fault`; the others pass."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port_behind: int) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.port_behind = port_behind
        self.lock = threading.Lock()
        self.behave()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spoil(self, fault: Fault, hits: Callable[[int], bool]) -> None:
        """From now on *fault* happens to each request that *hits* picks; the counts start at zero."""
        self.behave()
        self._fault, self._hits = fault, hits

    def behave(self) -> None:
        """Let all pass; the counts start at zero."""
        self._fault: Fault | None = None
        self._hits: Callable[[int], bool] = lambda number: False
        self.requests = 0
        self.paid: Counter[str] = Counter()

    def fault_of(self, target: str) -> Fault | None:
        """The fault that the next request meets, if any."""
        if target != TRANSLATE:
            return None
        with self.lock:
            self.requests += 1
            return self._fault if self._hits(self.requests - 1) else None

    def handle_error(self, request: object, client_address: object) -> None:
        """The proxy ignores clients that went away."""


class _Talk(socketserver.StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        while self._serve_one():
            pass

    def _serve_one(self) -> bool:
        line = self.rfile.readline().decode("latin-1")
        if not line.strip():
            return False
        head = http.client.parse_headers(self.rfile)
        body = self.rfile.read(int(head.get("content-length", 0)))
        exchange = Exchange(self.server, self.connection, head, line, body)
        fault = self.server.fault_of(exchange.target)
        if fault:
            return fault(exchange)
        return exchange.say(*exchange.ask())


# ---- answers that the service knows nothing of


def says(status: int | str, body: bytes = b'{"message": "No"}', **headers: object) -> Fault:
    return lambda exchange: exchange.say(status, body, **headers)


def breaks_off(said: bytes = b"", *, reset: bool = False) -> Fault:
    def fault(exchange: Exchange) -> bool:
        exchange.connection.sendall(said)
        return _end(exchange, reset=reset)

    return fault


def hangs(seconds: float) -> Fault:
    def fault(exchange: Exchange) -> bool:
        time.sleep(seconds)
        return _end(exchange)

    return fault


STATUSES = (400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 417, 418, 421, 422, 425, 426)
MORE_STATUSES = (428, 429, 431, 451, 456, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 524, 529, 599)
UNREAD: dict[str, Fault] = {
    **{str(status): says(status) for status in STATUSES + MORE_STATUSES},
    **{
        f"{status}, Retry-After {said}": says(status, retry_after=said)
        for status in (429, 503, 529)
        for said in ("1", "3600", "Thu, 01 Jan 2035 00:00:00 GMT", "-5", "soon", "1e999")
    },
    **{f"{status} as a page": says(status, HTML, content_type="text/html") for status in (200, 403, 413, 502, 503)},
    "redirect to another host": says(302, b"", location="http://127.0.0.1:9/v2/translate"),
    "redirect for ever": says(307, b"", location=TRANSLATE),
    "not modified": says(304, b"", content_length=None),
    "no content": says(204, b"", content_length=None),
    "empty": says(200, b""),
    "null": says(200, b"null"),
    "a list": says(200, b"[]"),
    "a number": says(200, b"7"),
    "another object": says(200, b'{"ok": true}'),
    "results that are no list": says(200, b'{"translations": {"text": "x"}}'),
    "deeply nested": says(200, b"[" * 100_000),
    "status line of no server": says("BREW 200 coffee", b""),
    "status 99": says(99, b""),
    "switching protocols": says("HTTP/1.1 101 Switching", b""),
    "another protocol": breaks_off(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a TLS alert": breaks_off(bytes.fromhex("15030300020246")),
    "nothing and the end": breaks_off(),
    "reset": breaks_off(reset=True),
    "half a head": breaks_off(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "a head without end": breaks_off(b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 200_000),
    "a line without end": breaks_off(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 3_000_000),
    "hang": hangs(6),
}


# ---- what the service answered and billed, spoiled on the way


def changed(change: Callable[[bytes], bytes], **headers: object) -> Fault:
    def fault(exchange: Exchange) -> bool:
        status, body = exchange.ask()
        return exchange.say(status, change(body), **headers)

    return fault


def results(change: Callable[[list[dict[str, object]]], object]) -> Fault:
    """Change the list of translations."""

    def of_body(body: bytes) -> bytes:
        answer = json.loads(body)
        answer["translations"] = change(answer["translations"])
        return json.dumps(answer).encode()

    return changed(of_body)


def sent_as(raw: Callable[[bytes], bytes], *, keep: bool = False, reset: bool = False) -> Fault:
    """Send the bytes that *raw* makes of the answer's body, head and all."""

    def fault(exchange: Exchange) -> bool:
        _, body = exchange.ask()
        exchange.connection.sendall(raw(body))
        return keep or _end(exchange, reset=reset)

    return fault


def late(exchange: Exchange) -> bool:
    """Answer when the client has long gone."""
    status, body = exchange.ask()
    time.sleep(6)
    return exchange.say(status, body)


def twice(exchange: Exchange) -> bool:
    """Send the answer, and a moment later once more: it would be taken for that to the next request."""
    status, body = exchange.ask()
    exchange.say(status, body)
    time.sleep(0.02)
    return exchange.say(status, body)


def _end(exchange: Exchange, *, reset: bool = False) -> bool:
    if reset:
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        exchange.connection.close()
    return False


def _head(length: object, *more: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length}", *more, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _chunks(body: bytes, size: int = 700) -> bytes:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

BILLED: dict[str, Fault] = {
    "half of the JSON": changed(lambda body: body[: len(body) // 2]),
    "half of the bytes": sent_as(lambda body: _head(len(body)) + body[: len(body) // 2]),
    "half of the bytes and a reset": sent_as(lambda body: _head(len(body)) + body[: len(body) // 2], reset=True),
    "a length too short": sent_as(lambda body: _head(len(body) - 9) + body, keep=True),
    "a length that is negative": sent_as(lambda body: _head(-1) + body),
    "a length that is no number": sent_as(lambda body: _head("many") + body),
    "two lengths": sent_as(lambda body: _head(len(body), "Content-Length: 7") + body),
    "reset before the answer": sent_as(lambda body: b"", reset=True),
    "the end before the answer": sent_as(lambda body: b""),
    "one result too few": results(lambda found: found[:-1]),
    "one result too many": results(lambda found: [*found, found[-1]]),
    "no results": results(lambda found: []),
    "results as null": results(lambda found: None),
    "a result as null": results(lambda found: [None, *found[1:]]),
    "a text as null": results(lambda found: [{**found[0], "text": None}, *found[1:]]),
    "a text as a number": results(lambda found: [{**found[0], "text": 7}, *found[1:]]),
    "a result without its text": results(lambda found: [{}, *found[1:]]),
    "another name": changed(lambda body: body.replace(b'"translations"', b'"results"')),
    "UTF-16": changed(lambda body: body.decode().encode("utf-16")),
    "not UTF-8": changed(lambda body: body.replace(b"number", b"n\xfcmber")),
    "said to be gzip and is not": changed(lambda body: body, content_encoding="gzip"),
    "gzip that breaks off": changed(lambda body: gzip.compress(body)[:-20], content_encoding="gzip"),
    "an encoding that nobody knows": changed(lambda body: body, content_encoding="rot13"),
    "chunks that break off": sent_as(lambda body: CHUNKED + _chunks(body)[:-50]),
    "chunks without their end": sent_as(lambda body: CHUNKED + _chunks(body)),
    "a chunk of no size": sent_as(lambda body: CHUNKED + b"x" + _chunks(body) + b"0\r\n\r\n"),
    "a chunk of a vast size": sent_as(lambda body: CHUNKED + b"f" * 17 + b"\r\n" + body),
    "a line of the head without a colon": sent_as(lambda body: _head(len(body), "what is this") + body),
    "late": late,
    "twice": twice,
}

# Answers that look odd but are not faults: they must cost nothing.
HARMLESS: dict[str, Fault] = {
    "103 Early Hints": sent_as(
        lambda body: b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + _head(len(body)) + body, keep=True
    ),
    "100 Continue": sent_as(lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" + _head(len(body)) + body, keep=True),
    "102 Processing, twice": sent_as(
        lambda body: b"HTTP/1.1 102 Processing\r\n\r\n" * 2 + _head(len(body)) + body, keep=True
    ),
    "chunked": sent_as(lambda body: CHUNKED + _chunks(body) + b"0\r\n\r\n", keep=True),
    "chunked with a trailer": sent_as(lambda body: CHUNKED + _chunks(body) + b"0\r\nX-Sum: 1\r\n\r\n", keep=True),
    "no length and the end": sent_as(lambda body: b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body),
    "HTTP/1.0": sent_as(lambda body: b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body),
    "gzip": changed(gzip.compress, content_encoding="gzip"),
    "deflate": changed(zlib.compress, content_encoding="deflate"),
    "said to be plain text": changed(lambda body: body, content_type="text/plain"),
    "a BOM": changed(lambda body: b"\xef\xbb\xbf" + body),
    "white space around": changed(lambda body: b"\r\n " + body + b"\n\n"),
    "more fields": results(lambda found: [{**each, "new": {"deep": [1]}} for each in found]),
    "in pieces": sent_as(lambda body: _head(len(body)) + body, keep=True),
}


SCHEDULES: Mapping[str, Callable[[int], bool]] = {
    "always": lambda number: True,
    "every third": lambda number: number % 3 == 1,
    "from the fifth on": lambda number: number >= 4,
    "a burst": lambda number: 2 <= number < 7,
}
SLOW = ("hang", "late")  # seconds
PASSING = ("every third", "a burst")  # others are answered in the meantime, or soon
