"""Zip packages of unknown origin: read within bounds, written so that untouched members keep their compressed bytes."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
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

_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)

Maker = Callable[[], bytes | None]


class Package:
    """A zip file, open for reading; *names* are its members' in their order."""

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("rb")
        try:
            size = _checked_size(self._file)
            self._zip = zipfile.ZipFile(self._file)
            self._members = _checked_members(self._zip.infolist(), size)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, EOFError) as error:
            self._file.close()
            raise _as_unreadable(error) from None
        self.names = list(self._members)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read(self, name: str) -> bytes:
        """Return the content of a member, which is at most MAX_PART long; Unreadable if it is damaged or longer."""
        try:
            with self._zip.open(self._members[name]) as member:
                data = member.read(MAX_PART + 1)
        except _DAMAGES:
            raise Unreadable("The document is damaged: a part of it cannot be unpacked.") from None
        if len(data) > MAX_PART:
            raise Unreadable(
                f"The document is too large: a part of it unpacks to more than {MAX_PART // MB} MB."
            )
        return data

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a member, of any size, chunk by chunk; Unreadable if it is damaged."""
        try:
            with self._zip.open(self._members[name]) as member:
                while chunk := member.read(_CHUNK):
                    yield chunk
        except _DAMAGES:
            raise Unreadable("The document is damaged: a part of it cannot be unpacked.") from None

    def holds(self, name: str, wanted: bytes) -> bool:
        """Tell whether a member, of any size, holds the bytes *wanted*."""
        before = b""
        for chunk in self.chunks(name):
            if wanted in before + chunk:
                return True
            before = chunk[-len(wanted) :]
        return False

    def write(self, target: Path, changed: Mapping[str, Maker]) -> None:
        """Write a copy to *target*: same members, same order; those in *changed* with the content that is made there.

        A maker is called when its member's turn comes; None leaves the member as it is. Names that are no member yet
        are added at the end. Members that do not change keep their compressed bytes.
        """
        with target.open("wb") as file:
            writing = _Writing(file)
            for name, member in self._members.items():
                made = changed[name]() if name in changed else None
                if made is None:
                    writing.copy(member, self._stored(member))
                else:
                    writing.add(member, made)
            for name in changed:
                if name not in self._members and (made := changed[name]()) is not None:
                    writing.add(_new_member(name), made)
            writing.finish()

    def _stored(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield the compressed bytes of *member*."""
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise Unreadable("The document is damaged: it is not a whole zip file.")
        *_, name, extra = _LOCAL.unpack(header)
        self._file.seek(name + extra, 1)
        left = member.compress_size
        while left:
            chunk = self._file.read(min(left, _CHUNK))
            if not chunk:
                raise Unreadable("The document is damaged: it is not a whole zip file.")
            left -= len(chunk)
            yield chunk


def _as_unreadable(error: Exception) -> Unreadable:
    if isinstance(error, Unreadable):
        return error
    return Unreadable("The document is damaged: it is not a whole zip file.")


def _checked_size(file: BinaryIO) -> int:
    """Return the size of *file*; refuse what is no zip file or has a directory that would fill the memory."""
    if file.read(len(_OLE)) == _OLE:
        raise Unreadable(
            "The document is protected by a password or in an old binary format; save it without."
        )
    size = file.seek(0, 2)
    start = max(0, size - _END.size - 0xFFFF)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END_SIGNATURE)
    if at < 0 or len(tail) - at < _END.size:
        raise zipfile.BadZipFile
    members, length = _directory(file, start + at)
    if members > MAX_MEMBERS or length > MAX_DIRECTORY:
        raise Unreadable(f"The document holds more than {MAX_MEMBERS} parts.")
    return size


def _directory(file: BinaryIO, end: int) -> tuple[int, int]:
    """Return how many members the directory has that ends at *end*, and how many bytes; as zipfile will believe it."""
    file.seek(end)
    _, _, _, _, members, length, _, _ = _END.unpack(file.read(_END.size))
    at = end - _LARGE_LOCATOR.size - _LARGE_END.size
    if at < 0:
        return members, length
    file.seek(at)
    large, locator = file.read(_LARGE_END.size), _LARGE_LOCATOR.unpack(file.read(_LARGE_LOCATOR.size))
    if locator[0] != b"PK\6\7":
        return members, length
    if locator[2] != at or not large.startswith(b"PK\6\6"):
        raise zipfile.BadZipFile
    _, _, _, _, _, _, _, members, length, _ = _LARGE_END.unpack(large)
    return members, length


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


def _new_member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(
        name
    )  # of 1980, as office programs write it: the time of a translation is nobody's business
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


class _Writing:
    """A zip file on its way: each member once, its sizes ahead of it, no extra fields."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._directory: list[bytes] = []

    def copy(self, member: zipfile.ZipInfo, stored: Iterator[bytes]) -> None:
        self._begin(member, crc=member.CRC, sizes=(member.compress_size, member.file_size))
        for chunk in stored:
            self._file.write(chunk)

    def add(self, member: zipfile.ZipInfo, content: bytes) -> None:
        packed = content
        if member.compress_type != zipfile.ZIP_STORED:
            deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
            packed = deflate.compress(content) + deflate.flush()
        self._begin(
            member, crc=zlib.crc32(content), sizes=(len(packed), len(content)), deflated=packed is not content
        )
        self._file.write(packed)

    def _begin(
        self, member: zipfile.ZipInfo, *, crc: int, sizes: tuple[int, int], deflated: bool | None = None
    ) -> None:
        year, month, day, hour, minute, second = member.date_time
        date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
        flags = member.flag_bits & ~_LATER_SIZES | (0 if member.filename.isascii() else _UTF8)
        name = member.filename.encode()
        method = (
            member.compress_type
            if deflated is None
            else zipfile.ZIP_DEFLATED
            if deflated
            else zipfile.ZIP_STORED
        )
        offset = self._file.tell()
        facts = (20, flags, method, time, date, crc, *sizes, len(name))
        self._directory.append(
            _CENTRAL.pack(b"PK\1\2", 20, *facts, 0, 0, 0, member.internal_attr, member.external_attr, offset)
            + name
        )
        self._file.write(_LOCAL.pack(b"PK\3\4", *facts, 0) + name)

    def finish(self) -> None:
        start = self._file.tell()
        for entry in self._directory:
            self._file.write(entry)
        length, count = self._file.tell() - start, len(self._directory)
        self._file.write(_END.pack(_END_SIGNATURE, 0, 0, count, count, length, start, 0))
