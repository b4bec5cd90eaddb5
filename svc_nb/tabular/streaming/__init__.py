"""Files of rows: read as texts block by block, and written again with columns added and everything else unchanged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from svc_nb.advice import Option, install
from svc_nb.tabular.streaming.source import STDIN, EncodedText, InvalidOption, Source
from svc_nb.tabular.streaming.table import JSON_LINES, PARQUET, SEPARATED, WORKBOOKS, Table

ENDINGS = (*SEPARATED, *JSON_LINES, *WORKBOOKS, *PARQUET)
# What to do with other files.
ADVICE = {
    ".json": ". Write one object per line, and name the file .jsonl",
    **dict.fromkeys((".xls", ".xlsb", ".ods"), ". Save it as .xlsx"),
    **dict.fromkeys((".ipynb", ".md", ".markdown"), ". For notebooks and Markdown there is `svc-nb notebook`"),
    **dict.fromkeys((".docx", ".pptx", ".pdf", ".html"), ". For documents there is `svc-nb documents`"),
    **dict.fromkeys(
        (".feather", ".arrow", ".pkl"), ". Any table that pandas reads is translated in Python: df.svc.translate"
    ),
}
KINDS = ".csv, .tsv, .xlsx, .jsonl or .parquet"
FIRST = 1 << 16
TEXTS = (*SEPARATED, *JSON_LINES)
# What an option is for: the endings, and their names.
MEANT_FOR: dict[str, tuple[Collection[str], str]] = {
    "encoding": (TEXTS, "CSV, TSV and JSON lines"),
    "out_encoding": (TEXTS, "CSV, TSV and JSON lines"),
    "delimiter": (SEPARATED, "CSV and TSV"),
    "sheet": (WORKBOOKS, "workbooks"),
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
    """The table in the file *name*, "-" for stdin; the ending tells its format or, for stdin, the first bytes."""
    said = {"encoding": encoding, "out_encoding": out_encoding, "delimiter": delimiter, "sheet": sheet}
    with Source.opened(name) as source:
        suffix = _kind_of(source.head(FIRST)) if name == STDIN else Path(name).suffix.lower()
        if not source.head(1):
            raise ValueError(f"{source.called}: the file is empty")
        for option, (endings, kinds) in MEANT_FOR.items():
            if said[option] is not None and suffix in ENDINGS and suffix not in endings:
                raise InvalidOption(f"{Option(option)} is for {kinds}, and does not apply to {source.called}")
        yield _table(source, suffix, encoding=encoding, delimiter=delimiter, sheet=sheet)


def _table(source: Source, suffix: str, *, encoding: str | None, delimiter: str | None, sheet: str | None) -> Table:
    if suffix in WORKBOOKS:
        from svc_nb.tabular.streaming.workbook import Workbook

        return Workbook(source, sheet=sheet)
    if suffix in PARQUET:
        try:
            from svc_nb.tabular.streaming.parquet import Parquet
        except ImportError:
            raise ValueError(f"{source.called}: Parquet needs pyarrow: {install('parquet')}") from None
        return Parquet(source)
    if suffix in JSON_LINES:
        from svc_nb.tabular.streaming.jsonlines import JsonLines

        return JsonLines(EncodedText.of(source, encoding))
    if suffix in SEPARATED:
        from svc_nb.tabular.streaming.separated import Separated

        return Separated(EncodedText.of(source, encoding), usual=SEPARATED[suffix], delimiter=delimiter)
    raise ValueError(
        f"{source.called}: expected a name that ends in {KINDS}, found {suffix or 'none'}{ADVICE.get(suffix, '')}"
    )


def _kind_of(data: bytes) -> str:
    if data.startswith(b"PK\x03\x04"):
        return ".xlsx"
    if data.startswith(b"PAR1"):
        return ".parquet"
    return ".jsonl" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else ".csv"
