"""A service as somebody runs it at home: LibreTranslate's API and that of chat models, over real HTTP, in small.

It translates by turning the letters by 13 places, which keeps numbers and signs. It can be told how to misbehave, once
or always, and what its chat model says.
"""

from __future__ import annotations

import codecs
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LANGUAGES = ("de", "en", "fr", "pt-BR", "zh-Hans", "zt")
MODEL = "toy:1b"


def turned(text: str) -> str:
    """The translation of a text."""
    return codecs.encode(text, "rot13")


def translations(texts: list[str]) -> str:
    """What a good chat model answers."""
    return json.dumps([turned(text) for text in texts])


class Home(ThreadingHTTPServer):
    """The service: `base` is its address; *key* is the one that it wants."""

    daemon_threads = True

    def __init__(self, key: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = key
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.chat: Callable[[list[str]], str] = translations
        self.next: deque[str] = deque()
        """How to misbehave, one word for each of the next requests to translate."""
        self.always = ""
        self.asked: list[list[str]] = []
        """The texts of each request to translate."""
        self.heads: list[dict[str, str]] = []
        self.bodies: list[dict[str, object]] = []
        self.at_once = self.most_at_once = 0
        self.counting = threading.Lock()
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def libre(self) -> str:
        return f"libretranslate:{self.base}"

    @property
    def openai(self) -> str:
        return f"openai:{self.base}/v1#{MODEL}"

    def server_close(self) -> None:
        self.ended.set()
        self.shutdown()
        super().server_close()

    def handle_error(self, request, client_address) -> None:
        """Those who hang up are no error here."""


class _Handler(BaseHTTPRequestHandler):
    server: Home
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None: ...

    def do_GET(self) -> None:
        self.server.heads.append(dict(self.headers))
        if self.server.always and self.misbehave(self.server.always):
            return
        if self.path == "/languages":
            self.say([{"code": code, "name": code, "targets": list(LANGUAGES)} for code in LANGUAGES])
        elif self.server.key and self.headers.get("Authorization") != f"Bearer {self.server.key}":
            self.say({"error": {"message": f"Invalid key {self.headers.get('Authorization')}"}}, 401)
        elif self.path == "/v1/models":
            self.say({"object": "list", "data": [{"id": MODEL}, {"id": "other:latest"}]})
        else:
            self.say({"error": "Not found"}, 404)

    def do_POST(self) -> None:
        self.server.heads.append(dict(self.headers))
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_chat = self.path == "/v1/chat/completions"
        texts = json.loads(body["messages"][-1]["content"]) if is_chat else body["q"]
        with self.server.counting:
            self.server.asked.append(texts)
            self.server.bodies.append(body)
            word = self.server.always or (self.server.next.popleft() if self.server.next else "")
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
        try:
            given = self.headers.get("Authorization", "").removeprefix("Bearer ") if is_chat else body.get("api_key")
            if self.server.key and given != self.server.key:
                self.say({"error": f"Invalid key {given}"}, 401)
            elif not (word and self.misbehave(word)):
                self.translate(texts, word, is_chat=is_chat)
        finally:
            with self.server.counting:
                self.server.at_once -= 1

    def translate(self, texts: list[str], word: str, *, is_chat: bool) -> None:
        count = {"too few": slice(0, -1), "too many": slice(None)}.get(word, slice(None))
        made = [turned(text) for text in texts][count] + ["one more"] * (word == "too many")
        if not is_chat:
            self.say({"translatedText": made})
            return
        content = json.dumps(made) if word else self.server.chat(texts)
        self.say({"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]})

    def misbehave(self, word: str) -> bool:
        """Do what *word* says; False where an answer is still to be made."""
        if word == "hang":
            self.server.ended.wait(60)
            self.close_connection = True
        elif word == "die":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"translatedText": [')
            self.close_connection = True
        elif word == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif word == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            while not self.server.ended.wait(0.05):
                self.wfile.write(b" ")
        elif word == "huge":
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            for _ in range(10):
                self.wfile.write(b" " * (1 << 20))
        elif word == "html":
            self.send(200, b"<html><title>Please log in</title></html>", "text/html")
        elif word == "garbage":
            self.send(200, b'{"translatedText": [', "application/json")
        elif word == "redirect":
            self.send(307, b"", "text/plain", Location="http://elsewhere.example/")
        elif word in ("too few", "too many"):
            return False
        else:  # a status
            self.say({"error": {"message": "Slow down."}}, int(word))
        return True

    def say(self, answer: object, status: int = 200) -> None:
        self.send(status, json.dumps(answer).encode(), "application/json")

    def send(self, status: int, content: bytes, media: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
