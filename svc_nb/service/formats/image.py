"""Images: text in them cannot be read here."""

from __future__ import annotations

from pathlib import Path

from . import Unreadable, Wish, Words


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Raise Unreadable."""
    raise Unreadable(
        "Text in images cannot be read here; send the text itself, or a document that holds it as text."
    )
