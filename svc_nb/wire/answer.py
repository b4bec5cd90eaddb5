"""An incoming answer: read piece by piece, decompressed, and limited in size.

httptools parses. Informational answers (100, 102, 103) are skipped. Data after the end of an answer belongs to no
request: then, as after every incomplete answer, the connection cannot be used again.
"""

import zlib
from collections.abc import Callable, Iterator

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from svc_nb.errors import BadReply

PIECE = 64 * 1024
LONGEST_HEAD = 64 * 1024
# This many informational answers may come before the real one.
MOST_ON_THE_WAY = 32
SWITCHED = 101
GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
PACKED = ("gzip", "x-gzip", "deflate")
PLAIN = ("", "identity")
MIB = 2**20


class Broken(Exception):
    """The connection could not be made, ended before the answer did, or returned something other than HTTP."""


class Answer:
    """The answer whose bytes come from *receive*, b"" at their end; created when its head is complete.

    `headers` have lower-case names. `pieces` yields at most *most* bytes of the body, compressed or not, then raises
    BadReply.
    """

    def __init__(self, receive: Callable[[], bytes], *, most: int) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.length: int | None = None  # of the body, according to the head
        self.whole = False
        self._receive = receive
        self._most = most
        self._head = 0  # bytes of it
        self._on_the_way = 0
        self._complete = False  # its head is complete
        self._surplus = False
        self._kept = False
        self._came: list[bytes] = []
        self._parser = HttpResponseParser(self)
        while not self._complete:
            self._feed()

    @property
    def leaves_connection_usable(self) -> bool:
        """Whether it was read completely, nothing came after it, and the service keeps the connection open."""
        return self.whole and self._kept and not self._surplus

    def pieces(self) -> Iterator[bytes]:
        """The body, decompressed."""
        packing = self.headers.get("content-encoding", "").strip().lower()
        if packing not in (*PACKED, *PLAIN):
            raise self._bad("The answer is compressed in a way that was not requested")
        if (self.length or 0) > self._most:
            raise self._too_large()
        came = unpacked = 0
        unpacking = _Unpacking() if packing in PACKED else None
        while True:
            for packed in self._came:
                came += len(packed)
                for piece in unpacking.pieces(packed) if unpacking else (packed,):
                    unpacked += len(piece)
                    if max(came, unpacked) > self._most:
                        raise self._too_large()
                    yield piece
            self._came.clear()
            if self.whole:
                break
            self._feed()
        if unpacking and came and not unpacking.whole:
            raise self._bad("The answer is packed, and cannot be unpacked")

    def _too_large(self) -> BadReply:
        return self._bad(f"The answer is larger than {self._most / MIB:,.0f} MiB")

    def _bad(self, message: str) -> BadReply:
        return BadReply(message, status=self.status)

    def _feed(self) -> None:
        """Parse the next bytes."""
        data = self._receive()
        if not data:
            # Without a length, the end of the connection is the end of the answer.
            chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
            if not self._complete or chunked or "content-length" in self.headers:
                raise Broken
            self.whole = self._surplus = True
            return
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self.whole = self._surplus = True
        except HttpParserError:
            if not self.whole:
                raise Broken from None
            self._surplus = True
        if self._head > LONGEST_HEAD or self._on_the_way > MOST_ON_THE_WAY:
            raise Broken

    # ---- callbacks of the parser

    def on_message_begin(self) -> None:
        """Another answer begins: the real one, or an unexpected one."""
        self._surplus = self._surplus or self.whole
        if not self.whole:
            self.headers.clear()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header has arrived."""
        if self.whole:
            return
        self._head += len(name) + len(value)
        key, said = name.decode("latin-1").lower(), value.decode("latin-1")
        self.headers[key] = f"{self.headers[key]}, {said}" if key in self.headers else said

    def on_headers_complete(self) -> None:
        """The head is complete."""
        if not self.whole:
            self.status = self._parser.get_status_code()
            self._complete = self.status >= 200 or self.status == SWITCHED
            said = self.headers.get("content-length", "")
            self.length = int(said) if said.isascii() and said.isdigit() else None

    def on_body(self, piece: bytes) -> None:
        """A piece of the body has arrived."""
        if not self.whole:
            self._came.append(piece)

    def on_message_complete(self) -> None:
        """The answer is complete, or it was a 1xx and the real one follows."""
        if not self._complete:
            self._on_the_way += 1
        elif not self.whole:
            self.whole, self._kept = True, bool(self._parser.should_keep_alive())


class _Unpacking:
    """Decompresses gzip or zlib in pieces of limited size, however much is compressed into a few bytes."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(GZIP_OR_ZLIB)

    @property
    def whole(self) -> bool:
        """Whether the data so far is complete."""
        return self._decoder.eof

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        """The content of *packed*, the next bytes."""
        while packed:
            if self._decoder.eof:  # several may follow each other
                self._decoder = zlib.decompressobj(GZIP_OR_ZLIB)
            try:
                piece = self._decoder.decompress(packed, PIECE)
            except zlib.error:
                problem = BadReply("The answer is packed, and cannot be unpacked")
            else:
                packed = self._decoder.unconsumed_tail or self._decoder.unused_data
                yield piece
                continue
            raise problem
