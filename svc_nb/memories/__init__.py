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

import sys
import warnings
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.session import current
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.memories.sync import Push
    from svc_nb.tabular.report import Report
    from svc_nb.wire.models import MemorySegment, TranslationMemory

__all__ = ["delete", "export", "get", "list", "pull", "push", "read", "search", "segments", "write"]

# From so many bytes on there is something to watch.
LARGE = 1 << 20


# ---- files


def read(
    path: str | PathLike[str], *, source_lang: str | None = None, target_lang: str | None = None
) -> Report:
    """Read the translations in a TMX file as a table.

    The index, `line`, says where each unit begins in the file. Where the file says when its texts were made, changed or
    last used, the table has `creation_time`, `updated_time` and `last_used_time`. What was left out is told in the last
    line. The file is read piece by piece; no entity in it is resolved, and nothing is looked up elsewhere.

    Parameters
    ----------
    path
        The file.
    source_lang
        The language that the others are translated from; None takes what the file says, or the first of each unit.
    target_lang
        Only the translations into this language; one without a variant, such as "en", takes all its variants.

    Raises
    ------
    ValueError
        The file is damaged or no TMX, or has nothing in the languages given.
    """
    from svc_nb.memories import files
    from svc_nb.wire.languages import meant

    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    return files.read(path, source_lang=source_lang, target_lang=target_lang)


def write(table: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Write a table of translations to a TMX 1.4 file; what `read` makes of it are the same rows.

    A file that is there is replaced, at once and as a whole. The times of the columns `creation_time`, `updated_time`
    and `last_used_time` are written to the second; other columns are not.

    Raises
    ------
    InvalidRows
        Rows have no form in TMX: a side is empty, or has a character that no XML can hold; `findings` says which.
    """
    from svc_nb.memories import files

    return files.write(table, path)


# ---- the service


def list() -> Report:
    """All memories on the service: id, name, languages, number of segments, time of creation."""
    from svc_nb.memories import sync

    return sync.listed(current().client)


def get(memory: str) -> TranslationMemory:
    """One memory on the service, by its id or its name, without its segments."""
    from svc_nb.memories import sync

    return sync.found(current().client, memory)


def push(
    source: pd.DataFrame | str | PathLike[str],
    name: str | None = None,
    *,
    replace: bool = False,
    progress: bool = True,
) -> Push:
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
    from svc_nb.memories import sync

    with _Bar("uploading", progress) as on_bytes:
        return sync.push(current().client, source, name, replace=replace, on_bytes=on_bytes)


def pull(memory: str, *, progress: bool = True) -> Report:
    """The translations of a memory on the service, by its id or its name, as a table."""
    from svc_nb.memories import sync

    with _Bar("downloading", progress) as on_bytes:
        return sync.pull(current().client, memory, on_bytes=on_bytes)


def export(memory: str, path: str | PathLike[str], *, progress: bool = True) -> Path:
    """Write a memory on the service, by its id or its name, to a TMX file as the service gives it, streamed.

    A file that is there is replaced as a whole, once all of the new one has come.
    """
    from svc_nb.memories import sync

    with _Bar("downloading", progress) as on_bytes:
        return sync.export(current().client, memory, path, on_bytes=on_bytes)


def segments(
    memory: str, text: str | None = None, *, case_sensitive: bool = False
) -> Iterator[MemorySegment]:
    """The segments of a memory one by one, each with its translations: all, or those with *text* on either side.

    A page is asked for when it is needed, so a loop that stops early costs little. `search` gives a table.
    """
    from svc_nb.memories import sync

    return sync.segments(current().client, memory, text, case_sensitive=case_sensitive)


def search(
    memory: str, text: str | None = None, *, case_sensitive: bool = False, most: int | None = 1000
) -> Report:
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
    from svc_nb.memories import sync

    return sync.search(current().client, memory, text, case_sensitive=case_sensitive, most=most)


def delete(memory: str) -> Report:
    """Delete a memory on the service, by its id or its name, with all its segments, for good."""
    from svc_nb.memories import sync

    return sync.delete(current().client, memory)


class _Bar:
    """Paints how many bytes of a large file are on their way; nothing is painted where nobody watches."""

    def __init__(self, what: str, shown: bool) -> None:
        self._what = what
        self._shown = shown
        self._painted: Any = None

    def __enter__(self) -> Callable[[int], None] | None:
        return self._count if self._shown else None

    def __exit__(self, *_: object) -> None:
        if self._painted is not None:
            self._painted.close()

    def _count(self, count: int) -> None:
        if self._painted is None and count >= LARGE:
            self._painted = _made(self._what)
        if self._painted is not None:
            self._painted.update(count - self._painted.n)


def _made(what: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm tells of widgets that are not installed
        from tqdm.auto import tqdm
    in_notebook = any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)
    return tqdm(
        desc=what,
        unit="B",
        unit_scale=True,
        leave=False,
        disable=not in_notebook and not sys.stderr.isatty(),
        dynamic_ncols=True,
    )


module_verbs(globals())
