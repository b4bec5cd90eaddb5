"""Answers that are strange, endless, too large, or another request's: each ends within limited time and memory."""

import gzip
import itertools
import socket
import threading
import time
import zlib

import pytest

from svc_nb import errors
from svc_nb.wire import pool
from svc_nb.wire.answer import MOST_ON_THE_WAY
from svc_nb.wire.connection import Sink
from svc_nb.wire.pool import LARGEST_ANSWER
from tests.waiting import until

HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"


def numbered(scripted, shape=lambda answer, number: answer):
    """Answer each request with its number; *shape* makes what is sent of that."""
    numbers = itertools.count(1)

    def answer(connection):
        number = next(numbers)
        connection.sendall(shape(scripted.answer(200, [number]), number))
        return True

    scripted.answers = [answer]


def ask(one):
    return one.request("POST", "/x", json={}, tries=1).json()


# ---- what comes before an answer


@pytest.mark.parametrize(
    "before",
    [HINT, HINT * 3, b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 Processing\r\n\r\n" + HINT],
    ids=["hints", "more hints", "continue", "processing"],
)
def test_informational_answers_are_skipped(scripted, transport, before):
    numbered(scripted, lambda answer, number: before + answer)
    one = transport()
    assert [ask(one), ask(one)] == [[1], [2]]
    assert scripted.connections == 1


def test_endless_informational_answers_end(scripted, transport):
    sent = []

    def announce(connection):
        while len(sent) < 100 * MOST_ON_THE_WAY:
            connection.sendall(HINT)
            sent.append(1)
            time.sleep(0.001)
        return False

    scripted.answers = [announce]
    with pytest.raises(errors.Unreachable):
        ask(transport())
    assert len(sent) < 100 * MOST_ON_THE_WAY


# ---- how long, and how much


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_an_answer_that_comes_drop_by_drop_ends(scripted, transport, start):
    dropped = []

    def drip(connection):
        connection.sendall(start)
        while len(dropped) < 1000:
            connection.sendall(b"x")
            dropped.append(1)
            time.sleep(0.02)
        return False

    scripted.answers = [drip]
    with pytest.raises(
        errors.TimedOut, match=r"not complete within 0\.4 s.*allow more time \(answer_timeout"
    ) as caught:
        ask(transport(read_timeout=0.3, answer_timeout=0.4))
    assert caught.value.retryable
    assert len(dropped) < 500


def test_a_large_answer_may_take_longer(scripted, transport):
    whole = scripted.answer(200, b"[" + b" " * 60_000 + b"1]")

    def slowly(connection):
        for start in range(0, len(whole), 8000):
            connection.sendall(whole[start : start + 8000])
            time.sleep(0.05)
        return True

    scripted.answers = [slowly]
    assert ask(transport(read_timeout=0.2, answer_timeout=0.2)) == [1]


def in_two_members(body):
    return gzip.compress(body[:5]) + gzip.compress(body[5:])


@pytest.mark.parametrize("packed", [gzip.compress, zlib.compress, in_two_members])
def test_a_packed_answer_is_unpacked(scripted, transport, packed):
    scripted.answers = [scripted.answer(200, packed(b'["Gr\xc3\xbc\xc3\x9fe"]'), Content_Encoding="gzip")]
    one = transport()
    assert [ask(one), ask(one)] == [["Grüße"]] * 2
    assert scripted.connections == 1
    assert scripted.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("packed", [gzip.compress(b"[1, 2, 3]")[:-9], b"no gzip at all"], ids=["cut", "other"])
def test_what_cannot_be_unpacked_is_a_bad_reply(scripted, transport, packed):
    scripted.answers = [scripted.answer(200, packed, Content_Encoding="gzip"), scripted.answer(200, b"[1]")]
    one = transport()
    with pytest.raises(errors.BadReply, match="cannot be unpacked"):
        ask(one)
    assert ask(one) == [1]
    assert scripted.connections == 2


def test_a_gzip_bomb_is_not_unpacked(scripted, transport, tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "LARGEST_FILE", 2**20)
    bomb = gzip.compress(bytes(2**26)) * 64  # 4 GiB
    scripted.answers = [scripted.answer(200, bomb, Content_Encoding="gzip")]
    one = transport()
    with pytest.raises(errors.BadReply, match="The answer is larger than 8 MiB"):
        ask(one)
    with pytest.raises(errors.BadReply, match="The answer is larger than 1 MiB"):
        one.fetch("GET", "/x", Sink(tmp_path / "got"), tries=1)
    assert (tmp_path / "got").stat().st_size <= 2**20
    scripted.answers = [scripted.answer(503, bomb, Content_Encoding="gzip")]
    with pytest.raises(errors.Unavailable):
        ask(one)


@pytest.mark.parametrize("head", [f"Content-Length: {LARGEST_ANSWER + 1}", "Transfer-Encoding: chunked"])
def test_an_answer_that_is_too_large_is_not_read_to_its_end(scripted, transport, head):
    pieces = []

    def flood(connection):
        connection.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode())
        piece = b"100000\r\n" + b" " * 2**20 + b"\r\n"
        while len(pieces) < 64:
            connection.sendall(piece)
            pieces.append(1)
        return False

    scripted.answers = [flood]
    with pytest.raises(errors.BadReply, match="The answer is larger than 8 MiB") as caught:
        ask(transport())
    assert caught.value.status == 200
    assert len(pieces) < 64


