"""Zip packages of unknown origin: read within bounds, written so that untouched members keep their compressed bytes."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, Self

from . import Unreadable

MB = 1_000_000
MAX_MEMBERS = 10_000
MAX_DIRECTORY = 4 * MB
MAX_TOTAL = 2_000 * MB  # what all members claim to be; they are not all unpacked
MAX_RATIO = 250  # of the whole; a sheet of repeated numbers comes to about 100
MAX_PART = 64 * MB  # of one member that is read
SMALL = 10 * MB  # a package that unpacks to less is harmless at any ratio

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\5\6"
_LARGE_END = struct.Struct("<4sQ2H2L4Q")
_LARGE_LOCATOR = struct.Struct("<4sLQL")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED, _LATER_SIZES, _UTF8 = 0x1, 0x8, 0x800
_CHUNK = 1 << 18

_CUT = "The document is damaged: it is not a whole zip file."
_DAMAGED = "The document is damaged: a part of it cannot be unpacked."
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)

Maker = Callable[[], bytes | None]


class Package:
    """A zip file, open for reading; *names* are its members' in their order."""

    def __init__(self, source: Path | BinaryIO) -> None:
        self._file: BinaryIO = source.open("rb") if isinstance(source, Path) else source
        try:
            size = _checked_size(self._file)
            self._zip = zipfile.ZipFile(self._file)
            self._members = _checked_members(self._zip.infolist(), size)
        except Unreadable:
            self._file.close()
            raise
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, EOFError):
            self._file.close()
            raise Unreadable(_CUT) from None
        self.names = list(self._members)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def size(self, name: str) -> int:
        """Return how long a member is, as the package says."""
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """Return the content of a member, which is at most MAX_PART long; Unreadable if it is damaged or longer."""
        try:
            with self._zip.open(self._members[name]) as member:
                data = member.read(MAX_PART + 1)
        except _DAMAGES:
            raise Unreadable(_DAMAGED) from None
        if len(data) > MAX_PART:
            raise Unreadable(f"The document is too large: a part of it unpacks to more than {MAX_PART // MB} MB.")
        return data

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a member, of any size, chunk by chunk; Unreadable if it is damaged."""
        try:
            with self._zip.open(self._members[name]) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
        except _DAMAGES:
            raise Unreadable(_DAMAGED) from None

    def holds(self, name: str, wanted: bytes) -> bool:
        """Tell whether a member, of any size, holds the bytes *wanted*."""
        before = b""
        for chunk in self.chunks(name):
            if wanted in before + chunk:
                return True
            before = chunk[-len(wanted) :]
        return False

    def write(self, target: Path | BinaryIO, changed: Mapping[str, Maker]) -> None:
        """Write a copy; members in *changed* are made in their turn, None leaves one alone, new names go to the end."""
        with target.open("wb") if isinstance(target, Path) else nullcontext(target) as file:
            writing = _ZipWriter(file)
            for name, member in self._members.items():
                made = changed[name]() if name in changed else None
                if made is None:
                    writing.copy(member, self._file)
                else:
                    writing.add(member, made)
            for name in changed:
                if name not in self._members and (made := changed[name]()) is not None:
                    # Of 1980, as office programs write it: the time of a translation is no one's business.
                    new = zipfile.ZipInfo(name)
                    new.compress_type = zipfile.ZIP_DEFLATED
                    writing.add(new, made)
            writing.finish()


def _checked_size(file: BinaryIO) -> int:
    """Return the size of *file*; refuse what is no zip file or has a directory that would fill the memory."""
    if file.read(len(_OLE)) == _OLE:
        raise Unreadable("The document is protected by a password or in an old binary format; save it without.")
    size = file.seek(0, 2)
    start = max(0, size - _END.size - 0xFFFF)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END_SIGNATURE)
    if at < 0 or len(tail) - at < _END.size:
        raise zipfile.BadZipFile
    _, _, _, _, members, length, _, _ = _END.unpack(tail[at : at + _END.size])
    at += start - _LARGE_LOCATOR.size - _LARGE_END.size
    if at >= 0:  # where the end of a large directory would be, which zipfile believes
        file.seek(at)
        large, locator = file.read(_LARGE_END.size), _LARGE_LOCATOR.unpack(file.read(_LARGE_LOCATOR.size))
        if locator[0] == b"PK\6\7":
            if locator[2] != at or not large.startswith(b"PK\6\6"):
                raise zipfile.BadZipFile
            _, _, _, _, _, _, _, members, length, _ = _LARGE_END.unpack(large)
    if members > MAX_MEMBERS or length > MAX_DIRECTORY:
        raise Unreadable(f"The document holds more than {MAX_MEMBERS} parts.")
    return size


def _checked_members(members: list[zipfile.ZipInfo], size: int) -> dict[str, zipfile.ZipInfo]:
    checked: dict[str, zipfile.ZipInfo] = {}
    for member in members:
        name = member.filename
        if member.flag_bits & _ENCRYPTED:
            raise Unreadable("The document is protected by a password; save it without.")
        if name.startswith("/") or "\\" in member.orig_filename or ":" in name or ".." in name.split("/"):
            raise Unreadable("The document is not safe: a part's name points outside of it.")
        if name in checked or "\0" in member.orig_filename:
            raise Unreadable("The document is damaged: two parts have the same name.")
        checked[name] = member
    packed = sum(member.compress_size for member in members)
    unpacked = sum(member.file_size for member in members)
    if packed > size:
        raise Unreadable("The document is damaged: its parts overlap.")
    if unpacked > MAX_TOTAL or (unpacked > SMALL and unpacked > MAX_RATIO * size):
        raise Unreadable("The document is too large: it unpacks to many times its size.")
    return checked


class _ZipWriter:
    """A zip file on its way: each member once, its sizes ahead of it, no extra fields."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._directory: list[bytes] = []

    def copy(self, member: zipfile.ZipInfo, source: BinaryIO) -> None:
        """Copy the compressed bytes of a member of the zip file *source*."""
        self._begin(member, member.compress_type, member.CRC, (member.compress_size, member.file_size))
        source.seek(member.header_offset)
        header = source.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise Unreadable(_CUT)
        *_, name, extra = _LOCAL.unpack(header)
        source.seek(name + extra, 1)
        left = member.compress_size
        while left:
            if not (chunk := source.read(min(left, _CHUNK))):
                raise Unreadable(_CUT)
            left -= len(chunk)
            self._file.write(chunk)

    def add(self, member: zipfile.ZipInfo, content: bytes) -> None:
        packed, method = content, zipfile.ZIP_STORED
        if member.compress_type != zipfile.ZIP_STORED:
            deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
            packed, method = deflate.compress(content) + deflate.flush(), zipfile.ZIP_DEFLATED
        self._begin(member, method, zlib.crc32(content), (len(packed), len(content)))
        self._file.write(packed)

    def _begin(self, member: zipfile.ZipInfo, method: int, crc: int, sizes: tuple[int, int]) -> None:
        year, month, day, hour, minute, second = member.date_time
        date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
        flags = member.flag_bits & ~_LATER_SIZES | (0 if member.filename.isascii() else _UTF8)
        name = member.filename.encode()
        facts = (20, flags, method, time, date, crc, *sizes, len(name))
        attributes = (member.internal_attr, member.external_attr, self._file.tell())
        self._directory.append(_CENTRAL.pack(b"PK\1\2", 20, *facts, 0, 0, 0, *attributes) + name)
        self._file.write(_LOCAL.pack(b"PK\3\4", *facts, 0) + name)

    def finish(self) -> None:
        start = self._file.tell()
        for entry in self._directory:
            self._file.write(entry)
        length, count = self._file.tell() - start, len(self._directory)
        self._file.write(_END.pack(_END_SIGNATURE, 0, 0, count, count, length, start, 0))
