"""Every other table in memory that narwhals supports, such as an Arrow table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from svc_nb.clusters.engine import Answer, known
from svc_nb.clusters.join_table import MOST_READ, combined_key, uncombined
from svc_nb.clusters.table_request import Counted, TableRequest, changed

TEXTS = (nw.String, nw.Categorical, nw.Enum)


class Narwhals:
    """Frames and columns; rows keep their order."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column."""
        return isinstance(known(table), nw.Series)

    def frame(self, column: Any, name: str) -> Any:
        """A frame with the column as its only one."""
        return nw.from_native(column, series_only=True).alias(name).to_frame().to_native()

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The added column, or a frame of all added columns."""
        made = nw.from_native(frame, eager_only=True)
        if alone:
            return made[next(iter(names))].alias(nw.from_native(like, series_only=True).name).to_native()
        return made.select(nw.col(added).alias(name) for added, name in names.items()).to_native()

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name."""
        whole = nw.from_native(frame, eager_only=True)
        return {
            name: None
            if any(kind == text for text in TEXTS)
            # A column of unknown type with only missing values may be a column of texts.
            or (kind == nw.Unknown and whole[name].null_count() == len(whole[name]))
            else str(kind).lower()
            for name, kind in whole.schema.items()
        }

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text with its rows."""
        whole = nw.from_native(frame, eager_only=True)
        keys = [chunk for name in asked.columns for chunk in _keys(whole, asked, name).chunks]
        # Not by group_by, which crashes the process if texts are very long.
        tally = pa.chunked_array(keys, pa.large_string()).value_counts()
        for start in range(0, len(tally), MOST_READ):
            keys, rows = (column.to_pylist() for column in tally[start : start + MOST_READ].flatten())
            yield uncombined(keys, rows, tuple(asked.options))

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the new columns, each of the type of its source column; the texts are sent now."""
        whole = nw.from_native(frame, eager_only=True)
        answers = answer()
        found = answers.table() if answers.is_small else parquet.read_table(answers.folder)
        answers.discard()
        pairs = combined_key(*found.select(asked.keys).columns)
        places = {}
        for name in asked.columns:
            rows = _keys(whole, asked, name)
            places[name] = pc.index_in(rows, value_set=pairs)
            if places[name].null_count > rows.null_count:
                raise ValueError(changed(name))
        made = {}
        for new, (name, field) in asked.added.items():
            kind = _arrow(whole[name]).type  # texts with a fixed size, or categories
            is_dictionary = pa.types.is_dictionary(kind)
            values = kind.value_type if is_dictionary else pa.string() if pa.types.is_null(kind) else kind
            results = found[field].combine_chunks()
            chunks = [cells for chunk in places[name].chunks for cells in _taken(results, chunk, values)]
            filled = pa.chunked_array(chunks, values)
            made[new] = filled.dictionary_encode() if is_dictionary else filled
        added = nw.from_arrow(pa.table(made), backend=whole.implementation)
        return whole.with_columns(*added.iter_columns()).to_native()

    def register(self) -> None:
        """Do nothing: there are too many classes."""


def _keys(whole: Any, asked: TableRequest, name: str) -> pa.ChunkedArray:
    """The keys of the rows; a missing option equals an empty one."""
    return combined_key(_texts(whole[name]), *(_texts(whole[own]).fill_null("") for own in asked.options.values()))


def _texts(column: Any) -> pa.ChunkedArray:
    """A column in Arrow's type for texts of any size."""
    given, kind = _arrow(column), pa.large_string()
    if not pa.types.is_dictionary(given.type):
        return given.cast(kind)
    return pa.chunked_array([each.dictionary.cast(kind).take(each.indices) for each in given.chunks], kind)


def _arrow(column: Any) -> pa.ChunkedArray:
    native = column.to_native()
    return native if isinstance(native, pa.ChunkedArray) else pa.chunked_array([column.to_arrow()])


def _taken(results: Any, places: Any, kind: Any) -> list[Any]:
    """The results at *places*, in as many chunks as needed: a chunk of Arrow strings holds at most 2 GB."""
    try:
        return [results.take(places).cast(kind)]
    except pa.ArrowInvalid:
        if len(places) < 2:
            raise
    half = len(places) // 2
    return [*_taken(results, places[:half], kind), *_taken(results, places[half:], kind)]


ENGINE = Narwhals()
