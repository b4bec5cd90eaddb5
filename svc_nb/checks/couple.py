"""Texts and their translations, side by side, with the languages they are in: what every check looks at."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from svc_nb.checks import marks
from svc_nb.checks.side import Side
from svc_nb.checks.tape import Bools, Numbers
from svc_nb.language_codes import base_code


class Couple:
    """*source* and *target*, row by row; no text is blank."""

    def __init__(
        self, source: Any, target: Any, *, source_lang: str | None = None, target_lang: str | None = None
    ) -> None:
        self.source, self.target = Side(source), Side(target)
        self.source_lang, self.target_lang = base_of(source_lang), base_of(target_lang)

    def __len__(self) -> int:
        return len(self.target)

    def texts(self, row: int) -> tuple[str, str]:
        """Source and target of a row."""
        return self.source[row], self.target[row]

    def bare(self, row: int) -> tuple[str, str]:
        """Source and target of a row without placeholders, tags and addresses."""
        return marks.bare(self.source[row]), marks.bare(self.target[row])

    @cached_property
    def numbers(self) -> tuple[Numbers, Numbers]:
        """A number for every text of either side; equal texts have equal numbers."""
        return self.source.tape.numbers(), self.target.tape.numbers()

    @cached_property
    def equal(self) -> Bools:
        """For every row whether both texts are the same; very likely, by number."""
        ours, theirs = self.numbers
        same: Bools = ours == theirs
        same &= self.source.tape.lengths == self.target.tape.lengths
        return same


def base_of(code: str | None) -> str | None:
    """A language code without region, in lower case.

    >>> base_of("EN-GB"), base_of("zh_Hant"), base_of("no"), base_of(None)
    ('en', 'zh', 'nb', None)
    """
    if code is None:
        return None
    known = base_code(code) or code.strip().replace("_", "-").partition("-")[0]
    return known.lower() or None


def rows(which: Bools) -> list[int]:
    """The numbers of the rows where *which* is true."""
    found: list[int] = np.flatnonzero(which).tolist()
    return found
