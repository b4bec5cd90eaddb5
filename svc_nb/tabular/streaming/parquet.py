"""A Parquet file: read and written batch by batch, with its types, metadata, compression and row groups."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from svc_nb.tabular.streaming.source import Source
from svc_nb.tabular.streaming.table import PARQUET, Block, CodedCells, Table, Write
from svc_nb.tabular.text_column import Codes

# What is read at a time: this many rows, or fewer if they are large.
ROWS = 131_072
BYTES = 1 << 25
# What is read before the unpacked size of the rows is known: a long text that many of them share takes a few bytes in
# the file.
FIRST_ROWS = 256
LEAST_ROWS = 64
READ_AHEAD = 1 << 20
# How pandas records that column names are texts.
UNICODE = {"name": None, "field_name": None, "pandas_type": "unicode", "numpy_type": "object", "metadata": None}


class Parquet(Table):
    """The rows of a file; its columns can be of any type, but only texts are translated."""

    endings = PARQUET
    packed = True

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        if source.head(4) == b"PARE":
            raise ValueError(f"{self.called} is encrypted. Export it again without encryption")
        try:
            self._file = pq.ParquetFile(source.begin(), pre_buffer=False, buffer_size=READ_AHEAD)
        except (pa.ArrowException, OSError) as problem:
            raise ValueError(
                f"{self.called} is damaged or truncated, or not a Parquet file ({_told(problem)})"
            ) from None
        self._schema = self._file.schema_arrow
        self.names = list(self._schema.names)
        self.rows = self._file.metadata.num_rows
        self.others = {field.name: str(field.type) for field in self._schema if not _is_text(field.type)}
        self._row_bytes = 1.0

    def check(self, columns: Sequence[str]) -> None:
        """Read the whole file; see `Table.check`."""
        rows = 0
        for batch in self._batches(FIRST_ROWS):
            rows += len(batch)
            self.source.read(self.source.size * rows // self.rows)
            self._row_bytes = max(self._row_bytes, batch.nbytes / len(batch))
            for name in columns:
                try:
                    batch.column(name).validate(full=True)
                except pa.ArrowInvalid:
                    raise ValueError(f"{self.called}: the column {name!r} is not valid UTF-8") from None

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """All rows, in batches; no batch reaches from one row group into the next."""
        held: list[Any] = []
        before = rows = size = 0
        dotted = any("." in name for name in columns)  # which Parquet takes for a path into a nested column
        for batch in self._batches(ROWS, None if whole or dotted else columns):
            if held and (rows + len(batch) > ROWS or size + batch.nbytes > BYTES):
                yield _block(held, before)
                before += rows
                held, rows, size = [], 0, 0
            held.append(batch)
            rows, size = rows + len(batch), size + batch.nbytes
        if held:
            yield _block(held, before)

    @contextmanager
    def writing(self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None) -> Iterator[Write]:
        """A writer of the rows with columns added, which store texts like the columns they are made from."""
        schema = self._schema
        for name, column in added.items():
            schema = schema.append(pa.field(name, _result_type(schema.field(column).type)))
        schema = schema.with_metadata(_extended_notes(schema.metadata or {}, added))
        new = len(self._schema)
        turn = Lock()  # leaving at once would close the file while another thread may be writing to it
        writer = pq.ParquetWriter(stream, schema, **self._write_options(added))

        def write(block: Block, cells: Mapping[str, CodedCells]) -> None:
            row = 0
            with turn:
                for batch in block.held:  # each becomes a row group of its own
                    rows = slice(row, row + len(batch))
                    columns = [
                        _array(each.codes[rows], each.texts, schema.field(new + place).type)
                        for place, each in enumerate(cells.values())
                    ]
                    writer.write_table(pa.Table.from_arrays([*batch.columns, *columns], schema=schema), len(batch))
                    row += len(batch)

        try:
            yield write
        finally:
            with turn:
                writer.close()

    def _batches(self, most: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The batches of every row group, of about the same length and at most *most* rows."""
        metadata = self._file.metadata
        try:
            for number in range(metadata.num_row_groups):
                group = metadata.row_group(number)
                rows = max(1, group.num_rows)
                row_bytes = max(self._row_bytes, group.total_byte_size / rows)
                parts = -(-rows // min(most, max(LEAST_ROWS, int(BYTES / row_bytes))))
                batches = self._file.iter_batches(-(-rows // parts), row_groups=[number], columns=columns)
                yield from (batch for batch in batches if len(batch))
        except (pa.ArrowException, OSError) as problem:
            raise ValueError(f"{self.called} is damaged ({_told(problem)})") from None

    def _write_options(self, added: Mapping[str, str]) -> dict[str, Any]:
        """How the file is written: with the same compression and sorting, and with legacy timestamps if it has them."""
        metadata = self._file.metadata
        if not metadata.num_row_groups:
            return {}
        group = metadata.row_group(0)
        chunks = [group.column(number) for number in range(group.num_columns)]
        codecs = {
            chunk.path_in_schema: "NONE" if chunk.compression == "UNCOMPRESSED" else chunk.compression
            for chunk in chunks
        }
        codecs |= {name: codecs.get(column, "SNAPPY") for name, column in added.items()}
        one = set(codecs.values())
        return {
            "compression": one.pop() if len(one) == 1 else codecs,
            "sorting_columns": group.sorting_columns or None,
            "use_deprecated_int96_timestamps": any(chunk.physical_type == "INT96" for chunk in chunks),
        }


def _block(batches: Sequence[Any], before: int) -> Block:
    """Adjacent rows, in one or several batches; *before* is how many rows come before them."""

    def column(name: str) -> CodedCells:
        numbers: dict[str, int] = {}
        codes = [_codes(batch.column(name), numbers) for batch in batches]
        return CodedCells(np.concatenate(codes), list(numbers))

    return Block(range(before + 1, before + 1 + sum(map(len, batches))), column, batches)


def _told(problem: BaseException) -> str:
    return str(problem).splitlines()[0][:200].rstrip(".")


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_string = pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_view(kind)
    return bool(is_string or pa.types.is_null(kind))


def _is_view(kind: Any) -> bool:
    return hasattr(pa.types, "is_string_view") and bool(pa.types.is_string_view(kind))


def _result_type(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), _result_type(kind.value_type))
    return pa.string() if pa.types.is_null(kind) else kind


def _codes(cells: Any, numbers: dict[str, int]) -> Codes:
    """The number of each cell; new texts get one in *numbers*."""
    if pa.types.is_null(cells.type):
        return np.full(len(cells), -1, dtype=np.intp)
    coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    texts = coded.dictionary.to_pylist()
    known = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts]
    places = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    codes: Codes = np.array([*known, -1], dtype=np.intp)[places]
    return codes


def _array(codes: Codes, texts: Sequence[str | None], kind: Any) -> Any:
    """The cells as an Arrow array."""
    if not pa.types.is_dictionary(kind):
        if _is_view(kind):  # from which no value can be taken
            return pa.array(CodedCells(codes, texts).cells(), kind)
        return pa.array(texts, kind).take(pa.array(codes, mask=codes < 0))
    used, places = np.unique(codes, return_inverse=True)
    known = CodedCells.of(texts[code] if code >= 0 else None for code in used.tolist())
    indices = known.codes[places].astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0), pa.array(known.texts, kind.value_type))


