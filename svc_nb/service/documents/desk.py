"""Where a document lies open while it is worked on: two files without a name, gone when the work ends or is killed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_BY_NUMBER = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file on the desk, open, with a path by which this process, and only this process, can open it again."""

    file: IO[bytes]
    path: Path


@contextlib.contextmanager
def desk() -> Iterator[tuple[Sheet, Sheet]]:
    """The document and the empty sheet for its translation."""
    with contextlib.ExitStack() as cleared:
        yield _sheet(cleared), _sheet(cleared)


def _sheet(cleared: contextlib.ExitStack) -> Sheet:
    if _BY_NUMBER.is_dir():
        file = cleared.enter_context(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
        return Sheet(file, _BY_NUMBER / str(file.fileno()))
    folder = cleared.enter_context(tempfile.TemporaryDirectory(prefix="svc_nb-"))  # for the owner alone
    path = Path(folder) / "sheet"
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    return Sheet(cleared.enter_context(os.fdopen(descriptor, "r+b", buffering=0)), path)
