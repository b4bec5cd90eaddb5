"""Work on one partition of a Dask table, wherever it is: plain functions of plain values that send nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from svc_nb.clusters.join_table import combined_key, file_system
from svc_nb.clusters.table_request import ROWS, TEXT, TableRequest, changed
from svc_nb.columns.results import ColumnResult
from svc_nb.tabular.text_column import Codes, Column

TEXTS = pa.large_string()
UNSEEN = (
    "{}: this worker cannot read the file. The join table is too large for memory: pass a folder that all machines "
    'of the cluster can read, as in translate(..., staging="/shared/folder"). Nothing is paid for again.'
)
HALVED = (
    "column {!r}, label {!r}: the text contains half of a surrogate pair, which cannot be sent. Correct it, or "
    'pass errors="coerce" to leave it missing.'
)
NO_OPTION = "column {!r}: {} contains half of a surrogate pair, which cannot be sent"


def tallied(part: pd.DataFrame, asked: TableRequest) -> pd.DataFrame:
    """The different texts of the columns with their options, and the number of rows of each; missing is one text."""
    kind: Any = pd.StringDtype("pyarrow")
    tallies = []
    for name in asked.columns:
        units = _Units.of(part, name, asked)
        rows = np.array([*units.rows, units.missing], dtype=np.int64)
        gaps = dict.fromkeys(units.keys, "") | {TEXT: None}
        columns: dict[str, Any] = {
            key: kind.__from_arrow__(pa.chunked_array([values, pa.array([gaps[key]], TEXTS)]))
            for key, values in units.keys.items()
        }
        tallies.append(pd.DataFrame({**columns, ROWS: rows})[rows > 0])
    [first, *others] = tallies
    # Different options may be the same without surrounding white space.
    return summed(pd.concat(tallies)) if others or asked.options else first.reset_index(drop=True)


def summed(tally: pd.DataFrame, *, sort: bool = False) -> pd.DataFrame:
    """The same with each text once; sorted, so that it is reproducible, whatever the order of the rows."""
    keys = [name for name in tally.columns if name != ROWS]
    return tally.groupby(keys, dropna=False, sort=sort)[[ROWS]].sum().reset_index()


def size(tally: pd.DataFrame) -> tuple[int, int]:
    """The number of texts and of their characters."""
    return len(tally), int(tally[TEXT].str.len().sum())


def cut(tally: pd.DataFrame, number: int, of: int) -> pd.DataFrame:
    """One of several pieces of a sorted tally."""
    return tally.iloc[len(tally) * number // of : len(tally) * (number + 1) // of]


def written(tally: pd.DataFrame, folder: str) -> pd.Series[Any]:
    """Write it to *folder*; returns the name of the file."""
    path = f"{folder}/{uuid.uuid4().hex}.parquet"
    tally.to_parquet(path, index=False)
    return pd.Series([path], dtype=object)


@dataclass(frozen=True)
class _Units:
    """The different texts of a column, with their options if rows have some, and the number of each row's unit.

    `keys` has the texts and the options, `rows` the number of rows of each; -1 in `codes` is a missing row. `filled`
    makes a column of the same shape from the results of the units.
    """

    keys: Mapping[str, pa.Array]
    codes: Codes
    filled: Callable[[pa.Array], Any]

    @classmethod
    def of(cls, part: pd.DataFrame, name: Any, asked: TableRequest) -> _Units:
        """The units of a column; texts in Arrow stay there."""
        values = part[name]
        if asked.options or not _is_of_arrow(values.dtype):
            return cls._of_block(_block(part, name, asked), asked)
        texts = pa.array(values.array)
        if isinstance(texts, pa.ChunkedArray) and len(texts):
            whole = texts.dictionary_encode().unify_dictionaries().combine_chunks()
            encoded = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
        else:  # chunks without texts cannot be combined
            encoded = (pa.array([], texts.type) if not len(texts) else texts).dictionary_encode()

        def filled(made: pa.Array) -> Any:
            kind: Any = values.dtype
            return kind.__from_arrow__(pa.chunked_array([made.cast(texts.type).take(encoded.indices)]))

        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
        return cls({TEXT: encoded.dictionary.cast(TEXTS)}, codes, filled)

    @classmethod
    def _of_block(cls, block: ColumnResult, asked: TableRequest) -> _Units:
        own = {
            option: [
                "" if text is None else value for text, value in zip(block.texts, _values(block, option), strict=True)
            ]
            for option in asked.options
        }
        keys = {key: pa.array(values, TEXTS) for key, values in {TEXT: block.texts, **own}.items()}
        return cls(keys, block.codes, lambda made: block.column.filled(made.to_pylist(), block.codes))

    @property
    def rows(self) -> Codes:
        """The number of rows of each unit."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.keys[TEXT]))

    @property
    def missing(self) -> int:
        """The number of rows without a unit."""
        return int((self.codes < 0).sum())


