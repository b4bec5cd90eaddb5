"""What stands where translations go: ours or somebody's, whole or half, as it was written or edited since."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from svc_nb.documents.items import Item
from svc_nb.documents.shelf import Output, Record, Shelf

PIECE = 1 << 20
AGAIN = "pass again=True to translate and pay for it again"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as stream:
        digest = hashlib.sha256()
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def gone(record: Record) -> str:
    """What is said of a document whose translation was fetched, and is nowhere any more."""
    when = f"{datetime.fromtimestamp(record.changed, UTC):%Y-%m-%d}"
    return f"was translated on {when}, but {record.output} is gone or was changed: {AGAIN}"


def has_translation(item: Item, shelf: Shelf) -> bool:
    """Whether its translation is at its output: written there, though it may have been edited since, or the same."""
    made = shelf.made(str(item.output))
    if made is not None and made.identity == item.identity:
        return item.output.is_file()
    return any(is_intact(replace(each, output=str(item.output))) for each in shelf.copies(item.identity))


def intact_copy(identity: str, shelf: Shelf) -> Path | None:
    """A file that holds the translation as it was written, if one is left."""
    return next((Path(each.output) for each in shelf.copies(identity) if is_intact(each)), None)


def is_intact(made: Output) -> bool:
    """Whether a translation is where it was written, as it was written."""
    place = Path(made.output)
    try:
        return place.is_file() and digest_of(place) == made.digest
    except OSError:
        return False


def may_replace(item: Item, shelf: Shelf) -> bool:
    """Whether nothing is lost by writing there: nothing is, or an older translation of the same file that is as it was.

    Older means of an earlier content, with other options or only marked, but into the same language.
    """
    if not item.output.exists():
        return True
    made = shelf.made(str(item.output))
    if made is None or (made.path != str(item.path) and made.identity != item.identity):
        return False
    return made.target_lang.lower() == item.target_lang.lower() and is_intact(made)


# ---- a download whose process has ended


def is_whole(record: Record) -> bool:
    """Whether all of the download had come when its process ended."""
    try:
        return record.whole is not None and os.stat(record.temporary or "").st_size == record.whole
    except OSError:
        return False


def is_in_place(record: Record) -> bool:
    """Whether all of the download was under its final name when its process ended."""
    try:
        return bool(record.output_digest) and digest_of(Path(record.output or "")) == record.output_digest
    except OSError:
        return False
