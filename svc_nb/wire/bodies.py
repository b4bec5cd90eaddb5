"""What requests and answers carry: JSON, a form, a file in pieces; a file is never in memory whole."""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from svc_nb.errors import Unsendable
from svc_nb.secret import Secret

HALF_A_PAIR = "A text holds half of a surrogate pair (U+D800 to U+DFFF), which UTF-8 cannot carry"
PIECE = 64 * 1024

Query = Mapping[str, str | int | Sequence[str] | Secret | None]
Count = Callable[[int], None]


class FileBody:
    """The file at *path* between *head* and *tail*, read anew for each try; *on_bytes* may end the request.

    A file that changed (its length, or its *digest*) ends it with Unsendable before its last byte is sent.
    """

    def __init__(
        self,
        path: Path,
        *,
        head: bytes = b"",
        tail: bytes = b"",
        digest: str | None = None,
        on_bytes: Count | None = None,
    ) -> None:
        self.path = path
        self._head, self._tail = head, tail
        self._digest = digest
        self._on_bytes = on_bytes
        self._size = os.stat(path).st_size
        self.length = len(head) + self._size + len(tail)

    def __iter__(self) -> Iterator[bytes]:
        yield from filter(None, [self._head])
        yield from self._file()
        yield from filter(None, [self._tail])

    def _file(self) -> Iterator[bytes]:
        """Yield the file's pieces, each when the next is there, and the last when all are known to be right."""
        seen, held = hashlib.sha256(), b""
        given = 0
        for piece in _pieces(self.path):
            if held:
                yield held
            given += len(piece)
            if self._on_bytes:
                self._on_bytes(given)
            if given > self._size:
                break
            held = piece
            if self._digest:
                seen.update(piece)
        if given != self._size or (self._digest and seen.hexdigest() != self._digest):
            raise Unsendable(f"{self.path.name} changed while it was sent")
        if held:
            yield held


def multipart(
    fields: Query, path: Path, *, name: str, digest: str | None, on_bytes: Count | None
) -> tuple[FileBody, str]:
    """A form of *fields* and, as its last part, the file under the name *name*; with the form's boundary."""
    boundary = f"svc-nb-{secrets.token_hex(16)}"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in pairs(fields)
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{_quoted(name)}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    head, tail = utf8("".join(parts)), utf8(f"\r\n--{boundary}--\r\n")
    return FileBody(path, head=head, tail=tail, digest=digest, on_bytes=on_bytes), boundary


class Sink:
    """The file at *path*, filled from an answer, anew for each try; *page* says whether it can be a web page.

    *begun* is told the length, None where it is not known, *on_bytes* what has come; what they raise ends the request.
    """

    def __init__(
        self, path: Path, *, begun: Callable[[int | None], None] | None, on_bytes: Count | None, page: bool = True
    ) -> None:
        self.path = path
        self.page = page
        self._begun = begun
        self._on_bytes = on_bytes

    def take(self, pieces: Iterable[bytes], length: int | None) -> int:
        """Write *pieces* to the disk and return how many bytes they were."""
        with open(self.path, "wb") as stream:
            if self._begun:
                self._begun(length)
            for piece in pieces:
                stream.write(piece)
                if self._on_bytes:
                    self._on_bytes(stream.tell())
            stream.flush()
            os.fsync(stream.fileno())
            return stream.tell()


def urlencoded(query: Query) -> str:
    """*query* as a form or as the end of an address; what is None is left out."""
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
    """Yield names and values as they stand on the wire, a list as many of the same name."""
    for name, value in query.items():
        if isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, Secret):
            yield name, value.reveal()
        elif isinstance(value, str | int):
            yield name, value
        else:
            yield from ((name, each) for each in value or ())


def _quoted(name: str) -> str:
    """A file name as browsers write it into a header."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _pieces(path: Path) -> Iterator[bytes]:
    # An OSError would be taken for a broken connection and tried again.
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
        return
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
    raise Unsendable(f"{path.name} could not be read: {reason}")
