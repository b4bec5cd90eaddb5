"""Zip packages: what is not touched keeps its bytes, and hostile ones end in one clear line within bounds."""

from __future__ import annotations

import io
import re
import struct
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from svc_nb.service.formats import Unreadable
from svc_nb.service.formats.zip_package import MAX_MEMBERS, Package
from tests.service.formats.wording import translated


def packed(path: Path, members, *, compression=zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def stored_bytes(path: Path, name: str) -> bytes:
    """The compressed bytes of a member."""
    with zipfile.ZipFile(path) as file:
        member = file.getinfo(name)
    data = path.read_bytes()
    names, extra = struct.unpack_from("<2H", data, member.header_offset + 26)
    start = member.header_offset + 30 + names + extra
    return data[start : start + member.compress_size]


def test_untouched_members_keep_their_compressed_bytes_and_all_keep_their_order(tmp_path):
    source = tmp_path / "a.zip"
    with zipfile.ZipFile(source, "w") as file:
        file.writestr("mimetype", "application/x", zipfile.ZIP_STORED)
        file.writestr("b/ü.xml", "hello " * 999, zipfile.ZIP_DEFLATED, 9)
        file.writestr("a.xml", "old", zipfile.ZIP_DEFLATED)
        file.writestr("folder/", "")
    with Package(source) as package:
        assert package.read("a.xml") == b"old"
        package.write(
            tmp_path / "b.zip",
            {"a.xml": lambda: b"new" * 9, "added.xml": lambda: b"more", "mimetype": lambda: None},
        )
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        assert file.testzip() is None
        assert file.namelist() == ["mimetype", "b/ü.xml", "a.xml", "folder/", "added.xml"]
        assert file.read("a.xml") == b"new" * 9
        assert file.read("added.xml") == b"more"
        assert file.getinfo("mimetype").compress_type == zipfile.ZIP_STORED
    for name in ("mimetype", "b/ü.xml"):
        assert stored_bytes(tmp_path / "b.zip", name) == stored_bytes(source, name)


def test_a_member_whose_sizes_follow_its_content_is_copied_too(tmp_path):
    class Pipe(io.RawIOBase):
        """A file that cannot be sought, as a writer that streams sees it."""

        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, chunk) -> int:
            self.data += chunk
            return len(chunk)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.xml", "x" * 1000)
    source = tmp_path / "a.zip"
    source.write_bytes(pipe.data)
    with Package(source) as package:
        package.write(tmp_path / "b.zip", {})
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        assert file.testzip() is None
        assert file.read("a.xml") == b"x" * 1000


def test_bytes_are_found_across_the_borders_of_chunks(tmp_path):
    with Package(packed(tmp_path / "a.zip", [("a", b"-" * ((1 << 18) - 3) + b"needle" + b"-" * 99)])) as package:
        assert package.holds("a", b"needle")
        assert not package.holds("a", b"noodle")


