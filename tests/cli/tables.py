"""Files of rows in memory, read and written as a command does it, block by block."""

from __future__ import annotations

import io

from svc_nb.tabular.streaming.jsonlines import JsonLines
from svc_nb.tabular.streaming.parquet import Parquet
from svc_nb.tabular.streaming.separated import Separated
from svc_nb.tabular.streaming.source import EncodedText, Source
from svc_nb.tabular.streaming.table import CodedCells
from svc_nb.tabular.streaming.workbook import Workbook


def separated(data: bytes, usual: str = ",", *, encoding=None, **how) -> Separated:
    table = Separated(EncodedText.of(Source(io.BytesIO(data), "a.csv"), encoding), usual=usual, **how)
    table.check([])
    return table


def json_lines(data: bytes) -> JsonLines:
    return JsonLines(EncodedText.of(Source(io.BytesIO(data), "a.jsonl")))


def workbook(data: bytes, **how) -> Workbook:
    return Workbook(Source(io.BytesIO(data), "a.xlsx"), **how)


def parquet(data: bytes) -> Parquet:
    return Parquet(Source(io.BytesIO(data), "a.parquet"))


def column(table, name: str) -> list[str | None]:
    """All cells of a column."""
    return [cell for block in table.blocks([name]) for cell in block.column(name).cells()]


def places(table) -> list[int]:
    """Where the rows stand."""
    return [place for block in table.blocks() for place in block.places]


def extended(table, added, *, encoding=None, made_from="") -> bytes:
    """The file with columns added, all of them made from one."""
    stream = io.BytesIO()
    sources = dict.fromkeys(added, made_from)
    with table.writing(stream, sources, encoding=encoding) as write:
        row = 0
        for block in table.blocks():
            rows = slice(row, row + len(block))
            write(block, {name: CodedCells.of(cells[rows]) for name, cells in added.items()})
            row += len(block)
    return stream.getvalue()
