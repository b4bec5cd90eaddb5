"""Files of rows: opened as texts, and given back with columns added and all else as it was."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.cli.failure import Failure
from svc_nb.cli.files.encoded import Encoded
from svc_nb.cli.files.table import LINES, SEPARATED, WORKBOOKS

if TYPE_CHECKING:
    from svc_nb.cli.files.table import Table

STDIN = "-"
KINDS = ".csv, .tsv, .xlsx or .jsonl"
WORKBOOK = ". Save it as .xlsx"
NOTEBOOK = ". For notebooks and Markdown there is `svc-nb notebook`"
DOCUMENT = ". For documents there is `svc-nb documents`"
FRAME = ". Any table that pandas reads is translated in Python: df.svc.translate"
ADVICE = {
    ".json": ". Write one object a line, and call it .jsonl",
    **dict.fromkeys((".xls", ".xlsb", ".ods"), WORKBOOK),
    **dict.fromkeys((".ipynb", ".md", ".markdown"), NOTEBOOK),
    **dict.fromkeys((".docx", ".pptx", ".pdf", ".html"), DOCUMENT),
    **dict.fromkeys((".parquet", ".feather", ".arrow", ".pkl"), FRAME),
}


def opened(
    name: str, *, encoding: str | None = None, delimiter: str | None = None, sheet: str | None = None
) -> Table:
    """The table in the file *name*, "-" for stdin; the ending says what it is, of stdin its beginning does."""
    data = _stdin() if name == STDIN else _content(Path(name))
    called = "stdin" if name == STDIN else Path(name).name
    suffix = _kind_of(data) if name == STDIN else Path(name).suffix.lower()
    if not data.strip():
        raise Failure(f"{called}: the file is empty")
    if suffix in WORKBOOKS:
        from svc_nb.cli.files.workbook import Workbook

        return Workbook(data, called, sheet=sheet)
    if suffix not in (*LINES, *SEPARATED):
        raise Failure(
            f"{called}: expected a name that ends in {KINDS}, found {suffix or 'none'}{ADVICE.get(suffix, '')}"
        )
    return _of_text(Encoded.of(data, called, encoding), called, suffix, delimiter)


def _of_text(source: Encoded, called: str, suffix: str, delimiter: str | None) -> Table:
    if suffix in LINES:
        from svc_nb.cli.files.jsonlines import JsonLines

        return JsonLines(source, called)
    from svc_nb.cli.files.separated import Separated

    return Separated(source, called, usual=SEPARATED[suffix], delimiter=delimiter)


def _stdin() -> bytes:
    if sys.stdin is None:
        raise Failure("stdin is closed")
    return sys.stdin.buffer.read()


def refuse_absent(path: Path) -> None:
    """Raise Failure where there is no file at *path*."""
    if path.is_dir():
        raise Failure(f"{path} is a folder; name the file in it")
    if not path.exists():
        raise Failure(f"there is no file {path}")


def _content(path: Path) -> bytes:
    refuse_absent(path)
    try:
        return path.read_bytes()
    except OSError as problem:
        raise Failure(f"{path} cannot be read: {problem.strerror}") from None


def _kind_of(data: bytes) -> str:
    if data.startswith(b"PK\x03\x04"):
        return ".xlsx"
    return ".jsonl" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else ".csv"
