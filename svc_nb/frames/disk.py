"""A file put in the place of another as a whole, or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def replace_file(path: Path, data: bytes) -> None:
    """Put *data* in the place of the file at *path*; a reader sees the old file or the new one, never a half.

    The file behind a link is replaced, not the link, and a file that is there keeps its mode.
    """
    place = path.resolve()
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    beside = place.with_name(f".{place.name[:40]}.{uuid4().hex[:8]}.tmp")
    try:
        with open(beside, "xb") as stream:
            stream.write(data)
            stream.flush()
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
