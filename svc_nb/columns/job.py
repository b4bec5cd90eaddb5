"""Columns of texts on their way through one operation of the service, whichever it is."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.columns.block import Block, Field
from svc_nb.columns.context import context
from svc_nb.columns.desk import Desk
from svc_nb.columns.manner import Manner
from svc_nb.columns.protection import LOST, PROTECTED
from svc_nb.columns.sheet import Sheet
from svc_nb.columns.summary import PlanSummary, report_lines
from svc_nb.engine.accounting import Budget, entry
from svc_nb.engine.billing import Bill, Charge
from svc_nb.engine.job import Control, Job
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, UNSENT, Outcome, RunReport
from svc_nb.engine.plan import Part, Plan, RequestKind, TextGroup
from svc_nb.engine.run import Run
from svc_nb.engine.store import StoredAnswer
from svc_nb.errors import RowsFailed, SvcError, Unfinished, warn
from svc_nb.language_codes import normal
from svc_nb.signatures import hides
from svc_nb.tabular.column import Column
from svc_nb.tracebacks import verbs

Watch = Callable[["TextJob"], object]
Asked = tuple[Block, RequestKind, list[int]]


@hides("desk", "sheet", "manner", "watch", "stage", "over", "questions", "entries", "charges", "warn")
@verbs
class TextJob(Job[Any], ABC):
    """An operation on the columns of *sheet*; it can be watched, paused, ended, waited for, and read row by row.

    `result()` is a column like the one given, or a frame of them. The steps: every column is taken apart into
    different texts; every text gets its lane; the plan leaves out what must not be sent or is stored already; the
    run sends the rest. *watch* is how one waits for the end, and may show progress.
    """

    stage = "sending"
    # Whether a column has one result, not one for each of a list of targets.
    _alone = True

    def __init__(self, desk: Desk, sheet: Sheet, manner: Manner, watch: Watch = Job.wait) -> None:
        super().__init__(self._carry_out, self._assembled)
        self.desk = desk
        self.sheet = sheet
        self.manner = manner
        self.watch = watch
        self._blocks: list[Block] = []
        self._bill: Bill | None = None
        self._undetected = 0
        self._taken_apart = threading.Event()
        self._report.rows = len(sheet) * sheet.width * len(self._targets())

    # ---- what a person does with it

    def plan(self, *, price: float | None = None) -> PlanSummary:
        """What it will do and cost, with a *price* for a million characters.

        Nothing is paid, and what came of the rows of a job that runs, or did, stays as it is. Only a service on this
        machine is asked for the languages of the texts; no other gets a text.
        """
        if price is not None and (isinstance(price, bool) or not isinstance(price, Real)):
            raise TypeError(
                f"price: expected a number for a million characters, found {type(price).__name__}"
            )
        if self.started:
            return self._made(self.sheet, self.manner).plan(price=price)
        self._take_apart()
        plan = self._plan(None)
        for block in self._blocks:
            block.give_up()
        summary = PlanSummary.of(
            plan,
            self._blocks,
            rows=self._report.rows,
            undetected=self._undetected,
            guesses=self._guesses(),
            price=price,
            title=self._title("Plan"),
        )
        kept = sum(block.kept for block in self._blocks)
        return replace(summary, skipped={**summary.skipped, PROTECTED: kept}) if kept else summary

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the end and return the result: same index, name and length; gaps where there were gaps.

        Raises what ended the run, or RowsFailed, unless errors are coerced: then what failed is a gap. Warns with
        Unfinished when the budget or `cancel` left rows unsent. What is done is kept in any case.
        """
        result = super().result(timeout)
        self._raise_what_failed()
        self.warn()
        return result

    def table(self) -> pd.DataFrame:
        """What came of every row so far: result, status, reason, characters billed, from store, trace id.

        A text that stands in several rows has its cost at the first, so that the sum is what the run was billed.
        """
        self._await_columns()
        counted: set[Part] = set()
        tables = [self._block_table(block, counted) for block in self._blocks]
        if len(tables) == 1:
            return tables[0]
        whole = pd.concat(tables, ignore_index=True)
        # Joined by pandas, labels could change their type.
        labels = self._blocks[0].column.labels
        whole.index = labels.take(np.tile(np.arange(len(labels)), len(tables)))
        return whole

    def questions(self) -> list[bytes | None]:
        """What is asked for every row of `table`, once it is planned: who asks the same has one answer, paid once."""
        self._await_columns()
        keys = [[part.key if part else None for part in block.parts] for block in self._blocks]
        both = zip(keys, self._blocks, strict=True)
        return [some[code] if code >= 0 else None for some, block in both for code in block.codes.tolist()]

    def partial(self) -> Any:
        """The result as far as it goes: gaps where nothing is done yet."""
        self._await_columns()
        return super().partial()

    def again(self) -> TextJob:
        """The same job for the rows that failed or were not sent, not started: `retry_failed` without the waiting.

        What is done is in its result too, and is not paid for again: it comes from the store. Raises StoreError where
        what was paid for cannot be kept.
        """
        self._keep_done()
        left = self.manner.again
        if left is not False:  # what is done was asked for again already
            left = np.zeros(len(self.sheet), dtype=bool)
            for block in self._blocks:
                undone = [outcome.status not in (*ANSWERED, SKIPPED) for outcome in block.outcomes()]
                left |= np.array(undone)[block.codes]
        return self._made(self.sheet, replace(self.manner, again=left))

    def over(self, sheet: Sheet, *, budget: int | None) -> TextJob:
        """The same job for another *sheet* and *budget*, not started."""
        return self._made(sheet, replace(self.manner, budget=budget))

    def retry_failed(self) -> Any:
        """Try the rows again that failed or were not sent; what is done is not paid for again."""
        again = self.again()
        again.start()
        again.watch(again)
        return again.result()

    def __str__(self) -> str:
        return str(report_lines(self.progress, self._title("Run" if self.done() else "Running")))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return report_lines(self.progress, self._title("Run" if self.done() else "Running")).html()

    # ---- what an operation fills in

    def _guesses(self) -> Mapping[str, str]:
        """The languages of texts, as they are sent, that are in none that can be named to the service."""
        return {}

    @abstractmethod
    def _made(self, sheet: Sheet, manner: Manner) -> TextJob:
        """The same job for a sheet, in a manner, not started."""

    def _targets(self) -> Sequence[str | None]:
        return (None,)

    @abstractmethod
    def _lanes(self, block: Block) -> Sequence[RequestKind]:
        """The lane of each unit."""

    def _block(self, column: Column, target_lang: str | None) -> Block:
        return Block(column, target_lang)

    def _value(self, outcome: Outcome, text: str | None) -> str | None:
        """What stands in the result for a unit; what was skipped passes through."""
        if outcome.status == SKIPPED:
            return text
        return outcome.answer.text if outcome.answer else None

    def _fields(self) -> Mapping[str, Field]:
        """The columns of `table` that come from answers."""
        return {"text": self._value, "detected_source_lang": answered_language}

    def _marks(self, block: Block) -> Mapping[str, Hashable]:
        """What tells the rows of one block from those of another in `table`."""
        return {"column": block.column.name}

    def _tag(self) -> str | None:
        """The tag that the service books the characters under."""
        return None

    def _name(self, block: Block) -> Hashable:
        """What a block's column is called in a frame."""
        return block.column.name

    def _title(self, what: str) -> str:
        return what

    # ---- the steps

    def _carry_out(self, control: Control, report: RunReport) -> None:
        report.stage = "planning"
        self._take_apart()
        self._bill = self._opened_bill()
        report.skipped["missing"] = sum(block.missing for block in self._blocks)
        plan = self._plan(control)
        for block in self._blocks:
            for unit, outcome in block.settled.items():
                report.count(outcome, block.rows[unit])
        report.unique = len(plan.asked)
        report.stage = self.stage
        budget = Budget(self.manner.budget)
        self._run(plan, budget, report, control)
        self._ask_again(budget, report, control)

    def _opened_bill(self) -> Bill:
        columns = [block.column.name for block in self._blocks]
        return Bill(context(self.desk, columns, self._tag()), self.desk.store.clock)

    def _take_apart(self) -> None:
        try:
            columns = self.sheet.columns(coerce=self.manner.coerce)
            self._blocks = [block for column in columns for block in self._blocks_of(column)]
        finally:
            self._taken_apart.set()

    def _blocks_of(self, column: Column) -> list[Block]:
        """A block for each target; what is the same for all of them is worked out once."""
        first, *others = self._targets()
        block = self._block(column, first)
        if self.manner.again is not False:
            block.ask_again(self.sheet.rows(self.manner.again))
        return [block, *(block.into(target) for target in others)]

    def _plan(self, control: Control | None) -> Plan:
        """The plan for all blocks; without *control* no text may be sent to make it."""
        asked = self._asked()
        plan = self._planned(asked, self.manner.skip, self.manner.budget)
        turned = [block.turn() for block in self._blocks]
        if any(turned):  # what the store has of these is of no use
            plan = self._planned(asked, self.manner.skip, self.manner.budget)
        return plan

    def _asked(self) -> list[Asked]:
        """The units on every lane, block by block."""
        return [
            (block, lane, units)
            for block in self._blocks
            for lane, units in _by_lane(block, self._lanes(block)).items()
        ]

    def _planned(self, asked: Sequence[Asked], rules: Collection[str], budget: int | None = None) -> Plan:
        """The plan for *asked*; their units get its parts."""
        asks = [
            TextGroup(
                lane,
                *block.asked(units),
                {place for place, unit in enumerate(units) if unit in block.again} if block.again else (),
            )
            for block, lane, units in asked
        ]
        plan = Plan(asks, store=self.desk.store, rules=rules, budget=budget)
        for (block, _, units), parts in zip(asked, plan.parts, strict=True):
            for unit, part in zip(units, parts, strict=True):
                block.parts[unit] = part
        return plan

    def _ask_again(self, budget: Budget, report: RunReport, control: Control) -> None:
        """Ask with other masks for what lost the first ones, unless the run was stopped; who loses both has failed."""
        turned = {block: units for block in self._blocks if (units := block.turn())}
        for block, units in turned.items():
            _uncount(report, block, units)
        if turned and report.stopped:
            self._leave(turned, report)
        elif turned:
            lanes = [
                (block, lane, [unit for unit in units if unit in turned.get(block, ())])
                for block, lane, units in self._asked()
            ]
            self._run(self._planned([each for each in lanes if each[2]], ()), budget, report, control)
        for block in self._blocks:
            lost = block.give_up()
            _uncount(report, block, lost)
            report.failed += block.rows_of(lost)

    def _leave(self, turned: Mapping[Block, Collection[int]], report: RunReport) -> None:
        """The run was stopped before these units could be asked for again."""
        error, why = report.error, report.stopped
        outcome = (
            Outcome.of_error(UNSENT, error, why)
            if isinstance(error, SvcError)
            else Outcome(UNSENT, reason=why)
        )
        for block, units in turned.items():
            block.settle(dict.fromkeys(units, outcome))
            report.count(outcome, block.rows_of(units))

    def _run(
        self, plan: Plan, budget: Budget, report: RunReport, control: Control, bill: Bill | None = None
    ) -> None:
        desk = self.desk
        Run(
            plan,
            gate=desk.gate,
            store=desk.store,
            budget=budget,
            report=report,
            control=control,
            bill=bill or self._bill,
            patience=desk.patience,
        ).go()

    def _await_columns(self) -> None:
        """Wait until the columns are taken apart, which is soon, or raise what kept them from it."""
        if not self.started and not self._taken_apart.is_set():
            self._take_apart()
        self._taken_apart.wait()
        if not self._blocks:
            self.wait()
        if self._problem:
            raise self._problem

    def _assembled(self) -> Any:
        cells = [block.filled(self._value) for block in self._blocks]
        names = [self._name(block) for block in self._blocks]
        return self.sheet.assembled(cells, names, alone=self._alone)

    def _block_table(self, block: Block, counted: set[Part]) -> pd.DataFrame:
        table = block.table(self._fields(), counted)
        if self.sheet.is_frame or not self._alone:
            for name, value in self._marks(block).items():
                table.insert(0, name, pd.Series([value] * len(table), index=table.index, dtype=object))
        return table

    # ---- how it ends

    def _raise_what_failed(self) -> None:
        error = self._report.error
        if error is not None and not (self.manner.coerce and isinstance(error, SvcError)):
            raise error
        if self._report.failed and not self.manner.coerce:
            raise self._rows_failed()

    def _rows_failed(self) -> SvcError:
        failed = [
            (block, unit, outcome)
            for block in self._blocks
            for unit, outcome in enumerate(block.outcomes())
            if outcome.status == FAILED
        ]
        block, unit, outcome = failed[0]
        cause = self._report.causes.get(outcome.reason or "")
        if cause and not self._report.answered and len({each.reason for _, _, each in failed}) == 1:
            return cause
        row = block.first_row(unit)
        return RowsFailed(
            f"{self._report.failed:,} of {self._report.rows:,} rows failed; the first is row {row} "
            f"(label {block.column.labels[row]!r})",
            detail=FAILED_WORDS.get(outcome.reason or "", outcome.reason),
        )

    def warn(self) -> None:
        """Warn with Unfinished when rows were not sent, and with OptionsIgnored of options without effect."""
        warn_of_unsent(self._report)
        self.desk.client.ignored_options.warn()

    def entries(self) -> list[StoredAnswer]:
        """What was answered so far, as a store keeps it."""
        return kept(dict.fromkeys(part for block in self._blocks for part in block.done_parts()))

    def charges(self) -> list[Charge]:
        """What it was billed, once it is over."""
        return self._bill.charges() if self._bill else []

    def _keep_done(self) -> None:
        """Put what the store lacks of what is done into it, with what it cost: it may have been full."""
        entries, store = self.entries(), self.desk.store
        there = store.get([entry.key for entry in entries])
        store.put([entry for entry in entries if entry.key not in there], bill=self._bill)


