"""What every file of rows can do, whatever its form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from svc_nb.cli.failure import Misuse, close
from svc_nb.errors import UnknownLanguage, one_line

if TYPE_CHECKING:
    from svc_nb.cli.files.coded import Coded
    from svc_nb.cli.files.source import Source

# Writes a block of rows with the cells of the columns that are added.
Write = Callable[[Any, "Mapping[str, Coded]"], None]
SEPARATED = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
LINES: tuple[str, ...] = (".jsonl", ".ndjson")
WORKBOOKS: tuple[str, ...] = (".xlsx", ".xlsm")
PARQUET: tuple[str, ...] = (".parquet", ".pq")
ENDINGS = (*SEPARATED, *LINES, *WORKBOOKS, *PARQUET)
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
# What to do with files that are none of these.
WORKBOOK = ". Save it as .xlsx"
NOTEBOOK = ". For notebooks and Markdown there is `svc-nb notebook`"
DOCUMENT = ". For documents there is `svc-nb documents`"
FRAME = ". Any table that pandas reads is translated in Python: df.svc.translate"
ADVICE = {
    ".json": ". Write one object a line, and call it .jsonl",
    **dict.fromkeys((".xls", ".xlsb", ".ods"), WORKBOOK),
    **dict.fromkeys((".ipynb", ".md", ".markdown"), NOTEBOOK),
    **dict.fromkeys((".docx", ".pptx", ".pdf", ".html"), DOCUMENT),
    **dict.fromkeys((".feather", ".arrow", ".pkl"), FRAME),
}
MOST_NAMED = 20


class Block(Protocol):
    """Rows that stand together in a file, as many as memory can hold with ease."""

    def __len__(self) -> int: ...

    def column(self, name: str) -> Coded:
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
        """Raise Failure where something is wrong with the file anywhere, above all with *columns*."""

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


def chosen(table: Table, wanted: Sequence[str] | None, option: str) -> list[str]:
    """The names of the columns that are *wanted*; raises Misuse where one is not there, or holds no texts."""
    if wanted is None:
        raise Misuse(f"name what to take with {option}; {table.called} has {listed(table.names)}")
    for name in wanted:
        count = list(table.names).count(name)
        if count > 1:
            raise Misuse(f"{table.called}: {count} columns are called {name!r}; rename all but one")
        if not count:
            raise Misuse(f"{table.called}: there is no column {name!r}{_meant(name, table)}")
        if name in table.others:
            raise Misuse(f"{table.called}: the column {name!r} holds no texts but {table.others[name]}")
    return list(dict.fromkeys(wanted))


def _meant(name: str, table: Table) -> str:
    if len(table.names) == 1 and name in table.names[0]:
        return f"; its only one is {table.names[0]!r}: is the separator another one (--delimiter)?"
    if "," in name and all(part.strip() in table.names for part in name.split(",")):
        return "; these are several columns: separate them by spaces"
    return close(name, table.names) or f"; there are {listed(table.names)}"


def refuse_names(table: Table, added: Sequence[str]) -> None:
    """Raise Misuse where a column that would be added is there already."""
    for name in added:
        if name in table.names:
            raise Misuse(f"{table.called} has a column {name!r} already; rename it or take it out first")


def refuse_source(table: Table, source: str | None) -> None:
    """Raise Misuse or UnknownLanguage where *source*, what --from says, is no language, no column and not "detect"."""
    from svc_nb.columns.sheet import source_code

    if source in table.names:
        return
    try:
        source_code(source)
    except UnknownLanguage as problem:
        if problem.meant:
            raise
        raise Misuse(
            f"--from: expected a language such as DE, a column of {table.called} that has them, or detect, "
            f"found {source!r}{close(source or '', table.names)}"
        ) from None


def refuse_form(table: Table, out: str | None) -> None:
    """Raise Misuse where *out* ends as a file of another form does: a result has the form of its source."""
    ending = PurePath(out or "").suffix.lower()
    if ending in (*ENDINGS, *PACKED, *ADVICE) and ending not in table.endings:
        raise Misuse(
            f"--out: the result has the form of {table.called}, so its name cannot end in {ending}; "
            f"expected {table.endings[0]}"
        )


def listed(names: Sequence[str]) -> str:
    """Names in one line.

    >>> listed(["a", "b"])
    'a, b'
    """
    shown = ", ".join(one_line(name, limit=60) or "(no name)" for name in names[:MOST_NAMED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > MOST_NAMED else shown
