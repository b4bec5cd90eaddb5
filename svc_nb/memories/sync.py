"""Memories on the service: list, find by name, push, pull, search and delete."""

from __future__ import annotations

import dataclasses
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import ApiError, BadReply, InvalidRows, NotFound, SvcError
from svc_nb.language_codes import as_bcp47, as_normal, base_of
from svc_nb.locks import make_private
from svc_nb.memories import files
from svc_nb.memories.files import MOST_LANGUAGES, Taking, Translations, checked, places, translations
from svc_nb.memories.lint import SOURCES, TARGETS, kept_as
from svc_nb.memories.tmx import TIMES, Unit, units, written
from svc_nb.session import current
from svc_nb.sync.backups import MOST_KEPT, Action, Backup, Backups
from svc_nb.sync.changes import finish, was_refused
from svc_nb.sync.resources import MEMORY, Connected, called, check_name
from svc_nb.tabular.disk import replacing
from svc_nb.tabular.report import Report, named, plural
from svc_nb.tabular.text_column import TEXT, text_array
from svc_nb.wire.client import Client
from svc_nb.wire.connection import Count
from svc_nb.wire.models import MemorySegment, TranslationMemory

LARGEST_FILE = 1_000_000_000
ID = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


class MemoryPush(Report):
    """The memory that a push created, or would create, with a row for each target language.

    `translation_memory_id` is its id. `kept_as` is the language in which the memory keeps the translations, and is
    missing if the service skips them. `left_out` has the texts of a file that are not translations, and `backup` is a
    file with the memory that was replaced.
    """

    _metadata = [*Report._metadata, "backup", "left_out", "translation_memory_id"]
    translation_memory_id: str | None
    backup: Path | None
    left_out: pd.DataFrame

    def __init__(
        self, upload: Upload, step: str, said: str, memory: TranslationMemory | None, *, backup: Path | None = None
    ) -> None:
        parts = upload.parts
        kept = {code: upload.kept_as(code, memory) for code in parts}
        columns = {
            "step": text_array([step if kept[code] else "skip" for code in parts]),
            "source_lang": text_array([upload.source_lang] * len(parts)),
            "target_lang": text_array(list(parts)),
            "kept_as": text_array(list(kept.values())),
            "translations": np.array([len(places) for places in parts.values()], np.int64),
            "done": np.array([memory is not None] * len(parts), np.bool_),
        }
        super().__init__(pd.DataFrame(columns), said)
        members = {"backup": backup, "left_out": upload.taking.left_out}
        for name, value in {**members, "translation_memory_id": memory and memory.translation_memory_id}.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Upload:
    """A TMX file to send: for each source and target language, as written, the places of its translations."""

    path: Path
    sources: Mapping[str, Sequence[Any]]
    parts: Mapping[str, Sequence[Any]]
    taking: Taking
    kind: str = "line"

    @property
    def source_lang(self) -> str:
        """The language that everything is translated from, without a region, as in memories."""
        return base_of(next(iter(self.sources), ""))

    def kept_as(self, code: str, memory: TranslationMemory | None) -> str | None:
        """The language in which *memory*, or one that is still to be created, has the translations into *code*."""
        return kept_as(code, TARGETS if memory is None else frozenset(map(as_normal, memory.target_languages)))

    def lost(self, before: Sequence[TranslationMemory], memory: TranslationMemory | None) -> list[str]:
        """A note on the languages that the memories *before* had and *memory*, which replaces them, does not."""
        had = dict.fromkeys(as_normal(code) for each in before for code in each.target_languages)
        gone = [code for code in had if code not in {self.kept_as(part, memory) for part in self.parts}]
        count = plural(sum(each.segment_count for each in before), "segment")
        return (
            [f"The old one had {count}, including some into {named(gone)}, which this one does not have."]
            if gone
            else []
        )

    def notes(self, memory: TranslationMemory | None) -> list[str]:
        """Notes on languages that memories do not have, and on texts that are not translations."""
        kept = {code: self.kept_as(code, memory) for code in self.parts}
        sources = [(code, self.source_lang, where) for code, where in self.sources.items()]
        targets = [(code, kept[code], where) for code, where in self.parts.items()]
        told = [
            f"{code} is kept as {language} {places(where, self.kind)}"
            for code, language, where in (*sources, *targets)
            if language not in (code, None)
        ]
        told += [
            f"{plural(len(where), 'translation')} into {code}, which memories do not have, skipped "
            f"{places(where, self.kind)}"
            for code, where in self.parts.items()
            if kept[code] is None
        ]
        return [f"{each}." for each in (*told, *self.taking.notes())]


