"""Columns of texts on their way through any operation of the service."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from svc_nb.columns import operations
from svc_nb.columns.ledger_context import context
from svc_nb.columns.nested import NestedColumn
from svc_nb.columns.operations import Operation, TranslateOperation
from svc_nb.columns.options import RowFields
from svc_nb.columns.protection import LOST
from svc_nb.columns.results import OPEN, ColumnResult, RowOptions
from svc_nb.columns.running import finished
from svc_nb.columns.selection import DETECT, Selection, named
from svc_nb.columns.summary import Lines, PlanSummary, ShownAsLines, report_lines
from svc_nb.engine.accounting import Budget, entry
from svc_nb.engine.billing import Bill, Charge, Unlogged
from svc_nb.engine.job import AGAIN, Control, Job
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, UNSENT, DetectedLanguage, Outcome, RunReport
from svc_nb.engine.plan import Part, Plan, RequestKind, TextGroup
from svc_nb.engine.run import Run
from svc_nb.engine.skip_rules import RULES, SAME_LANGUAGE
from svc_nb.engine.store import StoredAnswer
from svc_nb.errors import Forbidden, NotFound, RowsFailed, SvcError, Unfinished, warn
from svc_nb.marked import warn_of_marks
from svc_nb.session import Session
from svc_nb.signatures import hides
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs
from svc_nb.wire.client.text import MECHANICAL

if TYPE_CHECKING:
    from svc_nb.columns.changes import Changes
    from svc_nb.columns.rewording import Rewordings
    from svc_nb.columns.terms import TermTable

UNSUPPORTED = "unsupported_language"

UNSENT_WORDS = {
    "budget": "over the budget",
    "interrupted": "because the run was interrupted",
    "quota": "because the quota was spent",
    "error": "because the run was stopped",
    "store": "because the store failed",
}

FAILED_WORDS = {
    LOST: f"{LOST}: the service twice lost or changed protected text. Shorten these texts, protect less in them, or "
    'pass errors="coerce" to leave them missing'
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """How a job treats its rows: what it skips, what it may cost, what a failure does, which rows are sent again."""

    errors: str = "raise"
    skip: Collection[str] = RULES
    budget: int | None = None
    again: Any = False
    coerce: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "coerce"):
            raise ValueError(f'errors: expected "raise" or "coerce", found {self.errors!r}')
        skip = self.skip
        known = ", ".join(sorted(RULES))
        if isinstance(skip, str) or not isinstance(skip, Collection):
            raise TypeError(f"skip: expected a list of rules, found {skip!r}. The rules are {known}")
        if unknown := sorted(str(rule) for rule in skip if not isinstance(rule, str) or rule not in RULES):
            raise ValueError(f"skip: there is no rule {unknown[0]!r}. The rules are {known}")
        object.__setattr__(self, "coerce", self.errors == "coerce")
        if self.budget is not None:
            object.__setattr__(self, "budget", whole_budget(self.budget))

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> JobOptions:
        """Those among *given*, which are removed from it."""
        taken = {name: given.pop(name) for name in RowFields.__annotations__ if name in given}
        return cls(**{name: value for name, value in taken.items() if value is not None})


def whole_budget(budget: float | None) -> int | None:
    """A budget as an int; floats such as 1e6 and numpy's numbers are accepted too.

    >>> whole_budget(1e6)
    1000000
    """
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, Real):
        raise TypeError(f"budget: expected a whole number of characters, found {type(budget).__name__}")
    if not 0 <= budget < float("inf") or budget != int(budget):
        raise ValueError(f"budget: expected a whole number of characters, 0 or more, found {budget}")
    return int(budget)


def check_price(price: float | None) -> None:
    """Raise TypeError or ValueError unless *price* is a number, 0 or more, or None."""
    if price is not None and (isinstance(price, bool) or not isinstance(price, Real)):
        raise TypeError(f"price: expected a number for a million characters, found {type(price).__name__}")
    if price is not None and not price >= 0:
        raise ValueError(f"price: expected 0 or more for a million characters, found {price}")


class ChunkJob(Job[Any]):
    """A job over a selection; a larger run may have many."""

    selection: Selection

    def table(self) -> pd.DataFrame:
        """The outcome of every row, or of those that were not done."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise the error that kept it from starting."""
        if self._problem:
            raise self._problem


