"""Cells as numbers: every different one once, and for every row the number of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from svc_nb.tabular.column import Codes


@dataclass(frozen=True, slots=True)
class Coded:
    """The cells `texts[codes[row]]`; a gap where the number is -1 or the text None."""

    codes: Codes
    texts: Sequence[str | None]

    @classmethod
    def of(cls, cells: Iterable[str | None]) -> Coded:
        """*cells* as numbers.

        >>> Coded.of(["b", None, "a", "b"]).texts
        ['b', 'a']
        """
        numbers: dict[str, int] = {}
        codes = [-1 if cell is None else numbers.setdefault(cell, len(numbers)) for cell in cells]
        return cls(np.array(codes, dtype=np.intp), list(numbers))

    def cells(self) -> list[str | None]:
        """The cells, row by row.

        >>> Coded.of(["b", None, "a", "b"]).cells()
        ['b', None, 'a', 'b']
        """
        texts = [*self.texts, None]
        return [texts[code] for code in self.codes.tolist()]
