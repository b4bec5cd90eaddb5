"""Rows of cells, as files and sheets have them, before anybody knows what they mean."""

from __future__ import annotations

from typing import NamedTuple

LEFT_OUT = "Left out: "
# Never seen, and never meant at the beginning of a file.
UNSEEN = "\ufeff\u200b\u2060"


class Cells(NamedTuple):
    """The filled rows of a file or sheet: their cells, the line of each as a person counts them, and what was done.

    `broken` has the lines of those rows of a text file that have a line break within quotes.
    """

    rows: list[list[str]]
    lines: list[int]
    notes: list[str]
    broken: frozenset[int] = frozenset()
