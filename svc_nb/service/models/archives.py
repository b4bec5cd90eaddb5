"""The one unpacker of archives that someone brings: a hostile one writes nothing but an exception."""

import bz2
import gzip
import lzma
import shutil
import stat
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from . import BrokenModel

LARGEST = 4 << 30
MOST_MEMBERS = 1_000
MOST_SWELLING = 200
ONE_READ = 16 << 20

_PACKED: dict[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_Member = tuple[str, int, Callable[[], IO[bytes]]]


def unpack(archive: Path, folder: Path) -> None:
    """Unpack *archive* into the new *folder*, or raise BrokenModel; links, devices and ways out of it are refused."""
    packed = archive.stat().st_size
    seen: set[str] = set()
    total = 0
    try:
        with ExitStack() as opened:
            zipped = zipfile.is_zipfile(archive)
            for name, size, content in (_zip_members if zipped else _tar_members)(archive, opened):
                path = PurePosixPath(name)
                if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
                    raise BrokenModel("it would write outside its folder")
                if not path.parts or not name.isprintable():
                    raise BrokenModel("it holds a file without a proper name")
                # Some file systems know no case, or only one of two ways to write an accent.
                own = unicodedata.normalize("NFC", str(path)).casefold()
                if own in seen:
                    raise BrokenModel(f"it holds {path} twice, in capitals or not")
                seen.add(own)
                total += size
                if len(seen) > MOST_MEMBERS or total > LARGEST:
                    raise BrokenModel("it is larger than any model")
                if total > MOST_SWELLING * packed:
                    raise BrokenModel("it swells to many times its size when it is unpacked")
                target = folder.joinpath(*path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with content() as source, target.open("xb") as out:
                    shutil.copyfileobj(source, out)
    except BrokenModel:
        raise
    except OSError as error:
        if error.errno is not None and not isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
            raise  # the disk's trouble, not the archive's
        raise BrokenModel("it is no archive that can be read") from error
    except Exception as error:  # whatever a damaged file makes its reader raise
        raise BrokenModel("it is no archive that can be read") from error
    if not seen:
        raise BrokenModel("it is empty")


def _zip_members(archive: Path, opened: ExitStack) -> Iterator[_Member]:
    zipped = opened.enter_context(zipfile.ZipFile(archive))
    for member in zipped.infolist():
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise BrokenModel("it holds a link or a device")
        if not member.is_dir():
            yield member.filename, member.file_size, lambda member=member: zipped.open(member)  # type: ignore[misc]


def _tar_members(archive: Path, opened: ExitStack) -> Iterator[_Member]:
    with archive.open("rb") as file:
        start = file.read(8)
    packed = next((reader for magic, reader in _PACKED.items() if start.startswith(magic)), None)
    content = opened.enter_context(packed(archive) if packed else archive.open("rb"))
    tar = opened.enter_context(tarfile.TarFile(fileobj=cast("IO[bytes]", _Bounded(content))))
    for member in tar:
        if not (member.isdir() or (member.isreg() and not member.issparse())):
            raise BrokenModel("it holds a link or a device")
        if member.isreg():
            yield member.name, member.size, lambda member=member: tar.extractfile(member)  # type: ignore[misc]


class _Bounded:
    """A file that gives no more than ONE_READ at once: the head of a tar can ask for any amount."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        """Read *size* bytes."""
        if not 0 <= size <= ONE_READ:
            raise BrokenModel("it is larger than any model")
        found: bytes = self._file.read(size)
        return found
