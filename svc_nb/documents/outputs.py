"""Where translations are written: under the source's own name, as a whole or not at all, and never over other files."""

import errno
import hashlib
import os
import shutil
import stat
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from svc_nb.advice import Advice, Option
from svc_nb.documents.files import KINDS, SourceFile
from svc_nb.documents.items import Item
from svc_nb.documents.storage import DocumentRecord, Output, Storage
from svc_nb.tabular.disk import replacing


def is_own_output(each: SourceFile, *, out: Path | None) -> bool:
    """Whether a file of a folder looks like a translation that was written there, so it is not translated itself."""
    if each.root is None or not each.walked:
        return False
    if out is not None and out != each.root and out.is_relative_to(each.root):
        return each.path.is_relative_to(out)
    stem, _, language = each.path.stem.rpartition(".")
    return (
        bool(stem)
        and language == each.target_lang.upper()
        and any((each.path.parent / f"{stem}.{ending}").exists() for ending in (each.path.suffix[1:], "pdf", "doc"))
    )


def output_for(each: SourceFile, *, out: Path | None, several: bool) -> Path:
    """The path for the translation: the source's name, with the language if it could be mistaken, or for *several*."""
    source = each.path.parent
    folder = source if out is None else out
    if out is not None and each.root is not None:
        folder = out / each.path.parent.relative_to(each.root)
    inside = out is None or folder == source or (each.root is not None and out.is_relative_to(each.root))
    # The ending of the result: the source's own, as written, unless its kind is different.
    kind = KINDS.get(each.ending)
    back = (each.options.output_format or (kind.comes_back if kind else each.ending)).lower()
    ending = each.path.suffix if back == each.ending else f".{back}"
    language = f".{each.target_lang.upper()}" if inside or several else ""
    return folder / f"{each.path.stem}{language}{ending}"


def free_name(path: Path) -> Path:
    """*path*, or the next free name.

    >>> free_name(Path("/nowhere/a.docx")).name
    'a.docx'
    """
    if not path.exists():
        return path
    numbered = (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in count(2))
    return next(each for each in numbered if not each.exists())


def is_writable(folder: Path) -> bool:
    """Whether a file can be created in *folder*: permissions alone do not tell, for example in /proc."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


NOTHING = bytes(1 << 20)


def make_room(path: Path, size: int) -> BinaryIO:
    """A new, empty file with room for *size* bytes, or OSError: a translation is billed once it has been sent.

    *path* must not exist yet, not even as a link. Writing to the returned file rather than the name does not follow a
    link that someone creates later.
    """
    with ExitStack() as undone:
        try:
            made = open(path, "xb")  # noqa: SIM115 -- it is returned
            undone.callback(_discard, made, path)
            for begin in range(0, size, len(NOTHING)):
                made.write(NOTHING[: size - begin])
            made.flush()
            made.truncate(0)
            made.seek(0)
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, str(path.parent)) from None
        undone.pop_all()
        return made


def _discard(made: BinaryIO, path: Path) -> None:
    with suppress(OSError):
        made.close()
    with suppress(OSError):
        path.unlink()


def moved(source: Path, place: Path) -> None:
    """Move the whole file *source* to *place*, even to another disk; an existing file is replaced."""
    try:
        os.replace(source, place)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        copied(source, place)
        source.unlink(missing_ok=True)
    _settle(place.parent)


def copied(source: Path, place: Path) -> None:
    """Copy *source* to *place*; a reader sees the old file or the new one, never half of it."""
    with replacing(place) as beside:
        shutil.copyfile(source, beside)
    _settle(place.parent)


def _settle(folder: Path) -> None:
    """Write the folder's list of names to the disk, if the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


AGAIN = Advice("pass {} to translate and pay for it again", Option("again", True))


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def gone(record: DocumentRecord) -> str:
    """The message for a document whose translation was fetched, but no longer exists."""
    when = f"{datetime.fromtimestamp(record.changed, UTC):%Y-%m-%d}"
    return f"was translated on {when}, but {record.output} was removed or changed: {AGAIN}"


def has_translation(item: Item, storage: Storage) -> bool:
    """Whether its translation is at its output: written there, perhaps edited since, or the same."""
    made = storage.made(str(item.output))
    if made is not None and made.identity == item.identity:
        return item.output.is_file()
    return any(is_intact(replace(each, output=str(item.output))) for each in storage.copies(item.identity))


def intact_copy(identity: str, storage: Storage) -> Path | None:
    """A file that holds the translation as it was written, if one is left."""
    return next((Path(each.output) for each in storage.copies(identity) if is_intact(each)), None)


def is_intact(made: Output) -> bool:
    """Whether a translation is unchanged where it was written."""
    place = Path(made.output)
    try:
        return place.is_file() and digest_of(place) == made.digest
    except OSError:
        return False


def may_replace(item: Item, storage: Storage) -> bool:
    """Whether writing there loses nothing: there is no file, or an unchanged older translation of the same file."""
    if not item.output.exists():
        return True
    made = storage.made(str(item.output))
    if made is None or (made.path != str(item.path) and made.identity != item.identity):
        return False
    return made.target_lang.lower() == item.target_lang.lower() and is_intact(made)


# ---- a download whose process has ended


def is_whole(record: DocumentRecord) -> bool:
    """Whether the download was complete when its process ended."""
    try:
        found = os.lstat(record.temporary or "")
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == record.whole


def is_in_place(record: DocumentRecord) -> bool:
    """Whether the complete download had its final name when its process ended."""
    try:
        return bool(record.output_digest) and digest_of(Path(record.output or "")) == record.output_digest
    except OSError:
        return False
