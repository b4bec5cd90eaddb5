"""Connections over TLS and through proxies: they are reused there too, and the key stays inside."""

import base64
import select
import socket
import socketserver
import ssl
import threading

import pytest
import trustme

from svc_nb import errors

# This machine, but no loopback address: the environment's proxies and certificates count.
HOST = "0.0.0.0"


@pytest.fixture
def trusted(monkeypatch, tmp_path):
    """An authority that this machine trusts, and no proxy."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return authority


@pytest.fixture
def secured(scripted, trusted):
    """The scripted server behind TLS."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trusted.issue_cert(HOST).configure_cert(context)
    plain = scripted.get_request

    def get_request():
        connection, address = plain()
        return context.wrap_socket(connection, server_side=True), address

    scripted.get_request = get_request
    return scripted


class _Tunnel(socketserver.StreamRequestHandler):
    def handle(self):
        head = b"".join(iter(self.rfile.readline, b"\r\n"))
        self.server.heads.append(head)
        if b"Proxy-Authorization: Basic " + base64.b64encode(b"me:secret-word") not in head:
            self.wfile.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return
        host, _, port = head.split()[1].decode().rpartition(":")
        with socket.create_connection((host, int(port))) as other:
            self.wfile.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            pair = {self.connection: other, other: self.connection}
            while True:
                for ready in select.select(list(pair), [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    pair[ready].sendall(data)


@pytest.fixture
def tunnel():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Tunnel) as server:
        server.daemon_threads, server.heads = True, []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_connection_with_tls_is_kept(secured, transport):
    one = transport(base_url=f"https://{HOST}:{secured.port}", tries=1)
    for _ in range(3):
        assert one.request("POST", "/x", json={"text": ["ä" * 50_000]}).json() == {}
    assert secured.connections == 1
    assert secured.asked[0].headers["authorization"].endswith(secured.KEY)


def test_a_service_with_tls_is_reached_through_a_proxy_that_sees_no_key(secured, transport, tunnel, monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://me:secret-word@127.0.0.1:{tunnel.server_address[1]}")
    one = transport(base_url=f"https://{HOST}:{secured.port}", tries=1)
    for _ in range(2):
        assert one.request("POST", "/x", json={}).status == 200
    assert secured.asked[0].target == "/x"
    assert "proxy-authorization" not in secured.asked[0].headers
    assert len(tunnel.heads) == secured.connections == 1
    assert secured.KEY.encode() not in tunnel.heads[0]


def test_a_proxy_that_lets_nothing_through_is_reported_as_such(secured, transport, tunnel, monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{tunnel.server_address[1]}")
    with pytest.raises(errors.Unreachable, match="The proxy did not let the request through"):
        transport(base_url=f"https://{HOST}:{secured.port}", tries=1).request("GET", "/x")
    assert secured.asked == []


def test_a_proxy_without_tls_is_told_its_own_password_and_the_whole_address(scripted, transport, trusted, monkeypatch):
    monkeypatch.setenv("http_proxy", f"http://me:secret-word@127.0.0.1:{scripted.port}")
    one = transport(base_url="http://some.example", allow_http="some.example", tries=1)
    for _ in range(2):
        assert one.request("GET", "/x").status == 200
    assert scripted.asked[0].target == "http://some.example/x"
    assert scripted.asked[0].headers["host"] == "some.example"
    assert scripted.asked[0].headers["proxy-authorization"] == f"Basic {base64.b64encode(b'me:secret-word').decode()}"
    assert scripted.connections == 1
