"""What is done with one partition of a Dask table, wherever that is: plain functions of plain values, nothing sent."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from svc_nb.clusters.join_table import combined_key, file_system
from svc_nb.clusters.table_request import ROWS, TEXT, TableRequest, changed
from svc_nb.columns.results import ColumnResult
from svc_nb.tabular.text_column import Column

if TYPE_CHECKING:
    import pyarrow as pa

UNSEEN = (
    "{}: this worker cannot read the file. The join table is too large to be passed on in memory: name a folder that "
    'all machines of the cluster see, as in translate(..., staging="/shared/folder"). Nothing is paid for again.'
)
HALVED = (
    "column {!r}, label {!r}: the text holds half of a surrogate pair, which cannot be sent. Correct it, or "
    'have a gap there by errors="coerce".'
)
NO_OPTION = "column {!r}: {} holds half of a surrogate pair, which cannot be sent"


def tallied(part: pd.DataFrame, asked: TableRequest) -> pd.DataFrame:
    """The different texts of the columns with their options, and in how many rows each stands; gaps are one text."""
    kind = pd.StringDtype("pyarrow")
    tallies = []
    for name in asked.columns:
        block = _block(part, name, asked)
        rows = np.array([*block.rows, block.missing], dtype=np.int64)
        cells = {TEXT: [*block.texts, None]}
        for option in asked.options:
            pairs = zip(block.texts, _values(block, option), strict=True)
            cells[option] = [*("" if text is None else value for text, value in pairs), ""]
        columns: dict[str, Any] = {key: pd.array(values, dtype=kind) for key, values in cells.items()}
        tallies.append(pd.DataFrame({**columns, ROWS: rows})[rows > 0])
    return summed(pd.concat(tallies))


def summed(tally: pd.DataFrame, *, sort: bool = False) -> pd.DataFrame:
    """The same with each text once; sorted, it is the same however often it is made, whatever the order of the rows."""
    keys = [name for name in tally.columns if name != ROWS]
    return tally.groupby(keys, dropna=False, sort=sort)[[ROWS]].sum().reset_index()


def size(tally: pd.DataFrame) -> tuple[int, int]:
    """How many texts there are, and how many characters they have."""
    return len(tally), int(tally[TEXT].str.len().sum())


def cut(tally: pd.DataFrame, number: int, of: int) -> pd.DataFrame:
    """One of so many pieces of a tally that is sorted."""
    return tally.iloc[len(tally) * number // of : len(tally) * (number + 1) // of]


def written(tally: pd.DataFrame, folder: str) -> pd.Series[Any]:
    """Write it to *folder*; gives the name of the file."""
    path = f"{folder}/{uuid.uuid4().hex}.parquet"
    tally.to_parquet(path, index=False)
    return pd.Series([path], dtype=object)


def _block(part: pd.DataFrame, name: Any, asked: TableRequest) -> ColumnResult:
    column = Column(part[name], coerce=asked.coerce)
    # Texts that Arrow cannot hold become gaps; the first one in a row raises, unless they are to.
    halved = [number for number, text in enumerate(column.texts) if text and _is_halved(text)]
    wrong = np.isin(column.codes, [] if asked.coerce else halved)
    if wrong.any():
        raise ValueError(HALVED.format(column.name, column.labels[int(wrong.argmax())]))
    for number in halved:
        column.texts[number] = None
    block = ColumnResult(column, None, {option: part[own] for option, own in asked.options.items()})
    for option, own in asked.options.items():
        for value in _values(block, option):
            if _is_halved(value):
                raise ValueError(NO_OPTION.format(own, ascii(value)))
    return block


def _is_halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _values(block: ColumnResult, option: str) -> list[str]:
    """What each unit has as an option; "" for none."""
    return [getattr(own, option) or "" for own in block.options]


def packed(pairs: pa.Table) -> bytes:
    """The pairs as they travel."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pairs.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(pairs)
    return bytes(sink.getvalue())


def passed_on(payload: bytes) -> bytes:
    """Packed pairs as a task of their own, which all partitions share."""
    return payload


def answered(
    part: pd.DataFrame, asked: TableRequest, pairs: bytes | Sequence[str], alike: Collection[str]
) -> pd.DataFrame:
    """*part* with its new columns from *pairs*, packed or in files; what *alike* names may keep ordered categories."""
    blocks = {name: _block(part, name, asked) for name in asked.columns}
    found = _Found(blocks.values(), tuple(asked.options), asked.results)
    for table in _tables(pairs):
        found.look_up(table)
    spans = dict(zip(blocks, found.spans(), strict=True))
    cells: dict[str, Any] = {}
    for new, (name, field) in asked.added.items():
        if found.lacks(spans[name]):
            raise ValueError(changed(name))
        block = blocks[name]
        made = block.column.filled(found.values[field][spans[name]].tolist(), block.codes)
        ordered = isinstance(made.dtype, pd.CategoricalDtype) and made.dtype.ordered
        cells[new] = made.cat.as_unordered() if ordered and new not in alike else made
    return part.assign(**cells)


class _Found:
    """What is known of the units of *blocks*, one block after the other, by field of the pairs."""

    def __init__(self, blocks: Iterable[ColumnResult], options: Sequence[str], fields: Sequence[str]) -> None:
        self._blocks = list(blocks)
        self._options = options
        texts = [text for block in self._blocks for text in block.texts]
        own = ([value for block in self._blocks for value in _values(block, option)] for option in options)
        self._keys = combined_key(texts, *own)
        stands = [rows > 0 for block in self._blocks for rows in block.rows]
        self._needed = np.array(
            [there and text is not None for there, text in zip(stands, texts, strict=True)], dtype=bool
        )
        self.values = {field: np.full(len(texts), None, dtype=object) for field in fields}

    def look_up(self, pairs: pa.Table) -> None:
        """Take what *pairs* have of them."""
        import pyarrow.compute as pc

        known = combined_key(pairs[TEXT], *(pairs[option] for option in self._options))
        places = pc.index_in(self._keys, value_set=known)
        there = np.flatnonzero(places.is_valid().to_numpy(zero_copy_only=False))
        self._needed[there] = False
        for field, values in self.values.items():
            values[there] = pairs[field].take(places.take(there)).to_numpy(zero_copy_only=False)

    def lacks(self, span: slice) -> bool:
        """Whether a unit of that block stands in a row and was not found."""
        return bool(self._needed[span].any())

    def spans(self) -> Iterator[slice]:
        """Where the units of each block are."""
        start = 0
        for block in self._blocks:
            yield slice(start, start := start + len(block.texts))


def _tables(pairs: bytes | Sequence[str]) -> Iterator[pa.Table]:
    import pyarrow as pa
    from pyarrow import parquet

    if isinstance(pairs, bytes):
        yield pa.ipc.open_stream(pairs).read_all()
        return
    for file in pairs:
        system, path = file_system(file)
        try:
            with system.open_input_file(path) as stream:
                yield parquet.ParquetFile(stream).read()
        except FileNotFoundError:
            raise FileNotFoundError(UNSEEN.format(file)) from None
