"""The interface of a file of rows, whatever its format, and the blocks of rows that are read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from svc_nb.errors import one_line
from svc_nb.tabular.streaming.source import Source
from svc_nb.tabular.text_column import Codes

SEPARATED = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
JSON_LINES: tuple[str, ...] = (".jsonl", ".ndjson")
WORKBOOKS: tuple[str, ...] = (".xlsx", ".xlsm")
PARQUET: tuple[str, ...] = (".parquet", ".pq")
MOST_NAMED = 20


def listed(names: Sequence[str]) -> str:
    """Names in one line.

    >>> listed(["a", "b"])
    'a, b'
    """
    shown = ", ".join(one_line(name, limit=60) or "(no name)" for name in names[:MOST_NAMED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > MOST_NAMED else shown


@dataclass(frozen=True, slots=True)
class CodedCells:
    """The cells `texts[codes[row]]`; a gap if the number is -1 or the text is None."""

    codes: Codes
    texts: Sequence[str | None]

    @classmethod
    def of(cls, cells: Iterable[str | None]) -> CodedCells:
        """*cells* as numbers: every distinct cell once, and for every row the number of its cell.

        >>> CodedCells.of(["b", None, "a", "b"]).texts
        ['b', 'a']
        """
        numbers: dict[str, int] = {}
        codes = [-1 if cell is None else numbers.setdefault(cell, len(numbers)) for cell in cells]
        return cls(np.array(codes, dtype=np.intp), list(numbers))

    def cells(self) -> list[str | None]:
        """The cells, row by row.

        >>> CodedCells.of(["b", None, "a", "b"]).cells()
        ['b', None, 'a', 'b']
        """
        return self.mapped(lambda text: text)

    def mapped(self, how: Callable[[str | None], Any]) -> list[Any]:
        """The result of *how* for each row; it is called once for each distinct cell."""
        made = [how(text) for text in (*self.texts, None)]
        return [made[code] for code in self.codes.tolist()]


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent rows of a file, as many as fit easily into memory; `held` is what writing needs of them."""

    places: Sequence[int]  # the number of each row in the file, as a person counts
    column: Callable[[str], CodedCells]  # the cells of a column, a gap for a cell without text
    held: Any = None

    def __len__(self) -> int:
        return len(self.places)


# Writes a block of rows with the cells of the added columns.
Write = Callable[[Block, Mapping[str, CodedCells]], None]


class Table:
    """Rows with named columns in a file, none of them kept in memory; `packed` ones are not for a terminal.

    `others` are the columns without texts, and what they hold. The number of `rows` is known once `check` has read all
    of them. A cell has room for `longest` characters; None means no limit. If a spreadsheet would run texts as
    formulas, `formula_safe` can be set to guard the added ones.
    """

    names: list[str]
    rows: int = 0
    row_word: str = "row"
    endings: tuple[str, ...]
    packed: bool = False
    runs_formulas: bool = False
    formula_safe: bool = False
    longest: int | None = None

    def __init__(self, source: Source) -> None:
        self.source = source
        self.called = source.called
        self.others: dict[str, str] = {}

    def check(self, columns: Sequence[str]) -> None:
        """Raise ValueError if anything is wrong with the file; some formats raise it when they are opened."""

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """The rows, block by block, with the given *columns*; only *whole* blocks can be written."""
        raise NotImplementedError

    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> AbstractContextManager[Write]:
        """A writer of every block to *stream*, in turn, with columns added at the end, each made from another."""
        raise NotImplementedError
