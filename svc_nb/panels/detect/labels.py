"""The language of every row by its place: what was detected and, over it, what a person says. Steps can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import STABLE, name_of
from svc_nb.wire.languages import CODE, target

Codes = npt.NDArray[np.object_]
UNLABELLED: Final = object()
NOT_KNOWN = "Not known"


class Labels:
    """Codes for *size* rows, None where the language is not known; `own` has those that a person gave.

    `version` is another number after every change.
    """

    def __init__(self, size: int) -> None:
        self.found: Codes = np.full(size, None, dtype=object)
        self.own: dict[int, str | None] = {}
        self.version = 0
        self._steps: list[dict[int, Any]] = []

    @property
    def codes(self) -> Codes:
        """The code of each row, as it counts."""
        codes = self.found.copy()
        if self.own:
            codes[list(self.own)] = np.array([*self.own.values(), None], dtype=object)[:-1]
        return codes

    def take(self, found: Iterable[Any]) -> None:
        """What was detected, row by row; what a person said stays."""
        self.version += 1
        self.found = np.array([None if pd.isna(code) else code for code in found] + [None], dtype=object)[:-1]

    def write(self, wanted: Mapping[int, str | None]) -> int:
        """Say the codes of rows, as one step; how many rows this changed."""
        changed = {row: code for row, code in wanted.items() if self.own.get(row, UNLABELLED) != code}
        changed = {row: code for row, code in changed.items() if row in self.own or self.found[row] != code}
        if changed:
            self._steps.append({row: self.own.get(row, UNLABELLED) for row in changed})
            self.own.update(changed)
            self.version += 1
        return len(changed)

    def undo(self) -> int:
        """Take back the last step; how many rows it was, 0 where there is none."""
        if not self._steps:
            return 0
        before = self._steps.pop()
        self.version += 1
        for row, code in before.items():
            if code is UNLABELLED:
                del self.own[row]
            else:
                self.own[row] = code
        return len(before)

    def carry(self, own: Mapping[int, str | None], size: int) -> None:
        """There are *size* rows now, of which *own* have the labels of a person; steps before are forgotten."""
        self.found, self.own, self._steps = np.full(size, None, dtype=object), dict(own), []
        self.version += 1

    @property
    def undoable(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._steps)


def read(written: str | None) -> str | None:
    """The code that a person means: "de", "DE", "German", "German (DE)"; None where the language is not known.

    Raises UnknownLanguage where it is no language and cannot be a code.

    >>> read("German (DE)"), read("pt-BR"), read("Deutsch"), read("tlh"), read("Not known")
    ('DE', 'PT-BR', 'DE', 'TLH', None)
    """
    if written is None or not written.strip() or written.strip() == NOT_KNOWN:
        return None
    said = written.strip()
    inner = said.rpartition("(")[2].rstrip(")") if said.endswith(")") else said
    return target(inner if CODE.fullmatch(inner) else said, field="language")


def written(code: str | None) -> str:
    """A language as a person reads it.

    >>> written("DE"), written("TLH"), written(None)
    ('German (DE)', 'TLH', 'Not known')
    """
    if code is None:
        return NOT_KNOWN
    name = name_of(code)
    return code if name == code else f"{name.partition(' (')[0]} ({code})"


def offered(codes: Iterable[str]) -> list[str]:
    """All languages to choose from, *codes* among them, by name; at the end that it is not known."""
    return [*sorted({written(code) for code in {*map(str.upper, STABLE), *codes}}), NOT_KNOWN]
