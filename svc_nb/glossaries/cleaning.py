"""What can be mended in a term without changing what it says."""

from __future__ import annotations

import re
import unicodedata

from svc_nb.checks import codepoints
from svc_nb.checks.text_array import Bools, TextArray

# Line breaks and tabs stand for a space; the other control characters for nothing.
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
# Never seen, and never meant in a term: byte order mark, zero-width space, word joiner, soft hyphen.
UNSEEN = "\ufeff\u200b\u2060\u00ad"
_SPACES = re.compile(r"[^\S\u3000]+")
_UNSEEN = re.compile(f"[{UNSEEN}]")


def cleaned(term: str) -> str:
    """*term* without control characters, invisible characters and space at its edges, in Unicode's composed form.

    >>> cleaned("\\ufeff Haus\\n\\n kaufen\\u200b ")
    'Haus kaufen'
    """
    spaced = _BREAKS.sub(" ", term)
    spaced = re.sub(" {2,}", " ", spaced) if spaced != term else spaced
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _CONTROLS.sub("", spaced))).strip()


def evened(term: str) -> str:
    """*term* with one plain space for every run of spaces within it; the wide space of Chinese and Japanese stays.

    >>> evened("tent\\u00a0peg  bag")
    'tent peg bag'
    """
    return _SPACES.sub(" ", term)


def suspects(tape: TextArray) -> Bools:
    """Which texts `cleaned` or `evened` may change: soon seen, and right where it says no."""
    space = (tape.kinds & codepoints.SPACE) != 0
    wrong = (tape.kinds & (codepoints.CONTROL | codepoints.INVISIBLE)) != 0
    wrong |= odd_spaces(tape)
    wrong[1:] |= space[1:] & space[:-1]
    wrong[tape.ends] = False
    filled = tape.lengths > 0
    for edge in (tape.starts[filled], tape.ends[filled] - 1):
        wrong[edge] |= space[edge]
    found = tape.holding(wrong)
    found[tape.decomposed()] = True
    return found


def odd_spaces(tape: TextArray) -> Bools:
    """At which places a space stands that is neither the plain one nor the wide one of Chinese and Japanese."""
    space = (tape.kinds & (codepoints.SPACE | codepoints.CONTROL)) == codepoints.SPACE
    odd: Bools = space & (tape.codes != 0x20) & (tape.codes != 0x3000)
    return odd
