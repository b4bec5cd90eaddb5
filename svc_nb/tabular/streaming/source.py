"""The bytes of a file or of stdin and their text: read several times, piece by piece, never kept in memory."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from svc_nb.advice import Option

STDIN = "-"
# The longest mark first: that of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings whose byte order depends on the mark, and what they mean without a mark.
UNMARKED = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# The size of a read, and of a block of rows.
BYTES = 1 << 20
CHARACTERS = 1 << 22
# Anything longer than this is not a line: a quote was left open, or the file is not text.
LONGEST = 1 << 24


class InvalidOption(ValueError):
    """A file cannot be read with the given option."""


class LineTooLong(ValueError):
    """A line is longer than any real line."""


class Source:
    """A *stream* that can be read again, by one reader at a time, which calls `read` with the bytes behind it."""

    def __init__(self, stream: BinaryIO, called: str) -> None:
        self.called = called
        self._stream = stream
        self.read: Callable[[int], None] = lambda place: None
        self._state = self._now()

    @classmethod
    def opened(cls, name: str) -> Source:
        """The file *name*, "-" for stdin; what can be read only once goes into a file that no one else can read."""
        if name == STDIN:
            if sys.stdin is None:
                raise ValueError("stdin is closed")
            return cls(_spooled(sys.stdin.buffer, "stdin"), "stdin")
        path = Path(name)
        refuse_absent(path)
        try:
            stream = open(path, "rb")  # noqa: SIM115  # closed with the source
        except OSError as problem:
            raise ValueError(f"{path} cannot be read: {problem.strerror}") from None
        if stream.seekable():
            return cls(stream, path.name)
        with stream:
            return cls(_spooled(stream, path.name), path.name)

    def begin(self) -> BinaryIO:
        """The bytes from the beginning."""
        self._stream.seek(0)
        return self._stream

    def head(self, most: int) -> bytes:
        """At most this many of the first bytes."""
        return self.begin().read(most)

    @property
    def size(self) -> int:
        """How many bytes there are; 0 if that is unknown."""
        return self._state[0] if self._state else 0

    def refuse_changed(self) -> None:
        """Raise ValueError if the file has changed since it was opened, because its parts would not fit together."""
        if self._now() != self._state:
            raise ValueError(
                f"{self.called} was changed while it was read, so nothing was written. Run the same command "
                "again: "
                "you pay only for new texts"
            )

    def _now(self) -> tuple[int, int] | None:
        with suppress(OSError):  # a stream in memory has no file number
            found = os.fstat(self._stream.fileno())
            return found.st_size, found.st_mtime_ns
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def refuse_absent(path: Path) -> None:
    """Raise ValueError if there is no file at *path*."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder. Name the file in it")
    if not path.exists():
        raise ValueError(f"there is no file {path}")


def _spooled(stream: BinaryIO, called: str) -> BinaryIO:
    spool: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        shutil.copyfileobj(stream, spool)
        spool.flush()
    except OSError as problem:
        spool.close()
        raise ValueError(f"{called} cannot be kept in {tempfile.gettempdir()}: {problem.strerror}") from None
    return spool


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The text of a *source*, its encoding, and the byte order mark that it begins with."""

    source: Source
    encoding: str
    mark: bytes = b""

    @classmethod
    def of(cls, source: Source, encoding: str | None = None) -> EncodedText:
        """The text of *source* in the given *encoding*, the one that its mark shows, or UTF-8."""
        data = source.head(4)
        mark, marked = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", None))
        named = _known(encoding) if encoding else None
        if named and not (marked and named in (marked, *UNMARKED)):
            mark, marked = b"", UNMARKED.get(named, named)
        return cls(source, marked or "utf-8", mark)

    def pieces(self) -> Iterator[str]:
        """The text from its beginning, piece by piece; raises ValueError for bytes that are not text."""
        called = self.source.called
        decoder = codecs.getincrementaldecoder(self.encoding)()
        stream = self.source.begin()
        stream.seek(len(self.mark))
        data, lines = b"\n", 1
        while data:
            data = stream.read(BYTES)
            self.source.read(stream.tell())
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as problem:
                lines += problem.object[: problem.start].decode(self.encoding, "replace").count("\n")
                raise ValueError(
                    f"{called} is not valid {self.encoding} (line {lines:,}). Save it as UTF-8, or name its encoding, "
                    f"such as {Option('encoding', 'cp1252')}"
                ) from None
            if "\0" in text:
                lines += text[: text.index("\0")].count("\n")
                raise ValueError(
                    f"{called} has a NUL character (line {lines:,}): it is not text, or not UTF-8. Save it as "
                    f"UTF-8, or name its encoding, such as {Option('encoding', 'utf-16-le')}"
                )
            lines += text.count("\n")
            yield text

    @contextmanager
    def writing(self, stream: BinaryIO, encoding: str | None = None) -> Iterator[Callable[[str], None]]:
        """What writes the text to *stream*, piece by piece, as it is in the file or in another *encoding*."""
        chosen, mark = (_known(encoding), b"") if encoding else (self.encoding, self.mark)
        encode = codecs.getincrementalencoder(chosen)().encode

        def write(text: str) -> None:
            try:
                stream.write(encode(text))
            except UnicodeEncodeError as problem:
                letter = problem.object[problem.start]
                raise ValueError(
                    f"{self.source.called}: {chosen} has no form for {letter!r} (U+{ord(letter):04X}). Run it again "
                    f"with {Option('out_encoding', 'utf-8')}: what is translated is kept and not paid for again"
                ) from None

        stream.write(mark)
        yield write
        stream.write(encode("", final=True))


def _known(encoding: str) -> str:
    try:
        found = codecs.lookup(encoding)
        "".encode(found.name)  # one that makes no text of bytes, such as zip, is none
    except LookupError:
        raise InvalidOption(f"there is no encoding {encoding!r}; common ones are utf-8, cp1252 and utf-16") from None
    return found.name


def whole_lines(pieces: Iterable[str], newline: str = "\n", *, least: int = 0) -> Iterator[str]:
    """A text in *pieces*, cut where lines end, into parts of *least* characters or more; LineTooLong with that line."""
    rest = ""
    for piece in pieces:
        text = rest + piece
        if len(text) < least:
            rest = text
            continue
        end = text.rfind(newline) + 1
        if end:
            yield text[:end]
        rest = text[end:]
        if len(rest) > LONGEST:
            raise LineTooLong(rest)
    if rest:
        yield rest
