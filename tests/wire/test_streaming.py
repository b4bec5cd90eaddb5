import email
import email.policy
import hashlib
import subprocess
import sys
import threading

import pytest

from svc_nb import errors
from svc_nb.secret import Secret
from svc_nb.wire.connection import Sink

CONTENT = bytes(range(256)) * 1000
TOKEN = "0123456789abcdef-token-of-the-upload"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a file.bin"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def signed(scripted):
    """A signed address on the service's own host."""
    return Secret(f"{scripted.base_url}/signed/{TOKEN}?signature=s3cr3t-signature&short=1")


def parts_of(asked):
    """The parts of a form, by name: the name of the file, and the content."""
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + asked.body, policy=email.policy.HTTP)
    assert message.is_multipart()
    assert not message.defects
    parts = [(part.get_param("name", header="content-disposition"), part) for part in message.iter_parts()]
    return [(name, part.get_filename(), part.get_payload(decode=True)) for name, part in parts]


# ---- a file on its way out


def test_who_is_told_of_the_progress_may_ask_the_service_something_else(scripted, transport, file):
    one, told = transport(), []

    def ask(count):
        told.append(one.request("GET", "/v2/usage").status)

    assert one.post_file("/v2/document", file, name="a.bin", fields={}, on_bytes=ask).status == 200
    assert set(told) == {200}


def test_a_form_carries_its_fields_and_the_file(scripted, transport, file):
    fields = {"target_lang": "DE", "name": "Grüße", "none": None, "ids": ["a", "b"], "yes": True}
    reply = transport().post_file("/v2/document", file, name="Grüße.bin", fields=fields)
    (asked,) = scripted.asked
    assert reply.status == 200
    assert asked.headers["content-length"] == str(len(asked.body))
    assert asked.headers["authorization"] == f"Service-Auth-Key {scripted.KEY}"
    assert [(name, content.decode()) for name, _, content in parts_of(asked)[:-1]] == [
        ("target_lang", "DE"),
        ("name", "Grüße"),
        ("ids", "a"),
        ("ids", "b"),
        ("yes", "true"),
    ]
    assert parts_of(asked)[-1][0] == "file"
    assert parts_of(asked)[-1][2] == CONTENT


@pytest.mark.parametrize("name", ['a"b.txt', "a\r\nX-Evil: 1\r\n\r\n.txt", "a\\b.txt", "../../a.txt"])
def test_a_file_name_cannot_smuggle_a_header(scripted, transport, file, name):
    transport().post_file("/v2/document", file, name=name, fields={})
    head = scripted.asked[0].body.split(CONTENT)[0]
    assert head.count(b"\r\n") == 4
    assert len(parts_of(scripted.asked[0])) == 1


def test_a_file_is_read_again_for_each_try(scripted, transport, file):
    scripted.answers = [scripted.answer(503), scripted.reset, scripted.answer()]
    transport().post_file("/v2/document", file, name="a.bin", fields={})
    assert [parts_of(asked)[0][2] for asked in scripted.asked] == [CONTENT] * 3


