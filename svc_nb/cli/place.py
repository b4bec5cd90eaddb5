"""Where a result is written: beside its source or where it is told to, whole or not at all, over nothing unasked."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO
from uuid import uuid4

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.screen import refuse_terminal, write_out

if TYPE_CHECKING:
    from svc_nb.frames.written import Written
    from svc_nb.session import Session

STDOUT = "-"
AT_ONCE = 1 << 20
LONGEST_NAME = 40
LEFT = re.compile(r"\.(\d+)-[0-9a-f]{8}\.part")
TABLES = (".tsv", ".csv", ".xlsx", ".tbx", ".tmx", ".json")
THERE = "is there already; --replace puts the result in its place, --out names another file"


@dataclass(frozen=True, slots=True)
class Place:
    """A file to write, or stdout where there is no path; *written* knows which files were made here."""

    path: Path | None
    written: Written
    replace: bool = False

    @classmethod
    def of(cls, source: str, out: str | None, session: Session, *, mark: str, replace: bool = False) -> Place:
        """The place that *out* names, else beside *source* with *mark* before its ending; checked to be free.

        Raises Failure before anything is paid for: where a file is there that was not made here or was changed since,
        and may not be replaced, where it is the source itself, or where nothing can be written.
        """
        from svc_nb.frames.written import Written

        written = Written(Path(session.settings.written_path))
        if out == STDOUT or (out is None and source == STDOUT):
            return cls(None, written)
        path = Path(out) if out else _beside(Path(source), mark)
        if path.is_dir():
            path = path / _beside(Path(source), mark).name
        _refuse_source(path, source)
        check_writable(path)
        try:
            written.check(path, replace=replace)
        except FileExistsError:
            raise Failure(f"{path} {THERE}") from None
        return cls(path, written, replace)

    @contextmanager
    def opened(self, *, packed: bool) -> Iterator[BinaryIO]:
        """A stream to write to: at the end of the block the file is there, and where the block raises, nothing is.

        What is *packed* is not for a terminal, which is said before anything else.
        """
        if self.path is not None:
            with self._beside(self.path) as stream:
                yield stream
            return
        if packed:
            refuse_terminal()
        with TemporaryFile() as stream:
            yield stream
            stream.seek(0)
            while data := stream.read(AT_ONCE):
                write_out(data)

    @contextmanager
    def _beside(self, path: Path) -> Iterator[BinaryIO]:
        """A file beside *path* that takes its place at the end; those of processes that were killed are removed."""
        from svc_nb.frames.held import Held

        _remove_left(path.resolve())
        part = _part(path.resolve())
        try:
            with open(part, "xb") as stream, closing(Held(part)):
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            self.written.put(path, part, replace=self.replace)
        except OSError as problem:
            if problem.strerror is None:  # it says all that there is to say
                raise
            raise Failure(
                f"{path} could not be written: {problem.strerror}. What was there is unchanged, and what is done is "
                "kept; choose another folder, or make room"
            ) from None
        finally:
            part.unlink(missing_ok=True)

    def __str__(self) -> str:
        return "stdout" if self.path is None else str(self.path)


def marked(target_langs: Sequence[str]) -> str:
    """What tells a translation's name from its source's.

    >>> marked(["DE", "EN-US"])
    '.de.en-us'
    """
    return "".join(f".{code.lower()}" for code in target_langs)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name[:LONGEST_NAME]}.{os.getpid()}-{uuid4().hex[:8]}.part")


def _remove_left(path: Path) -> None:
    """Remove what processes that were killed have left beside *path* of a file that should have become it."""
    from svc_nb.frames.held import is_held

    for left in path.parent.glob(f".{glob.escape(path.name[:LONGEST_NAME])}.*.part"):
        named = LEFT.search(left.name)
        with suppress(OSError):
            if named and not is_held(left, int(named[1])):
                left.unlink()


def check(path: Path, *, replace: bool) -> None:
    """Raise Failure where a file cannot be written at *path*, or one is there that may not be replaced."""
    check_writable(path)
    if path.exists() and not replace:
        raise Failure(f"{path} is there already; --replace puts the result in its place")


def is_file(name: str) -> bool:
    """Whether *name* is that of a file; what looks like one and is not there raises Failure."""
    if Path(name).suffix.lower() in TABLES and not Path(name).exists():
        raise Failure(f"there is no file {name}")
    return Path(name).is_file()


def check_writable(path: Path) -> None:
    """Raise Failure where no file can be written at *path*."""
    check_folder(path.parent)
    if path.exists() and not path.is_file():
        raise Failure(f"{path} is no file but a device or the like, and stays what it is; name a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise Failure(f"{path} may not be written; nothing was sent")


def check_folder(folder: Path) -> None:
    """Raise Failure where no file can be written in *folder*."""
    if not folder.is_dir():
        raise Failure(f"there is no folder {folder} to write in")
    if not os.access(folder, os.W_OK):
        raise Failure(f"nothing can be written in the folder {folder}; name another place")


def _beside(source: Path, mark: str) -> Path:
    return source.with_name(f"{source.stem}{mark}{source.suffix}")


def _refuse_source(path: Path, source: str) -> None:
    if source != STDOUT and path.exists() and path.samefile(source):
        raise Misuse(f"{path} is the source itself, which is never replaced; name another file by --out")
