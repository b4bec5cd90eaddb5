"""What every file of rows can do, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import numpy as np

from svc_nb.errors import one_line
from svc_nb.tabular.text_column import Codes

if TYPE_CHECKING:
    from svc_nb.tabular.streaming.source import Source

SEPARATED = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
JSON_LINES: tuple[str, ...] = (".jsonl", ".ndjson")
WORKBOOKS: tuple[str, ...] = (".xlsx", ".xlsm")
PARQUET: tuple[str, ...] = (".parquet", ".pq")
MOST_NAMED = 20
ENDINGS = (*SEPARATED, *JSON_LINES, *WORKBOOKS, *PARQUET)


@dataclass(frozen=True, slots=True)
class CodedCells:
    """The cells `texts[codes[row]]`; a gap where the number is -1 or the text None."""

    codes: Codes
    texts: Sequence[str | None]

    @classmethod
    def of(cls, cells: Iterable[str | None]) -> CodedCells:
        """*cells* as numbers: every different one once, and for every row the number of its own.

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
        """What *how* makes of the cells, row by row; it is called once for each different cell."""
        made = [how(text) for text in (*self.texts, None)]
        return [made[code] for code in self.codes.tolist()]


# Writes a block of rows with the cells of the columns that are added.
Write = Callable[[Any, Mapping[str, CodedCells]], None]


class Block(Protocol):
    """Rows that stand together in a file, as many as memory can hold with ease."""

    def __len__(self) -> int: ...

    def column(self, name: str) -> CodedCells:
        """The cells of a column, with gaps where there is no text."""

    def place(self, row: int) -> int:
        """Where a row stands in the file, as a person counts."""


class Table(Protocol):
    """Rows with named columns in a file, none of which is kept in memory; `packed` is not for a terminal.

    `others` are the columns that hold no texts, with what they hold. How many `rows` there are is known once `check`
    has looked at all of them. A cell has room for `longest` characters; None where there is no limit.
    """

    source: Source
    called: str
    names: list[str]
    others: dict[str, str]
    rows: int
    row_word: str
    endings: tuple[str, ...]
    packed: bool
    longest: int | None

    def check(self, columns: Sequence[str]) -> None:
        """Raise ValueError where something is wrong with the file anywhere, above all with *columns*.

        The names of the columns may be others afterwards: those of a TSV where quotes turn out to mean nothing.
        """

    def blocks(self, columns: Sequence[str] = (), *, whole: bool = True) -> Iterator[Block]:
        """The rows from the first one on, block after block, of which *columns* can be asked for.

        Only *whole* ones can be written.
        """

    def writing(
        self, stream: BinaryIO, added: Mapping[str, str], *, encoding: str | None = None
    ) -> AbstractContextManager[Write]:
        """What writes every block to *stream*, in turn, with columns added at the end and everything else as it was.

        *added* has for each of them the column that it is made from.
        """


def listed(names: Sequence[str]) -> str:
    """Names in one line.

    >>> listed(["a", "b"])
    'a, b'
    """
    shown = ", ".join(one_line(name, limit=60) or "(no name)" for name in names[:MOST_NAMED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > MOST_NAMED else shown