def kept(parts: Iterable[Part]) -> list[StoredAnswer]:
    """The answers of *parts*, as a store keeps them."""
    return [entry(part, part.outcome.answer) for part in parts if part.outcome and part.outcome.answer]


def warn_of_unsent(report: RunReport) -> None:
    """Warn with Unfinished when rows were not sent."""
    if report.unsent.total():
        reasons = ", ".join(
            f"{rows:,} {UNSENT_WORDS.get(why, why)}" for why, rows in report.unsent.items() if rows
        )
        told = f"{report.unsent.total():,} of {report.rows:,} rows were not sent: {reasons}."
        error = f" {report.error}" if report.error else ""
        warn(Unfinished(f"{told}{error} What is done is kept; run it again to go on."))


UNSENT_WORDS = {
    "budget": "over the budget",
    "interrupted": "when it was interrupted",
    "quota": "when the quota was spent",
    "error": "when it was stopped",
    "store": "when the store failed",
}

FAILED_WORDS = {
    LOST: f"{LOST}: the service twice lost or changed what protect= is to keep. Shorten these texts, protect less in "
    'them, or leave gaps with errors="coerce"',
}


def _by_lane(block: Block, lanes: Sequence[RequestKind]) -> dict[RequestKind, list[int]]:
    """The units on each lane; those that are no texts are on none."""
    units: defaultdict[RequestKind, list[int]] = defaultdict(list)
    settled, used = block.settled, block.rows
    for unit, lane in enumerate(lanes):
        # A category that no row uses is not worth paying for.
        if used[unit] and unit not in settled:
            units[lane].append(unit)
    return units


def _uncount(report: RunReport, block: Block, outcomes: Mapping[int, Outcome]) -> None:
    """Take back that the rows of these units are done or marked."""
    marked = block.rows_of(unit for unit, outcome in outcomes.items() if outcome.status == MARKED)
    report.marked -= marked
    report.done -= block.rows_of(outcomes) - marked
    report.stored -= block.rows_of(unit for unit, outcome in outcomes.items() if outcome.from_store)


def answered_language(outcome: Outcome, text: str | None) -> str | None:
    """The code of the language that the service found."""
    found = outcome.answer.language if outcome.answer else None
    return found and normal(found)
