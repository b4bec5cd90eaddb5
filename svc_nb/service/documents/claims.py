"""Who is at work on a document: one thread of one process, told by a lock that ends with it, however it ends."""

from __future__ import annotations

import errno
import os
import sys
import weakref
from pathlib import Path

if sys.platform == "win32":  # pragma: no cover
    import msvcrt
else:
    import fcntl

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class Claim:
    """A claim on what *path* stands for, until `close`; raises BlockingIOError where another has it."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        self.close = weakref.finalize(self, os.close, descriptor)
        try:
            _lock(descriptor)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":  # pragma: no cover
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            raise BlockingIOError(problem.errno, problem.strerror) from None
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        if problem.errno not in _NO_LOCKS:  # where the file system has none, each stands for itself
            raise