@pytest.mark.parametrize("name", ["../a.xml", "a/../../b", "/etc/passwd", "C:/a.xml", "a\\..\\b"])
def test_a_name_that_points_outside_is_refused(tmp_path, name):
    with pytest.raises(Unreadable, match="outside"):
        Package(packed(tmp_path / "a.zip", [("ok.xml", ""), (name, "x")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path):
    with pytest.raises(Unreadable, match="same name"):
        Package(packed(tmp_path / "a.zip", [("a.xml", "1"), ("a.xml", "2")]))


def test_an_encrypted_package_is_refused_and_says_so(tmp_path):
    source = packed(tmp_path / "a.zip", [("a.xml", "secret")])
    data = bytearray(source.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1
    source.write_bytes(data)
    with pytest.raises(Unreadable, match="password"):
        Package(source)
    source.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(Unreadable, match="password"):
        Package(source)


def test_a_package_cut_short_anywhere_is_refused_or_read_as_far_as_it_is_whole(tmp_path):
    source = packed(tmp_path / "a.zip", [("a.xml", "hello " * 50), ("b.xml", "you " * 50)])
    data = source.read_bytes()
    for length in range(len(data)):
        source.write_bytes(data[:length])
        with pytest.raises(Unreadable, match="damaged"):
            Package(source)


def test_bytes_changed_in_a_member_are_seen_when_it_is_read(tmp_path):
    source = packed(tmp_path / "a.zip", [("a.xml", "hello " * 50)])
    data = bytearray(source.read_bytes())
    data[40] ^= 0xFF
    source.write_bytes(data)
    with Package(source) as package, pytest.raises(Unreadable, match="unpacked"):
        package.read("a.xml")


def test_more_members_than_any_document_has_are_refused(tmp_path):
    with pytest.raises(Unreadable, match="parts"):
        Package(packed(tmp_path / "a.zip", ((str(at), b"") for at in range(MAX_MEMBERS + 1))))


def test_the_form_for_large_packages_hides_no_members(tmp_path):
    source = packed(tmp_path / "a.zip", [("a", "content")])
    data = source.read_bytes()
    end = data.rindex(b"PK\5\6")
    start = data.index(b"PK\1\2")

    def large(members: int, at: int = end) -> bytes:
        record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, members, members, end - start, start)
        return data[:end] + record + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1) + data[end:]

    source.write_bytes(large(1))
    with Package(source) as package:
        assert package.read("a") == b"content"
    source.write_bytes(large(MAX_MEMBERS + 1))
    with pytest.raises(Unreadable, match="more than"):
        Package(source)
    source.write_bytes(large(1, at=0))
    with pytest.raises(Unreadable, match="damaged"):
        Package(source)


def test_members_that_share_their_bytes_are_refused(tmp_path):
    source = packed(tmp_path / "a.zip", [("a", b"0123456789" * 99), ("b", b"")], compression=zipfile.ZIP_STORED)
    data = bytearray(source.read_bytes())
    second = data.rindex(b"PK\1\2")
    first = data.index(b"PK\1\2")
    data[second + 16 : second + 28] = data[first + 16 : first + 28]
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    source.write_bytes(data)
    with pytest.raises(Unreadable, match="overlap"):
        Package(source)


def test_a_package_that_unpacks_to_hundreds_of_times_its_size_is_refused_unread(tmp_path):
    with pytest.raises(Unreadable, match="many times"):
        Package(packed(tmp_path / "a.zip", [("a", bytes(12_000_000))]))
    with Package(packed(tmp_path / "b.zip", [("a", bytes(2_000_000))])) as package:
        assert len(package.read("a")) == 2_000_000


BOUNDED = """
import pathlib, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
from svc_nb.service import formats
for source in map(pathlib.Path, sys.argv[1:]):
    try:
        words = lambda texts, tagged=False: list(texts)
        formats.translate("docx", source, source.with_name("out"), words=words, wish=formats.Wish("DE"))
    except formats.Unreadable as error:
        print("unreadable:", error)
"""

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>'
)
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


START = f"<w:document {W}>".encode()
TEXT = b"<w:p><w:r><w:t>" + bytes(at * 31 % 251 % 26 + 97 for at in range(4096)) + b"</w:t></w:r></w:p>"
HOSTILE = {
    "bomb": lambda: START + b" " * 100_000_000,
    "long part": lambda: START + bytes(at * 31 % 251 + 1 for at in range(4096)) * 17_000,
    "long texts": lambda: START + TEXT * 5_200 + b"</w:document>",
    "entities": lambda: b'<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>',
    "file": lambda: b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>',
    "deep": lambda: b"<a>" * 10_000 + b"</a>" * 10_000,
    "torn": lambda: START + b"<w:body><w:p>",
    "no xml": lambda: b"\0\1\2",
}


@pytest.mark.long
def test_each_hostile_document_ends_in_one_clear_line_within_600_mb(tmp_path):
    sources = [
        packed(tmp_path / kind, [("[Content_Types].xml", TYPES), ("word/document.xml", make())])
        for kind, make in HOSTILE.items()
    ]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BOUNDED), *sources],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = dict(zip(HOSTILE, done.stdout.splitlines(), strict=True))
    assert all(re.match("unreadable: .", line) for line in lines.values()), lines
    assert "1,000,000 characters" in lines["long texts"]
    assert "many times" in lines["bomb"]


@pytest.mark.parametrize("extension", ["docx", "pptx", "xlsx", "idml"])
def test_a_zip_file_of_something_else_is_refused(tmp_path, extension):
    with pytest.raises(Unreadable, match="not"):
        translated(packed(tmp_path / f"a.{extension}", [("readme.txt", "hello")]))
    (tmp_path / f"b.{extension}").write_bytes(b"")
    with pytest.raises(Unreadable, match="zip"):
        translated(tmp_path / f"b.{extension}")
