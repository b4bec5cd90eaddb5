"""What goes over a connection: requests with their bodies (JSON, a form, a file in pieces), and replies."""

import hashlib
import json as json_format
import os
import secrets
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import msgspec

from svc_nb.errors import BadReply, Unsendable
from svc_nb.secret import Secret

PIECE = 64 * 1024
# Shorter parts of a signed address are not secret, and would be starred out of every sentence.
SHORTEST_SIGN = 8
HALF_A_PAIR = "A text contains half of a surrogate pair (U+D800 to U+DFFF), which UTF-8 cannot encode"

Query = Mapping[str, str | int | Sequence[str] | Secret | None]
Count = Callable[[int], None]
Opener = Callable[[str, int], int]


# ---- bodies of requests and answers; a file is never in memory as a whole


@dataclass(slots=True, eq=False, repr=False)
class FileBody:
    """The file at *path* between *head* and *tail*, read for each try; Unsendable, before its end, if it changed."""

    path: Path
    head: bytes = b""
    tail: bytes = b""
    digest: str | None = None
    on_bytes: Count | None = None
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = os.stat(self.path).st_size

    def __iter__(self) -> Iterator[bytes]:
        # Each piece is yielded when the next is available, and the last when all are known to be right.
        seen, held = hashlib.sha256(), self.head
        given = 0
        for piece in _pieces(self.path):
            if held:
                yield held
            given += len(piece)
            if self.on_bytes:
                self.on_bytes(given)
            if given > self.size:
                break
            held = piece
            if self.digest:
                seen.update(piece)
        if given != self.size or (self.digest and seen.hexdigest() != self.digest):
            raise Unsendable(f"{self.path.name} changed while it was being sent")
        yield from filter(None, [held, self.tail])


def multipart(
    fields: Query, path: Path, *, name: str, digest: str | None, on_bytes: Count | None
) -> tuple[FileBody, str]:
    """A form of *fields* and, as its last part, the file under the name *name*; with the form's boundary."""
    boundary = f"svc-nb-{secrets.token_hex(16)}"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in pairs(fields)
    ]
    quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")  # as browsers write it in a header
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    head, tail = utf8("".join(parts)), utf8(f"\r\n--{boundary}--\r\n")
    return FileBody(path, head=head, tail=tail, digest=digest, on_bytes=on_bytes), boundary


@dataclass(frozen=True, slots=True)
class Sink:
    """The file at *path*, written from an answer, again for each try; exceptions of *begun* and *on_bytes* end it.

    *opener* is passed to `open`.
    """

    path: Path
    begun: Callable[[int | None], None] | None = None
    on_bytes: Count | None = None
    page: bool = True
    opener: Opener | None = None

    def take(self, pieces: Iterable[bytes], length: int | None) -> int:
        """Write *pieces* to the disk and return their number of bytes."""
        with open(self.path, "wb", opener=self.opener) as stream:
            if self.begun:
                self.begun(length)
            for piece in pieces:
                stream.write(piece)
                if self.on_bytes:
                    self.on_bytes(stream.tell())
            stream.flush()
            os.fsync(stream.fileno())
            return stream.tell()


def urlencoded(query: Query) -> str:
    """*query* as a form or as the end of an address; None values are left out."""
    try:
        return urlencode(list(pairs(query)))
    except UnicodeEncodeError:
        pass
    raise Unsendable(HALF_A_PAIR)