# ---- existing memories


def found(client: Client, memory: str) -> TranslationMemory:
    """The memory with this id or otherwise this name; NotFound if there is none, ValueError if two share a name."""
    is_id = isinstance(memory, str) and ID.fullmatch(memory)  # a name may be anything, even another path
    known: TranslationMemory = (
        MEMORY.get(client, memory) if is_id else client.memories.get(MEMORY.id_of(memory, client))
    )
    return known


def rows_of(memories: Sequence[TranslationMemory]) -> pd.DataFrame:
    """One row for each of *memories*."""
    texts = {
        "translation_memory_id": [each.translation_memory_id for each in memories],
        "name": [each.name for each in memories],
        "source_lang": [as_normal(each.source_language) for each in memories],
        "target_langs": [", ".join(map(as_normal, each.target_languages)) for each in memories],
    }
    return pd.DataFrame(
        {
            **{name: pd.array(cells, dtype=TEXT) for name, cells in texts.items()},
            "segment_count": np.array([each.segment_count for each in memories], np.int64),
            "creation_time": _moments([each.creation_time for each in memories]),
        }
    )


def _moments(times: Sequence[Any]) -> Any:
    return pd.to_datetime(pd.Series(list(times), dtype=object), utc=True).array


# ---- sending


def push(
    client: Client,
    source: pd.DataFrame | str | os.PathLike[str],
    name: str | None = None,
    *,
    dry_run: bool = False,
    several: bool = False,
    backups: Backups,
    on_bytes: Count | None = None,
) -> MemoryPush:
    """Give the memory with that name the translations of a table or a TMX file; see svc_nb.memories.push.

    Two memories with that name are an error, unless one is to replace *several*, or a push that created the second
    could not delete the first.
    """
    if name is None and isinstance(source, str | os.PathLike):
        name = Path(source).stem
    with _prepared(source) as upload:
        if name is None:
            raise TypeError('name: expected the name of the memory, such as push(table, "Manuals")')
        check_name(name, "memory")
        size = upload.path.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(
                f"the service accepts TMX of up to {LARGEST_FILE:,} bytes, and this one has {size:,}. Split it; "
                "nothing was sent"
            )
        before = [each for each in client.memories.list() if each.name == name.strip()]
        if len(before) > 1 and not several and not backups.is_unfinished(name.strip()):
            MEMORY.named(name.strip(), [(each.translation_memory_id, each.name) for each in before])
        kept = [_kept(client, each, backups) for each in before]
        among = TARGETS.union(*(map(as_normal, each.target_languages) for each in before))
        is_same = len(kept) == 1 and fingerprint(kept[0], among) == fingerprint(upload.path, among)
        if not is_same and not dry_run:
            return _sent(client, upload, name.strip(), before, kept, backups=backups, on_bytes=on_bytes)
        for path in kept:
            path.unlink()
        if is_same:
            said = f"Nothing to do: the memory {called(name)} already has these translations."
            return MemoryPush(upload, "nothing", " ".join([said, *upload.notes(before[0])]), before[0])
        step = "replace" if before else "create"
        said = f"Dry run, nothing was sent: the memory {called(name)} would be {step}d."
        then = "Next: run it without dry_run."
        return MemoryPush(upload, step, " ".join([said, *upload.lost(before, None), *upload.notes(None), then]), None)


