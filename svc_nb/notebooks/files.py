"""Files that are translated: what is in them, and where their translations go."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svc_nb.notebooks.documents import Document
    from svc_nb.tabular.written import Written

PathOf = str | PathLike[str]

NOTEBOOKS = (".ipynb",)
MARKDOWN = (".md", ".markdown", ".mdown", ".myst")


def document(source: Path, raw: bytes, *, code: Sequence[str], front_matter: Sequence[str]) -> Document:
    """What is in a file; raises ValueError, in one line, where it cannot be read."""
    from svc_nb.notebooks.documents import Markdown, Notebook

    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{source}: expected UTF-8, found other bytes") from None
    if source.suffix.lower() in MARKDOWN:
        return Markdown(text, front_matter, frozenset(code))
    try:
        return Notebook.read(text, code=code, front_matter=front_matter)
    except ValueError as problem:
        raise ValueError(f"{source}: {problem}") from None


def read(source: Path) -> bytes:
    """The bytes of a file whose name says that it can be translated."""
    if source.suffix.lower() not in NOTEBOOKS + MARKDOWN:
        raise ValueError(f"{source}: expected a file {', '.join(NOTEBOOKS + MARKDOWN)}")
    return source.read_bytes()


def output_path(source: Path, target_lang: str, out: PathOf | None) -> Path:
    """Where the translation goes; raises ValueError where that is the source."""
    name = f"{source.stem}.{str(target_lang).lower()}{source.suffix}"
    path = source.with_name(name) if out is None else Path(out)
    if path.is_dir():
        path = path / (source.name if path.resolve() != source.parent.resolve() else name)
    if path.suffix.lower() != source.suffix.lower():
        raise ValueError(f"out: expected a folder or a {source.suffix} file, found {path}")
    if path.resolve() == source.resolve() or (path.exists() and path.samefile(source)):
        raise ValueError(f"out: {path} is the source, which stays as it is; name another file")
    return path


def write(path: Path, text: str, *, like: bytes, replace: bool) -> None:
    """Write a translation, with a mark of its encoding where the source has one."""
    mark = b"\xef\xbb\xbf"
    data = (mark if like.startswith(mark) else b"") + text.encode()
    written_files().write(path, data, replace=replace)


def written_files() -> Written:
    """The list of files that were written here, beside the store."""
    from svc_nb.session import current_settings
    from svc_nb.tabular.written import Written

    return Written(Path(current_settings().written_path))
