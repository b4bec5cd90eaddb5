"""Which files a running process works on: it holds their locks, which end with the process, however that ends.

The lock of a file is a separate file beside it, so that a locked file can still be read, even on Windows.
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
    """The file at *path*, held by this process until `close`: new with some *content*, or one that was released.

    Only its owner can read a new file, and its folder if that is new. Raises BlockingIOError if another process holds
    the file, and any other OSError without leaving a new file.
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
            # A process that was killed may have left an incomplete last line, which is ignored.
            self._end = path.read_bytes().rfind(b"\n") + 1 if content is None else 0
            os.ftruncate(self._descriptor, self._end)
            self.append(content or b"")
        except BaseException:
            if content is not None:
                self.remove()
            self.close()
            raise

    def append(self, content: bytes) -> None:
        """Write *content* to the operating system: all of it or, with an OSError, nothing."""
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
        """Remove the file, if possible while it is held."""
        with suppress(OSError):
            self.path.unlink()
        self.close()
        self.path.unlink(missing_ok=True)  # Windows cannot remove an open file


def is_held(path: Path) -> bool:
    """Whether a running process holds the file."""
    return is_locked(_lock_of(path))


def remove_unless_held(path: Path) -> None:
    """Remove the file unless a running process holds it."""
    with suppress(BlockingIOError):
        lock = take_lock(_lock_of(path))
        path.unlink(missing_ok=True)
        end_lock(lock)


def take_lock(path: Path, *, wait: bool = False) -> BaseFileLock:
    """The lock at *path*, until it is released or this process ends; without *wait*, BlockingIOError if it is taken.

    Forked processes do not hold it. If the file system has no locks, the file says which process holds it.
    """
    try:
        return _acquired(FileLock, path, wait)
    except OSError as problem:
        if problem.errno not in NO_LOCKS:
            raise
        with suppress(OSError):  # the file exists by now, and would look like another process's lock
            if not path.stat().st_size:
                path.unlink()
        return _acquired(SoftFileLock, path, wait)


def end_lock(lock: BaseFileLock) -> None:
    """Release a lock for good and remove its file; a forked process does nothing."""
    if lock.is_locked:
        with suppress(OSError):  # on Windows the release removes it
            os.unlink(lock.lock_file)
        lock.release()


def is_locked(path: Path) -> bool:
    """Whether a running process has the lock at *path*; if not, its file is removed."""
    if not path.exists():
        return False
    try:
        end_lock(take_lock(path))
    except BlockingIOError:
        return True
    return False


def lock_or_tell(descriptor: int) -> bool | None:
    """Lock an open file until it is closed; return whether that succeeded, or None if its file system has no locks."""
    try:
        return lock_descriptor(descriptor, blocking=False)
    except OSError as problem:
        if problem.errno not in NO_LOCKS:
            raise
        return None


def has_locks(folder: Path) -> bool:
    """Whether files in *folder* can be locked; also True if none can be created, which is a different problem."""
    try:
        with TemporaryFile(dir=folder) as file:
            return lock_or_tell(file.fileno()) is not None
    except OSError:
        return True


def make_private(folder: Path) -> None:
    """Create a folder that only its owner can open, unless it exists; missing parent folders too."""
    if not folder.is_dir():
        make_private(folder.parent)  # `parents=True` would create them with the default permissions
        folder.mkdir(exist_ok=True, mode=0o700)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _acquired(kind: type[BaseFileLock], path: Path, wait: bool) -> BaseFileLock:
    lock = kind(path, timeout=-1 if wait else 0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path)) from None
    except BaseException:  # such as Ctrl-C: a traceback that someone keeps would hold the lock
        lock.release(force=True)
        raise
    return lock


def _close(descriptor: int, lock: BaseFileLock) -> None:
    os.close(descriptor)
    end_lock(lock)