def utf8(text: str) -> bytes:
    """*text* in UTF-8, or Unsendable without the frames that held it."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        pass
    raise Unsendable(HALF_A_PAIR)


def pairs(query: Query) -> Iterator[tuple[str, str | int]]:
    """Yield names and values as they are sent, a list as several values with the same name."""
    for name, value in query.items():
        if isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, Secret):
            yield name, value.reveal()
        elif isinstance(value, str | int):
            yield name, value
        else:
            yield from ((name, each) for each in value or ())


def _pieces(path: Path) -> Iterator[bytes]:
    # An OSError would look like a broken connection and be retried.
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
        return
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
    raise Unsendable(f"{path.name} could not be read: {reason}")


# ---- requests and answers


@dataclass(frozen=True, slots=True)
class Reply:
    """A successful answer; its repr shows neither texts nor headers. The names of headers are in lower case.

    `distrust` closes the connection over which it came.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    trace_id: str | None = None
    distrust: Callable[[], None] = field(default=lambda: None, repr=False)

    def json(self, decode: Callable[[bytes], Any] = msgspec.json.decode) -> Any:
        """Decode the body, or raise BadReply, also for half a surrogate pair, which cannot be stored anywhere."""
        try:
            return decode(self.content.removeprefix(BOM_UTF8))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise self.bad(f"Expected JSON, found {self._nature()}")

    def text(self) -> str:
        """Decode the body as UTF-8 text, or raise BadReply."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            pass
        raise self.bad("Expected UTF-8 text, found other bytes")

    def bad(self, message: str) -> BadReply:
        """Return the error that says what is wrong with this answer, which may belong to another request."""
        self.distrust()
        return BadReply(message, status=self.status, trace_id=self.trace_id)

    def _nature(self) -> str:
        # Not where the error is raised: a verbose traceback shows the values of those lines, and this is the body.
        kinds = {b"": "an empty answer", b"<": "a web page", b"{": "broken JSON", b"[": "broken JSON"}
        return kinds.get(self.content.lstrip()[:1], "something else")


# A body and its headers, except the length, which is added when the body is sent.
Payload = tuple[bytes | FileBody | None, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Request:
    """One request, encoded and ready to be sent any number of times; *sink* receives an answer that is a file."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str]
    body: bytes | FileBody | None = field(repr=False)
    authorization: Secret | None = field(repr=False)
    sink: Sink | None = None
    secrets: tuple[Secret, ...] = ()

    @property
    def origin(self) -> str:
        """The scheme and the host of the address."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        """The host of the address, with its port."""
        return urlsplit(self.url).netloc

    def hide(self, text: str) -> str:
        """Return *text* with stars for every secret of this request."""
        for secret in self.secrets:
            text = secret.hide(text)
        return text


def encoded(json: object, form: Query | None) -> Payload:
    """The body as sent, with its content type."""
    if form is not None:
        return urlencoded(form).encode("ascii"), {"Content-Type": "application/x-www-form-urlencoded"}
    if json is None:
        return None, {}
    media = {"Content-Type": "application/json"}
    with suppress(TypeError, ValueError, OverflowError):
        quickly = msgspec.json.encode(json)
        if b"null" not in quickly:  # msgspec also writes null for NaN and infinity, which are refused
            return quickly, media
    # Not ASCII-escaped, because the limits are in bytes.
    return utf8(json_format.dumps(json, ensure_ascii=False, allow_nan=False, separators=(",", ":"))), media


def streamed(body: FileBody, media: str) -> Payload:
    """A body that is a file, or contains one."""
    return body, {"Content-Type": media, "Content-Length": str(len(body.head) + body.size + len(body.tail))}


def is_safe(url: Secret, address: str) -> bool:
    """Whether a file may go to *url*: over TLS, or to the same host as every other request."""
    try:
        asked, own = urlsplit(url.reveal()), urlsplit(address)
    except ValueError:
        return False
    if not (url.reveal().isascii() and url.reveal().isprintable()) or "@" in asked.netloc or " " in asked.netloc:
        return False
    same = (asked.scheme, asked.netloc) == (own.scheme, own.netloc)
    return bool(asked.hostname) and (asked.scheme == "https" or same)


def secrets_in(url: Secret) -> tuple[Secret, ...]:
    """The parts of a signed address that must not be shown: its long parts, each by itself and all together."""
    parts = urlsplit(url.reveal())
    words = [*parts.path.split("/"), *(pair.partition("=")[2] for pair in parts.query.split("&"))]
    return (url, *(Secret(unquote(word)) for word in words if len(word) >= SHORTEST_SIGN))


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return *headers*, or raise Unsendable for a value that could smuggle in another header."""
    for name, value in headers.items():
        if not (value.isprintable() and value.isascii() and value == value.strip()):
            raise Unsendable(f"The header {name} can only contain printable ASCII characters")
    return headers


def version() -> str:
    """The installed version of this package."""
    try:
        return metadata.version("svc-nb")
    except metadata.PackageNotFoundError:
        return "unknown"


def without_frames(problem: BaseException) -> BaseException:
    """Return *problem* without its frames and causes, because their locals contain the key."""
    problem.__cause__ = problem.__context__ = None
    return problem.with_traceback(None)
