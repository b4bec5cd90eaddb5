"""What all readers of code share: places in it, and why a cell is left alone."""

from __future__ import annotations

Span = tuple[int, int]

FIELD = "\uf8ff"  # stands in a text where an f-string has a replacement field


class Unreadable(Exception):
    """A cell that is left alone; the text says why, in a few words."""
