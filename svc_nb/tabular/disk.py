"""A file put in the place of another as a whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4


def replace_file(path: Path, data: bytes) -> None:
    """Put *data* in the place of the file at *path*; see `replacing`."""
    with replacing(path) as beside, open(beside, "xb") as stream:
        stream.write(data)


def replaceable(path: Path) -> Path:
    """The file behind *path*, there or not; raises OSError where a folder, a device or the like is there."""
    place = path.resolve()
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if place.exists() and not place.is_file():
        raise OSError(f"{path} is no file but a device or the like, and stays what it is; name a file")
    return place


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside *path* to write to: at the end of the block the file there takes the place of *path*.

    A reader sees the old file or the new one, never a half, and where the block raises, what was there is unchanged.
    The file behind a link is replaced, not the link, and a file that is there keeps its mode.
    """
    place = replaceable(path)
    beside = place.with_name(f".{place.name[:40]}.{uuid4().hex[:8]}.tmp")
    try:
        yield beside
        with open(beside, "rb+") as stream:
            os.fsync(stream.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode & 0o777)
        os.replace(beside, place)
    except OSError as problem:
        raise type(problem)(
            f"{path} could not be written: {problem.strerror}. What was there is unchanged; choose another folder, or "
            "make room"
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink()
