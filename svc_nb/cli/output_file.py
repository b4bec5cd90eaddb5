"""Where a result is written: beside its source or where it is told to, whole or not at all, over nothing unasked."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import TYPE_CHECKING, BinaryIO
from uuid import uuid4

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.output import refuse_terminal, write_out

if TYPE_CHECKING:
    from svc_nb.locks import LockedFile
    from svc_nb.session import Session
    from svc_nb.tabular.disk import WrittenFiles

STDOUT = "-"
SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
AT_ONCE = 1 << 20
LONGEST_NAME = 40
LEFT = re.compile(r"\.(\d+)-[0-9a-f]{8}\.part")
THERE = "already exists; --replace replaces it, --out names another file"


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write, or stdout; *written* knows which were made here, and a new one gets the source's `mode`."""

    path: Path | None
    written: WrittenFiles
    replace: bool = False
    mode: int = 0o600

    @classmethod
    def of(cls, source: str, out: str | None, session: Session, *, mark: str, replace: bool) -> OutputFile:
        """The file that *out* names, else one beside *source* with *mark* before its ending; checked to be free."""
        from svc_nb.tabular.disk import WrittenFiles

        written = WrittenFiles(Path(session.settings.written_path))
        if out == STDOUT or (out is None and source == STDOUT):
            return cls(None, written)
        beside = Path(source).with_name(f"{Path(source).stem}{mark}{Path(source).suffix}")
        path = Path(out) if out else beside
        if out and out.endswith(SEPARATORS):
            check_folder(path)
        if path.is_dir():
            path = path / beside.name
        if source != STDOUT and path.exists() and path.samefile(source):
            raise Misuse(f"{path} is the source itself, which is never replaced; name another file by --out")
        check_writable(path)
        try:
            written.check(path, replace=replace)
        except FileExistsError:
            raise Failure(f"{path} {THERE}") from None
        # A new file has the mode that `cp` gives it; its owner can always write it.
        mask = os.umask(0o077)
        os.umask(mask)
        readable = 0o666 if source == STDOUT else Path(source).stat().st_mode
        return cls(path, written, replace, 0o600 | (0o666 & ~mask & readable))

    def check_room(self, size: int) -> None:
        """Raise Failure where not even *size* bytes are free, which is how long the source is."""
        folder = Path(gettempdir()) if self.path is None else self.path.resolve().parent
        room = shutil.disk_usage(folder)
        if room.free < size and room.total:  # some file systems do not tell
            raise Failure(
                f"the result needs more than {size:,} bytes in {folder}, and {room.free:,} are free; nothing was sent. "
                f"Make room, or choose another folder{' by TMPDIR' if self.path is None else ''}"
            )

    @contextmanager
    def opened(self, *, packed: bool) -> Iterator[BinaryIO]:
        """A stream to write to: at the end of the block the file is there, and where the block raises, nothing is."""
        if self.path is not None:
            with self._replacing(self.path) as stream:
                yield stream
            return
        if packed:
            refuse_terminal()
        with ExitStack() as opened:
            with _telling(f"the result could not be kept in {gettempdir()}"):
                stream = opened.enter_context(TemporaryFile())
                yield stream
                stream.seek(0)
            with _telling("the result could not be written to stdout"):
                while data := stream.read(AT_ONCE):
                    write_out(data)

    @contextmanager
    def _replacing(self, path: Path) -> Iterator[BinaryIO]:
        """A file beside *path* that takes its place at the end; those of processes that were killed are removed."""
        place = path.resolve()
        with _telling(f"{path} could not be written", "What was there is unchanged, and what"):
            remove_left_parts(place)
            part = new_part(place)
            try:
                with open(part.path, "r+b") as stream:
                    yield stream
                    stream.flush()
                    os.fsync(stream.fileno())
                if os.name == "nt":  # pragma: no cover  # Windows moves no file that is open
                    part.close()
                with suppress(OSError):  # there are file systems without modes
                    part.path.chmod(place.stat().st_mode & 0o777 if place.exists() else self.mode)
                self.written.put(path, part.path, replace=self.replace)
            finally:
                part.remove()

    def __str__(self) -> str:
        return "stdout" if self.path is None else str(self.path)


@contextmanager
def _telling(what: str, kept: str = "What") -> Iterator[None]:
    """Raise Failure, which says *what* could not be done and what is *kept*, where the operating system refuses."""
    try:
        yield
    except OSError as problem:
        # Who has left is no failure, and what has no such word says all that there is to say.
        if isinstance(problem, BrokenPipeError) or problem.strerror is None:
            raise
        raise Failure(
            f"{what}: {problem.strerror}. {kept} is done is kept; choose another folder, or make room"
        ) from None


def new_part(path: Path) -> LockedFile:
    """A new file beside *path*, held, that only its owner can read."""
    from svc_nb.locks import LockedFile

    return LockedFile(path.with_name(f".{path.name[:LONGEST_NAME]}.{os.getpid()}-{uuid4().hex[:8]}.part"), b"")


def remove_left_parts(path: Path) -> None:
    """Remove what processes that were killed have left beside *path* of a file that should have become it."""
    from svc_nb.locks import remove_unless_held

    for left in path.parent.glob(f".{glob.escape(path.name[:LONGEST_NAME])}.*.part"):
        if LEFT.search(left.name):
            with suppress(OSError):
                remove_unless_held(left)


def check_free(path: Path, *, replace: bool) -> None:
    """Raise Failure where a file cannot be written at *path*, or one is there that may not be replaced."""
    check_writable(path)
    if path.exists() and not replace:
        raise Failure(f"{path} already exists; --replace replaces it")


def check_writable(path: Path) -> None:
    """Raise Failure where no file can be written at *path*."""
    check_folder(path.parent)
    if path.exists() and not path.is_file():
        raise Failure(f"{path} is not a regular file but a device or the like; name a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise Failure(f"{path} may not be written; nothing was sent")


def check_folder(folder: Path) -> None:
    """Raise Failure where no file can be written in *folder*."""
    if not folder.is_dir():
        raise Failure(f"there is no folder {folder} to write in")
    if not os.access(folder, os.W_OK):
        raise Failure(f"nothing can be written in the folder {folder}; name another place")
