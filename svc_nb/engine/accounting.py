"""The accounts of a run: what is claimed, paid, stored and settled, with the counts of each."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import uuid4

from msgspec import structs

from svc_nb.engine.billing import Bill
from svc_nb.engine.outcome import FAILED, Outcome, RunReport, TextAnswer
from svc_nb.engine.plan import OVER_BUDGET, Batch, Part, Plan, answered
from svc_nb.engine.store import Store, StoredAnswer
from svc_nb.errors import StoreError, SvcError


@dataclass(slots=True, eq=False)
class Budget:
    """The number of characters left, None for no limit; requests under way count as spent."""

    left: int | None = None

    def take(self, characters: int) -> bool:
        """Reserve *characters*; returns whether the budget has them."""
        if self.left is not None:
            if characters > self.left:
                return False
            self.left -= characters
        return True

    def give(self, characters: int) -> None:
        """Return characters that were not billed after all; a negative number takes those billed in excess."""
        if self.left is not None:
            self.left += characters


class Accounts:
    """Keeps *store*, *budget*, *report* and *bill* of a plan consistent; unwritten charges stay on the bill."""

    def __init__(self, plan: Plan, store: Store, budget: Budget, report: RunReport, bill: Bill) -> None:
        self.report = report
        self._bill = bill
        self._plan = plan
        self._store = store
        self._budget = budget
        self._run = uuid4().hex
        # Parts that are settled before anything is sent count from the beginning.
        for part in dict.fromkeys(part for parts in plan.parts for part in parts):
            if part.outcome:
                report.count(part.outcome, part.rows)

    def close(self) -> None:
        """Release all claims."""
        for kind in self._plan.kinds:
            self._bill.open(kind.purpose)
        with suppress(StoreError):
            self._store.release(self._run, bill=self._bill)

    def claim(self, batches: Sequence[Batch]) -> list[Part]:
        """Keep the parts of *batches* that no other run has answered or is sending; returns those that others send."""
        parts = [part for batch in batches for part in batch.parts]
        again = {part.key for part in parts if part.again}
        keys = [part.key for part in parts]
        claimed = self._store.claim(keys, self._run, again=again, since=self._plan.looked_up)
        others: list[Part] = []
        for batch in batches:
            taken = [part for part in batch.parts if part.key not in claimed.ours]
            batch.parts = [part for part in batch.parts if part.key in claimed.ours]
            if batch.reserved:
                self._budget.give(sum(part.characters for part in taken))
            others += [part for part in taken if part.key not in claimed.answers]
            for part in taken:
                if part.key in claimed.answers:
                    self.settle(part, answered(part, claimed.answers[part.key], from_store=True))
        return others

    def afford(self, batches: Sequence[Batch]) -> None:
        """Keep the *batches* that the budget covers, and reserve them; the store records first that they may cost."""
        for batch in batches:
            if not batch.reserved and not self._budget.take(batch.characters):
                affordable = [part for part in batch.parts if self._budget.take(part.characters)]
                dropped = [part for part in batch.parts if part not in affordable]
                for part in dropped:
                    self.settle(part, OVER_BUDGET)
                self.unclaim(dropped)
                batch.parts = affordable
            batch.reserved = True
            if batch.parts:
                batch.sent = self._bill.send(batch.kind.purpose, batch.characters)
        if not self._bill.covered:
            with suppress(StoreError):
                self._store.log(self._bill)

    def release(self, batch: Batch) -> None:
        """Return the reservation for *batch*, which was not billed."""
        if batch.reserved:
            self._budget.give(batch.characters)
            batch.reserved = False

    def turn_back(self, batch: Batch) -> None:
        """*batch* came back, and was not billed."""
        if batch.sent:
            self._bill.returned(batch.sent)

    def write_off(self, batch: Batch) -> None:
        """Spend the reservation for *batch*, which may have been billed."""
        self.report.unclear += batch.characters
        batch.reserved = False
        if batch.sent:
            self._bill.lost(batch.sent)

    def write(self, came: Sequence[tuple[Batch | None, Sequence[tuple[Part, TextAnswer]]]]) -> None:
        """Charge for the given batches and put all answers into the store; callable from any thread."""
        for batch, pairs in came:
            if batch and batch.sent:
                costs = [(_billed(part, answer), answer.marked) for part, answer in pairs]
                marked = sum(billed for billed, marked in costs if marked)
                self._bill.answered(batch.sent, sum(billed for billed, _ in costs), marked)
        self._store.put([entry(*pair) for _, pairs in came for pair in pairs], self._run, self._bill)

    def finish(self, came: Sequence[tuple[Part, TextAnswer]]) -> list[tuple[Part, TextAnswer]]:
        """Mark answered parts as done; returns the large texts that are now complete, which are to be written too."""
        for part, answer in came:
            billed = _billed(part, answer)
            self._budget.give(part.characters - billed)
            self.report.billed += billed
            self.settle(part, answered(part, answer, billed=billed))
        parents = dict.fromkeys(parent for part, _ in came for parent in self._plan.parents.get(part, ()))
        return [(each, each.outcome.answer) for each in parents if each.outcome and each.outcome.answer]

    def settle(self, part: Part, outcome: Outcome) -> None:
        """Record the outcome of *part*, and of a large text that waited for it."""
        part.outcome = outcome
        self.report.count(outcome, part.rows)
        for parent in self._plan.parents.get(part, ()):
            if parent.outcome is None and (whole := parent.joined()):
                self.settle(parent, whole)

    def fail(self, parts: Sequence[Part], error: SvcError) -> None:
        """Record *error* as the reason why *parts* have no answer; another run may try them."""
        outcome = Outcome.of_error(FAILED, error)
        self.report.causes.setdefault(outcome.reason or "", error)
        for part in parts:
            self.settle(part, outcome)
        self.unclaim(parts)

    def unclaim(self, parts: Sequence[Part]) -> None:
        """Let other runs send *parts*."""
        if parts:
            with suppress(StoreError):
                self._store.release(self._run, [part.key for part in parts])


def entry(part: Part, answer: TextAnswer) -> StoredAnswer:
    """A part's answer in the form of the store."""
    kind = part.kind
    known = answer if answer.billed is not None else structs.replace(answer, billed=_billed(part, answer))
    languages = kind.source_lang, kind.target_lang
    return StoredAnswer(part.key, part.text, known, kind.operation, kind.service, *languages)


def _billed(part: Part, answer: TextAnswer) -> int:
    if not part.kind.billed:
        return 0
    return len(part.text) if answer.billed is None else answer.billed