def _sent(
    client: Client,
    upload: Upload,
    name: str,
    before: Sequence[TranslationMemory],
    kept: Sequence[Path],
    *,
    backups: Backups,
    on_bytes: Count | None,
) -> MemoryPush:
    """Create the memory, then delete the ones that had the name *before*, of which copies are *kept*."""
    old = before[-1] if before else None
    with _noted(backups, "change" if old else "create", old, name, kept) as note:
        made, skipped = _imported(client, upload, name, on_bytes=on_bytes)
    for each in before:
        try:
            with suppress(NotFound):  # someone else was faster
                client.memories.delete(each.translation_memory_id)
        except (SvcError, KeyboardInterrupt) as problem:
            last = each.translation_memory_id
            problem.add_note(f"The new memory exists; the old one, {last}, may still exist too. {MEMORY.sees}.")
            raise
    for each, path in zip(before[:-1], kept[:-1], strict=True):
        backups.put("delete", each.translation_memory_id, name=name, new_name=name, state={"file": path.name})
    finish(backups, note, made.translation_memory_id)
    told = [f"{plural(made.segment_count, 'segment')} in the memory {called(made.name)}.", *upload.notes(made)]
    explained = sum(len(where) for code, where in upload.parts.items() if upload.kept_as(code, made) is None)
    if (more := skipped - explained - len(upload.taking.left_out)) > 0:
        told.append(f"{plural(more, 'text was', 'texts were')} skipped by the service.")
    told += ["It replaced the previous memory with this name.", *upload.lost(before, made)] if kept else []
    use = f'translate(..., translation_memory_id="{made.translation_memory_id}")'
    told.append(f"Next: {use}; svc_nb.memories.undo({called(made.name)}) undoes this.")
    step, backup = ("replace", kept[-1]) if kept else ("create", None)
    return MemoryPush(upload, step, " ".join(told), made, backup=backup)


def _imported(client: Client, upload: Upload, name: str, *, on_bytes: Count | None) -> tuple[TranslationMemory, int]:
    """The memory created from a file, once it exists, and how many texts the service skipped."""
    begun = client.memories.begin_import(f"{name}.tmx", upload.path.stat().st_size, name=name)
    client.memories.upload(begun, upload.path, on_bytes=on_bytes)
    try:
        result = client.memories.wait(begun.job_id)
        if result.translation_memory_id is None:
            raise BadReply("The import is complete, but the response names no memory")
        return client.memories.get(result.translation_memory_id), result.skipped_segment_count or 0
    except (SvcError, KeyboardInterrupt) as problem:
        if isinstance(problem, ApiError) and problem.status is None:  # the import itself failed
            pairs = (f"{upload.source_lang} → {code} {places(at, upload.kind)}" for code, at in upload.parts.items())
            problem.add_note(
                f"Its languages would be {', '.join(islice(pairs, MOST_LANGUAGES))}. Memories are known to support "
                f"{', '.join(sorted(SOURCES))} as source and target languages, and "
                f"{', '.join(sorted(TARGETS - SOURCES))} only as target languages."
            )
        else:
            problem.add_note(
                f"The file was sent, and the service is reading it. Before you push it again: {MEMORY.sees}."
            )
        raise


# ---- copies and undo


def backups_of(session: Connected) -> Backups:
    """The backups of the memories on the service of *session*."""
    folder = Path(session.settings.backups_path, MEMORY.room)
    return Backups(folder, origin=session.origin, room=MEMORY.room, id_name=MEMORY.id_name)


