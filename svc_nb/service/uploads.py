"""Bodies that are too large to hold: streamed into a file without a name, and never longer than allowed."""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from .problems import Problem, bad_request
from .wire import bounded

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FILE = "file"

logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # a bad form is answered, not logged

_IN_MEMORY = 1024 * 1024
_MAX_FIELDS = 100
_MAX_FIELD = 64 * 1024
_MAX_HEAD = 8 * 1024


@dataclass(slots=True)
class Received:
    """A file that came with a request: open at its start, gone when it is closed, never under a name on the disk."""

    file: IO[bytes]
    name: str = ""
    size: int = 0

    def close(self) -> None:
        """Let go of the bytes."""
        self.file.close()


async def read_raw(request: Request, limit: int) -> Received:
    """The whole body as a file, or 413 as soon as it is longer than *limit*."""
    with _fresh() as received:
        async for piece in bounded(request, limit):
            _write(received, piece)
        received.file.seek(0)
    return received


async def read_multipart(request: Request, limit: int) -> tuple[Received, list[tuple[str, str]]]:
    """The one file of a form, and its fields; 400 without a file, 413 as soon as all of it is longer than *limit*."""
    with _fresh() as received:
        form = _Form(received)
        await _parse(bounded(request, limit), _boundary(request), form)
        if not form.whole or not form.has_file:
            raise bad_request(
                "Invalid file data.", detail="The form has no part named 'file', or it ends too soon."
            )
        received.file.seek(0)
    return received, form.fields


@contextlib.contextmanager
def _fresh() -> Iterator[Received]:
    """A file to receive into; closed only when the block raises."""
    received = Received(tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
    try:
        yield received
    except BaseException:
        received.close()
        raise


def _write(received: Received, piece: bytes) -> None:
    try:
        received.file.write(piece)
    except OSError as error:
        raise Problem(503, "The service cannot keep the file.", detail=error.strerror) from None
    received.size += len(piece)


def _boundary(request: Request) -> bytes:
    _, options = parse_options_header(request.headers.get("content-type"))
    if not options.get(b"boundary"):
        raise bad_request("The form body is not valid.", detail="Its media type names no boundary.")
    return options[b"boundary"]


async def _parse(pieces: AsyncIterator[bytes], boundary: bytes, form: _Form) -> None:
    try:
        parser = MultipartParser(boundary, form.callbacks())
        async for piece in pieces:
            parser.write(piece)
    except FormParserError as error:
        raise bad_request("The form body is not valid.", detail=str(error)) from None


@dataclass(slots=True)
class _Form:
    """Puts a form together as the parser tells of its parts."""

    received: Received
    fields: list[tuple[str, str]] = field(default_factory=list)
    has_file: bool = False
    whole: bool = False
    _header: bytes = b""
    _value: bytes = b""
    _disposition: bytes = b""
    _name: str = ""
    _in_file: bool = False
    _text: bytearray = field(default_factory=bytearray)

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_end,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._all,
        }

    def _begin(self) -> None:
        if len(self.fields) >= _MAX_FIELDS:
            raise bad_request("The form body is not valid.", detail=f"It has more than {_MAX_FIELDS} fields.")
        self._disposition, self._header, self._value, self._text = b"", b"", b"", bytearray()

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]
        self._refuse_long_heads()

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._refuse_long_heads()

    def _refuse_long_heads(self) -> None:
        if len(self._header) + len(self._value) > _MAX_HEAD:
            raise bad_request("The form body is not valid.", detail="The head of a part is too long.")

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header, self._value = b"", b""

    def _headers_end(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._name = _decoded(options.get(b"name", b""))
        self._in_file = self._name == FILE
        if self._in_file and self.has_file:
            raise bad_request("Invalid file data.", detail="There is more than one file.")
        if self._in_file:
            self.has_file = True
            self.received.name = _decoded(options.get(b"filename", b""))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            _write(self.received, data[start:end])
            return
        self._text += data[start:end]
        if len(self._text) > _MAX_FIELD:
            raise bad_request("The form body is not valid.", detail="A field is too long.")

    def _end(self) -> None:
        if not self._in_file:
            self.fields.append((self._name, _decoded(bytes(self._text), errors="strict")))

    def _all(self) -> None:
        self.whole = True


def _decoded(value: bytes, *, errors: str = "replace") -> str:
    try:
        return value.decode("utf-8", errors)
    except UnicodeDecodeError:
        raise bad_request("The form body is not valid.", detail="It is not valid UTF-8.") from None
