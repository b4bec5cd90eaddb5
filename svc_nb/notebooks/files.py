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
    from svc_nb.notebooks.documents import Markdown
    from svc_nb.notebooks.notebook import Notebook

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


def place(source: Path, target_lang: str, out: PathOf | None) -> Path:
    """Where the translation goes; raises ValueError where that is the source."""
    name = f"{source.stem}.{str(target_lang).lower()}{source.suffix}"
    place = source.with_name(name) if out is None else Path(out)
    if place.is_dir():
        place = place / (source.name if place.resolve() != source.parent.resolve() else name)
    if place.suffix.lower() != source.suffix.lower():
        raise ValueError(f"out: expected a folder or a {source.suffix} file, found {place}")
    if place.resolve() == source.resolve() or (place.exists() and place.samefile(source)):
        raise ValueError(f"out: {place} is the source, which stays as it is; name another file")
    return place


def write(place: Path, text: str, *, like: bytes, replace: bool) -> None:
    """Write a translation, with a mark of its encoding where the source has one."""
    mark = b"\xef\xbb\xbf"
    data = (mark if like.startswith(mark) else b"") + text.encode()
    shelf().write(place, data, replace=replace)


def shelf() -> Written:
    """The list of files that were written here, beside the store."""
    from svc_nb.session import current_settings
    from svc_nb.tabular.written import Written

    return Written(Path(current_settings().written_path))