def _kept(client: Client, memory: TranslationMemory, backups: Backups) -> Path:
    """The file with a copy of a memory, readable only by its owner."""
    make_private(backups.folder)
    path = backups.folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}{_ending(backups, memory.name)}"
    path.touch(0o600)
    try:
        with replacing(path) as beside:
            _download(client, memory, beside, on_bytes=None)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _ending(backups: Backups, name: str) -> str:
    """The ending of files with copies of memories with that name, because a replaced memory gets a new id each time."""
    whose = f"{backups.origin} {name}".encode()
    return f"-{blake2b(whose, digest_size=12).hexdigest()}.tmx"


@contextmanager
def _noted(
    backups: Backups, action: Action, memory: TranslationMemory | None, name: str, kept: Sequence[Path]
) -> Iterator[Backup]:
    """Note the change of a memory in the block, and the file with a copy of it; the newest 50 of a name are kept.

    If the service refuses the change, both are removed.
    """
    state = {"file": kept[-1].name} if kept else None
    note = backups.put(action, memory.translation_memory_id if memory else "", name=name, new_name=name, state=state)
    try:
        yield note
    except SvcError as problem:
        if was_refused(problem):
            backups.drop(note)
            for path in kept:
                path.unlink(missing_ok=True)
        raise
    for old in sorted(backups.folder.glob(f"*{_ending(backups, name)}"))[:-MOST_KEPT]:
        old.unlink(missing_ok=True)


def delete(client: Client, memory: str, *, backups: Backups) -> Report:
    """Delete a memory; see svc_nb.memories.delete."""
    known = found(client, memory)
    with _noted(backups, "delete", known, known.name, [_kept(client, known, backups)]) as note:
        client.memories.delete(known.translation_memory_id)
    finish(backups, note, known.translation_memory_id)
    said = f"The memory {called(known.name)} was deleted with {plural(known.segment_count, 'segment')}."
    then = f"Next: svc_nb.memories.undo({called(known.name)}) recreates it under a new id."
    return Report(rows_of([known]), f"{said} {then}")


def undo(
    client: Client,
    given: str | None = None,
    *,
    backup: str | None = None,
    replace: bool = False,
    dry_run: bool = False,
    backups: Backups,
) -> Report:
    """Undo the last change from here, or go back to a backup; see svc_nb.memories.undo."""
    note = backups.get(backup) if backup else backups.newest() if given is None else backups.thing(given)
    if note is None:
        nothing = backups.nothing_in(given) if given else "there is nothing to undo: no memory was changed from here"
        raise ValueError(nothing)
    last = backups.since(note)[-1]
    there = [each for each in client.memories.list() if each.name == note.name]
    mine = [each.translation_memory_id for each in there if each.translation_memory_id == last.thing_id]
    others = [each.translation_memory_id for each in there if each.translation_memory_id != last.thing_id]
    if others and note.state is not None and not replace:
        raise ValueError(
            f"Others have created a memory called {called(note.name)} since ({named(others)}), which undo would "
            "replace. Nothing was changed; undo(..., replace=True) replaces it"
        )
    if note.state is not None:
        path = backups.folder / note.state["file"]
        if not path.exists():
            raise ValueError(
                f"the copy of the memory {called(note.name)} no longer exists: only the newest {MOST_KEPT} are kept"
            )
        done: Report = push(client, path, note.name, dry_run=dry_run, several=replace, backups=backups)
    elif not mine:
        raise NotFound(
            f"The memory {called(note.name)} no longer exists: someone else deleted it, and there is no older copy"
        )
    elif dry_run:
        gone = rows_of([each for each in there if each.translation_memory_id in mine])
        done = Report(gone, f"Dry run, nothing was sent: the memory {called(note.name)} would be deleted.")
    else:
        done = delete(client, mine[0], backups=backups)
    if not dry_run:
        done.said = f"Undone. {done.said}"
    return done


# ---- the file to send


