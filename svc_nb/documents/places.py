"""A file put under its final name, as a whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

NOTHING = bytes(1 << 20)


def make_room(path: Path, size: int) -> None:
    """Raise OSError unless *size* bytes can be written to the file *path*, which is empty afterwards.

    A translation is paid for when it has been sent, whether or not there was room for it.
    """
    try:
        with open(path, "wb") as stream:
            for begin in range(0, size, len(NOTHING)):
                stream.write(NOTHING[: size - begin])
            stream.flush()
            stream.truncate(0)
    except OSError as problem:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise OSError(problem.errno, problem.strerror, str(path.parent)) from None


def moved(source: Path, place: Path) -> None:
    """Move the whole file *source* to *place*, also to another disk; what is there is replaced."""
    try:
        os.replace(source, place)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        copied(source, place)
        source.unlink(missing_ok=True)
    _settle(place.parent)


def copied(source: Path, place: Path) -> None:
    """Copy *source* to *place*; a reader sees the old file or the new one, never a half."""
    beside = place.with_name(f".{place.name[:40]}.{uuid4().hex[:8]}.part")
    try:
        with open(source, "rb") as original, open(beside, "xb") as copy:
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
    _settle(place.parent)


def _settle(folder: Path) -> None:
    """Bring the folder's list of names to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
