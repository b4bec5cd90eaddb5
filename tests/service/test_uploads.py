"""A form that brings a file is read as it comes; what is wrong with it is told, and nothing is left of it."""

from __future__ import annotations

import socket

import pytest
import requests

FILE = b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nThe house\r\n'
LANG = b'Content-Disposition: form-data; name="target_lang"\r\n\r\nDE\r\n'


def form(*parts, end=b"--x--\r\n"):
    return b"".join(b"--x\r\n" + part for part in parts) + end


def field(name, value=b"1"):
    return b'Content-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name, value)


def send(raw, body, media="multipart/form-data; boundary=x"):
    return raw("POST", "/v2/document", data=body, headers={"Content-Type": media})


def test_a_form_is_read_whatever_pieces_it_comes_in(raw):
    body = form(LANG, field(b"unknown", b"x" * 5000), FILE, field(b"source_lang", b"EN"))
    for size in (1, 7, 1000):
        pieces = (body[start : start + size] for start in range(0, len(body), size))
        assert send(raw, pieces).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"target_lang=DE",
        form(),
        form(LANG),
        form(LANG, FILE, FILE),
        form(LANG, FILE, end=b""),
        form(LANG, FILE[:-4], end=b""),
        form(LANG, FILE, field(b"source_lang", b"\xff")),
        form(LANG, FILE, field(b"big", b"x" * 70_000)),
        form(LANG, FILE, *[field(b"n")] * 200),
        form(LANG, b"X-Long: " + b"x" * 100_000 + b"\r\n" + FILE),
        form(LANG, b"No colon at all\r\n\r\nx\r\n"),
        form(b"\r\nno head at all\r\n"),
    ],
)
def test_a_form_that_is_not_right_is_refused(raw, body):
    answer = send(raw, body)
    assert answer.status_code == 400
    assert answer.json()["message"]


def test_a_form_needs_a_boundary_and_no_other_media_type_will_do(raw):
    assert send(raw, form(LANG, FILE), "multipart/form-data").status_code == 400
    assert send(raw, form(LANG, FILE), "multipart/mixed; boundary=x").status_code == 415
    assert raw("POST", "/v2/document", json={"target_lang": "DE"}).status_code == 415


def test_a_form_that_says_it_is_too_large_is_refused_before_it_is_sent(running):
    head = (
        f"POST /v2/document HTTP/1.1\r\nHost: x\r\nAuthorization: Service-Auth-Key {running.api_key}\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 200000000\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.sendall(head.encode())
        assert b"413" in connection.recv(1000)


def test_a_form_that_turns_out_too_large_is_refused_while_it_comes(raw):
    sent = []

    def endless():
        yield b"--x\r\n" + FILE[:-2]
        while len(sent) < 300:
            sent.append(1)
            yield bytes(1_000_000)

    try:
        assert send(raw, endless()).status_code == 413
    except requests.ConnectionError:
        assert len(sent) < 300