def test_an_empty_file_is_sent(scripted, transport, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    transport().post_file("/v2/document", tmp_path / "empty", name="empty.txt", fields={})
    assert parts_of(scripted.asked[0])[0][2] == b""


def test_a_file_whose_content_is_another_is_not_sent_to_its_end(scripted, transport, file):
    right, wrong = (hashlib.sha256(each).hexdigest() for each in (CONTENT, CONTENT[::-1]))
    transport().post_file("/v2/document", file, name="a.bin", fields={}, digest=right)
    with pytest.raises(errors.Unsendable, match="changed"):
        transport().post_file("/v2/document", file, name="a.bin", fields={}, digest=wrong)
    whole, *rest = scripted.asked
    assert all(len(asked.body) < len(whole.body) for asked in rest)


@pytest.mark.parametrize("change", [b"", CONTENT * 2], ids=["shorter", "longer"])
def test_a_file_that_changes_while_it_is_sent_is_not_sent_to_its_end(scripted, transport, file, change):
    def shift(sent):
        if change is not None and file.stat().st_size == len(CONTENT):
            file.write_bytes(change)

    with pytest.raises(errors.Unsendable, match="changed") as caught:
        transport().post_file("/v2/document", file, name="a.bin", fields={}, on_bytes=shift)
    assert caught.value.tries == 1


def test_a_file_that_is_gone_is_reported_as_such(transport, file, scripted):
    with pytest.raises(FileNotFoundError):
        transport().put_file(Secret(scripted.base_url), file.with_name("none"))
    assert scripted.asked == []


def test_what_the_listener_raises_ends_the_request(scripted, transport, file):
    class Enough(Exception):
        pass

    def stop(sent):
        raise Enough

    with pytest.raises(Enough):
        transport().post_file("/v2/document", file, name="a.bin", fields={}, on_bytes=stop)


# ---- signed addresses


def test_a_file_is_put_to_a_signed_address_without_the_key(scripted, transport, file, signed):
    transport().put_file(signed, file, media="application/x-tmx+xml")
    (asked,) = scripted.asked
    assert (asked.method, asked.body) == ("PUT", CONTENT)
    assert asked.target == f"/signed/{TOKEN}?signature=s3cr3t-signature&short=1"
    assert asked.headers["content-type"] == "application/x-tmx+xml"
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/x",
        "ftp://example.com/x",
        "https://a@example.com/x",
        "/x",
        "",
        "https://[/x",
        "https://é",
    ],
)
def test_a_signed_address_that_all_could_read_is_refused(transport, file, url):
    with pytest.raises(errors.BadReply, match="https"):
        transport().put_file(Secret(url), file)


@pytest.mark.parametrize("status", [403, 400])
def test_no_part_of_a_signed_address_is_shown(scripted, transport, file, signed, status, tmp_path):
    told = f"no right for {TOKEN} s3cr3t-signature {signed.reveal()}"
    scripted.answers = [scripted.answer(status, {"message": told})]
    for ask in (
        lambda: transport().put_file(signed, file),
        lambda: transport().fetch_signed(signed, Sink(tmp_path / "got")),
    ):
        with pytest.raises(errors.ApiError) as caught:
            ask()
        assert "no right for" in str(caught.value)
        assert TOKEN not in str(caught.value)
        assert "s3cr3t" not in str(caught.value)


def test_no_log_shows_a_signed_address(scripted, transport, file, signed, caplog):
    caplog.set_level("DEBUG")
    transport().put_file(signed, file)
    assert "PUT" in caplog.text
    assert TOKEN not in caplog.text
    assert "s3cr3t" not in caplog.text


def test_no_frame_of_an_error_shows_what_is_secret(scripted, transport, file, signed, tmp_path):
    scripted.answers = [scripted.answer(404, {"message": "none"})]
    key = Secret("0123456789ABCDEF" * 4)
    for ask in (
        lambda: transport().put_file(signed, file),
        lambda: transport().fetch("POST", "/v2/document/1/result", Sink(tmp_path / "got"), form={"document_key": key}),
        lambda: transport().request("POST", "/v2/document/1", form={"document_key": key}),
    ):
        with pytest.raises(errors.ApiError) as caught:
            ask()
        frames = [frame for frame in _frames(caught.tb) if "svc_nb" in frame.f_code.co_filename]
        shown = repr([list(frame.f_locals.items()) for frame in frames])
        assert frames
        assert TOKEN not in shown
        assert key.reveal() not in shown


def _frames(traceback):
    while traceback:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def test_the_connections_of_the_service_survive_those_of_a_signed_address(scripted, transport, file, signed):
    one = transport()
    for _ in range(2):
        one.request("GET", "/x")
        one.put_file(signed, file)
    assert [asked.method for asked in scripted.asked] == ["GET", "PUT"] * 2
    assert scripted.connections == 2


# ---- a file on its way in


def test_an_answer_is_streamed_into_a_file(scripted, transport, tmp_path):
    scripted.answers = [scripted.answer(body=CONTENT)]
    lengths, counts = [], []
    got = transport().fetch(
        "POST",
        "/v2/document/1/result",
        Sink(tmp_path / "got", begun=lengths.append, on_bytes=counts.append),
        form={"document_key": Secret("K")},
    )
    assert (tmp_path / "got").read_bytes() == CONTENT
    assert got == len(CONTENT)
    assert lengths == [len(CONTENT)]
    assert counts[-1] == len(CONTENT)
    assert scripted.asked[0].body == b"document_key=K"
    assert scripted.asked[0].headers["accept-encoding"] == "identity"


