"""Rows of cells as files and sheets hold them, before they are given a meaning; and how a cell is cleaned.

A cell that a spreadsheet would run as a formula can be guarded by an apostrophe, which makes it text there. If a text
already has an apostrophe before such a character, it gets another one, guarded or not, so removing one apostrophe
always gives back exactly the text that was written.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

LEFT_OUT = "Left out: "
# Invisible, and never intended at the beginning of a file: byte order mark, zero-width space, word joiner.
UNSEEN = "\ufeff\u200b\u2060"
# Like the soft hyphen, these are never intended anywhere in a term.
INVISIBLE = UNSEEN + "\u00ad"
# Inside a text these are correct, as in Persian, Hindi and emoji.
JOINERS = ("\u200c", "\u200d")
# The combining class of these signs.
VIRAMA = 9
# Line breaks and tabs become a space; the other control characters are dropped.
BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
# Half of a surrogate pair: a text that contains one cannot be sent or written.
HALF_A_PAIR = re.compile("[\ud800-\udfff]")


class Cells(NamedTuple):
    """The filled rows of a file or sheet, their lines, notes on what was done, and the rows with a quoted line break.

    The rows of a workbook come from one `sheet`; `sheets` lists all that it shows.
    """

    rows: list[list[str]]
    lines: list[int]
    notes: list[str]
    broken: frozenset[int] = frozenset()
    sheet: str = ""
    sheets: tuple[str, ...] = ()

    def below(self, count: int, note: str) -> Cells:
        """The cells without the first *count* rows, and with a *note* that says why."""
        return self._replace(rows=self.rows[count:], lines=self.lines[count:], notes=[*self.notes, note])


# What spreadsheets take for the start of a formula, including full-width forms.
STARTS = "=+@\t\r＝＋－＠-"
RUNS = re.compile(f"'*[{STARTS}]")
QUOTES = re.compile(f"'+[{STARTS}]")


def guarded(text: str, *, formula_safe: bool) -> str:
    """Return *text* as it is written to a cell.

    >>> guarded("=1+1", formula_safe=True), guarded("=1+1", formula_safe=False), guarded("'=1", formula_safe=False)
    ("'=1+1", '=1+1', "''=1")
    """
    return f"'{text}" if (RUNS if formula_safe else QUOTES).match(text) else text


def unguarded(cell: str) -> str:
    """Return the text that was written to a cell.

    >>> unguarded("'=1+1"), unguarded("=1+1"), unguarded("'tis")
    ('=1+1', '=1+1', "'tis")
    """
    return cell[1:] if QUOTES.match(cell) else cell


def cleaned(text: str) -> str:
    """Return *text* composed, without control and invisible characters, and without spaces and joiners at its edges.

    >>> cleaned("\\ufeff Haus\\n\\n kaufen\\u200b "), cleaned("\\u200dHaus\\u200c")
    ('Haus kaufen', 'Haus')
    """
    spaced = BREAKS.sub(" ", text)
    spaced = re.sub(" {2,}", " ", spaced) if spaced != text else spaced
    bare = unicodedata.normalize("NFC", re.sub(f"[{INVISIBLE}]", "", CONTROLS.sub("", spaced))).strip()
    while has_edge_joiner(bare):
        bare = (bare[1:] if bare[0] in JOINERS else bare[:-1]).strip()
    return bare


def has_edge_joiner(text: str) -> bool:
    """Whether *text* begins or ends with a zero-width joiner or non-joiner that has nothing to join.

    After a virama, the sign that removes the vowel of an Indic letter, a joiner at the end changes how the text is
    written.
    """
    return text[:1] in JOINERS or (text[-1:] in JOINERS and unicodedata.combining(text[-2:-1] or " ") != VIRAMA)


def evened(text: str) -> str:
    """Replace every run of spaces within *text* by one plain space; the wide space of Chinese and Japanese stays.

    >>> evened("tent\\u00a0peg  bag")
    'tent peg bag'
    """
    return re.sub(r"[^\S\u3000]+", " ", text)
