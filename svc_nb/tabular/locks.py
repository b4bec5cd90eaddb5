"""Files that a living process holds: when it ends, however it ends, it lets go of them, and others can tell.

A file is held by a lock of the operating system. Where the file system has none, the number of the process tells.
"""

from __future__ import annotations

import errno
import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":  # pragma: no cover
    import msvcrt
else:
    import fcntl

READING = os.O_RDWR | getattr(os, "O_BINARY", 0)
WRITING = READING | os.O_APPEND
# Where Windows, which lets nobody read what is locked, locks a byte that is never there.
BEYOND = 1 << 40
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class LockedFile:
    """The file at *path*, held by this process until `close`; new with some *content*, or one that was let go.

    A new file can be read by its owner alone, and so can its folder where that is new. Raises OSError, and then there
    is no new file; BlockingIOError where another process holds the file.
    """

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        self.path = path
        if content is not None:
            make_private(path.parent)
        how = WRITING if content is None else WRITING | os.O_CREAT | os.O_EXCL
        self._descriptor = os.open(path, how, 0o600)
        self.close = weakref.finalize(self, os.close, self._descriptor)
        try:
            _lock(self._descriptor, wait=content is not None)
            # What a process wrote of a line when it was killed means nothing.
            self._end = path.read_bytes().rfind(b"\n") + 1 if content is None else 0
            os.ftruncate(self._descriptor, self._end)
            self.append(content or b"")
        except BaseException:
            self.close()
            if content is not None:
                path.unlink(missing_ok=True)
            raise

    def append(self, content: bytes) -> None:
        """Bring *content* to the operating system, all of it or, with an OSError, nothing."""
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except BaseException:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            raise
        self._end += len(content)

    def remove(self) -> None:
        """Remove the file, while it is held where that is possible."""
        with suppress(OSError):
            self.path.unlink()
        self.close()
        self.path.unlink(missing_ok=True)


def is_held(path: Path, process: int) -> bool:
    """Whether a living process holds the file; *process* is the number of the one that did."""
    descriptor = os.open(path, READING)
    try:
        return _is_locked(descriptor, process)
    finally:
        os.close(descriptor)


def remove_unless_held(path: Path, process: int) -> None:
    """Remove the file unless a living process holds it; one that is about to hold it waits, and then finds it gone."""
    descriptor = os.open(path, READING)
    try:
        if _is_locked(descriptor, process):
            return
        if sys.platform != "win32":
            path.unlink()
            return
    finally:
        os.close(descriptor)
    path.unlink()  # pragma: no cover  # Windows removes no file that is open


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait until nobody else is in such a block, here or in another process; the file at *path* is there for this only.

    Where the file system has no locks, nobody waits.
    """
    descriptor = os.open(path, READING | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, unless it is there."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _lock(descriptor: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock a file until it is closed; without *wait*, raise BlockingIOError where another has locked it."""
    if sys.platform == "win32":  # pragma: no cover
        os.lseek(descriptor, BEYOND, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        return
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except OSError as problem:
        if shared or problem.errno not in NO_LOCKS:
            raise


def _is_locked(descriptor: int, process: int) -> bool:
    """Whether another has locked the file, or, where there are no locks, whether *process* lives; if not, lock it."""
    try:
        _lock(descriptor, shared=True)
    except OSError as problem:
        if problem.errno not in NO_LOCKS:
            return True
    else:
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
