"""What would be sent, and what would not: every check that needs no request. Nothing is sent here."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from svc_nb.documents import items
from svc_nb.documents.desk import Desk
from svc_nb.documents.files import Wanted, is_document
from svc_nb.documents.items import Item
from svc_nb.documents.kinds import KINDS, readable
from svc_nb.documents.names import outputs, own_products
from svc_nb.documents.shelf import FETCHED, LOST, MARKED, UNDER_WAY, Record, Shelf
from svc_nb.documents.written import AGAIN, digest_of, gone, has_translation, intact_copy, may_replace


def chosen(asked: Sequence[Wanted], desk: Desk, *, out: Path | None) -> list[Wanted]:
    """*asked* without the translations that an earlier run put among the sources."""
    found = [str(each.path) for each in asked if each.walked and is_text(each.path)]
    ours = desk.shelf.outputs(found) if found else set()
    return [
        each
        for each in asked
        if not each.walked or not (str(each.path) in ours or own_products(each, out=out))
    ]


def planned(asked: Sequence[Wanted], *, out: Path | None) -> list[Item]:
    """An item for each file, with the place where its translation goes; nothing is looked at yet."""
    places = outputs(asked, out=out)
    return [
        Item(each.path, each.target_lang, each.options, place, each.label)
        for each, place in zip(asked, places, strict=True)
    ]


def look(
    asked: Sequence[Wanted],
    found: Sequence[Item],
    desk: Desk,
    *,
    again: bool,
    cancelled: Callable[[], bool] = bool,
) -> None:
    """Look at every file, and say of those that need not or cannot be sent why that is so."""
    taken: dict[str, Item] = {}
    for each, item in zip(asked, found, strict=True):
        if cancelled():
            return
        reason = _unfit(each, item, free=desk.free)
        if reason is not None:
            skipped = each.walked and not is_document(each)
            item.fail(items.SKIPPED if skipped else items.REFUSED, reason)
            continue
        item.identity = identity(item, desk.address)
        _compare(item, desk.shelf, again=again)
        _keep_apart(item, taken)


def identity(item: Item, address: str) -> str:
    """What a document is known by: whose it is, its content, and all that can change its translation."""
    options = {**item.options.to_wire(), "ending": item.path.suffix.lower()}
    for name in ("source_lang", "output_format"):
        if name in options:
            options[name] = str(options[name]).lower()
    said = [address, item.digest, item.target_lang.lower(), options]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


# ---- one file


def _unfit(each: Wanted, item: Item, *, free: bool) -> str | None:
    """Why a file cannot be sent, or its translation not be written; its size and digest are known afterwards."""
    try:
        reason = _no_document(each)
        if reason is None:
            item.size = each.path.stat().st_size
            reason = _too_large(each, item.size, free=free) or _no_such_output(each)
        if reason is None:
            item.digest = digest_of(each.path)
            reason = _unwritable(item.output)
        return reason
    except OSError as problem:
        return f"cannot be read or written: {problem.strerror}"


def _no_document(each: Wanted) -> str | None:
    if not is_text(each.path):
        return "has a name that is no text in this system's encoding; rename it"
    if not each.path.is_file():
        return _no_file(each.path)
    if not each.ending:
        return "has no ending that says what kind of document it is"
    return None if is_document(each) else f"no kind of document that can be translated (.{each.ending})"


def _no_file(path: Path) -> str:
    if path.is_dir():
        return "is a folder" if os.access(path, os.R_OK | os.X_OK) else "is a folder that cannot be read"
    return "is no file" if path.exists() else "there is no such file or folder"


def _unwritable(output: Path) -> str | None:
    """Whether nothing can be written there is better known before the translation is paid for."""
    output.exists()  # raises for a name that is too long
    there = next(folder for folder in output.parents if folder.exists())
    if there.is_dir() and os.access(there, os.W_OK):
        return None
    return f"its translation cannot be written: {there} is {'read-only' if there.is_dir() else 'no folder'}"


def is_text(path: Path) -> bool:
    """Whether a path can be written down: a name of bytes that are no text cannot."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_large(each: Wanted, size: int, *, free: bool) -> str | None:
    most = KINDS[each.ending].largest(free=free)
    if size > most:
        plan = "Free" if free else "Pro"
        return f"has {readable(size)}; the largest .{each.ending} on the {plan} plan has {readable(most)}"
    return "is empty" if size == 0 else None


def _no_such_output(each: Wanted) -> str | None:
    asked = (each.options.output_format or each.ending).lower()
    kind = KINDS[each.ending]
    if asked in (each.ending, kind.comes_back, *kind.outputs):
        return None
    can = ", ".join(dict.fromkeys((kind.comes_back, *kind.outputs)))
    return f"output_format {asked[:20]!r}: a .{each.ending} comes back as {can}"


def _compare(item: Item, shelf: Shelf, *, again: bool) -> None:
    """Say what is known of the document from before."""
    record = shelf.find(item.identity)
    if record is None or record.stage == MARKED or (again and record.stage in (FETCHED, LOST)):
        _refuse_to_replace(item, shelf)
        return
    item.take(record)
    if record.stage == FETCHED:
        _fetched_before(item, record, shelf)
    elif record.stage == LOST:
        item.fail(items.LOST, record.error or AGAIN)
    elif record.stage not in UNDER_WAY or record.output != str(item.output):
        _refuse_to_replace(item, shelf)


def _fetched_before(item: Item, record: Record, shelf: Shelf) -> None:
    if has_translation(item, shelf):
        item.status = items.DONE
    elif intact_copy(item.identity, shelf):
        _refuse_to_replace(item, shelf)
    else:
        item.fail(items.LOST, gone(record))


def _refuse_to_replace(item: Item, shelf: Shelf) -> None:
    if not may_replace(item, shelf):
        item.fail(items.REFUSED, f"{item.output} is there already: move it away, or choose another folder")


def _keep_apart(item: Item, taken: dict[str, Item]) -> None:
    """Two documents cannot be written to one file; names count as the same in large and small letters."""
    place = str(item.output).casefold()
    other = taken.setdefault(place, item)
    if item.identity != other.identity and item.status not in items.BAD:
        item.fail(items.REFUSED, f"would be written to {item.output}, as the translation of {other.path}")
    elif other.status in items.BAD:
        taken[place] = item
