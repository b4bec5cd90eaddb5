"""Translation memories as tables: read from TMX, pushed to the service, pulled from it and searched there.

    pairs = svc_nb.memories.read("manuals.tmx")         # one row for a translation
    svc_nb.memories.lint(pairs)                         # what looks wrong
    svc_nb.memories.push(pairs, "Manuals")              # or push("manuals.tmx"); replaces one with that name
    svc_nb.memories.pull("Manuals")                     # and back
    svc_nb.memories.search("Manuals", "warranty")       # the segments that contain a word

A table of translations has the columns `source_lang`, `target_lang`, `source` and `target`; a source with several
translations has several rows. Texts with TMX inline tags (`bpt`, `ept`, `it`, `ph`, `hi`, `ut`) are XML in the table,
all others plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.memories import sync
from svc_nb.memories.files import Translations, read, write
from svc_nb.memories.lint import lint
from svc_nb.memories.sync import MemoryPush, search, segments
from svc_nb.progress import new_bar
from svc_nb.session import current
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import module_verbs
from svc_nb.wire.models import TranslationMemory

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "delete",
    "export",
    "get",
    "history",
    "lint",
    "list",
    "pull",
    "push",
    "read",
    "search",
    "segments",
    "undo",
    "write",
]

# From this many bytes on, progress is worth showing.
LARGE = 1 << 20


def list() -> Report:
    """All memories on the service: id, name, languages, number of segments, time of creation."""
    found = current().client.memories.list()
    then = "pull(name) returns the translations of one" if found else "push(table, name) creates the first"
    count = plural(len(found), "translation memory", "translation memories")
    return Report(sync.rows_of(found), f"{count}. Next: svc_nb.memories.{then}.")


def get(memory: str) -> TranslationMemory:
    """One memory on the service, by its id or its name, without its segments."""
    return sync.found(current().client, memory)


def push(
    source: pd.DataFrame | str | PathLike[str], name: str | None = None, *, dry_run: bool = False, progress: bool = True
) -> MemoryPush:
    """Give a memory on the service the translations of a table or a TMX file.

    The result has its `translation_memory_id`, and a row for each target language. The content of a memory cannot be
    changed. If there is one with that name, a new one is created, and the old one is deleted once the new one exists,
    so the id changes. The old memory is first saved to the file `backup`, and `undo` restores it. Nothing is sent if
    the memory already has these translations.

    Parameters
    ----------
    source
        A table of translations from one language, or a TMX file. A file of any size is streamed, and sent as it is,
        unless it does not say which text is the source: then each unit is sent as `read` understands it.
    name
        The name of an existing or new memory; by default the file's own name.
    dry_run
        Only say what would be done.
    progress
        Whether to show a progress bar for a large file.

    Raises
    ------
    InvalidRows
        A memory cannot hold some rows, or they are from several languages; nothing was sent.
    ApiError
        The service could not read the file; the message says why.
    """
    session = current()
    with _bar("uploading", progress) as on_bytes:
        backups = sync.backups_of(session)
        return sync.push(session.client, source, name, dry_run=dry_run, backups=backups, on_bytes=on_bytes)


def delete(memory: str) -> Report:
    """Delete a memory on the service, by its id or its name; a copy is kept, and `undo` recreates it."""
    session = current()
    return sync.delete(session.client, memory, backups=sync.backups_of(session))


def undo(
    memory: str | None = None, *, backup: str | None = None, replace: bool = False, dry_run: bool = False
) -> Report:
    """Undo the last push or deletion that was made from this kernel; a second undo redoes it.

    A memory that was created is deleted; one that was replaced or deleted is recreated under a new id.

    Parameters
    ----------
    memory
        The memory, by its id or its name; its last change from any of your kernels is undone. None means the last
        change from this kernel, whichever memory it was.
    backup
        Go back to the memory before this change instead, a name in `history`.
    replace
        Undo even if others have created a memory with that name since; theirs is replaced.
    dry_run
        Only say what would be done.

    Raises
    ------
    ValueError
        Nothing was changed from here, or others have created a memory with that name since.
    """
    session = current()
    return sync.undo(
        session.client, memory, backup=backup, replace=replace, dry_run=dry_run, backups=sync.backups_of(session)
    )


def history(memory: str | None = None) -> Report:
    """The changes that `undo` can undo, of all memories or of one, by its id or its name, the newest first."""
    return sync.backups_of(current()).history(memory)


def pull(memory: str, *, progress: bool = True) -> Translations:
    """The translations of a memory on the service, by its id or its name, as a table."""
    with _bar("downloading", progress) as on_bytes:
        return sync.pull(current().client, memory, on_bytes=on_bytes)


def export(memory: str, path: str | PathLike[str], *, progress: bool = True) -> Path:
    """Stream a memory on the service, by its id or its name, to a TMX file exactly as the service sends it.

    An existing file is replaced as a whole, once the new one is complete.
    """
    with _bar("downloading", progress) as on_bytes:
        return sync.export(current().client, memory, path, on_bytes=on_bytes)


@contextmanager
def _bar(what: str, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A callback that shows the progress of a large file in bytes; None if nothing is to be shown."""
    bar: Any = None

    def count(done: int) -> None:
        nonlocal bar
        if bar is None and done >= LARGE:
            bar = new_bar(desc=what, unit="B", unit_scale=True, leave=False)
        if bar is not None:
            bar.update(done - bar.n)

    try:
        yield count if shown else None
    finally:
        if bar is not None:
            bar.close()


module_verbs(globals())
