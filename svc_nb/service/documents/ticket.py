"""What is asked for a document, and who translated it; sealed with the document's key, as the document itself is."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

MAX_GLOSSARIES = 5


class Wanted(Struct):
    """Everything that can be asked for a document."""

    target_lang: str
    source_lang: str | None = None
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    glossary_id: str | None = None
    glossary_ids: Annotated[list[str], Meta(max_length=MAX_GLOSSARIES)] = []
    style_id: str | None = None
    translation_memory_id: str | None = None
    translation_memory_threshold: Annotated[int, Meta(ge=0, le=100)] = 75
    output_format: str | None = None
    enable_watermark: bool = False


class Made(Struct):
    """Who translated a document: the engines' names, how many characters were only marked, and the source language."""

    engines: str
    marked: int = 0
    source: str | None = None


class Ticket(Struct):
    """A document's name, its kind by extension, what is wanted, and the tag under which it is billed.

    *made* is there when it is done.
    """

    name: str
    extension: str
    wanted: Wanted
    tag: str | None = None
    made: Made | None = None

    @property
    def result(self) -> str:
        """The extension of the translated document."""
        return self.wanted.output_format or self.extension

    def to_bytes(self) -> bytes:
        """The ticket as `from_bytes` reads it."""
        return msgspec.json.encode(self)

    @classmethod
    def from_bytes(cls, content: bytes) -> Ticket:
        """The ticket that `to_bytes` wrote."""
        return msgspec.json.decode(content, type=cls)
