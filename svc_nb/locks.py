"""Which files a living process works on: it holds their locks, which end with it, however it ends, and others can tell.

The lock of a file is a file of its own beside it, so that what is locked can still be read, on Windows too.
"""

import errno
import os
import weakref
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout, lock_descriptor

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
        lock = take_lock(_lock_of(path))
        how = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._descriptor = os.open(path, how if content is None else how | os.O_CREAT | os.O_EXCL, 0o600)
        except BaseException:
            end_lock(lock)
            raise
        self.close = weakref.finalize(self, _close, self._descriptor, lock)
        try:
            # What a process wrote of a line when it was killed means nothing.
            self._end = path.read_bytes().rfind(b"\n") + 1 if content is None else 0
            os.ftruncate(self._descriptor, self._end)
            self.append(content or b"")
        except BaseException:
            if content is not None:
                self.remove()
            self.close()
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
        self.path.unlink(missing_ok=True)  # Windows removes no file that is open


def is_held(path: Path) -> bool:
    """Whether a living process holds the file."""
    return is_locked(_lock_of(path))


def remove_unless_held(path: Path) -> None:
    """Remove the file unless a living process holds it."""
    with suppress(BlockingIOError):
        lock = take_lock(_lock_of(path))
        path.unlink(missing_ok=True)
        end_lock(lock)


def take_lock(path: Path, *, wait: bool = False) -> BaseFileLock:
    """The lock at *path*, until it is released or this process ends; without *wait*, BlockingIOError if it is taken.

    Processes that are forked do not have it. Where the file system has no locks, the file says which process has it.
    """
    try:
        return _acquired(FileLock, path, wait)
    except OSError as problem:
        if problem.errno not in NO_LOCKS:
            raise
        with suppress(OSError):  # the file was made before that, and would pass for somebody's
            if not path.stat().st_size:
                path.unlink()
        return _acquired(SoftFileLock, path, wait)


def end_lock(lock: BaseFileLock) -> None:
    """Release a lock that is over for good, and remove its file; a forked process does nothing."""
    if lock.is_locked:
        with suppress(OSError):  # Windows removes it with the release
            os.unlink(lock.lock_file)
        lock.release()


def is_locked(path: Path) -> bool:
    """Whether a living process has the lock at *path*; if not, its file is removed."""
    if not path.exists():
        return False
    try:
        end_lock(take_lock(path))
    except BlockingIOError:
        return True
    return False


def lock_or_tell(descriptor: int) -> bool | None:
    """Lock an open file until it is closed: whether that went well, or None where its file system has no locks."""
    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError as problem:
        if problem.errno not in NO_LOCKS:
            raise
        return None


def has_locks(folder: Path) -> bool:
    """Whether files in *folder* can be locked; where none can be made, that is another trouble."""
    try:
        with TemporaryFile(dir=folder) as file:
            return lock_or_tell(file.fileno()) is not None
    except OSError:
        return True


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, unless it is there; those above it that are new, too."""
    if not folder.is_dir():
        make_private(folder.parent)  # `parents=True` would make them for everybody
        folder.mkdir(exist_ok=True, mode=0o700)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _acquired(kind: type[BaseFileLock], path: Path, wait: bool) -> BaseFileLock:
    lock = kind(path, timeout=-1 if wait else 0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path)) from None
    except BaseException:  # such as Ctrl-C: a traceback that is kept would hold the lock
        lock.release(force=True)
        raise
    return lock


def _close(descriptor: int, lock: BaseFileLock) -> None:
    os.close(descriptor)
    end_lock(lock)
