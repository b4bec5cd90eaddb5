"""Translations as one file for the browser: the file itself, or a zip of several."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from svc_nb.panels.documents.inbox import harmless

MOST_BYTES = 200_000_000
ZIP = "application/zip"
PLAIN = "application/octet-stream"
# What is packed already gets no smaller.
PACKED = frozenset((".docx", ".pptx", ".xlsx", ".pdf", ".idml", ".png", ".jpg", ".jpeg"))


def parcel(paths: Sequence[Path], *, name: str) -> tuple[str, bytes, str]:
    """The name, the bytes and the MIME type of what the browser saves; several become a zip called *name*.

    Raises ValueError where it is more than a browser should be sent.
    """
    size = sum(path.stat().st_size for path in paths)
    if size > MOST_BYTES:
        raise ValueError(
            f"The translations have {size / 1e6:,.0f} MB, and at most {MOST_BYTES / 1e6:,.0f} MB go through the "
            "browser: take fewer, or fetch them from the folder where they lie."
        )
    if len(paths) == 1:
        return paths[0].name, paths[0].read_bytes(), PLAIN
    return name, _zipped(paths), ZIP


def _zipped(paths: Sequence[Path]) -> bytes:
    stream, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            how = zipfile.ZIP_STORED if path.suffix.lower() in PACKED else zipfile.ZIP_DEFLATED
            archive.write(path, _free(harmless(path.name), taken), compress_type=how)
    return stream.getvalue()


def _free(name: str, taken: set[str]) -> str:
    stem, suffix = Path(name).stem, Path(name).suffix
    number, found = 1, name
    while found.casefold() in taken:
        number += 1
        found = f"{stem} ({number}){suffix}"
    taken.add(found.casefold())
    return found