def test_a_connection_is_used_again_after_a_file(scripted, transport, tmp_path):
    scripted.answers = [scripted.answer(body=CONTENT)]
    one = transport()
    for _ in range(3):
        one.fetch("GET", "/x", Sink(tmp_path / "got"))
    assert scripted.connections == 1


def test_a_file_that_broke_off_is_requested_again_and_written_from_the_start(scripted, transport, tmp_path):
    scripted.answers = [scripted.cut, scripted.answer(503), scripted.answer(body=b"whole")]
    assert transport().fetch("GET", "/x", Sink(tmp_path / "got")) == 5
    assert (tmp_path / "got").read_bytes() == b"whole"
    assert len(scripted.asked) == 3


def test_a_refusal_is_not_a_file(scripted, transport, tmp_path):
    scripted.answers = [scripted.answer(404, {"message": "Document not found"})]
    with pytest.raises(errors.NotFound, match="Document not found"):
        transport().fetch("POST", "/x", Sink(tmp_path / "got"))
    assert not (tmp_path / "got").exists()


def test_a_file_in_chunks_has_no_length_beforehand(scripted, transport, tmp_path):
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n"
    scripted.answers = [chunks]
    lengths = []
    assert transport().fetch("GET", "/x", Sink(tmp_path / "got", begun=lengths.append)) == 6
    assert (tmp_path / "got").read_bytes() == b"abcdef"
    assert lengths == [None]


def test_a_disk_that_refuses_is_no_broken_connection(scripted, transport, tmp_path):
    with pytest.raises(FileNotFoundError):
        transport().fetch("GET", "/x", Sink(tmp_path / "none" / "got"))
    assert len(scripted.asked) == 1


def test_what_a_listener_raises_ends_the_download_and_its_connection(scripted, transport, tmp_path):
    scripted.answers = [scripted.answer(body=CONTENT)]
    one = transport()

    def stop(count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.fetch("GET", "/x", Sink(tmp_path / "got", on_bytes=stop))
    scripted.answers = [scripted.answer(body=b"next")]
    assert one.fetch("GET", "/x", Sink(tmp_path / "got")) == 4


CHILD = """
import sys
from pathlib import Path
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.connection import Sink
from svc_nb.wire.transport import Transport

transport = Transport(Settings(base_url=sys.argv[1], api_key=Secret("k")))
transport.request("GET", "/x")
path = Path(sys.argv[2])

def kilobytes(name):
    return int(Path("/proc/self/status").read_text().partition(name + ":")[2].split()[0])

Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
before = kilobytes("VmRSS")
if sys.argv[3] == "send":
    transport.post_file("/x", path, name="a.bin", fields={"a": "b"})
else:
    transport.fetch("GET", "/large", Sink(path))
print(kilobytes("VmHWM") - before)
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak of a part")
@pytest.mark.parametrize("way", ["send", "fetch"])
def test_a_file_of_100_mb_needs_less_than_20_mb_of_memory(tmp_path, way):
    large = tmp_path / "large.bin"
    with open(large, "wb") as stream:
        stream.truncate(100_000_000)
    with _Swallowing() as server:
        child = [sys.executable, "-c", CHILD, server.base_url, str(large), way]
        done = subprocess.run(child, capture_output=True, text=True, timeout=120, check=True)
    assert int(done.stdout) < 20_000
    assert large.stat().st_size == 100_000_000
    assert server.received == (0 if way == "fetch" else large.stat().st_size)


class _Swallowing:
    """A server that reads and writes much without keeping it."""

    def __enter__(self):
        import http.server

        outer = self
        self.received = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                left = int(self.headers["Content-Length"])
                while left and (piece := self.rfile.read(min(left, 1 << 20))):
                    left -= len(piece)
                    outer.received += piece.count(0)
                self._answer(b"{}", 1)

            def do_GET(self):
                self._answer(b"x" * 1_000_000, 100) if self.path == "/large" else self._answer(b"{}", 1)

            def _answer(self, content, times):
                self.send_response(200)
                self.send_header("Content-Length", str(len(content) * times))
                self.end_headers()
                for _ in range(times):
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
