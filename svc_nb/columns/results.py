"""One column for one target: what is sent to the service, and the outcome, row by row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import structs

from svc_nb.columns.protection import AS_IT_IS, LOST, PROTECTED, SECOND, Masked, Protection
from svc_nb.engine.outcome import FAILED, PERSON, SKIPPED, Outcome, TextAnswer
from svc_nb.engine.plan import Part
from svc_nb.engine.skip_rules import RULES
from svc_nb.engine.skip_rules import reason as skip_reason
from svc_nb.tabular.text_column import TEXT, Codes, Column, spread

MISSING = Outcome(SKIPPED, reason="missing")
OPEN = Outcome("open")
KEPT = Outcome(SKIPPED, reason=PROTECTED)

# The columns in the table of a translation.
COLUMNS = (
    *("text", "detected_source_lang", "translator", "status", "reason"),
    *("billed_characters", "from_store", "http_status", "trace_id"),
)

Field = Callable[[Outcome, str | None], Any]
Reason = Callable[[Outcome], str | None]
NUMBERS = {"confidence": "Float64", "second_confidence": "Float64"}


class RowOptions(NamedTuple):
    """The options of a translation that may differ from row to row; None means that there is none."""

    source_lang: str | None = None
    context: str | None = None


class ColumnResult:
    """A column's units: a unit is a text, or a text with its own options if every row has its own.

    `codes` has the number of each row's unit, -1 if the row is missing; `parts` has the part that answers each unit;
    `settled` has the outcomes of units that are not sent, such as cells that are not text.

    With *protection*, a unit in `masked` is sent with masks, and its outcome without them is in `_bare`:

    1. an answer to its first masks makes it done, or open if masks were lost;
    2. `turn()` sends it with other masks: its part moves to `_turned`, and `parts` waits for another one;
    3. an answer to those makes it done, or failed if masks were lost again; with lenient protection, `turn()` sends the
       text unmasked, and the answer makes it done, with the reason that protection was lost;
    4. `give_up()` moves failed units to `settled`, so that nothing more is sent.
    """

    def __init__(
        self,
        column: Column,
        target_lang: str | None = None,
        options: Mapping[str, Any] = MappingProxyType({}),
        protection: Protection | None = None,
    ) -> None:
        self.column = column
        self.target_lang = target_lang
        self.codes: Codes = column.codes
        self._numbers: Sequence[int] = range(len(column.texts))
        alike = {name: value for name, value in options.items() if not isinstance(value, pd.Series)}
        self.options = [RowOptions(**alike)] * len(column.texts)
        for name, value in options.items():
            if isinstance(value, pd.Series):
                self._split(name, value.iloc[column.rows])
        alone = isinstance(self._numbers, range)  # each text is a unit
        self.texts = column.texts if alone else [column.texts[number] for number in self._numbers]
        self._outer = {
            unit: text
            for unit, text in enumerate(self.texts)
            if text and (text[0].isspace() or text[-1].isspace()) and not text.isspace()
        }
        present, weights = self.codes >= 0, column.weights
        weighed = None if weights is None else weights[present]
        counted = np.bincount(self.codes[present], weighed, minlength=len(self.texts)).astype(np.int64)
        self.rows: list[int] = counted.tolist()
        self.missing = int((~present).sum() if weights is None else weights[~present].sum())
        self.again: Collection[int] = ()
        self.parts: list[Part | None] = [None] * len(self.texts)
        # Cells that are not text cannot be sent; values within a cell that are not text are left as they are.
        self.settled = {
            unit: Outcome(SKIPPED, reason=column.kinds[number])
            if column.nested
            else Outcome(FAILED, reason=f"expected text, found {column.kinds[number]}")
            for unit, number in (enumerate(self._numbers) if column.kinds else ())
            if number in column.kinds
        }
        self.masked: dict[int, Masked] = {}
        self._turned: dict[int, list[Part]] = {}
        self._last_form = AS_IT_IS if protection and protection.lenient else SECOND
        self._bare: dict[int, tuple[Outcome, Outcome]] = {}
        for unit, masked in enumerate(protection.masked(self.texts) if protection else ()):
            if masked and masked.idle:
                # A text that is only an address has its own rule.
                if self._last_form == SECOND or skip_reason((self.texts[unit] or "").strip(), RULES) is None:
                    self.settled[unit] = KEPT
            elif masked:
                self.masked[unit] = masked

    def into(self, target_lang: str | None) -> Self:
        """The same units for another target, not sent yet; texts, rows and masks are shared."""
        other = copy(self)
        other.target_lang = target_lang
        other.parts = [None] * len(self.texts)
        other._turned, other._bare = {}, {}
        return other

    @property
    def wordings(self) -> Sequence[str | None]:
        """The part of each unit's text that is in a language; None if there is nothing to send."""
        masked, settled = self.masked, self.settled
        if not masked and not settled:
            return self.texts
        return [
            masked[unit].wording if unit in masked else None if unit in settled else text
            for unit, text in enumerate(self.texts)
        ]

    def rows_of(self, units: Iterable[int]) -> int:
        """The number of rows with any of *units*."""
        return sum(self.rows[unit] for unit in units)

    def asked(self, units: Sequence[int]) -> tuple[list[str], list[int]]:
        """The texts of *units* as they are sent, without surrounding white space, and the number of rows of each."""
        texts, rows, masked = self.texts, self.rows, self.masked
        if not masked and not self._outer:
            return [texts[unit] or "" for unit in units], [rows[unit] for unit in units]
        asked = [masked[unit].asked(self._form(unit)) if unit in masked else texts[unit] or "" for unit in units]
        return [text.strip() or text for text in asked], [rows[unit] for unit in units]

    def ask_again(self, rows: npt.NDArray[np.bool_]) -> None:
        """Send the units in *rows* even if the store has an answer."""
        self.again = frozenset(self.codes[rows[self.column.rows]].tolist()) - {-1}

    def turn(self) -> dict[int, Outcome]:
        """Send the units that lost their masks in the next form; returns their previous outcomes."""
        turned = {unit: was for unit, was in self._lost().items() if self._form(unit) < self._last_form}
        for unit in turned:
            part, self.parts[unit] = self.parts[unit], None
            if part:
                self._turned.setdefault(unit, []).append(part)
        return turned

    def worded(self, unit: int, text: str) -> str | None:
        """A user's *text* for a unit, as an answer to what was sent; None if protected stretches are missing."""
        own = text.strip()
        return self.masked[unit].remasked(own, self._form(unit)) if unit in self.masked else own

    def lacking(self, unit: int, text: str) -> list[str]:
        """The protected stretches of a unit that are missing from a user's *text*."""
        return self.masked[unit].lacking(text) if unit in self.masked else []

    def asked_under(self, key: bytes) -> dict[int, Part]:
        """The units that share the outcome of the question *key*, with their parts."""
        return {unit: part for unit, part in enumerate(self.parts) if part and part.key == key and part.outcome}

    def unsettle(self, units: Collection[int]) -> None:
        """Let the parts of *units* count again; units that lost their last masks are settled again."""
        self.settled = {unit: outcome for unit, outcome in self.settled.items() if unit not in units}
        self.give_up()

    def give_up(self) -> dict[int, Outcome]:
        """Settle the units that lost even their last masks as failed; returns their previous outcomes."""
        lost = {unit: was for unit, was in self._lost().items() if self._form(unit) == self._last_form}
        self.settle({unit: self._unmasked(unit, outcome) for unit, outcome in lost.items()})
        return lost

    def settle(self, outcomes: Mapping[int, Outcome]) -> None:
        """Set the outcomes of units that are not sent, or not any more."""
        self.settled = {**self.settled, **outcomes}  # a new dict, because others may be reading the old one

    def outcomes(self) -> list[Outcome]:
        """The outcome of each unit so far, and, as the last one, that of the missing rows."""
        found = [(part and part.outcome) or OPEN for part in self.parts]
        for unit in self.masked:
            found[unit] = self._unmasked(unit, found[unit])
        for unit, text in self._outer.items():
            answer = found[unit].answer
            if answer and answer.text is not None:
                start, end = len(text) - len(text.lstrip()), len(text.rstrip())
                padded = structs.replace(answer, text=f"{text[:start]}{answer.text}{text[end:]}")
                found[unit] = structs.replace(found[unit], answer=padded)
        for unit, outcome in self.settled.items():
            found[unit] = outcome
        found.append(MISSING)
        return found

    def answers(self) -> Iterator[TextAnswer]:
        """The answers so far."""
        outcomes = (part.outcome for part in self.parts if part)
        return (outcome.answer for outcome in outcomes if outcome and outcome.answer)

    def done_parts(self) -> Iterator[Part]:
        """All parts that have an answer, useful or not: each was paid for, in this run or before."""
        whole = (part for part in chain(self.parts, *self._turned.values()) if part)
        parts = (each for part in whole for each in (part, *(() if _done(part) else part.children)))
        return (part for part in parts if _done(part))

    def values(self, value: Field) -> list[Any]:
        """The *value* of each unit's outcome."""
        return [value(*unit) for unit in zip(self.outcomes(), self.texts, strict=False)]  # without that of missing rows

    def table(self, fields: Mapping[str, Field], reason: Reason, counted: set[Part]) -> pd.DataFrame:
        """The outcome of every row; the cost of a text is in its first row, unless its part is in *counted*."""
        outcomes = self.outcomes()
        units = list(zip(outcomes, [*self.texts, None], strict=True))
        columns = {
            **{
                name: self._spread([field(*unit) for unit in units], NUMBERS.get(name, TEXT))
                for name, field in fields.items()
            },
            "status": self._spread([outcome.status for outcome in outcomes], TEXT),
            "reason": self._spread([reason(outcome) for outcome in outcomes], TEXT),
            "billed_characters": self._billed(outcomes, counted),
            "from_store": np.array([outcome.from_store for outcome in outcomes])[self.codes],
            "http_status": self._spread([outcome.http_status for outcome in outcomes], "Int64"),
            "trace_id": self._spread(
                [outcome.answer.trace_id if outcome.answer else outcome.trace_id for outcome in outcomes], TEXT
            ),
        }
        return pd.DataFrame(columns, index=self.column.labels)

    def _spread(self, values: Sequence[Any], dtype: Any) -> Any:
        # The last value is for the missing rows.
        return spread(values, np.where(self.codes < 0, len(values) - 1, self.codes), dtype)

    def _billed(self, outcomes: Sequence[Outcome], counted: set[Part]) -> Codes:
        billed = np.zeros(len(self.codes), dtype=np.int64)
        present, first = np.unique(self.codes, return_index=True)
        for unit, row in zip(present.tolist(), first.tolist(), strict=True):
            part = self.parts[unit] if unit >= 0 else None
            if part and part not in counted:
                counted.add(part)
                billed[row] = outcomes[unit].billed
            for before in self._turned.get(unit, ()):
                if before not in counted:
                    counted.add(before)
                    billed[row] += before.outcome.billed if before.outcome else 0
        return billed

    def _split(self, name: str, values: pd.Series[Any]) -> None:
        """Number the units by their previous numbers and by the option *name*, which differs from row to row."""
        numbers, found = pd.factorize(values)
        many = len(found) + 1
        present = self.codes >= 0
        units, pairs = pd.factorize(self.codes[present] * many + numbers[present] + 1)
        self.codes = np.full(len(self.codes), -1, dtype=np.intp)
        self.codes[present] = units
        own: list[str | None] = [None, *(str(value).strip() or None for value in found)]
        before, places = (pairs // many).tolist(), (pairs % many).tolist()
        self.options = [
            self.options[unit]._replace(**{name: own[place]}) for unit, place in zip(before, places, strict=True)
        ]
        self._numbers = [self._numbers[unit] for unit in before]

    def _form(self, unit: int) -> int:
        return len(self._turned.get(unit, ()))

    def _lost(self) -> dict[int, Outcome]:
        """The outcomes of the units whose answers lost masks."""
        answered = {
            unit: part.outcome
            for unit in self.masked
            if unit not in self.settled and (part := self.parts[unit]) and part.outcome and part.outcome.answer
        }
        return {unit: was for unit, was in answered.items() if self._unmasked(unit, was).answer is None}

    def _unmasked(self, unit: int, outcome: Outcome) -> Outcome:
        """The outcome of a unit, without masks; no answer if they were lost. Computed once."""
        if outcome.answer is None:
            return outcome
        known = self._bare.get(unit)
        if known is None or known[0] is not outcome:
            form, answer = self._form(unit), outcome.answer
            text = self.masked[unit].restored(answer.text or "", form)
            if text is not None:
                reason = LOST if form == AS_IT_IS and answer.model != PERSON else outcome.reason
                bare = structs.replace(outcome, answer=structs.replace(answer, text=text), reason=reason)
            else:
                status, reason = (OPEN.status, None) if form < self._last_form else (FAILED, LOST)
                bare = structs.replace(outcome, status=status, answer=None, reason=reason, trace_id=answer.trace_id)
            known = self._bare[unit] = outcome, bare
        return known[1]


def _done(part: Part) -> bool:
    return part.outcome is not None and part.outcome.answered
