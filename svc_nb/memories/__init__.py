"""Translation memories as tables: read from TMX, sent to the service, fetched from it and searched there.

    pairs = svc_nb.memories.read("manuals.tmx")         # one row for a translation
    svc_nb.memories.lint(pairs)                         # what looks wrong
    svc_nb.memories.push(pairs, "Manuals")              # or push("manuals.tmx"); replaces one of that name
    svc_nb.memories.pull("Manuals")                     # and back
    svc_nb.memories.search("Manuals", "warranty")       # the segments with a word

A table of translations has the columns `source_lang`, `target_lang`, `source` and `target`; a source with several
translations has several rows. Texts with inline tags of TMX (`bpt`, `ept`, `it`, `ph`, `hi`, `ut`) stand in it as XML,
all others as plain text.
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

# From so many bytes on there is something to watch.
LARGE = 1 << 20


def list() -> Report:
    """All memories on the service: id, name, languages, number of segments, time of creation."""
    found = current().client.memories.list()
    then = "pull(name) gives the translations of one" if found else "push(table, name) makes the first"
    count = plural(len(found), "translation memory", "translation memories")
    return Report(sync.rows_of(found), f"{count}. Next: svc_nb.memories.{then}.")


def get(memory: str) -> TranslationMemory:
    """One memory on the service, by its id or its name, without its segments."""
    return sync.found(current().client, memory)


def push(
    source: pd.DataFrame | str | PathLike[str], name: str | None = None, *, dry_run: bool = False, progress: bool = True
) -> MemoryPush:
    """Make a memory on the service have the translations of a table or a TMX file.

    The result has its `translation_memory_id`, and a row for each target language. What is in a memory cannot be
    changed: where there is one of that name, a new one is made, and the old one deleted once the new one is there. So
    the id is another one then. The old one is kept first, in the file `backup`, and `undo` brings it back. Nothing is
    sent where the memory has these translations already.

    Parameters
    ----------
    source
        A table of translations from one language, or a TMX file. A file is streamed, whatever its size, and sent as it
        is, unless it leaves open which text is the source: then each unit is sent as `read` understands it.
    name
        The memory's name, of one that is there or of a new one; a file's own name if not given.
    dry_run
        Only say what would be done.
    progress
        Whether to show a bar where the file is large.

    Raises
    ------
    InvalidRows
        Rows have no form in a memory, or are from several languages; nothing was sent.
    ApiError
        The service could not read the file; the text says why.
    """
    session = current()
    with _bar("uploading", progress) as on_bytes:
        backups = sync.backups_of(session)
        return sync.push(session.client, source, name, dry_run=dry_run, backups=backups, on_bytes=on_bytes)


def delete(memory: str) -> Report:
    """Delete a memory on the service, by its id or its name; a copy is kept, and `undo` makes it again."""
    session = current()
    return sync.delete(session.client, memory, backups=sync.backups_of(session))


def undo(
    memory: str | None = None, *, backup: str | None = None, replace: bool = False, dry_run: bool = False
) -> Report:
    """Take back the last push or deletion that was made from this kernel; done twice, it is done again.

    A memory that was created is deleted; one that was replaced or deleted is made again, under a new id.

    Parameters
    ----------
    memory
        The memory, by its id or its name: its last change from any kernel of yours is taken back. None is the last
        change from this kernel, whichever memory it was.
    backup
        Go back to the memory before this change instead, a name in `history`.
    replace
        Take it back also where others have made a memory of that name since: theirs is replaced.
    dry_run
        Only say what would be done.

    Raises
    ------
    ValueError
        Nothing was changed from here, or others have made a memory of that name since.
    """
    session = current()
    return sync.undo(
        session.client, memory, backup=backup, replace=replace, dry_run=dry_run, backups=sync.backups_of(session)
    )


def history(memory: str | None = None) -> Report:
    """The changes that `undo` can take back, of all memories or of one, by its id or its name, the newest first."""
    return sync.backups_of(current()).history(memory)


def pull(memory: str, *, progress: bool = True) -> Translations:
    """The translations of a memory on the service, by its id or its name, as a table."""
    with _bar("downloading", progress) as on_bytes:
        return sync.pull(current().client, memory, on_bytes=on_bytes)


def export(memory: str, path: str | PathLike[str], *, progress: bool = True) -> Path:
    """Write a memory on the service, by its id or its name, to a TMX file as the service gives it, streamed.

    A file that is there is replaced as a whole, once all of the new one has come.
    """
    with _bar("downloading", progress) as on_bytes:
        return sync.export(current().client, memory, path, on_bytes=on_bytes)


@contextmanager
def _bar(what: str, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """What paints how many bytes of a large file are on their way; None where nothing is to be shown."""
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
