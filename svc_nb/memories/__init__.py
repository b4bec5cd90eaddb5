"""Translation memories as tables: read from TMX, sent to the service, fetched from it and searched there.

    pairs = svc_nb.memories.read("manuals.tmx")         # one row for a translation
    svc_nb.memories.push(pairs, "Manuals")              # or push("manuals.tmx"), as the file is
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
from svc_nb.memories.files import read, write
from svc_nb.memories.sync import MemoryPush, delete, search, segments
from svc_nb.progress import new_bar
from svc_nb.session import current
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import module_verbs
from svc_nb.wire.models import TranslationMemory

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["delete", "export", "get", "list", "pull", "push", "read", "search", "segments", "write"]

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
    source: pd.DataFrame | str | PathLike[str], name: str | None = None, *, replace: bool = False, progress: bool = True
) -> MemoryPush:
    """Make a memory on the service of a table or a TMX file; the result has its `translation_memory_id`.

    A file is sent as it is, streamed, whatever its size; a table is written as TMX first. Translations use the memory
    when its id is given as `translation_memory_id=`. What is in a memory cannot be changed later.

    Parameters
    ----------
    source
        A table of translations from one language, or a TMX file.
    name
        What the memory is called; a file's own name if not given.
    replace
        Put the new memory in the place of those that have the name: they are deleted when it is there. Else a name that
        is taken is an error, and nothing is sent.
    progress
        Whether to show a bar where the file is large.

    Raises
    ------
    InvalidRows
        Rows of the table have no form in a memory; nothing was sent.
    ApiError
        The service could not read the file; the text says why.
    """
    with _bar("uploading", progress) as on_bytes:
        return sync.push(current().client, source, name, replace=replace, on_bytes=on_bytes)


def pull(memory: str, *, progress: bool = True) -> Report:
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