@hides(
    *("session", "selection", "operation", "options", "shown", "over"),
    *("questions", "sources", "entries", "charges", "warn", "rewordings", "check"),
)
@verbs
class TextJob(ShownAsLines, ChunkJob):
    """An operation on the columns of a selection; it can be watched, paused, ended, waited for, and read row by row.

    `result()` is a column like the input, or a frame of such columns. The steps: every column is split into its
    different texts; every text gets its kind of request; the plan leaves out texts that must not be sent or are already
    in the store; the run sends the rest. *shown* says whether waiting for the end shows a bar.
    """

    def __init__(
        self,
        session: Session,
        selection: Selection,
        operation: Operation,
        options: JobOptions | None = None,
        *,
        shown: bool = False,
    ) -> None:
        super().__init__()
        self.session = session
        self.selection = selection
        self.operation = operation
        self.options = options or JobOptions()
        self.shown = shown
        source_lang = selection.languages(operation.source_lang, session.client, coerce=self.options.coerce)
        # Whether one language was given for all rows, or all are to be detected; else each row may have its own.
        self._one_language = isinstance(source_lang, str) and source_lang != DETECT
        self._asked_to_detect = isinstance(source_lang, str) and source_lang == DETECT
        given, kept = selection.contexts(operation.context), operation.protection
        if kept and not kept.lenient and given is not None:  # it is sent too
            given = kept.without(given) if isinstance(given, str) else given.map(kept.without, na_action="ignore")
        self._row_options = {
            "source_lang": None if self._asked_to_detect else source_lang,
            "context": given,
        }
        self._results: list[ColumnResult] = []
        self._kinds: dict[tuple[str | None, RowOptions], RequestKind] = {}
        self._tables: set[TermTable] = set()
        self._detected: list[Part] = []
        self._undetected = 0
        self._bill: Bill | None = None
        self._taken_apart = threading.Event()
        self._report.rows = selection.cells * len(operation.targets)

    # ---- what users do with it

    def plan(self, *, price: float | None = None) -> PlanSummary:
        """What it will do and cost, with a *price* for a million characters.

        Nothing is billed, and the outcomes of a job that is running or has ended stay unchanged. Only a service on this
        machine is asked for the languages of the texts; no texts are sent to any other.
        """
        check_price(price)
        if self.started:
            return self._anew(self.options).plan(price=price)
        self._take_apart()
        plan = self._plan(None)
        for result in self._results:
            result.give_up()
        answers = {part.text: part.outcome.answer for part in self._detected if part.outcome}
        guesses = {
            text: answer.best_guess
            for text, answer in answers.items()
            if isinstance(answer, DetectedLanguage) and answer.detection_status == UNSUPPORTED and answer.best_guess
        }
        return PlanSummary.of(
            plan,
            self._results,
            rows=self._report.rows,
            undetected=self._undetected,
            guesses=guesses,
            price=price,
            title=f"Plan: {self.operation.title}",
        )

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the end and return the result: same index, name and length; missing rows stay missing.

        Raises the error that ended the run, or RowsFailed. If errors are coerced, failed rows are missing instead.
        Warns with Unfinished if the budget or `cancel` left rows unsent. Finished rows are always kept.
        """
        result = super().result(timeout)
        error, coerce = self._report.error, self.options.coerce
        if error is not None and not (coerce and isinstance(error, SvcError)):
            raise error
        if self._report.failed and not coerce:
            raise self._rows_failed()
        self.warn()
        return result

    def table(self) -> pd.DataFrame:
        """The outcome of every row so far: result, status, reason, characters billed, from store, trace id.

        The cost of a text in several rows is given in the first one, so the sum is what the run was billed.
        """
        self._await_columns()
        operation, in_frame = self.operation, self.selection.is_frame
        counted: set[Part] = set()
        tables = []
        labels = self.selection.labels
        positions = np.arange(len(labels))
        for result in self._results:
            table = result.table(operation.fields, operation.reason, counted)
            if self.selection.is_nested:
                column = result.column
                ways = column.ways if isinstance(column, NestedColumn) else [str(column.name)] * len(table)
                table.insert(0, "path", pd.Series(ways, index=table.index, dtype=object))
                table.insert(0, "position", positions[column.rows])
            tells: dict[str, Hashable] = {"target_lang": result.target_lang} if result.target_lang else {}
            tells |= {"column": result.column.name} if in_frame else {}
            for name, value in tells.items() if in_frame or not operation.alone else ():
                table.insert(0, name, pd.Series([value] * len(table), index=table.index, dtype=object))
            tables.append(table)
        if len(tables) == 1:
            return tables[0]
        whole = pd.concat(tables, ignore_index=True)
        # Joined by pandas, labels could change their type.
        whole.index = labels.take(np.concatenate([positions[result.column.rows] for result in self._results]))
        return whole

    def questions(self) -> list[bytes | None]:
        """The question for every row of `table`, once it is planned: equal questions share one answer, paid once."""
        self._await_columns()
        keys = [[part.key if part else None for part in result.parts] for result in self._results]
        both = zip(keys, self._results, strict=True)
        return [some[code] if code >= 0 else None for some, result in both for code in result.codes.tolist()]

    def sources(self) -> list[str | None]:
        """The text of every row of `table`; None where it is missing."""
        self._await_columns()
        columns = (result.column for result in self._results)
        return [column.texts[code] if code >= 0 else None for column in columns for code in column.codes.tolist()]

    def rewordings(self) -> Rewordings:
        """The editor for answers in the user's own words, once the job is over."""
        from svc_nb.columns.rewording import Rewordings

        return Rewordings(self._results, self._report, self.session.store)

    def partial(self) -> Any:
        """The result so far; rows that are not done yet are missing."""
        self._await_columns()
        return super().partial()

    def again(self) -> Self:
        """The same job for the rows that failed or were not sent, not started: `retry_failed` without waiting.

        Its result includes the finished rows, which come from the store and are not paid for again. Raises StoreError
        if paid answers cannot be kept.
        """
        # The store may have been full: add the missing answers, with their costs.
        entries, store = self.entries(), self.session.store
        there = store.get([entry.key for entry in entries])
        store.put([entry for entry in entries if entry.key not in there], bill=self._bill)
        left = self.options.again
        if left is not False:  # finished rows were already sent again
            left = np.zeros(len(self.selection), dtype=bool)
            for result in self._results:
                undone = [outcome.status not in (*ANSWERED, SKIPPED) for outcome in result.outcomes()]
                np.logical_or.at(left, result.column.rows, np.array(undone)[result.codes])
        return self._anew(replace(self.options, again=left))

    def over(self, selection: Selection, *, budget: int | None) -> Self:
        """The same job for another *selection* and *budget*, not started, without new lookups."""
        options = replace(self.options, budget=budget)
        return type(self)(self.session, selection, self.operation, options, shown=self.shown)

    def _anew(self, options: JobOptions) -> Self:
        """The same job, not started; glossaries and style are looked up again because they may have changed."""
        operation = replace(self.operation)
        return type(self)(self.session, self.selection, operation, options, shown=self.shown)

    def retry_failed(self) -> Any:
        """Retry the rows that failed or were not sent; finished rows are not paid for again."""
        return finished(self.again()).result()

    def _lines(self) -> Lines:
        return report_lines(self.progress, f"{'Run' if self.done() else 'Running'}: {self.operation.title}")

    # ---- the steps

    def _carry_out(self) -> None:
        session, operation, control, report = self.session, self.operation, self._control, self._report
        report.stage = "planning"
        try:
            self._take_apart()
            columns = [result.column.name for result in self._results]
            self._bill = Bill(
                context(session.origin, session.settings.api_key, columns, operation.reporting_tag), session.store.clock
            )
            report.skipped["missing"] = sum(result.missing for result in self._results)
            plan = self._plan(control)
            for result in self._results:
                for unit, outcome in result.settled.items():
                    report.count(outcome, result.rows[unit])
            report.unique = len(plan.asked)
            report.stage = operation.stage
            budget = Budget(self.options.budget)
            self._run(plan, budget, report, control)
            if protected := [result for result in self._results if result.masked]:
                self._ask_again(protected, budget, report, control)
        finally:
            for table in self._tables:
                table.remove()

    def _take_apart(self) -> None:
        """Make a result of each column for each target; work that is the same for all targets is done once."""
        operation, again, most = self.operation, self.options.again, self.operation.most_characters
        first, *others = operation.targets
        results: list[ColumnResult] = []
        try:
            for column in self.selection.columns(coerce=self.options.coerce):
                result = ColumnResult(column, first, self._row_options, operation.protection)
                if most:
                    result.texts = [text and text.strip()[:most] for text in result.texts]
                if again is not False:
                    result.ask_again(self.selection.rows(again))
                results += [result, *(result.into(target) for target in others)]
            self._results = results
            if self.selection.is_nested:
                self._report.rows = sum(result.missing + sum(result.rows) for result in results)
        finally:
            self._taken_apart.set()

    def _plan(self, control: Control | None) -> Plan:
        """The plan for all columns; without *control* no text may be sent to make it."""
        operation, skip = self.operation, self.options.skip
        if isinstance(operation, TranslateOperation):
            # Check that they exist before any text is sent.
            _ = operation.has_glossaries and operation.glossaries, operation.has_style and operation.style
            required = self._asked_to_detect or operation.has_glossaries
            if (required or SAME_LANGUAGE in skip) and not self._one_language:
                self._detect(control, required=required)
        plan = self._planned(skip, self.options.budget)
        # Saved answers that lost their masks are useless.
        while [result for result in self._results if result.masked and result.turn()]:
            plan = self._planned(skip, self.options.budget)
        return plan

    def _planned(
        self,
        rules: Collection[str],
        budget: int | None = None,
        only: Mapping[ColumnResult, Collection[int]] | None = None,
    ) -> Plan:
        """The plan for the units of all columns, or *only* for some of them; the columns get its parts."""
        asked: list[tuple[ColumnResult, list[int]]] = []
        groups: list[TextGroup] = []
        for result in self._results:
            by_kind: defaultdict[RequestKind, list[int]] = defaultdict(list)
            kind_of: dict[RowOptions, RequestKind] = {}
            for own in {*result.options}:
                # All columns share it, and so their requests.
                if (known := (result.target_lang, own)) not in self._kinds:
                    self._kinds[known] = self.operation.request_kind(*known, one_language=self._one_language)
                kind_of[own] = self._kinds[known]
            wanted = None if only is None else only.get(result, ())
            settled, used = result.settled, result.rows
            for unit, own in enumerate(result.options):
                # A category that no row uses is not worth paying for.
                if used[unit] and unit not in settled and (wanted is None or unit in wanted):
                    by_kind[kind_of[own]].append(unit)
            for kind, units in by_kind.items():
                again = {place for place, unit in enumerate(units) if unit in result.again}
                groups.append(TextGroup(kind, *result.asked(units), again))
                asked.append((result, units))
        plan = Plan(groups, store=self.session.store, rules=rules, budget=budget)
        for (result, units), parts in zip(asked, plan.parts, strict=True):
            for unit, part in zip(units, parts, strict=True):
                result.parts[unit] = part
        return plan

    def _run(self, plan: Plan, budget: Budget, report: RunReport, control: Control, bill: Bill | None = None) -> None:
        session, operation = self.session, self.operation
        if isinstance(operation, TranslateOperation) and operation.has_glossaries:
            for kind in {batch.kind for batch in plan.batches}:
                for table in operation.term_tables(kind, one_language=self._one_language):
                    self._tables.add(table)
                    table.put()
        Run(
            plan,
            gate=session.gate,
            store=session.store,
            budget=budget,
            report=report,
            control=control,
            bill=bill or self._bill,
            patience=session.patience,
        ).go()

    def _ask_again(
        self, protected: Iterable[ColumnResult], budget: Budget, report: RunReport, control: Control
    ) -> None:
        """Resend texts that lost their masks in another form, unless the run was stopped; the last form can fail."""
        while turned := {result: units for result in protected if (units := result.turn())}:
            for result, units in turned.items():
                _uncount(report, result, units)
            if not report.stopped:
                self._run(self._planned((), only=turned), budget, report, control)
                continue
            outcome = report.left()
            for result, units in turned.items():
                result.settle(dict.fromkeys(units, outcome))
                report.count(outcome, result.rows_of(units))
        for result in protected:
            lost = result.give_up()
            _uncount(report, result, lost)
            report.failed += result.rows_of(lost)

    def _detect(self, control: Control | None, *, required: bool) -> None:
        """Detect the languages that were not given, from the store or, with *control* or on this machine, by requests.

        Unless languages are *required*, texts whose detection fails are sent without one.
        """
        unnamed = [
            (result, unit, text)
            for result in self._results
            for unit, (own, text) in enumerate(zip(result.options, result.wordings, strict=True))
            if text and not own.source_lang
        ]
        texts = list(dict.fromkeys(text for _, _, text in unnamed))
        sent = [text.strip()[: operations.MOST_CHARACTERS_TO_DETECT] for text in texts]
        # They are in no row, so that only translations are counted.
        group = TextGroup(operations.detection_kind(self.session), sent, [0] * len(texts))
        plan = Plan([group], store=self.session.store, rules=self.options.skip)
        report = self._report if control else RunReport()
        if self.options.budget != 0 and (control or self.session.settings.is_loopback):
            report.stage = "detecting"
            self._run(plan, Budget(), report, control or Control(), Unlogged())
        self._detected = plan.parts[0]
        found = {text: part.outcome or OPEN for text, part in zip(texts, self._detected, strict=True)}
        if control is None:
            found = {text: OPEN if each.status in (FAILED, UNSENT) else each for text, each in found.items()}
        elif not required:
            found = {text: OPEN if each.status == FAILED else each for text, each in found.items()}
            if isinstance(report.error, Forbidden | NotFound):
                report.error = report.stopped = None
                found = dict.fromkeys(found, OPEN)
        self._undetected = sum(outcome is OPEN for outcome in found.values())
        codes = {text: operations.answered_language(outcome, text) for text, outcome in found.items()}
        for result in self._results:
            result.options = [
                own if own.source_lang else own._replace(source_lang=codes.get(text or ""))
                for own, text in zip(result.options, result.wordings, strict=True)
            ]
        # The outcomes of texts whose language could not be detected, or not before the run ended.
        ended = isinstance(self._report.error, SvcError)
        for result, unit, text in unnamed:
            outcome = found[text]
            if outcome.status in (FAILED, UNSENT) or self._report.error:
                left = ended and outcome.status != FAILED
                result.settle({unit: self._report.left() if left else outcome})

    def _await_columns(self) -> None:
        """Wait until the columns are split into texts, which is quick, or raise the error that prevented it."""
        if not self.started and not self._taken_apart.is_set():
            self._take_apart()
        self._taken_apart.wait()
        if not self._results:
            self.wait()
        if self._problem:
            raise self._problem

    def _build(self) -> Any:
        operation, selection = self.operation, self.selection
        value = next(iter(operation.fields.values()))
        cells = [result.column.filled(result.values(value), result.codes) for result in self._results]
        if operation.alone and not selection.is_frame:
            return cells[0]
        names = [
            result.column.name
            if result.target_lang is None
            else named(result.column.name, result.target_lang)
            if selection.is_frame
            else result.target_lang
            for result in self._results
        ]
        return selection.framed(cells, names)

    # ---- how it ends

    def _rows_failed(self) -> SvcError:
        failed = [
            (result, unit, outcome)
            for result in self._results
            for unit, outcome in enumerate(result.outcomes())
            if outcome.status == FAILED
        ]
        result, unit, outcome = failed[0]
        cause = self._report.causes.get(outcome.reason or "")
        if cause and not self._report.answered and len({each.reason for _, _, each in failed}) == 1:
            return cause
        place = int(np.argmax(result.codes == unit))
        row = int(np.arange(len(self.selection.labels))[result.column.rows][place])
        way = f", {result.column.ways[place]}" if isinstance(result.column, NestedColumn) else ""
        return RowsFailed(
            f"{self._report.failed:,} of {plural(self._report.rows, 'row')} failed; the first is row {row} "
            f"(label {result.column.labels[place]!r}{way})",
            detail=FAILED_WORDS.get(outcome.reason or "", outcome.reason),
        )

    def warn(self) -> None:
        """Warn about rows that were not sent (Unfinished), options without effect (OptionsIgnored), and MarkedOnly."""
        warn_of_unsent(self._report)
        self.session.client.ignored_options.warn()
        warn_of_marks(self._marked_pairs(), f"{self._report.marked:,} of {plural(self._report.rows, 'row')}")

    def _marked_pairs(self) -> set[tuple[str, str]]:
        return {
            (answer.language or "", result.target_lang or "")
            for result in self._results
            for answer in result.answers()
            if answer.marked
        }

    def entries(self) -> list[StoredAnswer]:
        """The answers so far, in the form of the store, including detected languages."""
        parts = dict.fromkeys(part for result in self._results for part in result.done_parts())
        return [
            entry(part, part.outcome.answer)
            for part in (*parts, *self._detected)
            if part.outcome and part.outcome.answer
        ]

    def charges(self) -> list[Charge]:
        """What the job was billed, once it is over."""
        return self._bill.charges() if self._bill else []