def fingerprint(path: Path, among: frozenset[str]) -> int:
    """A number that is equal for two TMX files with the same translations for a memory with these languages."""
    total, taking = 0, Taking()
    with path.open("rb") as stream:
        for unit in units(stream):
            for _, source_lang, target_lang, source, target, _ in taking.rows(unit):
                if kept := kept_as(target_lang, among):
                    said = "\0".join((base_of(source_lang), kept, source, target))
                    total += int.from_bytes(blake2b(said.encode(), digest_size=12).digest())
    return total


@contextmanager
def _prepared(source: object) -> Iterator[Upload]:
    """The TMX file to send: the given one after a check, or a temporary one made from a table."""
    if isinstance(source, str | os.PathLike):
        with _prepared_file(Path(source).expanduser()) as upload:
            yield upload
        return
    table = checked(source)
    parts, sources = _Places(), _Places()
    for label, own, other in zip(table.index, table["source_lang"], table["target_lang"], strict=True):
        if isinstance(own, str) and isinstance(other, str):  # anything that is not a code is refused with the texts
            parts[as_normal(other)].append(label)
            sources[as_normal(own)].append(label)
    _refuse_several(sources, "row", 'push(table[table["source_lang"] == "EN"], name)')
    with _passing() as path:
        with path.open("xb") as stream:
            files.put(table, stream)
        yield Upload(path, sources, parts, Taking(), "row")


@contextmanager
def _prepared_file(path: Path) -> Iterator[Upload]:
    """The file at *path* as it is or, if it does not say which text of a unit is the source, as `read` sees it."""
    taking, parts, sources, is_clear = Taking(), _Places(), _Places(), True
    for unit in _units_in(path):
        codes = [each.language for each in unit.variants]
        one_source = sum(base_of(code) == base_of(unit.source_lang or "") for code in codes) == 1
        is_clear &= one_source and not unit.is_own and len(codes) == len(set(codes))
        for line, source_lang, target_lang, *_ in taking.rows(unit):
            parts[as_normal(target_lang)].append(line)
            sources[as_normal(source_lang)].append(line)
    if not parts:
        raise ValueError(" ".join([f"{path.name}: the file has no translations.", *taking.notes()]))
    _refuse_several(sources, "line", f'table = read("{path.name}"), push(table[table["source_lang"] == "EN"], name)')
    upload = Upload(path, sources, parts, taking)
    if is_clear:
        yield upload
        return
    with _passing() as beside:
        again = Taking()
        rows = (
            (as_bcp47(own), as_bcp47(other), text, translated, times)
            for unit in _units_in(path)
            for _, own, other, text, translated, times in again.rows(unit)
        )
        with beside.open("xb") as stream:
            for piece in written(files.grouped(rows), as_bcp47(upload.source_lang)):
                stream.write(piece.encode())
        yield dataclasses.replace(upload, path=beside)


class _Places(defaultdict[str, list[Any]]):
    """For every language its rows, or its lines in a file."""

    def __init__(self) -> None:
        super().__init__(list)


def _units_in(path: Path) -> Iterator[Unit]:
    with files.opened(path) as stream:
        try:
            yield from units(stream)
        except ValueError as problem:
            raise ValueError(f"{path.name}: {problem}") from None


def _refuse_several(sources: Mapping[str, list[Any]], kind: str, call: str) -> None:
    """Raise InvalidRows if there are several source languages; regions of one language count as one."""
    languages = _Places()
    for code, where in sources.items():
        languages[base_of(code)] += where
    if len(languages) > 1:
        first, *others = languages.items()
        told = ", ".join([repr(first[0]), *(f"{code!r} {places(where, kind)}" for code, where in others[:5])])
        raise InvalidRows(
            f"a memory has one source language, but there are {told}. Push each language under its own name: {call}. "
            "Nothing was sent",
            rows=[place for _, where in others for place in where],
        )


