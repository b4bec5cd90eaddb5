"""The two tables that are exchanged by an engine and this process: the counted texts, and their results.

The engine writes its counts to a file, which is read piece by piece. So its query is finished before the first text is
sent, however long that takes, and neither its threads nor its connection are blocked.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.table_request import Counted, TableRequest

if TYPE_CHECKING:
    import pyarrow as pa


# How many texts are read at once; engines write groups of the same size.
MOST_READ = 10_240
# The most bytes passed within a query, or broadcast to every worker.
MOST_BYTES = 32 * 2**20


def combined_key(texts: Any, *options: Any) -> Any:
    """A text and its options, if any, as a single text; the length before an option shows where it ends."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = pa.large_string()
    whole = texts if isinstance(texts, pa.ChunkedArray) else pa.array(texts, kind)
    for option in reversed(options):
        own = option if isinstance(option, pa.ChunkedArray) else pa.array(option, kind)
        whole = pc.binary_join_element_wise(pc.utf8_length(own).cast(kind), own, whole, pa.scalar(":", kind))
    return whole


def split_key(key: str, options: int) -> list[str]:
    """The text and its options in a combined key, whose number is *options*.

    >>> split_key("2:DE:Ja: nein", 1), split_key("2:DE:3:a:b:Ja", 2)
    (['Ja: nein', 'DE'], ['Ja', 'DE', 'a:b'])
    """
    found = []
    for _ in range(options):
        length, _, rest = key.partition(":")
        found.append(rest[: int(length)])
        key = rest[int(length) + 1 :]
    return [key, *found]


def uncombined(keys: Iterable[str | None], rows: list[int], options: Sequence[str]) -> Counted:
    """The texts and the *options* of combined keys, with the rows of each; a key that is None means no text."""
    if not options:
        return Counted(list(keys), rows, {})
    none = [None, *("" for _ in options)]
    pairs = [none if key is None else split_key(key, len(options)) for key in keys]
    texts, *own = zip(*pairs, strict=True)
    return Counted(
        list(texts), rows, dict(zip(options, ([each or None for each in some] for some in own), strict=True))
    )


@contextmanager
def tally_file() -> Iterator[str]:
    """The name of a private Parquet file for an engine to write to; deleted when the block ends."""
    with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
        yield f"{folder}/tally.parquet"


def read_tally(path: str, options: Iterable[str]) -> Iterator[Counted]:
    """The contents of the file, several thousand texts at a time: text, the *options* by name ("" is none), rows."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=MOST_READ):
            yield counted(batch, options)


def counted(batch: pa.RecordBatch | pa.Table, options: Iterable[str]) -> Counted:
    """The same for a piece in memory."""
    texts, *own, rows = (column.to_pylist() for column in batch.columns)
    return Counted(texts, rows, dict(zip(options, ([each or None for each in some] for some in own), strict=True)))


class JoinTable:
    """A row for each text, and its options if rows have their own, with a field for each result.

    It is an Arrow table while it is small. When it grows large, it goes to Parquet files in a new folder: under
    *staging*, where it stays, or on this machine, readable only by its user and removed when the process ends.
    `is_whole` says whether no text failed or was left unsent.
    """

    def __init__(self, asked: TableRequest, staging: str | None = None, *, most_bytes: int = MOST_BYTES) -> None:
        import pyarrow as pa

        fields = (*asked.keys, *asked.results)
        self.schema = pa.schema([(field, pa.large_string()) for field in fields])
        self.rows = 0
        self.is_whole = True
        self._staging = staging
        self._most_bytes = most_bytes
        self._held: list[pa.Table] = []
        self._bytes = 0
        self._folder: str | None = None
        self._names: list[str] = []

    def add(
        self, texts: Sequence[str | None], options: Mapping[str, Sequence[str | None]], results: Sequence[Sequence[Any]]
    ) -> None:
        """Add the results of texts; None as a text means no text, and None as an option is ""."""
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
        """Whether it is in memory."""
        return self._folder is None

    @property
    def is_staged(self) -> bool:
        """Whether its files go to a folder that all machines can read."""
        return self._staging is not None

    def table(self) -> pa.Table:
        """The whole table, if it is small."""
        import pyarrow as pa

        if self._folder is not None:
            raise ValueError("Too large for memory. Read `files`")
        return pa.concat_tables([self.schema.empty_table(), *self._held]).combine_chunks()

    @property
    def folder(self) -> str:
        """The folder of its Parquet files; a small table is written now."""
        return self._write()

    @property
    def files(self) -> list[str]:
        """Its Parquet files; a small table is written now."""
        folder = self._write()
        return [f"{folder}/{name}" for name in self._names]

    def discard(self) -> None:
        """Remove its files, if any: no one will read them."""
        if self._folder is not None:
            system, folder = file_system(self._folder)
            with suppress(OSError):
                system.delete_dir(folder)

    def _write(self) -> str:
        from pyarrow import parquet

        if self._folder is None and self._staging is None:
            self._folder = tempfile.mkdtemp(prefix="svc_nb-")
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        elif self._folder is None:
            self._folder = f"{str(self._staging).rstrip('/')}/svc_nb-{uuid.uuid4().hex}"
        assert self._folder is not None  # noqa: S101 - for the type checker
        tables = self._held or ([] if self._names else [self.schema.empty_table()])
        if tables:
            system, folder = file_system(self._folder)
            system.create_dir(folder, recursive=True)
        for table in tables:
            name = f"part-{len(self._names):05}.parquet"
            parquet.write_table(table, f"{folder}/{name}", filesystem=system, compression="zstd")
            self._names.append(name)
        self._held = []
        return self._folder


def file_system(path: str) -> tuple[Any, str]:
    """The file system of *path*, and the path in it."""
    from pyarrow import fs

    return fs.FileSystem.from_uri(path) if "://" in path else (fs.LocalFileSystem(), path)