def test_a_refusal_is_told_however_long_it_is(scripted, transport):
    said = b"<title>Too much to do</title>" + b" " * 2**20
    scripted.answers = [scripted.answer(503, said), scripted.answer(200, b"[1]")]
    one = transport()
    with pytest.raises(errors.Unavailable, match="Too much to do"):
        ask(one)
    assert ask(one) == [1]


# ---- whose answer it is


def test_a_second_answer_after_the_first_belongs_to_no_request(scripted, transport):
    numbered(scripted, lambda answer, number: answer + answer)
    one = transport()
    assert [ask(one) for _ in range(3)] == [[1], [2], [3]]
    assert scripted.connections == 3


def test_a_second_answer_that_comes_late_belongs_to_no_request(scripted, transport):
    held = []
    numbered(scripted)
    answered = scripted.answers[0]
    scripted.answers = [lambda connection: held.append(connection) or answered(connection)]
    one = transport()
    for number in (1, 2, 3):
        assert ask(one) == [number]
        held[-1].sendall(scripted.answer(200, ["late"]))
        time.sleep(0.05)
    assert scripted.connections == 3


def test_bytes_after_an_answer_that_are_no_http_do_no_harm(scripted, transport):
    numbered(scripted, lambda answer, number: answer + b"\x00\xffgarbage")
    one = transport()
    assert [ask(one), ask(one)] == [[1], [2]]


def test_a_connection_that_gave_a_bad_reply_is_not_used_again(scripted, transport, told):
    scripted.answers = [scripted.answer(200, b"{broken"), scripted.answer(200, b"[1]")]
    one = transport()
    with pytest.raises(errors.BadReply):
        ask(one)
    assert ask(one) == [1]
    assert scripted.connections == 2
    translation = {"text": "Hallo", "detected_source_language": "EN"}
    client = told({"translations": [translation] * 2}, {"translations": [translation]})
    with pytest.raises(errors.BadReply, match="Expected 1 translations, one per text, found 2"):
        client.text.translate(["Hello"], "DE")
    assert client.text.translate(["Hello"], "DE")[0].text == "Hallo"
    assert scripted.connections == 4


def test_a_connection_that_gave_a_bad_reply_is_closed(scripted, transport):
    ended = []

    def watch(connection):
        connection.sendall(scripted.answer(200, b"{broken"))
        ended.append(connection.recv(1))
        return False

    scripted.answers = [watch]
    one = transport()
    with pytest.raises(errors.BadReply):
        ask(one)
    until(lambda: ended == [b""])


def test_an_answer_before_the_request_was_read_is_reported(scripted, transport):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = transport(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}")

        def refuse():
            connection, _ = listener.accept()
            with connection:
                connection.sendall(scripted.answer(413, {"message": "Too large"}))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(2**20):
                    pass

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(errors.TooLarge, match="Too large"):
            one.request("POST", "/x", json={"text": "x" * 2**22}, tries=1)
        one.close()
        thread.join()
