"""A file of rows: what is in it, as bytes and as a grid of cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from svc_nb.tabular import delimited, sheets

SHEET = ".xlsx"


def suffix_of(path: Path, suffixes: Sequence[str]) -> str:
    """The form of a file, by the end of its name; ValueError where it is none of *suffixes*."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        found = f"found {path.suffix!r}" if suffix else "found none"
        advice = ". Save it as .xlsx" if suffix in (".xls", ".ods", ".xlsm", ".xlsb") else ""
        raise ValueError(f"{path.name}: expected a name that ends in {', '.join(suffixes)}, {found}{advice}")
    return suffix


def content(path: Path) -> bytes:
    """What is in a file, or an error that says why there is nothing to read."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file in it")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no file {path}; the folder to start from is {Path.cwd()}"
        ) from None
    except OSError as problem:
        raise type(problem)(f"{path} could not be read: {problem.strerror}") from None
    if not data.strip():
        raise ValueError(f"{path.name}: the file is empty")
    if path.suffix.lower() in delimited.SEPARATORS and data.startswith((sheets.ZIP, sheets.OLE)):
        raise ValueError(
            f"{path.name} is a spreadsheet and no text. If it is of Excel, let its name end in .xlsx"
        )
    return data
