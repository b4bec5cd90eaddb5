"""Where translations are written: under the source's own name, as a whole or not at all, and over nothing else."""

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
    """Whether a file of a folder looks like a translation that went there: not to be translated itself."""
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
    """The path for the translation: the source's name, with the language where it could be mistaken, or *several*."""
    source = each.path.parent
    folder = source if out is None else out
    if out is not None and each.root is not None:
        folder = out / each.path.parent.relative_to(each.root)
    inside = out is None or folder == source or (each.root is not None and out.is_relative_to(each.root))
    # The ending of what comes back: the source's own, as it is written, unless another kind does.
    kind = KINDS.get(each.ending)
    back = (each.options.output_format or (kind.comes_back if kind else each.ending)).lower()
    ending = each.path.suffix if back == each.ending else f".{back}"
    language = f".{each.target_lang.upper()}" if inside or several else ""
    return folder / f"{each.path.stem}{language}{ending}"


def free_name(path: Path) -> Path:
    """*path*, or the next name that nothing has yet.

    >>> free_name(Path("/nowhere/a.docx")).name
    'a.docx'
    """
    if not path.exists():
        return path
    numbered = (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in count(2))
    return next(each for each in numbered if not each.exists())


def is_writable(folder: Path) -> bool:
    """Whether a file can be made in *folder*: permissions alone do not say so, as for /proc."""
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


NOTHING = bytes(1 << 20)


def make_room(path: Path, size: int) -> BinaryIO:
    """A new, empty file that can take *size* bytes, or OSError: a translation is paid for once it has been sent.

    Nothing may be at *path* yet, not even a link. Who writes by what is returned, and not by the name, follows none
    that somebody puts there later.
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
    """Move the whole file *source* to *place*, also to another disk; what is there is replaced."""
    try:
        os.replace(source, place)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        copied(source, place)
        source.unlink(missing_ok=True)
    _settle(place.parent)


def copied(source: Path, place: Path) -> None:
    """Copy *source* to *place*; a reader sees the old file or the new one, never a half."""
    with replacing(place) as beside:
        shutil.copyfile(source, beside)
    _settle(place.parent)


def _settle(folder: Path) -> None:
    """Bring the folder's list of names to the disk, where the system can."""
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
    """What is said of a document whose translation was fetched, and is nowhere any more."""
    when = f"{datetime.fromtimestamp(record.changed, UTC):%Y-%m-%d}"
    return f"was translated on {when}, but {record.output} is gone or was changed: {AGAIN}"


def has_translation(item: Item, storage: Storage) -> bool:
    """Whether its translation is at its output: written there, though it may have been edited since, or the same."""
    made = storage.made(str(item.output))
    if made is not None and made.identity == item.identity:
        return item.output.is_file()
    return any(is_intact(replace(each, output=str(item.output))) for each in storage.copies(item.identity))


def intact_copy(identity: str, storage: Storage) -> Path | None:
    """A file that holds the translation as it was written, if one is left."""
    return next((Path(each.output) for each in storage.copies(identity) if is_intact(each)), None)


def is_intact(made: Output) -> bool:
    """Whether a translation is where it was written, as it was written."""
    place = Path(made.output)
    try:
        return place.is_file() and digest_of(place) == made.digest
    except OSError:
        return False


def may_replace(item: Item, storage: Storage) -> bool:
    """Whether nothing is lost by writing there: nothing, or an older translation of the same file, as it was."""
    if not item.output.exists():
        return True
    made = storage.made(str(item.output))
    if made is None or (made.path != str(item.path) and made.identity != item.identity):
        return False
    return made.target_lang.lower() == item.target_lang.lower() and is_intact(made)


# ---- a download whose process has ended


def is_whole(record: DocumentRecord) -> bool:
    """Whether all of the download had come when its process ended."""
    try:
        found = os.lstat(record.temporary or "")
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == record.whole


def is_in_place(record: DocumentRecord) -> bool:
    """Whether all of the download was under its final name when its process ended."""
    try:
        return bool(record.output_digest) and digest_of(Path(record.output or "")) == record.output_digest
    except OSError:
        return False
