"""What would be sent, and what would not: all checks that need no request. Nothing is sent here."""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from svc_nb.advice import Advice, Call
from svc_nb.documents import items, outputs
from svc_nb.documents.files import IMAGES, KINDS, PACKAGES, SourceFile, readable, source_files, with_ids
from svc_nb.documents.items import Item
from svc_nb.documents.storage import FETCHED, LOST, MARKED, UNDER_WAY, Storage, Workspace
from svc_nb.engine.job import Control

NOTEBOOKS = ("ipynb", "md")
FOR_NOTEBOOKS = Advice("{} translates it", Call("translate_notebook"))


def out_folder(out: object) -> Path | None:
    """The folder named by *out*; None means beside each source."""
    if out is None:
        return None
    if not isinstance(out, str | PathLike):
        raise TypeError(f"out: expected the path of a folder, found {type(out).__name__}")
    return Path(out).expanduser().absolute()


def planned(
    files: Any, workspace: Workspace, *, target_lang: str | None, out: object, options: Mapping[str, Any]
) -> list[Item]:
    """The files to translate, without the translations that an earlier run put among them."""
    folder = out_folder(out)
    given = with_ids(options, workspace.client)
    named = source_files(files, target_lang=target_lang, options=given, client=workspace.client)
    walked = [str(each.path) for each in named if each.walked and is_text(each.path)]
    ours = workspace.storage.outputs(walked) if walked else set()
    asked = [
        each
        for each in named
        if not each.walked or not (str(each.path) in ours or outputs.is_own_output(each, out=folder))
    ]
    return items_of(asked, out=folder)


def items_of(asked: Sequence[SourceFile], *, out: Path | None) -> list[Item]:
    """An item for each file, with the path of its translation; no file is read yet."""
    several = len({each.target_lang.upper() for each in asked}) > 1
    found = []
    for each in asked:
        place = outputs.output_for(each, out=out, several=several)
        found.append(Item(each.path, each.target_lang, each.options, place, each.label, each.walked))
        if each.left_out:
            found[-1].fail(items.SKIPPED, each.left_out)
    return found


def look(found: Sequence[Item], workspace: Workspace, *, again: bool, control: Control | None = None) -> None:
    """Check every file, and say why files need not or cannot be sent."""
    taken: dict[str, Item] = {}
    is_writable = cache(outputs.is_writable)  # once per folder, not per file
    for item in found:
        if control and control.cancelled:
            return
        if item.status == items.SKIPPED:
            continue
        try:
            reason = _unfit(item, workspace, is_writable)
        except OSError as problem:
            reason = f"cannot be read or written: {problem.strerror}"
        if reason is not None:
            skipped = item.walked and (item.ending not in KINDS or item.ending in IMAGES)
            item.fail(items.SKIPPED if skipped else items.REFUSED, reason)
            continue
        item.identity = identity(item, workspace.address)
        _compare(item, workspace.storage, again=again)
        # Two documents cannot be written to one file; names that differ only in case count as the same.
        place = str(item.output).casefold()
        other = taken.setdefault(place, item)
        if item.identity != other.identity and item.status not in items.BAD:
            item.fail(
                items.REFUSED,
                f"its translation would have the same name as the translation of another file: {other.path}",
            )
        elif other.status in items.BAD:
            taken[place] = item


def identity(item: Item, address: str) -> str:
    """The identity of a document: its owner, its content, and everything that can change its translation."""
    options = {**item.options.to_wire(), "ending": item.path.suffix.lower()}
    for name in ("source_lang", "output_format"):
        if name in options:
            options[name] = str(options[name]).lower()
    said = [address, item.digest, item.target_lang.lower(), options]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def is_text(path: Path) -> bool:
    """Whether a path can be recorded: a name of bytes that are not text cannot."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unfit(item: Item, workspace: Workspace, is_writable: Callable[[Path], bool]) -> str | None:
    """Why a file cannot be sent or its translation cannot be written; sets its size and digest."""
    path, ending = item.path, item.ending
    if not is_text(path):
        return "has a name that is not valid in this system's encoding. Rename it"
    if path.is_dir():
        return "is a folder" if os.access(path, os.R_OK | os.X_OK) else "is a folder that cannot be read"
    if not path.is_file():
        return "is not a file" if path.exists() else "there is no such file or folder"
    if not ending:
        return "has no ending that says what kind of document it is"
    if ending not in KINDS:
        advice = f"; {FOR_NOTEBOOKS}" if ending in NOTEBOOKS else ""
        return f"this kind of file (.{ending}) cannot be translated here{advice}"
    kind, asked = KINDS[ending], (item.options.output_format or ending).lower()
    item.size, most = path.stat().st_size, kind.largest(free=workspace.free)
    if ending in workspace.unreadable:
        return workspace.unreadable[ending]
    if item.size > most:
        plan = "Free" if workspace.free else "Pro"
        return f"has {readable(item.size)}; the limit for .{ending} on the {plan} plan is {readable(most)}"
    if item.size == 0:
        return "is empty"
    if asked not in (ending, kind.comes_back, *kind.outputs):
        can = ", ".join(dict.fromkeys((kind.comes_back, *kind.outputs)))
        return f"output_format {asked[:20]!r}: a .{ending} comes back as {can}"
    if ending in PACKAGES and not zipfile.is_zipfile(path):
        return f"is not a readable .{ending} file (damaged?)"
    item.digest = outputs.digest_of(path)
    # It is better to know that nothing can be written there before the translation is paid for.
    item.output.exists()  # raises if the name is too long
    there = next(folder for folder in item.output.parents if folder.exists())
    if there.is_dir() and is_writable(there):
        return None
    return f"its translation cannot be written to a {'read-only folder' if there.is_dir() else 'file'}: {there}"


def _compare(item: Item, storage: Storage, *, again: bool) -> None:
    """Compare with the record of the document, and refuse to overwrite a file that is not its translation."""
    record = storage.find(item.identity)
    if record and record.stage != MARKED and not (again and record.stage in (FETCHED, LOST)):
        item.take(record)
        if record.stage == LOST:
            item.fail(items.LOST, record.error or str(outputs.AGAIN))
            return
        if record.stage == FETCHED and outputs.has_translation(item, storage):
            item.make(item)
            return
        if record.stage == FETCHED and not outputs.intact_copy(item.identity, storage):
            item.fail(items.LOST, outputs.gone(record))
            return
        if record.stage in UNDER_WAY and record.output == str(item.output):
            return
    if not outputs.may_replace(item, storage):
        item.fail(items.REFUSED, f"a file already exists. Move it away or choose another folder: {item.output}")