def _is_of_arrow(kind: Any) -> bool:
    if isinstance(kind, pd.ArrowDtype):
        return kind.pyarrow_dtype in (pa.string(), TEXTS)
    return isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow"


def _block(part: pd.DataFrame, name: Any, asked: TableRequest) -> ColumnResult:
    column = Column(part[name], coerce=asked.coerce)
    # Texts that Arrow cannot hold become missing if requested; otherwise the first one in a row raises.
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
    """The value of an option for each unit; "" for none."""
    return [getattr(own, option) or "" for own in block.options]


def packed(pairs: pa.Table) -> bytes:
    """The pairs in the form in which they are sent."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pairs.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(pairs)
    return bytes(sink.getvalue())


def passed_on(payload: bytes) -> bytes:
    """Compressed pairs as a separate task, which all partitions share."""
    return payload


def answered(
    part: pd.DataFrame, asked: TableRequest, pairs: bytes | Sequence[str], alike: Collection[str]
) -> pd.DataFrame:
    """*part* with new columns from *pairs*, compressed or in files; those in *alike* may keep ordered categories."""
    units = {name: _Units.of(part, name, asked) for name in asked.columns}
    found = _Found(units.values(), asked)
    for table in _tables(pairs):
        found.look_up(table)
    spans = dict(zip(units, found.spans(), strict=True))
    cells: dict[str, Any] = {}
    for new, (name, field) in asked.added.items():
        if found.lacks(spans[name]):
            raise ValueError(changed(name))
        made = units[name].filled(found.values[field][spans[name]])
        ordered = isinstance(made.dtype, pd.CategoricalDtype) and made.dtype.ordered
        cells[new] = made.cat.as_unordered() if ordered and new not in alike else made
    return part.assign(**cells)


class _Found:
    """The results for the *units* of columns, one column after the other, by field of the pairs."""

    def __init__(self, units: Iterable[_Units], asked: TableRequest) -> None:
        self._units = list(units)
        self._fields = asked.keys
        whole = [pa.chunked_array([each.keys[key] for each in self._units], TEXTS) for key in asked.keys]
        self._keys = combined_key(*whole).combine_chunks()
        stands = np.concatenate([each.rows > 0 for each in self._units])
        self._needed = stands & whole[0].is_valid().to_numpy()
        self.values = {field: pa.nulls(len(stands), TEXTS) for field in asked.results}

    def look_up(self, pairs: pa.Table) -> None:
        """Take their results from *pairs*."""
        places = pc.index_in(self._keys, value_set=combined_key(*(pairs[field] for field in self._fields)))
        self._needed[places.is_valid().to_numpy(zero_copy_only=False)] = False
        for field, values in self.values.items():
            found = pairs[field].cast(TEXTS).combine_chunks()
            taken = found.take(places)
            self.values[field] = taken if values.null_count == len(values) else pc.coalesce(values, taken)

    def lacks(self, span: slice) -> bool:
        """Whether a row has a unit of that column without a result."""
        return bool(self._needed[span].any())

    def spans(self) -> Iterator[slice]:
        """Where the units of each column are."""
        start = 0
        for each in self._units:
            yield slice(start, start := start + len(each.keys[TEXT]))


def _tables(pairs: bytes | Sequence[str]) -> Iterator[pa.Table]:
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
