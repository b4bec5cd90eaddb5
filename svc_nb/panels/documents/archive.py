"""Translations as one file for the browser: the file itself, or a zip of several."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from svc_nb.panels.documents.upload import free_name, harmless

MOST_BYTES = 200_000_000
# What is packed already gets no smaller.
PACKED = frozenset((".docx", ".pptx", ".xlsx", ".pdf", ".idml", ".png", ".jpg", ".jpeg"))


def archive(paths: Sequence[Path], *, name: str) -> tuple[str, bytes, str]:
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
        return paths[0].name, paths[0].read_bytes(), "application/octet-stream"
    stream, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in paths:
            how = zipfile.ZIP_STORED if path.suffix.lower() in PACKED else zipfile.ZIP_DEFLATED
            zipped.write(path, free_name(harmless(path.name), taken), compress_type=how)
    return name, stream.getvalue(), "application/zip"
