"""The bytes of a file or of stdin, which can be read more than once without being kept in memory."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from svc_nb.cli.failure import Failure

STDIN = "-"


class Source:
    """A *stream* that can be read from its beginning again and again, by one reader at a time.

    Who reads all of it calls `read` now and then with the number of bytes that are behind it, for who watches.
    """

    def __init__(self, stream: BinaryIO, called: str) -> None:
        self.called = called
        self._stream = stream
        self.read: Callable[[int], None] = _nobody
        self._state = self._now()

    @classmethod
    def opened(cls, name: str) -> Source:
        """The file *name*, "-" for stdin; what can be read only once goes into a file that nobody else can read."""
        if name == STDIN:
            if sys.stdin is None:
                raise Failure("stdin is closed")
            return cls(_spooled(sys.stdin.buffer, "stdin"), "stdin")
        path = Path(name)
        refuse_absent(path)
        try:
            stream = open(path, "rb")  # noqa: SIM115  # closed with the source
        except OSError as problem:
            raise Failure(f"{path} cannot be read: {problem.strerror}") from None
        if stream.seekable():
            return cls(stream, path.name)
        with stream:
            return cls(_spooled(stream, path.name), path.name)

    def begin(self) -> BinaryIO:
        """The bytes from the first one on."""
        self._stream.seek(0)
        return self._stream

    def head(self, most: int) -> bytes:
        """The first bytes, at most so many."""
        return self.begin().read(most)

    @property
    def size(self) -> int:
        """How many bytes there are; 0 where nobody can tell."""
        return self._state[0] if self._state else 0

    def refuse_changed(self) -> None:
        """Raise Failure where somebody wrote to the file since it was opened: what was read does not fit together."""
        if self._now() != self._state:
            raise Failure(
                f"{self.called} was changed while it was read, and nothing was written. Run the same command again: "
                "only what is new is paid for"
            )

    def _now(self) -> tuple[int, int] | None:
        with suppress(OSError):  # a stream in memory has no number
            found = os.fstat(self._stream.fileno())
            return found.st_size, found.st_mtime_ns
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def _nobody(place: int) -> None:
    """Watch nothing."""


def refuse_absent(path: Path) -> None:
    """Raise Failure where there is no file at *path*."""
    if path.is_dir():
        raise Failure(f"{path} is a folder; name the file in it")
    if not path.exists():
        raise Failure(f"there is no file {path}")


def _spooled(stream: BinaryIO, called: str) -> BinaryIO:
    spool: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        shutil.copyfileobj(stream, spool)
        spool.flush()
    except OSError as problem:
        spool.close()
        raise Failure(f"{called} cannot be kept in {tempfile.gettempdir()}: {problem.strerror}") from None
    return spool
