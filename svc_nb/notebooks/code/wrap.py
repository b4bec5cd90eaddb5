"""Words on lines of a width, counted in columns as an editor shows them."""

from __future__ import annotations

import re
import unicodedata

from svc_nb.notebooks.code.words import HELD, is_dense

_DENSE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]|[^\u3000-\u9fff\uff00-\uffef]+")
# These may not begin a line.
_CLOSING = set("、。，．：；！？）］｝」』】〉》・ー々〜")


def columns(text: str) -> int:
    """How wide a text is shown."""
    return sum(map(_column, text))


def _column(mark: str) -> int:
    if unicodedata.category(mark) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1


def filled(text: str, *, first: int, rest: int, width: int) -> list[str]:
    """The text on lines that end before column *width*; the first begins at column *first*, the others at *rest*.

    Lines are broken at spaces, and between characters in scripts without spaces; a word that fits on no line stays
    whole.
    """
    lines, line, at = [], "", first
    for space, word in _words(text):
        size = columns(word)
        if line and at + len(space) + size > width:
            lines.append(line)
            line, at = word, rest + size
        else:
            line += (space if line else "") + word
            at += (len(space) if line != word else 0) + size
    return [each.replace(HELD, " ") for each in [*lines, line]]


def _words(text: str) -> list[tuple[str, str]]:
    """Each word with the space before it."""
    words: list[tuple[str, str]] = []
    for word in re.split(" +", text.strip(" ")):
        pieces = _DENSE.findall(word) if is_dense(word) else [word]
        for number, piece in enumerate(pieces):
            if number and piece[0] in _CLOSING:
                space, before = words.pop()
                words.append((space, before + piece))
            else:
                words.append(("" if number or not words else " ", piece))
    return words
