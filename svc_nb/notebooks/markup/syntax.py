"""What words must not be mistaken for: Markdown's own signs, escaped where they would mean something."""

from __future__ import annotations

import re

PUNCTUATION = r"!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"

# Signs that nearly always mean something; the rest is escaped only where the light way did not do.
LIGHT = re.compile(
    rf"\\(?=[{PUNCTUATION}]|$)|`|(?<![\s])\*|\*(?!\s|$)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[\[(:])"
)
FULL = re.compile(r"[\\`*_{}\[\]<>$~|&^:!]")

BLOCK_START = re.compile(
    r"(?P<before>\d{1,9}(?=[.)](?:\s|$)))"
    r"|(?=[-+*](?:\s|$))|(?=\#{1,6}(?:\s|$))|(?=>)|(?=[-=]+\s*$)|(?=[-_*](?:\s*[-_*]){2,}\s*$)|(?=---)|(?=~{3})|(?=:{3})|(?=`{3})"
    r"|(?=[:~]\s)|(?=\+\+\+)|(?=%)|(?=\([^()\s]*\)=)|(?=\|)|(?=\$\$)|(?=\[[^\]]*\]:)|(?=!!!|\?\?\?)"
)


def light(text: str) -> str:
    """The words with a backslash before what would most likely be read as Markdown."""
    return LIGHT.sub(r"\\\g<0>", text)


def full(text: str) -> str:
    """The words with a backslash before all that could be read as Markdown."""
    return FULL.sub(r"\\\g<0>", text)


def line_start(text: str) -> str:
    """The words that begin a line with a backslash where they would begin a list, a heading or another block.

    >>> line_start("1. one"), line_start("- two"), line_start("three")
    ('1\\\\. one', '\\\\- two', 'three')
    """
    found = BLOCK_START.match(text)
    return text[: found.end()] + "\\" + text[found.end() :] if found else text


def begins_block(text: str) -> bool:
    """Whether words at the start of a line would begin a block."""
    return BLOCK_START.match(text) is not None
