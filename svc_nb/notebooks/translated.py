"""What became of a text or a file that was translated."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from svc_nb.columns.summary import Lines
    from svc_nb.tabular.report import Report


@dataclass(frozen=True)
class Translated:
    """A translated text: what became of its segments, and what they cost.

    `segments` are its paragraphs, headings, cells and the like; `sent` the different texts that were paid for now,
    `stored` those that were answered before, `marked` those that were not translated but only marked, because no
    translator has the pair, and `left` is a table of what stayed as it was, and why.
    """

    text: str = field(repr=False)
    target_lang: str
    segments: int
    sent: int
    stored: int
    billed_characters: int
    marked: int
    left: Report = field(repr=False)

    @property
    def said(self) -> str:
        """What became of it, in a line."""
        return f"{self._counted}; {self.left.said}"

    @property
    def _counted(self) -> str:
        marked = f"{self.marked:,} NOT TRANSLATED, only marked, " if self.marked else ""
        return (
            f"{self.segments:,} segments: {marked}{self.sent:,} sent, {self.stored:,} from the store, "
            f"{self.billed_characters:,} characters billed"
        )


@dataclass(frozen=True, repr=False)
class TranslatedNotebook(Translated):
    """A file that was translated: `path` is the translation, `source` what it was made from."""

    path: Path
    source: Path

    def __str__(self) -> str:
        return str(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._lines().html()

    def _lines(self) -> Lines:
        from svc_nb.columns.summary import Lines

        counts = {
            "segments": f"{self.segments:,}",
            **({"NOT TRANSLATED, only marked": f"{self.marked:,}"} if self.marked else {}),
            "texts sent": f"{self.sent:,}",
            "from the store": f"{self.stored:,}",
            "characters billed": f"{self.billed_characters:,}",
            "left as they were": f"{len(self.left):,}" + (" (see .left)" if len(self.left) else ""),
        }
        return Lines(f"{self.source.name} into {self.target_lang}: {self.path}", counts)
