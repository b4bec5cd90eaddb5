"""What every different text came to: the table that an engine joins its rows with."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.asked import Asked

if TYPE_CHECKING:
    import pyarrow as pa

# What is passed on within a query, or broadcast to every worker, is not more than this.
MOST_BYTES = 32 * 2**20


class Pairs:
    """A row for each text, by its options where rows have their own, with a field for each result.

    It is an Arrow table while it is small. When it grows large it goes to Parquet files in a folder of its own, under
    *staging*, or on this machine, where it is removed when the process ends. What is under *staging* stays there.
    `is_whole` says whether no text failed or was left.
    """

    def __init__(self, asked: Asked, staging: str | None = None, *, most_bytes: int = MOST_BYTES) -> None:
        import pyarrow as pa

        fields = (*asked.keys, *asked.results)
        self.schema = pa.schema([(field, pa.large_string()) for field in fields])
        self._staging = staging
        self._most_bytes = most_bytes
        self._held: list[pa.Table] = []
        self._bytes = 0
        self._folder: _Folder | None = None
        self.rows = 0
        self.is_whole = True

    def add(
        self,
        texts: Sequence[str | None],
        options: Mapping[str, Sequence[str | None]],
        results: Sequence[Sequence[Any]],
    ) -> None:
        """Take in what texts came to; a text that is None is no text, and an option that is None is ""."""
        import pyarrow as pa

        there = [place for place, text in enumerate(texts) if text is not None]
        columns = [texts, *([each or "" for each in values] for values in options.values()), *results]
        table = pa.table([[column[place] for place in there] for column in columns], schema=self.schema)
        self.rows += len(there)
        self._bytes += table.nbytes
        self._held.append(table)
        if self._folder is not None or self._bytes > self._most_bytes:
            self._write()

    @property
    def is_small(self) -> bool:
        """Whether it is held in memory."""
        return self._folder is None

    @property
    def is_staged(self) -> bool:
        """Whether its files go to a folder that all machines see."""
        return self._staging is not None

    def table(self) -> pa.Table:
        """All of it, where it is small."""
        import pyarrow as pa

        if self._folder is not None:
            raise ValueError("too large for memory: read `files`")
        return pa.concat_tables([self.schema.empty_table(), *self._held]).combine_chunks()

    @property
    def folder(self) -> str:
        """Where its Parquet files are; a small one is written now."""
        self._write()
        assert self._folder is not None  # noqa: S101 - it was written
        return self._folder.path

    @property
    def files(self) -> list[str]:
        """Its Parquet files."""
        self._write()
        assert self._folder is not None  # noqa: S101 - it was written
        return list(self._folder.files)

    def discard(self) -> None:
        """Remove its files, where it has some: nobody will read them."""
        if self._folder is not None:
            self._folder.remove()

    def _write(self) -> None:
        if self._folder is None:
            self._folder = _Folder(self._staging)
        for table in self._held or ([] if self._folder.files else [self.schema.empty_table()]):
            self._folder.write(table)
        self._held = []


class _Folder:
    """A folder for one table's Parquet files; one of this machine is only for its user."""

    def __init__(self, staging: str | None) -> None:
        from pyarrow import fs

        self.files: list[str] = []
        if staging is None:
            self.path = tempfile.mkdtemp(prefix="svc_nb-")
            atexit.register(shutil.rmtree, self.path, ignore_errors=True)
        else:
            self.path = f"{staging.rstrip('/')}/svc_nb-{uuid.uuid4().hex}"
        if "://" in self.path:
            self._system, self._inner = fs.FileSystem.from_uri(self.path)
        else:
            self._system, self._inner = fs.LocalFileSystem(), self.path
        self._system.create_dir(self._inner, recursive=True)

    def write(self, table: pa.Table) -> None:
        from pyarrow import parquet

        name = f"part-{len(self.files):05}.parquet"
        parquet.write_table(table, f"{self._inner}/{name}", filesystem=self._system, compression="zstd")
        self.files.append(f"{self.path}/{name}")

    def remove(self) -> None:
        """Remove the folder and what is in it."""
        with suppress(OSError):
            self._system.delete_dir(self._inner)
