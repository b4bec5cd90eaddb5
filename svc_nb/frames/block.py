"""One column for one target: what is asked of the service, and what came of it, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.batch.outcome import FAILED, SKIPPED, Answer, Outcome
from svc_nb.batch.plan import Part
from svc_nb.frames.column import TEXT, Codes, Column, spread

MISSING = Outcome(SKIPPED, reason="missing")
OPEN = Outcome("open")

Field = Callable[[Outcome, str | None], str | None]


class Block:
    """A column's units: a unit is a text, or a text in a language where every row names its own.

    `codes` has the number of each row's unit, -1 where the row is missing; `parts` the part that answers each unit;
    `settled` what is known of units that are not asked for, such as cells that are no text.
    """

    def __init__(self, column: Column, target_lang: str | None = None, languages: Any = None) -> None:
        self.column = column
        self.target_lang = target_lang
        self.codes: Codes = column.codes
        self._numbers: Sequence[int] = range(len(column.texts))
        self.languages: list[str | None] = [languages if isinstance(languages, str) else None] * len(
            column.texts
        )
        if isinstance(languages, pd.Series):
            self._split(languages)
        self.texts = [column.texts[number] for number in self._numbers]
        self.parts: list[Part | None] = [None] * len(self.texts)
        self.settled = self._no_texts()

    @cached_property
    def rows(self) -> list[int]:
        """In how many rows each unit stands."""
        counted: list[int] = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts)).tolist()
        return counted

    @property
    def missing(self) -> int:
        """How many rows hold nothing."""
        return int((self.codes < 0).sum())

    @property
    def failed(self) -> int:
        """How many rows failed before anything was asked."""
        return sum(self.rows[unit] for unit in self.settled)

    def asked(self, units: Sequence[int]) -> tuple[list[str], list[int]]:
        """The texts of *units*, and in how many rows each stands."""
        texts, rows = self.texts, self.rows
        return [texts[unit] or "" for unit in units], [rows[unit] for unit in units]

    def outcomes(self) -> list[Outcome]:
        """What came of each unit so far, and, as the last one, of the rows that are missing."""
        found = [part.outcome if part and part.outcome else OPEN for part in self.parts]
        for unit, outcome in self.settled.items():
            found[unit] = outcome
        return [*found, MISSING]

    def answers(self) -> Iterator[Answer]:
        """What was answered so far."""
        return (part.outcome.answer for part in self.parts if part and part.outcome and part.outcome.answer)

    def filled(self, value: Field) -> Any:
        """A column of the same shape with the *value* of each unit's outcome."""
        values = [value(*unit) for unit in zip(self.outcomes()[:-1], self.texts, strict=True)]
        return self.column.filled(values, self.codes)

    def table(self, fields: Mapping[str, Field], counted: set[Part]) -> pd.DataFrame:
        """What came of every row; *fields* are the columns that come from an outcome and its text.

        What a text cost stands at its first row; texts whose parts are in *counted* were shown before.
        """
        outcomes = self.outcomes()
        units = list(zip(outcomes, [*self.texts, None], strict=True))
        columns = {
            **{name: self._spread([field(*unit) for unit in units], TEXT) for name, field in fields.items()},
            "status": self._spread([outcome.status for outcome in outcomes], TEXT),
            "reason": self._spread([outcome.reason for outcome in outcomes], TEXT),
            "billed_characters": self._billed(outcomes, counted),
            "from_store": np.array([outcome.from_store for outcome in outcomes])[self.codes],
            "http_status": self._spread([outcome.http_status for outcome in outcomes], "Int64"),
            "trace_id": self._spread([_trace(outcome) for outcome in outcomes], TEXT),
        }
        return pd.DataFrame(columns, index=self.column.labels)

    def first_row(self, unit: int) -> int:
        """The first row in which the unit stands."""
        return int(np.argmax(self.codes == unit))

    def _spread(self, values: Sequence[Any], dtype: Any) -> Any:
        # The last value is that of the missing rows.
        return spread(values, np.where(self.codes < 0, len(values) - 1, self.codes), dtype)

    def _billed(self, outcomes: Sequence[Outcome], counted: set[Part]) -> Codes:
        billed = np.zeros(len(self.codes), dtype=np.int64)
        present, first = np.unique(self.codes, return_index=True)
        for unit, row in zip(present.tolist(), first.tolist(), strict=True):
            part = self.parts[unit] if unit >= 0 else None
            if part and part not in counted:
                counted.add(part)
                billed[row] = outcomes[unit].billed
        return billed

    def _no_texts(self) -> dict[int, Outcome]:
        kinds = self.column.kinds
        wrong = (
            [(unit, kinds[number]) for unit, number in enumerate(self._numbers) if number in kinds]
            if kinds
            else []
        )
        return {unit: Outcome(FAILED, reason=f"expected text, found {kind}") for unit, kind in wrong}

    def _split(self, languages: pd.Series[Any]) -> None:
        """Number the units by text and language."""
        numbers, codes = pd.factorize(languages)
        many = len(codes) + 1
        present = self.codes >= 0
        units, pairs = pd.factorize(self.codes[present] * many + numbers[present] + 1)
        self.codes = np.full(len(self.codes), -1, dtype=np.intp)
        self.codes[present] = units
        names = [None, *(str(code).strip() or None for code in codes)]
        self._numbers = (pairs // many).tolist()
        self.languages = [names[place] for place in (pairs % many).tolist()]


def _trace(outcome: Outcome) -> str | None:
    return outcome.answer.trace_id if outcome.answer else outcome.trace_id
