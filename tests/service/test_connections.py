"""What a caller may hold: connections, heads and bodies; nobody without a key keeps out who has one."""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys

import pytest
import requests

from svc_nb.service import server
from tests.waiting import until

LIMITED = """
import resource, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
from svc_nb.service.__main__ import main
sys.exit(main(["--memory"]))
"""


@pytest.fixture
def dial(running):
    """Opens connections to `running`."""
    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(socket.create_connection(("127.0.0.1", running.port), timeout=30))


def is_closed(connection):
    """Whether the other side has closed it, and has said nothing that was not read."""
    if not select.select([connection], [], [], 0)[0]:
        return False
    with contextlib.suppress(ConnectionError):
        return connection.recv(1) == b""
    return True


def head(running, *more):
    lines = ("GET /v2/usage HTTP/1.1", "Host: x", f"Authorization: Service-Auth-Key {running.api_key}", *more)
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def answered(connection):
    """The status line of the next answer."""
    with connection.makefile("rb") as file:
        status, size = file.readline(), 0
        while (line := file.readline()) != b"\r\n":
            size = int(line[15:]) if line.lower().startswith(b"content-length:") else size
        file.read(size)
    return status


@pytest.mark.long
def test_a_flood_of_idle_connections_keeps_out_nobody_who_has_a_key():
    with subprocess.Popen([sys.executable, "-c", LIMITED], stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().split()[-1]
            key = process.stdout.readline().split()[4]
            port = int(address.rpartition(":")[2])
            with contextlib.ExitStack() as flood, requests.Session() as caller:
                caller.headers["Authorization"] = f"Service-Auth-Key {key}"
                assert caller.get(f"{address}/v2/usage", timeout=20).status_code == 200
                for number in range(600):
                    flood.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
                    if number % 100 == 99:
                        assert caller.get(f"{address}/v2/usage", timeout=20).status_code == 200
                sent = {"Authorization": f"Service-Auth-Key {key}", "Connection": "close"}
                assert requests.get(f"{address}/v2/usage", headers=sent, timeout=20).status_code == 200
        finally:
            process.kill()


def test_where_there_is_no_room_the_oldest_caller_without_a_key_goes(running, dial, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 4)
    known = dial()
    known.sendall(head(running))
    assert b" 200 " in answered(known)
    strangers = []
    for _ in range(5):
        strangers.append(dial())
        until(lambda: len(running._server.server_state.connections) == min(4, 1 + len(strangers)))
    until(lambda: is_closed(strangers[0]))
    until(lambda: is_closed(strangers[1]))
    assert not any(map(is_closed, [known, *strangers[2:]]))
    known.sendall(head(running))
    assert b" 200 " in answered(known)


def test_where_all_are_busy_one_more_is_told_so(running, dial, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 2)
    running.faults.add("hang", seconds=30)
    for _ in range(2):
        dial().sendall(head(running))
    until(lambda: running.traffic.in_flight == 2)
    assert b" 503 " in answered(dial())


@pytest.mark.long
@pytest.mark.parametrize("begun", [b"", b"GET /v2/us", b"\r\n"])
def test_who_sends_no_whole_head_is_closed(running, dial, monkeypatch, begun):
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.1)
    connection = dial()
    connection.sendall(begun)
    until(lambda: is_closed(connection))


@pytest.mark.long
def test_who_has_a_key_may_wait_between_requests_but_not_within_one(running, dial, monkeypatch):
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.1)
    kept, begun = dial(), dial()
    for each in (kept, begun):
        each.sendall(head(running))
        assert b" 200 " in answered(each)
    begun.sendall(b"GET /v2/us")
    until(lambda: is_closed(begun))
    assert not is_closed(kept)
    monkeypatch.setattr(server, "PAUSE_SECONDS", 0.1)
    stuck = dial()
    stuck.sendall(head(running, "Content-Length: 10", "Content-Type: application/x-www-form-urlencoded") + b"a=")
    until(lambda: is_closed(stuck))
    until(lambda: running.traffic.answered["GET /v2/usage", 499] == 1)
    until(lambda: is_closed(kept))
