"""Dask tables: different texts are counted on the cluster, and answers joined there, partition by partition.

The tally is shuffled by text, so that a machine never needs to hold more than the texts of a few partitions, and
arrives here piece by piece. Rows stay in their partitions and in order: the index, the divisions and the number of
partitions do not change.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from svc_nb.clusters.dask import partition
from svc_nb.clusters.engine import TABLES
from svc_nb.clusters.table_request import LEVELS, ROWS, TEXT, Counted, TableRequest
from svc_nb.errors import column_error

if TYPE_CHECKING:
    from svc_nb.clusters.engine import Answer
    from svc_nb.clusters.fleet import Deliveries, Part, WorkOrder

NO_CLIENT = (
    "fleet: there are no workers. Create a client first: "
    'from distributed import Client; client = Client("tcp://scheduler:8786")'
)
# How much is fetched at once.
MOST_TEXTS = 10_000
MOST_CHARACTERS = 4_000_000
# The texts of this many partitions are counted together before they are shuffled.
FEW = 4
MANY = 32
# Dask warns about queries above 10 MB; a join table that is larger than this, compressed, goes to files.
MOST_BYTES = 8_000_000


class Dask:
    """Dask DataFrames and Series, with or without a distributed client."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a Series; raises TypeError if it is not a DataFrame either."""
        import dask.dataframe as dd

        if not isinstance(table, dd.DataFrame | dd.Series) or isinstance(table, dd.Index):
            raise TypeError(f"expected {TABLES}; found {type(table).__name__} of Dask")
        return isinstance(table, dd.Series)

    def frame(self, column: Any, name: str) -> Any:
        """A frame with the Series as its only column."""
        return column.to_frame(name=name)

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The added columns, as a Series with the name of *like*, or as a frame."""
        if not alone:
            return frame[list(names)].rename(columns=dict(names))
        [name] = names
        return frame[name].rename(like.name)

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name, None for texts; the contents of a column of objects are checked when it is read."""
        if frame.columns.nlevels > 1:
            raise TypeError(LEVELS)
        kinds = frame._meta.dtypes
        several = set(kinds.index[kinds.index.duplicated()])
        return {name: None if name in several or _holds_texts(kind) else str(kind) for name, kind in kinds.items()}

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text; each partition of the table is read once."""
        client = current_client()
        tally = _tally(frame, asked, has_client=client is not None)
        for piece in _from_files(tally) if client is None else _from_workers(client, tally):
            options = {name: [each or None for each in piece[name]] for name in asked.options}
            texts = piece[TEXT].astype(object)
            yield Counted(texts.where(texts.notna(), None).tolist(), piece[ROWS].tolist(), options)

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the columns added to each partition; the texts are sent now."""
        from dask.dataframe.utils import clear_known_categories, has_known_categories
        from dask.delayed import delayed

        needed = _needed(frame, asked)
        found = answer()
        # The pairs go into the query if they are small, else their files do.
        pairs: bytes | list[str] = partition.packed(found.table()) if found.is_small else found.files
        if isinstance(pairs, bytes) and len(pairs) > MOST_BYTES:
            pairs = found.files
        rows = frame._meta
        # The new columns with the same categories in all partitions: those whose source columns have them.
        alike = tuple(
            new
            for new, (name, _) in asked.added.items()
            if not asked.options and _is_category(rows[name]) and has_known_categories(rows[name])
        )
        meta = partition.answered(rows, asked, pairs if alike else [], alike)
        if unknown := [new for new in asked.added if new not in alike and _is_category(meta[new])]:
            meta = clear_known_categories(meta, unknown)
        return frame.map_partitions(
            partition.answered,
            asked,
            delayed(partition.passed_on, pure=True)(pairs) if isinstance(pairs, bytes) else pairs,
            alike,
            meta=meta,
            enforce_metadata=False,
            required_columns=needed if frame.columns.is_unique else None,
        )

    def check_workers(self, frame: Any) -> None:
        """Raise ValueError if there is no client."""
        if current_client() is None:
            raise ValueError(NO_CLIENT)

    def sent(
        self, frame: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Callable[[], bool]
    ) -> Deliveries:
        """Have the workers of the current client send *parts*."""
        from svc_nb.clusters.dask import fleet

        return fleet.sent(current_client(), order, parts, most, halted)

    def register(self) -> None:
        """Add `.svc` to DataFrame and Series."""
        from dask.dataframe.extensions import register_dataframe_accessor, register_series_accessor

        from svc_nb.clusters.namespaces import ColumnVerbs, TableVerbs

        register_dataframe_accessor("svc")(TableVerbs)
        register_series_accessor("svc")(ColumnVerbs)


def current_client() -> Any:
    """The client that a query would use now; None if it would run in this process."""
    if sys.modules.get("distributed") is None:
        return None
    from dask.base import get_scheduler
    from distributed import Client

    client = getattr(get_scheduler(), "__self__", None)
    return client if isinstance(client, Client) else None


def _holds_texts(kind: Any) -> bool:
    if isinstance(kind, pd.CategoricalDtype):
        return not len(kind.categories) or _holds_texts(kind.categories.dtype)
    if isinstance(kind, pd.ArrowDtype):
        return kind.type is str
    return isinstance(kind, pd.StringDtype) or kind.kind == "O"


def _is_category(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def _needed(frame: Any, asked: TableRequest) -> list[str]:
    """The columns that are read; raises KeyError for a name that not exactly one column has."""
    names = list(asked.read)
    there = list(frame.columns)
    for name in names:
        if there.count(name) > 1:
            raise column_error(name, there)
    return names


def _tally(frame: Any, asked: TableRequest, *, has_client: bool) -> Any:
    """Every different text once, distributed over sorted partitions by its hash."""
    rows = frame[_needed(frame, asked)]
    how = {"meta": partition.tallied(rows._meta, asked), "enforce_metadata": False, "clear_divisions": True}
    tally = rows.map_partitions(partition.tallied, asked, **how)
    many = -(-frame.npartitions // FEW)
    if frame.npartitions > 1:
        tally = tally.repartition(npartitions=many)
    if many > 1:
        fewer = tally.map_partitions(partition.summed, **how)
        # For many partitions Dask's own choice is best; for few it only writes much to its log.
        method = "disk" if not has_client else "tasks" if many <= MANY else None
        tally = fewer.shuffle([TEXT], ignore_index=True, shuffle_method=method)
    return tally.map_partitions(partition.summed, sort=True, **how)


def _from_workers(client: Any, tally: Any) -> Iterator[pd.DataFrame]:
    """The tally piece by piece; received pieces are released on the workers."""
    from distributed import futures_of

    # Dask drops an optimized query without references, even while a scheduler in this process is reading it.
    optimized = tally.optimize()
    held = futures_of(client.persist(optimized))
    while held:
        future = held.pop()
        texts, characters = client.submit(partition.size, future, pure=False).result()
        pieces = max(1, -(-texts // MOST_TEXTS), -(-characters // MOST_CHARACTERS))
        for number in range(pieces) if texts else ():
            yield client.submit(partition.cut, future, number, pieces, pure=False).result()


def _from_files(tally: Any) -> Iterator[pd.DataFrame]:
    """The tally in this process, by way of files."""
    from pyarrow import parquet

    with tempfile.TemporaryDirectory(prefix="svc_nb-") as folder:
        meta = pd.Series([], dtype=object)
        files = tally.map_partitions(partition.written, folder, meta=meta, enforce_metadata=False).compute()
        for file in files:
            for batch in parquet.ParquetFile(file).iter_batches(MOST_TEXTS):
                yield batch.to_pandas()


ENGINE = Dask()
