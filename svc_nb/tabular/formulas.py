"""Cells that a spreadsheet would run as formulas, guarded by an apostrophe, so that they are texts there.

An apostrophe that a text has of itself before such a character gets another one, guarded or not: so taking one away
again gives back exactly the text that was written.
"""

from __future__ import annotations

import re

# What spreadsheets take for the beginning of a formula, full-width forms too.
STARTS = "=+@\t\r＝＋－＠-"
RUNS = re.compile(f"'*[{STARTS}]")
QUOTES = re.compile(f"'+[{STARTS}]")


def guarded(text: str, *, formula_safe: bool) -> str:
    """*text* as it is written to a cell.

    >>> guarded("=1+1", formula_safe=True), guarded("=1+1", formula_safe=False), guarded("'=1", formula_safe=False)
    ("'=1+1", '=1+1', "''=1")
    """
    return f"'{text}" if (RUNS if formula_safe else QUOTES).match(text) else text


def unguarded(cell: str) -> str:
    """The text that was written to a cell.

    >>> unguarded("'=1+1"), unguarded("=1+1"), unguarded("'tis")
    ('=1+1', '=1+1', "'tis")
    """
    return cell[1:] if QUOTES.match(cell) else cell
