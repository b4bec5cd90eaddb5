"""Memories on the service: listed, found by name, sent, fetched, searched and deleted."""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import ApiError, BadReply, InvalidRows, NotFound, SvcError
from svc_nb.language_codes import as_normal, base_of
from svc_nb.memories import files
from svc_nb.memories.files import checked, translations
from svc_nb.memories.tmx import TIMES, units
from svc_nb.session import current
from svc_nb.sync.resources import MEMORY, called
from svc_nb.tabular.disk import replacing
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.client import Client
from svc_nb.wire.connection import Count
from svc_nb.wire.models import MemorySegment, TranslationMemory

LARGEST_FILE = 1_000_000_000
ID = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


class MemoryPush(Report):
    """The memory that was made, a row; `translation_memory_id` is its id."""

    _metadata = [*Report._metadata, "translation_memory_id"]
    translation_memory_id: str

    def __init__(self, memory: TranslationMemory, *, skipped: int = 0, replaced: int = 0) -> None:
        said = [f"{plural(memory.segment_count, 'segment')} in the memory {called(memory.name)}."]
        if skipped:
            count = plural(skipped, "text was", "texts were")
            said.append(f"{count} skipped by the service: a language that memories do not have, or an empty side.")
        if replaced:
            said.append(f"{plural(replaced, 'memory', 'memories')} of that name deleted.")
        use = f'translate(..., translation_memory_id="{memory.translation_memory_id}")'
        super().__init__(rows_of([memory]), " ".join([*said, f"Next: {use}."]))
        object.__setattr__(self, "translation_memory_id", memory.translation_memory_id)


# ---- what is there


def found(client: Client, memory: str) -> TranslationMemory:
    """The memory with this id, or else with this name; NotFound where there is none, ValueError for two of a name."""
    is_id = isinstance(memory, str) and ID.fullmatch(memory)  # a name may be anything, such as another path
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
    replace: bool = False,
    on_bytes: Count | None = None,
) -> MemoryPush:
    """Make a memory of a table or a TMX file; see svc_nb.memories.push."""
    if name is None and isinstance(source, str | os.PathLike):
        name = Path(source).stem
    with _file(source) as path:
        if not isinstance(name, str):
            raise TypeError('name: expected the name of the new memory, such as push(table, "Manuals")')
        new_name = name.strip()
        if not new_name:
            raise ValueError("name: expected the memory's name, found only blanks")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(
                f"the service takes TMX of up to {LARGEST_FILE:,} bytes, and this has {size:,}. Split it; nothing "
                "was sent"
            )
        before = [each for each in client.memories.list() if each.name == new_name]
        if before and not replace:
            raise ValueError(
                f"there is a memory called {called(new_name)} already ({plural(before[0].segment_count, 'segment')}), "
                "and what is in a memory cannot be changed. Pass replace=True to put this one in its place, or choose "
                "another name. Nothing was sent"
            )
        upload = client.memories.begin_import(f"{new_name}.tmx", size, name=new_name)
        client.memories.upload(upload, path, on_bytes=on_bytes)
    made, skipped = _made(client, upload.job_id)
    for each in before:
        try:
            with suppress(NotFound):  # somebody else was faster
                client.memories.delete(each.translation_memory_id)
        except (SvcError, KeyboardInterrupt) as problem:
            problem.add_note(
                f"The new memory is there; the old one, {each.translation_memory_id}, may be there too. {MEMORY.sees}."
            )
            raise
    return MemoryPush(made, skipped=skipped, replaced=len(before))


def _made(client: Client, job_id: str) -> tuple[TranslationMemory, int]:
    """The memory that an import makes, once it is there, and how many texts were skipped."""
    try:
        result = client.memories.wait(job_id)
        if result.translation_memory_id is None:
            raise BadReply("The import is completed but names no memory")
        return client.memories.get(result.translation_memory_id), result.skipped_segment_count or 0
    except (SvcError, KeyboardInterrupt) as problem:
        if not (isinstance(problem, ApiError) and problem.status is None):  # then the import itself failed
            problem.add_note(f"The file was sent, and the service reads it. Before you push it again: {MEMORY.sees}.")
        raise


