"""Files of rows: read as texts block by block, and given back with columns added and all else as it was."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.cli.failure import Failure, Misuse
from svc_nb.cli.files.source import STDIN, Source
from svc_nb.cli.files.table import ADVICE, ENDINGS, LINES, PARQUET, SEPARATED, WORKBOOKS

if TYPE_CHECKING:
    from svc_nb.cli.files.table import Table

KINDS = ".csv, .tsv, .xlsx, .jsonl or .parquet"
FIRST = 1 << 16
TEXTS = (*SEPARATED, *LINES)
# What an option is for: the endings, and how they are called.
MEANT_FOR: dict[str, tuple[Collection[str], str]] = {
    "--encoding": (TEXTS, "CSV, TSV and JSON lines"),
    "--out-encoding": (TEXTS, "CSV, TSV and JSON lines"),
    "--delimiter": (SEPARATED, "CSV and TSV"),
    "--sheet": (WORKBOOKS, "workbooks"),
}


@contextmanager
def opened(
    name: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    out_encoding: str | None = None,
) -> Iterator[Table]:
    """The table in the file *name*, "-" for stdin; the ending says what it is, of stdin its beginning does.

    Raises Failure where it cannot be read, Misuse where something is said that means nothing for such a file;
    `check` looks at all of it.
    """
    with Source.opened(name) as source:
        suffix = _kind_of(source.head(FIRST)) if name == STDIN else Path(name).suffix.lower()
        if not source.head(1):
            raise Failure(f"{source.called}: the file is empty")
        said = {
            "--encoding": encoding,
            "--out-encoding": out_encoding,
            "--delimiter": delimiter,
            "--sheet": sheet,
        }
        _refuse_meaningless(source.called, suffix, said)
        yield _table(source, suffix, encoding=encoding, delimiter=delimiter, sheet=sheet)


def _table(
    source: Source, suffix: str, *, encoding: str | None, delimiter: str | None, sheet: str | None
) -> Table:
    if suffix in WORKBOOKS:
        from svc_nb.cli.files.workbook import Workbook

        return Workbook(source, sheet=sheet)
    if suffix in PARQUET:
        from svc_nb.cli.files.parquet import Parquet

        return Parquet(source)
    if suffix not in TEXTS:
        advice = ADVICE.get(suffix, "")
        raise Failure(
            f"{source.called}: expected a name that ends in {KINDS}, found {suffix or 'none'}{advice}"
        )
    return _of_text(source, suffix, encoding, delimiter)


def _of_text(source: Source, suffix: str, encoding: str | None, delimiter: str | None) -> Table:
    from svc_nb.cli.files.encoded import Encoded

    text = Encoded.of(source, encoding)
    if suffix in LINES:
        from svc_nb.cli.files.jsonlines import JsonLines

        return JsonLines(text)
    from svc_nb.cli.files.separated import Separated

    return Separated(text, usual=SEPARATED[suffix], delimiter=delimiter)


def _refuse_meaningless(called: str, suffix: str, said: Mapping[str, str | None]) -> None:
    for option, (endings, kinds) in MEANT_FOR.items():
        if said[option] is not None and suffix in ENDINGS and suffix not in endings:
            raise Misuse(f"{option} is for {kinds}, and means nothing for {called}")


def _kind_of(data: bytes) -> str:
    if data.startswith(b"PK\x03\x04"):
        return ".xlsx"
    if data.startswith(b"PAR1"):
        return ".parquet"
    return ".jsonl" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else ".csv"
