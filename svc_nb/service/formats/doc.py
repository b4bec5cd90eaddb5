"""Old Word documents: not read here."""

from __future__ import annotations

from pathlib import Path

from . import Unreadable, Wish, Words


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Raise Unreadable."""
    raise Unreadable("Word documents of the old kind (.doc) cannot be read here; save it as .docx.")
