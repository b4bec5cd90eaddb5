"""Replace answers of a job with the user's own wording, in the job and in the store, and undo that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import structs

from svc_nb.columns.results import ColumnResult
from svc_nb.engine.accounting import entry
from svc_nb.engine.outcome import PERSON, SKIPPED, Outcome, RunReport, TextAnswer
from svc_nb.engine.plan import answered
from svc_nb.engine.store import Store, StoredAnswer

EMPTY = "Write a translation before saving; Undo brings back the service's answer."
NOT_ASKED = "this row was not sent, so it has no answer to edit: "
STRETCHES = (
    "your wording must keep the protected text of the source (addresses, placeholders, names, …) exactly as it is, "
    "each of them once"
)


class LacksProtected(ValueError):
    """A wording is refused; `missing` are the missing protected stretches, empty if one appears too often."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(STRETCHES)
        self.missing = list(missing)


@dataclass(frozen=True)
class Rewording:
    """A user's wording of an answer: the answer in the store now and before, and the outcome of its text each time."""

    stored: StoredAnswer
    stored_before: StoredAnswer | None
    outcome: Outcome
    outcome_before: Outcome


class Rewordings:
    """Replaces answers with the user's own wording: in all rows that share an answer, in *report*, and in *store*.

    The store comes first: if it cannot be written, nothing changes. Nothing is sent or billed.
    """

    def __init__(self, results: Sequence[ColumnResult], report: RunReport, store: Store) -> None:
        self._results = results
        self._report = report
        self._store = store

    def write(self, row: int, text: str) -> Rewording | None:
        """Use *text* for a row of the job's `table`, by its position; None if that is its text already.

        White space around it follows the source. Raises ValueError if the row has no answer that could be stored, or if
        *text* is blank or does not keep the protected text of the source.
        """
        result, unit = self._unit(row)
        if not text.strip():
            raise ValueError(EMPTY)
        came, part = result.outcomes()[unit], result.parts[unit] if unit >= 0 else None
        if part is None or not part.key or part.outcome is None or came.status == SKIPPED:
            why = came.reason or "the run ended before"
            raise ValueError(f"{NOT_ASKED}{why.replace('_', ' ')}")
        own = result.worded(unit, text)
        if own is None:
            raise LacksProtected(result.lacking(unit, text))
        known = self._store.get([part.key]).get(part.key)
        now = part.outcome.answer
        if known and now and known.text == now.text == own:
            return None
        base = known or now or TextAnswer(language=part.kind.source_lang, billed=0)
        answer = structs.replace(base, text=own, model=PERSON)
        made = Rewording(
            entry(part, answer), entry(part, known) if known else None, answered(part, answer), part.outcome
        )
        self.repeat(made)
        return made

    def repeat(self, one: Rewording) -> int:
        """Write it (again, if it was undone); returns the number of rows that have it."""
        self._store.put([one.stored])
        return self._show(one.stored.key, one.outcome)

    def take_back(self, one: Rewording) -> int:
        """Restore the previous answer, also in the store; returns the number of rows that have it."""
        if one.stored_before is None:
            self._store.forget([one.stored.key])
        else:
            self._store.put([one.stored_before], over_person=True)
        return self._show(one.stored.key, one.outcome_before)

    def _show(self, key: bytes, outcome: Outcome) -> int:
        """Set *outcome* for all units of the question *key*; their cost does not change."""
        found = [(result, units) for result in self._results if (units := result.asked_under(key))]
        before = [result.outcomes() for result, _ in found]
        for part in {part for _, units in found for part in units.values()}:
            was = part.outcome or outcome
            from_store = was.from_store and outcome.answered
            part.outcome = structs.replace(outcome, billed=was.billed, from_store=from_store)
        rows = 0
        for (result, units), old in zip(found, before, strict=True):
            result.unsettle(units)
            new = result.outcomes()
            for unit in units:
                rows += result.rows[unit]
                self._report.count(old[unit], -result.rows[unit])
                self._report.count(new[unit], result.rows[unit])
        return rows

    def _unit(self, row: int) -> tuple[ColumnResult, int]:
        place = row
        for result in self._results if row >= 0 else ():
            if place < len(result.codes):
                return result, int(result.codes[place])
            place -= len(result.codes)
        raise ValueError(f"expected a row from 0 to {sum(len(each.codes) for each in self._results) - 1}, found {row}")