class TranslationJob(TextJob):
    """Texts translated; it knows which were only marked because no translator has the language pair."""

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The language pairs in which texts were only marked so far, because no translator has them."""
        return self._marked_pairs()


class ImprovementJob(TextJob):
    """Texts rephrased or corrected; it can show the changes."""

    def changes(self) -> Changes:
        """The changes so far, word by word: the rows that changed, with the text before and after."""
        from svc_nb.columns.changes import compared

        self._await_columns()
        value = self.operation.fields["text"]
        return compared(
            (
                result.column.name if self.selection.is_frame else None,
                result.column.labels,
                [result.column.texts[code] if code >= 0 else None for code in result.column.codes],
                [None if code < 0 else values[code] for code in result.codes.tolist()],
            )
            for result in self._results
            for values in (result.values(value),)
        )

    def warn(self) -> None:
        """Warn with Unfinished about rows that were not sent, and with TidiedOnly if less was done than requested."""
        super().warn()
        answers = (answer for result in self._results for answer in result.answers())
        tidied = {answer.language or "" for answer in answers if answer.model == MECHANICAL}
        if self.operation.kind:
            self.session.client.text.warn_of_tidying(self.operation.kind.operation, tidied)


def warn_of_unsent(report: RunReport) -> None:
    """Warn with Unfinished about rows that were not sent."""
    if report.unsent.total():
        reasons = ", ".join(f"{rows:,} {UNSENT_WORDS.get(why, why)}" for why, rows in report.unsent.items() if rows)
        told = f"{report.unsent.total():,} of {plural(report.rows, 'row')} not sent: {reasons}."
        error = f" {report.error}" if report.error else ""
        warn(Unfinished(f"{told}{error} Finished rows are kept; {AGAIN}."))


def _uncount(report: RunReport, result: ColumnResult, outcomes: Mapping[int, Outcome]) -> None:
    """Undo the counts of these units' rows as done or marked."""
    marked = result.rows_of(unit for unit, outcome in outcomes.items() if outcome.status == MARKED)
    report.marked -= marked
    report.done -= result.rows_of(outcomes) - marked
    report.stored -= result.rows_of(unit for unit, outcome in outcomes.items() if outcome.from_store)
