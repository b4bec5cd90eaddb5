"""A service that does next to nothing, in a process of its own: what is left is the time of the client.

It marks texts as the embedded service does, waits as long as it is told, refuses what is over its capacity, and counts.
It is told what to do in the lines of `remote.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter

import msgspec

HEAD_END = b"\r\n\r\n"


class Idle:
    """The settings and the counters."""

    def __init__(self) -> None:
        self.answered: Counter[tuple[str, int]] = Counter()
        self.seconds, self.capacity = 0.0, sys.maxsize
        self.billed = self.in_flight = self.peak = 0

    def obey(self, order: dict) -> dict:
        settings = order.get("add", {})
        if "clear" in order:
            self.seconds, self.capacity = 0.0, sys.maxsize
        self.seconds = settings.get("seconds", self.seconds)
        self.capacity = settings.get("limit", self.capacity)
        answered = [[name, status, count] for (name, status), count in self.answered.items()]
        return {"answered": answered, "peak": self.peak, "billed": self.billed}


class Connection(asyncio.Protocol):
    """One request after another, each with a body of a known length."""

    def __init__(self, idle: Idle) -> None:
        self._idle = idle
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(HEAD_END)
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if end and len(body) == int(length or 0):
            self._received = b""
            if head.startswith(b"POST /v2/translate"):
                self._take(body)
            else:  # it can do nothing else
                self._write(404, b"{}")

    def _take(self, body: bytes) -> None:
        idle = self._idle
        if idle.in_flight >= idle.capacity:
            self._answer(429, b"{}")
            return
        idle.in_flight += 1
        idle.peak = max(idle.peak, idle.in_flight)
        asyncio.get_running_loop().call_later(idle.seconds, self._finish, body)

    def _finish(self, body: bytes) -> None:
        self._idle.in_flight -= 1
        asked = msgspec.json.decode(body)
        self._idle.billed += sum(map(len, asked["text"]))
        translations = [
            {
                "text": f"[{asked['target_lang']}] {text}",
                "detected_source_language": "DE",
                "billed_characters": len(text),
            }
            for text in asked["text"]
        ]
        self._answer(200, msgspec.json.encode({"translations": translations}))

    def _answer(self, status: int, body: bytes) -> None:
        self._idle.answered["POST /v2/translate", status] += 1
        self._write(status, body)

    def _write(self, status: int, body: bytes) -> None:
        head = f"HTTP/1.1 {status} .\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


async def main() -> None:
    idle = Idle()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(idle), "127.0.0.1", 0)
    tell({"base_url": f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "api_key": "idle"})
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listen() -> None:
        for line in sys.stdin:
            tell(idle.obey(json.loads(line)))
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=listen, daemon=True).start()
    await ended.wait()


def tell(said: dict) -> None:
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
