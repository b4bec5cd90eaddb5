"""The different texts of a table on their way here: the engine writes them to a file, which is read piece by piece.

So the engine is done with its query before the first text is sent, however long that takes, and neither its threads
nor its connection are kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from svc_nb.clusters.asked import Counted

if TYPE_CHECKING:
    import pyarrow as pa

# So many texts are read at once; engines write groups of as many rows.
MOST_READ = 10_240


@contextmanager
def spool() -> Iterator[str]:
    """The name of a Parquet file for an engine to write to, which nobody else can read; gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
        yield f"{folder}/tally.parquet"


def unspooled(path: str, options: Iterable[str]) -> Iterator[Counted]:
    """What is in the file, some thousand texts at a time: text, then the *options* by these names, then rows.

    An option that is "" is none.
    """
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=MOST_READ):
            yield counted(batch, options)


def counted(batch: pa.RecordBatch | pa.Table, options: Iterable[str]) -> Counted:
    """The same of a piece that is in memory."""
    texts, *own, rows = (column.to_pylist() for column in batch.columns)
    values = ([each or None for each in some] for some in own)
    return Counted(texts, rows, dict(zip(options, values, strict=True)))
