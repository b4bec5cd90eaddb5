"""Files that come from the browser, in a private folder, and translations that go back to it."""

from __future__ import annotations

import io
import os
import shutil
import time
import unicodedata
import zipfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from svc_nb.locks import LockedFile, is_held, make_private

LONGEST_STEM = 80
LONGEST_SUFFIX = 8
HOLD = "held"
FRESH = 3600.0  # seconds: a folder younger than this may be about to be locked
# Characters with a special meaning for Windows or a shell.
UNSAFE = frozenset('<>:"/\\|?*')
RESERVED = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))


class UploadFolder:
    """Files in a folder of their own below *home*; only their owner can look into either."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._held: LockedFile | None = None
        self._taken: set[str] = set()

    def receive(self, name: str) -> Upload:
        """A new file for an upload called *name*; a second one of the same name gets a number."""
        if self._held is None:
            make_private(self._home)
            sweep(self._home)
            folder = self._home / uuid4().hex
            make_private(folder / "files")
            self._held = LockedFile(folder / HOLD, b"")
        folder = self._held.path.parent
        path = folder / "files" / free_name(harmless(name), self._taken)
        return Upload(folder / f"{uuid4().hex}.part", path, self._taken)

    def rename(self, path: Path, stems: Collection[str]) -> Path:
        """Rename one of these files to a name with a number that is not in *stems*, which are lower case."""
        return path.rename(path.with_name(free_name(path.name, self._taken, stems)))

    def remove(self, path: Path) -> None:
        """Remove a file if it is one of these."""
        if self._held is not None and path.parent == self._held.path.parent / "files":
            path.unlink(missing_ok=True)
            self._taken.discard(path.name.casefold())

    def close(self) -> None:
        """Remove all files and the folder."""
        if self._held is not None:
            shutil.rmtree(self._held.path.parent / "files", ignore_errors=True)
            self._held.remove()
            shutil.rmtree(self._held.path.parent, ignore_errors=True)
            self._held = None


class Upload:
    """One file being uploaded: written piece by piece under a temporary name, and renamed when complete."""

    def __init__(self, beside: Path, path: Path, taken: set[str]) -> None:
        self._beside, self._path, self._taken = beside, path, taken
        self._stream = open(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")  # noqa: SIM115

    def write(self, piece: bytes) -> None:
        """Write the next piece."""
        self._stream.write(piece)

    def whole(self) -> Path:
        """Finish the file, and return its path."""
        self._stream.close()
        os.replace(self._beside, self._path)
        return self._path

    def drop(self) -> None:
        """Remove the incomplete file, and free its name for another one."""
        with suppress(OSError):
            self._stream.close()
        self._beside.unlink(missing_ok=True)
        self._taken.discard(self._path.name.casefold())


def harmless(name: str) -> str:
    """The last part of *name*, as a file name without any special meaning.

    >>> harmless("../../etc/pass:wd.TXT"), harmless("a\\x00\\u202eb.docx"), harmless(".pdf"), harmless("con.txt")
    ('pass_wd.TXT', 'a__b.docx', 'document.pdf', 'document con.txt')
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    plain = "".join("_" if letter in UNSAFE or unicodedata.category(letter)[0] == "C" else letter for letter in last)
    stem, dot, ending = plain.rstrip(" .").rpartition(".")
    stem = (stem if dot else ending).strip(" .")
    ending = ending.strip()[:LONGEST_SUFFIX].strip() if dot else ""
    suffix = f".{ending}" if ending else ""
    if not stem or stem.partition(".")[0].lower() in RESERVED:
        stem = f"document {stem}".strip()
    # No more letters and bytes than every file system accepts.
    stem = stem[:LONGEST_STEM].encode()[: 2 * LONGEST_STEM].decode("utf-8", "ignore").strip(" .")
    return stem + suffix


def free_name(name: str, taken: set[str], stems: Collection[str] = ()) -> str:
    """*name*, or one with a number, that is neither *taken* nor has one of *stems*; it is added to *taken*."""
    stem, suffix = os.path.splitext(name)
    number, found = 1, name
    while found.casefold() in taken or os.path.splitext(found)[0].casefold() in stems:
        number += 1
        found = f"{stem} ({number}){suffix}"
    taken.add(found.casefold())
    return found


def sweep(home: Path) -> None:
    """Remove the folders below *home* that no running process has locked."""
    for folder in home.iterdir():
        hold = folder / HOLD
        with suppress(OSError, ValueError):
            if hold.exists():
                left = not is_held(hold)
            else:
                left = folder.is_dir() and time.time() - folder.stat().st_mtime > FRESH
            if left:
                shutil.rmtree(folder, ignore_errors=True)


MOST_BYTES = 200_000_000
# Files that are compressed already get no smaller.
PACKED = frozenset((".docx", ".pptx", ".xlsx", ".pdf", ".idml", ".png", ".jpg", ".jpeg"))


def name_with(language: str, path: Path) -> str:
    """The name a translation is saved under, so that it is not mistaken for its source.

    >>> name_with("ES", Path("out/letter.txt")), name_with("ES", Path("letter.ES.txt"))
    ('letter.ES.txt', 'letter.ES.txt')
    """
    there = not language or path.stem.upper().endswith(f".{language.upper()}")
    return path.name if there else f"{path.stem}.{language}{path.suffix}"


def name_in_zip(language: str, path: Path, *, out: Path) -> str:
    """The name a translation is saved under, with its folders below *out*."""
    folder = path.parent.relative_to(out) if path.is_relative_to(out) else Path()
    # Give it an extension of its own, because a dot in a folder's name does not begin an extension that can be cut.
    folders = [harmless(f"{each}.zip").removesuffix(".zip") for each in folder.parts]
    return "/".join((*folders, name_with(language, Path(harmless(path.name)))))


def archive(files: Mapping[Path, str], *, name: str) -> tuple[str, bytes, str]:
    """The name, bytes and MIME type of the file for the browser to save: *files* has names by path.

    Several files become a zip called *name*, with the folders of their names.
    """
    size = sum(path.stat().st_size for path in files)
    if size > MOST_BYTES:
        raise ValueError(
            f"The translations have {size / 1e6:,.0f} MB, and at most {MOST_BYTES / 1e6:,.0f} MB can be saved through "
            "the browser: save fewer files, or copy them from the output folder."
        )
    if len(files) == 1:
        [(path, own)] = files.items()
        return own.rpartition("/")[2], path.read_bytes(), "application/octet-stream"
    stream, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path, own in files.items():
            how = zipfile.ZIP_STORED if path.suffix.lower() in PACKED else zipfile.ZIP_DEFLATED
            zipped.write(path, free_name(own, taken), compress_type=how)
    return name, stream.getvalue(), "application/zip"
