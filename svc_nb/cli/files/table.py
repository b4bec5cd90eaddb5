"""What every file of rows can do, whatever its form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from svc_nb.cli.failure import Misuse
from svc_nb.cli.words import close
from svc_nb.errors import one_line

if TYPE_CHECKING:
    import pandas as pd

Cells = Sequence[str | None]
SEPARATED = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
LINES: tuple[str, ...] = (".jsonl", ".ndjson")
WORKBOOKS: tuple[str, ...] = (".xlsx", ".xlsm")
ENDINGS = (*SEPARATED, *LINES, *WORKBOOKS)
MOST_NAMED = 20
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class Table(Protocol):
    """Rows with named columns; `places` says where each row stands in the file, as a person counts."""

    called: str
    names: list[str]
    places: list[int]
    row_word: str
    endings: tuple[str, ...]

    def column(self, name: str) -> Cells:
        """The cells of a column, None where there is no text."""

    def extended(self, added: Mapping[str, Cells], *, encoding: str | None = None) -> bytes:
        """The file with columns added at its end, everything else as it was."""


def chosen(table: Table, wanted: Sequence[str] | None, option: str) -> list[str]:
    """The names of the columns that are *wanted*; raises Misuse, with what there is, where one is not there."""
    if not wanted:
        raise Misuse(f"name what to take with {option}; {table.called} has {listed(table.names)}")
    for name in wanted:
        count = list(table.names).count(name)
        if count > 1:
            raise Misuse(f"{table.called}: {count} columns are called {name!r}; rename all but one")
        if not count:
            raise Misuse(f"{table.called}: there is no column {name!r}{_meant(name, table)}")
    return list(dict.fromkeys(wanted))


def _meant(name: str, table: Table) -> str:
    if len(table.names) == 1 and name in table.names[0]:
        return f"; its only one is {table.names[0]!r}: is the separator another one (--delimiter)?"
    return close(name, table.names) or f"; there are {listed(table.names)}"


def refuse_names(table: Table, added: Sequence[str]) -> None:
    """Raise Misuse where a column that would be added is there already."""
    for name in added:
        if name in table.names:
            raise Misuse(f"{table.called} has a column {name!r} already; rename it or take it out first")


def refuse_source(table: Table, source: str | None) -> None:
    """Raise Misuse where *source*, what --from says, is neither a language's code nor a column nor "detect"."""
    if source in (None, "detect", *table.names) or LANGUAGE.fullmatch(source or ""):
        return
    raise Misuse(
        f"--from: expected a language's code such as DE, a column of {table.called} that has them, or detect, "
        f"found {source!r}{close(source or '', table.names)}"
    )


def refuse_form(table: Table, out: str | None) -> None:
    """Raise Misuse where *out* ends as a file of another form does: a result has the form of its source."""
    ending = PurePath(out or "").suffix.lower()
    if ending in ENDINGS and ending not in table.endings:
        raise Misuse(
            f"--out: the result has the form of {table.called}, so its name cannot end in {ending}; "
            f"expected {table.endings[0]}"
        )


def frame(table: Table, names: Sequence[str]) -> pd.DataFrame:
    """The columns *names* as texts."""
    import pandas as pd

    columns = {name: pd.array(list(table.column(name)), dtype="object") for name in names}
    return pd.DataFrame(columns, columns=list(names), index=range(len(table.places)))


def listed(names: Sequence[str]) -> str:
    """Names in one line.

    >>> listed(["a", "b"])
    'a, b'
    """
    shown = ", ".join(one_line(name, limit=60) or "(no name)" for name in names[:MOST_NAMED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > MOST_NAMED else shown
