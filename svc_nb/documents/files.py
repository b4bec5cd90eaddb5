"""Which files are meant: a folder, a file, a list of them, or a table with a path and options in each row."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.documents.kinds import KINDS
from svc_nb.documents.wishes import check_pair, target_code, wishes
from svc_nb.errors import UnknownLanguage
from svc_nb.wire.client import Client
from svc_nb.wire.models import DocumentOptions
from svc_nb.wire.models.document import DOCUMENT_OPTIONS

FOLDER_HINT = "a path of a file or folder, a list of them, or a table with a column 'path'"
# What Office and LibreOffice put beside a file that is open.
LOCKS = ("~$", ".~lock.")
NEARLY = 0.85


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file to translate; *label* is the row of the table.

    Below *root* the folders are kept in the output; *walked* says that nobody named the file, but a folder it is in.
    """

    path: Path
    target_lang: str
    options: DocumentOptions
    root: Path | None = None
    walked: bool = False
    label: Hashable = None

    @property
    def ending(self) -> str:
        """The ending in small letters, without the dot: what kind of document it is."""
        return self.path.suffix[1:].lower()


def wanted(
    files: Any, *, target_lang: str | None, options: Mapping[str, Any], client: Client | None = None
) -> list[Wanted]:
    """The files that are meant, in their order, those of a folder by name; raises for what cannot be meant.

    A file that was named is there even if it does not exist: what is wrong with it is told in its row. *client* is
    asked about languages that not every service has.
    """
    if hasattr(files, "columns") and hasattr(files, "iloc"):
        return _of_table(files, target_lang, options, client)
    paths = [files] if isinstance(files, str | os.PathLike) else _several(files)
    first = Wanted(Path(), _target(target_lang, client), wishes(options, client))
    check_pair(first.options, first.target_lang)
    found = [
        replace(first, path=path, root=root, walked=root is not None)
        for named in paths
        for path, root in _walked(Path(named).expanduser())
    ]
    return [replace(each, label=number) for number, each in enumerate(found)]


def _several(files: Any) -> Sequence[Any]:
    if isinstance(files, Mapping | bytes) or not isinstance(files, Iterable):
        raise TypeError(f"files: expected {FOLDER_HINT}, found {type(files).__name__}")
    paths = list(files)
    for each in paths:
        if not isinstance(each, str | os.PathLike):
            raise TypeError(f"files: expected {FOLDER_HINT}, found {type(each).__name__} in the list")
    return paths


def _target(code: object, client: Client | None) -> str:
    if code is None:
        raise TypeError("target_lang: say which language to translate into, such as target_lang='DE'")
    return target_code(code, client)


def _walked(named: Path) -> Iterator[tuple[Path, Path | None]]:
    """The files under a folder, with it; or the file itself."""
    if not named.is_dir():
        yield named.absolute(), None
        return
    root = named.absolute()
    unreadable: list[OSError] = []
    for folder, below, names in os.walk(root, onerror=unreadable.append):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith((".", *LOCKS)) and (Path(folder) / name).is_file():
                yield Path(folder) / name, root
    yield from ((Path(each.filename), None) for each in unreadable)


# ---- tables


def _of_table(
    table: pd.DataFrame, target_lang: str | None, options: Mapping[str, Any], client: Client | None
) -> list[Wanted]:
    if "path" not in table.columns:
        raise ValueError(
            f"files: expected a column 'path', found {', '.join(map(str, table.columns)) or 'none'}"
        )
    _check_columns(table)
    wishes(options, client)
    names = [name for name in ("target_lang", *DOCUMENT_OPTIONS) if name in table.columns]
    names += ["root"] if "root" in table.columns else []
    columns = {name: table[name].tolist() for name in ["path", *names]}
    rows = []
    for place, label in enumerate(table.index.tolist()):
        row = {name: cell for name in names if (cell := _cell(name, columns[name][place])) is not None}
        given = {"target_lang": target_lang, "root": None, **options, **row}
        try:
            rows.append(replace(_of_row(columns["path"][place], given, client), label=label))
        except UnknownLanguage as problem:
            problem.message = f"row {label!r}: {problem.message}"
            raise
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"row {label!r}: {problem}") from None
    return rows


def _check_columns(table: pd.DataFrame) -> None:
    """Raise ValueError for a column that is there twice, or that nobody would read though an option was meant."""
    known = ("path", "target_lang", "root", *DOCUMENT_OPTIONS)
    for name in map(str, table.columns):
        if name in known and list(table.columns).count(name) > 1:
            raise ValueError(f"files: there are several columns {name!r}")
        near = get_close_matches(name, known, n=1, cutoff=NEARLY)
        if near and name not in known and near[0] not in table.columns:
            raise ValueError(f"files: the column {name!r} is not an option. Did you mean {near[0]!r}?")


def _of_row(path: Any, given: dict[str, Any], client: Client | None) -> Wanted:
    """A row as what is wanted."""
    target = _target(given.pop("target_lang"), client)
    root = given.pop("root")
    for name, value in {"path": path, "root": path if root is None else root}.items():
        if not isinstance(value, str | os.PathLike):
            raise TypeError(f"{name}: expected a path, found {type(value).__name__}")
    options = wishes(given, client)
    check_pair(options, target)
    place = Path(path).expanduser().absolute()
    folder = None if root is None else Path(root).expanduser().absolute()
    if folder is not None and not place.is_relative_to(folder):
        raise ValueError(f"root: {place} is not below {folder}")
    return Wanted(place, target, options, folder)


def _cell(name: str, value: Any) -> Any:
    """A cell as an option; None where it is empty."""
    if name == "glossary_ids" and isinstance(value, str):
        return [each.strip() for each in value.split(",") if each.strip()] or None
    if isinstance(value, list | tuple):
        return list(value)
    if pd.isna(value) or value == "":
        return None
    if name == "translation_memory_threshold" and isinstance(value, float) and value.is_integer():
        return int(value)
    if name == "enable_watermark" and value in (0.0, 1.0) and not isinstance(value, str):
        return bool(value)
    return value


# ---- what a folder holds besides documents


def is_document(each: Wanted) -> bool:
    """Whether the file has the ending of a kind that the service takes."""
    return each.ending in KINDS