@contextmanager
def _passing() -> Iterator[Path]:
    """The path of a temporary file that only its owner can read."""
    try:
        with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
            yield Path(folder) / "memory.tmx"
    except OSError as problem:
        raise type(problem)(
            f"the folder for temporary files ({tempfile.gettempdir()}) could not be written: {problem.strerror}. Free "
            "some space there, or name another one in TMPDIR"
        ) from None


# ---- pulling


def export(client: Client, memory: str, path: str | os.PathLike[str], *, on_bytes: Count | None = None) -> Path:
    """Write a memory to a TMX file as the service sends it; an existing file is replaced as a whole."""
    given = Path(path).expanduser()
    known = found(client, memory)
    with replacing(given) as beside:
        _download(client, known, beside, on_bytes=on_bytes)
    return given


def pull(client: Client, memory: str, *, on_bytes: Count | None = None) -> Translations:
    """The translations of a memory as a table."""
    known = found(client, memory)
    with _passing() as path:
        _download(client, known, path, on_bytes=on_bytes)
        with _of_the_service(), path.open("rb") as stream:
            table, taking = files.tabled(stream)
    said = f"{plural(len(table), 'translation')} in the memory {called(known.name)}."
    return Translations(table.reset_index(drop=True), said, taking)


def _download(client: Client, memory: TranslationMemory, into: Path, *, on_bytes: Count | None) -> None:
    """Write a memory to *into* as TMX; BadReply if the response is not TMX, such as a proxy's page."""
    job_id = client.memories.begin_export(memory.translation_memory_id)
    client.memories.download(client.memories.wait(job_id), into, on_bytes=on_bytes)
    with _of_the_service(), into.open("rb") as stream:
        next(units(stream), None)


@contextmanager
def _of_the_service() -> Iterator[None]:
    try:
        yield
    except ValueError as problem:
        raise BadReply(f"The service sent something other than TMX: {problem}") from None


def segments(memory: str, text: str | None = None, *, case_sensitive: bool = False) -> Iterator[MemorySegment]:
    """The segments of a memory one by one, with their translations: all, or those with *text* on either side.

    Pages are requested when they are needed, so a loop that stops early costs little. `search` returns a table.
    """
    return _searched(memory, text, case_sensitive)[1]


def search(memory: str, text: str | None = None, *, case_sensitive: bool = False, most: int | None = 1000) -> Report:
    """The translations in a memory with *text* on either side, as a table.

    Parameters
    ----------
    memory
        The memory, by its id or its name.
    text
        The text to search for, at least two characters; None finds everything.
    case_sensitive
        Whether case matters.
    most
        The maximum number of segments; None takes all. `pull` is faster for a whole memory.
    """
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ValueError(f"most: expected None or a whole number of 1 or more, found {most!r}")
    known, wanted = _searched(memory, text, case_sensitive)
    taken = list(islice(wanted, most))
    rows = [(each, target) for each in taken for target in each.targets]
    looked = "" if text is None else f" with {called(text)}"
    said = f"{plural(len(rows), 'translation')}{looked} in the memory {called(known.name)}."
    if most is not None and len(taken) == most and next(wanted, None) is not None:
        said += f" These come from the first {plural(most, 'segment')}; most=None takes all."
    table = translations(
        [known.source_language] * len(rows),
        [target.target_language for _, target in rows],
        [each.source_text for each, _ in rows],
        [target.target_text for _, target in rows],
    )
    for name in TIMES:
        times = [getattr(target, name) for _, target in rows]
        if any(times):
            table[name] = _moments(times)
    return Report(table, said)


def _searched(memory: str, text: str | None, case_sensitive: bool) -> tuple[TranslationMemory, Iterator[MemorySegment]]:
    """The memory, and its segments with *text*."""
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text: expected text to search for, found {type(text).__name__}")
    if text is not None and len(text) < 2:
        raise ValueError("text: expected at least two characters to search for")
    client = current().client
    known = found(client, memory)
    return known, client.memories.segments(known.translation_memory_id, filter_text=text, case_sensitive=case_sensitive)
