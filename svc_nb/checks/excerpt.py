"""How a piece of a text is shown in a message: short, and with nothing that cannot be seen."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

MOST = 40
MOST_ITEMS = 4


def excerpt(text: str, most: int = MOST) -> str:
    """*text* between quotation marks, cut to *most* characters, unseen characters by their code point."""
    cut = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    if cut.isprintable():
        return f"“{cut}”"
    return f"“{''.join(letter if letter.isprintable() else point(letter) for letter in cut)}”"


def around(text: str, start: int, end: int) -> str:
    """The stretch of *text* with a little of what is around it."""
    left, right = max(0, start - 12), min(len(text), end + 12)
    piece = text[left:right]
    return excerpt(("…" if left else "") + piece + ("…" if right < len(text) else ""), MOST * 2)


def listing(items: Iterable[str]) -> str:
    """Some of *items*, one after the other."""
    listed = list(items)
    shown = ", ".join(excerpt(item) for item in listed[:MOST_ITEMS])
    return shown + (f" and {len(listed) - MOST_ITEMS} more" if len(listed) > MOST_ITEMS else "")


def point(letter: str) -> str:
    """The code point of *letter*, as people write it."""
    return f"U+{ord(letter):04X}"


def named(letter: str) -> str:
    """The code point of *letter* with its name."""
    name = unicodedata.name(letter, "")
    return f"{point(letter)} {name}".rstrip()