# ---- the metadata of programs about columns


def _extended_notes(notes: Mapping[bytes, bytes], added: Mapping[str, str]) -> dict[bytes, bytes]:
    """*notes* with the columns *added*: pandas, Spark and datasets read a file by theirs and lose all others."""
    extended = dict(notes)
    for program, note in notes.items():
        try:
            match program:
                case b"pandas":
                    told = json.loads(note)
                    _extend_pandas(told, added)
                case b"org.apache.spark.sql.parquet.row.metadata":
                    told = json.loads(note)
                    field = {"type": "string", "nullable": True, "metadata": {}}
                    told["fields"] += [{"name": name, **field} for name in added]
                case b"huggingface":
                    told = json.loads(note)
                    told["info"]["features"] |= {name: {"dtype": "string", "_type": "Value"} for name in added}
                case _:
                    continue
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        extended[program] = json.dumps(told).encode()
    return extended


def _extend_pandas(told: dict[str, Any], added: Mapping[str, str]) -> None:
    columns = {each["field_name"]: each for each in told["columns"]}
    for name, column in added.items():
        note = {**columns[column], "name": name, "field_name": name}
        if note["pandas_type"] == "categorical":
            note["metadata"] = {**(note["metadata"] or {}), "ordered": False}
        else:
            note["pandas_type"] = "unicode"
        told["columns"].append(note)
    names, *levels = told["column_indexes"] or [UNICODE]
    if levels:  # which an added name does not have
        told["column_indexes"] = [UNICODE]
    elif names["pandas_type"] not in ("unicode", "string", "object", "mixed", "empty"):
        # Names that were numbers become texts, because the added names are not numbers.
        told["column_indexes"] = [{**UNICODE, "name": names["name"], "field_name": names["field_name"]}]
