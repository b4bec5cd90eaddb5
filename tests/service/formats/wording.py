"""Translators that need no language: what they do to words can be seen in the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from svc_nb.service import formats

TAG = re.compile(r"(<[^>]*>|&[a-z]+;)")


class Shouting:
    """Turns all letters into capitals, tags as they were; remembers what it was given."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        self.calls.append(list(texts))
        return [
            "".join(part if TAG.fullmatch(part) else part.upper() for part in TAG.split(text))
            if tagged
            else text.upper()
            for text in texts
        ]


def by(change: Callable[[str], str]) -> formats.Words:
    """Return a translator that does *change* to each text, tags and all."""

    def words(texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        return [change(text) for text in texts]

    return words


def translated(
    source: Path, words: formats.Words | None = None, *, target_lang: str = "DE", watermark: bool = False
) -> Path:
    """Return the translation of *source*, beside it."""
    target = source.with_name(f"done.{source.name}")
    wish = formats.Wish(target_lang, watermark=watermark)
    formats.translate(source.suffix[1:], source, target, words=words or Shouting(), wish=wish)
    return target
