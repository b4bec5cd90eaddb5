"""The kinds of documents that the service takes, and how large each may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Kind:
    """The largest file in bytes on the Free and on the Pro plan, what comes back, and what else can be asked for."""

    free: int
    pro: int
    comes_back: str
    outputs: tuple[str, ...] = ()

    def largest(self, *, free: bool) -> int:
        """The largest file in bytes on the plan."""
        return self.free if free else self.pro


KINDS = {
    "docx": Kind(10 * MB, 100 * MB, "docx"),
    "doc": Kind(10 * MB, 100 * MB, "docx"),
    "pptx": Kind(10 * MB, 100 * MB, "pptx"),
    "xlsx": Kind(10 * MB, 30 * MB, "xlsx"),
    "pdf": Kind(10 * MB, 100 * MB, "pdf", ("docx",)),
    "idml": Kind(10 * MB, 30 * MB, "idml"),
    "mif": Kind(10 * MB, 30 * MB, "mif"),
    "xml": Kind(10 * MB, 10 * MB, "xml"),
    "xlf": Kind(10 * MB, 10 * MB, "xlf"),
    "xliff": Kind(10 * MB, 10 * MB, "xliff"),
    "html": Kind(5 * MB, 5 * MB, "html"),
    "htm": Kind(5 * MB, 5 * MB, "htm"),
    "dita": Kind(5 * MB, 5 * MB, "dita"),
    "txt": Kind(MB, MB, "txt"),
    "json": Kind(MB, MB, "json"),
    "srt": Kind(150_000, 150_000, "srt"),
    "jpeg": Kind(3 * MB, 3 * MB, "jpeg"),
    "jpg": Kind(3 * MB, 3 * MB, "jpg"),
    "png": Kind(3 * MB, 3 * MB, "png"),
}


def formats() -> pd.DataFrame:
    """All kinds as a table: extension, the largest file in bytes on Free and on Pro, what can come back."""
    import pandas as pd

    rows = [
        (name, kind.free, kind.pro, ", ".join((kind.comes_back, *kind.outputs)))
        for name, kind in KINDS.items()
    ]
    return pd.DataFrame(rows, columns=["extension", "largest_free", "largest_pro", "outputs"])


def readable(size: int) -> str:
    """A size for people.

    >>> readable(38), readable(38_400), readable(10_000_000), readable(10_000_001)
    ('38 bytes', '38.4 kB', '10 MB', '10.000001 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.10g} kB" if size < MB else f"{size / MB:.10g} MB"