@contextmanager
def _file(source: object) -> Iterator[Path]:
    """The TMX file to be sent: the one given, looked into, or one of a table, which is gone at the end."""
    if isinstance(source, str | os.PathLike):
        path = Path(source).expanduser()
        with files.opened(path) as stream:
            try:
                first = next(units(stream), None)
            except ValueError as problem:
                raise ValueError(f"{path.name}: {problem}") from None
        if first is None:
            raise ValueError(f"{path.name}: there is no translation in it (no <tu>)")
        yield path
        return
    table = checked(source)
    # A memory has one source language; what is no code is refused with the texts.
    codes = [base_of(code) if isinstance(code, str) else "" for code in table["source_lang"].tolist()]
    bases = list(dict.fromkeys(filter(None, codes)))
    if len(bases) > 1:
        several = ", ".join(repr(code) for code in bases[:5])
        rows = table.index[[code not in ("", bases[0]) for code in codes]].tolist()
        raise InvalidRows(
            f"a memory has one source language, and the table has {several}. Push the rows of each language under a "
            "name of its own. Nothing was sent",
            rows=rows,
        )
    with _passing() as path:
        with path.open("xb") as stream:
            files.put(table, stream)
        yield path


@contextmanager
def _passing() -> Iterator[Path]:
    """A place for a file that only its owner can read, and that is gone at the end."""
    try:
        with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
            yield Path(folder) / "memory.tmx"
    except OSError as problem:
        raise type(problem)(
            f"the folder for temporary files ({tempfile.gettempdir()}) could not be written: {problem.strerror}. Make "
            "room there, or name another one in TMPDIR"
        ) from None


# ---- fetching


def export(client: Client, memory: str, path: str | os.PathLike[str], *, on_bytes: Count | None = None) -> Path:
    """Write a memory to a file as the service gives it, in TMX; a file that is there is replaced as a whole."""
    given = Path(path).expanduser()
    known = found(client, memory)
    with replacing(given) as beside:
        _download(client, known, beside, on_bytes=on_bytes)
    return given


def pull(client: Client, memory: str, *, on_bytes: Count | None = None) -> Report:
    """The translations of a memory as a table."""
    known = found(client, memory)
    with _passing() as path:
        _download(client, known, path, on_bytes=on_bytes)
        with _of_the_service(), path.open("rb") as stream:
            table, notes = files.tabled(stream)
    table = table.reset_index(drop=True)
    said = f"{plural(len(table), 'translation')} in the memory {called(known.name)}."
    return Report(table, " ".join([said, *(f"{note}." for note in notes)]))


def _download(client: Client, memory: TranslationMemory, into: Path, *, on_bytes: Count | None) -> None:
    """Write a memory to *into* as TMX; BadReply where what came does not begin so, as a proxy's page does not."""
    job_id = client.memories.begin_export(memory.translation_memory_id)
    client.memories.download(client.memories.wait(job_id), into, on_bytes=on_bytes)
    with _of_the_service(), into.open("rb") as stream:
        next(units(stream), None)


@contextmanager
def _of_the_service() -> Iterator[None]:
    try:
        yield
    except ValueError as problem:
        raise BadReply(f"What came in place of the memory is no TMX: {problem}") from None


def segments(memory: str, text: str | None = None, *, case_sensitive: bool = False) -> Iterator[MemorySegment]:
    """The segments of a memory one by one, each with its translations: all, or those with *text* on either side.

    A page is asked for when it is needed, so a loop that stops early costs little. `search` gives a table.
    """
    return _searched(memory, text, case_sensitive)[1]


def search(memory: str, text: str | None = None, *, case_sensitive: bool = False, most: int | None = 1000) -> Report:
    """The translations in a memory that have *text* on either side, as a table.

    Parameters
    ----------
    memory
        The memory, by its id or its name.
    text
        What to look for, two characters or more; None is everything.
    case_sensitive
        Whether capitals count.
    most
        How many segments to take at most; None takes all. `pull` is faster for a whole memory.
    """
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ValueError(f"most: expected None or a whole number from 1 on, found {most!r}")
    known, wanted = _searched(memory, text, case_sensitive)
    taken = list(islice(wanted, most))
    rows = [(each, target) for each in taken for target in each.targets]
    looked = "" if text is None else f" with {called(text)}"
    said = f"{plural(len(rows), 'translation')}{looked} in the memory {called(known.name)}."
    if most is not None and len(taken) == most and next(wanted, None) is not None:
        said += f" These are of the first {plural(most, 'segment')}; most=None takes all."
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
    """The memory that is meant, and its segments with *text*."""
    if text is not None and not isinstance(text, str):
        raise TypeError(f"text: expected text to look for, found {type(text).__name__}")
    if text is not None and len(text) < 2:
        raise ValueError("text: expected two characters or more to look for")
    client = current().client
    known = found(client, memory)
    return known, client.memories.segments(known.translation_memory_id, filter_text=text, case_sensitive=case_sensitive)


def delete(memory: str) -> Report:
    """Delete a memory on the service, by its id or its name, with all its segments, for good."""
    client = current().client
    known = found(client, memory)
    client.memories.delete(known.translation_memory_id)
    said = f"The memory {called(known.name)} was deleted with {plural(known.segment_count, 'segment')}."
    return Report(rows_of([known]), said)
