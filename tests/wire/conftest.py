"""A server that answers what a test tells it to, byte by byte, and remembers what it was asked."""

import http.client
import json
import os
import socket
import socketserver
import struct
import threading
import time
from dataclasses import dataclass

import pytest

from svc_nb import service
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.client import Client
from svc_nb.wire.transport import Transport
from tests.toy import TOY


@dataclass
class Asked:
    method: str
    target: str
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Answering(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            while self.serve_one():
                pass
        except OSError:
            pass

    def serve_one(self):
        line = self.rfile.readline().decode("latin-1").split()
        if len(line) != 3:
            return False
        headers = {name.lower(): value for name, value in http.client.parse_headers(self.rfile).items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        answer = self.server.next_answer(Asked(line[0], line[1], headers, body))
        if callable(answer):
            return answer(self.connection)
        self.wfile.write(answer)
        return True


class Scripted(socketserver.ThreadingTCPServer):
    """Gives its `answers` in turn, the last one for ever: bytes, or a callable that is given the socket."""

    KEY = "3f1c9a52-key-of-the-tests:fx"
    ADMIN_KEY = "77aa01bc-key-of-the-administrator:adm"
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.lock = threading.Lock()
        self.asked = []
        self.answers = [self.answer()]
        self.connections = 0

    @property
    def port(self):
        return self.server_address[1]

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.port}"

    def get_request(self):
        self.connections += 1
        return super().get_request()

    def next_answer(self, asked):
        with self.lock:
            self.asked.append(asked)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @staticmethod
    def answer(status=200, body=b"{}", **headers):
        """An HTTP answer as bytes; names of headers are given with underscores."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Length": len(content), "X-Trace-ID": "trace-1"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in fields.items())]
        return "\r\n".join([*lines, "", ""]).encode() + content

    @staticmethod
    def reset(connection):
        """Break the connection off with RST."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        return False

    def signal(self, number):
        """Send this process a signal while the client waits for the answer, and hang."""

        def strike(connection):
            # Before the client is in its system call, the interpreter would see the signal only after the call.
            time.sleep(0.3)
            os.kill(os.getpid(), number)
            return self.hang(connection)

        return strike

    @staticmethod
    def hang(connection):
        """Say nothing until the other side gives up."""
        connection.recv(1)
        return False

    @staticmethod
    def cut(connection):
        """End in the middle of the body."""
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"text": "')
        return False

    @staticmethod
    def stall(connection):
        """Fall silent in the middle of the body."""
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"text": "')
        connection.recv(1)
        return False


@pytest.fixture
def scripted():
    with Scripted() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def waits():
    """The waits of the transport, which are noted and not slept."""
    return []


@pytest.fixture
def transport(scripted, waits):
    """Make a transport to the scripted server; settings and collaborators can be given."""
    made = []

    def make(*, sleep=waits.append, random=lambda: 0.5, **settings):
        keys = {"api_key": Secret(scripted.KEY), "admin_key": Secret(scripted.ADMIN_KEY)}
        complete = Settings(**{"base_url": scripted.base_url, **keys, **settings})
        made.append(Transport(complete, sleep=sleep, random=random))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def told(scripted, transport):
    """Make a client that gets the given objects as answers, in turn."""

    def make(*bodies, **settings):
        scripted.answers = [scripted.answer(200, body) for body in bodies] or scripted.answers
        return Client(transport(**settings))

    return make


@pytest.fixture
def running():
    """The embedded service in memory, with the translator that is installed everywhere."""
    with service.start(memory=True, translators=TOY) as started:
        yield started


@pytest.fixture
def connect(running):
    """Make clients of the embedded service, with its first keys or others."""
    made = []

    def connect(**settings):
        keys = {"api_key": Secret(running.api_key), "admin_key": Secret(running.admin_key)}
        made.append(Client(Transport(Settings(**{"base_url": running.base_url, **keys, **settings}))))
        return made[-1]

    yield connect
    for each in made:
        each.close()


@pytest.fixture
def client(connect):
    """A client of the embedded service that may do everything."""
    return connect()
